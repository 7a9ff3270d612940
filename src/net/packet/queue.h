/*
 * Queue disciplines: who decides whether a packet is accepted, marked or dropped, at arrival or at departure.
 *
 * A discipline of arrivals sees the packet, the backlog, its parameters and its own few words of state; it can be tested
 * without a network. queues.h has the list of them, and what makes a new one. Backlog is what is accepted and not
 * yet sent, the unsent rest of the packet in transmission included, as in the fluid model.
 */
#pragma once

#include "weir/queue.h"
#include "weir/random.h"
#include "weir/time.h"

/* Why a packet is not sent on. */
enum net_verdict {
    NET_ACCEPT,
    NET_MARK,       /* accepted, with congestion experienced */
    NET_DROP_LIMIT, /* the queue is full */
    NET_DROP_EARLY, /* RED, or the fluid's drop probability */
    NET_DROP_LOSS,  /* random loss on the link */
    NET_DROP_TTL,
    NET_DROP_LINK_DOWN, /* lost with a link that failed */
    NET_DROP_NO_ROUTE   /* lost where the router at a link's end has no way */
};
enum { NET_DROP_REASONS = 3 }; /* limit, early, loss: what a port counts; TTL apart */

/* Parameters, and what ports must know of the discipline; shared by all ports of equal settings and rate. */
typedef struct net_queue {
    weir_queue_params params; /* as asked for, but limit_bytes at most INT64_MAX; UINT64_MAX: none */
    double bytes_per_ps; /* of the line rate; of packets, in full ones, where the line adds bytes to each */
    double mean_packet_bytes;
    uint8_t ecn;            /* marks packets of ECN-capable flows where it would drop them early */
    uint8_t counts_packets; /* needs the ring of departure times */
    uint8_t departs;        /* decides at departure: packets are kept in a store (store.h) ... */
    uint8_t tag;            /* ... each with a number of its own, enum net_tag */
    uint32_t slots;         /* of the store, packets */
    uint32_t own_words;     /* of the discipline's state in the entity's pool, eight bytes each */
    uint32_t
        counted_bytes; /* mean packet of the fluid that passes, where packets are counted; 0: none does */
} net_queue;

/* A discipline's own parameters: the struct that its keys have filled. */
#define NET_QUEUE_PARAMS(name, q) ((const net_##name##_params *)(const void *)(q)->params.own)

/* What a discipline that decides at departure distinguishes packets by. */
enum net_tag { NET_TAG_NONE, NET_TAG_FLOW, NET_TAG_DSCP };

/* A discipline's state within a port. */
typedef union net_queue_state {
    struct {
        double average;
        int32_t count; /* packets since the last drop or mark, -1 below the minimum */
        uint32_t reserved;
    }; /* RED */
    uint64_t own[2];
} net_queue_state;

/* Shared with fluid: packets are lost to a full queue as often as fluid was while the line last sent NET_CROWD_BYTES; of a
 * queue that TCP as fluid fills NET_BURST_BYTES, but half at most, are for packets that come in bursts. */
#define NET_CROWD_BYTES 24000.0
#define NET_BURST_BYTES 6000.0
/* net_background.full: all are lost for which there is no place; the last bit: all fluid is UDP. */
#define NET_ALL_LOST UINT32_MAX
#define NET_FULL_OF_UDP 1u

/* What a discipline may look at. */
typedef struct net_arrival {
    weir_time now_ps;
    weir_time idle_since_ps;  /* when the queue fell empty; only where backlog_ps is 0 */
    weir_time backlog_ps;     /* time to send what is queued */
    uint32_t backlog_packets; /* only where counts_packets */
    uint32_t bytes;
    int ecn_capable;
    uint64_t *own; /* [own_words] of the queue: a state larger than net_queue_state; has been touched */
} net_arrival;

/* The backlog that a packet finds, bytes. */
WEIR_FN double net_backlog_bytes(const net_queue *q, const net_arrival *a)
{
    return (double)a->backlog_ps * q->bytes_per_ps;
}

/* What fluid takes a packet for, where packets are counted. */
WEIR_FN double net_counted_bytes(const net_queue *q)
{
    return q->counted_bytes ? (double)q->counted_bytes : q->mean_packet_bytes;
}

/* The limit in bytes; where packets are counted, so many mean packets. UINT64_MAX: none. */
WEIR_FN uint64_t net_limit_bytes(const net_queue *q)
{
    const uint64_t counted = q->params.limit_packets
                                 ? (uint64_t)((double)q->params.limit_packets * net_counted_bytes(q))
                                 : UINT64_MAX;
    return counted < q->params.limit_bytes ? counted : q->params.limit_bytes;
}

/* Whether the packet would exceed the limit; half a byte of slack for the rounding of the backlog. */
WEIR_FN bool net_queue_is_full(const net_queue *q, const net_arrival *a)
{
    if (q->params.limit_packets && a->backlog_packets >= q->params.limit_packets)
        return true;
    return q->params.limit_bytes != UINT64_MAX &&
           net_backlog_bytes(q, a) + (double)a->bytes > (double)(int64_t)q->params.limit_bytes + 0.5;
}
