/* The shortest path of one pair: searches from both of its ends, which meet about half-way. */
#pragma once

#include "routing/search/tree.h"

/* How a search ended. */
typedef enum wi_pair_end {
    WI_PAIR_FOUND,
    WI_PAIR_NO_WAY,
    WI_PAIR_TOO_LONG, /* a path sum reached WEIR_PATH_LIMIT */
    WI_PAIR_BAD_COST, /* an edge on the way costs 0, or more than WEIR_COST_MAX */
    WI_PAIR_NO_MEMORY /* the first search of a work space makes it larger */
} wi_pair_end;

/*
 * Find the shortest paths between two nodes of a net. *dist, good until the next call, then holds distances to `to` of all nodes on
 * one of them, and of no other node one by which it would seem to be: wi_lowest_edge leads from `from` along the canonical path.
 */
wi_pair_end wi_pair_find(wi_tree_space *space, const wi_route_net *net, uint32_t from, uint32_t to,
                         const weir_cost **dist);
