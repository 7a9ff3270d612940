/* What a network that is built cannot do: pairs that exchange packets and have no way, there or back, are errors; controls that go
 * by what no queue of the network does are warned of. */
#include "packets/build/building.h"
#include "net/congestion/congestion.h"
#include "net/queue/queues.h"
#include "weir/units.h"

#include <math.h>

enum { PAIRS_NAMED = 10 };

bool wi_build_reaches(const wi_building *b, const wi_net_forwarding *f, uint32_t from, uint32_t to)
{
    const net_dest *dests = wi_image_at(&b->image, b->head.dests);
    const net_host_params *hosts = wi_image_at(&b->image, b->head.hosts);
    if (dests[from].router == NET_NONE)
        return hosts[from].nic.peer == to;
    return dests[to].router != NET_NONE && wi_net_forwarding_reaches(f, dests[from].router, dests[to].column);
}

/* Whether a node's only link is to a host that is not `other`: hosts forward nothing. Its table is that of the host's own packets, and
 * cannot tell. */
static bool is_behind_host(const wi_building *b, uint32_t node, uint32_t other)
{
    const weir_graph *g = b->plan->graph;
    const uint32_t next = b->node_router[node] == NET_NONE ? g->target[g->first[node]] : other;
    return next != other && g->role[next] == WEIR_HOST;
}

/* Whether pairs are joined, and how many are not. */
typedef struct checking {
    const wi_building *b;
    bool (*joined)(const void *user, uint32_t from, uint32_t to);
    const void *user;
    uint64_t missing;
} checking;

static void check_pair(checking *k, uint32_t src, uint32_t dst, uint32_t cls)
{
    const wi_building *b = k->b;
    const uint32_t from = b->node_host[src], to = b->node_host[dst];
    const wi_net_class_plan *c = &b->plan->classes[cls];
    const char *const *name = b->plan->graph->name;
    const bool apart = is_behind_host(b, src, dst) || is_behind_host(b, dst, src);
    const bool there = from != to && !apart && k->joined(k->user, from, to);
    const bool back = there && ((c->params.flags & NET_CLASS_UDP) || k->joined(k->user, to, from));
    if (back || k->missing++ >= PAIRS_NAMED)
        return;
    if (from == to)
        weir_fail_at(b->diag, WEIR_E_SCENARIO, WEIR_AT(c->place),
                     "class '%s': '%s' is both source and destination of a flow: '%s'", c->name, name[src],
                     name[dst]);
    else if (!there)
        weir_fail_at(b->diag, WEIR_E_SCENARIO, WEIR_AT(c->place), "class '%s': '%s' has no route to '%s'",
                     c->name, name[src], name[dst]);
    else
        weir_fail_at(b->diag, WEIR_E_SCENARIO, WEIR_AT(c->place),
                     "class '%s': '%s' has no route to '%s', by which ACKs would come back", c->name,
                     name[dst], name[src]);
}

weir_status wi_build_check_pairs(const wi_building *b,
                                 bool (*joined)(const void *user, uint32_t from, uint32_t to),
                                 const void *user)
{
    const wi_net_plan *plan = b->plan;
    checking c = {.b = b, .joined = joined, .user = user};
    for (uint32_t i = 0; i < plan->n_flows; i++)
        check_pair(&c, plan->flows[i].src, plan->flows[i].dst, plan->flows[i].cls);
    for (uint32_t i = 0; i < plan->n_pairs; i++)
        check_pair(&c, plan->pairs[i].src, plan->pairs[i].dst, plan->pairs[i].cls);
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].n_dst; k++)
            check_pair(&c, plan->arrivals[i].src, plan->arrivals[i].dst[k], plan->arrivals[i].cls);
    if (c.missing > PAIRS_NAMED)
        weir_fail(b->diag, WEIR_E_SCENARIO, "and %llu more pairs without a route",
                  (unsigned long long)(c.missing - PAIRS_NAMED));
    return c.missing ? WEIR_E_SCENARIO : WEIR_OK;
}

static const char *const control_names[] = {
#define X(number, name, doc) #name,
    NET_CONGESTIONS(X)
#undef X
};

static bool any_marks(const wi_building *b)
{
    for (uint32_t i = 0; i < b->n_queues; i++)
        if (b->queues[i].ecn || b->queues[i].params.type == NET_QUEUE_THRESHOLD)
            return true;
    return false;
}

static bool any_trims(const wi_building *b)
{
    for (uint32_t i = 0; i < b->n_queues; i++)
        if (b->queues[i].params.type == NET_QUEUE_TRIM)
            return true;
    return false;
}

/* The least that `of` gives for a queue with a limit in bytes; infinite without any. */
static double least_queue(const wi_building *b, double (*of)(const net_queue *))
{
    double least = INFINITY;
    for (uint32_t i = 0; i < b->n_queues; i++)
        if (b->queues[i].params.limit_bytes > 0 && b->queues[i].params.limit_bytes != UINT64_MAX)
            least = fmin(least, of(&b->queues[i]));
    return least;
}

static double limit_bytes(const net_queue *q)
{
    return (double)q->params.limit_bytes;
}

static double limit_ps(const net_queue *q)
{
    return limit_bytes(q) / q->bytes_per_ps;
}

/* TIMELY's rate only falls above t_high, which no path may take alone, and only rises below t_low, which a full queue must exceed. */
static void warn_of_times(const wi_building *b, const net_class *c, const wi_net_class_plan *plan)
{
    const net_timely_params *p = (const net_timely_params *)(const void *)c->cc;
    if (c->congestion != NET_CC_TIMELY)
        return;
    const double longest = (double)p->line.base_ps + least_queue(b, limit_ps);
    if (p->line.base_ps >= p->high_ps)
        weir_warn_at(b->diag, WEIR_AT(plan->place),
                     "class '%s': an idle path takes %g us there and back, and above t_high, which is %g us, "
                     "the rate of congestion 'timely' only falls; want a larger t_high",
                     plan->name, (double)p->line.base_ps / 1e6, (double)p->high_ps / 1e6);
    else if (longest < (double)p->low_ps)
        weir_warn_at(b->diag, WEIR_AT(plan->place),
                     "class '%s': an idle path and a full queue here take %.3g us, and below t_low, which is "
                     "%g us, the rate of congestion 'timely' only rises: where that queue is the bottleneck, "
                     "losses do not end; want a smaller t_low",
                     plan->name, longest / 1e6, (double)p->low_ps / 1e6);
}

/* The slowest line of the network, of hosts and routers. */
static uint64_t slowest_bps(const wi_building *b)
{
    const weir_graph *const g = b->plan->graph;
    uint64_t least = UINT64_MAX;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->end[v]; e++)
            least = g->rate_bps[e] < least ? g->rate_bps[e] : least;
    return least;
}

/* Rates of these controls do not fall below min_rate, so that a slower line is always too full. */
static void warn_of_least_rate(const wi_building *b, const net_class *c, const wi_net_class_plan *plan)
{
    const void *const own = c->cc;
    const uint64_t least_bps = c->congestion == NET_CC_DCQCN    ? ((const net_dcqcn_params *)own)->least_bps
                               : c->congestion == NET_CC_TIMELY ? ((const net_timely_params *)own)->least_bps
                               : c->congestion == NET_CC_HPCC   ? ((const net_hpcc_params *)own)->least_bps
                                                                : 0;
    const uint64_t slowest = least_bps ? slowest_bps(b) : 0;
    char least[WEIR_UNITS_TEXT], line[WEIR_UNITS_TEXT];
    if (least_bps != 0 && least_bps >= slowest)
        weir_warn_at(b->diag, WEIR_AT(plan->place),
                     "class '%s': min_rate, %s, is no less than the rate of the slowest link, %s, over which "
                     "congestion '%s' never slows down; want a smaller min_rate",
                     plan->name, weir_format_rate(least_bps, least), weir_format_rate(slowest, line),
                     control_names[c->congestion]);
}

/* Each flow of PowerTCP keeps B T / expected_flows in the queue of its bottleneck, and no loss makes it keep less. */
static void warn_of_short_queue(const wi_building *b, const net_class *c, const wi_net_class_plan *plan)
{
    const net_powertcp_params *p = (const net_powertcp_params *)(const void *)c->cc;
    if (c->congestion != NET_CC_POWERTCP && c->congestion != NET_CC_THETA_POWERTCP)
        return;
    const double keeps = net_line_most(&p->line) / p->flows, least = least_queue(b, limit_bytes);
    if (keeps > least)
        weir_warn_at(b->diag, WEIR_AT(plan->place),
                     "class '%s': each flow of congestion '%s' keeps %.0f kB in the queue of its bottleneck, "
                     "and a queue here holds %.0f kB: where that is the bottleneck, losses do not end; want "
                     "more expected_flows",
                     plan->name, control_names[c->congestion], keeps / 1e3, least / 1e3);
    if (keeps < 0.25 * (c->mss_bytes + NET_HEADER_TCP))
        weir_warn_at(
            b->diag, WEIR_AT(plan->place),
            "class '%s': each flow of congestion '%s' keeps %.0f bytes in the queue of its bottleneck, less "
            "than a quarter of a packet: with so little 8 flows of theta_powertcp have left 0.3 of a line "
            "idle, and the least share of 4 of powertcp was 0.47 (docs/validation.md, Others); want fewer "
            "expected_flows",
            plan->name, control_names[c->congestion], keeps);
}

/* Entropy values that nothing goes by: where switches pick paths, or packets have one; there only those that were chosen. */
static void warn_of_paths(const wi_building *b, const net_class *c, const wi_net_class_plan *plan)
{
    const net_nscc_params *p = (const net_nscc_params *)(const void *)c->cc;
    const bool chosen = p->paths != 64 || p->balance != NET_BALANCE_MIXED;
    if (b->plan->spray || b->plan->flowlets_ps)
        weir_warn_at(b->diag, WEIR_AT(plan->place),
                     "class '%s': paths and balance have no effect, as %s has switches pick paths; want "
                     "routing: {ecmp: true} alone",
                     plan->name, b->plan->spray ? "spray" : "flowlets");
    else if (chosen && !b->plan->ecmp)
        weir_warn_at(b->diag, WEIR_AT(plan->place),
                     "class '%s': paths and balance have no effect, as all packets to a node take one path; "
                     "want routing: {ecmp: true}",
                     plan->name);
}

/* Backlog at which a queue's discipline is wholly at work: where it marks, or RED's `max`; 0: it has none. */
static double wants_bytes(const net_queue *q, const char **key)
{
    const net_red_params *const red = NET_QUEUE_PARAMS(red, q);
    const net_threshold_params *const threshold = NET_QUEUE_PARAMS(threshold, q);
    const bool is_red = q->params.type == NET_QUEUE_RED;
    *key = is_red ? "max" : "mark";
    if (is_red)
        return red->max * (red->in_packets ? (double)red->mean_packet_bytes : 1.0);
    return q->params.type == NET_QUEUE_THRESHOLD && !threshold->mark_packets
               ? (double)threshold->mark_bytes + 1.0
               : 0.0;
}

/* Keys refuse this of a limit in bytes; one that follows from the line (`auto`), or counts packets, is known here. */
static void warn_of_unreached(const wi_building *b)
{
    bool ecn = false;
    for (uint32_t i = 0; i < b->plan->n_classes; i++)
        ecn |= (b->plan->classes[i].params.flags & NET_CLASS_ECN) != 0;
    const char *const *const name = b->plan->graph->name;
    const char *key;
    uint32_t least;
    const double packet = wi_build_most_packet(b, &least);
    for (uint32_t p = 0; p < b->net->n_ports; p++) {
        const uint32_t e = b->net->port_edge[p];
        const net_queue *q = &b->queues[net_port_link(wi_net_world(b->net), b->net->n_hosts + p)->queue];
        const double holds = q->params.limit_bytes != UINT64_MAX ? (double)q->params.limit_bytes
                             : q->params.limit_packets           ? packet * q->params.limit_packets
                                                                 : INFINITY;
        if (wants_bytes(q, &key) <= holds || (q->params.type == NET_QUEUE_THRESHOLD && !ecn))
            continue;
        weir_warn(b->diag,
                  "the queue from '%s' to '%s' holds %.0f bytes, so that its '%s' is never reached; want a "
                  "larger limit, or a smaller %s",
                  name[b->net->port_node[p]], e == UINT32_MAX ? "its host" : name[b->plan->graph->target[e]],
                  holds, key, key);
        return;
    }
}

/* Routers' own links may be faster than the one of the host that stands for their traffic, which nobody asked for. */
static void warn_of_slow_access(const wi_building *b)
{
    if (b->plan->access_is_asked)
        return;
    const weir_graph *const g = b->plan->graph;
    const uint64_t access_bps = b->plan->access_rate_bps;
    char access[WEIR_UNITS_TEXT], fastest[WEIR_UNITS_TEXT];
    uint64_t most_bps = access_bps;
    uint32_t at = NET_NONE;
    for (uint32_t h = 0; h < b->net->n_hosts; h++) {
        const uint32_t v = b->net->host_node[h];
        for (uint32_t e = g->first[v]; b->node_router[v] != NET_NONE && e < g->end[v]; e++)
            if (g->rate_bps[e] > most_bps) {
                most_bps = g->rate_bps[e];
                at = v;
            }
    }
    if (at == NET_NONE)
        return;
    weir_warn(
        b->diag,
        "traffic at '%s', which has a link of %s, goes through an access link of %s; want topology: {access: "
        "{rate: %s}}",
        g->name[at], weir_format_rate(most_bps, fastest), weir_format_rate(access_bps, access), fastest);
}

void wi_build_warn_unfit(const wi_building *b)
{
    warn_of_unreached(b);
    warn_of_slow_access(b);
    const net_class *const built =
        (const net_class *)(const void *)(b->net->world + wi_net_world(b->net)->classes);
    const bool marks = any_marks(b), trims = any_trims(b);
    for (uint32_t i = 0; i < b->plan->n_classes; i++) {
        const wi_net_class_plan *c = &b->plan->classes[i];
        const uint32_t traits = c->params.flags & NET_CLASS_UDP ? 0 : net_cc_traits(c->params.congestion);
        const char *const name = control_names[traits ? c->params.congestion : 0];
        if (traits) {
            warn_of_times(b, &built[i], c);
            warn_of_short_queue(b, &built[i], c);
            warn_of_least_rate(b, &built[i], c);
        }
        if ((traits & NET_CLASS_ECHO) && !marks)
            weir_warn_at(b->diag, WEIR_AT(c->place),
                         "class '%s': congestion '%s' goes by marks, and no queue here marks, so that it "
                         "goes by losses alone; want a queue that does, such as topology: {queue: {type: "
                         "threshold, mark: 30kB}}",
                         c->name, name);
        if ((c->params.flags & NET_CLASS_ECN) && (traits & NET_CLASS_UET) && trims && !marks)
            weir_warn_at(b->diag, WEIR_AT(c->place),
                         "class '%s': congestion '%s' goes by marks too, and no queue here marks; want "
                         "topology: {queue: {type: trim, mark_min: 20kB, mark_max: 80kB}}, or ecn: false",
                         c->name, name);
        else if ((c->params.flags & NET_CLASS_ECN) && !(traits & (NET_CLASS_ECHO | NET_CLASS_UET)) && !marks)
            weir_warn_at(b->diag, WEIR_AT(c->place),
                         "class '%s': ecn has no effect, as no queue here marks; want one that does, such as "
                         "topology: {queue: {type: red, ecn: true}}",
                         c->name);
        if (traits & NET_CLASS_UET)
            warn_of_paths(b, &built[i], c);
        if ((traits & NET_CLASS_NDP) && !trims)
            weir_warn_at(
                b->diag, WEIR_AT(c->place),
                "class '%s': congestion '%s' learns of what does not fit by trimmed packets, and no queue "
                "here trims, so that it waits for timeouts; want topology: {queue: {type: trim}}",
                c->name, name);
    }
}
