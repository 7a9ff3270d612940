/* The shortest path of one pair: searches from both of its ends, which meet about half-way. */
#pragma once

#include "routing/algorithm/algorithm.h"

typedef struct wi_pair wi_pair;

/* Work space for so many nodes; null when memory is short. */
wi_pair *wi_pair_new(uint32_t n);
void wi_pair_free(wi_pair *pair);

/* How a search ended. */
typedef enum wi_pair_end {
    WI_PAIR_FOUND,
    WI_PAIR_NO_WAY,
    WI_PAIR_TOO_LONG, /* a path sum reached WEIR_PATH_LIMIT */
    WI_PAIR_BAD_COST  /* an edge on the way costs 0, or more than WEIR_COST_MAX */
} wi_pair_end;

/*
 * Find the shortest paths between two nodes of a net. *dist, good until the next call, then holds distances to `to` of all nodes on
 * one of them, and of no other node one by which it would seem to be: wi_lowest_edge leads from `from` along the canonical path.
 */
wi_pair_end wi_pair_find(wi_pair *pair, const wi_route_net *net, uint32_t from, uint32_t to,
                         const weir_cost **dist);
