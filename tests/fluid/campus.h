/* The campus network of the paper's section 5.2 as a fluid plan: each host takes ten long TCP transfers from
 * servers, half of them of its own campus; every queue is drop-tail with 50 ms of its line rate; MSS 1000,
 * window limit 64 KiB. */
#ifndef TESTS_FLUID_CAMPUS_H
#define TESTS_FLUID_CAMPUS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../splitmix.h"
#include "weir/fluid.h"
#include "weir/topology.h"

enum { CAMPUS_LANS = 12, CAMPUS_SERVERS = 4, CAMPUS_ROUTERS = 18, CAMPUS_FLOWS = 10 };

typedef struct campus_net {
    weir_graph *graph;
    weir_routes *routes;
    weir_fluid_queue queue[3];
    uint32_t *queue_of_edge;
    weir_fluid_class cls;
    weir_fluid_flow *flow;
    uint32_t n_flows;
} campus_net;

static inline void campus_queues(campus_net *n)
{
    static const uint64_t rate[3] = {10000000, 100000000, 1000000000};
    memset(n->queue, 0, sizeof n->queue);
    for (int i = 0; i < 3; i++)
        n->queue[i].limit_bytes = rate[i] / 8 / 20;
    n->queue_of_edge = (uint32_t *)malloc(n->graph->n_edges * sizeof(uint32_t));
    for (uint32_t e = 0; e < n->graph->n_edges; e++)
        for (uint32_t i = 0; i < 3; i++)
            if (n->graph->rate_bps[e] == rate[i])
                n->queue_of_edge[e] = i;
}

static inline void campus_flows(campus_net *n, uint32_t campuses, uint32_t lan_hosts, uint64_t seed)
{
    const uint32_t hosts = CAMPUS_LANS * lan_hosts;
    const uint32_t nodes = hosts + CAMPUS_SERVERS + CAMPUS_LANS + CAMPUS_ROUTERS;
    n->n_flows = campuses * hosts * CAMPUS_FLOWS;
    n->flow = (weir_fluid_flow *)calloc(n->n_flows, sizeof *n->flow);
    for (uint32_t i = 0; i < n->n_flows; i++) {
        const uint32_t host = i / CAMPUS_FLOWS, campus = host / hosts;
        uint32_t other = campus;
        if (campuses > 1 && rnd(&seed) % 2)
            other = (campus + 1 + (uint32_t)(rnd(&seed) % (campuses - 1))) % campuses;
        n->flow[i].src = other * nodes + hosts + (uint32_t)(rnd(&seed) % CAMPUS_SERVERS);
        n->flow[i].dst = campus * nodes + host % hosts;
        n->flow[i].sessions = 1;
        n->flow[i].stop_ps = WEIR_TIME_MAX;
    }
}

/* null and a message to stderr when it cannot be made. */
static inline campus_net *campus_new(uint32_t campuses, uint32_t lan_hosts)
{
    campus_net *const n = (campus_net *)calloc(1, sizeof *n);
    char count[16], lan[16];
    snprintf(count, sizeof count, "%u", campuses);
    snprintf(lan, sizeof lan, "%u", lan_hosts);
    weir_generator_arg arg[2];
    memset(arg, 0, sizeof arg);
    arg[0].name = "campuses";
    arg[0].value = count;
    arg[1].name = "lan_hosts";
    arg[1].value = lan;
    weir_diag *const diag = weir_diag_new();
    weir_routes_options options;
    weir_routes_options_init(&options);
    weir_status st = weir_topology_generate(diag, "campus", arg, 2, 1, &n->graph);
    if (st == WEIR_OK)
        st = weir_routes_compute(diag, n->graph, &options, &n->routes);
    if (st != WEIR_OK) {
        fprintf(stderr, "campus: %s\n", weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "failed");
        weir_diag_free(diag);
        weir_graph_free(n->graph);
        free(n);
        return NULL;
    }
    weir_diag_free(diag);
    campus_queues(n);
    campus_flows(n, campuses, lan_hosts, 1);
    n->cls.name = "request";
    n->cls.mss_bytes = 1000;
    n->cls.window_limit_bytes = 65536;
    n->cls.initial_window = 1.0;
    n->cls.segments_per_ack = 1.0;
    n->cls.decrease = 0.5;
    return n;
}

static inline weir_fluid_plan campus_plan(const campus_net *n)
{
    weir_fluid_plan p;
    memset(&p, 0, sizeof p);
    p.graph = n->graph;
    p.routes = n->routes;
    p.queues = n->queue;
    p.n_queues = 3;
    p.queue_of_edge = n->queue_of_edge;
    p.classes = &n->cls;
    p.n_classes = 1;
    p.flows = n->flow;
    p.n_flows = n->n_flows;
    return p;
}

static inline void campus_free(campus_net *n)
{
    if (!n)
        return;
    weir_routes_free(n->routes);
    weir_graph_free(n->graph);
    free(n->queue_of_edge);
    free(n->flow);
    free(n);
}

#endif
