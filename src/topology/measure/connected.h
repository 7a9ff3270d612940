/* Which nodes of a graph reach each other. */
#ifndef WI_TOPOLOGY_MEASURE_CONNECTED_H
#define WI_TOPOLOGY_MEASURE_CONNECTED_H

#include "weir/topology.h"

/* [nodes] the number of each node's part, from 0; two nodes of a part reach each other both ways. To be freed;
 * null when memory is short. */
uint32_t *wi_connected_parts(const weir_graph *graph, uint32_t *n_parts);

#endif
