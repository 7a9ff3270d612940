/*
 * What a TCP sender sends next, and sending it.
 *
 * Sources: RFC 6675, section 4 (NextSeg, rules 1 to 4); RFC 3042 (limited transmit); RFC 3168, section 6.1.5.
 */
#ifndef WI_NET_TRANSPORT_TCP_OUTPUT_H
#define WI_NET_TRANSPORT_TCP_OUTPUT_H

#include "net/congestion/congestion.h"
#include "net/flow/flowlet.h"
#include "net/transport/lasting.h"
#include "net/transport/tcp_rack.h"
#include "net/transport/turn.h"
#include "net/flow/tcp_timer.h"

/* A packet without data, or before they are filled in; its TTL is set when it is enqueued. */
WEIR_FN void net_packet_init(net_packet *p, uint32_t flow, uint32_t dst, uint32_t seq, uint32_t bytes,
                             uint8_t flags)
{
    p->flow = flow;
    p->dst = dst;
    p->seq = seq;
    p->bytes = (uint16_t)bytes;
    p->flags = flags;
    p->ttl = 0;
    p->u.ack[0] = p->u.ack[1] = 0;
}

/* A packet of the flow's sender, not yet counted; with the number of its flowlet. */
WEIR_FN net_packet net_tx_packet(const weir_ctx *ctx, net_tx *tx, uint32_t flow, uint32_t seq, uint32_t bytes,
                                 uint8_t flags)
{
    net_packet p;
    net_flowlet(ctx, net_world_of(ctx), tx);
    net_packet_init(&p, flow, tx->dst, seq, bytes, flags);
    p.u.data.sent_ps = weir_now(ctx);
    p.u.data.first = tx->first;
    p.u.data.rx_hint = tx->rx_hint;
    return p;
}

/* A segment that is sent, perhaps again. */
typedef struct net_segment {
    uint32_t seq, length;
    int again;
} net_segment;

/* Send a segment. Retransmissions are not ECN-capable (RFC 3168, section 6.1.5), and CWR is for new data (6.1.2). Of controls that go
 * by each mark they are, as in Linux: without, what is sent again at the line's rate would never be told to slow down. */
WEIR_FN void net_tcp_send(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow,
                          net_segment s)
{
    uint8_t flags = 0;
    if ((c->flags & NET_CLASS_ECN) && (!s.again || c->flags & (NET_CLASS_RDMA | NET_CLASS_ECHO))) {
        flags = tx->flags & NET_TX_CWR ? NET_ECT | NET_CWR : NET_ECT;
        tx->flags &= (uint16_t)~NET_TX_CWR;
        if (c->flags & NET_CLASS_L4S)
            flags |= NET_ECT1;
    }
    if (!(tx->flags & NET_TX_UNBOUNDED) && tx->left == 0 && s.seq + s.length == tx->nxt)
        flags |= NET_FIN;
    net_packet p = net_tx_packet(ctx, tx, flow, s.seq, s.length + NET_HEADER_TCP, flags);
    tx->packets++;
    net_lasting_send(ctx, tx, c);
    net_host_enqueue(ctx, h, &p);
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

enum net_tcp_what { NET_SEND_NOTHING, NET_SEND_NEW, NET_SEND_AGAIN, NET_SEND_RESCUE };

/* What goes next: new data of `length`, or segment `k` again. */
typedef struct net_tcp_choice {
    enum net_tcp_what what;
    uint32_t k, length;
} net_tcp_choice;

/* A choice; nothing where its length is 0. */
WEIR_FN net_tcp_choice net_tcp_choose(enum net_tcp_what what, uint32_t k, uint32_t length)
{
    net_tcp_choice choice;
    choice.what = length ? what : NET_SEND_NOTHING;
    choice.k = k;
    choice.length = length;
    return choice;
}

/* With RACK: what is lost, then new data; new data alone while it is open whether a timeout was spurious. */
WEIR_FN net_tcp_choice net_rack_choose(const weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    if (tx->n_lost && !(tx->flags & NET_TX_FRTO_NEW)) {
        const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
        const uint32_t k = net_map_next(&lost, tx->lost_to, tx->n_out, 1);
        return net_tcp_choose(NET_SEND_AGAIN, k, net_tcp_length_of(tx, c, k));
    }
    return net_tcp_choose(NET_SEND_NEW, 0, net_tcp_next_new(tx, c, weir_now(ctx)));
}

/* NextSeg of RFC 6675. */
WEIR_FN net_tcp_choice net_tcp_next(const weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    if (c->flags & NET_CLASS_RACK)
        return net_rack_choose(ctx, tx, c);
    /* 1: the lowest that is lost and has not been sent again. */
    uint32_t k = net_tcp_next_unsacked(ctx, tx, c, tx->again_to, tx->lost_to);
    if (k < tx->lost_to)
        return net_tcp_choose(NET_SEND_AGAIN, k, net_tcp_length_of(tx, c, k));
    /* 2: new data. */
    const uint32_t length = net_tcp_next_new(tx, c, weir_now(ctx));
    if (length || tx->state != NET_TX_RECOVERY || !(c->flags & NET_CLASS_SACK))
        return net_tcp_choose(NET_SEND_NEW, 0, length);
    /* 3: what lies below a SACKed segment, though less sure to be lost. */
    k = net_tcp_next_unsacked(ctx, tx, c, tx->again_to, tx->sack_top);
    if (k < tx->sack_top)
        return net_tcp_choose(NET_SEND_AGAIN, k, net_tcp_length_of(tx, c, k));
    /* 4: once in a recovery the last segment, whose loss no SACK can show; not if it has been sent again. IRN has no such rule. */
    if (!net_seq_before(tx->rescue, tx->una) || c->flags & NET_CLASS_IRN)
        return net_tcp_choose(NET_SEND_NOTHING, 0, 0);
    k = tx->n_out - 1u;
    if (tx->n_sacked) {
        const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
        k = net_map_last(&sacked, 0, tx->n_out, 0);
    }
    return net_tcp_choose(NET_SEND_RESCUE, k, k >= tx->again_to ? net_tcp_length_of(tx, c, k) : 0);
}

/* Whether cwnd lets `length` more bytes go. Before a recovery without SACK, each duplicate ACK stands for one
 * segment that has left (RFC 3042). */
WEIR_FN bool net_tcp_fits(const net_tx *tx, const net_class *c, uint32_t length)
{
    uint32_t window = tx->cwnd;
    if (tx->state == NET_TX_OPEN && !(c->flags & NET_CLASS_SACK))
        window += tx->dupacks * c->mss_bytes;
    const uint32_t pipe = net_tcp_pipe(tx, c);
    /* A window of less than a segment is a pace (Swift): one goes when the last has arrived. */
    return pipe + length <= window || (pipe == 0 && (c->flags & NET_CLASS_PACED));
}

/* Send a segment again. */
WEIR_FN void net_tcp_retransmit(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c,
                                uint32_t flow, const net_tcp_choice *choice)
{
    if (c->flags & NET_CLASS_RACK)
        net_rack_again(ctx, tx, c, choice->k);
    else if (choice->what == NET_SEND_AGAIN)
        net_tcp_again(tx, choice->k);
    else
        tx->rescue = tx->recover;
    tx->retransmissions++;
    net_segment s;
    s.seq = net_tcp_seq_of(tx, c, choice->k);
    s.length = choice->length;
    s.again = 1;
    net_tcp_send(ctx, h, tx, c, flow, s);
}

/* How much of the window a flow uses: most of what is out, from when more is, or all of that has been acknowledged. */
WEIR_FN void net_tcp_use(net_tx *tx, const net_class *c)
{
    const uint32_t out = tx->n_out * c->mss_bytes;
    if (tx->state == NET_TX_RECOVERY || (out <= tx->used && net_seq_before(tx->una, tx->used_to)))
        return;
    tx->used = out;
    tx->used_to = tx->nxt;
}

/* Send new data. */
WEIR_FN void net_tcp_send_new(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow,
                              uint32_t length)
{
    net_segment s;
    s.seq = tx->nxt;
    s.length = length;
    s.again = 0;
    if (c->flags & NET_CLASS_RACK) {
        net_runs_new(ctx, tx, c);
        tx->last_new = net_rack_units(weir_now(ctx));
    }
    tx->nxt += length;
    tx->n_out++;
    if (WEIR_UNLIKELY(c->flags & NET_CLASS_IRN) && tx->n_out == c->rto_low_segments + 1u)
        net_tcp_arm(ctx, tx, c, flow); /* few no longer */
    net_tcp_use(tx, c);
    if (!(tx->flags & NET_TX_UNBOUNDED))
        tx->left -= length;
    net_tcp_send(ctx, h, tx, c, flow, s);
}

/*
 * The probe timeout (RFC 8985, section 7.2): two round trips after the last segment sent or the last ACK, and
 * for a single segment the longest delay of its ACK besides, but no later than the retransmission timeout.
 * Not in recovery, nor while segments are SACKed or a probe is out. Departure: at least NET_TLP_SLACK_PS is
 * added, as Linux adds its least timer of two ticks (TCP_TIMEOUT_MIN). Without it, flows of a few segments in
 * a data centre are probed without any loss: the round trip known so far is that of the small SYN, and full
 * segments take more than twice as long.
 */
WEIR_FN void net_tlp_arm(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow)
{
    if (tx->flags & NET_TX_DOUBT)
        return;
    tx->alarm_at_ps = 0;
    if (tx->state != NET_TX_OPEN || tx->n_out == 0 || tx->n_sacked || (tx->flags & NET_TX_PROBE) ||
        (c->flags & NET_CLASS_NO_PROBES))
        return;
    const weir_time pto_ps = tx->flags & NET_TX_RTT_KNOWN ? 2 * tx->srtt_ps : net_tcp_rto(tx, c);
    const weir_time slack_ps =
        tx->n_out == 1 && c->delayed_ack_ps > NET_TLP_SLACK_PS ? c->delayed_ack_ps : NET_TLP_SLACK_PS;
    net_tcp_arm_alarm(ctx, tx, flow, weir_now(ctx) + pto_ps + slack_ps);
    if (tx->alarm_at_ps == 0)
        tx->alarm_at_ps = tx->rto_at_ps; /* the probe goes in the timeout's place, by its timer */
}

/* Whether a paced flow waits for its next packet's time; if so, it goes on then. */
WEIR_FN bool net_tcp_paced(weir_ctx *ctx, net_tx *tx, uint32_t flow)
{
    if (WEIR_LIKELY(tx->cc.pace_at_ps <= weir_now(ctx)))
        return false;
    net_tx_continue(ctx, tx, flow, tx->cc.pace_at_ps);
    return true;
}

/* The rate at which packets leave now, headers included; 0: as the window has it. */
WEIR_FN uint64_t net_tcp_rate_bps(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c,
                                  bool *capped)
{
    const uint64_t rate_bps =
        c->flags & NET_CLASS_PACED ? net_cc_pace_bps(ctx, tx, c, net_turn_clock(ctx, h, tx)) : 0;
    *capped = c->flags & NET_CLASS_CAPPED && (rate_bps == 0 || rate_bps > c->most_bps);
    return *capped ? c->most_bps : rate_bps;
}

/* A packet that would wait for a good part of a round trip, by a rate of before, waits no longer than by that of now: a flow that was cut
 * to a part of a packet a round trip would else be held for many of them (RDMA NICs do so: ChangeRate in rdma-hw.cc of ns-3's fork). */
NET_RARE void net_tcp_pace_anew(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c)
{
    bool capped;
    const uint64_t rate_bps = net_tcp_rate_bps(ctx, h, tx, c, &capped);
    if (rate_bps == 0)
        return;
    const weir_time at_ps = weir_now(ctx) + weir_tx_time(c->mss_bytes + NET_HEADER_TCP, rate_bps);
    tx->cc.pace_at_ps = tx->cc.pace_at_ps < at_ps ? tx->cc.pace_at_ps : at_ps;
}

/*
 * A packet of `length` payload leaves a flow that is paced. What it has waited for its turn comes off the next gap, half of that
 * at most (as in Linux) beyond what the turn has room for, so that the rate is kept where flows meet at the line. Of a cap's gap all:
 * a bound takes nothing from a share that is less (Linux's has two packets in the interface, whose times do not wait for turns).
 */
WEIR_FN void net_tcp_pace(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t length)
{
    if (!(c->flags & (NET_CLASS_PACED | NET_CLASS_CAPPED)))
        return;
    bool capped;
    const uint64_t rate_bps = net_tcp_rate_bps(ctx, h, tx, c, &capped);
    if (rate_bps == 0)
        return;
    const weir_time now = weir_now(ctx), gap_ps = weir_tx_time(length + NET_HEADER_TCP, rate_bps);
    const weir_time late_ps = h->turn ? now - tx->cc.pace_at_ps : 0;
    const weir_time most_ps = capped || (h->turn && h->turn->room > 0) ? gap_ps : gap_ps / 2;
    tx->cc.pace_at_ps = now + gap_ps - (late_ps < most_ps ? late_ps : most_ps);
}

/*
 * Send what the windows allow and the interface takes (turn.h). `forced` segments go whatever pipe is (the first retransmission
 * of a recovery, RFC 6675 section 5 step 4.3).
 */
WEIR_FN_APART void net_tcp_output(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c,
                                  uint32_t flow, int forced)
{
    for (int sent = 0;; sent++, forced--) {
        const net_tcp_choice next = net_tcp_next(ctx, tx, c);
        if (next.what == NET_SEND_NOTHING || (forced <= 0 && !net_tcp_fits(tx, c, next.length)))
            break;
        if (forced <= 0 && (net_tcp_paced(ctx, tx, flow) || !net_turn_grants(ctx, h, tx, flow, sent)))
            break;
        if (next.what == NET_SEND_NEW)
            net_tcp_send_new(ctx, h, tx, c, flow, next.length);
        else
            net_tcp_retransmit(ctx, h, tx, c, flow, &next);
        tx->prr_out += next.length;
        net_tcp_pace(ctx, h, tx, c, next.length);
    }
    if (tx->rto_at_ps == 0 && tx->una != tx->nxt)
        net_tcp_arm(ctx, tx, c, flow);
    if (c->flags & NET_CLASS_RACK)
        net_tlp_arm(ctx, tx, c, flow);
}

#endif
