/*
 * Marking at a threshold: a packet of an ECN-capable flow that finds more than K in the queue is marked, whatever the
 * mean. M. Alizadeh et al.: Data Center TCP (DCTCP), SIGCOMM 2010, section 3.1; RFC 8257, section 3.1. Others, and all
 * packets beyond the limit, as with drop-tail.
 */
#pragma once

#include "net/packet/queue.h"

/* K in packets, or in bytes where that is 0. */
typedef struct WEIR_OVERLAY net_threshold_params {
    uint64_t mark_bytes;
    uint32_t mark_packets;
} net_threshold_params;

WEIR_FN enum net_verdict net_threshold_arrive(const net_queue *q, net_queue_state *state,
                                              const net_arrival *a, weir_stream *random)
{
    (void)state, (void)random;
    if (net_queue_is_full(q, a))
        return NET_DROP_LIMIT;
    const net_threshold_params *const p = NET_QUEUE_PARAMS(threshold, q);
    const bool above = p->mark_packets ? a->backlog_packets > p->mark_packets
                                       : net_backlog_bytes(q, a) > (double)(int64_t)p->mark_bytes + 0.5;
    return above && a->ecn_capable ? NET_MARK : NET_ACCEPT;
}

static inline void net_threshold_resolve(net_queue *q)
{
    q->counts_packets |= NET_QUEUE_PARAMS(threshold, q)->mark_packets > 0;
}
