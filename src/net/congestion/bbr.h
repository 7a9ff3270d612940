/*
 * BBR, version 1: N. Cardwell and others, "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016, and
 * draft-cardwell-iccrg-bbr-congestion-control-00, whose names are kept here.
 *
 * The path is modelled by BtlBw, the largest delivery rate of ten round trips, and RTprop, the least round trip of ten
 * seconds. Packets leave at pacing_gain BtlBw (1 % less, as Linux paces, so that the queue drains), and at most
 * cwnd_gain BtlBw RTprop + 3 segments are in flight:
 *
 *     startup    2/ln 2 both, until BtlBw has not grown by a quarter in three rounds
 *     drain      ln 2/2 and 2/ln 2, until the flight is down to the BDP
 *     probe_bw   5/4, 3/4, 1 x 6, a RTprop each, from a phase drawn by chance (but not 3/4); 2
 *     probe_rtt  four segments for 200 ms and a round, where RTprop has not been seen for ten seconds, unless the flow was idle
 *
 * A loss is no sign but of packets to conserve for a round: cwnd = flight + delivered (section 4.2.4.4), and what it was
 * afterwards. What is lost before all is repaired is of the same recovery, as to Linux. Left out, as in the draft: the
 * policer's long-term rate (Linux's limit where a fifth is lost) and the aggregation of ACKs that Linux added.
 */
#ifndef WI_NET_CONGESTION_BBR_H
#define WI_NET_CONGESTION_BBR_H

#include "net/congestion/bbr_common.h"

#define NET_BBR_HIGH_GAIN 2.8853900817779268 /* 2 / ln 2 */

enum { NET_BBR_STARTUP, NET_BBR_DRAIN, NET_BBR_PROBE_BW, NET_BBR_PROBE_RTT };
enum { NET_BBR_BW_ROUNDS = 10, NET_BBR_PHASES = 8 };

typedef struct net_bbr {
    net_rate rate;
    net_max bw;             /* bytes/s */
    double full_bw, pacing; /* pacing: payload bytes/s */
    double pacing_gain, cwnd_gain;
    uint64_t next_round;               /* delivered, when the round ends */
    weir_time rtprop_ps, rtprop_at_ps; /* 0: none yet */
    weir_time cycle_at_ps, probe_done_ps;
    uint32_t rounds, prior_cwnd, lost; /* lost: segments of all time, at the last ACK */
    uint8_t mode, phase, full_count, filled, round_start, conserves, probe_round_done, was;
    uint8_t idle; /* restarts from it, until an ACK */
} net_bbr;

enum { net_bbr_traits = NET_CLASS_PACED | NET_CLASS_OWN | NET_CLASS_RATE };

/* Enter a state, with its gains. */
WEIR_FN void net_bbr_enter(net_bbr *s, uint8_t mode)
{
    s->mode = mode;
    s->pacing_gain = mode == NET_BBR_STARTUP ? NET_BBR_HIGH_GAIN
                     : mode == NET_BBR_DRAIN ? 1.0 / NET_BBR_HIGH_GAIN
                                             : 1.0;
    s->cwnd_gain = mode == NET_BBR_PROBE_RTT ? 1.0 : mode == NET_BBR_PROBE_BW ? 2.0 : NET_BBR_HIGH_GAIN;
}

WEIR_FN void net_bbr_init(net_bbr *s, net_tx *tx, const net_class *c)
{
    (void)c;
    net_rate_init(&s->rate);
    net_max_reset(&s->bw, 0.0, 0);
    s->full_bw = s->pacing = 0.0;
    s->next_round = 0;
    s->rtprop_ps = s->rtprop_at_ps = s->cycle_at_ps = s->probe_done_ps = 0;
    s->rounds = s->lost = 0;
    s->prior_cwnd = tx->cwnd;
    s->phase = s->full_count = s->filled = s->round_start = s->conserves = s->probe_round_done = 0;
    s->was = NET_TX_OPEN;
    s->idle = 0;
    net_bbr_enter(s, NET_BBR_STARTUP);
}

/* BtlBw RTprop, bytes. */
WEIR_FN double net_bbr_bdp(const net_bbr *s)
{
    return s->bw.value[0] * 1e-12 * (double)s->rtprop_ps;
}

/* BBRInflight. Phase 0 probes with two segments more, or a small window would not. */
WEIR_FN uint32_t net_bbr_inflight(const net_bbr *s, const net_class *c, double gain)
{
    if (s->rtprop_ps == 0)
        return c->initial_window_bytes;
    const double probing = s->mode == NET_BBR_PROBE_BW && s->phase == 0 ? 2.0 : 0.0;
    const double want = gain * net_bbr_bdp(s) + (3.0 + probing) * (double)c->mss_bytes;
    return want < 1e9 ? (uint32_t)want : 1000000000u;
}

/* Begin a phase of probe_bw. */
WEIR_FN void net_bbr_phase(net_bbr *s, weir_time now_ps, uint32_t phase)
{
    s->cycle_at_ps = now_ps;
    s->phase = (uint8_t)(phase % NET_BBR_PHASES);
    s->pacing_gain = s->phase == 0 ? 1.25 : s->phase == 1 ? 0.75 : 1.0;
}

/* The first phase is any but the second; by chance. */
WEIR_FN void net_bbr_probe_bw(net_bbr *s, const net_tx *tx, weir_time now_ps)
{
    const uint32_t drawn = (uint32_t)((net_bbr_chance(tx, now_ps) >> 32) % (NET_BBR_PHASES - 1));
    net_bbr_enter(s, NET_BBR_PROBE_BW);
    net_bbr_phase(s, now_ps, drawn == 0 ? 0u : drawn + 1u);
}

/* BBRUpdateBtlBw and BBRUpdateRound. */
WEIR_FN void net_bbr_update_bw(net_bbr *s, const net_rate_sample *r)
{
    s->round_start = 0;
    if (r->known && r->prior_delivered >= s->next_round) {
        s->next_round = s->rate.delivered;
        s->rounds++;
        s->round_start = 1;
        s->conserves = 0;
    }
    if (r->bytes_per_s > 0.0 && (r->bytes_per_s >= s->bw.value[0] || !r->limited))
        net_max_update(&s->bw, r->bytes_per_s, s->rounds, NET_BBR_BW_ROUNDS);
}

/* BBRCheckCyclePhase; `before`: in flight before this ACK. */
WEIR_FN void net_bbr_check_cycle(net_bbr *s, const net_class *c, weir_time now_ps, uint32_t before, int lost)
{
    const int whole = now_ps - s->cycle_at_ps > s->rtprop_ps;
    int next = whole;
    if (s->mode != NET_BBR_PROBE_BW)
        return;
    if (s->phase == 0)
        next = whole && (lost || before >= net_bbr_inflight(s, c, s->pacing_gain));
    else if (s->phase == 1)
        next = whole || before <= net_bbr_inflight(s, c, 1.0);
    if (next)
        net_bbr_phase(s, now_ps, s->phase + 1u);
}

/* BBRCheckFullPipe. */
WEIR_FN void net_bbr_check_full(net_bbr *s, const net_rate_sample *r)
{
    if (!s->filled && s->round_start && !r->limited)
        s->filled = (uint8_t)net_bbr_stops_growing(s->bw.value[0], &s->full_bw, &s->full_count);
}

/* Save the window to come back to. */
WEIR_FN void net_bbr_save(net_bbr *s, const net_tx *tx)
{
    s->prior_cwnd = net_bbr_saved_cwnd(tx, s->prior_cwnd, s->mode == NET_BBR_PROBE_RTT);
}

/* BBRCheckProbeRTT. */
WEIR_FN void net_bbr_check_probe_rtt(net_bbr *s, net_tx *tx, const net_class *c, weir_time now_ps,
                                     int expired)
{
    const uint32_t pipe = net_tcp_pipe(tx, c);
    if (s->mode != NET_BBR_PROBE_RTT) {
        if (!expired)
            return;
        net_bbr_save(s, tx);
        net_bbr_enter(s, NET_BBR_PROBE_RTT);
        s->probe_done_ps = 0;
    }
    net_rate_limit(&s->rate, pipe);
    const int is_down = pipe <= NET_BBR_LEAST * c->mss_bytes;
    if (is_down && s->probe_done_ps == 0)
        s->next_round = s->rate.delivered;
    if (!net_bbr_probe_rtt_over(now_ps, is_down, s->round_start, &s->probe_done_ps, &s->probe_round_done))
        return;
    s->rtprop_at_ps = now_ps;
    net_bbr_restore_cwnd(tx, s->prior_cwnd);
    if (s->filled)
        net_bbr_probe_bw(s, tx, now_ps);
    else
        net_bbr_enter(s, NET_BBR_STARTUP);
}

/*
 * A recovery goes on while something lost is not repaired: to Linux what is lost then is of the same one, though its window is
 * over, as what went again still counts as lost there (tcp_time_to_recover).
 */
WEIR_FN uint8_t net_bbr_state(const net_bbr *s, const net_tx *tx)
{
    const int goes_on = s->was == NET_TX_RECOVERY && (tx->n_lost > 0 || tx->runs_again != 0);
    return (uint8_t)(tx->state == NET_TX_OPEN && goes_on ? NET_TX_RECOVERY : tx->state);
}

/* BBRSetCwnd, and what recoveries do to it. */
WEIR_FN void net_bbr_set_cwnd(net_bbr *s, net_tx *tx, const net_class *c, const net_cc_event *e,
                              uint32_t lost)
{
    const uint32_t mss = c->mss_bytes, pipe = net_tcp_pipe(tx, c);
    const uint8_t state = net_bbr_state(s, tx);
    if (state == NET_TX_OPEN && s->was != NET_TX_OPEN) {
        s->conserves = 0;
        net_bbr_restore_cwnd(tx, s->prior_cwnd);
    }
    s->was = state;
    if (state == NET_TX_RECOVERY) {
        tx->cwnd = tx->cwnd > lost * mss + mss ? tx->cwnd - lost * mss : mss;
        if (s->conserves && tx->cwnd < pipe + e->delivered)
            tx->cwnd = pipe + e->delivered;
    }
    if (state != NET_TX_RECOVERY || !s->conserves) {
        const uint32_t target = net_bbr_inflight(s, c, s->cwnd_gain);
        if (s->filled)
            tx->cwnd = tx->cwnd + e->delivered < target ? tx->cwnd + e->delivered : target;
        else if (tx->cwnd < target || s->rate.delivered < c->initial_window_bytes)
            tx->cwnd += e->delivered;
        if (tx->cwnd < NET_BBR_LEAST * mss)
            tx->cwnd = NET_BBR_LEAST * mss;
    }
    if (s->mode == NET_BBR_PROBE_RTT && tx->cwnd > NET_BBR_LEAST * mss)
        tx->cwnd = NET_BBR_LEAST * mss;
}

WEIR_FN void net_bbr_on_ack(net_bbr *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const uint32_t lost = net_bbr_newly_lost(tx, c, &s->lost), flight = net_tcp_pipe(tx, c) + e->delivered;
    net_bbr_check_limited(&s->rate, tx, c, flight);
    const net_rate_sample r = net_rate_on_ack(&s->rate, tx, e, s->rtprop_ps);
    net_bbr_update_bw(s, &r);
    net_bbr_check_cycle(s, c, e->now_ps, flight, lost > 0);
    net_bbr_check_full(s, &r);
    if (s->mode == NET_BBR_STARTUP && s->filled)
        net_bbr_enter(s, NET_BBR_DRAIN);
    if (s->mode == NET_BBR_DRAIN && net_tcp_pipe(tx, c) <= net_bbr_inflight(s, c, 1.0))
        net_bbr_probe_bw(s, tx, e->now_ps);
    const int expired = s->rtprop_ps > 0 && e->now_ps > s->rtprop_at_ps + NET_BBR_MIN_RTT_PS;
    if (e->rtt_ps > 0 && (s->rtprop_ps == 0 || e->rtt_ps <= s->rtprop_ps || expired)) {
        s->rtprop_ps = e->rtt_ps;
        s->rtprop_at_ps = e->now_ps;
    }
    net_bbr_check_probe_rtt(s, tx, c, e->now_ps, expired && !s->idle);
    s->idle = 0;
    net_bbr_set_pacing(&s->pacing, s->pacing_gain, s->bw.value[0], s->filled);
    net_bbr_set_cwnd(s, tx, c, e, lost);
}

/* A recovery begins with what is in flight; a timeout's window is the sender's. Marks and probes are no sign. */
WEIR_FN uint32_t net_bbr_on_loss(net_bbr *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const int follows = s->was == NET_TX_RECOVERY;
    if (e->sign == NET_CC_LOST || e->sign == NET_CC_TIMEOUT) {
        net_bbr_save(s, tx);
        s->was = NET_TX_RECOVERY;
    }
    if (e->sign == NET_CC_LOST && !follows) {
        s->conserves = 1;
        s->next_round = s->rate.delivered;
        tx->cwnd = net_tcp_pipe(tx, c) + c->mss_bytes;
    }
    return tx->ssthresh;
}

WEIR_FN void net_bbr_on_undo(net_bbr *s, net_tx *tx, const net_class *c)
{
    (void)tx, (void)c;
    s->was = NET_TX_OPEN;
}

/* BBRHandleRestartFromIdle. */
WEIR_FN void net_bbr_on_idle(net_bbr *s, net_tx *tx, const net_class *c, weir_time now_ps, weir_time idle_ps)
{
    (void)tx, (void)c, (void)idle_ps;
    net_bbr_resume(&s->rate, now_ps);
    s->idle = 1;
    if (s->mode == NET_BBR_PROBE_BW)
        net_bbr_set_pacing(&s->pacing, 1.0, s->bw.value[0], s->filled);
}

WEIR_FN uint64_t net_bbr_pace_bps(const net_bbr *s, const net_tx *tx, const net_class *c, weir_time clock_ps)
{
    (void)clock_ps;
    return net_bbr_paced_bps(s->pacing, NET_BBR_HIGH_GAIN, tx, c);
}

/* Its times, moved on. */
WEIR_FN void net_bbr_move(net_bbr *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    net_rate_move(&s->rate, by_ps);
    net_cc_move(&s->rtprop_at_ps, by_ps);
    net_cc_move(&s->cycle_at_ps, by_ps);
    net_cc_move(&s->probe_done_ps, by_ps);
}

#endif
