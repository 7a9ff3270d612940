/*
 * The sending end of TCP: slow start and congestion avoidance by the class's congestion control, fast
 * retransmit and recovery, retransmission timeouts.
 *
 * Sources: RFC 5681; RFC 6582 (NewReno) where SACK is off; RFC 6675 (pipe, IsLost, NextSeg rules 1 and 2)
 * where it is on; RFC 6298 with Karn's rule for the timer; RFC 3168 for ECN. One mechanism serves all three
 * kinds of loss: bytes below `lost_to` that no SACK covers are lost; those of them below `high_rtx` have been
 * retransmitted. SACKs, duplicate ACKs and timeouts differ only in how they move `lost_to`. pipe = (nxt -
 * una) - sacked - (lost and not retransmitted). New data goes out on the first two duplicate ACKs too, as RFC
 * 3042 wants. Departures: the scoreboard is bounded (NET_RANGES); a retransmission that is lost waits for the
 * timer; after a timeout the SACKed ranges are kept, as the receiver never reneges; the initial timeout is
 * 1 s also after a lost SYN.
 */
#ifndef WI_NET_TCP_SENDER_H
#define WI_NET_TCP_SENDER_H

#include "net/congestion.h"
#include "net/port.h"
#include "net/tcp_scoreboard.h"

#define NET_RTO_INITIAL_PS WEIR_PS_PER_S
#define NET_RTO_MAX_PS (60 * WEIR_PS_PER_S)
#define NET_RTO_GRANULARITY_PS WEIR_PS_PER_MS
enum { NET_BACKOFF_MAX = 10 };

/* A host as its handlers use it: its world, its own port, and a touch on the port only when something is
 * sent. */
typedef struct net_host_view {
    const net_world *w;
    const net_link *nic;
    net_port *port;
} net_host_view;

WEIR_FN_APART void net_host_transmit(weir_ctx *ctx, const net_host_view *h, const net_packet *packet)
{
    weir_touch(ctx, h->port, sizeof *h->port);
    net_transmit(ctx, h->w, h->nic, h->port, packet, packet->ttl);
}

WEIR_FN void net_packet_init(net_packet *p, uint32_t flow, uint32_t dst, uint32_t seq, uint32_t bytes,
                             uint8_t flags, uint32_t ttl)
{
    p->flow = flow;
    p->dst = dst;
    p->seq = seq;
    p->bytes = (uint16_t)bytes;
    p->flags = flags;
    p->ttl = (uint8_t)ttl;
    p->u.sack[0] = p->u.sack[1] = p->u.sack[2] = p->u.sack[3] = 0;
}

/* A timer is one pending event per object, re-armed lazily: only an earlier deadline posts a second one, and
 * the event whose time is not the recorded one is stale. */
WEIR_FN void net_timer_arm(weir_ctx *ctx, uint16_t type, uint32_t index, weir_time at_ps,
                           weir_time *pending_ps)
{
    if (*pending_ps != 0 && *pending_ps <= at_ps)
        return;
    net_note *note = (net_note *)weir_schedule_at(ctx, ctx->entity, type, at_ps);
    note->index = index;
    note->arg = 0;
    *pending_ps = at_ps;
}

WEIR_FN weir_time net_tcp_rto(const net_tx *tx, const net_class *c)
{
    weir_time rto = NET_RTO_INITIAL_PS;
    if (tx->flags & NET_TX_RTT_KNOWN) {
        const weir_time spread = 4 * tx->rttvar_ps;
        rto = tx->srtt_ps + (spread > NET_RTO_GRANULARITY_PS ? spread : NET_RTO_GRANULARITY_PS);
    }
    if (rto < c->rto_min_ps)
        rto = c->rto_min_ps;
    for (uint32_t i = 0; i < tx->backoff && rto < NET_RTO_MAX_PS; i++)
        rto *= 2;
    return rto < NET_RTO_MAX_PS ? rto : NET_RTO_MAX_PS;
}

WEIR_FN void net_tcp_arm(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow)
{
    tx->rto_at_ps = weir_now(ctx) + net_tcp_rto(tx, c);
    net_timer_arm(ctx, NET_EV_TX_TIMER, flow, tx->rto_at_ps, &tx->timer_at_ps);
}

/* RFC 6298, section 2. A sample also ends the backing off: Karn's rule, and the note after (5.7). */
WEIR_FN void net_tcp_rtt_sample(net_tx *tx, weir_time sample_ps)
{
    if (tx->flags & NET_TX_RTT_KNOWN) {
        const weir_time error = tx->srtt_ps > sample_ps ? tx->srtt_ps - sample_ps : sample_ps - tx->srtt_ps;
        tx->rttvar_ps += (error - tx->rttvar_ps) / 4;
        tx->srtt_ps += (sample_ps - tx->srtt_ps) / 8;
    } else {
        tx->srtt_ps = sample_ps;
        tx->rttvar_ps = sample_ps / 2;
        tx->flags |= NET_TX_RTT_KNOWN;
    }
    tx->backoff = 0;
    const float rtt_s = (float)((double)sample_ps * 1e-12);
    if (tx->rtt_n == 0 || rtt_s < tx->rtt_min_s)
        tx->rtt_min_s = rtt_s;
    if (tx->rtt_n == 0 || rtt_s > tx->rtt_max_s)
        tx->rtt_max_s = rtt_s;
    tx->rtt_n++;
    tx->rtt_sum_ns += (uint64_t)sample_ps / 1000u;
}

/* A packet of the flow's sender, not yet counted. */
WEIR_FN net_packet net_tx_packet(const weir_ctx *ctx, const net_host_view *h, const net_tx *tx, uint32_t flow,
                                 uint32_t seq, uint32_t bytes, uint8_t flags)
{
    net_packet p;
    net_packet_init(&p, flow, tx->dst, seq, bytes, flags, h->w->ttl);
    p.u.data.sent_ps = weir_now(ctx);
    p.u.data.first = tx->first;
    p.u.data.rx_hint = tx->rx_hint;
    return p;
}

/* Retransmissions are not ECN-capable (RFC 3168, section 6.1.5), and CWR is for new data (6.1.2). */
WEIR_FN void net_tcp_segment(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                             uint32_t flow, uint32_t seq, uint32_t length, int again)
{
    uint8_t flags = 0;
    if ((c->flags & NET_CLASS_ECN) && !again) {
        flags = tx->flags & NET_TX_CWR ? NET_ECT | NET_CWR : NET_ECT;
        tx->flags &= (uint8_t)~NET_TX_CWR;
    }
    if (!(tx->flags & NET_TX_UNBOUNDED) && tx->left == 0 && seq + length == tx->nxt)
        flags |= NET_FIN;
    const net_packet p = net_tx_packet(ctx, h, tx, flow, seq, length + NET_HEADER_TCP, flags);
    tx->packets++;
    net_host_transmit(ctx, h, &p);
}

/* NextSeg, rule 1: the lowest bytes that are lost and not yet retransmitted. Returns their number, 0 for
 * none. */
WEIR_FN uint32_t net_tcp_next_lost(const net_tx *tx, const net_class *c, uint32_t *seq)
{
    uint32_t from = net_seq_max(tx->una, tx->high_rtx);
    for (uint32_t i = 0; i < tx->n_ranges; i++)
        if (!net_seq_before(from, tx->sacked.from[i]) && net_seq_before(from, tx->sacked.to[i]))
            from = tx->sacked.to[i];
    if (!net_seq_before(from, tx->lost_to))
        return 0;
    uint32_t to = net_seq_min(from + c->mss_bytes, net_seq_min(tx->lost_to, tx->nxt));
    for (uint32_t i = 0; i < tx->n_ranges; i++)
        if (net_seq_before(from, tx->sacked.from[i]))
            to = net_seq_min(to, tx->sacked.from[i]);
    *seq = from;
    return net_seq_before(from, to) ? to - from : 0;
}

/* Bytes of new data that may be sent now, one segment at most: bounded by the receiver's window too, unlike
 * retransmissions. Nagle is off: a short segment goes only at the end. */
WEIR_FN uint32_t net_tcp_next_new(const net_tx *tx, const net_class *c, weir_time now)
{
    if (c->stop_ps && now >= c->stop_ps && (tx->flags & NET_TX_UNBOUNDED))
        return 0;
    const uint64_t left = tx->flags & NET_TX_UNBOUNDED ? c->mss_bytes : tx->left;
    const uint32_t length = left < c->mss_bytes ? (uint32_t)left : c->mss_bytes;
    return tx->nxt - tx->una + length <= c->window_bytes ? length : 0;
}

WEIR_FN void net_tcp_retransmit(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                                uint32_t flow, uint32_t seq, uint32_t length)
{
    /* Karn: what covers a retransmission is no sample. */
    if ((tx->flags & NET_TX_TIMING) && !net_seq_before(tx->timed_seq, seq))
        tx->flags &= (uint8_t)~NET_TX_TIMING;
    tx->high_rtx = seq + length;
    tx->retransmissions++;
    net_tcp_segment(ctx, h, tx, c, flow, seq, length, 1);
}

WEIR_FN void net_tcp_send_new(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                              uint32_t flow, uint32_t length)
{
    const uint32_t seq = tx->nxt;
    tx->nxt += length;
    if (!(tx->flags & NET_TX_UNBOUNDED))
        tx->left -= length;
    if (!(tx->flags & NET_TX_TIMING)) {
        tx->flags |= NET_TX_TIMING;
        tx->timed_seq = tx->nxt;
        tx->timed_at_ps = weir_now(ctx);
    }
    net_tcp_segment(ctx, h, tx, c, flow, seq, length, 0);
}

/* Send more at a given time, through an event to itself; one such event at a time. */
WEIR_FN void net_tcp_continue(weir_ctx *ctx, net_tx *tx, uint32_t flow, weir_time at_ps)
{
    if (tx->flags & NET_TX_SENDING)
        return;
    tx->flags |= NET_TX_SENDING;
    net_note *note = (net_note *)weir_schedule_at(ctx, ctx->entity, NET_EV_SEND, at_ps);
    note->index = flow;
    note->arg = 0;
}

/*
 * Send what the windows allow, at most NET_BURST segments; the rest continues when the interface has sent
 * these. `forced` segments go whatever pipe says (the first retransmission of a recovery, RFC 6675 section 5
 * step 4.3).
 */
WEIR_FN_APART void net_tcp_output(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                                  uint32_t flow, int forced)
{
    uint32_t pipe = net_tcp_pipe(tx, c);
    int sent = 0;
    for (;;) {
        uint32_t seq = 0;
        uint32_t length = net_seq_before(net_seq_max(tx->una, tx->high_rtx), tx->lost_to)
                              ? net_tcp_next_lost(tx, c, &seq)
                              : 0;
        const int again = length > 0;
        if (!again)
            length = net_tcp_next_new(tx, c, weir_now(ctx));
        if (length == 0 || (forced <= 0 && pipe + length > tx->cwnd))
            break;
        if (sent == NET_BURST) {
            const weir_time idle_ps = h->port->busy_until_ps;
            net_tcp_continue(ctx, tx, flow, idle_ps > weir_now(ctx) ? idle_ps : weir_now(ctx) + 1);
            break;
        }
        if (again)
            net_tcp_retransmit(ctx, h, tx, c, flow, seq, length);
        else
            net_tcp_send_new(ctx, h, tx, c, flow, length);
        pipe += length;
        forced--;
        sent++;
    }
    if (tx->rto_at_ps == 0 && tx->una != tx->nxt)
        net_tcp_arm(ctx, tx, c, flow);
}

WEIR_FN void net_tcp_syn(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    const net_packet p = net_tx_packet(ctx, h, tx, flow, tx->first, NET_HEADER_TCP, NET_SYN);
    tx->packets++;
    net_host_transmit(ctx, h, &p);
    net_tcp_arm(ctx, tx, c, flow);
}

/* A slot's next flow begins some way above its last, so that late packets of that one are told from it. */
WEIR_FN uint32_t net_tcp_next_first(const net_tx *tx)
{
    const uint32_t gap = 1u << 20;
    if (!(tx->flags & NET_TX_STARTED))
        return 0;
    return tx->nxt + gap != tx->first ? tx->nxt + gap : tx->nxt + 2 * gap;
}

/* Begin a flow of `size` bytes (0: without end) in a slot. */
WEIR_FN void net_tcp_start(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                           uint32_t flow, uint64_t size)
{
    tx->first = net_tcp_next_first(tx);
    tx->una = tx->nxt = tx->high_rtx = tx->lost_to = tx->first;
    tx->recover = tx->first - 1;
    tx->flags = (uint8_t)(NET_TX_STARTED | (size == 0 ? NET_TX_UNBOUNDED : 0) | (tx->flags & NET_TX_SENDING));
    tx->left = tx->size = size;
    tx->start_ps = weir_now(ctx);
    tx->cwnd = c->initial_window_bytes < c->window_bytes ? c->initial_window_bytes : c->window_bytes;
    tx->ssthresh = UINT32_MAX;
    tx->dupacks = 0;
    tx->backoff = tx->n_ranges = 0;
    tx->rto_at_ps = 0;
    net_cc_init(tx, c);
    if (c->flags & NET_CLASS_HANDSHAKE) {
        tx->state = NET_TX_SYN_SENT;
        tx->timed_at_ps = weir_now(ctx);
        net_tcp_syn(ctx, h, tx, c, flow);
        return;
    }
    tx->state = NET_TX_OPEN;
    net_tcp_continue(ctx, tx, flow, weir_now(ctx) + 1);
}

/* Halve for bytes in flight from `una` on, as it was before this ACK. What went out beyond cwnd on the first
 * duplicate ACKs does not count (RFC 5681, section 3.2, step 2). */
WEIR_FN void net_tcp_reduce(net_tx *tx, const net_class *c, uint32_t una)
{
    const uint32_t outstanding = tx->nxt - una;
    tx->ssthresh = net_cc_ssthresh(tx, c, outstanding < tx->cwnd ? outstanding : tx->cwnd);
    tx->cwnd = tx->ssthresh;
    tx->recover = tx->nxt;
}

/* Outside recovery, una is below recover only where ECN has halved the window for these bytes already: then
 * it is not halved again (RFC 3168, section 6.1.2). */
WEIR_FN void net_tcp_enter_recovery(net_tx *tx, const net_class *c, uint32_t una)
{
    if (!net_seq_before(una, tx->recover))
        net_tcp_reduce(tx, c, una);
    tx->recover = tx->nxt;
    tx->state = NET_TX_RECOVERY;
    tx->recoveries++;
    tx->high_rtx = tx->una;
    tx->lost_to = net_seq_max(tx->lost_to, net_seq_min(tx->una + c->mss_bytes, tx->nxt));
    if (c->flags & NET_CLASS_SACK)
        tx->dupacks = 0;
    tx->flags |= NET_TX_CWR;
}

/* New data is acknowledged. Returns whether the next segment must go out whatever pipe says. */
WEIR_FN int net_tcp_advance(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t ack, uint32_t flow)
{
    const uint32_t acked = ack - tx->una;
    int forced = 0;
    if ((tx->flags & NET_TX_TIMING) && !net_seq_before(ack, tx->timed_seq)) {
        tx->flags &= (uint8_t)~NET_TX_TIMING;
        net_tcp_rtt_sample(tx, weir_now(ctx) - tx->timed_at_ps);
    }
    tx->una = ack;
    tx->acked_bytes += acked;
    tx->flags &= (uint8_t)~NET_TX_TIMED_OUT;
    tx->rx_hint |= NET_HINT_KNOWN;
    net_ranges_trim(&tx->sacked, &tx->n_ranges, ack);
    if (tx->state == NET_TX_OPEN || tx->state == NET_TX_LOSS)
        net_cc_on_ack(tx, c, acked);
    if (tx->state == NET_TX_RECOVERY || tx->state == NET_TX_LOSS) {
        if (!net_seq_before(ack, tx->recover)) {
            tx->state = NET_TX_OPEN;
            tx->dupacks = 0;
        } else if (tx->state == NET_TX_RECOVERY && !(c->flags & NET_CLASS_SACK)) {
            /* A partial ACK (RFC 6582, section 3.2 step 3): the next segment is lost too. */
            const uint32_t segments = acked / c->mss_bytes;
            tx->dupacks = tx->dupacks > segments ? (uint16_t)(tx->dupacks - segments + 1) : 1;
            tx->lost_to = net_seq_max(tx->lost_to, net_seq_min(ack + c->mss_bytes, tx->nxt));
            forced = 1;
        }
    } else {
        tx->dupacks = 0;
    }
    tx->high_rtx = net_seq_max(tx->high_rtx, ack);
    tx->lost_to = net_seq_max(tx->lost_to, ack);
    tx->recover = net_seq_max(tx->recover, ack - 1);
    tx->rto_at_ps = 0;
    if (tx->una != tx->nxt)
        net_tcp_arm(ctx, tx, c, flow);
    return forced;
}

/*
 * A duplicate ACK. `news`: it SACKs something new, or SACK is off. In recovery with SACK there is nothing
 * left to count but what a receiver without room for one more range discards: ACKs that tell nothing new
 * while the scoreboard is full. Without that, pipe would never fall, and all would wait for the timer.
 */
WEIR_FN void net_tcp_duplicate_ack(net_tx *tx, const net_class *c, int news)
{
    if ((c->flags & NET_CLASS_SACK) && tx->state != NET_TX_OPEN)
        news = !news && tx->n_ranges == NET_RANGES;
    if (news && tx->dupacks < UINT16_MAX)
        tx->dupacks++;
}

/* In recovery more is known to be lost; what was discarded comes to that in time. */
WEIR_FN void net_tcp_lose_to(net_tx *tx, const net_class *c, uint32_t boundary)
{
    const uint32_t more = net_tcp_unsacked(tx, net_seq_max(tx->una, tx->lost_to), boundary) / c->mss_bytes;
    tx->dupacks = more < tx->dupacks ? (uint16_t)(tx->dupacks - more) : 0;
    tx->lost_to = net_seq_max(tx->lost_to, boundary);
}

/* An ACK arrives at the sender. Returns 1 when the flow is complete. */
WEIR_FN int net_tcp_on_ack(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                           const net_packet *p)
{
    uint32_t ack = p->seq;
    int forced = 0;
    if (tx->state == NET_TX_SYN_SENT) {
        if (!(p->flags & NET_SYN) || ack != tx->first)
            return 0;
        if (tx->backoff == 0)
            net_tcp_rtt_sample(tx, weir_now(ctx) - tx->timed_at_ps);
        tx->state = NET_TX_OPEN;
        tx->backoff = 0;
        tx->flags &= (uint8_t)~NET_TX_TIMED_OUT;
        tx->rx_hint |= NET_HINT_KNOWN;
        tx->rto_at_ps = 0;
        net_tcp_output(ctx, h, tx, c, p->flow, 0);
        return 0;
    }
    if (p->flags & NET_SYN) /* of a SYN sent twice */
        return 0;
    if (net_seq_before(ack, tx->una) || net_seq_before(tx->nxt, ack))
        return 0;
    if (p->flags & NET_FIN) /* of a receiver that has completed the flow and forgotten it */
        ack = tx->nxt;
    const uint32_t una = tx->una;
    if (ack != una)
        forced = net_tcp_advance(ctx, tx, c, ack, p->flow);
    const int news = !(c->flags & NET_CLASS_SACK) || net_tcp_take_sacks(tx, p);
    /* Once a window: what was sent before the reduction still echoes the mark, up to recover itself. */
    if ((p->flags & NET_CE) && tx->state == NET_TX_OPEN && net_seq_before(tx->recover, tx->una)) {
        net_tcp_reduce(tx, c, una);
        tx->reductions++;
        tx->flags |= NET_TX_CWR;
    }
    if (ack == una && tx->una != tx->nxt)
        net_tcp_duplicate_ack(tx, c, news);
    if (c->flags & NET_CLASS_SACK) {
        const uint32_t boundary = tx->n_ranges ? net_tcp_lost_boundary(tx, c) : tx->una;
        if (tx->state == NET_TX_OPEN) {
            if (tx->una != tx->nxt && (tx->dupacks >= NET_DUPACKS || boundary != tx->una)) {
                tx->lost_to = net_seq_max(tx->lost_to, boundary);
                net_tcp_enter_recovery(tx, c, una);
                forced = 1;
            }
        } else {
            net_tcp_lose_to(tx, c, boundary);
        }
    } else if (tx->state == NET_TX_OPEN && tx->dupacks == NET_DUPACKS) {
        /* RFC 6582 wants una beyond recover; like others we are content with una at recover, or the loss of
         * the first segment after a recovery would wait for the timer. */
        net_tcp_enter_recovery(tx, c, una);
        forced = 1;
    }
    if (tx->una == tx->nxt && tx->left == 0 && !(tx->flags & NET_TX_UNBOUNDED)) {
        tx->state = NET_TX_DONE;
        return 1;
    }
    net_tcp_output(ctx, h, tx, c, p->flow, forced);
    return 0;
}

/* The timer's event: stale, early, or a timeout. */
WEIR_FN void net_tcp_on_timer(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_class *c,
                              uint32_t flow)
{
    const weir_time now = weir_now(ctx);
    if (now != tx->timer_at_ps)
        return;
    tx->timer_at_ps = 0;
    if (tx->rto_at_ps == 0)
        return;
    if (now < tx->rto_at_ps) {
        net_timer_arm(ctx, NET_EV_TX_TIMER, flow, tx->rto_at_ps, &tx->timer_at_ps);
        return;
    }
    tx->timeouts++;
    if (tx->backoff < NET_BACKOFF_MAX)
        tx->backoff++;
    if (tx->state == NET_TX_SYN_SENT) {
        tx->retransmissions++;
        net_tcp_syn(ctx, h, tx, c, flow);
        return;
    }
    /* RFC 5681, section 3.1: halve once for a segment, not for each of its timeouts; and in fast recovery the
     * window is halved already. */
    if (!(tx->flags & NET_TX_TIMED_OUT) && tx->state != NET_TX_RECOVERY)
        net_tcp_reduce(tx, c, tx->una);
    tx->flags |= NET_TX_TIMED_OUT | NET_TX_CWR;
    tx->cwnd = c->mss_bytes;
    tx->state = NET_TX_LOSS;
    tx->recover = tx->lost_to = tx->nxt;
    tx->high_rtx = tx->una;
    tx->dupacks = 0;
    tx->flags &= (uint8_t)~NET_TX_TIMING;
    tx->rto_at_ps = 0;
    net_tcp_output(ctx, h, tx, c, flow, 1);
}

#endif
