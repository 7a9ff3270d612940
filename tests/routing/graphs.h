/* Small graphs for the tests of routing, and the slow, obvious routes to compare with. */
#ifndef TESTS_ROUTING_GRAPHS_H
#define TESTS_ROUTING_GRAPHS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "random_graphs.h"

/* A graph of routers from pairs of nodes, all weights 1. */
static inline weir_graph *graph_of(uint32_t n, const uint32_t (*links)[2], size_t n_links,
                                   const uint8_t *role)
{
    weir_graph_builder *b = weir_graph_builder_new();
    assert_non_null(b);
    for (uint32_t i = 0; i < n; ++i)
        weir_graph_add_node(b, NULL, role ? (weir_role)role[i] : WEIR_ROUTER);
    for (size_t k = 0; k < n_links; ++k)
        weir_graph_add_link(b, weir_link_init(links[k][0], links[k][1]));
    weir_graph *graph = NULL;
    assert_int_equal(weir_graph_build(NULL, b, &graph), WEIR_OK);
    weir_graph_builder_free(b);
    return graph;
}

/* Node i is linked to i + 1, the last one to 0. */
static inline weir_graph *ring_of(uint32_t n)
{
    uint32_t(*const links)[2] = (uint32_t(*)[2])malloc(n * sizeof *links);
    assert_non_null(links);
    for (uint32_t i = 0; i < n; ++i) {
        links[i][0] = i;
        links[i][1] = (i + 1) % n;
    }
    weir_graph *const graph = graph_of(n, links, n, NULL);
    free(links);
    return graph;
}

/* Floyd-Warshall as the definition has it: dist[n * from + to]. */
static inline weir_cost *slow_distances(const weir_graph *graph, const weir_cost *cost)
{
    const size_t n = graph->n_nodes;
    weir_cost *dist = malloc((n * n + 1) * sizeof *dist);
    assert_non_null(dist);
    memset(dist, 0xff, n * n * sizeof *dist);
    for (size_t i = 0; i < n; ++i) {
        for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; ++e) {
            weir_cost *const d = &dist[n * i + graph->target[e]];
            if (cost[e] < WEIR_COST_NONE && cost[graph->reverse[e]] != WEIR_COST_DOWN && cost[e] < *d)
                *d = cost[e];
        }
        dist[n * i + i] = 0;
    }
    for (size_t k = 0; k < n; ++k) {
        if (graph->role[k] == WEIR_HOST)
            continue;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n && dist[n * i + k] != WEIR_NO_WAY; ++j)
                if (dist[n * k + j] != WEIR_NO_WAY && dist[n * i + k] + dist[n * k + j] < dist[n * i + j])
                    dist[n * i + j] = dist[n * i + k] + dist[n * k + j];
    }
    return dist;
}

static inline uint16_t slow_port(const weir_graph *graph, const weir_cost *cost, const weir_cost *dist,
                                 uint32_t i, uint32_t j)
{
    const size_t n = graph->n_nodes;
    for (uint32_t e = graph->first[i]; i != j && e < graph->first[i + 1]; ++e) {
        const uint32_t v = graph->target[e];
        const weir_cost rest = dist[n * v + j];
        if (cost[e] >= WEIR_COST_NONE || cost[graph->reverse[e]] == WEIR_COST_DOWN || rest == WEIR_NO_WAY)
            continue;
        if ((v == j || graph->role[v] == WEIR_ROUTER) && cost[e] + rest == dist[n * i + j])
            return (uint16_t)(e - graph->first[i]);
    }
    return WEIR_NO_PORT;
}

#endif
