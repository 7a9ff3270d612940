/* What the files that make a forwarding table share: sharing.c finds it or has it computed by forwarding.c, which may ask
 * all_pairs.c. */
#ifndef WI_NET_BUILD_FORWARDING_H
#define WI_NET_BUILD_FORWARDING_H

#include "net/build/build.h"

/* The table, and its sets of ports as long as they are collected, for costs that are known. */
WEIR_NODISCARD weir_status wi_net_forwarding_compute(weir_diag *diag, wi_net_forwarding *f);
/* Whether it comes from the routes of all pairs, or of one destination after another. */
bool wi_net_forwarding_by_pairs(const wi_net_forwarding *f);
/* f->routes: of all pairs; those that networks share, or a copy of them where they will change. */
WEIR_NODISCARD weir_status wi_net_all_pairs(weir_diag *diag, wi_net_forwarding *f);
void wi_net_free_all_pairs(wi_net_forwarding *f);
/* Of all that is shared among the routes of this graph under these costs, by what it is. */
wi_common_key wi_net_costs_key(const wi_net_forwarding *f, const char *what);

#endif
