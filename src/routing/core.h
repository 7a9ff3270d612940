/* The pruned core of a graph (see algorithm.h): made and freed; pieces that failed links cut off
 * its table, and pieces that come back. */
#pragma once

#include "routing/algorithm/algorithm.h"
#include "routing/shared.h"

/* Make the core of a graph under these costs. On failure there is nothing to free. */
weir_status wi_core_build(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, wi_core *core);
/* Take other costs on the same core: as it was pruned, in the same numbering. */
weir_status wi_core_reload(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, wi_core *core);
/* Free a core; a zeroed one is allowed. */
void wi_core_free(wi_core *core);
/* Free what only the algorithms read. */
void wi_core_free_net(wi_core *core);

/* Nodes of hanging trees whose way up fails or is repaired. */
typedef struct wi_cuts {
    uint32_t *node; /* [number of changes], the caller's: here rising, each once */
    uint32_t n;
    uint64_t in_use; /* spare core numbers that stay so */
} wi_cuts;
/* Find them among the changes. False where a change joins trees in another way than they hung, or where more
 * pieces would be cut off than there are spare numbers. */
bool wi_cuts_find(const weir_routes *routes, const wi_route_update *what, const weir_cost *after,
                  wi_cuts *cuts);
/* Cut off and join. stack: [n_nodes]. Returns how many nodes moved. */
uint32_t wi_cuts_apply(weir_routes *routes, const weir_graph *graph, const weir_cost *after,
                       const wi_cuts *cuts, uint32_t *stack);
