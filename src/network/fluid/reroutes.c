/*
 * Ways of fluid in a network whose links fail and come back. All of that is known before the run: the network
 * is brought to each of its changes, the ways of each demand are looked up, and a demand whose ways change gets
 * flows that follow each other in time, each with the windows of the one before it.
 *
 * Routes change at routers. A source sends over the new way from when its fluid comes to the router where both
 * part after the change: so much earlier. What comes there before it and is past it stays on the old way, and
 * is lost where that has failed.
 *
 * A session whose way fails hears nothing until it has one again. If that takes longer than a round trip, it
 * sends again when its retransmission timer next expires (RFC 6298: each time twice as long); it begins with
 * half of the window that it had. Between it sends nothing, from a round trip after the failure on. All of this is made up
 * here: a fluid has no timers.
 *
 * A stream of UDP goes on into a failed link until routers know. Where they have no way for it then, it is lost where it is
 * sent, as packets are: it has no flow, takes no link, and its bytes are counted (wi_fluid_cut).
 */
#include <stdlib.h>
#include <string.h>

#include "net/flow/tcp_timer.h"
#include "base/order.h"
#include "network/fluid/ways.h"
#include "base/memory.h"

/* Ways of a demand from a time on. */
typedef struct phase {
    weir_time from_ps;
    uint32_t first, n; /* ways among those that were found; none: it has none */
    uint32_t next;     /* phase of the demand, or UINT32_MAX */
} phase;

/* While the routers have no way for a demand, or a link is down. */
typedef struct span {
    weir_time from_ps, to_ps;
} span;

/* A way that carries a demand's sessions, since `from_ps`. */
typedef struct carrier {
    uint32_t way;
    weir_time from_ps, failed_ps;
    uint32_t before; /* 1 + the flow that it goes on with */
} carrier;

/* What has become of one: its last flow (1 + its number), and since when it has failed; 0: it has not. */
typedef struct ended {
    uint32_t way, flow;
    weir_time failed_ps;
} ended;

typedef struct edge_event {
    weir_time at_ps;
    int links, routes; /* +1: one more is down; -1: one less */
} edge_event;

typedef struct reroute {
    wi_owned memory; /* but for the lists that grow */
    weir_diag *diag;
    const wi_fluid_net *f;
    wi_fluid_ways found, *out;
    phase *phases;
    uint32_t n_phases;
    uint32_t *first_phase, *last_phase; /* [demands] */
    uint32_t *outages_first;            /* [n_edges + 1] */
    span *outages;                      /* by edge, in order of time */
    edge_event *events;                 /* of one way, growing */
    uint32_t n_events;
    carrier *now;
    ended *past;
    weir_status status;
} reroute;

static void no_memory(reroute *r)
{
    if (r->status == WEIR_OK)
        r->status = weir_fail(r->diag, WEIR_E_NOMEM, "no memory for the reroutes of %u fluid flows",
                              r->f->network->fluid_flows.n);
}

/* ---- when links are down ---- */

static void list_outages(reroute *r)
{
    const wi_network *n = r->f->network;
    const uint32_t edges = n->graph->n_edges;
    r->outages_first = wi_take(&r->memory, (size_t)edges + 2, sizeof *r->outages_first);
    r->outages = wi_take(&r->memory, n->plan.n_outages, sizeof *r->outages);
    if (!r->outages_first || !r->outages) {
        no_memory(r);
        return;
    }
    uint32_t *const fill = r->outages_first + 1; /* counts, then ends; one further than it is read */
    for (uint32_t i = 0; i < n->plan.n_outages; i++)
        if (n->plan.outages[i].edge != UINT32_MAX && n->plan.outages[i].down)
            fill[n->plan.outages[i].edge + 1]++;
    for (uint32_t e = 0; e < edges; e++)
        fill[e + 1] += fill[e];
    for (uint32_t i = 0; i < n->plan.n_outages; i++) {
        const wi_net_outage_plan *const o = &n->plan.outages[i];
        if (o->edge == UINT32_MAX)
            continue;
        if (o->down)
            r->outages[fill[o->edge]++] = (span){o->at_ps, WEIR_TIME_MAX};
        else
            r->outages[fill[o->edge] - 1].to_ps = o->at_ps;
    }
}

/* ---- phases ---- */

static bool same_way(const wi_fluid_ways *w, uint32_t a, uint32_t b)
{
    const uint32_t n = w->path_end[a + 1] - w->path_end[a];
    return n == w->path_end[b + 1] - w->path_end[b] &&
           memcmp(w->edge + w->path_end[a], w->edge + w->path_end[b], n * sizeof *w->edge) == 0;
}

static bool is_carried_on(const wi_fluid_ways *w, uint32_t a, uint32_t b)
{
    return same_way(w, a, b) && w->flows[a].sessions == w->flows[b].sessions;
}

static bool same_ways(const reroute *r, const phase *p, uint32_t first, uint32_t n)
{
    bool same = p->n == n;
    for (uint32_t i = 0; i < n && same; i++)
        same = is_carried_on(&r->found, p->first + i, first + i);
    return same;
}

static void add_phase(reroute *r, uint32_t demand, weir_time from_ps, uint32_t first)
{
    const uint32_t n = r->found.n - first, last = r->last_phase[demand];
    if (last != UINT32_MAX && same_ways(r, &r->phases[last], first, n)) {
        r->found.n = first; /* nothing new */
        r->found.used = r->found.path_end[first];
        return;
    }
    if (!wi_grow_one(&r->phases, r->n_phases, sizeof *r->phases)) {
        no_memory(r);
        return;
    }
    if (last != UINT32_MAX)
        r->phases[last].next = r->n_phases;
    else
        r->first_phase[demand] = r->n_phases;
    r->last_phase[demand] = r->n_phases;
    r->phases[r->n_phases++] = (phase){from_ps, first, n, UINT32_MAX};
}

/* Ways of all demands from one change of the network to the next. */
static void find_phases(reroute *r, const uint32_t *cls)
{
    wi_net *const net = r->f->network->net;
    for (weir_time at_ps = 0; at_ps != WEIR_TIME_MAX && r->status == WEIR_OK;) {
        const weir_time next_ps = wi_net_change(net, at_ps);
        for (uint32_t i = 0; i < r->f->network->fluid_flows.n && r->status == WEIR_OK; i++) {
            const uint32_t first = r->found.n;
            uint32_t n;
            r->status = wi_fluid_ways_look(r->diag, &r->found, i, cls[i], &n);
            if (r->status == WEIR_OK)
                add_phase(r, i, at_ps, first);
        }
        at_ps = next_ps;
    }
    (void)wi_net_change(net, 0);
}

/* ---- flows ---- */

static weir_time delay_of(const reroute *r, uint32_t way, uint32_t hops)
{
    const weir_graph *const g = r->f->network->graph;
    weir_time sum_ps = 0;
    for (uint32_t h = 0; h < hops; h++)
        sum_ps += g->delay_ps[r->found.edge[r->found.path_end[way] + h]];
    return sum_ps;
}

/* From the source to where two ways part. */
static weir_time common_delay(const reroute *r, uint32_t a, uint32_t b)
{
    const wi_fluid_ways *const w = &r->found;
    const uint32_t hops_a = w->path_end[a + 1] - w->path_end[a], hops_b = w->path_end[b + 1] - w->path_end[b];
    uint32_t n = 0;
    while (n < hops_a && n < hops_b && w->edge[w->path_end[a] + n] == w->edge[w->path_end[b] + n])
        n++;
    return delay_of(r, a, n);
}

static weir_time round_trip(const reroute *r, uint32_t way)
{
    const weir_graph *const g = r->f->network->graph;
    const wi_fluid_ways *const w = &r->found;
    weir_time sum_ps = w->flows[way].beside_ps;
    for (uint32_t h = w->path_end[way]; h < w->path_end[way + 1]; h++)
        sum_ps += g->delay_ps[w->edge[h]] + g->delay_ps[g->reverse[w->edge[h]]];
    return sum_ps;
}

/* When sessions send again that lost their way at one time and have one from another on. */
static weir_time again_ps(const reroute *r, uint32_t way, weir_time failed_ps, weir_time back_ps)
{
    const weir_scenario_class *const c = &r->f->network->scenario->traffic[r->out->demand->cls];
    const weir_time round_ps = round_trip(r, way), most_ps = 60 * WEIR_PS_PER_S;
    if (c->is_udp || back_ps - failed_ps <= round_ps)
        return back_ps;
    const weir_time rto_ps = c->tcp.rto_min_ps ? c->tcp.rto_min_ps : NET_RTO_MIN_PS;
    weir_time timer_ps = rto_ps > round_ps ? rto_ps : round_ps, at_ps = failed_ps + round_ps;
    while (at_ps < back_ps) {
        at_ps += timer_ps;
        timer_ps = 2 * timer_ps < most_ps ? 2 * timer_ps : most_ps;
    }
    return at_ps;
}

/* A flow of the plan; 1 + its number, or `before` where it would have no time, as sessions have stopped by then. */
static uint32_t add_flow(reroute *r, const carrier *c, weir_time to_ps)
{
    const wi_fluid_ways *const w = &r->found;
    wi_fluid_ways *const out = r->out;
    const uint32_t hops = w->path_end[c->way + 1] - w->path_end[c->way];
    const weir_time stop_ps = to_ps < w->flows[c->way].stop_ps ? to_ps : w->flows[c->way].stop_ps;
    if (stop_ps <= c->from_ps)
        return c->before;
    if (!wi_fluid_ways_room(out, hops)) {
        no_memory(r);
        return c->before;
    }
    weir_fluid_flow flow = w->flows[c->way];
    flow.cls = out->cls;
    flow.start_ps = c->from_ps;
    flow.stop_ps = stop_ps;
    flow.goes_on = c->before;
    flow.failed_ps = c->before ? c->failed_ps : 0;
    flow.apart = true;
    memcpy(out->edge + out->used, w->edge + w->path_end[c->way], hops * sizeof *out->edge);
    out->used += hops;
    out->flows[out->n] = flow;
    out->path_end[++out->n] = out->used;
    return out->n;
}

static void add_event(reroute *r, weir_time at_ps, int links, int routes)
{
    if (!wi_grow_one(&r->events, r->n_events, sizeof *r->events)) {
        no_memory(r);
        return;
    }
    r->events[r->n_events++] = (edge_event){at_ps, links, routes};
}

/* What is lost in an instant before what comes back in it: in between nothing has a way. */
WI_ORDER_BY(by_time, edge_event,
            WI_ORDER(x->at_ps, y->at_ps) ?: WI_ORDER(y->links + y->routes, x->links + x->routes))

/* What befalls a way: links on it, and times at which its demand has none at all. */
static void list_events(reroute *r, uint32_t demand, uint32_t way)
{
    const wi_fluid_ways *const w = &r->found;
    r->n_events = 0;
    for (uint32_t h = w->path_end[way]; h < w->path_end[way + 1]; h++)
        for (uint32_t i = r->outages_first[w->edge[h]]; i < r->outages_first[w->edge[h] + 1]; i++) {
            add_event(r, r->outages[i].from_ps, 1, 0);
            if (r->outages[i].to_ps != WEIR_TIME_MAX)
                add_event(r, r->outages[i].to_ps, -1, 0);
        }
    for (uint32_t p = r->first_phase[demand]; p != UINT32_MAX; p = r->phases[p].next)
        if (r->phases[p].n == 0) {
            add_event(r, r->phases[p].from_ps, 0, 1);
            if (r->phases[p].next != UINT32_MAX)
                add_event(r, r->phases[r->phases[p].next].from_ps, 0, -1);
        }
    if (r->n_events > 0)
        qsort(r->events, r->n_events, sizeof *r->events, by_time);
}

/* Until when sessions send whose way has failed: after a round trip without an ACK they are silent. */
static weir_time silent_ps(const reroute *r, uint32_t way, weir_time failed_ps, weir_time to_ps)
{
    const weir_time heard_ps = failed_ps + round_trip(r, way);
    return to_ps < heard_ps ? to_ps : heard_ps;
}

static weir_time end_of(const reroute *r, const phase *p)
{
    return p->next == UINT32_MAX ? WEIR_TIME_MAX : r->phases[p->next].from_ps;
}

/* A stream's flows until a time: one, or several where routers have no way between them. */
static ended end_stream(reroute *r, uint32_t demand, carrier c, weir_time to_ps)
{
    for (uint32_t i = r->first_phase[demand]; i != UINT32_MAX; i = r->phases[i].next) {
        const phase *const p = &r->phases[i];
        const weir_time back_ps = end_of(r, p);
        if (p->n > 0 || back_ps <= c.from_ps || p->from_ps >= to_ps)
            continue;
        c.before = add_flow(r, &c, p->from_ps);
        c.from_ps = back_ps;
        c.failed_ps = p->from_ps > 0 ? p->from_ps : 1; /* 0 would be: it has not */
    }
    if (c.from_ps >= to_ps)
        return (ended){c.way, c.before, c.failed_ps};
    return (ended){c.way, add_flow(r, &c, to_ps), 0};
}

/* A carrier's flows until a time: one, or several where its way fails and comes back. */
static ended end_carrier(reroute *r, uint32_t demand, carrier c, weir_time to_ps)
{
    weir_time failed_ps = 0, healed_ps = 0;
    int links = 0, routes = 0;
    if (r->f->network->scenario->traffic[r->out->demand->cls].is_udp)
        return end_stream(r, demand, c, to_ps);
    list_events(r, demand, c.way);
    for (uint32_t i = 0; i < r->n_events && r->events[i].at_ps < to_ps; i++) {
        const edge_event *const e = &r->events[i];
        const bool was = links + routes > 0;
        links += e->links;
        routes += e->routes;
        healed_ps = e->links < 0 && links == 0 ? e->at_ps : healed_ps;
        if (!was && links + routes > 0) {
            failed_ps = e->at_ps > c.from_ps ? e->at_ps : c.from_ps;
            healed_ps = links > 0 ? WEIR_TIME_MAX : e->at_ps;
        }
        if (!was || links + routes > 0)
            continue;
        if (e->at_ps > c.from_ps) {
            const weir_time until_ps = healed_ps < e->at_ps ? healed_ps : e->at_ps;
            c.before = add_flow(r, &c, silent_ps(r, c.way, failed_ps, until_ps));
            c.from_ps = again_ps(r, c.way, failed_ps, e->at_ps);
            c.failed_ps = failed_ps;
        }
        failed_ps = 0;
    }
    if (c.from_ps >= to_ps) /* it would have begun again later */
        return (ended){c.way, c.before, c.failed_ps};
    if (links + routes > 0)
        to_ps = silent_ps(r, c.way, failed_ps, to_ps);
    return (ended){c.way, add_flow(r, &c, to_ps), failed_ps};
}

/* The ways of a phase take over from those of the one before. */
static uint32_t change_ways(reroute *r, uint32_t demand, const phase *p, uint32_t n)
{
    const wi_fluid_ways *const w = &r->found;
    uint32_t kept = 0, gone = 0, added = 0;
    carrier *const next = r->now + w->n; /* the second half of the room */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0, other = UINT32_MAX;
        for (; k < p->n && !is_carried_on(w, r->now[i].way, p->first + k); k++)
            other = p->first + k;
        if (k < p->n) {
            next[kept++] = r->now[i];
            continue;
        }
        other = other == UINT32_MAX ? p->first : other;
        r->past[gone++] =
            end_carrier(r, demand, r->now[i], p->from_ps - common_delay(r, r->now[i].way, other));
    }
    const uint32_t same = kept;
    for (uint32_t k = 0; k < p->n; k++) {
        const uint32_t way = p->first + k;
        uint32_t i = 0, from = added % (gone > 0 ? gone : 1);
        while (i < same && !is_carried_on(w, next[i].way, way))
            i++;
        if (i < same)
            continue;
        for (uint32_t g = 0; g < gone; g++)
            from = same_way(w, r->past[g].way, way) ? g : from;
        carrier c = {.way = way, .from_ps = p->from_ps};
        if (gone > 0) {
            const ended *const e = &r->past[from];
            c.before = e->flow;
            c.failed_ps = e->failed_ps;
            c.from_ps = e->failed_ps > 0 ? again_ps(r, way, e->failed_ps, p->from_ps)
                                         : p->from_ps - common_delay(r, e->way, way);
        }
        c.from_ps = c.from_ps > r->out->demand->start_ps ? c.from_ps : r->out->demand->start_ps;
        next[kept++] = c;
        added++;
    }
    memcpy(r->now, next, kept * sizeof *next);
    return kept;
}

static void emit_demand(reroute *r, uint32_t demand)
{
    const wi_fluid_demand *const d = &r->f->network->fluid_flows.item[demand];
    uint32_t at = r->first_phase[demand], n = 0;
    for (uint32_t p = at; p != UINT32_MAX && r->phases[p].from_ps <= d->start_ps; p = r->phases[p].next)
        at = r->phases[p].n > 0 ? p : at;
    while (r->phases[at].n == 0 && r->phases[at].next != UINT32_MAX)
        at = r->phases[at].next; /* cut off since 0 s: its first way, on which links are down until then */
    for (; n < r->phases[at].n; n++)
        r->now[n] = (carrier){.way = r->phases[at].first + n, .from_ps = d->start_ps};
    for (uint32_t p = r->phases[at].next; p != UINT32_MAX; p = r->phases[p].next)
        if (r->phases[p].n > 0)
            n = change_ways(r, demand, &r->phases[p], n);
    for (uint32_t i = 0; i < n; i++)
        (void)end_carrier(r, demand, r->now[i], WEIR_TIME_MAX);
}

/* A network changes nothing for most demands: those are flows like any other. */
static bool is_alone(const reroute *r, uint32_t first)
{
    return r->out->n == first + 1;
}

/* Nobody has a way while it sends: the solver wants a flow, and the first demand that ever has a way gets one after the end. */
static void emit_idle(reroute *r, const uint32_t *cls, uint32_t *first_way)
{
    const uint32_t n = r->f->network->fluid_flows.n;
    uint32_t i = 0, p = UINT32_MAX;
    for (; i < n && p == UINT32_MAX; i++)
        for (p = r->first_phase[i]; p != UINT32_MAX && r->phases[p].n == 0;)
            p = r->phases[p].next;
    if (p == UINT32_MAX)
        return;
    const carrier c = {.way = r->phases[p].first, .from_ps = r->f->network->scenario->duration_ps};
    r->out->demand = &r->f->network->fluid_flows.item[i - 1];
    r->out->cls = cls[i - 1];
    r->found.flows[c.way].stop_ps = WEIR_TIME_MAX;
    (void)add_flow(r, &c, WEIR_TIME_MAX);
    for (; i <= n; i++)
        first_way[i] = r->out->n;
}

static void emit_all(reroute *r, const uint32_t *cls, uint32_t *first_way)
{
    const uint32_t n = r->f->network->fluid_flows.n;
    r->now = wi_take(&r->memory, 2 * (size_t)r->found.n, sizeof *r->now);
    r->past = wi_take(&r->memory, r->found.n, sizeof *r->past);
    if (!r->now || !r->past)
        no_memory(r);
    for (uint32_t i = 0; i < n && r->status == WEIR_OK; i++) {
        const uint32_t first = r->out->n;
        r->out->demand = &r->f->network->fluid_flows.item[i];
        r->out->cls = cls[i];
        emit_demand(r, i);
        if (is_alone(r, first))
            r->out->flows[first].apart = false;
        first_way[i + 1] = r->out->n;
    }
    if (r->out->n == 0 && r->status == WEIR_OK)
        emit_idle(r, cls, first_way);
}

/* When streams are lost where they are sent. */
static void list_cuts(reroute *r, wi_fluid_net *f, const uint32_t *cls)
{
    const uint32_t n = f->network->fluid_flows.n;
    uint32_t used = 0;
    f->first_cut = wi_take(&f->memory, (size_t)n + 1, sizeof *f->first_cut);
    f->cuts = wi_take(&f->memory, r->n_phases, sizeof *f->cuts);
    if (!f->first_cut || !f->cuts) {
        no_memory(r);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const wi_fluid_demand *const d = &f->network->fluid_flows.item[i];
        const weir_scenario_class *const c = &f->network->scenario->traffic[d->cls];
        const weir_time stop_ps = c->stop_ps ? c->stop_ps : WEIR_TIME_MAX;
        for (uint32_t k = r->first_phase[i]; c->is_udp && k != UINT32_MAX; k = r->phases[k].next) {
            const phase *const p = &r->phases[k];
            const weir_time back_ps = end_of(r, p);
            const wi_fluid_cut cut = {.from_ps = p->from_ps > d->start_ps ? p->from_ps : d->start_ps,
                                      .to_ps = back_ps < stop_ps ? back_ps : stop_ps,
                                      .cls = cls[i]};
            if (p->n == 0 && cut.from_ps < cut.to_ps)
                f->cuts[used++] = cut;
        }
        f->first_cut[i + 1] = used;
    }
}

static weir_status find_over_time(weir_diag *diag, wi_fluid_net *f, const uint32_t *cls, uint32_t *first_way,
                                  wi_fluid_ways *out)
{
    const uint32_t n = f->network->fluid_flows.n;
    reroute r = {.diag = diag, .f = f, .out = out, .status = WEIR_OK};
    r.found = (wi_fluid_ways){.f = f, .least_delay_ps = WEIR_TIME_MAX};
    r.first_phase = wi_take(&r.memory, n, sizeof *r.first_phase);
    r.last_phase = wi_take(&r.memory, n, sizeof *r.last_phase);
    if (!r.first_phase || !r.last_phase || !wi_fluid_ways_room(&r.found, 1))
        no_memory(&r);
    if (r.status == WEIR_OK) {
        memset(r.last_phase, 0xff, n * sizeof *r.last_phase);
        list_outages(&r);
    }
    if (r.status == WEIR_OK)
        find_phases(&r, cls);
    if (r.status == WEIR_OK)
        emit_all(&r, cls, first_way);
    if (r.status == WEIR_OK && out->n == 0)
        r.status = weir_fail(diag, WEIR_E_SCENARIO,
                             "no pair of fluid has a way at any time: links on all of them "
                             "fail at 0 s and stay so; want packets, or other events");
    if (r.status == WEIR_OK)
        list_cuts(&r, f, cls);
    out->least_delay_ps = r.found.least_delay_ps;
    wi_fluid_ways_free(&r.found);
    free(r.phases);
    free(r.events);
    wi_owned_free(&r.memory);
    return r.status;
}

/* A network that stays as it is. */
static weir_status find_all(weir_diag *diag, const wi_fluid_net *f, const uint32_t *cls, uint32_t *first_way,
                            wi_fluid_ways *w)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < f->network->fluid_flows.n && status == WEIR_OK; i++) {
        uint32_t found;
        status = wi_fluid_ways_look(diag, w, i, cls[i], &found);
        first_way[i + 1] = w->n;
    }
    return status;
}

weir_status wi_fluid_net_find_ways(weir_diag *diag, wi_fluid_net *f, const uint32_t *cls,
                                   weir_time *least_delay_ps)
{
    const uint32_t n = f->network->fluid_flows.n;
    wi_fluid_ways w = {.f = f, .least_delay_ps = WEIR_TIME_MAX};
    weir_status status = WEIR_OK;
    f->first_way = wi_take(&f->memory, (size_t)n + 1, sizeof *f->first_way);
    if (!f->first_way || !wi_fluid_ways_room(&w, 1))
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for the paths of %u fluid flows", n);
    if (status == WEIR_OK)
        status = f->network->net->n_steps > 0 ? find_over_time(diag, f, cls, f->first_way, &w)
                                              : find_all(diag, f, cls, f->first_way, &w);
    f->plan.flows = w.flows;
    f->plan.n_flows = w.n;
    f->plan.path_first = w.path_end;
    f->plan.path_edge = w.edge;
    *least_delay_ps = w.least_delay_ps;
    return status;
}
