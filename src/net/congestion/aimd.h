/*
 * Reno's growth by bytes, for controls that differ from it in how they yield: slow start opens the window by what is
 * acknowledged, at most L = 8 segments an ACK (RFC 9406, section 4.2; Linux sets no bound), congestion avoidance by a
 * segment a round trip however ACKs are delayed (RFC 3465; as Linux, and ns-3's TcpLinuxReno).
 */
#ifndef WI_NET_CONGESTION_AIMD_H
#define WI_NET_CONGESTION_AIMD_H

#include "net/flow/congestion_event.h"

enum { NET_AIMD_L = 8 };

/* Open the window by what is acknowledged, at most L segments. */
WEIR_FN void net_aimd_slow_start(net_tx *tx, const net_class *c, uint32_t acked)
{
    const uint32_t most = NET_AIMD_L * c->mss_bytes;
    tx->cwnd += acked < most ? acked : most;
}

/* rest: of the additive increase, in bytes * cwnd. */
WEIR_FN void net_aimd_grow(uint64_t *rest, net_tx *tx, const net_class *c, uint32_t acked)
{
    if (tx->cwnd < tx->ssthresh) {
        net_aimd_slow_start(tx, c, acked);
        return;
    }
    const uint64_t sum = (uint64_t)c->mss_bytes * acked + *rest;
    *rest = sum % tx->cwnd;
    tx->cwnd += (uint32_t)(sum / tx->cwnd);
}

/* Half of what is in flight, or two segments (RFC 5681, equation 4). */
WEIR_FN uint32_t net_aimd_half(const net_class *c, uint32_t flight)
{
    return flight / 2 > 2 * c->mss_bytes ? flight / 2 : 2 * c->mss_bytes;
}

#endif
