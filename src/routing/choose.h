/* Which all-pairs algorithm computes a table. */
#pragma once

#include "routing/algorithm/algorithm.h"

/* The algorithm for a request, and in *reason why it is that one; null: there is none, *reason says why. */
const wi_algorithm *wi_choose(const wi_core *core, const wi_table *table, const weir_routes_options *options,
                              const char **reason);
/* The narrowest algorithm that takes the core: `narrow`, or one of those wider than it. */
const wi_algorithm *wi_fitting(const wi_core *core, const wi_algorithm *narrow);

/* What one kind of processor has to choose from. */
typedef struct wi_family {
    const wi_algorithm *of[WEIR_ROUTE_FLOYD_PAPER + 1]; /* by number, the narrowest; null: none */
    const char *lacks;                                  /* the reason where it has none */
    uint32_t
        deep_levels; /* beyond so many levels from the middle relaxation is faster than a search by levels */
    uint32_t dense_nodes; /* Floyd-Warshall takes graphs up to so many nodes */
    uint32_t dense_part;  /* where they have one of so many of the links that there could be */
} wi_family;
/* Those of a CUDA device. */
extern const wi_family wi_cuda_family;

/* True where a CUDA device can be used; *why says why not. */
bool wi_cuda_ready(const char **why);
/* Make a CUDA device the calling thread's current one; false where there is none of that number. */
bool wi_cuda_select(int number, const char **why);
/* True where it has room for the table and the algorithm's work now. */
bool wi_cuda_fits(const wi_algorithm *algorithm, const wi_core *core, const wi_table *table);
