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
/* The table from those routes, and what of it changes with them. */
void wi_net_copy_all_pairs(wi_net_forwarding *f);
WEIR_NODISCARD weir_status wi_net_change_all_pairs(weir_diag *diag, wi_net_forwarding *f,
                                                   const weir_route_change *changes, uint32_t n);
/* entries.c. Set an entry: a port, or the number of a set; logged where it is another than before. */
void wi_net_forwarding_put(wi_net_forwarding *f, uint32_t router, uint32_t column, uint32_t entry);

/* An entry as it stands in the table; all ones of its width: no way. */
static inline uint32_t wi_net_forwarding_raw(const wi_net_forwarding *f, size_t at)
{
    return f->entry_bytes == 1 ? f->table[at] : ((const uint16_t *)(const void *)f->table)[at];
}
/* An entry; WEIR_NO_PORT where there is no way. */
static inline uint32_t wi_net_forwarding_get(const wi_net_forwarding *f, uint32_t router, uint32_t column)
{
    const uint32_t entry = wi_net_forwarding_raw(f, (size_t)router * f->n_columns + column);
    return f->entry_bytes == 1 && entry == UINT8_MAX ? WEIR_NO_PORT : entry;
}
/* Of all that is shared among the routes of this graph under these costs, by what it is. */
wi_common_key wi_net_costs_key(const wi_net_forwarding *f, const char *what);

#endif
