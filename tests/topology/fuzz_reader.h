/* What the fuzzers of readers share: read the bytes as a format, then walk over what comes out. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stdlib.h>

#include "weir/topology.h"

static inline void fuzz_read(const char *format, const uint8_t *data, size_t size, weir_third_column third)
{
    weir_topology_options options;
    weir_topology_stats stats;
    weir_link_defaults defaults;
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    weir_topology_options_init(&options);
    options.format = format;
    options.third_column = third;
    options.duplicates = size % 2 ? WEIR_DUPLICATES_KEEP : WEIR_DUPLICATES_MERGE;
    const weir_status st = weir_topology_read(diag, "fuzz", (const char *)data, size, &options, &g);
    if ((st == WEIR_OK) != (g != NULL) || (st != WEIR_OK) != (weir_diag_errors(diag) > 0))
        abort();
    if (g) {
        for (uint32_t e = 0; e < g->n_edges; e++)
            if (g->reverse[g->reverse[e]] != e || g->target[e] >= g->n_nodes)
                abort();
        for (uint32_t v = 0; v < g->n_nodes; v++)
            if (weir_graph_find(g, g->name[v]) != v)
                abort();
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
