/*
 * Eight bands at a port, one a class selector: the upper three bits of the DSCP that a class of traffic asks for
 * (RFC 2474, section 4.2.2). Each holds as much as the queue's limit says, and ECN-capable packets that come to more
 * than `mark` bytes of their band are marked.
 */
#ifndef WI_NET_PORT_BANDS_H
#define WI_NET_PORT_BANDS_H

#include "net/port/store.h"

enum { NET_BANDS = 8 };
/* In net_queue.own. */
enum { NET_BANDS_MARK, NET_BANDS_OWN };

typedef struct net_band {
    net_list list;
    uint32_t packets;
    int32_t credit;  /* where bands take turns */
    uint32_t next;   /* behind it among those whose turn comes, from 1 */
    uint32_t paused; /* by the neighbour, until it says otherwise (port/pfc.h) */
} net_band;

WEIR_FN net_band *net_band_of(const net_room *r, uint32_t slot)
{
    net_band *b = (net_band *)r->own + ((net_room_slot(r, slot)->tag >> 3) & (NET_BANDS - 1u));
    weir_touch(r->ctx, b, sizeof *b);
    return b;
}

/* The packet into its band, which is touched; false: it was dropped. */
WEIR_FN bool net_band_push(net_room *r, net_band *b, uint32_t slot)
{
    const uint32_t bytes = net_room_slot(r, slot)->packet.bytes;
    if (b->list.bytes + bytes > r->q->limit_bytes ||
        (r->q->limit_packets && b->packets >= r->q->limit_packets)) {
        net_room_drop(r, slot, NET_DROP_LIMIT);
        return false;
    }
    if (r->q->ecn && net_room_ecn_capable(r, slot) && b->list.bytes > r->q->own[NET_BANDS_MARK])
        net_room_mark(r, slot);
    net_list_push(r, &b->list, slot);
    b->packets++;
    return true;
}

WEIR_FN uint32_t net_band_pop(net_room *r, net_band *b)
{
    weir_touch(r->ctx, b, sizeof *b);
    b->packets--;
    return net_list_pop(r, &b->list);
}

enum { NET_BAND_LIMIT = 1000 }; /* packets */

static inline void net_bands_resolve(net_queue *q, uint64_t mark_bytes, size_t state_bytes)
{
    q->own[NET_BANDS_MARK] = mark_bytes;
    q->ecn = mark_bytes > 0;
    q->tag = NET_TAG_DSCP;
    net_store_resolve(q, NET_BAND_LIMIT, state_bytes);
    q->slots = q->slots < NET_STORE_MAX / NET_BANDS ? NET_BANDS * q->slots : NET_STORE_MAX;
}

#ifdef WI_QUEUE_WORDS
#define NET_BANDS_KEYS(type)                                                                           \
    {                                                                                                  \
        .name = "mark", .kind = &wi_kind_size, .offset = offsetof(type, mark_bytes), .fallback = "0B", \
        .doc = "what waits in a band above which packets of ECN-capable flows are marked; 0: none are" \
    }
#endif

#endif
