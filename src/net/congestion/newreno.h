/*
 * Reno's window: RFC 5681. Slow start adds min(acknowledged, MSS) for each ACK (equation 2); congestion
 * avoidance adds MSS^2 / cwnd for each ACK (equation 3), so that delayed ACKs slow it down as they do in the
 * field. A loss halves the flight (equation 4).
 */
#ifndef WI_NET_CONGESTION_NEWRENO_H
#define WI_NET_CONGESTION_NEWRENO_H

#include "net/flow/congestion_event.h"

typedef struct net_newreno {
    uint32_t remainder; /* of the additive increase, so that no byte of it is lost to rounding */
} net_newreno;

enum { net_newreno_traits = 0 };

WEIR_FN void net_newreno_init(net_newreno *r, net_tx *tx, const net_class *c)
{
    (void)tx, (void)c;
    r->remainder = 0;
}

WEIR_FN void net_newreno_on_ack(net_newreno *r, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const uint32_t mss = c->mss_bytes;
    if (!e->grows)
        return;
    if (tx->cwnd < tx->ssthresh) {
        tx->cwnd += net_cc_opens(e) < mss ? net_cc_opens(e) : mss;
        return;
    }
    const uint64_t sum = (uint64_t)mss * mss + r->remainder;
    r->remainder = (uint32_t)(sum % tx->cwnd);
    tx->cwnd += (uint32_t)(sum / tx->cwnd);
}

WEIR_FN uint32_t net_newreno_on_loss(net_newreno *r, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)tx;
    r->remainder = 0;
    return e->flight / 2 > 2 * c->mss_bytes ? e->flight / 2 : 2 * c->mss_bytes;
}

NET_CC_NO_UNDO(newreno)
NET_CC_NO_IDLE(newreno)
NET_CC_NO_TIMES(newreno)
NET_CC_NO_PACE(newreno)

#endif
