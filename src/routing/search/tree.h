/* Shortest-path trees, one destination at a time. */
#pragma once

#include "routing/algorithm/algorithm.h"

typedef struct weir_route_space wi_tree_space;

/* The costs of a net's usable edges. */
wi_cost_range wi_net_costs(const wi_route_net *net);
/* The same where all are equal, or one is out of range; else bounds, at less cost. */
wi_cost_range wi_net_bounds(const wi_route_net *net);
/* Bytes of a work space for so many nodes. */
size_t wi_tree_space_bytes(uint32_t n);
/* Make a work space for so many nodes, freed by weir_route_space_free; null when memory is short. */
wi_tree_space *wi_tree_space_new(uint32_t n);
/* Find the distances of every node to dst. False: a path sum reached WEIR_PATH_LIMIT. */
bool wi_tree_distances(const wi_route_net *net, uint32_t dst, wi_tree_space *space, weir_cost *dist);
/* Check that a destination is a node of the graph, and that the work space is large enough. */
weir_status wi_tree_fits(weir_diag *diag, const weir_graph *graph, uint32_t dst,
                         const weir_route_space *space);
/* Check what public calls for one destination are given, and set up the net. */
weir_status wi_tree_check(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, uint32_t dst,
                          const weir_route_space *space, wi_route_net *net);
/* Refuse a graph with a node of more links than there are port numbers. */
weir_status wi_check_ports(weir_diag *diag, const weir_graph *graph);
/* Report a path sum that reached WEIR_PATH_LIMIT, on the way to the node of that name; null: to some node. */
weir_status wi_too_long(weir_diag *diag, const char *to);
/* Find the canonical ports for the distances of wi_tree_distances. */
void wi_tree_ports(const wi_route_net *net, const weir_cost *dist, uint16_t *port);
