/* Graphs that differ in rates and delays only, over one set of nodes and links. */
#ifndef WI_TOPOLOGY_VIEW_H
#define WI_TOPOLOGY_VIEW_H

#include "weir/graph.h"

/* A graph with rates and delays of its own (weir_graph_fill, weir_graph_set_edge); all else is the graph's that it was made
 * of, which outlives it. To be freed by weir_graph_free; null when memory is short. */
weir_graph *wi_graph_view(const weir_graph *graph);
/* Memory that a graph takes, views not counted. */
uint64_t wi_graph_bytes(const weir_graph *graph);

#endif
