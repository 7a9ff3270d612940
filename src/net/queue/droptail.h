/* Drop-tail: accept while the packet fits within the limit, in bytes or packets. */
#pragma once

#include "net/packet/queue.h"

WEIR_FN enum net_verdict net_droptail_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                             weir_stream *random)
{
    (void)state, (void)random;
    return net_queue_is_full(q, a) ? NET_DROP_LIMIT : NET_ACCEPT;
}

static inline void net_droptail_resolve(net_queue *q)
{
    (void)q; /* the limit says all */
}
