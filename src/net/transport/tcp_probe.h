/*
 * What a sender with RACK does besides telling losses: it probes for the loss of the last segments (TLP, RFC
 * 8985, section 7), waits for what is in doubt, and finds timeouts that were spurious (F-RTO with SACK, RFC
 * 5682, section 3).
 */
#ifndef WI_NET_TRANSPORT_TCP_PROBE_H
#define WI_NET_TRANSPORT_TCP_PROBE_H

#include "net/transport/tcp_output.h"

/* Find losses, and wait for what may be lost later. */
WEIR_FN void net_rack_watch(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow)
{
    const uint32_t wait = net_rack_detect(ctx, tx, c);
    if (wait) {
        tx->flags |= NET_TX_DOUBT;
        net_tcp_arm_alarm(ctx, tx, flow, weir_now(ctx) + ((weir_time)wait << NET_RACK_UNIT_BITS));
    }
    if (wait == 0 || tx->alarm_at_ps == 0)
        tx->flags &= (uint16_t)~NET_TX_DOUBT;
}

/* TLP_send_probe: a new segment, whatever cwnd is, or else the last one again; then a whole timeout. */
WEIR_FN void net_tlp_send(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    if (tx->state != NET_TX_OPEN || tx->n_out == 0 || tx->n_sacked || (tx->flags & NET_TX_PROBE))
        return;
    const uint32_t length = net_tcp_next_new(tx, c, weir_now(ctx));
    tx->flags = (uint16_t)((tx->flags | NET_TX_PROBE) & ~NET_TX_PROBE_AGAIN);
    if (length) {
        net_tcp_send_new(ctx, h, tx, c, flow, length);
    } else {
        const uint32_t k = tx->n_out - 1u;
        const net_tcp_choice last = net_tcp_choose(NET_SEND_AGAIN, k, net_tcp_length_of(tx, c, k));
        net_tcp_retransmit(ctx, h, tx, c, flow, &last);
        tx->flags |= NET_TX_PROBE_AGAIN;
    }
    tx->probe_end = tx->nxt;
    net_tcp_arm(ctx, tx, c, flow);
}

/* TLP_process_ack: returns whether the probe has repaired a loss, to which the window must answer. */
WEIR_FN int net_tlp_on_ack(net_tx *tx, const net_class *c, const net_packet *p, int moves)
{
    if (net_seq_before(tx->una, tx->probe_end))
        return 0;
    const int again = (tx->flags & NET_TX_PROBE_AGAIN) != 0, twice = (p->flags & NET_DSACK) != 0;
    const int beyond = net_seq_before(tx->probe_end, tx->una);
    if (again && !twice && !beyond && (moves || net_ack_has_blocks(p, c)))
        return 0;
    tx->flags &= (uint16_t)~NET_TX_PROBE;
    return again && !twice && beyond && tx->state == NET_TX_OPEN && !net_seq_before(tx->una, tx->recover);
}

/*
 * An ACK after a timeout. The first one that moves lets two new segments go instead of what counts as lost; if
 * the next one moves too, it acknowledges what was not sent again: the timeout was spurious, and the window is
 * what it was. Otherwise all goes on as after any timeout, with at most three segments.
 */
WEIR_FN void net_frto_on_ack(weir_ctx *ctx, net_tx *tx, const net_class *c, int moves)
{
    const int first = (tx->flags & NET_TX_FRTO) != 0;
    tx->flags &= (uint16_t) ~(NET_TX_FRTO | NET_TX_FRTO_NEW);
    if (tx->state != NET_TX_LOSS)
        return;
    if (first) {
        if (moves && net_tcp_next_new(tx, c, weir_now(ctx)) > 0)
            tx->flags |= NET_TX_FRTO_NEW;
        return;
    }
    if (!moves) {
        tx->cwnd = tx->cwnd < 3u * c->mss_bytes ? tx->cwnd : 3u * c->mss_bytes;
        return;
    }
    net_rack_find_all(ctx, tx, c);
    tx->cwnd = tx->undo_cwnd;
    tx->ssthresh = tx->undo_ssthresh;
    net_cc_on_undo(ctx, tx, c);
    tx->state = NET_TX_OPEN;
    tx->recover = tx->una - 1;
}

#endif
