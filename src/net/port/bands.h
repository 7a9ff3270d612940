/*
 * Eight bands at a port, one a class selector: the upper three bits of the DSCP that a class of traffic asks for
 * (RFC 2474, section 4.2.2). Each holds as much as the queue's limit says, and ECN-capable packets that come to more
 * than `mark` bytes of their band are marked.
 */
#pragma once

#include "net/port/store.h"

enum { NET_BANDS = 8 };
/* Parameters of every discipline with bands begin with these. */
typedef struct WEIR_OVERLAY net_bands_params {
    uint64_t mark_bytes; /* 0: nothing is marked */
} net_bands_params;

typedef struct net_band {
    net_list list;
    uint32_t packets;
    int32_t credit;      /* where bands take turns */
    uint32_t next;       /* behind it among those whose turn comes, from 1 */
    uint32_t paused;     /* by the neighbour, until it releases it (switch/pfc.h) */
    weir_time paused_ps; /* for how long in all; while it is paused, less the present time */
} net_band;

/* The band of the packet in a slot, touched. */
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
    if (b->list.bytes + bytes > r->q->params.limit_bytes ||
        (r->q->params.limit_packets && b->packets >= r->q->params.limit_packets)) {
        net_room_drop(r, slot, NET_DROP_LIMIT);
        return false;
    }
    if (r->q->ecn && net_room_ecn_capable(r, slot) &&
        b->list.bytes > NET_QUEUE_PARAMS(bands, r->q)->mark_bytes)
        net_room_mark(r, slot);
    net_list_push(r, &b->list, slot);
    b->packets++;
    return true;
}

/* Take the first packet of a band. */
WEIR_FN uint32_t net_band_pop(net_room *r, net_band *b)
{
    weir_touch(r->ctx, b, sizeof *b);
    b->packets--;
    return net_list_pop(r, &b->list);
}

static inline void net_bands_resolve(net_queue *q, size_t state_bytes)
{
    q->ecn = NET_QUEUE_PARAMS(bands, q)->mark_bytes > 0;
    q->tag = NET_TAG_DSCP;
    net_store_resolve(q, state_bytes);
    q->slots = q->slots < NET_STORE_MAX / NET_BANDS ? NET_BANDS * q->slots : NET_STORE_MAX;
}
