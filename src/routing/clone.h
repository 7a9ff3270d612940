/* Routes that several networks have in common are asked by all and updated by none: who updates takes a copy. */
#ifndef WI_ROUTING_CLONE_H
#define WI_ROUTING_CLONE_H

#include "weir/routes.h"

/* A copy to be updated, and freed by weir_routes_free; null when memory is short. */
weir_routes *wi_routes_clone(const weir_routes *routes);

#endif
