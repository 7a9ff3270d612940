/*
 * A token bucket of `bucket` bytes that fills at `rate`, kept as one time u in integers: its tokens are those of the
 * time since u - bucket / rate. A packet of s bytes that goes sets
 *
 *     u <- max(u, now) + s / rate
 *
 * and may go from u + s / rate - bucket / rate on; one that is larger than the bucket when that is full. Zero is a full
 * bucket.
 */
#ifndef WI_NET_PORT_BUCKET_H
#define WI_NET_PORT_BUCKET_H

#include "net/packet/queue.h"
#include "weir/units.h"

/* In net_queue.own. */
enum { NET_BUCKET_RATE, NET_BUCKET_DEPTH, NET_BUCKET_OWN };

/* From when on a packet of so many bytes may go. */
WEIR_FN weir_time net_bucket_opens(const net_queue *q, weir_time u_ps, uint32_t bytes)
{
    const weir_time spare_ps =
        (weir_time)q->own[NET_BUCKET_DEPTH] - weir_tx_time(bytes, q->own[NET_BUCKET_RATE]);
    return u_ps - (spare_ps > 0 ? spare_ps : 0);
}

/* u once it has gone. */
WEIR_FN weir_time net_bucket_after(const net_queue *q, weir_time u_ps, weir_time now_ps, uint32_t bytes)
{
    return (u_ps > now_ps ? u_ps : now_ps) + weir_tx_time(bytes, q->own[NET_BUCKET_RATE]);
}

typedef struct net_bucket_asked {
    uint64_t rate_bps, burst_bytes;
    bool ecn;
} net_bucket_asked;

static inline void net_bucket_set(const net_bucket_asked *a, net_queue *q)
{
    const double depth_ps = (double)a->burst_bytes * 8e12 / (double)a->rate_bps;
    q->own[NET_BUCKET_RATE] = a->rate_bps;
    q->own[NET_BUCKET_DEPTH] = depth_ps < 1e18 ? (uint64_t)depth_ps : (uint64_t)1e18;
    q->ecn = a->ecn;
}

#ifdef WI_QUEUE_WORDS
#define NET_BUCKET_KEYS                                                                             \
    {.name = "rate",                                                                                \
     .kind = &wi_kind_rate,                                                                         \
     .offset = offsetof(net_bucket_asked, rate_bps),                                                \
     .above = "0bps",                                                                               \
     .required = true,                                                                              \
     .doc = "at which the bucket fills"},                                                           \
    {                                                                                               \
        .name = "bucket", .kind = &wi_kind_size, .offset = offsetof(net_bucket_asked, burst_bytes), \
        .fallback = "15kB", .low = "1500B",                                                         \
        .doc = "that the bucket holds: what may go at once, at the line's rate"                     \
    }
#endif

#endif
