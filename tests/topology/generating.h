/* What the tests of generators share: a graph from "model" and "name=value ..." text, and its pieces. */
#ifndef TESTS_TOPOLOGY_GENERATING_H
#define TESTS_TOPOLOGY_GENERATING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/topology.h"

/* "width=3 height=4" as arguments, which point into the text and change it. Returns their number. */
static inline size_t generator_args(char *text, weir_generator_arg *args)
{
    size_t n = 0;
    for (char *at = strtok(text, " "); at && n < WEIR_GENERATOR_PARAMS_MAX; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        *value = '\0';
        args[n] = (weir_generator_arg){at, value + 1, "s.yaml", 7, (int)n + 1};
        n++;
    }
    return n;
}

static inline weir_status generate_text(weir_diag *diag, const char *model, const char *text, uint64_t seed,
                                        weir_graph **g)
{
    char copy[800];
    weir_generator_arg args[WEIR_GENERATOR_PARAMS_MAX];
    snprintf(copy, sizeof copy, "%s", text);
    const size_t n = generator_args(copy, args);
    return weir_topology_generate(diag, model, args, n, seed, g);
}

static inline weir_graph *generated(const char *model, const char *text, uint64_t seed)
{
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    if (generate_text(diag, model, text, seed, &g) != WEIR_OK)
        fail_msg("%s %s: %s", model, text, weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    weir_diag_free(diag);
    return g;
}

static inline uint32_t degree_of(const weir_graph *g, uint32_t v)
{
    return g->first[v + 1] - g->first[v];
}

/* How many components the links that `keep` allows make of the nodes. */
static inline uint32_t components_of(const weir_graph *g,
                                     bool (*keep)(const weir_graph *g, uint32_t u, uint32_t v))
{
    uint32_t *queue = malloc((size_t)g->n_nodes * sizeof *queue);
    bool *seen = calloc(g->n_nodes, sizeof *seen);
    uint32_t found = 0;
    for (uint32_t s = 0; s < g->n_nodes; s++) {
        uint32_t begin = 0, end = 0;
        if (seen[s])
            continue;
        found++;
        seen[s] = true;
        queue[end++] = s;
        while (begin < end) {
            const uint32_t u = queue[begin++];
            for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++) {
                const uint32_t v = g->target[e];
                if (seen[v] || (keep && !keep(g, u, v)))
                    continue;
                seen[v] = true;
                queue[end++] = v;
            }
        }
    }
    free(queue);
    free(seen);
    return found;
}

static inline bool within_as(const weir_graph *g, uint32_t u, uint32_t v)
{
    return g->as_number[u] == g->as_number[v];
}

/* FNV-1a over all that a graph says of nodes and links, doubles by their bits. */
static inline uint64_t graph_hash(const weir_graph *g)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
#define FOLD(array, n)                                            \
    for (size_t i_ = 0; i_ < (size_t)(n) * sizeof *(array); i_++) \
    hash = (hash ^ ((const unsigned char *)(array))[i_]) * UINT64_C(0x100000001b3)
    FOLD(g->first, g->n_nodes + 1);
    FOLD(g->target, g->n_edges);
    FOLD(g->rate_bps, g->n_edges);
    FOLD(g->delay_ps, g->n_edges);
    FOLD(g->as_number, g->n_nodes);
    FOLD(g->node_class, g->n_nodes);
    FOLD(g->x, g->n_nodes);
    FOLD(g->y, g->n_nodes);
#undef FOLD
    return hash;
}

#endif
