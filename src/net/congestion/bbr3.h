/*
 * BBR, version 3: draft-ietf-ccwg-bbr-04 (October 2025), sections 5.3 to 5.6, whose names are kept.
 *
 * Beside version 1's model (max_bw of the last two cycles, min_rtt of ten seconds) stand two bounds on what is in flight:
 * inflight_longterm, where probing lost more than 2 % of a round trip, and inflight_shortterm with bw_shortterm, which
 * every other round trip with losses lowers to what was delivered, at most by beta = 0.7. Probing goes
 *
 *     DOWN 0.9   until the flight is within 85 % of inflight_longterm and a BDP
 *     CRUISE 1   until 2 to 3 s, or a Reno flow's time (at most 63 round trips), are over
 *     REFILL 1   for a round trip, without the short-term bounds
 *     UP 1.25    until losses, or no more rate in three rounds
 *
 * and min_rtt is probed every 5 s with half a BDP. Drain has 0.5 in the draft's table and 0.35 in its text, which is
 * taken. Here the numbers of a round (losses, what is in flight when an ACK's packet was sent) are taken of the round trip
 * as it ends, not of single packets: where the draft finds the packet at which losses crossed 2 %, the flight is that
 * of the round.
 */
#ifndef WI_NET_CONGESTION_BBR3_H
#define WI_NET_CONGESTION_BBR3_H

#include "net/congestion/bbr3_probe.h"

enum { net_bbr3_traits = NET_CLASS_PACED | NET_CLASS_OWN | NET_CLASS_RATE };

/* BBRSetCwnd, and what a recovery's end does to it. */
WEIR_FN void net_bbr3_set_cwnd(net_bbr3 *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const double mss = (double)c->mss_bytes, extra = s->extra.value[0];
    const double most = net_bbr3_inflight(s, c, s->bw, net_bbr3_cwnd_gain(s), extra);
    if (tx->state == NET_TX_OPEN && s->was != NET_TX_OPEN)
        net_bbr_restore_cwnd(tx, s->prior_cwnd);
    s->was = tx->state;
    double cwnd = (double)tx->cwnd, cap = NET_BBR3_NONE;
    if (s->full)
        cwnd = cwnd + (double)e->delivered < most ? cwnd + (double)e->delivered : most;
    else if (cwnd < most || s->rate.delivered < c->initial_window_bytes)
        cwnd += (double)e->delivered;
    cwnd = cwnd > NET_BBR_LEAST * mss ? cwnd : NET_BBR_LEAST * mss;
    if (s->state == NET_BBR3_PROBE_RTT) {
        const double half = net_bbr3_inflight(s, c, s->bw, 0.5, 0.0);
        cwnd = cwnd < half ? cwnd : half;
    }
    if (s->state == NET_BBR3_PROBE_RTT || s->state == NET_BBR3_CRUISE)
        cap = net_bbr3_headroom(s, c);
    else if (net_bbr3_in_probe_bw(s))
        cap = s->inflight_long;
    cap = cap < s->inflight_short ? cap : s->inflight_short;
    cap = cap > NET_BBR_LEAST * mss ? cap : NET_BBR_LEAST * mss;
    cwnd = cwnd < cap ? cwnd : cap;
    tx->cwnd = (uint32_t)(cwnd < 1e9 ? cwnd : 1e9);
}

WEIR_FN void net_bbr3_on_ack(net_bbr3 *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const uint32_t lost = net_bbr_newly_lost(tx, c, &s->lost), pipe = net_tcp_pipe(tx, c);
    net_bbr3_ack a;
    const uint32_t flight = pipe + e->delivered;
    a.event = e;
    a.pipe = pipe;
    net_bbr_check_limited(&s->rate, tx, c, flight);
    a.rate = net_rate_on_ack(&s->rate, tx, e, s->min_rtt_ps);
    s->lost_round += lost;
    s->loss_events += lost > 0;
    s->sent_round = (double)flight > s->sent_round ? (double)flight : s->sent_round;
    if (lost) {
        if (!s->loss_in_round)
            s->loss_round = s->rate.delivered;
        s->loss_in_round = 1;
    }
    net_bbr3_latest(s, &a.rate);
    a.too_high = (double)s->lost_round * (double)c->mss_bytes > NET_BBR3_LOSS * s->sent_round;
    net_bbr3_lower(s, tx);
    net_bbr3_aggregation(s, tx, e);
    net_bbr3_check_full(s, tx, &a.rate, a.too_high);
    if (s->state == NET_BBR3_STARTUP && s->full)
        s->state = NET_BBR3_DRAIN;
    if (s->state == NET_BBR3_DRAIN && (double)pipe <= net_bbr3_inflight(s, c, s->bw, 1.0, 0.0))
        net_bbr3_down(s, tx, e->now_ps);
    if (lost && s->samples && a.too_high)
        net_bbr3_too_high(s, tx, &a.rate, e->now_ps);
    net_bbr3_cycle(s, tx, c, &a);
    net_bbr3_probe_rtt(s, tx, c, e->now_ps, pipe, net_bbr3_min_rtt(s, e) && !s->idle);
    s->idle = 0;
    if (s->loss_round_start) {
        s->bw_latest = a.rate.bytes_per_s;
        s->inflight_latest = a.rate.known ? (double)(s->rate.delivered - a.rate.prior_delivered) : 0.0;
    }
    if (s->round_start) {
        s->sent_round = (double)flight;
        s->lost_round = s->loss_events = 0;
    }
    const double largest = net_bbr3_largest(s);
    s->bw = largest < s->bw_short ? largest : s->bw_short;
    net_bbr_set_pacing(&s->pacing, net_bbr3_pacing_gain(s), s->bw, s->full);
    net_bbr3_set_cwnd(s, tx, c, e);
}

/* The window before a recovery is kept; a timeout's is the sender's. */
WEIR_FN uint32_t net_bbr3_on_loss(net_bbr3 *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)c;
    if (e->sign == NET_CC_LOST || e->sign == NET_CC_TIMEOUT) {
        net_bbr3_save(s, tx);
        s->was = NET_TX_RECOVERY;
    }
    return tx->ssthresh;
}

WEIR_FN void net_bbr3_on_undo(net_bbr3 *s, net_tx *tx, const net_class *c)
{
    (void)tx, (void)c;
    s->was = NET_TX_OPEN;
    net_bbr3_reset_short(s);
}

/* BBRHandleRestartFromIdle. */
WEIR_FN void net_bbr3_on_idle(net_bbr3 *s, net_tx *tx, const net_class *c, weir_time now_ps,
                              weir_time idle_ps)
{
    (void)c, (void)idle_ps;
    net_bbr_resume(&s->rate, now_ps);
    s->idle = 1;
    s->extra_ps = now_ps;
    s->extra_from = 0.0;
    if (net_bbr3_in_probe_bw(s))
        net_bbr_set_pacing(&s->pacing, 1.0, s->bw, s->full);
    else if (s->state == NET_BBR3_PROBE_RTT && s->probe_done_ps && now_ps > s->probe_done_ps)
        net_bbr3_leave_probe_rtt(s, tx, now_ps);
}

WEIR_FN uint64_t net_bbr3_pace_bps(const net_bbr3 *s, const net_tx *tx, const net_class *c,
                                   weir_time clock_ps)
{
    (void)clock_ps;
    return net_bbr_paced_bps(s->pacing, NET_BBR3_STARTUP_GAIN, tx, c);
}

/* Its times, moved on. */
WEIR_FN void net_bbr3_move(net_bbr3 *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    net_rate_move(&s->rate, by_ps);
    net_cc_move(&s->min_rtt_at_ps, by_ps);
    net_cc_move(&s->probe_at_ps, by_ps);
    net_cc_move(&s->probe_done_ps, by_ps);
    net_cc_move(&s->cycle_ps, by_ps);
    net_cc_move(&s->extra_ps, by_ps);
}

#endif
