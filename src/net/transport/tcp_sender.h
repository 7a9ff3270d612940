/*
 * The sending end of TCP: slow start and congestion avoidance by the class's congestion control, fast
 * retransmit and recovery, retransmission timeouts.
 *
 * Sources: RFC 5681; RFC 6582 (NewReno) where SACK is off; RFC 6675 where it is on; RFC 6298 and RFC 7323 for
 * the timer; RFC 8985, 9937 and 5682 where the class has RACK (tcp_rack.h, tcp_prr.h, tcp_probe.h); RFC 3168 for ECN; RFC 6928 for the initial window. Departure: after a timeout SACKed segments
 * are kept, as the receiver never reneges.
 */
#ifndef WI_NET_TRANSPORT_TCP_SENDER_H
#define WI_NET_TRANSPORT_TCP_SENDER_H

#include "net/transport/tcp_output.h"
#include "net/transport/tcp_probe.h"
#include "net/transport/tcp_prr.h"

/* Send a SYN. */
WEIR_FN void net_tcp_syn(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    net_packet p = net_tx_packet(ctx, tx, flow, tx->first, NET_HEADER_TCP, NET_SYN);
    tx->packets++;
    net_host_enqueue(ctx, h, &p);
    net_tcp_arm(ctx, tx, c, flow);
}

/* A slot's next flow begins some way above its last, so that late packets of that one are recognised. */
WEIR_FN uint32_t net_tcp_next_first(const net_tx *tx)
{
    const uint32_t gap = 1u << 20;
    if (!(tx->flags & NET_TX_STARTED))
        return 0;
    return tx->nxt + gap != tx->first ? tx->nxt + gap : tx->nxt + 2 * gap;
}

/* A connection's window and control begin. */
WEIR_FN void net_tcp_open(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    tx->cwnd = c->initial_window_bytes < c->window_bytes ? c->initial_window_bytes : c->window_bytes;
    tx->ssthresh = UINT32_MAX;
    tx->min_rtt = 0;
    tx->cc.pace_at_ps = 0;
    net_cc_init(ctx, tx, c);
    if (c->flags & NET_CLASS_VALIDATES)
        net_validation_begin(&net_lasting_of(ctx, tx, c)->validation, weir_now(ctx));
}

/* Begin a flow of `size` bytes (0: without end) in a slot; on the connection of the one before, where that lasts. */
WEIR_FN void net_tcp_start(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow,
                           uint64_t size)
{
    const uint32_t goes_on =
        tx->flags & NET_TX_STARTED && c->flags & NET_CLASS_LASTS && tx->request; /* 0: another connection */
    tx->first = net_tcp_next_first(tx);
    net_record_flow(ctx, h->w, flow, tx->first, tx->dst);
    tx->una = tx->nxt = tx->first;
    tx->reo_steps = tx->reo_left = 0;
    tx->recover = tx->first - 1;
    tx->flags = (uint16_t)(NET_TX_STARTED | (size == 0 ? NET_TX_UNBOUNDED : 0) |
                           (tx->flags & (goes_on ? NET_TX_SENDING | NET_TX_RTT_KNOWN : NET_TX_SENDING)));
    tx->left = tx->size = size;
    tx->start_ps = weir_now(ctx);
    tx->dupacks = 0;
    tx->ace = 0;
    tx->backoff = 0;
    tx->rto_at_ps = tx->alarm_at_ps = 0;
    tx->rack_sent = tx->rack_end = tx->rack_rtt = 0;
    tx->used = 0;
    tx->used_to = tx->first;
    tx->map = NET_ARRAY(h->w, uint32_t, tx_map)[flow];
    net_tcp_board_init(ctx, tx, c);
    tx->rescue = tx->first; /* RACK: dsack_round */
    if (goes_on)
        net_lasting_resume(ctx, tx, c);
    else
        net_tcp_open(ctx, tx, c);
    if (c->flags & NET_CLASS_HANDSHAKE && !goes_on) {
        tx->state = NET_TX_SYN_SENT;
        net_tcp_syn(ctx, h, tx, c, flow);
        return;
    }
    tx->state = NET_TX_OPEN;
    net_tx_continue(ctx, tx, flow, weir_now(ctx) + 1);
}

/* The threshold after a loss or a mark, by equation 4 of RFC 5681 for what is in flight: what went out beyond cwnd
 * on the first duplicate ACKs does not count (section 3.2, step 2), nor does what slow start opened beyond the receiver's window. */
WEIR_FN uint32_t net_tcp_threshold(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t una,
                                   enum net_cc_sign sign)
{
    const uint32_t outstanding = tx->nxt - una;
    tx->cwnd = tx->cwnd < c->window_bytes ? tx->cwnd : c->window_bytes;
    const net_cc_event e =
        net_cc_event_of(weir_now(ctx), sign, outstanding < tx->cwnd ? outstanding : tx->cwnd);
    const uint32_t threshold = net_cc_on_loss(ctx, tx, c, &e);
    if (WEIR_LIKELY(!(c->flags & NET_CLASS_VALIDATES)))
        return threshold;
    return net_validation_on_loss(&net_lasting_of(ctx, tx, c)->validation, tx, c, threshold, &e);
}

/* Reduce the window after a loss or a mark. */
WEIR_FN void net_tcp_reduce(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t una,
                            enum net_cc_sign sign)
{
    tx->ssthresh = net_tcp_threshold(ctx, tx, c, una, sign);
    if (!(c->flags & NET_CLASS_OWN))
        tx->cwnd = tx->ssthresh;
    tx->recover = tx->nxt;
}

/*
 * Outside recovery, una is below recover only where ECN has halved the window for these bytes already: then
 * it is not halved again (RFC 3168, section 6.1.2). The timer starts anew, as in Linux and the BSDs: what is
 * sent again now has a whole timeout to be acknowledged in. Without SACK the window is inflated by the
 * segments that have left (RFC 6582, section 3.2, step 2).
 */
WEIR_FN void net_tcp_enter_recovery(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow,
                                    uint32_t una)
{
    const uint32_t cwnd = tx->cwnd, ssthresh = tx->ssthresh;
    const int reduces = !net_seq_before(tx->una, tx->recover), rack = (c->flags & NET_CLASS_RACK) != 0;
    if (reduces)
        net_tcp_reduce(ctx, tx, c, una, NET_CC_LOST);
    if (rack) {
        net_prr_begin(tx, tx->nxt - una < cwnd ? tx->nxt - una : cwnd);
        tx->undo_since = reduces && !(c->flags & NET_CLASS_OWN) ? net_rack_units(weir_now(ctx)) : 0;
        tx->undo_cwnd = cwnd;
        tx->undo_ssthresh = ssthresh;
    }
    tx->recover = tx->nxt;
    tx->state = NET_TX_RECOVERY;
    tx->recoveries++;
    tx->dupacks = 0;
    if (!rack) {
        net_tcp_lose_to(ctx, tx, c, 1);
        tx->rescue = tx->una + c->mss_bytes;
    }
    tx->flags = (uint16_t)((tx->flags | NET_TX_CWR) & ~NET_TX_PARTIAL);
    if (!(c->flags & NET_CLASS_SACK))
        tx->cwnd += NET_DUPACKS * c->mss_bytes;
    net_tcp_arm(ctx, tx, c, flow);
}

/*
 * A NACK under go-back-N: all from una on goes again, and what is on its way counts as gone, since the receiver drops it. The control
 * learns of a loss once a window; what RDMA's own do then is nothing.
 */
WEIR_FN void net_tcp_go_back(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow, uint32_t una)
{
    if (tx->n_out == 0)
        return;
    if (tx->state == NET_TX_OPEN && !net_seq_before(tx->una, tx->recover)) {
        net_tcp_reduce(ctx, tx, c, una, NET_CC_LOST);
        tx->recoveries++;
    }
    net_tcp_lose_to(ctx, tx, c, tx->n_out);
    net_tcp_none_again(tx);
    net_tcp_arm(ctx, tx, c, flow);
}

/* All up to `recover` is acknowledged. Without SACK the window is deflated (RFC 6582, section 3.2, step 3,
 * its second option). */
WEIR_FN void net_tcp_leave_recovery(net_tx *tx, const net_class *c)
{
    if (tx->state == NET_TX_RECOVERY && !(c->flags & NET_CLASS_OWN)) /* inflated; or PRR's */
        tx->cwnd = tx->ssthresh;
    if (c->flags & NET_CLASS_RACK)
        net_rack_recovered(tx);
    tx->state = NET_TX_OPEN;
    tx->used = 0; /* PRR's */
    net_tcp_use(tx, c);
}

/* The window is what it was before a recovery that was for nothing (RFC 4015, section 3.2, step 7, without its limit of
 * the burst, as in Linux). */
WEIR_FN void net_tcp_undo_recovery(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    tx->cwnd = tx->undo_cwnd > tx->cwnd ? tx->undo_cwnd : tx->cwnd;
    tx->ssthresh = tx->undo_ssthresh > tx->ssthresh ? tx->undo_ssthresh : tx->ssthresh;
    net_cc_on_undo(ctx, tx, c);
    tx->state = NET_TX_OPEN;
    tx->used = 0; /* PRR's */
    net_tcp_use(tx, c);
    tx->recover = tx->una - 1;
    tx->undo_since = 0;
}

/* A partial ACK without SACK (RFC 6582, section 3.2, step 3): the next segment is lost too, and the window is
 * deflated by what has been acknowledged, but for one segment. */
WEIR_FN void net_tcp_partial_ack(const weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t acked)
{
    const uint32_t back = acked < c->mss_bytes ? 0u : c->mss_bytes;
    const uint32_t cwnd = tx->cwnd + back;
    tx->cwnd = cwnd > acked + c->mss_bytes ? cwnd - acked : c->mss_bytes;
    net_tcp_lose_to(ctx, tx, c, 1);
}

/* Whether the window, and not the application or the host's line, holds the flow back (RFC 9438, section 5.8): no window grows beyond
 * twice what has been out of late (Linux has the factor in slow start, and outside it wants the window full).
 * So slow start may open it to twice the receiver's. */
WEIR_FN bool net_tcp_is_limited(const net_tx *tx)
{
    return tx->cwnd / 2u < tx->used;
}

/* What of `acked` bytes, of which `news` segments are news to the scoreboard, has been told of before; without SACK duplicate ACKs stand for
 * a segment each (RFC 3042), but not for that which this ACK is of. */
WEIR_FN uint32_t net_tcp_told(const net_tx *tx, const net_class *c, uint32_t acked, uint32_t news)
{
    const uint32_t least = acked < c->mss_bytes ? acked : c->mss_bytes, stood = tx->dupacks * c->mss_bytes;
    if (c->flags & NET_CLASS_SACK)
        return acked > news * c->mss_bytes ? acked - news * c->mss_bytes : 0u;
    return stood < acked - least ? stood : acked - least;
}

/* New data is acknowledged: e->delivered is set to segments. Returns whether the next one must be sent whatever pipe is. */
WEIR_FN int net_tcp_advance(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *p, uint32_t ack,
                            net_cc_event *e)
{
    const uint32_t acked = ack - tx->una;
    const int newreno = !(c->flags & NET_CLASS_SACK), again = (tx->flags & NET_TX_PARTIAL) != 0;
    int partial = 0;
    e->acked = acked;
    e->rtt_ps = net_ack_elapsed(p, c, weir_now(ctx));
    net_tcp_rtt_sample(tx, e->rtt_ps, tx->n_out);
    net_record_rtt(ctx, c, p->flow, tx->first, e->rtt_ps);
    if (c->flags & NET_CLASS_RACK)
        e->delivered = net_rack_forget(ctx, tx, c, net_tcp_segments(c, acked),
                                       net_rack_units(net_ack_echo(p, c, weir_now(ctx))));
    else
        e->delivered = net_tcp_forget(ctx, tx, c, net_tcp_segments(c, acked));
    e->told = net_tcp_told(tx, c, acked, e->delivered);
    tx->una = ack;
    tx->acked_bytes += acked;
    tx->flags &= (uint16_t)~NET_TX_TIMED_OUT;
    tx->rx_hint |= NET_HINT_KNOWN;
    tx->dupacks = 0;
    /* RFC 3168, section 6.1.2: an ACK that echoes a mark does not open the window. */
    e->grows = (tx->state == NET_TX_OPEN || tx->state == NET_TX_LOSS) && !e->echo && net_tcp_is_limited(tx);
    if (tx->state == NET_TX_RECOVERY || tx->state == NET_TX_LOSS) {
        if (!net_seq_before(ack, tx->recover)) {
            net_tcp_leave_recovery(tx, c);
        } else if (tx->state == NET_TX_RECOVERY && newreno) {
            net_tcp_partial_ack(ctx, tx, c, acked);
            tx->flags |= NET_TX_PARTIAL;
            partial = 1;
        }
    }
    tx->recover = net_seq_max(tx->recover, ack - 1);
    /* RFC 6582, section 3.2, step 3: of partial ACKs the first alone restarts the timer ("impatient"). */
    if (partial && again && !(c->flags & NET_CLASS_STEADY))
        return partial;
    tx->rto_at_ps = tx->alarm_at_ps = 0;
    tx->flags &= (uint16_t)~NET_TX_DOUBT;
    if (tx->una != tx->nxt)
        net_tcp_arm(ctx, tx, c, p->flow);
    return partial;
}

/* The answer to the SYN. Where that had to be sent again, the initial window is one segment (RFC 5681,
 * section 3.1; RFC 6928). */
WEIR_FN void net_tcp_on_syn_ack(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c,
                                const net_packet *p)
{
    if (tx->backoff > 0)
        tx->cwnd = c->mss_bytes;
    const weir_time rtt_ps = net_ack_elapsed(p, c, weir_now(ctx));
    net_tcp_rtt_sample(tx, rtt_ps, 1);
    net_record_rtt(ctx, c, p->flow, tx->first, rtt_ps);
    tx->state = NET_TX_OPEN;
    tx->flags &= (uint16_t)~NET_TX_TIMED_OUT;
    tx->rx_hint |= NET_HINT_KNOWN;
    tx->rto_at_ps = 0;
    net_tcp_output(ctx, h, tx, c, p->flow, 0);
}

/*
 * Whether this ACK shows a loss outside recovery. With SACK: three duplicate ACKs, or by the scoreboard
 * the first segment is lost (RFC 6675, section 5). Without: the third duplicate ACK. RFC 6582 wants una
 * beyond recover; like others we are content with una at recover, or the loss of the first segment after a
 * recovery would wait for the timer. After a timeout recover is one more.
 */
WEIR_FN bool net_tcp_shows_loss(const net_tx *tx, const net_class *c)
{
    if (tx->state != NET_TX_OPEN || tx->n_out == 0)
        return false;
    if (c->flags & NET_CLASS_RACK)
        return tx->n_lost > 0;
    if (c->flags & NET_CLASS_SACK)
        return tx->dupacks >= NET_DUPACKS || tx->lost_to > 0;
    return tx->dupacks == NET_DUPACKS;
}

/* An ACK that moves nothing. Without SACK each stands for one segment that has left; in recovery that opens the
 * window by a segment (RFC 6582, section 3.2, step 2). */
WEIR_FN void net_tcp_duplicate_ack(net_tx *tx, const net_class *c)
{
    if (tx->state == NET_TX_OPEN && tx->dupacks < UINT16_MAX)
        tx->dupacks++;
    else if (tx->state == NET_TX_RECOVERY && !(c->flags & NET_CLASS_SACK) &&
             tx->cwnd <= 2u * c->window_bytes) /* more could never be used */
        tx->cwnd += c->mss_bytes;
}

/*
 * How many of the packets that an ACK is the first to tell of came marked. AccECN's counter has three bits: where
 * an ACK tells of more packets than it can count, the most that it may stand for is taken (RFC 9768, appendix A.2).
 */
WEIR_FN uint32_t net_tcp_marked(const net_tx *tx, const net_class *c, const net_packet *p, uint32_t packets)
{
    if (!(c->flags & NET_CLASS_ACE))
        return p->flags & NET_CE ? packets : 0u;
    const uint32_t more = (net_ack_ace(p) - tx->ace) % NET_ACES;
    return packets < NET_ACES ? more : packets - (packets - more) % NET_ACES;
}

/* The same, once it is known how many segments an ACK tells of. One that tells of none may have been overtaken, and one of a receiver
 * that has forgotten the flow has counted nothing. */
WEIR_FN void net_tcp_on_ace(net_tx *tx, const net_class *c, const net_packet *p, uint32_t segments,
                            net_cc_event *e)
{
    const bool counts = segments > 0 && !(p->flags & NET_FIN);
    e->marked = counts ? net_tcp_marked(tx, c, p, segments) * c->mss_bytes : 0u;
    e->echo = e->marked > 0;
    tx->ace = counts ? net_ack_ace(p) : tx->ace;
}

/* An ACK arrives at the sender. Returns 1 when the flow is complete. */
WEIR_FN int net_tcp_on_ack(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c,
                           const net_packet *p)
{
    uint32_t ack = p->seq;
    int forced = 0;
    if (tx->state == NET_TX_SYN_SENT) {
        if ((p->flags & NET_SYN) && ack == tx->first)
            net_tcp_on_syn_ack(ctx, h, tx, c, p);
        return 0;
    }
    if (p->flags & NET_SYN) /* of a SYN sent twice */
        return 0;
    if (net_seq_before(ack, tx->una) || net_seq_before(tx->nxt, ack))
        return 0;
    if (p->flags & NET_FIN) /* of a receiver that has completed the flow and forgotten it */
        ack = tx->nxt;
    const uint32_t una = tx->una;
    const int moves = ack != una, rack = (c->flags & NET_CLASS_RACK) != 0;
    const int recovers = tx->state == NET_TX_RECOVERY, before = tx->state;
    net_cc_event e = net_cc_event_of(weir_now(ctx), NET_CC_ACKED, 0);
    if (rack && (tx->backoff || tx->srtt_ps > NET_RTT_LONG_PS))
        net_rack_age(ctx, tx, c);
    e.echo = net_tcp_marked(tx, c, p, 1) > 0;
    if (moves)
        forced = net_tcp_advance(ctx, tx, c, p, ack, &e);
    if (WEIR_UNLIKELY(c->flags & NET_CLASS_VALIDATES) && moves)
        net_validation_on_ack(&net_lasting_of(ctx, tx, c)->validation, tx, c, before, &e);
    const int sack = (c->flags & NET_CLASS_SACK) != 0;
    const uint32_t news = sack ? net_tcp_accept_sacks(ctx, tx, c, p) : 0;
    const int duplicate = sack ? news > 0 : !moves && tx->n_out > 0 && !(c->flags & NET_CLASS_GO_BACK);
    if (c->flags & NET_CLASS_ACE)
        net_tcp_on_ace(tx, c, p, e.delivered + news, &e);
    else
        e.marked = e.echo ? e.acked : 0u;
    /* DCQCN's notifications need no news. */
    if (moves || news || (WEIR_UNLIKELY(c->congestion == NET_CC_DCQCN) && e.echo)) {
        e.load = net_ack_tag(p);
        e.clock_ps = net_turn_clock(ctx, h, tx);
        if (WEIR_UNLIKELY(c->flags & NET_CLASS_RATE))
            e.sent_ps = e.now_ps - net_ack_elapsed(p, c, e.now_ps);
        e.links = (uint8_t)(h->w->ttl - p->ttl + 1u);
        e.delivered = (e.delivered + news) * c->mss_bytes;
        net_cc_on_ack(ctx, tx, c, &e);
        if (WEIR_UNLIKELY(c->flags & NET_CLASS_PACED) && tx->cc.pace_at_ps > e.now_ps + tx->srtt_ps / 8)
            net_tcp_pace_anew(ctx, h, tx, c);
    }
    if (rack) {
        if (recovers && moves &&
            net_rack_was_late(ctx, tx, c, net_rack_units(net_ack_echo(p, c, weir_now(ctx)))))
            net_tcp_undo_recovery(ctx, tx, c);
        net_rack_accept_dsack(tx, p);
    }
    if (rack && (tx->flags & (NET_TX_FRTO | NET_TX_FRTO_NEW)))
        net_frto_on_ack(ctx, tx, c, moves);
    if (rack && (tx->flags & NET_TX_PROBE) && net_tlp_on_ack(tx, c, p, moves)) {
        net_tcp_reduce(ctx, tx, c, una, NET_CC_PROBED);
        tx->flags |= NET_TX_CWR;
    }
    /* Once a window: what was sent before the reduction still echoes the mark, up to recover itself. */
    if (e.echo && tx->state == NET_TX_OPEN && net_seq_before(tx->recover, tx->una)) {
        net_tcp_reduce(ctx, tx, c, una, NET_CC_MARKED);
        tx->reductions++;
        tx->flags |= NET_TX_CWR;
    }
    if (duplicate) {
        net_tcp_duplicate_ack(tx, c);
        if (sack && !rack)
            net_tcp_lose_to(ctx, tx, c, net_tcp_lost_boundary(ctx, tx, c));
    }
    if (WEIR_UNLIKELY(c->flags & NET_CLASS_RDMA) && p->flags & NET_HOLE) {
        tx->nacks++;
        if (c->flags & NET_CLASS_GO_BACK)
            net_tcp_go_back(ctx, tx, c, p->flow, una);
    }
    const uint32_t lost = tx->n_lost;
    if (rack && tx->n_out > 0)
        net_rack_watch(ctx, tx, c, p->flow);
    if (net_tcp_shows_loss(tx, c)) {
        net_tcp_enter_recovery(ctx, tx, c, p->flow, una);
        forced = rack || tx->again_to == 0; /* a recovery just before may have sent the first segment again */
    }
    if (rack && tx->state == NET_TX_RECOVERY)
        net_prr_on_ack(tx, c, e.delivered, moves && tx->n_lost <= lost);
    if (tx->una == tx->nxt && tx->left == 0 && !(tx->flags & NET_TX_UNBOUNDED)) {
        tx->state = NET_TX_DONE;
        tx->flags &= (uint16_t)~NET_TX_DOUBT;
        return 1;
    }
    net_tcp_output(ctx, h, tx, c, p->flow, forced);
    return 0;
}

/*
 * A timeout. RFC 5681, section 3.1: ssthresh is at most half the flight, once for a segment and not for each of
 * its timeouts. In recovery too, whose window is halved already: the loss of what was sent again is a second
 * sign of congestion (section 4.3).
 */
WEIR_FN void net_tcp_timed_out(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const int rack = (c->flags & NET_CLASS_RACK) != 0;
    tx->flags &= (uint16_t) ~(NET_TX_FRTO | NET_TX_FRTO_NEW | NET_TX_PROBE | NET_TX_DOUBT);
    if (!(tx->flags & NET_TX_TIMED_OUT)) {
        if (tx->state == NET_TX_RECOVERY && !(c->flags & NET_CLASS_OWN))
            tx->cwnd = tx->ssthresh; /* inflated, or PRR's */
        if (rack && tx->state != NET_TX_LOSS) {
            tx->flags |= NET_TX_FRTO;
            tx->undo_cwnd = tx->cwnd;
            tx->undo_ssthresh = tx->ssthresh;
        }
        const uint32_t half = net_tcp_threshold(ctx, tx, c, tx->una, NET_CC_TIMEOUT);
        if (tx->state != NET_TX_RECOVERY || half < tx->ssthresh)
            tx->ssthresh = half;
    }
    tx->flags |= NET_TX_TIMED_OUT | NET_TX_CWR;
    if (!(c->flags & NET_CLASS_RDMA &&
          c->flags & NET_CLASS_OWN)) /* there the control alone says how much goes */
        tx->cwnd = c->mss_bytes;
    tx->state = NET_TX_LOSS;
    tx->used = 0; /* PRR's */
    net_tcp_use(tx, c);
    /* Without SACK until more than all that was sent is acknowledged: sent again, it brings duplicate ACKs of
     * its end, which show no loss (RFC 6582, section 3.2, steps 2 and 4). */
    tx->recover = c->flags & (NET_CLASS_SACK | NET_CLASS_GO_BACK) ? tx->nxt : tx->nxt + 1u;
    tx->dupacks = 0;
    if (rack) {
        tx->undo_since = 0;
        net_rack_age(ctx, tx, c);
        net_rack_timed_out(ctx, tx, c);
        return;
    }
    net_tcp_lose_to(ctx, tx, c, tx->n_out);
    net_tcp_none_again(tx);
}

/* The alarm: what was in doubt is lost, or a probe goes. */
WEIR_FN void net_tcp_on_alarm(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    const int doubt = (tx->flags & NET_TX_DOUBT) != 0;
    tx->alarm_at_ps = 0;
    tx->flags &= (uint16_t)~NET_TX_DOUBT;
    if (doubt) {
        int forced = 0;
        net_rack_age(ctx, tx, c);
        net_rack_watch(ctx, tx, c, flow);
        if (net_tcp_shows_loss(tx, c)) {
            net_tcp_enter_recovery(ctx, tx, c, flow, tx->una);
            forced = 1;
        }
        if (tx->state == NET_TX_RECOVERY)
            net_prr_on_ack(tx, c, 0, false);
        net_tcp_output(ctx, h, tx, c, flow, forced);
    } else {
        net_tlp_send(ctx, h, tx, c, flow);
    }
    if (tx->timer_at_ps == 0 && tx->rto_at_ps)
        net_timer_arm(ctx, NET_EV_TX_TIMER, flow, tx->rto_at_ps, &tx->timer_at_ps);
}

/* The timer's event: stale, early, the alarm, or a timeout. */
WEIR_FN void net_tcp_on_timer(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    const weir_time now = weir_now(ctx);
    if (now != tx->timer_at_ps)
        return;
    tx->timer_at_ps = 0;
    if (tx->alarm_at_ps && now >= tx->alarm_at_ps) {
        net_tcp_on_alarm(ctx, h, tx, c, flow);
        return;
    }
    if (tx->rto_at_ps == 0)
        return;
    if (now < tx->rto_at_ps) {
        const weir_time next =
            tx->alarm_at_ps && tx->alarm_at_ps < tx->rto_at_ps ? tx->alarm_at_ps : tx->rto_at_ps;
        net_timer_arm(ctx, NET_EV_TX_TIMER, flow, next, &tx->timer_at_ps);
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
    net_tcp_timed_out(ctx, tx, c);
    tx->rto_at_ps = tx->alarm_at_ps = 0;
    net_tcp_output(ctx, h, tx, c, flow, 1);
}

#endif
