/* A shaper: a token bucket (bucket.h) before the line; packets wait for tokens, first come, first served. */
#pragma once

#include "net/port/bucket.h"
#include "net/port/store.h"

typedef struct net_shaper {
    net_list list;
    weir_time u_ps;
} net_shaper;

typedef struct WEIR_OVERLAY net_shaper_params {
    net_bucket_params bucket;
    uint64_t mark_bytes; /* 0: nothing is marked */
} net_shaper_params;

WEIR_FN void net_shaper_enqueue(net_room *r, uint32_t slot)
{
    net_shaper *s = (net_shaper *)r->own;
    if (net_room_over(r)) {
        net_room_drop(r, slot, NET_DROP_LIMIT);
        return;
    }
    weir_touch(r->ctx, s, sizeof *s);
    if (r->q->ecn && net_room_ecn_capable(r, slot) &&
        s->list.bytes > NET_QUEUE_PARAMS(shaper, r->q)->mark_bytes)
        net_room_mark(r, slot);
    net_list_push(r, &s->list, slot);
}

WEIR_FN uint32_t net_shaper_depart(net_room *r)
{
    net_shaper *s = (net_shaper *)r->own;
    if (s->list.head == 0)
        return 0;
    const uint32_t bytes = net_room_slot(r, s->list.head)->packet.bytes;
    r->again_ps = net_bucket_opens(r->q, s->u_ps, bytes);
    if (r->again_ps > r->now_ps)
        return 0;
    weir_touch(r->ctx, s, sizeof *s);
    s->u_ps = net_bucket_after(r->q, s->u_ps, r->now_ps, bytes);
    return net_list_pop(r, &s->list);
}

static inline void net_shaper_resolve(net_queue *q)
{
    net_bucket_resolve(q);
    q->ecn = NET_QUEUE_PARAMS(shaper, q)->mark_bytes > 0;
    net_store_resolve(q, sizeof(net_shaper));
}
