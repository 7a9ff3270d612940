/*
 * Marking at a threshold: a packet of an ECN-capable flow that finds more than K in the queue is marked, whatever the
 * mean. M. Alizadeh et al.: Data Center TCP (DCTCP), SIGCOMM 2010, section 3.1; RFC 8257, section 3.1. Others, and all
 * packets beyond the limit, as with drop-tail.
 */
#ifndef WI_NET_QUEUE_QUEUE_THRESHOLD_H
#define WI_NET_QUEUE_QUEUE_THRESHOLD_H

#include "net/packet/queue.h"

/* In net_queue.own: K in bytes, or in packets. */
enum { NET_THRESHOLD_BYTES, NET_THRESHOLD_PACKETS };

WEIR_FN enum net_verdict net_threshold_arrive(const net_queue *q, net_queue_state *state,
                                              const net_arrival *a, weir_stream *random)
{
    (void)state, (void)random;
    if (net_queue_is_full(q, a))
        return NET_DROP_LIMIT;
    const bool above = q->own[NET_THRESHOLD_PACKETS]
                           ? a->backlog_packets > q->own[NET_THRESHOLD_PACKETS]
                           : net_backlog_bytes(q, a) > (double)(int64_t)q->own[NET_THRESHOLD_BYTES] + 0.5;
    return above && a->ecn_capable ? NET_MARK : NET_ACCEPT;
}

typedef struct net_threshold_asked {
    uint64_t mark_bytes;
    uint32_t mark_packets;
} net_threshold_asked;

static inline void net_threshold_resolve(const void *asked, net_queue *q)
{
    const net_threshold_asked *a = (const net_threshold_asked *)asked;
    q->own[NET_THRESHOLD_BYTES] = a->mark_bytes;
    q->own[NET_THRESHOLD_PACKETS] = a->mark_packets;
    q->counts_packets |= a->mark_packets > 0;
}

#ifdef WI_QUEUE_WORDS
static const wi_key net_threshold_keys[] = {
    {.name = "mark",
     .kind = &wi_kind_size,
     .offset = offsetof(net_threshold_asked, mark_bytes),
     .fallback = "97500B",
     .also = "k threshold",
     .doc = "backlog above which packets are marked; 65 packets of 1500 B unless given, which Alizadeh et "
            "al. have at "
            "10 Gb/s"},
    {.name = "mark_packets",
     .kind = &wi_kind_count,
     .offset = offsetof(net_threshold_asked, mark_packets),
     .low = "1",
     .high = "1000000",
     .unset = "`mark` in bytes",
     .doc = "packets in the queue, without the one that comes, above which it is marked"},
};

static void net_threshold_check(wi_reader *r, const wi_node *node, const weir_scenario_queue *q)
{
    const net_threshold_asked *a = (const net_threshold_asked *)q->asked;
    if (!a->mark_packets && q->limit_bytes && a->mark_bytes >= q->limit_bytes)
        wi_complain(r, wi_place_of(node, "mark"), "mark is not below limit, so that nothing is ever marked");
    else if (a->mark_packets && q->limit_packets && a->mark_packets >= q->limit_packets)
        wi_complain(r, wi_place_of(node, "mark_packets"),
                    "mark_packets is not below limit_packets, so that nothing is ever marked");
}

static void net_threshold_fluid(const net_queue *q, weir_fluid_queue *out)
{
    const uint64_t packets = q->own[NET_THRESHOLD_PACKETS];
    out->type = WEIR_FLUID_THRESHOLD;
    out->min_bytes = packets ? 1500.0 * (double)packets : (double)q->own[NET_THRESHOLD_BYTES];
}

static const wi_queue_kind net_threshold_words = {
    .section = {.name = "threshold",
                .keys = net_threshold_keys,
                .n_keys = sizeof net_threshold_keys / sizeof net_threshold_keys[0],
                .size = sizeof(net_threshold_asked)},
    .check = net_threshold_check,
    .fluid = net_threshold_fluid};
#endif

#endif
