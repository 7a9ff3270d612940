/*
 * The packet network of AS 7018 as Rocketfuel mapped it (the .cch file: routers seen, their neighbours in
 * other networks included), under a load that keeps every link at a tenth of its rate or less.
 *
 *   graph    the largest component; every link has a delay drawn evenly from 1 to 10 ms (seeded)
 *   flows    ordered pairs of different routers, drawn evenly (seeded), all of one rate; shortest paths by
 *            hops, the network's own routes. The rate is the one at which packets of 500 bytes cross
 *            AS7018_HOPS_PER_S links a second in all: what 14,293 links of 1 Gb/s carry one way at 10 %
 *   links    each direction's rate is ten times the load that the paths put on it and at least 1 Gb/s, in
 *            whole 100 Mb/s upwards
 *   hosts    each router that sends or receives has one, by a link of 1 ms and again ten times its load and
 *            at least 1 Gb/s; what crosses those links is not counted in the load
 *   UDP      Poisson
 *   TCP      NewReno with SACK and delayed ACKs, no handshake; segments fill packets of 500 bytes, and the
 *            window, from the start, is the rate times the time there and back, so that the data packets are
 *            as many; ACKs come on top
 *
 * A fraction of the load is that fraction of the flows, the first of the same sequence.
 */
#ifndef BENCH_AS7018_H
#define BENCH_AS7018_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../bench.h"
#include "net/transport/flow.h"
#include "packets/stats/stats.h"
#include "weir/topology.h"

#define AS7018_HOPS_PER_S 357e6
#define AS7018_GBPS UINT64_C(1000000000)
enum { AS7018_FLOWS = 80000, AS7018_PACKET_BYTES = 500, AS7018_SEED = 7018, AS7018_PATH_MAX = 64 };

typedef struct as7018 {
    weir_graph *graph;
    wi_net *net;
    bool tcp;
    uint32_t n_flows;
    double flow_pps;        /* packets a second of each flow */
    double hops_per_s;      /* of data over links between routers, as planned */
    double hops_a_packet;   /* mean */
    weir_time path_most_ps; /* longest delay from host to host */
    weir_time spread_ps;    /* flows begin within this time */
    uint64_t rate_most_bps, access_bps;
    double build_s;
} as7018;

/* ---- the graph ---- */

/* The component of each node, and the number of the largest. */
static inline uint32_t as7018_components(const weir_graph *g, uint32_t *component, uint32_t *queue)
{
    uint32_t largest = 0, most = 0, n = 0;
    memset(component, 0xff, g->n_nodes * sizeof *component);
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        uint32_t tail = 0;
        if (component[v] != UINT32_MAX)
            continue;
        component[v] = n;
        queue[tail++] = v;
        for (uint32_t head = 0; head < tail; head++)
            for (uint32_t e = g->first[queue[head]]; e < g->first[queue[head] + 1]; e++)
                if (component[g->target[e]] == UINT32_MAX) {
                    component[g->target[e]] = n;
                    queue[tail++] = g->target[e];
                }
        if (tail > most) {
            most = tail;
            largest = n;
        }
        n++;
    }
    return largest;
}

/* The largest component of a map, with delays. */
static inline weir_graph *as7018_largest(weir_diag *diag, const weir_graph *map)
{
    uint32_t *component = malloc(map->n_nodes * sizeof *component);
    uint32_t *number = malloc(map->n_nodes * sizeof *number); /* first the queue of the search */
    weir_graph_builder *builder = weir_graph_builder_new();
    weir_stream random = weir_stream_make(AS7018_SEED, 0, 0);
    weir_graph *out = NULL;
    if (!component || !number || !builder)
        bench_fail("no memory for a graph");
    const uint32_t largest = as7018_components(map, component, number);
    for (uint32_t v = 0; v < map->n_nodes; v++)
        if (component[v] == largest)
            number[v] = weir_graph_add_node(builder, map->name[v], WEIR_ROUTER);
    for (uint32_t v = 0; v < map->n_nodes; v++)
        for (uint32_t e = map->first[v]; e < map->first[v + 1]; e++) {
            if (component[v] != largest || e > map->reverse[e])
                continue;
            weir_link link = weir_link_init(number[v], number[map->target[e]]);
            link.rate_bps = AS7018_GBPS;
            link.delay_ps =
                WEIR_PS_PER_MS + (weir_time)weir_draw_below(&random, 9 * (uint64_t)WEIR_PS_PER_MS + 1);
            weir_graph_add_link(builder, link);
        }
    bench_must(diag, weir_graph_build(diag, builder, &out));
    weir_graph_builder_free(builder);
    free(component);
    free(number);
    return out;
}

/* Where the file is. */
static inline void as7018_file(char *path, size_t size)
{
    const char *folder = getenv("WEIR_DATA");
    snprintf(path, size, "%s/rocketfuel/7018.cch.gz", folder ? folder : "../shared/data");
}

static inline weir_graph *as7018_graph(weir_diag *diag)
{
    char path[4096];
    weir_graph *map = NULL;
    as7018_file(path, sizeof path);
    bench_must(diag, weir_topology_load(diag, path, NULL, &map));
    weir_graph *graph = as7018_largest(diag, map);
    weir_graph_free(map);
    return graph;
}

/* ---- flows, and what they put on links ---- */

typedef struct as7018_path {
    uint32_t hops;
    weir_time delay_ps; /* of the links between routers */
} as7018_path;

/* The way of a flow; where `load` is not null, one is added for each edge on it. */
static inline as7018_path as7018_follow(const weir_graph *g, const weir_routes *routes, uint32_t from,
                                        uint32_t to, uint32_t *load)
{
    uint32_t edges[AS7018_PATH_MAX];
    as7018_path path = {weir_routes_path(routes, g, from, to, edges, AS7018_PATH_MAX), 0};
    if (path.hops > AS7018_PATH_MAX)
        bench_fail("a path of %u links", path.hops);
    for (uint32_t i = 0; i < path.hops; i++) {
        path.delay_ps += g->delay_ps[edges[i]];
        if (load)
            load[edges[i]]++;
    }
    return path;
}

static inline uint64_t as7018_rate(double load_bps)
{
    const uint64_t step = AS7018_GBPS / 10;
    const uint64_t rate = ((uint64_t)(10.0 * load_bps) + step - 1) / step * step;
    return rate > AS7018_GBPS ? rate : AS7018_GBPS;
}

/* Pairs, the rate of each flow, and the links' rates from it. */
static inline wi_net_flow_plan *as7018_flows(as7018 *a, const weir_routes *routes)
{
    weir_graph *g = a->graph;
    wi_net_flow_plan *flows = calloc(a->n_flows, sizeof *flows);
    uint32_t *load = calloc(g->n_edges, sizeof *load), *ends = calloc(2 * (size_t)g->n_nodes, sizeof *ends);
    weir_stream random = weir_stream_make(AS7018_SEED, 1, 0);
    uint64_t hops = 0;
    uint32_t busiest = 0;
    if (!flows || !load || !ends)
        bench_fail("no memory for %u flows", a->n_flows);
    for (uint32_t i = 0; i < a->n_flows; i++) {
        const uint32_t src = (uint32_t)weir_draw_below(&random, g->n_nodes);
        const uint32_t other = (uint32_t)weir_draw_below(&random, g->n_nodes - 1);
        const uint32_t dst = other + (other >= src);
        const as7018_path path = as7018_follow(g, routes, src, dst, load);
        flows[i] = (wi_net_flow_plan){.src = src, .dst = dst};
        hops += path.hops;
        busiest = ++ends[2 * src] > busiest ? ends[2 * src] : busiest;
        busiest = ++ends[2 * dst + 1] > busiest ? ends[2 * dst + 1] : busiest;
        a->path_most_ps = path.delay_ps > a->path_most_ps ? path.delay_ps : a->path_most_ps;
    }
    a->path_most_ps += 2 * WEIR_PS_PER_MS;
    a->hops_a_packet = (double)hops / a->n_flows;
    a->flow_pps = a->hops_per_s / (double)hops;
    const double flow_bps = a->flow_pps * 8.0 * AS7018_PACKET_BYTES;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const uint64_t rate = as7018_rate(load[e] * flow_bps);
        a->rate_most_bps = rate > a->rate_most_bps ? rate : a->rate_most_bps;
        weir_graph_set_edge(g, e, rate, g->delay_ps[e]);
    }
    a->access_bps = as7018_rate(busiest * flow_bps);
    for (uint32_t i = 0; i < a->n_flows; i++)
        flows[i].rate_bps = (uint64_t)(flow_bps + 0.5);
    free(load);
    free(ends);
    return flows;
}

/* ---- classes ---- */

static inline net_class as7018_udp(void)
{
    net_class c;
    memset(&c, 0, sizeof c);
    c.flags = NET_CLASS_UDP;
    c.packet = weir_dist_constant(AS7018_PACKET_BYTES);
    c.udp_pattern = NET_UDP_POISSON;
    return c;
}

/* TCP that sends `segments` in each time there and back. */
static inline net_class as7018_tcp(uint32_t segments)
{
    net_class c;
    memset(&c, 0, sizeof c);
    c.flags = NET_CLASS_SACK;
    c.congestion = NET_CC_NEWRENO;
    c.mss_bytes = AS7018_PACKET_BYTES - NET_HEADER_TCP;
    c.window_bytes = c.initial_window_bytes = segments * c.mss_bytes;
    c.delayed_ack = 2;
    c.delayed_ack_ps = 40 * WEIR_PS_PER_MS;
    c.rto_min_ps = 200 * WEIR_PS_PER_MS;
    return c;
}

/* One class a window: class numbers of flows, at least two segments each, and starts spread over the longest
 * path's delay. Returns how many classes. */
static inline uint32_t as7018_windows(as7018 *a, const weir_routes *routes, wi_net_flow_plan *flows)
{
    weir_stream random = weir_stream_make(AS7018_SEED, 2, 0);
    uint32_t most = 2;
    a->spread_ps = a->path_most_ps;
    for (uint32_t i = 0; i < a->n_flows; i++) {
        wi_net_flow_plan *f = &flows[i];
        const weir_time there = as7018_follow(a->graph, routes, f->src, f->dst, NULL).delay_ps;
        const weir_time back = as7018_follow(a->graph, routes, f->dst, f->src, NULL).delay_ps;
        const double segments = a->flow_pps * weir_seconds(there + back + 4 * WEIR_PS_PER_MS) + 0.5;
        f->cls = segments < 2.0 ? 2 : segments < UINT16_MAX ? (uint16_t)segments : UINT16_MAX;
        f->start_ps = (weir_time)weir_draw_below(&random, (uint64_t)a->spread_ps);
        most = f->cls > most ? f->cls : most;
    }
    return most + 1;
}

/* ---- the network ---- */

static inline void as7018_build_net(weir_diag *diag, as7018 *a, wi_net_flow_plan *flows, uint32_t n_classes,
                                    wi_net_forward forward)
{
    weir_queue_params queue = {.type = NET_QUEUE_DROPTAIL};
    wi_net_class_plan *classes = calloc(n_classes, sizeof *classes);
    uint32_t *edge_queue = calloc(a->graph->n_edges, sizeof *edge_queue);
    if (!classes || !edge_queue)
        bench_fail("no memory for a network");
    for (uint32_t c = 0; c < n_classes; c++) {
        classes[c].params = a->tcp ? as7018_tcp(c < 2 ? 2 : c) : as7018_udp();
        classes[c].name = a->tcp ? "tcp" : "udp";
    }
    const wi_net_plan plan = {.graph = a->graph,
                              .edge_queue = edge_queue,
                              .queues = &queue,
                              .n_queues = 1,
                              .access_rate_bps = a->access_bps,
                              .access_delay_ps = WEIR_PS_PER_MS,
                              .metric = WEIR_METRIC_HOPS,
                              .forward = forward,
                              .ttl = 64,
                              .classes = classes,
                              .n_classes = n_classes,
                              .flows = flows,
                              .n_flows = a->n_flows};
    bench_must(diag, wi_net_build(diag, &plan, &a->net));
    free(classes);
    free(edge_queue);
}

/* Everything, for a fraction of the load. */
static inline as7018 as7018_new(weir_diag *diag, bool tcp, double fraction, wi_net_forward forward)
{
    const double t0 = bench_wall_s();
    as7018 a = {.graph = as7018_graph(diag), .tcp = tcp};
    weir_routes *routes = NULL;
    weir_routes_options by_hops;
    weir_routes_options_init(&by_hops);
    a.n_flows = (uint32_t)(AS7018_FLOWS * fraction + 0.5);
    a.n_flows = a.n_flows ? a.n_flows : 1;
    a.hops_per_s = AS7018_HOPS_PER_S * a.n_flows / AS7018_FLOWS;
    bench_must(diag, weir_routes_compute(diag, a.graph, &by_hops, &routes));
    wi_net_flow_plan *flows = as7018_flows(&a, routes);
    const uint32_t n_classes = tcp ? as7018_windows(&a, routes, flows) : 1;
    weir_routes_free(routes);
    as7018_build_net(diag, &a, flows, n_classes, forward);
    free(flows);
    a.build_s = bench_wall_s() - t0;
    return a;
}

static inline void as7018_free(as7018 *a)
{
    wi_net_free(a->net);
    weir_graph_free(a->graph);
}

/* Simulated time after which pipes are full: packets of Poisson sources that began at 0 have reached the
 * farthest host; every TCP flow has begun, and has been answered over the longest path. */
static inline weir_time as7018_warm_ps(const as7018 *a)
{
    return a->tcp ? a->spread_ps + 2 * a->path_most_ps : a->path_most_ps;
}

#endif
