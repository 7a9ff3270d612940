/*
 * The receiving end: in-order delivery, out-of-order ranges, delayed ACKs, SACK blocks, ECN echo, delay
 * statistics.
 *
 * Sources: RFC 5681 section 4.2 (an ACK for every second full segment or after a timeout; at once for what is
 * out of order or fills a gap); RFC 2018 (the first block reports the segment that caused the ACK); RFC 3168
 * section 6.1.3 (ECE until CWR); RFC 3550 section 6.4.1 (jitter). A segment that would make one range more
 * than NET_RANGES is discarded, as by a receiver that is short of buffers.
 */
#ifndef WI_NET_RECEIVER_H
#define WI_NET_RECEIVER_H

#include "net/tcp_sender.h"

/* Fold one packet's one-way delay into the statistics. */
WEIR_FN void net_rx_measure(weir_ctx *ctx, const net_world *w, net_rx *rx, const net_class *c,
                            const net_packet *p)
{
    const weir_time delay_ps = weir_now(ctx) - p->u.data.sent_ps;
    if (rx->packets > 0) {
        const weir_time change =
            delay_ps > rx->last_delay_ps ? delay_ps - rx->last_delay_ps : rx->last_delay_ps - delay_ps;
        rx->jitter_ps = (uint64_t)((int64_t)rx->jitter_ps + (change - (int64_t)rx->jitter_ps) / 16);
    }
    rx->last_delay_ps = delay_ps;
    rx->packets++;
    rx->delay_sum_ns += (uint64_t)delay_ps / 1000u;
    if (weir_now(ctx) < w->warmup_ps)
        return;
    const float delay_s = (float)((double)delay_ps * 1e-12);
    if (rx->delay_max_s == 0.0f || delay_s < rx->delay_min_s)
        rx->delay_min_s = delay_s;
    if (delay_s > rx->delay_max_s)
        rx->delay_max_s = delay_s;
    if (c->first_delay_bin != NET_NONE)
        weir_count(ctx, c->first_delay_bin + net_delay_bin(delay_ps), 1);
}

WEIR_FN void net_rx_send_ack(weir_ctx *ctx, const net_host_view *h, net_rx *rx, const net_class *c,
                             uint32_t latest, uint8_t flags)
{
    net_packet ack;
    net_packet_init(&ack, rx->flow - 1, net_dst_of_ack(h->w, rx->sender, rx->first), rx->rcv_nxt,
                    NET_HEADER_TCP, (uint8_t)(NET_ACK | flags | (rx->flags & NET_RX_ECE ? NET_CE : 0)),
                    h->w->ttl);
    if ((c->flags & NET_CLASS_SACK) && rx->n_ranges > 0) {
        uint32_t one = 0;
        while (one + 1 < rx->n_ranges && !net_seq_before(latest, rx->ooo.to[one]))
            one++;
        ack.u.sack[0] = rx->ooo.from[one];
        ack.u.sack[1] = rx->ooo.to[one];
        if (rx->n_ranges > 1) {
            /* The other ranges in turn, so that lost ACKs are made up for. */
            rx->rotate = (uint8_t)(rx->rotate + 1 < rx->n_ranges ? rx->rotate + 1 : 0);
            const uint32_t two = rx->rotate == one ? (one + 1u < rx->n_ranges ? one + 1u : 0u) : rx->rotate;
            ack.u.sack[2] = rx->ooo.from[two];
            ack.u.sack[3] = rx->ooo.to[two];
        }
    }
    rx->pending = 0;
    rx->ack_at_ps = 0;
    rx->acks++;
    net_host_transmit(ctx, h, &ack);
}

/* Take [seq, seq + length) in. Returns whether an ACK is due at once. */
WEIR_FN int net_rx_take(net_rx *rx, uint32_t seq, uint32_t length)
{
    const uint32_t end = seq + length;
    if (!net_seq_before(rx->rcv_nxt, end)) {
        rx->duplicates++;
        return 1;
    }
    if (net_seq_before(rx->rcv_nxt, seq)) {
        if (net_ranges_covered(&rx->ooo, rx->n_ranges, seq, end) == length)
            rx->duplicates++;
        else if (!net_ranges_add(&rx->ooo, &rx->n_ranges, seq, end))
            rx->discarded++;
        return 1;
    }
    const uint32_t before = rx->rcv_nxt;
    const int gap = rx->n_ranges > 0;
    rx->rcv_nxt = end;
    while (rx->n_ranges > 0 && !net_seq_before(rx->rcv_nxt, rx->ooo.from[0])) {
        rx->rcv_nxt = net_seq_max(rx->rcv_nxt, rx->ooo.to[0]);
        net_ranges_trim(&rx->ooo, &rx->n_ranges, rx->rcv_nxt);
    }
    rx->bytes += rx->rcv_nxt - before;
    return gap;
}

/* The flow's slot at its receiver begins to serve the flow that the packet belongs to. */
WEIR_FN void net_rx_begin(net_rx *rx, const net_world *w, const net_packet *p)
{
    rx->flow = p->flow + 1;
    rx->first = rx->rcv_nxt = p->u.data.first;
    rx->cls = NET_ARRAY(w, uint16_t, tx_class)[p->flow];
    rx->sender = NET_ARRAY(w, uint32_t, tx_host)[p->flow];
    rx->flags = 0;
    rx->n_ranges = rx->pending = rx->rotate = 0;
    rx->ack_at_ps = 0;
    rx->fin_seq = 0;
    rx->packets = rx->bytes = rx->delay_sum_ns = rx->jitter_ps = rx->acks = 0;
    rx->last_delay_ps = 0;
    rx->delay_min_s = rx->delay_max_s = 0.0f;
    rx->duplicates = rx->discarded = 0;
}

/* A TCP segment at its receiver. Returns 1 when it completes the flow. */
WEIR_FN int net_rx_segment(weir_ctx *ctx, const net_host_view *h, net_rx *rx, uint32_t slot,
                           const net_packet *p)
{
    const net_class *c = net_class_at(h->w, rx->cls);
    net_rx_measure(ctx, h->w, rx, c, p);
    if (p->flags & NET_SYN) {
        net_rx_send_ack(ctx, h, rx, c, p->seq, NET_SYN);
        return 0;
    }
    int now = 0;
    if (c->flags & NET_CLASS_ECN) {
        if (p->flags & NET_CWR)
            rx->flags &= (uint8_t)~NET_RX_ECE;
        if (p->flags & NET_CE) {
            now |= !(rx->flags & NET_RX_ECE);
            rx->flags |= NET_RX_ECE;
        }
    }
    const uint32_t length = p->bytes - NET_HEADER_TCP;
    if (p->flags & NET_FIN) {
        rx->fin_seq = p->seq + length;
        rx->flags |= NET_RX_HAS_FIN;
    }
    now |= net_rx_take(rx, p->seq, length);
    const int complete =
        (rx->flags & NET_RX_HAS_FIN) && !(rx->flags & NET_RX_DONE) && rx->rcv_nxt == rx->fin_seq;
    if (complete)
        rx->flags |= NET_RX_DONE;
    if (now || complete || ++rx->pending >= c->delayed_ack) {
        net_rx_send_ack(ctx, h, rx, c, p->seq, 0);
    } else if (rx->ack_at_ps == 0) {
        rx->ack_at_ps = weir_now(ctx) + c->delayed_ack_ps;
        net_timer_arm(ctx, NET_EV_RX_TIMER, slot, rx->ack_at_ps, &rx->timer_at_ps);
    }
    return complete;
}

WEIR_FN void net_rx_on_timer(weir_ctx *ctx, const net_host_view *h, net_rx *rx, uint32_t slot)
{
    const weir_time now = weir_now(ctx);
    if (now != rx->timer_at_ps)
        return;
    rx->timer_at_ps = 0;
    if (rx->ack_at_ps == 0)
        return;
    if (now < rx->ack_at_ps)
        net_timer_arm(ctx, NET_EV_RX_TIMER, slot, rx->ack_at_ps, &rx->timer_at_ps);
    else
        net_rx_send_ack(ctx, h, rx, net_class_at(h->w, rx->cls), rx->rcv_nxt, 0);
}

/* A slot begins to serve the packet's flow; what the slot counted before goes to the class. */
WEIR_FN net_rx *net_rx_take_over(weir_ctx *ctx, const net_world *w, net_rx *rx, const net_packet *p)
{
    weir_touch(ctx, rx, sizeof *rx);
    if (rx->packets || rx->acks) {
        net_count_class(ctx, w, rx->cls, NET_COUNT_OLD_DELIVERED, (int64_t)rx->packets);
        net_count_class(ctx, w, rx->cls, NET_COUNT_OLD_ACK_SENT, (int64_t)rx->acks);
    }
    net_rx_begin(rx, w, p);
    return rx;
}

/*
 * The slot of a packet's flow at this host, beginning it if it is new; null for a stray: a packet of a flow
 * that this host has forgotten, or one more where no slot can be had. Flows that the scenario starts find
 * theirs at the hint. Flows that arrive by themselves look from the hint on through the rest of the host's
 * slice; where that is full, the slot of a completed flow is taken. A sender's slot begins a new flow only
 * when its last one is complete here, and packets between two hosts keep their order, so a flow that differs
 * from the one in hand is older while that is under way, and newer once it is done.
 */
WEIR_FN net_rx *net_rx_find(weir_ctx *ctx, const net_world *w, const net_packet *p, uint32_t *slot)
{
    const uint32_t begin = NET_ARRAY(w, uint32_t, rx_dynamic)[ctx->entity];
    const uint32_t end = NET_ARRAY(w, uint32_t, rx_first)[ctx->entity + 1];
    const int known = (p->u.data.rx_hint & NET_HINT_KNOWN) != 0;
    uint32_t at = p->u.data.rx_hint & ~NET_HINT_KNOWN;
    const uint32_t tries = at < begin ? 1 : end - begin;
    net_rx *reusable = 0;
    for (uint32_t i = 0; i < tries; i++) {
        net_rx *rx = (net_rx *)weir_slot(ctx, NET_POOL_RX, at, sizeof(net_rx));
        const int ours = rx->flow == p->flow + 1;
        if (ours && rx->first == p->u.data.first) {
            *slot = at;
            return rx;
        }
        if (ours || rx->flow == 0) {
            if (known || (ours && !(rx->flags & NET_RX_DONE)))
                return 0;
            *slot = at;
            return net_rx_take_over(ctx, w, rx, p);
        }
        if (!reusable && (rx->flags & NET_RX_DONE)) {
            reusable = rx;
            *slot = at;
        }
        if (++at == end)
            at = begin;
    }
    return reusable && !known ? net_rx_take_over(ctx, w, reusable, p) : 0;
}

/* A segment that this host has no slot for. If its sender has heard from here before, the flow was forgotten
 * because all of it had arrived: its last ACK was lost. It is given again, with FIN for "all of it", as
 * nobody here knows how long the flow was. */
WEIR_FN void net_rx_stray(weir_ctx *ctx, const net_host_view *h, const net_packet *p)
{
    const uint32_t cls = NET_ARRAY(h->w, uint16_t, tx_class)[p->flow];
    net_count_class(ctx, h->w, cls, NET_COUNT_STRAY, 1);
    if (!(p->u.data.rx_hint & NET_HINT_KNOWN))
        return;
    net_packet ack;
    const uint32_t sender = NET_ARRAY(h->w, uint32_t, tx_host)[p->flow];
    net_packet_init(&ack, p->flow, net_dst_of_ack(h->w, sender, p->u.data.first),
                    p->seq + p->bytes - NET_HEADER_TCP, NET_HEADER_TCP, NET_ACK | NET_FIN, h->w->ttl);
    net_count_class(ctx, h->w, cls, NET_COUNT_OLD_ACK_SENT, 1);
    net_host_transmit(ctx, h, &ack);
}

#endif
