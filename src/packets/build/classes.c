/*
 * Classes of traffic: their empirical distributions and counters; the mean size of UDP's packets; and rows of a bit a segment
 * that both ends of a flow keep of its window: how long they are, and where in NET_POOL_WINDOW each slot's begin, host by
 * host, first the sending slots' rows, then the receiving ones'.
 */
#include <math.h>

#include "net/flow/tcp_timer.h"
#include "packets/build/building.h"
#include "net/congestion/congestion.h"
#include "net/flow/endpoint.h"
#include "net/flow/segments.h"
#include "net/switch/port.h"

/* ---- UDP: a drawn size is rounded and kept within a packet's bounds, which moves the mean of wide distributions, and Poisson
 * gaps must follow it for the rate to be as asked ---- */

enum { PACKET_MOST = UINT16_MAX };

/* The chance that a sample is at least x. */
static double at_least(const weir_dist *d, double x)
{
    switch (d->kind) {
    case WEIR_DIST_UNIFORM:
        return x <= d->a ? 1.0 : x < d->a + d->b ? (d->a + d->b - x) / d->b : 0.0;
    case WEIR_DIST_EXPONENTIAL:
        return weir_exp(-x / d->a);
    case WEIR_DIST_PARETO: {
        const double above = x <= d->a ? 1.0 : weir_exp(d->d * weir_log(d->a / x));
        return above > 1.0 - d->c ? (above - (1.0 - d->c)) / d->c : 0.0;
    }
    default:
        return d->a >= x ? 1.0 : 0.0;
    }
}

double wi_udp_mean_bytes(const weir_dist *packet)
{
    if (packet->kind != WEIR_DIST_CONSTANT && packet->kind != WEIR_DIST_UNIFORM &&
        packet->kind != WEIR_DIST_EXPONENTIAL && packet->kind != WEIR_DIST_PARETO)
        return weir_dist_mean(packet);
    double mean = NET_PACKET_LEAST;
    for (uint32_t bytes = NET_PACKET_LEAST; bytes < PACKET_MOST; bytes++)
        mean += at_least(packet, bytes + 0.5);
    return mean;
}

/* ---- windows ---- */

/* No flow of the class has more bytes than this. */
static double largest_flow(const wi_net_class_plan *c)
{
    const weir_dist *size = &c->params.size;
    if (!(c->params.flags & NET_CLASS_SIZED))
        return (double)INFINITY;
    if (size->kind == WEIR_DIST_CONSTANT)
        return size->a;
    if (size->kind == WEIR_DIST_UNIFORM)
        return size->a + size->b;
    if (c->size_points && size->points > 0)
        return c->size_points[size->points - 1].x;
    return (double)INFINITY;
}

uint32_t wi_window_words(const wi_net_class_plan *c)
{
    if (c->params.flags & NET_CLASS_UDP)
        return 0;
    const double largest = ceil(largest_flow(c)) + 1.0; /* sizes are rounded when they are drawn */
    const double bytes = largest < c->params.window_bytes ? largest : c->params.window_bytes;
    const double segments = ceil(bytes / c->params.mss_bytes);
    return (uint32_t)ceil((segments > 1.0 ? segments : 1.0) / 64.0);
}

/* Words of all classes: those of a sender's rows, and those of a receiver's one. */
typedef struct class_words {
    uint32_t *tx, *rx;
} class_words;

/* For each receiving slot its words: the class's, or for slots of flows that arrive by themselves the most
 * that any class which sends them to this host wants. */
static void words_of_receivers(const wi_building *b, class_words words, uint32_t *rx)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t *first = b->net->pool_first[NET_POOL_RX];
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        const wi_net_arrivals_plan *a = &plan->arrivals[i];
        for (uint32_t k = 0; k < a->n_dst; k++) {
            const uint32_t host = b->node_host[a->dst[k]], at = b->rx_dynamic[host];
            if (at < first[host + 1] && rx[at] < words.rx[a->cls])
                rx[at] = words.rx[a->cls];
        }
    }
    for (uint32_t h = 0; h < b->net->n_hosts; h++)
        for (uint32_t i = b->rx_dynamic[h]; i < first[h + 1]; i++)
            rx[i] = rx[b->rx_dynamic[h]];
    for (uint32_t i = 0; i < plan->n_flows; i++)
        rx[b->net->flow_rx[i]] = words.rx[plan->flows[i].cls];
}

static void words_of_senders(const wi_building *b, class_words words, uint32_t *tx)
{
    const wi_net_plan *plan = b->plan;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        tx[b->net->flow_tx[i]] = words.tx[plan->flows[i].cls];
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].slots; k++)
            tx[b->arrivals_tx[i] + k] = words.tx[plan->arrivals[i].cls];
}

/* Replace words by where they begin, from `at` on. */
static uint64_t lay_out(uint32_t *slot, uint32_t from, uint32_t to, uint64_t at)
{
    for (uint32_t i = from; i < to; i++) {
        const uint32_t words = slot[i];
        slot[i] = (uint32_t)at;
        at += words;
    }
    return at;
}

static weir_status lay_out_hosts(wi_building *b, uint32_t *tx, uint32_t *rx)
{
    wi_net *net = b->net;
    const uint32_t *first_tx = net->pool_first[NET_POOL_TX], *first_rx = net->pool_first[NET_POOL_RX];
    uint64_t at = 0;
    for (uint32_t h = 0; h < net->n_hosts; h++) {
        net->pool_first[NET_POOL_WINDOW][h] = (uint32_t)at;
        at = lay_out(tx, first_tx[h], first_tx[h + 1], at);
        at = lay_out(rx, first_rx[h], first_rx[h + 1], at);
        if (at > UINT32_MAX)
            return weir_fail(b->diag, WEIR_E_SCENARIO,
                             "the windows of all flows together have more segments than a run can keep track "
                             "of (%.0f GB of state): lower 'window' or 'max_flows', or raise 'mss'",
                             (double)UINT32_MAX * 8e-9);
    }
    net->pool_first[NET_POOL_WINDOW][net->n_hosts] = (uint32_t)at;
    return WEIR_OK;
}

weir_status wi_build_windows(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    const class_words words = {wi_build_temp(b, plan->n_classes, sizeof(uint32_t)),
                               wi_build_temp(b, plan->n_classes, sizeof(uint32_t))};
    net->pool_first[NET_POOL_WINDOW] = wi_build_keep(b, (uint64_t)net->n_hosts + 1, sizeof(uint32_t));
    uint32_t *tx = wi_build_temp(b, net->n_tx, sizeof *tx), *rx = wi_build_temp(b, net->n_rx, sizeof *rx);
    if (b->status != WEIR_OK)
        return b->status;
    for (uint32_t i = 0; i < plan->n_classes; i++) {
        const uint32_t row = wi_window_words(&plan->classes[i]), flags = plan->classes[i].params.flags;
        words.rx[i] = row + (flags & NET_CLASS_VIDEO ? NET_PLAYER_WORDS : 0u);
        words.tx[i] =
            NET_TX_ROWS(flags) * row + NET_TX_WORDS(flags) + net_cc_words(plan->classes[i].params.congestion);
    }
    words_of_senders(b, words, tx);
    words_of_receivers(b, words, rx);
    WI_RETURN_IF_FAILED(lay_out_hosts(b, tx, rx));
    b->head.tx_map = wi_build_array(b, tx, net->n_tx, sizeof *tx);
    b->head.rx_map = wi_build_array(b, rx, net->n_rx, sizeof *rx);
    return b->status;
}

/* ---- classes ---- */

bool wi_build_any(const wi_net_plan *plan, uint32_t trait)
{
    for (uint32_t i = 0; i < plan->n_classes; i++)
        if (!(plan->classes[i].params.flags & NET_CLASS_UDP) &&
            (net_cc_traits(plan->classes[i].params.congestion) & trait))
            return true;
    return false;
}

/* The rate of the fastest interface of a host, with which flows of some controls begin. */
static uint64_t line_rate(const wi_building *b)
{
    const weir_graph *g = b->plan->graph;
    uint64_t fastest = 0;
    for (uint32_t h = 0; h < b->net->n_hosts; h++) {
        const uint32_t v = b->net->host_node[h];
        const uint64_t rate =
            b->node_router[v] != NET_NONE ? b->plan->access_rate_bps : g->rate_bps[g->first[v]];
        fastest = rate > fastest ? rate : fastest;
    }
    return fastest;
}

/* A control's parameters that follow from the network, where the scenario leaves them open. */
static void set_line_rate(const wi_building *b, net_class *c)
{
    if (c->congestion == NET_CC_DCQCN) {
        net_dcqcn_params *a = (net_dcqcn_params *)(void *)c->cc;
        a->line_bps = a->line_bps ? a->line_bps : line_rate(b);
    } else if (c->flags & NET_CLASS_LINE) {
        net_line_params *a = (net_line_params *)(void *)c->cc;
        a->line_bps = a->line_bps ? a->line_bps : line_rate(b);
    }
    if (c->congestion == NET_CC_HPCC) {
        net_hpcc_params *a = (net_hpcc_params *)(void *)c->cc;
        a->ai_bps = a->ai_bps ? a->ai_bps : a->line.line_bps / NET_HPCC_AI_SHARE;
        a->least_bps = a->least_bps ? a->least_bps : a->line.line_bps / NET_HPCC_LEAST_SHARE;
    }
}

/* Classes, their empirical distributions, and the numbering of counters. */
weir_status wi_build_classes(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    net_class *classes = wi_build_temp(b, plan->n_classes, sizeof *classes);
    if (!classes)
        return b->status;
    b->head.n_classes = net->n_classes = plan->n_classes;
    b->head.c_class = (uint64_t)net->n_tx * NET_FLOW_COUNTERS;
    net->n_counters = b->head.c_class + (uint64_t)plan->n_classes * NET_CLASS_COUNTERS;
    for (uint32_t i = 0; i < plan->n_classes; i++) {
        const wi_net_class_plan *c = &plan->classes[i];
        classes[i] = c->params;
        classes[i].map_words = wi_window_words(c);
        if (!(c->params.flags & NET_CLASS_UDP)) {
            classes[i].flags |= net_cc_traits(c->params.congestion);
            set_line_rate(b, &classes[i]);
        } else
            classes[i].udp_mean_bytes = wi_udp_mean_bytes(&c->params.packet);
        classes[i].first_delay_bin = NET_NONE;
        if (c->histogram && net->n_counters + NET_DELAY_BINS < NET_NONE) {
            classes[i].first_delay_bin = (uint32_t)net->n_counters;
            net->n_counters += NET_DELAY_BINS;
        }
        if (c->size_points) {
            weir_dist *of = c->params.flags & NET_CLASS_UDP ? &classes[i].packet : &classes[i].size;
            of->offset = wi_build_array(b, c->size_points, of->points, sizeof *c->size_points);
        }
        if (c->points) {
            classes[i].own = wi_build_array(b, c->points, c->n_points, sizeof *c->points);
            classes[i].own_n = c->n_points;
        }
        if (c->video)
            classes[i].own = wi_build_array(b, c->video, 1, sizeof *c->video);
        if ((classes[i].flags & NET_CLASS_NDP) && b->head.c_trimmed == 0) {
            b->head.c_trimmed = net->n_counters;
            net->n_counters += net->n_tx;
        }
    }
    b->head.classes = wi_build_array(b, classes, plan->n_classes, sizeof *classes);
    return b->status;
}

/* ---- idle round trips: those that controls go by, over which ports measure too (net/port/meter.h), and Swift's by link ---- */

/* Time of a packet's path from a host to another, and its links; 0: there is none. */
static weir_time path_ps(const wi_net *net, uint32_t flow, uint32_t src, uint32_t dst, uint32_t bytes,
                         uint32_t *links)
{
    enum { HOPS_MAX = 256 };
    uint32_t entity[HOPS_MAX];
    weir_time sum_ps = 0;
    *links = wi_net_path(net, flow, src, dst, entity, HOPS_MAX);
    for (uint32_t i = 0; i < *links; i++) {
        const net_link *link = net_link_of(wi_net_world(net), entity[i]);
        sum_ps += link->delay_ps + net_link_time(link, bytes);
    }
    return sum_ps;
}

static weir_time larger(weir_time a, weir_time b)
{
    return a > b ? a : b;
}

/* Idle round trips of pairs of a class, those over the fewest links and over the most; links 0: none yet. */
typedef struct extremes {
    struct {
        uint32_t links;
        weir_time round_ps;
    } few, many;
    weir_time longest_ps, shortest_ps; /* of all; 0: none yet */
} extremes;

/* What is found out: the longest round trip of classes with telemetry, and extremes of others. */
typedef struct idle {
    const wi_net *net;
    const net_class *classes;
    weir_time longest_ps;
    extremes *of; /* [classes] */
} idle;

static void measure_extremes(extremes *x, uint32_t links, weir_time round_ps)
{
    x->longest_ps = larger(x->longest_ps, round_ps);
    if (x->shortest_ps == 0 || round_ps < x->shortest_ps)
        x->shortest_ps = round_ps;
    if (x->few.links == 0 || links < x->few.links || (links == x->few.links && round_ps > x->few.round_ps)) {
        x->few.links = links;
        x->few.round_ps = round_ps;
    }
    if (links > x->many.links || (links == x->many.links && round_ps > x->many.round_ps)) {
        x->many.links = links;
        x->many.round_ps = round_ps;
    }
}

/* What a link adds: the slope between the extremes, so that flows over few and many find the same queue at their targets. */
static weir_time by_link_ps(const extremes *x)
{
    const uint32_t more = x->many.links - x->few.links;
    if (more && x->many.round_ps > x->few.round_ps)
        return (x->many.round_ps - x->few.round_ps) / more;
    return x->many.links ? x->many.round_ps / x->many.links : 0;
}

static void measure_pair(void *user, const wi_build_pair *p)
{
    idle *found = user;
    const wi_net *net = found->net;
    const net_class *c = &found->classes[p->cls];
    const bool caps =
        (c->flags & NET_CLASS_IRN && (c->bdp_bytes == 0 || c->rto_low_ps == 0)) ||
        (c->flags & (NET_CLASS_RDMA | NET_CLASS_NDP) && c->rto_min_ps == 0) ||
        (c->flags & NET_CLASS_UET && ((const net_nscc_params *)(const void *)c->cc)->ack_bytes == 0);
    const bool asks = c->flags & NET_CLASS_INT ? wi_net_world(net)->meter_ps == 0
                      : c->flags & NET_CLASS_LINE
                          ? ((const net_line_params *)(const void *)c->cc)->base_ps == 0
                          : c->congestion == NET_CC_SWIFT;
    if (!(asks || caps) || c->flags & NET_CLASS_UDP)
        return;
    uint32_t links, back;
    const weir_time round_ps = path_ps(net, p->flow, p->src, p->dst, c->mss_bytes + NET_HEADER_TCP, &links) +
                               path_ps(net, p->flow, p->dst, p->src, NET_HEADER_TCP, &back);
    if (c->flags & NET_CLASS_INT && asks)
        found->longest_ps = larger(found->longest_ps, round_ps);
    if (links && (caps || !(c->flags & NET_CLASS_INT)))
        measure_extremes(&found->of[p->cls], links, round_ps);
}

uint64_t wi_build_each_pair(const wi_building *b, uint64_t every,
                            void (*visit)(void *, const wi_build_pair *), void *user)
{
    const wi_net_plan *plan = b->plan;
    uint64_t n = 0;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        if (n++ % every == 0)
            visit(user,
                  &(wi_build_pair){plan->flows[i].cls, b->net->flow_tx[i], wi_flow_sender(b, &plan->flows[i]),
                                   wi_flow_receiver(b, &plan->flows[i])});
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].n_dst; k++)
            if (n++ % every == 0)
                visit(user, &(wi_build_pair){plan->arrivals[i].cls, b->arrivals_tx[i],
                                             b->node_host[plan->arrivals[i].src],
                                             b->node_host[plan->arrivals[i].dst[k]]});
    for (uint32_t i = 0; i < plan->n_pairs; i++)
        if (n++ % every == 0)
            visit(user, &(wi_build_pair){plan->pairs[i].cls, 0, b->node_host[plan->pairs[i].src],
                                         b->node_host[plan->pairs[i].dst]});
    return n;
}

/* A class's round trips: one in the whole network with telemetry, otherwise its own. */
static void set_base_rtt(net_class *c, weir_time meter_ps, const extremes *x)
{
    net_line_params *const line = (net_line_params *)(void *)c->cc;
    net_swift_params *const swift = (net_swift_params *)(void *)c->cc;
    if (c->flags & NET_CLASS_UDP)
        return;
    if (c->flags & NET_CLASS_INT)
        line->base_ps = meter_ps;
    else if (c->flags & NET_CLASS_LINE && line->base_ps == 0)
        line->base_ps = larger(x->longest_ps, WEIR_PS_PER_US);
    else if (c->congestion == NET_CC_SWIFT) {
        swift->hop_ps = swift->hop_ps ? swift->hop_ps : by_link_ps(x);
        swift->longest_ps = swift->hop_ps * x->many.links;
    }
}

/* What the longest queue of a router that trims takes when it is full, of packets of so many bytes. */
static double longest_trim_ps(const wi_building *b, uint32_t packet_bytes)
{
    double longest_ps = 0.0;
    for (uint32_t i = 0; i < b->net->n_ports; i++) {
        const net_queue *q = &b->queues[net_port_link(wi_net_world(b->net), b->net->n_hosts + i)->queue];
        const double packets = (double)q->params.limit_packets * packet_bytes,
                     bytes = (double)q->params.limit_bytes;
        if (q->params.type == NET_QUEUE_TRIM)
            longest_ps = fmax(longest_ps, (packets > 0.0 ? fmin(packets, bytes) : bytes) / q->bytes_per_ps);
    }
    return fmin(longest_ps, 1e12);
}

/* Timeouts that are not given. Those of NICs suit data centres, and are two idle round trips at least, as no answer is there before.
 * Ultra Ethernet's is fixed there: a round trip (15 us) and what the longest queue takes six times, as the reference simulator sets it
 * (github.com/ultraethernet/uet-htsim, main_uec.cpp). NDP's is that at least, as what waits in a queue is not lost. */
static void set_timeouts(const wi_building *b, net_class *c, weir_time longest_ps)
{
    const bool nic = c->flags & (NET_CLASS_RDMA | NET_CLASS_NDP);
    if (c->rto_low_ps == 0)
        c->rto_low_ps = larger(NET_RTO_LOW_PS, 2 * longest_ps);
    if (c->rto_min_ps > 0)
        return;
    c->rto_min_ps = larger(net_rto_least(c->flags), nic ? 2 * longest_ps : 0);
    if (c->flags & NET_CLASS_NDP) {
        const double full_ps = longest_trim_ps(b, c->mss_bytes + NET_HEADER_TCP);
        const bool uet = c->flags & NET_CLASS_UET;
        const weir_time round_ps =
            uet ? larger(15 * WEIR_PS_PER_US, ((const net_line_params *)(const void *)c->cc)->base_ps)
                : longest_ps;
        c->rto_min_ps = larger(c->rto_min_ps, round_ps + (weir_time)(6.0 * full_ps));
    }
}

/* Ultra Ethernet's answers, often enough for the largest window of the nearest pair, as T falls to what a flow sees. They are of whole
 * packets: a part of one is answered after all of it. */
static void set_answers(net_class *c, weir_time shortest_ps)
{
    net_nscc_params *const a = (net_nscc_params *)(void *)c->cc;
    if (!(c->flags & NET_CLASS_UET) || a->ack_bytes != 0)
        return;
    net_line_params nearest = a->line;
    if (shortest_ps > 0 && shortest_ps < nearest.base_ps)
        nearest.base_ps = shortest_ps;
    const double packet = (double)(c->mss_bytes + NET_HEADER_TCP), most = 1.5 * net_line_most(&nearest);
    a->ack_bytes = (uint64_t)fmax(1.0, fmin(16384.0, packet * floor(most / 4.0 / packet)));
}

/* IRN's bound on what is in flight: the packets that a line sends in the longest idle round trip. */
static void set_bdp(const wi_building *b, net_class *c, const extremes *x)
{
    if (!(c->flags & NET_CLASS_IRN) || c->flags & NET_CLASS_UDP)
        return;
    if (c->bdp_bytes == 0) {
        const double packet_bits = 8.0 * (double)(c->mss_bytes + NET_HEADER_TCP);
        const double packets = ceil(weir_seconds(x->longest_ps) * (double)line_rate(b) / packet_bits);
        const double bytes = (packets < 1.0 ? 1.0 : packets) * (double)c->mss_bytes;
        c->bdp_bytes = bytes < (double)c->window_bytes ? (uint32_t)bytes : c->window_bytes;
    }
    c->window_bytes = c->bdp_bytes > c->mss_bytes ? c->bdp_bytes : c->mss_bytes;
}

weir_status wi_build_base_rtt(wi_building *b)
{
    net_world *w = (net_world *)(void *)b->net->world;
    net_class *classes = (net_class *)(void *)(b->net->world + w->classes);
    idle found = {.net = b->net, .classes = classes, .of = wi_build_temp(b, w->n_classes, sizeof *found.of)};
    if (!found.of)
        return b->status;
    for (uint32_t i = 0; i < w->n_classes; i++)
        if (classes[i].flags & NET_CLASS_INT)
            w->meter_ps = larger(w->meter_ps, ((const net_line_params *)(void *)classes[i].cc)->base_ps);
    wi_build_each_pair(b, 1, measure_pair, &found);
    if (b->metered && w->meter_ps == 0)
        w->meter_ps = larger(found.longest_ps, WEIR_PS_PER_US);
    for (uint32_t i = 0; i < w->n_classes; i++) {
        set_base_rtt(&classes[i], w->meter_ps, &found.of[i]);
        set_bdp(b, &classes[i], &found.of[i]);
        if (classes[i].flags & NET_CLASS_UDP)
            continue;
        set_timeouts(b, &classes[i], found.of[i].longest_ps);
        set_answers(&classes[i], found.of[i].shortest_ps);
    }
    return WEIR_OK;
}
