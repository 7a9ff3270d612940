/* Places to draw a graph at. */
#pragma once

#include "weir/graph.h"

typedef struct wi_point {
    double x, y; /* upwards */
} wi_point;

typedef enum wi_layout {
    WI_LAYOUT_NONE, /* memory is short */
    WI_LAYOUT_MAP,  /* the graph's own coordinates; nodes that lack some lie near their neighbours */
    WI_LAYOUT_TIERS,
    WI_LAYOUT_GROUPS,
    WI_LAYOUT_FORCES
} wi_layout;

/*
 * Places of all nodes, and how they were found. The first way that fits:
 * - a map, where half of the nodes or more have coordinates that differ, and no two ASes share a plane (BRITE gives each AS
 *   one of its own, so that all lie over each other);
 * - tiers, where each link leads from hosts one tier up or down: fat-trees, leaf-spines;
 * - groups on a circle, each node by its router, where routers are called gG_rR as those of a dragonfly are;
 * - forces.
 */
wi_layout wi_layout_places(const weir_graph *graph, wi_point *place);

/*
 * Force-directed (Fruchterman and Reingold 1991): nodes repel each other, links pull, and the steps grow
 * shorter. Repulsion of far nodes is taken together in the squares of a quadtree (Barnes and Hut 1986), so a
 * step costs n log n. A pull towards the middle keeps separate parts together. Same places always. False when
 * memory is short.
 */
bool wi_layout_forces(const weir_graph *graph, wi_point *place);
