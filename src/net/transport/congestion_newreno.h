/*
 * Reno's window: RFC 5681. Slow start adds min(acknowledged, MSS) for each ACK (equation 2); congestion
 * avoidance adds MSS^2 / cwnd for each ACK (equation 3), so that delayed ACKs slow it down as they do in the
 * field. A loss halves the flight (equation 4).
 */
#ifndef WI_NET_TRANSPORT_CONGESTION_NEWRENO_H
#define WI_NET_TRANSPORT_CONGESTION_NEWRENO_H

#include "net/transport/endpoint.h"
#include "net/world.h"

WEIR_FN void net_newreno_init(net_tx *tx, const net_class *c)
{
    (void)c;
    tx->cc.newreno.remainder = 0;
}

WEIR_FN void net_newreno_on_ack(net_tx *tx, const net_class *c, uint32_t acked)
{
    const uint32_t mss = c->mss_bytes;
    if (tx->cwnd < tx->ssthresh) {
        tx->cwnd += acked < mss ? acked : mss;
        return;
    }
    const uint64_t sum = (uint64_t)mss * mss + tx->cc.newreno.remainder;
    tx->cc.newreno.remainder = (uint32_t)(sum % tx->cwnd);
    tx->cwnd += (uint32_t)(sum / tx->cwnd);
}

WEIR_FN uint32_t net_newreno_ssthresh(net_tx *tx, const net_class *c, uint32_t flight)
{
    tx->cc.newreno.remainder = 0;
    return flight / 2 > 2 * c->mss_bytes ? flight / 2 : 2 * c->mss_bytes;
}

#endif
