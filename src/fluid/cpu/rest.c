/* Ports are in double whatever the solver's precision. */
typedef double fluid_real;
#include "fluid/cpu/rest.h"

#include <stdlib.h>

/* Streams that send the same in each step; all else is reckoned always. */
static bool is_constant(const fluid_tables *t, uint32_t flow)
{
    const fluid_class *const c = &t->classes[t->flows[flow].cls];
    return (c->flags & FLUID_UDP) && c->n_rates == 0 && c->period <= 0.0 && t->flows[flow].size <= 0.0;
}

static bool has_constant(const fluid_tables *t)
{
    bool some = false;
    for (uint32_t f = 0; f < t->n_flows && !some; f++)
        some = is_constant(t, f);
    return some && !t->signals && !t->paper && t->order == 2;
}

static int32_t longest_ring(const fluid_tables *t)
{
    uint32_t rows = 0;
    for (uint32_t p = 0; p < t->n_ports; p++)
        rows = t->ports[p].rows > rows ? t->ports[p].rows : rows;
    for (uint32_t i = 0; i < t->n_series; i++)
        rows = t->rings[i].rows > rows ? t->rings[i].rows : rows;
    return (int32_t)rows;
}

weir_status wi_fluid_rest_new(weir_diag *diag, const fluid_tables *t, wi_fluid_rest **out)
{
    *out = NULL;
    if (!has_constant(t))
        return WEIR_OK;
    wi_fluid_rest *const r = wi_fluid_array(diag, 1, sizeof *r, "solver");
    if (!r)
        return WEIR_E_NOMEM;
    bool whole = true;
#define NEW(field, n) whole = (r->field = wi_fluid_array(diag, (n), sizeof *r->field, "solver")) && whole
    NEW(series, t->n_series);
    NEW(prefix, t->n_prefixes);
    NEW(port, t->n_ports);
    NEW(queue, t->n_ports);
    NEW(hop, t->n_prefixes);
    NEW(flow, t->n_flows);
    NEW(arrived, t->n_prefixes);
    NEW(acked, t->n_flows);
    NEW(lost, t->n_flows);
    NEW(sent, t->n_flows);
    NEW(until, t->n_flows);
    NEW(segment_at, t->n_segments);
    NEW(segment, t->n_segments);
    NEW(owed, t->n_flows + REST_GROUP);
    NEW(group, t->n_flows / REST_GROUP + 1);
#undef NEW
    if (!whole) {
        wi_fluid_rest_free(r);
        return WEIR_E_NOMEM;
    }
    r->longest = longest_ring(t);
    wi_fluid_rest_forget(r, t, REST_EVER);
    *out = r;
    return WEIR_OK;
}

void wi_fluid_rest_free(wi_fluid_rest *r)
{
    if (!r)
        return;
    void *const all[] = {r->series,  r->prefix,     r->port,    r->hop,   r->flow,
                         r->arrived, r->acked,      r->lost,    r->sent,  r->until,
                         r->group,   r->segment_at, r->segment, r->queue, r->owed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(r);
}

void wi_fluid_rest_forget(wi_fluid_rest *r, const fluid_tables *t, int64_t now)
{
    const int32_t since = (int32_t)now;
    const rest_reader unread = {REST_NEVER, REST_NEVER, 0};
    for (uint32_t p = 0; p < t->n_prefixes; p++) {
        r->prefix[p] = since;
        r->hop[p] = unread;
    }
    for (uint32_t p = 0; p < t->n_ports; p++)
        r->queue[p].gain.same = 0, r->queue[p].front_at = REST_NEVER, r->port[p] = since;
    for (uint32_t i = 0; i < t->n_segments; i++)
        r->segment_at[i] = REST_NEVER;
    for (uint32_t i = 0; i < t->n_series; i++)
        r->series[i] = (rest_changes){REST_NEVER, since, REST_NEVER};
    r->latest = since;
    for (uint32_t f = 0; f < t->n_flows; f++) {
        r->flow[f] = unread;
        r->owed[f] = 0;
        r->group[f / REST_GROUP] = (rest_group){REST_NEVER, 0};
        r->until[f] = 0;
        if (is_constant(t, f))
            continue;
        r->series[f].since = r->latest = INT32_MAX; /* no step of these is skipped, nor of what reads them */
    }
}

void wi_fluid_rest_disturb(wi_fluid_rest *r, uint32_t port, int64_t now)
{
    r->port[port] = (int32_t)now;
    r->queue[port].gain.same = 0;
    r->latest = r->latest > now ? r->latest : (int32_t)now;
}

void wi_fluid_rest_count_flow(const fluid_state *s, uint32_t flow)
{
    const wi_fluid_rest *const r = s->rest;
    double acked = s->acked[flow], lost = s->lost[flow], sent = s->sent[flow];
    for (int32_t left = r->owed[flow]; left > 0; left--) {
        acked += r->acked[flow];
        lost += r->lost[flow];
        sent += r->sent[flow];
    }
    s->acked[flow] = acked;
    s->lost[flow] = lost;
    s->sent[flow] = sent;
    s->exit[flow].step += r->owed[flow];
    r->owed[flow] = 0;
}

/* The counts that a queue's rows have, and those that they have not. */
typedef struct port_counts {
    double reduction, accepted, expected, sum, total, dropped;
} port_counts;

static inline port_counts add_step(port_counts c, const fluid_gain *gain)
{
    return (port_counts){c.reduction + gain->unused, c.accepted + gain->accepted, c.expected + gain->others,
                         c.sum + gain->mean,         c.total + gain->came,        c.dropped + gain->lost};
}

void wi_fluid_rest_count_port(const fluid_tables *t, const fluid_state *s, uint32_t p, int64_t now)
{
    const fluid_port *const port = &t->ports[p];
    const fluid_gain gain = s->rest->queue[p].gain;
    const int32_t owed = s->rest->queue[p].owed,
                  kept = owed < (int32_t)port->rows ? owed : (int32_t)port->rows;
    port_counts c = {s->reduction[p], s->accepted[p], s->expected[p],
                     s->queue_sum[p], s->arrived[p],  s->dropped[p]};
    for (int32_t i = kept; i < owed; i++)
        c = add_step(c, &gain);
    for (int32_t left = kept; left > 0; left--) {
        const uint64_t at = port->own + fluid_row_now(now - left, port->rows);
        c = add_step(c, &gain);
        s->own_reduction[at] = c.reduction;
        s->own_expected[at] = c.expected;
        s->own_accepted[at] = c.accepted;
    }
    s->reduction[p] = c.reduction;
    s->accepted[p] = c.accepted;
    s->expected[p] = c.expected;
    s->queue_sum[p] = c.sum;
    s->arrived[p] = c.total;
    s->dropped[p] = c.dropped;
    s->rest->queue[p].owed = 0;
}

void wi_fluid_rest_count_front(const fluid_tables *t, const fluid_state *s, uint32_t port)
{
    if (t->ports[port].front != FLUID_NONE)
        s->front[t->ports[port].front].step += s->rest->queue[port].front_owed;
    s->rest->queue[port].front_owed = 0;
}

void wi_fluid_rest_settle(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t port = 0; s->rest && port < t->n_ports; port++) {
        wi_fluid_rest_count_port(t, s, port, s->now);
        wi_fluid_rest_count_front(t, s, port);
    }
    for (uint32_t f = 0; s->rest && f < t->n_flows; f++) {
        if (f % REST_GROUP == 0 && f + REST_GROUP <= t->n_flows)
            rest_count_group(s, f);
        wi_fluid_rest_count_flow(s, f);
    }
}
