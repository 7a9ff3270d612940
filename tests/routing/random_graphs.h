/* Random graphs for the tests of routing, with and without cmocka; also valid as C++. */
#ifndef TESTS_ROUTING_RANDOM_GRAPHS_H
#define TESTS_ROUTING_RANDOM_GRAPHS_H

#include <stdint.h>
#include <stdlib.h>

#include "splitmix.h"
#include "weir/routes.h"

/* The seed is printed where a comparison fails. */
static inline uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(rnd(state) % n);
}

typedef enum graph_kind {
    TREE,       /* a random tree: everything is pruned but one node */
    SPARSE,     /* a tree and half as many more links: trees hang from a core */
    DENSE,      /* three links a node */
    BROKEN,     /* half a link a node: many components, nodes alone */
    DOUBLED,    /* every third link has a parallel one */
    MULTIHOMED, /* a quarter of the nodes are hosts, with any number of links */
    ONE_WAY,    /* half of the links of a sparse graph lead one way */
    ONE_WAY_IN, /* a third of those of a dense one, with hosts and parallel links */
    N_GRAPH_KINDS
} graph_kind;
static const char *const kind_name[N_GRAPH_KINDS] = {
    "tree", "sparse", "dense", "broken", "doubled", "multihomed", "one-way", "one-way with hosts"};

/* Never null: a test without memory ends here. */
static inline weir_graph *random_graph(graph_kind kind, uint32_t n, uint32_t max_weight, uint64_t seed)
{
    weir_graph_builder *b = weir_graph_builder_new();
    for (uint32_t i = 0; i < n; ++i)
        weir_graph_add_node(b, NULL,
                            (kind == MULTIHOMED || kind == ONE_WAY_IN) && below(&seed, 4) == 0 ? WEIR_HOST
                                                                                               : WEIR_ROUTER);
    const uint32_t extra[N_GRAPH_KINDS] = {0, n / 2, 2 * n, n / 2, n, n, n / 2, 2 * n};
    const uint32_t spine = kind == BROKEN ? 0 : n;
    for (uint32_t k = 1; n > 1 && k < spine + extra[kind]; ++k) {
        weir_link link = weir_link_init(k < spine ? k : below(&seed, n), 0);
        link.b = below(&seed, k < spine ? k : n);
        link.weight = 1 + below(&seed, max_weight);
        if (kind == ONE_WAY)
            link.one_way = below(&seed, 2) == 0;
        if (kind == ONE_WAY_IN)
            link.one_way = below(&seed, 3) == 0;
        weir_graph_add_link(b, link);
        if ((kind == DOUBLED || kind == ONE_WAY_IN) && k % 3 == 0) {
            link.weight = 1 + below(&seed, max_weight);
            weir_graph_add_link(b, link);
        }
    }
    weir_graph *graph = NULL;
    if (weir_graph_build(NULL, b, &graph) != WEIR_OK)
        abort();
    weir_graph_builder_free(b);
    return graph;
}

/* Weights that differ by direction, and some links out of service. */
static inline weir_cost *random_costs(const weir_graph *graph, weir_cost max_cost, uint32_t down_in_100,
                                      uint64_t seed)
{
    weir_cost *cost = (weir_cost *)malloc((graph->n_edges + 1) * sizeof *cost);
    if (!cost)
        abort();
    for (uint32_t e = 0; e < graph->n_edges; ++e)
        cost[e] = below(&seed, 100) < down_in_100 ? WEIR_COST_DOWN : 1 + rnd(&seed) % max_cost;
    for (uint32_t e = 0; e < graph->n_edges; ++e)
        if (!weir_edge_exists(graph, e))
            cost[e] = WEIR_COST_NONE;
    return cost;
}

#endif
