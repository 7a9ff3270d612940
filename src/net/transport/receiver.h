/*
 * The receiving end: in-order delivery, out-of-order ranges, delayed ACKs, SACK blocks, ECN echo, delay
 * statistics.
 *
 * Sources: RFC 5681 section 4.2 (an ACK for every second full segment or after a timeout; at once for what is
 * out of order or fills a gap); RFC 2018 section 4 (the first block reports the segment that caused the ACK,
 * the others repeat the blocks that changed last before it); RFC 2883 (duplicates, as a flag); RFC 7323
 * section 4.3 (which time is echoed); RFC 3168 section 6.1.3 (ECE until CWR) or RFC 8257 section 3.2 (ECE as marked); RFC 3550 section 6.4.1
 * (jitter).
 */
#ifndef WI_NET_TRANSPORT_RECEIVER_H
#define WI_NET_TRANSPORT_RECEIVER_H

#include "net/transport/tcp_sender.h"

/* Of a host: an ACK for a flow of another host; a segment beyond the receiver's window. */
enum { NET_FAULT_FLOW = 1, NET_FAULT_WINDOW };

/* Fold one packet's one-way delay into the statistics. */
WEIR_FN void net_rx_measure(weir_ctx *ctx, const net_world *w, net_rx *rx, const net_class *c,
                            const net_packet *p)
{
    const weir_time sent_ps = p->u.data.sent_ps, now_ps = weir_now(ctx);
    const weir_time delay_ps = c->flags & NET_CLASS_TAGS ? net_int_age(sent_ps, now_ps) : now_ps - sent_ps;
    if (rx->packets > 0) {
        const weir_time change =
            delay_ps > rx->last_delay_ps ? delay_ps - rx->last_delay_ps : rx->last_delay_ps - delay_ps;
        rx->jitter_ps = (uint64_t)((int64_t)rx->jitter_ps + (change - (int64_t)rx->jitter_ps) / 16);
    }
    rx->last_delay_ps = delay_ps;
    rx->packets++;
    rx->delay_sum_ns += net_whole_ns(delay_ps, p);
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

/* The row of segments received out of order. */
WEIR_FN net_map net_rx_row(const weir_ctx *ctx, const net_rx *rx, const net_class *c)
{
    net_map m;
    m.word = (uint64_t *)weir_slot(ctx, NET_POOL_WINDOW, rx->map, (uint32_t)sizeof(uint64_t));
    m.words = c->map_words;
    m.base = rx->base;
    return m;
}

/* An ACK of all that has come. */
WEIR_FN net_packet net_rx_ack(const net_view *h, const net_rx *rx, const net_class *c, uint8_t flags)
{
    net_packet ack;
    net_ack_block block[NET_RX_BLOCKS];
    uint32_t n = 0;
    net_packet_init(&ack, rx->flow - 1, net_dst_of_ack(h->w, rx->sender, rx->first), rx->rcv_nxt,
                    NET_HEADER_TCP, (uint8_t)(NET_ACK | flags | (rx->flags & NET_RX_ECE ? NET_CE : 0)));
    if ((c->flags & NET_CLASS_SACK) && rx->n_ooo > 0)
        for (uint32_t i = 0; i < NET_RX_BLOCKS && rx->block[i][0] != rx->block[i][1]; i++) {
            block[n].from = (rx->block[i][0] - rx->rcv_nxt) / c->mss_bytes;
            block[n++].to = (rx->block[i][1] - rx->rcv_nxt + c->mss_bytes - 1u) / c->mss_bytes;
        }
    net_ack_pack(&ack, c, rx->echo_ps, block, n);
    if (c->flags & NET_CLASS_ACE)
        net_ack_put_ace(&ack, rx->ace);
    return ack;
}

/* Send an ACK of all that has come. */
WEIR_FN void net_rx_send_ack(weir_ctx *ctx, const net_view *h, net_rx *rx, const net_class *c, uint8_t flags)
{
    net_packet ack = net_rx_ack(h, rx, c, flags);
    rx->last_ack = rx->rcv_nxt;
    rx->pending = 0;
    rx->ack_at_ps = 0;
    rx->acks++;
    net_host_enqueue(ctx, h, &ack);
}

/* Keep [from, to) as the latest block, and those before it that are neither part of it nor delivered. */
WEIR_FN void net_rx_remember(net_rx *rx, uint32_t from, uint32_t to)
{
    uint32_t kept[NET_RX_BLOCKS][2], n = 0;
    if (from != to) {
        kept[n][0] = from;
        kept[n++][1] = to;
    }
    for (uint32_t i = 0; i < NET_RX_BLOCKS && n < NET_RX_BLOCKS; i++) {
        const uint32_t first = rx->block[i][0];
        const int inside = from != to && !net_seq_before(first, from) && net_seq_before(first, to);
        if (first == rx->block[i][1] || inside || !net_seq_before(rx->rcv_nxt, first))
            continue;
        kept[n][0] = first;
        kept[n++][1] = rx->block[i][1];
    }
    for (uint32_t i = 0; i < NET_RX_BLOCKS; i++) {
        rx->block[i][0] = i < n ? kept[i][0] : 0;
        rx->block[i][1] = i < n ? kept[i][1] : 0;
    }
}

/* A segment beyond the next one expected. Returns whether it is new. */
WEIR_FN int net_rx_accept_later(weir_ctx *ctx, net_rx *rx, const net_class *c, uint32_t seq, uint32_t end)
{
    const net_map row = net_rx_row(ctx, rx, c);
    const uint32_t k = (seq - rx->rcv_nxt) / c->mss_bytes, n = 64u * row.words;
    if (k >= n) { /* no sender goes beyond the window */
        weir_fault(ctx, NET_FAULT_WINDOW);
        return 0;
    }
    if (net_map_put(ctx, &row, k, k + 1u, 1) == 0)
        return 0;
    rx->n_ooo++;
    /* Mostly the segment that follows the last one. */
    const int follows = rx->block[0][1] == seq && rx->block[0][0] != seq;
    const uint32_t below = follows ? 0 : net_map_last(&row, 0, k, 0); /* segment 0 is missing: always found */
    const uint32_t from = follows ? rx->block[0][0] : rx->rcv_nxt + (below + 1u) * c->mss_bytes;
    const uint32_t above = net_map_next(&row, k + 1u, n, 0);
    uint32_t to = end;
    if (above > k + 1u) {
        to = rx->rcv_nxt + above * c->mss_bytes;
        if ((rx->flags & NET_RX_HAS_FIN) && net_seq_before(rx->fin_seq, to))
            to = rx->fin_seq;
    }
    net_rx_remember(rx, from, to);
    return 1;
}

/* The segment that is expected next, which ends at `end`: deliver it, and what follows it. */
WEIR_FN void net_rx_deliver(weir_ctx *ctx, net_rx *rx, const net_class *c, uint32_t end)
{
    const uint32_t before = rx->rcv_nxt;
    rx->rcv_nxt = end;
    if (rx->n_ooo > 0) {
        const net_map row = net_rx_row(ctx, rx, c);
        const uint32_t run = net_map_next(&row, 1, 64u * row.words, 0);
        rx->n_ooo -= net_map_put(ctx, &row, 1, run, 0);
        rx->base = net_map_place(&row, run);
        rx->rcv_nxt = end + (run - 1u) * c->mss_bytes;
        if ((rx->flags & NET_RX_HAS_FIN) && net_seq_before(rx->fin_seq, rx->rcv_nxt))
            rx->rcv_nxt = rx->fin_seq;
        net_rx_remember(rx, 0, 0);
    }
    rx->bytes += rx->rcv_nxt - before;
}

/* When an ACK is due, and whether it reports a duplicate. */
enum { NET_RX_LATER, NET_RX_NOW, NET_RX_DUPLICATE };

/* Accept [seq, seq + length), and deliver what is in order. Returns when an ACK is due. */
WEIR_FN int net_rx_accept(weir_ctx *ctx, net_rx *rx, const net_class *c, uint32_t seq, uint32_t length)
{
    const uint32_t end = seq + length;
    int new_data = net_seq_before(rx->rcv_nxt, end);
    if (new_data && rx->rcv_nxt == seq) {
        const int gap = rx->n_ooo > 0;
        net_rx_deliver(ctx, rx, c, end);
        return gap ? NET_RX_NOW : NET_RX_LATER;
    }
    if (new_data)
        new_data = net_rx_accept_later(ctx, rx, c, seq, end);
    if (new_data)
        return NET_RX_NOW;
    rx->duplicates++;
    return NET_RX_DUPLICATE;
}

/* The flow's slot at its receiver begins to serve the flow that the packet belongs to. */
WEIR_FN void net_rx_begin(net_rx *rx, const net_world *w, const net_packet *p, uint32_t slot)
{
    rx->flow = p->flow + 1;
    rx->first = rx->rcv_nxt = rx->last_ack = p->u.data.first;
    rx->map = NET_ARRAY(w, uint32_t, rx_map)[slot];
    rx->cls = NET_ARRAY(w, uint16_t, tx_class)[p->flow];
    rx->sender = NET_ARRAY(w, uint32_t, tx_host)[p->flow];
    rx->flags &= NET_RX_PULLING;
    rx->pending = 0;
    rx->ace = 0;
    rx->base = 0; /* its row is empty: whatever it served before has been received, or was UDP */
    for (uint32_t i = 0; i < NET_RX_BLOCKS; i++)
        rx->block[i][0] = rx->block[i][1] = 0;
    rx->echo_ps = 0;
    rx->ack_at_ps = 0;
    rx->fin_seq = 0;
    rx->packets = rx->bytes = rx->delay_sum_ns = rx->jitter_ps = rx->acks = 0;
    rx->last_delay_ps = 0;
    rx->delay_min_s = rx->delay_max_s = 0.0f;
    rx->duplicates = 0;
}

/* A segment's mark, or none: echoed until CWR comes (RFC 3168, section 6.1.3); counted (RFC 9768, section 3.2.2.5: the first of several is
 * told at once, the second by the ACK that is due for it); or echoed as it is (RFC 8257, section 3.2; then what waits for an ACK is
 * acknowledged first, with the echo that it calls for). Returns whether an ACK is due at once. */
WEIR_FN int net_rx_accept_mark(weir_ctx *ctx, const net_view *h, net_rx *rx, const net_class *c,
                               const net_packet *p)
{
    const int marked = (p->flags & NET_CE) != 0, echoes = (rx->flags & NET_RX_ECE) != 0;
    if (c->flags & NET_CLASS_ACE) {
        rx->ace += (uint32_t)marked;
        rx->flags = (uint8_t)(marked ? rx->flags | NET_RX_ECE : rx->flags & ~NET_RX_ECE);
        return marked && !echoes;
    }
    if (c->flags & NET_CLASS_ECHO) {
        if (marked == echoes)
            return 0;
        if (rx->pending > 0)
            net_rx_send_ack(ctx, h, rx, c, 0);
        rx->flags ^= NET_RX_ECE;
        return 1;
    }
    if (p->flags & NET_CWR)
        rx->flags &= (uint8_t)~NET_RX_ECE;
    if (!marked)
        return 0;
    const int now = !(rx->flags & NET_RX_ECE);
    rx->flags |= NET_RX_ECE;
    return now;
}

/* What the next ACK echoes of a class with NET_CLASS_INT: 48 bits of the segment's own time, or of TS.Recent (RFC 7323, section 4.3),
 * below the load that the latest segment carries. */
NET_RARE weir_time net_rx_echo_load(const net_rx *rx, const net_packet *p, bool own, weir_time now_ps)
{
    const uint64_t sent = (uint64_t)p->u.data.sent_ps, echo = (uint64_t)rx->echo_ps;
    const bool later =
        echo == 0 || net_int_age((weir_time)sent, now_ps) < net_int_age((weir_time)echo, now_ps);
    const bool takes = own || (later && !net_seq_before(rx->last_ack, p->seq));
    return (weir_time)(((takes ? sent : echo) & NET_SENT_MASK) | (sent & ~NET_SENT_MASK));
}

/* What the next ACK echoes, after a segment. Of a class with NET_CLASS_RATE what comes beside the order tells its own time, by which
 * senders measure rates, or round trips in recovery; captures show TS.Recent. */
WEIR_FN void net_rx_note_time(const weir_ctx *ctx, net_rx *rx, const net_class *c, const net_packet *p)
{
    const bool own = WEIR_UNLIKELY(c->flags & NET_CLASS_RATE) && rx->pending == 0 &&
                     (rx->n_ooo > 0 || net_seq_before(rx->rcv_nxt, p->seq));
    if (WEIR_UNLIKELY(c->flags & NET_CLASS_INT))
        rx->echo_ps = net_rx_echo_load(rx, p, own, weir_now(ctx));
    else if (own || (!net_seq_before(rx->last_ack, p->seq) && p->u.data.sent_ps > rx->echo_ps))
        rx->echo_ps = p->u.data.sent_ps;
}

/* Whether all of a flow has arrived, now. */
WEIR_FN bool net_rx_completes(net_rx *rx)
{
    if (!(rx->flags & NET_RX_HAS_FIN) || rx->flags & NET_RX_DONE || rx->rcv_nxt != rx->fin_seq)
        return false;
    rx->flags |= NET_RX_DONE;
    return true;
}

/* A TCP segment at its receiver. Returns 1 when it completes the flow. */
WEIR_FN int net_rx_segment(weir_ctx *ctx, const net_view *h, net_rx *rx, uint32_t slot, const net_packet *p)
{
    const net_class *c = net_class_at(h->w, rx->cls);
    net_rx_measure(ctx, h->w, rx, c, p);
    int now = (c->flags & NET_CLASS_ECN) && net_rx_accept_mark(ctx, h, rx, c, p);
    net_rx_note_time(ctx, rx, c, p);
    if (p->flags & NET_SYN) {
        net_rx_send_ack(ctx, h, rx, c, NET_SYN);
        return 0;
    }
    const uint32_t length = p->bytes - NET_HEADER_TCP;
    if (p->flags & NET_FIN) {
        rx->fin_seq = p->seq + length;
        rx->flags |= NET_RX_HAS_FIN;
    }
    const int took = net_rx_accept(ctx, rx, c, p->seq, length);
    now |= took != NET_RX_LATER;
    const int complete = net_rx_completes(rx);
    if (now || complete || ++rx->pending >= c->delayed_ack) {
        net_rx_send_ack(ctx, h, rx, c,
                        took == NET_RX_DUPLICATE && (c->flags & NET_CLASS_SACK) ? NET_DSACK : 0);
    } else if (rx->ack_at_ps == 0) {
        rx->ack_at_ps = weir_now(ctx) + c->delayed_ack_ps;
        net_timer_arm(ctx, NET_EV_RX_TIMER, slot, rx->ack_at_ps, &rx->timer_at_ps);
    }
    return complete;
}

/* The timer's event: stale, early, or a delayed ACK is due. */
WEIR_FN void net_rx_on_timer(weir_ctx *ctx, const net_view *h, net_rx *rx, uint32_t slot)
{
    const weir_time now = weir_now(ctx);
    if (now != rx->timer_at_ps)
        return;
    rx->timer_at_ps = 0;
    if (rx->ack_at_ps == 0 || (net_class_at(h->w, rx->cls)->flags & NET_CLASS_NDP))
        return;
    if (now < rx->ack_at_ps)
        net_timer_arm(ctx, NET_EV_RX_TIMER, slot, rx->ack_at_ps, &rx->timer_at_ps);
    else
        net_rx_send_ack(ctx, h, rx, net_class_at(h->w, rx->cls), 0);
}

/* A slot begins to serve the packet's flow; what the slot counted before goes to the class. */
WEIR_FN net_rx *net_rx_reuse(weir_ctx *ctx, const net_world *w, net_rx *rx, const net_packet *p,
                             uint32_t slot)
{
    weir_touch(ctx, rx, sizeof *rx);
    if (rx->packets || rx->acks) {
        net_count_class(ctx, w, rx->cls, NET_COUNT_OLD_DELIVERED, (int64_t)rx->packets);
        net_count_class(ctx, w, rx->cls, NET_COUNT_OLD_ACK_SENT, (int64_t)rx->acks);
    }
    net_rx_begin(rx, w, p, slot);
    return rx;
}

/* Where a flow that comes by itself looks for a slot at its receiver first. */
WEIR_FN uint32_t net_rx_hash(const net_world *w, uint32_t flow, uint32_t dst)
{
    const uint32_t begin = NET_ARRAY(w, uint32_t, rx_dynamic)[dst],
                   end = NET_ARRAY(w, uint32_t, rx_first)[dst + 1];
    return begin + (uint32_t)(((uint64_t)(flow * 0x9e3779b1u) * (end - begin)) >> 32);
}

/* The slot from which on a flow that goes to a host is looked for there; a job's hint is an inlet. */
WEIR_FN uint32_t net_rx_from(const net_world *w, uint32_t flow, uint32_t hint, uint32_t dst)
{
    if (WEIR_UNLIKELY(w->jobs != 0) && net_class_of_flow(w, flow)->flags & NET_CLASS_JOB)
        return net_rx_hash(w, flow, dst);
    return net_hint_slot(w, hint);
}

/*
 * The slot of a packet's flow at this host, beginning it if it is new; null for a stray: a packet of a flow
 * that this host has forgotten, or one more where no slot can be had. Flows that the scenario starts find
 * theirs at the hint. Flows that arrive by themselves look from the hint on, a job's messages from one of their own, through the rest of the host's
 * slice; where that is full, the slot of a completed flow is taken. A sender's slot begins a new flow only
 * when its last one is complete here, and packets between two hosts keep their order, so a flow that differs
 * from the one in hand is older while that is under way, and newer once it is done.
 */
WEIR_FN net_rx *net_rx_find(weir_ctx *ctx, const net_world *w, const net_packet *p, uint32_t *slot)
{
    const uint32_t begin = NET_ARRAY(w, uint32_t, rx_dynamic)[ctx->entity];
    const uint32_t end = NET_ARRAY(w, uint32_t, rx_first)[ctx->entity + 1];
    const int known = (p->u.data.rx_hint & NET_HINT_KNOWN) != 0;
    uint32_t at = net_rx_from(w, p->flow, p->u.data.rx_hint, ctx->entity);
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
            return net_rx_reuse(ctx, w, rx, p, at);
        }
        if (!reusable && (rx->flags & NET_RX_DONE)) {
            reusable = rx;
            *slot = at;
        }
        if (++at == end)
            at = begin;
    }
    return reusable && !known ? net_rx_reuse(ctx, w, reusable, p, *slot) : 0;
}

/* A segment that this host has no slot for. If its sender has heard from here before, the flow was forgotten
 * because all of it had arrived: its last ACK was lost. It is given again, with FIN for "all of it", as
 * nobody here knows how long the flow was. */
WEIR_FN void net_rx_stray(weir_ctx *ctx, const net_view *h, const net_packet *p)
{
    const uint32_t cls = NET_ARRAY(h->w, uint16_t, tx_class)[p->flow];
    net_count_class(ctx, h->w, cls, NET_COUNT_STRAY, 1);
    if (!(p->u.data.rx_hint & NET_HINT_KNOWN))
        return;
    net_packet ack;
    const uint32_t sender = NET_ARRAY(h->w, uint32_t, tx_host)[p->flow];
    net_packet_init(&ack, p->flow, net_dst_of_ack(h->w, sender, p->u.data.first),
                    p->seq + p->bytes - NET_HEADER_TCP, NET_HEADER_TCP, NET_ACK | NET_FIN);
    net_ack_pack(&ack, net_class_at(h->w, cls), p->u.data.sent_ps, 0, 0);
    net_count_class(ctx, h->w, cls, NET_COUNT_OLD_ACK_SENT, 1);
    net_host_enqueue(ctx, h, &ack);
}

#endif
