/*
 * A token bucket of `bucket` bytes that fills at `rate`, kept as one time u in integers: its tokens are those of the
 * time since u - bucket / rate. A packet of s bytes that goes sets
 *
 *     u <- max(u, now) + s / rate
 *
 * and may go from u + s / rate - bucket / rate on; one that is larger than the bucket when that is full. Zero is a full
 * bucket.
 */
#pragma once

#include "net/packet/queue.h"
#include "weir/units.h"

/* Parameters of every discipline with a bucket begin with these. */
typedef struct WEIR_OVERLAY net_bucket_params {
    uint64_t rate_bps, burst_bytes;
    weir_time depth_ps; /* in which it fills, bucket / rate: follows from these two */
    bool ecn;
} net_bucket_params;

#define NET_BUCKET_MOST_S 1e6 /* in which one fills, at most: keys refuse more */

/* From when on a packet of so many bytes may go. */
WEIR_FN weir_time net_bucket_opens(const net_queue *q, weir_time u_ps, uint32_t bytes)
{
    const net_bucket_params *const p = NET_QUEUE_PARAMS(bucket, q);
    const weir_time spare_ps = p->depth_ps - weir_tx_time(bytes, p->rate_bps);
    return u_ps - (spare_ps > 0 ? spare_ps : 0);
}

/* u once it has gone. */
WEIR_FN weir_time net_bucket_after(const net_queue *q, weir_time u_ps, weir_time now_ps, uint32_t bytes)
{
    return (u_ps > now_ps ? u_ps : now_ps) + weir_tx_time(bytes, NET_QUEUE_PARAMS(bucket, q)->rate_bps);
}

static inline void net_bucket_resolve(net_queue *q)
{
    net_bucket_params *const p = (net_bucket_params *)(void *)q->params.own;
    p->depth_ps = (weir_time)((double)p->burst_bytes * 8e12 / (double)p->rate_bps);
}
