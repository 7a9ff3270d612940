/* Shortest-path trees, one destination at a time. */
#ifndef WI_ROUTING_SEARCH_TREE_H
#define WI_ROUTING_SEARCH_TREE_H

#include "routing/algorithm/algorithm.h"

wi_cost_range wi_net_costs(const wi_route_net *net);
typedef struct weir_route_space wi_tree_space;
size_t wi_tree_space_bytes(uint32_t n);
wi_tree_space *wi_tree_space_new(uint32_t n);
/* Distances of every node to dst. False: a path sum reached WEIR_PATH_LIMIT. */
bool wi_tree_distances(const wi_route_net *net, wi_cost_range costs, uint32_t dst, wi_tree_space *space,
                       weir_cost *dist);
/* The same, but stop when `until` is settled: what is as far or farther may then have no distance, or a
 * longer one. */
bool wi_tree_until(const wi_route_net *net, wi_cost_range costs, uint32_t dst, uint32_t until,
                   wi_tree_space *space, weir_cost *dist);
/* Where distances go that the caller does not keep: [n]. */
weir_cost *wi_tree_dist(wi_tree_space *space);
/* What public calls for one destination must be given; sets up net and costs. */
weir_status wi_tree_check(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, uint32_t dst,
                          const weir_route_space *space, bool ports, wi_route_net *net, wi_cost_range *costs);
/* The error of a path sum that reached WEIR_PATH_LIMIT, on the way to the node of that name; or null. */
weir_status wi_too_long(weir_diag *diag, const char *to);
/* Canonical ports for the distances of wi_tree_distances. */
void wi_tree_ports(const wi_route_net *net, const weir_cost *dist, uint16_t *port);

#endif
