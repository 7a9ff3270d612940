/* The measurements behind weir_topology_info that need a walk through the graph. */
#ifndef WI_TOPOLOGY_MEASURE_MEASURE_H
#define WI_TOPOLOGY_MEASURE_MEASURE_H

#include "weir/topology.h"

/* Components, diameter and mean path into the stats. WEIR_E_NOMEM without a message. */
/* Strong components, and the largest. False when memory is short. */
bool wi_measure_strong(const weir_graph *graph, weir_topology_stats *stats);
weir_status wi_measure_paths(const weir_graph *graph, weir_topology_stats *stats);
/* Clustering and transitivity into the stats. WEIR_E_NOMEM without a message. */
weir_status wi_measure_clustering(const weir_graph *graph, weir_topology_stats *stats);

#endif
