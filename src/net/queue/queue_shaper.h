/* A shaper: a token bucket (bucket.h) before the line; packets wait for tokens, first come, first served. */
#ifndef WI_NET_QUEUE_QUEUE_SHAPER_H
#define WI_NET_QUEUE_QUEUE_SHAPER_H

#include "net/port/bucket.h"
#include "net/port/store.h"

typedef struct net_shaper {
    net_list list;
    weir_time u_ps;
} net_shaper;

enum { NET_SHAPER_MARK = NET_BUCKET_OWN };

WEIR_FN void net_shaper_enqueue(net_room *r, uint32_t slot)
{
    net_shaper *s = (net_shaper *)r->own;
    if (net_room_over(r)) {
        net_room_drop(r, slot, NET_DROP_LIMIT);
        return;
    }
    weir_touch(r->ctx, s, sizeof *s);
    if (r->q->ecn && net_room_ecn_capable(r, slot) && s->list.bytes > r->q->own[NET_SHAPER_MARK])
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

enum { NET_SHAPER_LIMIT = 1000 }; /* packets */

/* Begins with what every bucket has. */
typedef struct net_shaper_asked {
    net_bucket_asked bucket;
    uint64_t mark_bytes;
} net_shaper_asked;

static inline void net_shaper_resolve(const void *asked, net_queue *q)
{
    const net_shaper_asked *a = (const net_shaper_asked *)asked;
    net_bucket_set(&a->bucket, q);
    q->own[NET_SHAPER_MARK] = a->mark_bytes;
    q->ecn = a->mark_bytes > 0;
    net_store_resolve(q, NET_SHAPER_LIMIT, sizeof(net_shaper));
}

#ifdef WI_QUEUE_WORDS
static const wi_key net_shaper_keys[] = {
    NET_BUCKET_KEYS,
    {.name = "mark",
     .kind = &wi_kind_size,
     .offset = offsetof(net_shaper_asked, mark_bytes),
     .fallback = "0B",
     .doc = "what waits above which packets of ECN-capable flows are marked; 0: none are"},
};

static const wi_queue_kind net_shaper_words = {
    .section = {.name = "shaper",
                .keys = net_shaper_keys,
                .n_keys = sizeof net_shaper_keys / sizeof net_shaper_keys[0],
                .size = sizeof(net_shaper_asked)}};
#endif

#endif
