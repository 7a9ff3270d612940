/*
 * NDP's sending end. Source: M. Handley and others, SIGCOMM 2017, sections 3.2 and 3.3.
 *
 * A first window leaves at the rate of the line, without a handshake. Then a packet leaves for each that the receiver pulls:
 * first of those that came trimmed (a NACK names which), in their order, then new ones. A pull carries how many the receiver has
 * asked for in all, so that a lost one costs nothing but time. ACKs cover each segment, by the SACK blocks of TCP's.
 * What is neither acknowledged nor trimmed a timeout after it was sent was lost, and goes again, unasked: each segment has its
 * own timer, as in the paper, by the runs of RACK (tcp_runs.h). So nothing waits for the end of a large incast, of which most
 * of the first windows are lost whole. A timeout doubles the next, of what is sent from then on: the rest of a window, which was
 * sent before, is not waited for any longer. While all that is missing was trimmed the receiver knows of it, and a pull is waited for
 * NET_NDP_PATIENCE times as long. Before the first round trip is known the timeout is the least one and what the first window
 * takes on the host's own line, four times; Ultra Ethernet's is the least one, as in its reference simulator.
 *
 * Departures: headers that do not fit are dropped, not returned to their sender; paths are picked by `routing.spray`, at random,
 * where the paper permutes them at the sender; and its penalties for bad paths are left out.
 */
#ifndef WI_NET_TRANSPORT_NDP_SENDER_H
#define WI_NET_TRANSPORT_NDP_SENDER_H

#include "net/transport/uet.h"

enum { NET_NDP_PATIENCE = 10 };

/* A segment's, or a pull's, doubled at each expiry. */
WEIR_FN weir_time net_ndp_rto(const net_view *h, const net_tx *tx, const net_class *c)
{
    weir_time rto_ps = c->rto_min_ps + 4 * net_link_time(h->link, c->mss_bytes + NET_HEADER_TCP) *
                                           (weir_time)(c->initial_window_bytes / c->mss_bytes);
    if ((tx->flags & NET_TX_RTT_KNOWN) || (c->flags & NET_CLASS_UET))
        return net_tcp_rto(tx, c);
    for (uint32_t i = 0; i < tx->backoff && rto_ps < NET_RTO_MAX_PS; i++)
        rto_ps *= 2;
    return rto_ps < NET_RTO_MAX_PS ? rto_ps : NET_RTO_MAX_PS;
}

/* Something is on its way, and it is not known what became of it. */
WEIR_FN bool net_ndp_flies(const net_tx *tx)
{
    return tx->n_out > tx->n_sacked + tx->n_lost;
}

/* No later than in `delay_ps`; where only a pull is waited for, then. */
WEIR_FN void net_ndp_arm(weir_ctx *ctx, net_tx *tx, uint32_t flow, weir_time delay_ps)
{
    const weir_time at_ps = weir_now(ctx) + delay_ps;
    if (net_ndp_flies(tx) && tx->rto_at_ps != 0 && tx->rto_at_ps <= at_ps)
        return;
    tx->rto_at_ps = at_ps;
    net_timer_arm(ctx, NET_EV_TX_TIMER, flow, at_ps, &tx->timer_at_ps);
}

/* Wait for what is on its way, or for a pull. */
WEIR_FN void net_ndp_wait(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    const weir_time rto_ps = net_ndp_rto(h, tx, c);
    const weir_time patience_ps = NET_NDP_PATIENCE * rto_ps;
    net_ndp_arm(ctx, tx, flow,
                net_ndp_flies(tx)              ? rto_ps
                : patience_ps < NET_RTO_MAX_PS ? patience_ps
                                               : NET_RTO_MAX_PS);
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

/* Send a segment. */
WEIR_FN void net_ndp_send(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow,
                          const net_tcp_choice *next)
{
    const uint32_t gap = tx->packets ? net_rack_units(weir_now(ctx)) - tx->runs_now : 0;
    uint32_t seq = tx->nxt;
    if (next->what == NET_SEND_NEW) {
        net_runs_new(ctx, tx, c);
        tx->nxt += next->length;
        tx->n_out++;
        if (!(tx->flags & NET_TX_UNBOUNDED))
            tx->left -= next->length;
    } else {
        const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
        seq = net_tcp_seq_of(tx, c, next->k);
        tx->n_lost -= net_map_put(ctx, &lost, next->k, next->k + 1u, 0);
        net_runs_again(ctx, tx, c, next->k);
        tx->retransmissions++;
    }
    uint8_t flags = c->flags & NET_CLASS_ECN ? NET_TRIMS | NET_ECT : NET_TRIMS;
    if (!(tx->flags & NET_TX_UNBOUNDED) && tx->left == 0 && seq + next->length == tx->nxt)
        flags |= NET_FIN;
    net_packet p = net_tx_packet(ctx, tx, flow, seq, next->length + NET_HEADER_TCP, flags);
    if (c->flags & NET_CLASS_UET)
        net_uet_dress(ctx, tx, c, &p, next->what == NET_SEND_AGAIN || net_uet_is_seldom(c, gap));
    tx->packets++;
    net_host_enqueue(ctx, h, &p);
}

/* Send what may be sent, as far as the interface takes it. */
NET_RARE void net_ndp_output(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    net_ndp *s = net_ndp_of(tx);
    for (int sent = 0; c->flags & NET_CLASS_UET ? net_uet_may(ctx, tx, c) : s->credit > 0; sent++) {
        const net_tcp_choice next = net_ndp_next(ctx, tx, c);
        if (next.what == NET_SEND_NOTHING || !net_turn_grants(ctx, h, tx, flow, sent))
            break;
        s->credit -= s->credit > 0;
        net_ndp_send(ctx, h, tx, c, flow, &next);
    }
    if (tx->una != tx->nxt || net_tcp_next_new(tx, c, weir_now(ctx)) > 0)
        net_ndp_wait(ctx, h, tx, c, flow);
    else
        tx->rto_at_ps = 0;
}

/* All before `ack` has come. */
WEIR_FN void net_ndp_advance(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t ack)
{
    const uint32_t n = net_tcp_segments(c, ack - tx->una);
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED),
                  lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    tx->n_sacked -= net_map_put(ctx, &sacked, 0, n, 0);
    tx->n_lost -= net_map_put(ctx, &lost, 0, n, 0);
    net_runs_forget(ctx, tx, c, n);
    tx->base = net_map_place(&sacked, n);
    tx->n_out -= n;
    net_ndp_of(tx)->ahead -= n < net_ndp_of(tx)->ahead ? n : net_ndp_of(tx)->ahead;
    tx->acked_bytes += ack - tx->una;
    tx->una = ack;
    tx->rx_hint |= NET_HINT_KNOWN;
}

/* An ACK's blocks, which count from una. */
WEIR_FN void net_ndp_accept_sacks(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *p)
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

/* The segment that begins at `seq` has come without its data. Returns whether that is news. */
WEIR_FN bool net_ndp_nacked(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t seq)
{
    if (net_seq_before(seq, tx->una) || !net_seq_before(seq, tx->nxt))
        return false;
    const uint32_t k = (seq - tx->una) / c->mss_bytes;
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED),
                  lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    const uint32_t news = net_map_test(&sacked, k) ? 0 : net_map_put(ctx, &lost, k, k + 1u, 1);
    tx->n_lost += news;
    return news != 0;
}

/* What an ACK is about: NACKs and pulls carry the flow's first byte, and a segment or a count. */
WEIR_FN void net_ndp_accept(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *p)
{
    net_ndp *s = net_ndp_of(tx);
    const uint32_t word = (uint32_t)(p->u.ack[0] >> 32);
    if (!(p->flags & (NET_NACK | NET_PULL))) {
        if (p->seq == tx->una && net_ack_has_blocks(p, c))
            net_ndp_accept_sacks(ctx, tx, c, p);
    } else if ((uint32_t)p->u.ack[0] == tx->first) {
        if (p->flags & NET_NACK) {
            tx->nacks++;
            const bool news = net_ndp_nacked(ctx, tx, c, word);
            if (c->flags & NET_CLASS_UET)
                net_uet_trimmed(ctx, tx, c, p, news);
        } else if (net_seq_before(s->pulled, word)) {
            s->credit += word - s->pulled;
            s->pulled = word;
        }
    }
}

/* An ACK, a NACK or a pull arrives at the sender, perhaps out of order. Returns 1 when the flow is complete. */
NET_RARE int net_ndp_answered(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c,
                              const net_packet *p)
{
    const uint32_t ack = p->flags & NET_FIN ? tx->nxt : p->seq;
    if (tx->state != NET_TX_OPEN || net_seq_before(p->seq, tx->first) || net_seq_before(tx->nxt, p->seq))
        return 0;
    if (!(p->flags & (NET_NACK | NET_PULL)) && !net_seq_before(ack, tx->una)) {
        const weir_time rtt_ps = net_ack_elapsed(p, c, weir_now(ctx));
        net_tcp_rtt_sample(tx, rtt_ps, tx->n_out);
        net_record_rtt(ctx, c, p->flow, tx->first, rtt_ps);
    }
    const uint32_t arrived = c->flags & NET_CLASS_UET ? net_uet_count(tx, p) : 0;
    if (net_seq_before(tx->una, ack))
        net_ndp_advance(ctx, tx, c, ack);
    net_ndp_accept(ctx, tx, c, p);
    if (c->flags & NET_CLASS_UET && !(p->flags & (NET_NACK | NET_PULL)))
        net_uet_arrived(ctx, tx, c, p, arrived);
    if (tx->una == tx->nxt && tx->left == 0 && !(tx->flags & NET_TX_UNBOUNDED)) {
        tx->state = NET_TX_DONE;
        return 1;
    }
    net_ndp_output(ctx, h, tx, c, p->flow);
    return 0;
}

/* What the timer finds. */
typedef struct net_ndp_found {
    uint32_t lost;     /* segments that were sent a timeout ago */
    bool doubles;      /* the timeout: some were sent since it last was */
    weir_time left_ps; /* until the next will be lost; 0: nothing is on its way */
} net_ndp_found;

/* What is on its way and was sent a timeout ago was lost. */
WEIR_FN net_ndp_found net_ndp_detect(weir_ctx *ctx, net_tx *tx, const net_class *c, weir_time rto_ps)
{
    const uint32_t now = net_rack_units(weir_now(ctx)), rto = net_rack_units(rto_ps);
    const net_runs runs = net_runs_of(ctx, tx, c);
    const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    net_ndp_found found = {0, false, 0};
    uint32_t left = 0;
    for (uint32_t i = 0, from = 0; i < tx->n_runs; i++) {
        const bool before = tx->backoff > 0 && net_seq_before(runs.run[i].sent, tx->backed_off);
        const uint32_t top = net_run_top(tx, c, &runs, i), due = runs.run[i].sent + (before ? rto / 2u : rto);
        const uint32_t wait = net_seq_before(now, due) ? due - now : 0;
        for (uint32_t k = from; (k = net_tcp_next_flying(ctx, tx, c, k, top)) < top; k++) {
            if (wait) {
                left = left == 0 || wait < left ? wait : left;
                break;
            }
            found.lost += net_map_put(ctx, &lost, k, k + 1u, 1);
            found.doubles |= !before;
        }
        from = top;
    }
    tx->n_lost += found.lost;
    found.left_ps = (weir_time)left << NET_RACK_UNIT_BITS;
    return found;
}

/* The timer's event: stale, early, or a timeout. */
NET_RARE void net_ndp_on_timer(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c,
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
    const net_ndp_found found = net_ndp_detect(ctx, tx, c, net_ndp_rto(h, tx, c));
    tx->rto_at_ps = 0;
    if (found.left_ps > 0)
        net_ndp_arm(ctx, tx, flow, found.left_ps);
    if (found.lost == 0 && found.left_ps > 0)
        return;
    if (found.doubles || found.lost == 0) {
        tx->timeouts++;
        tx->backoff += tx->backoff < NET_BACKOFF_MAX;
        tx->backed_off = net_rack_units(now);
    }
    net_rack_age(ctx, tx, c);
    if (c->flags & NET_CLASS_UET)
        net_uet_timed_out(ctx, tx, c, found.lost);
    else
        net_ndp_of(tx)->credit += found.lost > 0 ? found.lost : 1u; /* a pull was lost */
    net_ndp_output(ctx, h, tx, c, flow);
    if ((c->flags & NET_CLASS_UET) && net_uet_ask(ctx, h, tx, c, flow))
        net_ndp_arm(ctx, tx, flow, net_ndp_rto(h, tx, c));
}

#endif
