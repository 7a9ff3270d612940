/* Which all-pairs algorithm computes a table. */
#ifndef WI_ROUTING_CHOOSE_H
#define WI_ROUTING_CHOOSE_H

#include "routing/algorithm/algorithm.h"

/* The algorithm for a request, and in *reason why it is that one; null: there is none, *reason says why. */
const wi_algorithm *wi_choose(const wi_core *core, const wi_table *table, const weir_routes_options *options,
                              const char **reason);
/* The narrowest algorithm that takes the core: `narrow`, or one of those wider than it. */
const wi_algorithm *wi_fitting(const wi_core *core, const wi_algorithm *narrow);

#endif
