/* What the fuzzers of readers share: read the bytes as a format, walk over what comes out, write it and read
 * that. */
#ifndef TESTS_TOPOLOGY_FUZZ_READER_H
#define TESTS_TOPOLOGY_FUZZ_READER_H

#include <stdlib.h>
#include <string.h>

#include "weir/topology.h"

/* What the GraphML writer prints, its reader takes: the same nodes and links. */
static inline void fuzz_again(const weir_graph *g)
{
    weir_topology_options options;
    weir_graph *back = NULL;
    char *text;
    size_t size;
    weir_topology_options_init(&options);
    options.format = "graphml";
    if (weir_topology_print(NULL, g, "graphml", &text, &size) != WEIR_OK)
        abort();
    if (weir_topology_read(NULL, "again", text, size, &options, &back) != WEIR_OK ||
        back->n_nodes != g->n_nodes)
        abort();
    if (back->n_edges != g->n_edges || back->n_one_way != g->n_one_way || back->n_parallel != g->n_parallel)
        abort();
    weir_graph_free(back);
    free(text);
    static const char *const others[] = {"brite", "dot", "edges", "csv"};
    for (int i = 0; i < 4; i++)
        if (weir_topology_print(NULL, g, others[i], &text, &size) == WEIR_OK)
            free(text);
}

/* Bytes that ask for a large graph take longer than a fuzzer waits, and prove nothing. */
static inline bool fuzz_asks_for_much(const char *format, const uint8_t *data, size_t size)
{
    size_t digits = 0;
    for (size_t i = 0; i < size && format && strcmp(format, "brite-conf") == 0; i++) {
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
        if (digits > 4 || data[i] == 'e' || data[i] == 'E')
            if (digits > 4 || (i + 1 < size && data[i + 1] >= '0' && data[i + 1] <= '9'))
                return true;
    }
    return false;
}

static inline void fuzz_read(const char *format, const uint8_t *data, size_t size, weir_third_column third)
{
    weir_topology_options options;
    weir_topology_stats stats;
    weir_link_defaults defaults;
    weir_graph *g = NULL;
    if (fuzz_asks_for_much(format, data, size))
        return;
    weir_diag *diag = weir_diag_new();
    weir_topology_options_init(&options);
    options.format = format;
    options.third_column = third;
    options.duplicates = size % 2 ? WEIR_DUPLICATES_KEEP : WEIR_DUPLICATES_MERGE;
    const weir_status st =
        weir_topology_read(diag, format ? "fuzz" : "fuzz.txt", (const char *)data, size, &options, &g);
    if ((st == WEIR_OK) != (g != NULL) || (st != WEIR_OK) != (weir_diag_errors(diag) > 0))
        abort();
    if (g) {
        for (uint32_t e = 0; e < g->n_edges; e++)
            if (g->reverse[g->reverse[e]] != e || g->target[e] >= g->n_nodes ||
                (!weir_edge_exists(g, e) && !weir_edge_exists(g, g->reverse[e])))
                abort();
        for (uint32_t v = 0; v < g->n_nodes; v++)
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
                if (weir_edge_exists(g, e) != (e < g->end[v]))
                    abort();
        for (uint32_t v = 0; v < g->n_nodes; v++)
            if (weir_graph_find(g, g->name[v]) != v)
                abort();
        fuzz_again(g);
        weir_link_defaults_init(&defaults);
        (void)!weir_graph_fill(diag, g, &defaults, NULL);
        if (weir_topology_info(diag, g, &stats) == WEIR_OK)
            weir_topology_stats_free(&stats);
        weir_graph_free(g);
    }
    weir_diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
