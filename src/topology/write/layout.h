/* Places to draw a graph at. */
#ifndef WI_TOPOLOGY_WRITE_LAYOUT_H
#define WI_TOPOLOGY_WRITE_LAYOUT_H

#include "weir/graph.h"

typedef struct wi_point {
    double x, y;
} wi_point;

/* Whether a drawing at the graph's own coordinates shows it: all nodes have some, they differ, and no two
 * ASes share a plane (BRITE gives each AS one of its own, so that all lie over each other). */
bool wi_layout_has_map(const weir_graph *graph);
/* The graph's coordinates, y upwards. */
void wi_layout_map(const weir_graph *graph, wi_point *place);
/*
 * Force-directed (Fruchterman and Reingold 1991): nodes repel each other, links pull, and the steps grow
 * shorter. Repulsion of far nodes is taken together in the squares of a quadtree (Barnes and Hut 1986), so a
 * step costs n log n. A pull towards the middle keeps separate parts together. Same places always. False when
 * memory is short.
 */
bool wi_layout_forces(const weir_graph *graph, wi_point *place);

#endif
