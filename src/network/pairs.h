/* Who talks to whom: the pairs of nodes of a class of traffic. */
#pragma once

#include "network/network.h"

enum { WI_PAIRS_MAX = 100000000 };

/* An ordered pair of nodes, with the demand between them where there is one. */
typedef struct wi_pair {
    uint32_t src, dst;
    uint64_t demand_bps;
} wi_pair;

typedef struct wi_pair_list {
    wi_pair *item; /* malloc'ed */
    size_t n;
} wi_pair_list;

/*
 * Add a class's pairs to an empty list, which the caller frees on every path. `random` is the class's stream.
 * WEIR_E_NOMEM, WEIR_E_SCENARIO (names that the topology lacks, a pair of a node with itself, no pair at
 * all), what wi_demands_load returns.
 */
WEIR_NODISCARD weir_status wi_network_pairs(weir_diag *diag, const wi_network *network,
                                            const weir_scenario_class *c, weir_stream *random,
                                            wi_pair_list *out);

/*
 * pairs_check.c. With the class's place: WEIR_E_SCENARIO for more pairs than any machine holds, WEIR_E_NOMEM where the flows
 * of so many surely take more memory than this machine has. To be asked before the pairs are made.
 */
WEIR_NODISCARD weir_status wi_pairs_check(weir_diag *diag, const weir_scenario_class *c, uint64_t pairs);

/* Add the pairs of one traffic matrix, times the class's scale; errors as above. */
WEIR_NODISCARD weir_status wi_network_demands(weir_diag *diag, const wi_network *network,
                                              const weir_scenario_class *c, const char *path,
                                              wi_pair_list *out);

/* Sum of the rates of the links that leave a node, bits a second. */
double wi_network_node_rate(const weir_graph *graph, uint32_t node);

/* The flows of a class whose demands follow each other, and what becomes of their rates. */
WEIR_NODISCARD weir_status wi_network_matrices(weir_diag *diag, wi_network *network, uint32_t cls);
