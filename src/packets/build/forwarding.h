/* What the files that make a forwarding table share: sharing.c finds it or has it computed by forwarding.c, which may ask
 * all_pairs.c. */
#pragma once

#include <stdlib.h>

#include "packets/build/build.h"
#include "base/memory.h"

/* forwarding.c, sharing.c: the world's table for all destinations; `router_node` and `column_node` are graph nodes. */
struct wi_image;
struct wi_net_port_sets;
typedef struct wi_net_forwarding {
    const weir_graph *graph;
    weir_metric metric;
    wi_common *shared; /* as the plan has it */
    wi_common_key graph_key;
    bool ecmp, will_change; /* wi_net_forwarding_change will be called */
    const uint32_t *router_node, *column_node;
    uint32_t n_routers, n_columns;
    /* results, malloc'ed; or the shared thing's, for reading only */
    wi_common_thing *thing;     /* to be given back; null: nothing is shared */
    const struct wi_cow *pages; /* of it: the table at first; null: worlds have copies */
    bool borrowed;              /* table and sets are the thing's */
    unsigned char *table;
    uint32_t entry_bytes;
    weir_cost *cost;              /* [n_edges] as last changed */
    wi_net_entry_change *changed; /* [n_changed] in the order of the changes */
    uint64_t n_changed;
    uint32_t *set_first, *set_bounds;
    uint16_t *set_ports;
    uint32_t n_sets, n_set_ports;
    /* while it is made */
    struct wi_net_port_sets *sets;
    weir_routes *routes;    /* where the table came from that of all pairs */
    wi_common_thing *pairs; /* whose these are; null: the forwarding's own */
    bool logging, no_memory;
} wi_net_forwarding;
WEIR_NODISCARD weir_status wi_net_forwarding_make(weir_diag *diag, wi_net_forwarding *f);
/* The first part of it: the costs, and how wide an entry is. */
WEIR_NODISCARD weir_status wi_net_forwarding_costs(weir_diag *diag, wi_net_forwarding *f);
/* Change costs of edges, and the table where that matters; what becomes of its entries is added to `changed`.
 */
WEIR_NODISCARD weir_status wi_net_forwarding_change(weir_diag *diag, wi_net_forwarding *f,
                                                    const weir_route_change *changes, uint32_t n);
/* After the last change: the sets of equal-cost ports that all these tables number. */
WEIR_NODISCARD weir_status wi_net_forwarding_finish(weir_diag *diag, wi_net_forwarding *f);
void wi_net_forwarding_free(wi_net_forwarding *f);
/* Whether there is a way from a router (by number) to a column. */
bool wi_net_forwarding_reaches(const wi_net_forwarding *f, uint32_t router, uint32_t column);

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

/* An entry as it stands in the table; all ones of its width: no way. */
static inline uint32_t wi_net_forwarding_raw(const wi_net_forwarding *f, size_t at)
{
    return f->entry_bytes == 1 ? f->table[at] : ((const uint16_t *)(const void *)f->table)[at];
}

/* Remember that an entry changes; false when memory is short. */
static inline bool wi_net_log_change(wi_net_forwarding *f, uint64_t at, uint32_t before, uint32_t after)
{
    if (!wi_grow_one(&f->changed, f->n_changed, sizeof *f->changed))
        return false;
    f->changed[f->n_changed++] = (wi_net_entry_change){at, (uint16_t)before, (uint16_t)after};
    return true;
}

/* Sets an entry, and logs the change where changes are logged; f->no_memory when memory is short. */
static inline void wi_net_forwarding_put(wi_net_forwarding *f, uint32_t router, uint32_t column,
                                         uint32_t entry)
{
    const size_t at = (size_t)router * f->n_columns + column;
    if (entry == WEIR_NO_PORT && f->entry_bytes == 1)
        entry = UINT8_MAX;
    const uint32_t before = f->logging ? wi_net_forwarding_raw(f, at) : entry;
    if (before != entry && !wi_net_log_change(f, at, before, entry))
        f->no_memory = true;
    if (f->entry_bytes == 1)
        f->table[at] = (uint8_t)entry;
    else
        ((uint16_t *)(void *)f->table)[at] = (uint16_t)entry;
}
/* An entry; WEIR_NO_PORT where there is no way. */
static inline uint32_t wi_net_forwarding_get(const wi_net_forwarding *f, uint32_t router, uint32_t column)
{
    const uint32_t entry = wi_net_forwarding_raw(f, (size_t)router * f->n_columns + column);
    return f->entry_bytes == 1 && entry == UINT8_MAX ? WEIR_NO_PORT : entry;
}
/* Of all that is shared among the routes of this graph under these costs, by what it is. */
wi_common_key wi_net_costs_key(const wi_net_forwarding *f, const char *what);
