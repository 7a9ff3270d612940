/* Pieces that failed links cut off a routing table, and pieces that come back. */
#ifndef WI_ROUTING_CUT_H
#define WI_ROUTING_CUT_H

#include "routing/algorithm/algorithm.h"
#include "routing/shared.h"

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

#endif
