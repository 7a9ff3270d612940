/*
 * NDP as a congestion control: M. Handley and others, "Re-architecting datacenter networks and stacks for low latency and high
 * performance", SIGCOMM 2017. It has no window: ndp_sender.h and ndp_receiver.h stand in place of TCP's, and this file has how
 * much may be sent unasked and which keys are its.
 */
#ifndef WI_NET_CONGESTION_NDP_H
#define WI_NET_CONGESTION_NDP_H

#include "net/flow/congestion_event.h"

/* In the flow's slot, of Ultra Ethernet's controls too (nscc.h). */
typedef struct net_ndp {
    uint32_t pulled; /* packets that the receiver has asked for, by its last pull */
    uint32_t credit; /* packets that may be sent */
    /* Of Ultra Ethernet's: */
    uint16_t arrived; /* segments, by the latest ACK, modulo NET_ACK_COUNTS */
    uint16_t unasked; /* the credit is what goes before the first answer */
    uint32_t ahead; /* segments beyond una that are told to have arrived, whether it is known which or not */
} net_ndp;
WEIR_STATIC_ASSERT(sizeof(net_ndp) <= sizeof(uint64_t[2]), "a flow's slot holds it");

/* A sender's. */
WEIR_FN net_ndp *net_ndp_of(net_tx *tx)
{
    return (net_ndp *)(void *)tx->cc.words;
}

enum { net_ndp_traits = NET_CLASS_NDP };

/* The first window goes unasked; of a flow that is shorter, no more than it has, so that what is trimmed of it waits to be
 * pulled. */
WEIR_FN void net_ndp_init(net_ndp *s, net_tx *tx, const net_class *c)
{
    const uint64_t window =
        c->initial_window_bytes < c->window_bytes ? c->initial_window_bytes : c->window_bytes;
    const uint64_t bytes = (tx->flags & NET_TX_UNBOUNDED) || tx->size > window ? window : tx->size;
    s->pulled = s->ahead = 0;
    s->arrived = s->unasked = 0;
    s->credit = (uint32_t)((bytes + c->mss_bytes - 1u) / c->mss_bytes);
}

NET_CC_NO_ACK(ndp)
NET_CC_NO_LOSS(ndp)
NET_CC_NO_UNDO(ndp)
NET_CC_NO_IDLE(ndp)
NET_CC_NO_TIMES(ndp)
NET_CC_NO_PACE(ndp)

#endif
