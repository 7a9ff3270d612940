/* Measurements that need a walk through the graph. */
#pragma once

#include "weir/topology.h"

/* Measure components, diameter and mean path. WEIR_E_NOMEM without a message, as the others. */
weir_status wi_measure_paths(const weir_graph *graph, weir_topology_stats *stats);
/* Measure strong components, and the largest; components are known. */
weir_status wi_measure_strong(const weir_graph *graph, weir_topology_stats *stats);
/* Measure clustering and transitivity. */
weir_status wi_measure_clustering(const weir_graph *graph, weir_topology_stats *stats);

/* Number each node's part, from 0: [nodes], to be freed; null when memory is short. Two nodes of a part reach
 * each other both ways. */
uint32_t *wi_connected_parts(const weir_graph *graph, uint32_t *n_parts);
