/* Strict priority: the highest band (bands.h) in which a packet waits, and that is not paused, is served, whatever waits
 * below. */
#ifndef WI_NET_QUEUE_QUEUE_PRIORITY_H
#define WI_NET_QUEUE_QUEUE_PRIORITY_H

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

typedef struct net_priority_asked {
    uint64_t mark_bytes;
} net_priority_asked;

static inline void net_priority_resolve(const void *asked, net_queue *q)
{
    net_bands_resolve(q, ((const net_priority_asked *)asked)->mark_bytes, NET_BANDS * sizeof(net_band));
}

#ifdef WI_QUEUE_WORDS
static const wi_key net_priority_keys[] = {NET_BANDS_KEYS(net_priority_asked)};

static const wi_queue_kind net_priority_words = {
    .section = {
        .name = "priority", .keys = net_priority_keys, .n_keys = 1, .size = sizeof(net_priority_asked)}};
#endif

#endif
