/*
 * NDP's sending end. Source: M. Handley and others, SIGCOMM 2017, sections 3.2 and 3.3.
 *
 * A first window leaves at the rate of the line, without a handshake. Then a packet leaves for each that the receiver pulls:
 * first of those that came trimmed (a NACK says which), in their order, then new ones. A pull carries how many the receiver has
 * asked for in all, so that a lost one costs nothing but time. ACKs tell of each segment, through the SACK blocks of TCP's.
 * What is neither acknowledged nor trimmed when nothing has come for a timeout was lost, and goes again, unasked. While all that
 * is missing was trimmed the receiver knows of it, and a pull is waited for NET_NDP_PATIENCE times as long.
 *
 * Departures: headers that do not fit are dropped, not returned to their sender; paths are picked by `routing.spray`, at random,
 * where the paper permutes them at the sender; and its penalties for bad paths are left out.
 */
#ifndef WI_NET_TRANSPORT_NDP_SENDER_H
#define WI_NET_TRANSPORT_NDP_SENDER_H

#include "net/transport/flow.h"

enum { NET_NDP_PATIENCE = 10 };

WEIR_FN net_ndp *net_ndp_of(net_tx *tx)
{
    return (net_ndp *)(void *)tx->cc.words;
}

WEIR_FN void net_ndp_arm(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow)
{
    const bool flying = tx->n_out > tx->n_sacked + tx->n_lost;
    tx->rto_at_ps = weir_now(ctx) + net_tcp_rto(tx, c) * (flying ? 1 : NET_NDP_PATIENCE);
    net_timer_arm(ctx, NET_EV_TX_TIMER, flow, tx->rto_at_ps, &tx->timer_at_ps);
}

/* The oldest segment that was trimmed, then new data. */
WEIR_FN net_tcp_choice net_ndp_next(const weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    if (tx->n_lost) {
        const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
        const uint32_t k = net_map_next(&lost, 0, tx->n_out, 1);
        return net_tcp_choose(NET_SEND_AGAIN, k, net_tcp_length_of(tx, c, k));
    }
    return net_tcp_choose(NET_SEND_NEW, 0, net_tcp_next_new(tx, c, weir_now(ctx)));
}

WEIR_FN void net_ndp_send(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                          uint32_t flow, const net_tcp_choice *next)
{
    uint32_t seq = tx->nxt;
    if (next->what == NET_SEND_NEW) {
        tx->nxt += next->length;
        tx->n_out++;
        if (!(tx->flags & NET_TX_UNBOUNDED))
            tx->left -= next->length;
    } else {
        const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
        seq = net_tcp_seq_of(tx, c, next->k);
        tx->n_lost -= net_map_put(ctx, &lost, next->k, next->k + 1u, 0);
        tx->retransmissions++;
    }
    uint8_t flags = NET_TRIMS;
    if (!(tx->flags & NET_TX_UNBOUNDED) && tx->left == 0 && seq + next->length == tx->nxt)
        flags |= NET_FIN;
    const net_packet p = net_tx_packet(ctx, h, tx, flow, seq, next->length + NET_HEADER_TCP, flags);
    tx->packets++;
    net_host_transmit(ctx, h, &p);
}

/* Send what may be sent, NET_BURST packets at once, as TCP does. */
NET_CC_RARE void net_ndp_output(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                                uint32_t flow)
{
    net_ndp *s = net_ndp_of(tx);
    for (int sent = 0; s->credit > 0; sent++) {
        const net_tcp_choice next = net_ndp_next(ctx, tx, c);
        if (next.what == NET_SEND_NOTHING)
            break;
        if (sent == NET_BURST) {
            const weir_time idle_ps =
                net_port_idle_ps(NET_ARRAY(h->w, net_queue, queues) + h->nic->queue, h->port);
            net_tcp_continue(ctx, tx, flow, idle_ps > weir_now(ctx) ? idle_ps : weir_now(ctx) + 1);
            break;
        }
        s->credit--;
        net_ndp_send(ctx, h, tx, c, flow, &next);
    }
    if (tx->una != tx->nxt || net_tcp_next_new(tx, c, weir_now(ctx)) > 0)
        net_ndp_arm(ctx, tx, c, flow);
}

/* All before `ack` has come. */
WEIR_FN void net_ndp_advance(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t ack)
{
    const uint32_t n = net_tcp_segments(c, ack - tx->una);
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED),
                  lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    tx->n_sacked -= net_map_put(ctx, &sacked, 0, n, 0);
    tx->n_lost -= net_map_put(ctx, &lost, 0, n, 0);
    tx->base = net_map_place(&sacked, n);
    tx->n_out -= n;
    tx->acked_bytes += ack - tx->una;
    tx->una = ack;
    tx->rx_hint |= NET_HINT_KNOWN;
}

/* An ACK's blocks, which count from una. */
WEIR_FN void net_ndp_take_sacks(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *p)
{
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED),
                  lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    for (uint32_t i = 0; i < NET_ACK_BLOCKS; i++) {
        const net_ack_block b = net_ack_block_at(p, c, i);
        const uint32_t to = b.to < tx->n_out ? b.to : tx->n_out;
        if (b.from >= to)
            continue;
        tx->n_sacked += net_map_put(ctx, &sacked, b.from, to, 1);
        tx->n_lost -= net_map_put(ctx, &lost, b.from, to, 0);
    }
}

/* The segment that begins at `seq` has come without its data. */
WEIR_FN void net_ndp_nacked(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t seq)
{
    if (net_seq_before(seq, tx->una) || !net_seq_before(seq, tx->nxt))
        return;
    const uint32_t k = (seq - tx->una) / c->mss_bytes;
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED),
                  lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    if (!net_map_test(&sacked, k))
        tx->n_lost += net_map_put(ctx, &lost, k, k + 1u, 1);
}

/* What an ACK is about: NACKs and pulls carry the flow's first byte, and a segment or a count. */
WEIR_FN void net_ndp_take(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *p)
{
    net_ndp *s = net_ndp_of(tx);
    const uint32_t word = (uint32_t)(p->u.ack[0] >> 32);
    if (!(p->flags & (NET_NACK | NET_PULL))) {
        if (p->seq == tx->una && net_ack_has_blocks(p, c))
            net_ndp_take_sacks(ctx, tx, c, p);
    } else if ((uint32_t)p->u.ack[0] == tx->first) {
        if (p->flags & NET_NACK) {
            net_ndp_nacked(ctx, tx, c, word);
        } else if (net_seq_before(s->pulled, word)) {
            s->credit += word - s->pulled;
            s->pulled = word;
        }
    }
}

/* An ACK, a NACK or a pull arrives at the sender, perhaps out of order. Returns 1 when the flow is complete. */
NET_CC_RARE int net_ndp_answered(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                                 const net_packet *p)
{
    const uint32_t ack = p->flags & NET_FIN ? tx->nxt : p->seq;
    if (tx->state != NET_TX_OPEN || net_seq_before(p->seq, tx->first) || net_seq_before(tx->nxt, p->seq))
        return 0;
    if (!(p->flags & (NET_NACK | NET_PULL)) && !net_seq_before(ack, tx->una)) {
        const weir_time rtt_ps = net_ack_elapsed(p, c, weir_now(ctx));
        net_tcp_rtt_sample(tx, rtt_ps, tx->n_out);
        net_see_rtt(ctx, c->flags, p->flow, tx->first, rtt_ps);
    }
    if (net_seq_before(tx->una, ack))
        net_ndp_advance(ctx, tx, c, ack);
    net_ndp_take(ctx, tx, c, p);
    tx->rto_at_ps = 0;
    if (tx->una == tx->nxt && tx->left == 0 && !(tx->flags & NET_TX_UNBOUNDED)) {
        tx->state = NET_TX_DONE;
        return 1;
    }
    net_ndp_output(ctx, h, tx, c, p->flow);
    return 0;
}

/* All that is neither acknowledged nor trimmed was lost: how many these are; at least 1, for a pull that was. */
WEIR_FN uint32_t net_ndp_give_up(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED),
                  lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    uint32_t n = 0;
    for (uint32_t k = net_map_next(&sacked, 0, tx->n_out, 0); k < tx->n_out;
         k = net_map_next(&sacked, k + 1u, tx->n_out, 0))
        n += net_map_put(ctx, &lost, k, k + 1u, 1);
    tx->n_lost += n;
    return n > 0 ? n : 1u;
}

/* The timer's event: stale, early, or a timeout. */
NET_CC_RARE void net_ndp_on_timer(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                                  uint32_t flow)
{
    const weir_time now = weir_now(ctx);
    if (now != tx->timer_at_ps)
        return;
    tx->timer_at_ps = 0;
    if (tx->rto_at_ps == 0 || tx->state != NET_TX_OPEN)
        return;
    if (now < tx->rto_at_ps) {
        net_timer_arm(ctx, NET_EV_TX_TIMER, flow, tx->rto_at_ps, &tx->timer_at_ps);
        return;
    }
    tx->timeouts++;
    if (tx->backoff < NET_BACKOFF_MAX)
        tx->backoff++;
    net_ndp_of(tx)->credit += net_ndp_give_up(ctx, tx, c);
    net_ndp_output(ctx, h, tx, c, flow);
}

#endif
