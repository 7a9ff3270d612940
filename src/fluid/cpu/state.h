/* The state of flows and prefixes in one precision: starting values, and what is asked of it. */
static void fill_flows(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t f = 0; f < t->n_flows; f++) {
        const fluid_class *const c = &t->classes[t->flows[f].cls];
        s->sessions[f] = t->flows[f].offered > 0.0 ? 0.0 : t->flows[f].sessions;
        ((fluid_real *)s->window)[f] = (fluid_real)c->initial_window;
        fluid_law_begin(t, s, f, FLUID_NONE);
        ((fluid_real *)s->slow)[f] = (fluid_real)(c->flags & FLUID_SLOW_START ? 1 : 0);
        if (c->flags & FLUID_SLOW_START)
            s->flow_flags[f] |= FLUID_STARTING;
        ((fluid_real *)s->rtt)[f] = (fluid_real)t->flows[f].base;
        ((fluid_real *)s->first)[f] = (fluid_real)(c->initial_window / t->flows[f].base);
    }
}

static void fill_rows(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t p = 0; p < t->n_ports; p++) {
        const fluid_port *const port = &t->ports[p];
        for (uint32_t i = 0; i < port->n_prefixes; i++)
            for (uint64_t at = port->at + (uint64_t)i * port->rows, row = 0; row < port->rows; row++) {
                ((fluid_real *)s->lag)[at + row] = t->base[port->first + i];
                ((fluid_real *)s->keep)[at + row] = 1;
            }
    }
}

static void change(const fluid_tables *t, const fluid_state *s, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++)
        fluid_make_change(t, s, &t->changes[i]);
}

static void acks(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t p = 0; p < t->n_ports; p++)
        fluid_acks_at_port(t, s, p);
    for (uint32_t f = 0; f < t->n_flows; f++)
        fluid_acks_of_flow(t, s, f);
}

static double delivered(const fluid_tables *t, const fluid_state *s, uint32_t flow)
{
    const fluid_flow *const f = &t->flows[flow];
    const double wire = t->ports[f->port].delay, ahead = f->delay - wire;
    const uint32_t whole = (uint32_t)ahead;
    fluid_exit e = fluid_exit_open(t, s, flow, f->delay);
    fluid_place place = s->exit[flow];
    fluid_real rtt = ((const fluid_real *)s->rtt)[flow];
    double bytes = s->acked[flow];
    for (uint32_t i = 0; i < whole; i++) { /* what the source will learn in the coming steps */
        const fluid_news news = fluid_exit_step(t, &e, s->now, i, &place, rtt);
        bytes += (double)news.arrived;
        rtt = news.rtt;
    }
    e.delay = wire + 1.0; /* and the part of a step that is left: until now - wire */
    bytes += (double)fluid_exit_step(t, &e, s->now, 0, &place, rtt - (fluid_real)whole).arrived;
    return bytes;
}

static double at(const void *array, uint32_t i)
{
    return ((const fluid_real *)array)[i];
}

const wi_fluid_real FLUID_REAL = {.bytes = sizeof(fluid_real),
                                  .run = FLUID_RUN,
                                  .run_avx2 = FLUID_RUN_AVX2,
                                  .fill_flows = fill_flows,
                                  .fill_rows = fill_rows,
                                  .delivered = delivered,
                                  .change = change,
                                  .acks = acks,
                                  .at = at};
