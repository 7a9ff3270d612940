/*
 * Which rows of warnings.h a class meets, said before a run. A session of fluid is the mean of many; each of a few has a
 * sawtooth of its own, which leaves a short queue empty, meets bursts of ACKs, or takes turns with packets beside
 * it. The bounds are where fluid is more than some 10 % off in docs/fluid.md, "Where fluid does not hold".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network/fluid/load.h"
#include "network/fluid/warnings.h"

/* Sessions where packets are beside fluid: so many of both are enough; or these, with so many of packets; or so many
 * whatever is packets. Queues, in round trips of the line over sessions, where data goes one way and both. */
static const double mixed_least = 10.0, packets_least = 5.0, mixed_many = 100.0;
static const double one_way = 0.5, both_ways = 2.5;
/* Segments of a session that path and queue hold, below which timeouts rule; a queue too short for a few sessions' bursts. */
static const double mixed_segments = 3.0, fluid_segments = 1.5, few_sessions = 5.0, few_packets = 8.0;
/* Sessions on a link of one of several ways, below which the hash may leave another empty. */
static const double few_a_way = 4.0;
/* A limit below which UDP as fluid beside packets loses otherwise. */
static const double short_limit_bytes = 60e3;
/* Of the largest packets, which a full queue of bytes loses where smaller ones find room. */
static const double small_packet = 2.0 / 3.0;

/* What fills a link. */
typedef struct few_link {
    double narrow; /* of the fluid's sessions, those for which it is narrowest */
    double in_a_row,
        across;     /* sessions of fluid that it is one of several full queues to, and the only one */
    bool fills;     /* some session, fluid's or packets', has it for its narrowest */
    bool on_off;    /* UDP with pauses crosses it, fluid's or packets' */
    double largest; /* packet of those sessions, bytes */
} few_link;

typedef struct few_flow {
    uint32_t edge; /* the narrowest; UINT32_MAX: it is not judged, or not filled */
    uint32_t full; /* drop-tail links of its path that some session fills */
    double round_s, mss_bytes;
    bool short_of_udp; /* a queue of packets' bursts */
    bool spread;       /* over several ways */
} few_flow;

typedef struct few {
    wi_fluid_net *f;
    few_link *link; /* [edges] */
    few_flow *flow; /* [flows of the plan] */
    uint32_t cls;   /* of the packets that are looked at */
} few;

static void fill(const few *t, uint32_t edge, double packet_bytes)
{
    few_link *const l = &t->link[edge];
    l->fills = true;
    l->largest = packet_bytes > l->largest ? packet_bytes : l->largest;
}

/* wi_fluid_way_visit: a session of packets fills the narrowest link of its way, unless its window is too small. */
static void fill_narrowest(void *user, const uint32_t *edges, uint32_t n, double share)
{
    const few *const t = user;
    const weir_graph *g = t->f->network->graph;
    uint32_t narrowest = UINT32_MAX;
    double round_s = 0.0;
    (void)share;
    for (uint32_t h = 0; h < n; h++) {
        round_s += weir_seconds(g->delay_ps[edges[h]] + g->delay_ps[g->reverse[edges[h]]]);
        if (narrowest == UINT32_MAX ||
            wi_fluid_share_bps(t->f, edges[h]) < wi_fluid_share_bps(t->f, narrowest))
            narrowest = edges[h];
    }
    const double window_bytes = (double)t->f->network->plan.classes[t->cls].params.window_bytes;
    if (narrowest != UINT32_MAX && 8.0 * window_bytes >= wi_fluid_share_bps(t->f, narrowest) * round_s)
        fill(t, narrowest, t->f->network->scenario->traffic[t->cls].tcp.mss_bytes + NET_HEADER_TCP);
}

static bool is_on_off(const wi_fluid_net *f, uint32_t cls)
{
    const weir_scenario_class *c = &f->network->scenario->traffic[cls];
    return c->is_udp && c->udp.pattern == WEIR_SC_UDP_ONOFF;
}

/* wi_fluid_way_visit */
static void cross_on_off(void *user, const uint32_t *edges, uint32_t n, double share)
{
    const few *const t = user;
    (void)share;
    for (uint32_t h = 0; h < n; h++)
        t->link[edges[h]].on_off = true;
}

static void find_on_off(few *t)
{
    const wi_network *n = t->f->network;
    const weir_fluid_plan *plan = &t->f->plan;
    for (uint32_t i = 0; i < n->plan.n_flows; i++)
        if (is_on_off(t->f, n->plan.flows[i].cls))
            wi_fluid_visit_ways(n, n->plan.flows[i].src, n->plan.flows[i].dst, cross_on_off, t);
    for (uint32_t d = 0; d < n->fluid_flows.n; d++)
        for (uint32_t i = t->f->first_way[d]; i < t->f->first_way[d + 1]; i++)
            if (is_on_off(t->f, n->fluid_flows.item[d].cls))
                cross_on_off(t, plan->path_edge + plan->path_first[i],
                             plan->path_first[i + 1] - plan->path_first[i], 1.0);
}

/* What a session sends at most: its window, or what random losses leave of it, W^2 = 1.7 / p, in a round trip. */
static double most_bps(const wi_fluid_net *f, uint32_t i, double round_s)
{
    const weir_fluid_class *c = &f->plan.classes[f->plan.flows[i].cls];
    double arrives = 1.0, window = (double)c->window_limit_bytes;
    for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1] && f->plan.loss_of_edge; h++)
        arrives *= 1.0 - f->plan.loss_of_edge[f->plan.path_edge[h]];
    if (arrives < 1.0)
        window = fmin(window, sqrt(1.7 / (1.0 - arrives)) * c->mss_bytes);
    return 8.0 * window / round_s;
}

static bool is_droptail(const wi_fluid_net *f, uint32_t edge)
{
    return f->plan.queues[f->plan.queue_of_edge[edge]].type == WEIR_FLUID_DROPTAIL;
}

static bool is_dctcp(const weir_fluid_class *c)
{
    return c->congestion && strcmp(c->congestion, "dctcp") == 0;
}

/* DCTCP over marks is looked at beside packets alone, and RED where windows are small. */
static bool is_judged(const wi_fluid_net *f, uint32_t flow, uint32_t edge)
{
    return f->plan.queues[f->plan.queue_of_edge[edge]].type != WEIR_FLUID_THRESHOLD ||
           is_dctcp(&f->plan.classes[f->plan.flows[flow].cls]);
}

/* The link that gives a flow's sessions least, where they fill it and it is judged. */
static few_flow narrowest(const few *t, uint32_t i)
{
    const wi_fluid_net *f = t->f;
    few_flow out = {.edge = wi_fluid_narrowest(f, i),
                    .round_s = wi_fluid_round_s(f, i),
                    .mss_bytes = f->plan.classes[f->plan.flows[i].cls].mss_bytes};
    if (out.edge == UINT32_MAX || !is_judged(f, i, out.edge) || f->links[out.edge].many ||
        most_bps(f, i, out.round_s) < wi_fluid_share_bps(f, out.edge))
        out.edge = UINT32_MAX;
    return out;
}

/* Packets and fluid share so short a queue that what UDP loses hangs on single packets. */
static bool is_short_mix(const few *t, uint32_t edge)
{
    const wi_fluid_net *f = t->f;
    return t->f->links[edge].packets > 0.0 && is_droptail(f, edge) &&
           (double)f->plan.queues[f->plan.queue_of_edge[edge]].limit_bytes < short_limit_bytes;
}

/* Of UDP, the first such queue on its way. */
static uint32_t first_short_mix(const few *t, uint32_t i)
{
    const weir_fluid_plan *plan = &t->f->plan;
    for (uint32_t h = plan->path_first[i];
         plan->classes[plan->flows[i].cls].udp && h < plan->path_first[i + 1]; h++)
        if (is_short_mix(t, plan->path_edge[h]))
            return plan->path_edge[h];
    return UINT32_MAX;
}

static void find_narrowest(few *t)
{
    const weir_fluid_plan *plan = &t->f->plan;
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        t->flow[i].edge = first_short_mix(t, i);
        t->flow[i].short_of_udp = t->flow[i].edge != UINT32_MAX;
        if (!wi_fluid_is_lasting(t->f, &plan->flows[i]))
            continue;
        t->flow[i] = narrowest(t, i);
        if (t->flow[i].edge == UINT32_MAX)
            continue;
        t->link[t->flow[i].edge].narrow += plan->flows[i].sessions;
        fill(t, t->flow[i].edge, t->flow[i].mss_bytes);
    }
}

/* Full links in a row: of those that packets fill too. */
static void count_full(few *t)
{
    const wi_network *n = t->f->network;
    const weir_fluid_plan *plan = &t->f->plan;
    for (uint32_t i = 0; i < n->plan.n_flows; i++) {
        t->cls = n->plan.flows[i].cls;
        if (!n->scenario->traffic[t->cls].is_udp)
            wi_fluid_visit_ways(n, n->plan.flows[i].src, n->plan.flows[i].dst, fill_narrowest, t);
    }
    for (uint32_t i = 0; i < plan->n_flows; i++)
        for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++)
            t->flow[i].full += t->link[plan->path_edge[h]].fills && is_droptail(t->f, plan->path_edge[h]);
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        const few_flow *const flow = &t->flow[i];
        if (flow->edge != UINT32_MAX && flow->full == 1)
            t->link[flow->edge].across += plan->flows[i].sessions;
        for (uint32_t h = plan->path_first[i]; flow->full > 1 && h < plan->path_first[i + 1]; h++)
            t->link[plan->path_edge[h]].in_a_row += plan->flows[i].sessions;
    }
}

static bool is_few_beside_packets(const wi_fluid_link *l)
{
    const double all = l->packets + l->fluid;
    return all < mixed_least || (l->packets < packets_least && all < mixed_many);
}

/* Where few segments of a session find room timeouts rule, beside packets or not. */
static uint32_t bound_of_windows(const wi_fluid_link *l, double segments)
{
    if (l->packets > 0.0)
        return segments < mixed_segments ? WI_BOUND_SMALL_WINDOWS_IN_A_MIX : WI_NO_BOUND;
    return segments < fluid_segments ? WI_BOUND_SMALL_WINDOWS : WI_NO_BOUND;
}

/* Of packets and fluid together. */
static uint32_t bound_of_mix(const wi_fluid_link *l, const few_flow *flow, bool droptail, double segments)
{
    if (!droptail)
        return WI_BOUND_DCTCP_MIX;
    if (flow->short_of_udp)
        return WI_BOUND_UDP_MIX;
    if (is_few_beside_packets(l))
        return WI_BOUND_FEW_IN_A_MIX;
    return bound_of_windows(l, segments);
}

/* Of fluid alone. back: sessions that fill the link the other way; queue: in round trips. */
static uint32_t bound_of_fluid(const wi_fluid_link *l, double back, const few_flow *flow, double queue,
                               double segments, double limit_bytes)
{
    if (back > 0.0 && queue * l->fluid < both_ways)
        return WI_BOUND_BOTH_WAYS;
    if (queue * l->fluid < one_way ||
        (l->fluid < few_sessions && limit_bytes < few_packets * flow->mss_bytes))
        return WI_BOUND_SHORT_QUEUE;
    return bound_of_windows(l, segments);
}

/* What a queue holds: RED about its `max`. */
static double holds_bytes(const weir_fluid_queue *q)
{
    const double limit = (double)q->limit_bytes;
    return q->type == WEIR_FLUID_RED ? fmin(limit, q->max_bytes) : limit;
}

/* What holds for a flow that fills a queue. */
static uint32_t bound_of(const few *t, const few_flow *flow, bool dctcp)
{
    const wi_fluid_net *f = t->f;
    const weir_graph *g = f->network->graph;
    if (flow->edge == UINT32_MAX)
        return WI_NO_BOUND;
    const wi_fluid_link *l = &f->links[flow->edge];
    const double back = t->link[g->reverse[flow->edge]].narrow;
    const bool droptail = is_droptail(f, flow->edge);
    const double limit_bytes = holds_bytes(&f->plan.queues[f->plan.queue_of_edge[flow->edge]]);
    const double queue_s = 8.0 * limit_bytes / (double)g->rate_bps[flow->edge];
    const double segments =
        (queue_s + flow->round_s) * wi_fluid_share_bps(f, flow->edge) / (8.0 * flow->mss_bytes);
    if (droptail && !flow->short_of_udp && flow->full > 1)
        return WI_BOUND_IN_A_ROW;
    if (droptail && flow->full == 1 && t->link[flow->edge].in_a_row > t->link[flow->edge].across)
        return WI_BOUND_BESIDE_A_ROW;
    if (!droptail && !dctcp)
        return bound_of_windows(l, segments);
    if (l->packets > 0.0)
        return bound_of_mix(l, flow, droptail, segments);
    return droptail ? bound_of_fluid(l, back, flow, queue_s / flow->round_s, segments, limit_bytes)
                    : WI_NO_BOUND;
}

/* The first link of a flow whose queue has room for its packets where it loses larger ones; UINT32_MAX: none. */
static uint32_t beside_larger(const few *t, uint32_t i)
{
    const weir_fluid_plan *plan = &t->f->plan;
    const net_queue *queues = NET_ARRAY(wi_net_world(t->f->network->net), net_queue, queues);
    const double bytes = plan->classes[plan->flows[i].cls].mss_bytes;
    for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++) {
        const uint32_t e = plan->path_edge[h];
        if (is_droptail(t->f, e) && !queues[plan->queue_of_edge[e]].params.limit_packets &&
            bytes < small_packet * t->link[e].largest)
            return e;
    }
    return UINT32_MAX;
}

/* The narrowest link of a flow, where a window's bursts of two and three packets find no place, or are marked; UINT32_MAX. */
static uint32_t of_three_packets(const few *t, uint32_t i)
{
    const wi_fluid_net *f = t->f;
    const weir_fluid_class *c = &f->plan.classes[f->plan.flows[i].cls];
    const uint32_t e = wi_fluid_is_lasting(f, &f->plan.flows[i]) ? wi_fluid_narrowest(f, i) : UINT32_MAX;
    if (e == UINT32_MAX)
        return e;
    const weir_fluid_queue *q = &f->plan.queues[f->plan.queue_of_edge[e]];
    const bool holds = (double)q->limit_bytes > 3.0 * c->mss_bytes,
               marks = q->type == WEIR_FLUID_THRESHOLD && c->ecn && q->min_bytes < 2.0 * c->mss_bytes;
    return holds && !marks ? UINT32_MAX : e;
}

/* The first drop-tail queue on a flow's way that TCP fills, of those where UDP has pauses, or of all; UINT32_MAX: none. */
static uint32_t full_queue(const few *t, uint32_t i, bool on_off)
{
    const weir_fluid_plan *plan = &t->f->plan;
    for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++) {
        const few_link *l = &t->link[plan->path_edge[h]];
        if (l->fills && (l->on_off || !on_off) && is_droptail(t->f, plan->path_edge[h]))
            return plan->path_edge[h];
    }
    return UINT32_MAX;
}

/* The narrowest link of one of several ways that flow i is spread over, of so few that the hash may leave another empty, or one
 * that is slower than its whole stream; UINT32_MAX: none. */
static uint32_t spread_of_few(const few *t, uint32_t i)
{
    const weir_fluid_plan *plan = &t->f->plan;
    const weir_fluid_flow *flow = &plan->flows[i];
    const weir_fluid_class *c = &plan->classes[flow->cls];
    const uint32_t e = t->flow[i].edge;
    if (!t->flow[i].spread)
        return UINT32_MAX;
    if (!c->udp)
        return e != UINT32_MAX && t->f->links[e].fluid + t->f->links[e].packets < few_a_way ? e : UINT32_MAX;
    for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++)
        if (t->f->network->graph->rate_bps[plan->path_edge[h]] < c->rate_bps)
            return plan->path_edge[h];
    return UINT32_MAX;
}

/* Demands that go several ways at once. */
static void find_spread(few *t)
{
    const wi_fluid_net *f = t->f;
    for (uint32_t d = 0; d < f->network->fluid_flows.n; d++)
        for (uint32_t i = f->first_way[d]; i < f->first_way[d + 1]; i++)
            for (uint32_t k = f->first_way[d]; k < f->first_way[d + 1] && !t->flow[i].spread; k++)
                t->flow[i].spread = k != i && f->plan.flows[k].start_ps == f->plan.flows[i].start_ps;
}

/* What holds for flow i, and where. */
static uint32_t bound_of_flow(const few *t, uint32_t i, uint32_t *edge)
{
    if ((*edge = beside_larger(t, i)) != UINT32_MAX)
        return WI_BOUND_SMALL_PACKETS;
    if ((*edge = of_three_packets(t, i)) != UINT32_MAX)
        return WI_BOUND_THREE_PACKETS;
    if ((*edge = spread_of_few(t, i)) != UINT32_MAX)
        return WI_BOUND_FEW_OVER_WAYS;
    if ((*edge = full_queue(t, i, true)) != UINT32_MAX)
        return WI_BOUND_ON_OFF;
    const uint32_t bound = bound_of(t, &t->flow[i], is_dctcp(&t->f->plan.classes[t->f->plan.flows[i].cls]));
    *edge = bound == WI_NO_BOUND ? full_queue(t, i, false) : t->flow[i].edge;
    return bound == WI_NO_BOUND && t->f->plan.classes[t->f->plan.flows[i].cls].udp && *edge != UINT32_MAX
               ? WI_BOUND_UDP_BESIDE_TCP
               : bound;
}

/* Each class once, at the first of its flows. */
static void warn_of_class(weir_diag *diag, const few *t, uint32_t cls)
{
    static const char *const kinds[] = {
        [WEIR_FLUID_DROPTAIL] = "drop-tail", [WEIR_FLUID_RED] = "RED", [WEIR_FLUID_THRESHOLD] = "marking"};
    wi_fluid_net *f = t->f;
    const wi_network *n = f->network;
    for (uint32_t d = 0; d < n->fluid_flows.n; d++)
        for (uint32_t i = f->first_way[d]; n->fluid_flows.item[d].cls == cls && i < f->first_way[d + 1];
             i++) {
            uint32_t edge;
            const uint32_t bound = bound_of_flow(t, i, &edge);
            if (bound == WI_NO_BOUND)
                continue;
            const wi_fluid_link *l = &f->links[edge];
            const double back = t->link[n->graph->reverse[edge]].narrow;
            char found[200], other[60] = "";
            if (back > 0.0)
                snprintf(other, sizeof other, ", %.3g of fluid the other way", back);
            snprintf(found, sizeof found, "a %s queue with %.3g sessions of fluid and %.3g of packets%s",
                     kinds[f->plan.queues[f->plan.queue_of_edge[edge]].type], l->fluid, l->packets, other);
            wi_fluid_warn(diag, f, cls, wi_fluid_entity_of(n, edge), bound, found);
            return;
        }
}

weir_status wi_fluid_net_warn_of_few(weir_diag *diag, wi_fluid_net *f)
{
    few t = {.f = f,
             .link = calloc((size_t)f->network->graph->n_edges + 1, sizeof *t.link),
             .flow = calloc((size_t)f->plan.n_flows + 1, sizeof *t.flow)};
    weir_status status = WEIR_OK;
    if (t.link && t.flow) {
        find_narrowest(&t);
        count_full(&t);
        find_on_off(&t);
        find_spread(&t);
        for (uint32_t cls = 0; cls < f->network->scenario->n_traffic; cls++)
            warn_of_class(diag, &t, cls);
    } else {
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory to count the sessions of %u links",
                           f->network->graph->n_edges);
    }
    free(t.link);
    free(t.flow);
    return status;
}
