/*
 * Proportional rate reduction: how many bytes an ACK lets go in a recovery, so that cwnd comes down to ssthresh
 * over a round trip instead of at once. Source: RFC 9937: below ssthresh as much goes as has arrived, and a segment more only
 * for an ACK that moves the window and shows no further loss. (RFC 6937 let that segment go with every ACK: where ssthresh is
 * above what the path holds, as after a slow start that overshot, recovery itself then overflowed the queue.) All sizes are bytes.
 */
#ifndef WI_NET_TRANSPORT_TCP_PRR_H
#define WI_NET_TRANSPORT_TCP_PRR_H

#include "net/flow/tcp_scoreboard.h"

/* A recovery begins, with `flight` outstanding before the ACK (RecoverFS). */
WEIR_FN void net_prr_begin(net_tx *tx, uint32_t flight)
{
    tx->prr_delivered = tx->prr_out = 0;
    tx->prr_flight = flight ? flight : 1u;
}

/* An ACK in recovery of `delivered` more bytes: set cwnd. Safe: it acknowledges new data, and
 * nothing more has been found lost by it (SafeACK). */
WEIR_FN void net_prr_on_ack(net_tx *tx, const net_class *c, uint32_t delivered, bool safe)
{
    const uint32_t pipe = net_tcp_pipe(tx, c);
    int64_t send;
    if (c->flags & NET_CLASS_OWN)
        return;
    tx->prr_delivered += delivered;
    if (pipe > tx->ssthresh) {
        const uint64_t share =
            ((uint64_t)tx->prr_delivered * tx->ssthresh + tx->prr_flight - 1u) / tx->prr_flight;
        send = (int64_t)share - (int64_t)tx->prr_out;
    } else {
        const int64_t behind = (int64_t)tx->prr_delivered - (int64_t)tx->prr_out;
        const int64_t limit =
            (behind > (int64_t)delivered ? behind : (int64_t)delivered) + (safe ? c->mss_bytes : 0);
        const int64_t room = (int64_t)tx->ssthresh - (int64_t)pipe;
        send = room < limit ? room : limit;
    }
    tx->cwnd = pipe + (send > 0 ? (uint32_t)send : 0u);
}

#endif
