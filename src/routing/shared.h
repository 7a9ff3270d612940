/* Tables of all pairs for who keeps something made from them: copies, and what in one has changed. */
#pragma once

#include "weir/routes.h"

/* Routes that several networks have in common are asked by all and updated by none: who updates takes a copy,
 * freed by weir_routes_free; null when memory is short. */
weir_routes *wi_routes_clone(const weir_routes *routes);

/* Entries of the table of all pairs, by their rows and columns, which are core numbers; the array is malloc'ed, and at first there is
 * none. */
typedef struct wi_route_entries {
    uint32_t (*entry)[2];
    size_t n, room;
} wi_route_entries;

/* New costs of some edges. */
typedef struct wi_route_update {
    const weir_graph *graph;
    weir_cost *cost; /* as weir_routes_update has these */
    const weir_route_change *changes;
    uint32_t n_changes;
    const weir_routes_options *options;
    wi_route_entries *changed; /* or null */
} wi_route_update;

/*
 * Change costs as weir_routes_update does, and add to `changed` each entry that is another now, some of them twice. Nodes that
 * failed links cut off or repaired ones joined have another core number in the view. Where updated->whole, all may differ.
 */
WEIR_NODISCARD weir_status wi_routes_update(weir_diag *diag, weir_routes *routes, const wi_route_update *what,
                                            weir_route_updated *updated);
