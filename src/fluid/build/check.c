/* What can be simulated: options, queues, classes, flows. Paths are judged where they are found. */
#include <math.h>

#include "fluid/state/internal.h"

static weir_status refuse(weir_diag *diag, const char *kind, uint32_t number, const char *name,
                          const char *why, double value)
{
    return weir_fail(diag, WEIR_E_SCENARIO, "fluid %s %u%s%s%s: %s (it is %g)", kind, number,
                     name ? " '" : "", name ? name : "", name ? "'" : "", why, value);
}

static weir_status check_options(weir_diag *diag, const weir_fluid_options *o)
{
    if (o->step_ps <= 0)
        return weir_fail(diag, WEIR_E_ARG, "the fluid's step is %lld ps; want more than 0",
                         (long long)o->step_ps);
    if (o->order != 1 && o->order != 2)
        return weir_fail(diag, WEIR_E_ARG, "order of integration %u; there are 1 and 2", o->order);
    if (o->law != WEIR_FLUID_CONSERVING && o->law != WEIR_FLUID_PAPER)
        return weir_fail(diag, WEIR_E_ARG, "unknown law %d of the fluid", (int)o->law);
    if (o->measure_from_ps < 0)
        return weir_fail(diag, WEIR_E_ARG, "queues measured from %lld ps on; want at least 0",
                         (long long)o->measure_from_ps);
    if (o->history_steps > 1u << 20)
        return weir_fail(diag, WEIR_E_ARG, "a history of %u steps; want at most %u", o->history_steps,
                         1u << 20);
    return WEIR_OK;
}

static weir_status check_queue(weir_diag *diag, const weir_fluid_queue *q, uint32_t i)
{
    if (q->limit_bytes == 0)
        return refuse(diag, "queue", i, NULL, "want a limit of more than 0 bytes", 0.0);
    if (q->type == WEIR_FLUID_DROPTAIL)
        return WEIR_OK;
    if (q->type == WEIR_FLUID_THRESHOLD)
        return q->min_bytes >= 0.0 && isfinite(q->min_bytes)
                   ? WEIR_OK
                   : refuse(diag, "queue", i, NULL, "want a threshold of at least 0 bytes", q->min_bytes);
    if (q->type != WEIR_FLUID_RED)
        return refuse(diag, "queue", i, NULL, "unknown type", (double)q->type);
    if (!(q->min_bytes >= 0.0 && q->max_bytes > q->min_bytes && isfinite(q->max_bytes)))
        return refuse(diag, "queue", i, NULL, "RED wants 0 <= min < max", q->max_bytes);
    if (!(q->max_p > 0.0 && q->max_p <= 1.0))
        return refuse(diag, "queue", i, NULL, "RED wants a max_p above 0, at most 1", q->max_p);
    if (!(q->weight > 0.0 && q->weight <= 1.0))
        return refuse(diag, "queue", i, NULL, "RED wants a weight above 0, at most 1", q->weight);
    if (q->mean_packet_bytes == 0)
        return refuse(diag, "queue", i, NULL, "RED wants a mean packet of more than 0 bytes", 0.0);
    if (q->mode != WEIR_FLUID_RED_UNIFORM && q->mode != WEIR_FLUID_RED_BERNOULLI &&
        q->mode != WEIR_FLUID_RED_WAIT)
        return refuse(diag, "queue", i, NULL, "unknown mode of RED", (double)q->mode);
    return WEIR_OK;
}

static weir_status check_udp(weir_diag *diag, const weir_fluid_class *c, uint32_t i)
{
    if (c->on_ps < 0 || c->off_ps < 0)
        return refuse(diag, "class", i, c->name, "want times on and off of at least 0",
                      (double)(c->on_ps < 0 ? c->on_ps : c->off_ps));
    if (c->off_ps > 0 && c->on_ps == 0)
        return refuse(diag, "class", i, c->name, "want a time on where there is a time off", 0.0);
    if (c->schedule == NULL && c->n_schedule > 0)
        return weir_fail(diag, WEIR_E_ARG, "fluid class %u has no schedule of %u rates", i, c->n_schedule);
    for (uint32_t k = 1; k < c->n_schedule; k++)
        if (c->schedule[k].from_ps <= c->schedule[k - 1].from_ps)
            return refuse(diag, "class", i, c->name, "want a schedule by rising times; entry number is given",
                          k);
    return WEIR_OK;
}

static weir_status check_class(weir_diag *diag, const weir_fluid_class *c, uint32_t i)
{
    if (c->udp)
        return check_udp(diag, c, i);
    if (!weir_fluid_has_law(c->congestion))
        return weir_fail(diag, WEIR_E_SCENARIO, "fluid class %u: there is no fluid law of congestion '%s'", i,
                         c->congestion);
    const char *const lacks = weir_fluid_law_bounds(c, NULL);
    if (lacks)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "fluid class %u: %s", i, lacks);
    if (c->mss_bytes == 0)
        return refuse(diag, "class", i, c->name, "want an MSS of more than 0 bytes", 0.0);
    if (c->window_limit_bytes < c->mss_bytes)
        return refuse(diag, "class", i, c->name, "want a window limit of at least one segment",
                      (double)c->window_limit_bytes);
    if (!(c->initial_window >= 1.0 && c->initial_window <= 1e6))
        return refuse(diag, "class", i, c->name, "want an initial window of at least 1 segment",
                      c->initial_window);
    if (!(c->segments_per_ack >= 1.0 && c->segments_per_ack <= 1e3))
        return refuse(diag, "class", i, c->name, "want at least 1 segment an ACK", c->segments_per_ack);
    if (!(c->decrease_more >= 0.0 && c->decrease_more <= 1e3))
        return refuse(diag, "class", i, c->name, "want a decrease of at least 0 segments besides",
                      c->decrease_more);
    if (!(c->ack_clock >= 0.0 && c->ack_clock <= 1.0))
        return refuse(diag, "class", i, c->name, "want a share of 0 to 1 that ACKs clock", c->ack_clock);
    if (!(c->decrease > 0.0 && c->decrease <= 1.0))
        return refuse(diag, "class", i, c->name, "want a decrease above 0, at most 1", c->decrease);
    return WEIR_OK;
}

static weir_status check_flow(weir_diag *diag, const weir_fluid_plan *plan, uint32_t i)
{
    const weir_fluid_flow *const f = &plan->flows[i];
    const uint32_t n = plan->graph->n_nodes;
    if (f->src >= n || f->dst >= n)
        return refuse(diag, "flow", i, NULL, "its node is not in the network",
                      (double)(f->src >= n ? f->src : f->dst));
    if (f->src == f->dst)
        return refuse(diag, "flow", i, plan->graph->name[f->src], "source and destination are the same node",
                      f->src);
    if (f->cls >= plan->n_classes)
        return refuse(diag, "flow", i, NULL, "unknown class", f->cls);
    if (!(f->sessions > 0.0))
        return refuse(diag, "flow", i, plan->classes[f->cls].name,
                      "want at least one session, or a part of one", f->sessions);
    if (f->transfers_per_s > 0.0 &&
        (plan->classes[f->cls].udp || f->size_bytes > 0 || f->goes_on || f->apart ||
         !(f->mean_bytes >= 1.0 && f->transfers_per_s * f->mean_bytes < 1e15)))
        return refuse(
            diag, "flow", i, plan->classes[f->cls].name,
            "transfers want TCP, a mean size, no size besides, and routes that stay; of bytes a second",
            f->mean_bytes);
    if (f->beside_ps < 0)
        return refuse(diag, "flow", i, plan->classes[f->cls].name,
                      "want a time of at least 0 beside its path", weir_seconds(f->beside_ps));
    if (f->start_ps < 0 || f->stop_ps < f->start_ps)
        return refuse(diag, "flow", i, plan->classes[f->cls].name,
                      "want 0 <= start <= stop; start in seconds", weir_seconds(f->start_ps));
    return WEIR_OK;
}

static weir_status check_relay(weir_diag *diag, const weir_fluid_plan *plan, uint32_t i)
{
    const weir_fluid_flow *const f = &plan->flows[i];
    if (f->goes_on == 0)
        return WEIR_OK;
    if (f->goes_on > i)
        return weir_fail(diag, WEIR_E_ARG, "fluid flow %u goes on with flow %u; want an earlier one", i,
                         f->goes_on - 1);
    const weir_fluid_flow *const from = &plan->flows[f->goes_on - 1];
    if (!f->apart || !from->apart || from->cls != f->cls || from->start_ps > f->start_ps ||
        from->size_bytes > 0)
        return weir_fail(diag, WEIR_E_ARG,
                         "fluid flow %u goes on with flow %u; want both apart, of one class, without a size, "
                         "and the other to begin first",
                         i, f->goes_on - 1);
    return WEIR_OK;
}

static weir_status check_outages(weir_diag *diag, const weir_fluid_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_outages; i++) {
        const weir_fluid_outage *const o = &plan->outages[i];
        if (o->edge >= plan->graph->n_edges || o->at_ps < 0)
            return weir_fail(diag, WEIR_E_ARG, "outage %u of the fluid: edge %u of %u at %g s", i, o->edge,
                             plan->graph->n_edges, weir_seconds(o->at_ps));
        if (i > 0 && o->at_ps < plan->outages[i - 1].at_ps)
            return weir_fail(diag, WEIR_E_ARG, "outage %u of the fluid is earlier than the one before it", i);
    }
    return WEIR_OK;
}

weir_status wi_fluid_check(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *options)
{
    weir_status st = check_options(diag, options);
    if (st != WEIR_OK)
        return st;
    if (!plan->graph || (!plan->routes && !(plan->path_first && plan->path_edge)))
        return weir_fail(diag, WEIR_E_ARG, "a fluid plan wants a graph, and routes or paths");
    if (plan->n_flows == 0 || plan->n_queues == 0)
        return weir_fail(diag, WEIR_E_SCENARIO, "no fluid %s: there is nothing to simulate",
                         plan->n_flows == 0 ? "flows" : "queues");
    for (uint32_t i = 0; i < plan->n_queues && st == WEIR_OK; i++)
        st = check_queue(diag, &plan->queues[i], i);
    for (uint32_t i = 0; i < plan->n_classes && st == WEIR_OK; i++)
        st = check_class(diag, &plan->classes[i], i);
    for (uint32_t i = 0; i < plan->n_flows && st == WEIR_OK; i++)
        st = check_flow(diag, plan, i);
    for (uint32_t i = 0; i < plan->n_flows && st == WEIR_OK; i++)
        st = check_relay(diag, plan, i);
    return st == WEIR_OK ? check_outages(diag, plan) : st;
}
