/* An update for who keeps a table made from that of all pairs: what in it has changed. */
#ifndef WI_ROUTING_UPDATE_H
#define WI_ROUTING_UPDATE_H

#include "weir/routes.h"

/*
 * weir_routes_update, which sets touched[j], too, for each core number j (of the view's n_core, and null for
 * none) whose column may have other entries now; what is not set has not changed. Nodes that failed links cut
 * off or repaired ones joined have another core number in the view. Where updated->whole, all may differ.
 */
WEIR_NODISCARD weir_status wi_routes_update(weir_diag *diag, weir_routes *routes, const weir_graph *graph,
                                            weir_cost *cost, const weir_route_change *changes,
                                            uint32_t n_changes, const weir_routes_options *options,
                                            uint8_t *touched, weir_route_updated *updated);

#endif
