/* Strict priority: the highest band (bands.h) in which a packet waits, and that is not paused, is served, whatever waits
 * below. */
#pragma once

#include "net/port/bands.h"

WEIR_FN void net_priority_enqueue(net_room *r, uint32_t slot)
{
    net_band_push(r, net_band_of(r, slot), slot);
}

WEIR_FN uint32_t net_priority_depart(net_room *r)
{
    net_band *bands = (net_band *)r->own;
    for (int i = NET_BANDS - 1; i >= 0; i--)
        if (bands[i].packets > 0 && !bands[i].paused)
            return net_band_pop(r, &bands[i]);
    r->again_ps = WEIR_TIME_MAX; /* what waits is paused */
    return 0;
}

static inline void net_priority_resolve(net_queue *q)
{
    net_bands_resolve(q, NET_BANDS * sizeof(net_band));
}
