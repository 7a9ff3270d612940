/* Drop-tail: accept while the packet fits within the limit, in bytes or packets. */
#ifndef WI_NET_QUEUE_QUEUE_DROPTAIL_H
#define WI_NET_QUEUE_QUEUE_DROPTAIL_H

#include "net/packet/queue.h"

WEIR_FN enum net_verdict net_droptail_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                             weir_stream *random)
{
    (void)state, (void)random;
    return net_queue_is_full(q, a) ? NET_DROP_LIMIT : NET_ACCEPT;
}

static inline void net_droptail_resolve(const void *asked, net_queue *q)
{
    (void)asked, (void)q; /* the limit says all */
}

#ifdef WI_QUEUE_WORDS
static void net_droptail_fluid(const net_queue *q, weir_fluid_queue *out)
{
    (void)q;
    out->type = WEIR_FLUID_DROPTAIL;
}

static const wi_queue_kind net_droptail_words = {.section = {.name = "droptail"},
                                                 .fluid = net_droptail_fluid};
#endif

#endif
