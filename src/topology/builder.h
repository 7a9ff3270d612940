/* What a weir_graph_builder holds, for the readers and generators of this folder; and views of a graph. */
#pragma once

#include "topology/names.h"
#include "weir/graph.h"

enum { WI_NODES_MAX = 1 << 24, WI_LINKS_MAX = 1 << 26 };

typedef struct wi_builder_node {
    double x, y;
    uint32_t as_number;
    uint32_t next_suffix; /* number to try first when the name comes again */
    uint8_t role, node_class;
} wi_builder_node;

struct weir_graph_builder {
    wi_names names;        /* [names.count]: the nodes' names */
    wi_builder_node *node; /* [names.count] */
    size_t node_capacity;
    weir_link *link;
    size_t n_links, link_capacity;
    uint32_t n_self_loops, n_one_way;
    uint32_t weight_scale;       /* 0: 1 */
    uint32_t n_renamed, renamed; /* nodes of a name in use, and the first of them */
    bool geographic, weighted;
    weir_status failed; /* the first failure, WEIR_OK until then */
    char why[160];
};

/* Make a graph with rates and delays of its own (weir_graph_fill, weir_graph_set_edge); all else is the
 * graph's that it is made of, which outlives it. To be freed by weir_graph_free; null when memory is
 * short. */
weir_graph *wi_graph_view(const weir_graph *graph);
/* Count the bytes that a graph takes, views left out. */
uint64_t wi_graph_bytes(const weir_graph *graph);
