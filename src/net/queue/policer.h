/* A policer: packets that a token bucket (bucket.h) does not cover are dropped, or marked; the others wait for the line as
 * with drop-tail. */
#pragma once

#include "net/port/bucket.h"

WEIR_FN enum net_verdict net_policer_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                            weir_stream *random)
{
    (void)random;
    if (net_queue_is_full(q, a))
        return NET_DROP_LIMIT;
    const weir_time u_ps = (weir_time)state->own[0];
    if (net_bucket_opens(q, u_ps, a->bytes) > a->now_ps)
        return q->ecn && a->ecn_capable ? NET_MARK : NET_DROP_EARLY;
    state->own[0] = (uint64_t)net_bucket_after(q, u_ps, a->now_ps, a->bytes);
    return NET_ACCEPT;
}

static inline void net_policer_resolve(net_queue *q)
{
    net_bucket_resolve(q);
    q->ecn = NET_QUEUE_PARAMS(bucket, q)->ecn;
}
