/* Small fluid networks for tests: links, queues, classes, flows, collected in one struct. */
#ifndef TESTS_FLUID_NETS_H
#define TESTS_FLUID_NETS_H

#include <stdlib.h>
#include <string.h>

#include "../splitmix.h"
#include "net/congestion/cubic.h"
#include "net/congestion/swift.h"
#include "weir/fluid.h"

enum { NET_MAX = 4096, NET_OUTAGES_MAX = 256 };

typedef struct net {
    weir_graph *graph;
    weir_routes *routes;
    weir_fluid_queue queue[8];
    weir_fluid_class cls[12];
    weir_fluid_flow flow[NET_MAX];
    weir_fluid_outage outage[NET_OUTAGES_MAX];
    uint32_t n_queues, n_classes, n_flows, n_outages;
    uint32_t *queue_of_edge; /* null: queue 0 everywhere */
} net;

static inline weir_fluid_queue droptail(uint64_t limit_bytes)
{
    weir_fluid_queue q;
    memset(&q, 0, sizeof q);
    q.limit_bytes = limit_bytes;
    return q;
}

static inline weir_fluid_queue red(double min, double max, double max_p, double weight, uint64_t limit_bytes)
{
    weir_fluid_queue q = droptail(limit_bytes);
    q.type = WEIR_FLUID_RED;
    q.min_bytes = min;
    q.max_bytes = max;
    q.max_p = max_p;
    q.weight = weight;
    q.mean_packet_bytes = 1000;
    q.mode = WEIR_FLUID_RED_BERNOULLI;
    q.gentle = true;
    return q;
}

/* b = 1, decrease 1/2: the paper's TCP. */
static inline weir_fluid_class tcp(uint64_t window_limit_bytes)
{
    weir_fluid_class c;
    memset(&c, 0, sizeof c);
    c.name = "tcp";
    c.mss_bytes = 1000;
    c.window_limit_bytes = window_limit_bytes;
    c.initial_window = 1.0;
    c.segments_per_ack = 1.0;
    c.decrease = 0.5;
    return c;
}

static inline weir_fluid_class udp(uint64_t rate_bps)
{
    weir_fluid_class c;
    memset(&c, 0, sizeof c);
    c.name = "udp";
    c.udp = true;
    c.rate_bps = rate_bps;
    return c;
}

static inline weir_time seconds(double s)
{
    return (weir_time)(s * 1e12);
}

static inline void add_flow(net *n, uint32_t src, uint32_t dst, uint32_t cls, uint32_t sessions, double start,
                            double stop)
{
    weir_fluid_flow f;
    memset(&f, 0, sizeof f);
    f.src = src;
    f.dst = dst;
    f.cls = cls;
    f.sessions = sessions;
    f.start_ps = seconds(start);
    f.stop_ps = stop < 0 ? WEIR_TIME_MAX : seconds(stop);
    n->flow[n->n_flows++] = f;
}

/* Graph and routes from links {a, b}; all of one rate and delay. */
static inline weir_status join(weir_diag *diag, net *n, uint32_t nodes, const uint32_t (*link)[2],
                               uint32_t links, uint64_t rate_bps, weir_time delay_ps)
{
    weir_graph_builder *b = weir_graph_builder_new();
    for (uint32_t i = 0; i < nodes; i++)
        (void)weir_graph_add_node(b, NULL, WEIR_ROUTER);
    for (uint32_t i = 0; i < links; i++) {
        weir_link l = weir_link_init(link[i][0], link[i][1]);
        l.rate_bps = rate_bps;
        l.delay_ps = delay_ps;
        weir_graph_add_link(b, l);
    }
    weir_status st = weir_graph_build(diag, b, &n->graph);
    weir_graph_builder_free(b);
    weir_routes_options options;
    weir_routes_options_init(&options);
    if (st == WEIR_OK)
        st = weir_routes_compute(diag, n->graph, &options, &n->routes);
    return st;
}

static inline void net_free(net *n)
{
    weir_routes_free(n->routes);
    weir_graph_free(n->graph);
    free(n->queue_of_edge);
    free(n);
}

static inline weir_fluid_plan plan_of(const net *n)
{
    weir_fluid_plan p;
    memset(&p, 0, sizeof p);
    p.graph = n->graph;
    p.routes = n->routes;
    p.queues = n->queue;
    p.n_queues = n->n_queues;
    p.queue_of_edge = n->queue_of_edge;
    p.classes = n->cls;
    p.n_classes = n->n_classes;
    p.flows = n->flow;
    p.n_flows = n->n_flows;
    p.outages = n->outage;
    p.n_outages = n->n_outages;
    return p;
}

/* Edge from a to b, the first of them. */
static inline uint32_t edge_of(const net *n, uint32_t a, uint32_t b)
{
    for (uint32_t e = n->graph->first[a]; e < n->graph->first[a + 1]; e++)
        if (n->graph->target[e] == b)
            return e;
    return UINT32_MAX;
}

/* A line of nodes, each joined to the next. */
static inline net *line(uint32_t nodes, uint64_t rate_bps, double delay_s)
{
    net *n = (net *)calloc(1, sizeof *n);
    uint32_t link[64][2];
    for (uint32_t i = 0; i + 1 < nodes; i++) {
        link[i][0] = i;
        link[i][1] = i + 1;
    }
    if (join(NULL, n, nodes, link, nodes - 1, rate_bps, seconds(delay_s)) != WEIR_OK)
        abort();
    return n;
}

/* The paper's twelve nodes (section 5.1), in the layout that meets every fact of its text: four TCP flows, 22
 * RED queues; flow 3 is there from 30 s to 60 s. */
static inline net *twelve_nodes(void)
{
    static const uint32_t link[][2] = {{0, 2}, {1, 2},  {2, 3}, {3, 5}, {3, 4}, {4, 6},
                                       {4, 7}, {7, 10}, {7, 8}, {8, 9}, {9, 11}};
    net *n = (net *)calloc(1, sizeof *n);
    if (join(NULL, n, 12, link, 11, 100000000, 10 * WEIR_PS_PER_MS) != WEIR_OK)
        abort();
    n->queue[n->n_queues++] = red(50e3, 1e6, 0.1, 1e-4, 5000000);
    n->cls[n->n_classes++] = tcp(131072);
    add_flow(n, 0, 5, 0, 10, 0, -1);
    add_flow(n, 10, 9, 0, 10, 0, -1);
    add_flow(n, 1, 11, 0, 20, 0, -1);
    add_flow(n, 6, 10, 0, 40, 30, 60);
    return n;
}

static inline double draw_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(rnd(state) >> 11) * 0x1p-53);
}

/* A random tree of some nodes with as many links more; rates 10 to 100 Mb/s, delays 1 to 20 ms that are no
 * whole steps, a drop-tail or RED queue at each; TCP and UDP of all kinds. ecn: RED marks, a class can be
 * marked. */
static inline net *random_net(uint32_t nodes, uint32_t flows, uint64_t seed, bool ecn)
{
    static const net_cubic_params no_hystart = {true, true, NET_CUBIC_HYSTART_OFF};
    static const net_swift_params scaled = {20 * WEIR_PS_PER_MS, 10 * WEIR_PS_PER_MS};
    net *n = (net *)calloc(1, sizeof *n);
    weir_graph_builder *b = weir_graph_builder_new();
    static weir_fluid_rate schedule[3];
    schedule[0].from_ps = 0;
    schedule[0].rate_bps = 1000000;
    schedule[1].from_ps = seconds(0.9003);
    schedule[1].rate_bps = 20000000;
    schedule[2].from_ps = seconds(1.7);
    schedule[2].rate_bps = 0;
    for (uint32_t i = 0; i < nodes; i++)
        (void)weir_graph_add_node(b, NULL, WEIR_ROUTER);
    for (uint32_t i = 1; i < 2 * nodes; i++) {
        const uint32_t to = i < nodes ? i : (uint32_t)(rnd(&seed) % nodes);
        const uint32_t from = (uint32_t)(rnd(&seed) % (i < nodes ? i : nodes));
        if (from == to)
            continue;
        weir_link l = weir_link_init(from, to);
        l.rate_bps = (uint64_t)draw_between(&seed, 1e7, 1e8);
        l.delay_ps = seconds(draw_between(&seed, 1e-3, 20e-3));
        weir_graph_add_link(b, l);
    }
    weir_routes_options options;
    weir_routes_options_init(&options);
    if (weir_graph_build(NULL, b, &n->graph) != WEIR_OK ||
        weir_routes_compute(NULL, n->graph, &options, &n->routes) != WEIR_OK)
        abort();
    weir_graph_builder_free(b);
    n->queue[n->n_queues++] = droptail(100000);
    n->queue[n->n_queues++] = droptail(30000);
    n->queue[n->n_queues++] = red(10e3, 60e3, 0.05, 2e-3, 200000);
    n->queue[n->n_queues++] = red(5e3, 20e3, 0.2, 2e-3, 60000);
    n->queue[2].ecn = n->queue[3].ecn = ecn;
    n->queue[3].mode = WEIR_FLUID_RED_UNIFORM;
    if (ecn) {
        n->queue[n->n_queues] = droptail(100000);
        n->queue[n->n_queues].type = WEIR_FLUID_THRESHOLD;
        n->queue[n->n_queues++].min_bytes = 15e3;
    }
    n->queue_of_edge = (uint32_t *)malloc(n->graph->n_edges * sizeof(uint32_t));
    for (uint32_t e = 0; e < n->graph->n_edges; e++)
        n->queue_of_edge[e] = (uint32_t)(rnd(&seed) % n->n_queues);
    n->cls[n->n_classes++] = tcp(65536);
    n->cls[n->n_classes] = tcp(40000);
    n->cls[n->n_classes].slow_start = true;
    n->cls[n->n_classes].segments_per_ack = 2;
    n->cls[n->n_classes++].ecn = ecn;
    n->cls[n->n_classes] = tcp(1000000);
    n->cls[n->n_classes].slow_start = true;
    n->cls[n->n_classes].congestion = "cubic";
    n->cls[n->n_classes++].keys = ecn ? NULL : &no_hystart;
    n->cls[n->n_classes++] = udp(3000000);
    n->cls[n->n_classes] = udp(8000000);
    n->cls[n->n_classes].on_ps = seconds(0.1);
    n->cls[n->n_classes++].off_ps = seconds(0.0777);
    n->cls[n->n_classes] = udp(0);
    n->cls[n->n_classes].schedule = schedule;
    n->cls[n->n_classes++].n_schedule = 3;
    if (ecn) {
        n->cls[n->n_classes] = tcp(300000);
        n->cls[n->n_classes].slow_start = true;
        n->cls[n->n_classes].congestion = "dctcp";
        n->cls[n->n_classes++].ecn = true;
    }
    const uint32_t drawn = n->n_classes, bbr = n->n_classes,
                   swift = bbr + 1; /* in place of some of class 0 */
    n->cls[n->n_classes] = tcp(200000);
    n->cls[n->n_classes].slow_start = true;
    n->cls[n->n_classes++].congestion = "bbr";
    n->cls[n->n_classes] = tcp(200000);
    n->cls[n->n_classes].ecn = ecn;
    n->cls[n->n_classes].keys = &scaled;
    n->cls[n->n_classes++].congestion = "swift";
    for (uint32_t i = 0; i < flows; i++) {
        const uint32_t src = (uint32_t)(rnd(&seed) % nodes);
        const uint32_t dst = (src + 1 + (uint32_t)(rnd(&seed) % (nodes - 1))) % nodes;
        const double start = draw_between(&seed, 0, 1);
        add_flow(n, src, dst, (uint32_t)(rnd(&seed) % drawn), 1 + (uint32_t)(rnd(&seed) % 5),
                 i % 3 ? 0.0 : start, i % 5 ? -1.0 : start + 2.0);
        if (n->flow[n->n_flows - 1].cls == 0 && i % 4 > 1)
            n->flow[n->n_flows - 1].cls = i % 4 == 2 ? bbr : swift;
        if (i % 7 == 0)
            n->flow[n->n_flows - 1].size_bytes = 200000;
    }
    return n;
}

static inline int by_time_of_outage(const void *left, const void *right)
{
    const weir_fluid_outage *const a = (const weir_fluid_outage *)left, *const b =
                                                                            (const weir_fluid_outage *)right;
    return a->at_ps < b->at_ps ? -1 : a->at_ps > b->at_ps;
}

/* Links of a random net fail and come back, some of them soon and twice; some sessions go on elsewhere, with
 * what was lost or without. ACKs wait, and transfers of a size come. */
static inline void fail_links(net *n, uint64_t seed, double end_s)
{
    const uint32_t some = n->graph->n_edges / 3, flows = n->n_flows;
    for (uint32_t i = 0; i < some; i++) {
        const uint32_t edge = (uint32_t)(rnd(&seed) % n->graph->n_edges);
        double at = draw_between(&seed, 0.0, end_s);
        bool met = false;
        for (uint32_t k = 0; k < n->n_outages; k++)
            met |= n->outage[k].edge == edge;
        for (uint32_t k = 0; k < 4 && !met && n->n_outages < NET_OUTAGES_MAX; k++) {
            const weir_fluid_outage o = {seconds(at), edge, k % 2 == 0};
            n->outage[n->n_outages++] = o;
            at += draw_between(&seed, 0.0, i % 2 ? 0.01 : 0.5);
        }
    }
    qsort(n->outage, n->n_outages, sizeof *n->outage, by_time_of_outage);
    for (uint32_t i = 0; i < flows && n->n_flows < NET_MAX; i += 4) {
        weir_fluid_flow *const from = &n->flow[i];
        if (from->size_bytes > 0)
            continue;
        weir_fluid_flow on = *from;
        on.start_ps = from->start_ps + seconds(draw_between(&seed, 0.0, 1.0));
        on.stop_ps = WEIR_TIME_MAX;
        on.goes_on = i + 1;
        on.failed_ps = i % 8 ? on.start_ps - (on.start_ps - from->start_ps) / 3 : 0;
        on.apart = from->apart = true;
        from->stop_ps = on.start_ps;
        n->flow[n->n_flows++] = on;
    }
    n->cls[0].ack_bytes = n->cls[1].ack_bytes = 40;
    for (uint32_t i = 1; i < flows && n->n_flows < NET_MAX; i += 9) {
        weir_fluid_flow transfers = n->flow[i];
        transfers.cls = 0;
        transfers.sessions = 1.0;
        transfers.size_bytes = 0;
        transfers.goes_on = 0;
        transfers.apart = false;
        transfers.transfers_per_s = draw_between(&seed, 1.0, 20.0);
        transfers.mean_bytes = draw_between(&seed, 1e4, 1e5);
        n->flow[n->n_flows++] = transfers;
    }
}

#endif
