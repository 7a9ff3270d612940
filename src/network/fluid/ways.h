/* Ways of fluid as they are found: flows of the plan, and their edges. */
#pragma once

#include "network/fluid/fluid.h"

typedef struct wi_fluid_ways {
    const wi_fluid_net *f;
    const wi_fluid_demand *demand;
    uint32_t cls;           /* of the plan */
    weir_fluid_flow *flows; /* growing, with the end of each one's path */
    uint32_t *path_end, n;
    size_t room, end_room, edge_room;
    uint32_t *edge, used;
    weir_time least_delay_ps;
    uint32_t long_way;                    /* routers on the longest way of the demand */
    uint64_t slow_access_bps, beside_bps; /* an access link slower than the link beside it; 0: none */
    uint32_t one_way; /* an edge of the demand's paths that has no way back; UINT32_MAX: none */
    bool short_of_memory;
} wi_fluid_ways;

/* Room for one more way of so many hops; false when memory is short, which w remembers. */
bool wi_fluid_ways_room(wi_fluid_ways *w, uint32_t hops);
void wi_fluid_ways_free(wi_fluid_ways *w);
/* Ways of demand i as the network has them now; the number that there are. */
WEIR_NODISCARD weir_status wi_fluid_ways_look(weir_diag *diag, wi_fluid_ways *w, uint32_t i, uint32_t cls,
                                              uint32_t *found);
