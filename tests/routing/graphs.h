/** Small graphs for the tests of routing, and the slow, obvious routes to compare with. */
#ifndef WEIR_TESTS_ROUTING_GRAPHS_H
#define WEIR_TESTS_ROUTING_GRAPHS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "weir/routes.h"

/* SplitMix64: enough for graphs, and the seed is printed where a comparison fails. */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(draw(state) % n);
}

typedef enum graph_kind {
    TREE,       /* a random tree: everything is pruned but one node */
    SPARSE,     /* a tree and half as many more links: trees hang from a core */
    DENSE,      /* three links a node */
    BROKEN,     /* half a link a node: many components, nodes alone */
    DOUBLED,    /* every third link has a parallel one */
    MULTIHOMED, /* a quarter of the nodes are hosts, with any number of links */
    N_GRAPH_KINDS
} graph_kind;

static inline weir_graph *random_graph(graph_kind kind, uint32_t n, uint32_t max_weight, uint64_t seed)
{
    weir_graph_builder *b = weir_graph_builder_new();
    assert_non_null(b);
    for (uint32_t i = 0; i < n; ++i)
        weir_graph_add_node(b, NULL, kind == MULTIHOMED && below(&seed, 4) == 0 ? WEIR_HOST : WEIR_ROUTER);
    const uint32_t extra[N_GRAPH_KINDS] = {0, n / 2, 2 * n, n / 2, n, n};
    const uint32_t spine = kind == BROKEN ? 0 : n;
    for (uint32_t k = 1; n > 1 && k < spine + extra[kind]; ++k) {
        weir_link link = weir_link_init(k < spine ? k : below(&seed, n), below(&seed, k < spine ? k : n));
        link.weight = 1 + below(&seed, max_weight);
        weir_graph_add_link(b, link);
        if (kind == DOUBLED && k % 3 == 0) {
            link.weight = 1 + below(&seed, max_weight);
            weir_graph_add_link(b, link);
        }
    }
    weir_graph *graph = NULL;
    assert_int_equal(weir_graph_build(NULL, b, &graph), WEIR_OK);
    weir_graph_builder_free(b);
    return graph;
}

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

/* Weights that differ by direction, and some links out of service. */
static inline uint32_t *random_costs(const weir_graph *graph, uint32_t max_cost, uint32_t down_in_100,
                                     uint64_t seed)
{
    uint32_t *cost = malloc((graph->n_edges + 1) * sizeof *cost);
    assert_non_null(cost);
    for (uint32_t e = 0; e < graph->n_edges; ++e)
        cost[e] = below(&seed, 100) < down_in_100 ? WEIR_COST_DOWN : 1 + below(&seed, max_cost);
    return cost;
}

/* Floyd-Warshall as the definition has it: dist[n * from + to]. */
static inline uint32_t *slow_distances(const weir_graph *graph, const uint32_t *cost)
{
    const size_t n = graph->n_nodes;
    uint32_t *dist = malloc((n * n + 1) * sizeof *dist);
    assert_non_null(dist);
    memset(dist, 0xff, n * n * sizeof *dist);
    for (size_t i = 0; i < n; ++i) {
        for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; ++e) {
            uint32_t *const d = &dist[n * i + graph->target[e]];
            if (cost[e] != WEIR_COST_DOWN && cost[graph->reverse[e]] != WEIR_COST_DOWN && cost[e] < *d)
                *d = cost[e];
        }
        dist[n * i + i] = 0;
    }
    for (size_t k = 0; k < n; ++k) {
        if (graph->role[k] == WEIR_HOST)
            continue;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n && dist[n * i + k] != WEIR_UNREACHABLE; ++j)
                if (dist[n * k + j] != WEIR_UNREACHABLE &&
                    dist[n * i + k] + dist[n * k + j] < dist[n * i + j])
                    dist[n * i + j] = dist[n * i + k] + dist[n * k + j];
    }
    return dist;
}

static inline uint16_t slow_port(const weir_graph *graph, const uint32_t *cost, const uint32_t *dist,
                                 uint32_t i, uint32_t j)
{
    const size_t n = graph->n_nodes;
    for (uint32_t e = graph->first[i]; i != j && e < graph->first[i + 1]; ++e) {
        const uint32_t v = graph->target[e], rest = dist[n * v + j];
        if (cost[e] == WEIR_COST_DOWN || cost[graph->reverse[e]] == WEIR_COST_DOWN ||
            rest == WEIR_UNREACHABLE)
            continue;
        if ((v == j || graph->role[v] == WEIR_ROUTER) && cost[e] + rest == dist[n * i + j])
            return (uint16_t)(e - graph->first[i]);
    }
    return WEIR_NO_PORT;
}

#endif
