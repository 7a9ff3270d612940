/* The graph of the benchmarks of routes. Also valid as C++. */
#ifndef BENCH_BA_GRAPH_H
#define BENCH_BA_GRAPH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../tests/splitmix.h"
#include "weir/graph.h"

/* Barabasi-Albert: each node links to two of the earlier ones, drawn by degree. Weights 1 to 100. */
static inline weir_graph *ba_graph(uint32_t n, uint64_t seed)
{
    weir_graph_builder *b = weir_graph_builder_new();
    uint32_t *end = (uint32_t *)malloc(4 * (size_t)n * sizeof *end); /* a node stands here once per link */
    uint32_t n_ends = 0;
    weir_graph *graph = NULL;
    for (uint32_t i = 0; b && end && i < n; ++i) {
        uint32_t picked[2] = {i, i};
        weir_graph_add_node(b, NULL, WEIR_ROUTER);
        for (uint32_t k = 0; k < (i < 2 ? i : 2); ++k) {
            do
                picked[k] = n_ends ? end[rnd(&seed) % n_ends] : 0;
            while (k == 1 && picked[1] == picked[0]);
            weir_link link = weir_link_init(i, picked[k]);
            link.weight = 1 + (uint32_t)(rnd(&seed) % 100);
            weir_graph_add_link(b, link);
        }
        for (uint32_t k = 0; k < (i < 2 ? i : 2); ++k) {
            end[n_ends++] = i;
            end[n_ends++] = picked[k];
        }
    }
    if (!b || !end || weir_graph_build(NULL, b, &graph) != WEIR_OK) {
        fprintf(stderr, "no memory for a graph of %u nodes\n", n);
        exit(1);
    }
    weir_graph_builder_free(b);
    free(end);
    return graph;
}

#endif
