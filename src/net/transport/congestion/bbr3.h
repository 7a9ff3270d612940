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
 * of the round. Left out: restarts from idle, as no flow here is ever idle and goes on.
 */
#ifndef WI_NET_TRANSPORT_CONGESTION_BBR3_H
#define WI_NET_TRANSPORT_CONGESTION_BBR3_H

#include "net/transport/congestion/bbr_common.h"

#define NET_BBR3_STARTUP_GAIN 2.77
#define NET_BBR3_DRAIN_GAIN 0.35
#define NET_BBR3_LOSS 0.02
#define NET_BBR3_BETA 0.7
#define NET_BBR3_HEADROOM 0.15
#define NET_BBR3_NONE 1e18 /* infinity, of bounds */
#define NET_BBR3_PROBE_EVERY_PS (5 * WEIR_PS_PER_S)

enum {
    NET_BBR3_STARTUP,
    NET_BBR3_DRAIN,
    NET_BBR3_DOWN,
    NET_BBR3_CRUISE,
    NET_BBR3_REFILL,
    NET_BBR3_UP,
    NET_BBR3_PROBE_RTT
};
enum { NET_BBR3_STARTING, NET_BBR3_FEEDBACK, NET_BBR3_STOPPING, NET_BBR3_REFILLING }; /* ack_phase */
enum { NET_BBR3_FULL_LOSSES = 6, NET_BBR3_RENO_ROUNDS = 63, NET_BBR3_EXTRA_ROUNDS = 10 };

typedef struct net_bbr3 {
    net_rate rate;
    double max_bw[2];                             /* bytes/s: of this cycle and the last */
    double bw, full_bw, pacing;                   /* bw: bounded */
    double bw_latest, bw_short;                   /* of this round trip; short-term bound */
    double inflight_latest, inflight_short;       /* bytes */
    double inflight_long, sent_round;             /* long-term bound; the most in flight in this round */
    double up_acks, up_per, extra_from;           /* growth of the long-term bound: bytes an up_per of ACKs */
    net_max extra;                                /* bytes by which ACKs were ahead of bw */
    uint64_t next_round, loss_round, round_began; /* delivered at those */
    weir_time min_rtt_ps, min_rtt_at_ps, probe_min_ps, probe_at_ps, probe_done_ps, cycle_ps, wait_ps,
        extra_ps;
    uint32_t rounds, since_probe, up_rounds, lost, lost_round, prior_cwnd, loss_events;
    uint8_t state, ack_phase, full_count, full_now, full, round_start, loss_round_start, loss_in_round;
    uint8_t samples, probe_round_done, was, in_recovery_rounds;
} net_bbr3;

enum { net_bbr3_traits = NET_CLASS_PACED | NET_CLASS_OWN };

WEIR_FN void net_bbr3_reset_short(net_bbr3 *s)
{
    s->bw_short = s->inflight_short = NET_BBR3_NONE;
}

WEIR_FN void net_bbr3_init(net_bbr3 *s, net_tx *tx, const net_class *c)
{
    (void)c;
    net_rate_init(&s->rate);
    net_max_reset(&s->extra, 0.0, 0);
    s->max_bw[0] = s->max_bw[1] = s->bw = s->full_bw = s->pacing = s->bw_latest = s->inflight_latest = 0.0;
    s->inflight_long = NET_BBR3_NONE;
    s->sent_round = s->up_acks = s->extra_from = 0.0;
    s->up_per = NET_BBR3_NONE;
    net_bbr3_reset_short(s);
    s->next_round = s->loss_round = s->round_began = 0;
    s->min_rtt_ps = s->min_rtt_at_ps = s->probe_min_ps = s->probe_at_ps = s->probe_done_ps = 0;
    s->cycle_ps = s->wait_ps = s->extra_ps = 0;
    s->rounds = s->since_probe = s->up_rounds = s->lost = s->lost_round = s->loss_events = 0;
    s->prior_cwnd = tx->cwnd;
    s->state = NET_BBR3_STARTUP;
    s->ack_phase = NET_BBR3_STOPPING;
    s->full_count = s->full_now = s->full = s->round_start = s->loss_round_start = s->loss_in_round = 0;
    s->samples = s->probe_round_done = s->in_recovery_rounds = 0;
    s->was = NET_TX_OPEN;
}

WEIR_FN double net_bbr3_pacing_gain(const net_bbr3 *s)
{
    return s->state == NET_BBR3_STARTUP ? NET_BBR3_STARTUP_GAIN
           : s->state == NET_BBR3_DRAIN ? NET_BBR3_DRAIN_GAIN
           : s->state == NET_BBR3_DOWN  ? 0.9
           : s->state == NET_BBR3_UP    ? 1.25
                                        : 1.0;
}

WEIR_FN double net_bbr3_cwnd_gain(const net_bbr3 *s)
{
    return s->state == NET_BBR3_UP ? 2.25 : s->state == NET_BBR3_PROBE_RTT ? 0.5 : 2.0;
}

WEIR_FN double net_bbr3_largest(const net_bbr3 *s)
{
    return s->max_bw[0] > s->max_bw[1] ? s->max_bw[0] : s->max_bw[1];
}

/* BBRBDPMultiple with BBRQuantizationBudget; the offload budget is of three segments, as none are offloaded. */
WEIR_FN double net_bbr3_inflight(const net_bbr3 *s, const net_class *c, double bw, double gain, double extra)
{
    const double mss = (double)c->mss_bytes;
    if (s->min_rtt_ps == 0)
        return (double)c->initial_window_bytes;
    double cap = gain * bw * 1e-12 * (double)s->min_rtt_ps + extra;
    cap = cap < NET_BBR_LEAST * mss ? NET_BBR_LEAST * mss : cap;
    return s->state == NET_BBR3_UP ? cap + 2.0 * mss : cap;
}

WEIR_FN double net_bbr3_headroom(const net_bbr3 *s, const net_class *c)
{
    const double mss = (double)c->mss_bytes, share = NET_BBR3_HEADROOM * s->inflight_long;
    if (s->inflight_long >= NET_BBR3_NONE)
        return NET_BBR3_NONE;
    const double left = s->inflight_long - (share > mss ? share : mss);
    return left > NET_BBR_LEAST * mss ? left : NET_BBR_LEAST * mss;
}

WEIR_FN double net_bbr3_target(const net_bbr3 *s, const net_tx *tx)
{
    const double bdp = s->bw * 1e-12 * (double)s->min_rtt_ps;
    return bdp < (double)tx->cwnd ? bdp : (double)tx->cwnd;
}

WEIR_FN void net_bbr3_start_round(net_bbr3 *s)
{
    s->next_round = s->rate.delivered;
}

WEIR_FN void net_bbr3_reset_full(net_bbr3 *s)
{
    s->full_bw = 0.0;
    s->full_count = s->full_now = 0;
}

/* ---- the phases of ProbeBW ---- */

/* BBRPickProbeWait by chance. */
WEIR_FN void net_bbr3_down(net_bbr3 *s, const net_tx *tx, weir_time now_ps)
{
    const uint64_t drawn = net_bbr_chance(tx, now_ps);
    s->loss_in_round = 0;
    s->bw_latest = s->inflight_latest = 0.0;
    s->up_per = NET_BBR3_NONE;
    s->since_probe = (uint32_t)(drawn >> 63);
    s->wait_ps = 2 * WEIR_PS_PER_S + (weir_time)((drawn >> 20) % (uint64_t)WEIR_PS_PER_S);
    s->cycle_ps = now_ps;
    s->ack_phase = NET_BBR3_STOPPING;
    net_bbr3_start_round(s);
    s->state = NET_BBR3_DOWN;
}

WEIR_FN void net_bbr3_refill(net_bbr3 *s)
{
    net_bbr3_reset_short(s);
    s->up_rounds = 0;
    s->up_acks = 0.0;
    s->ack_phase = NET_BBR3_REFILLING;
    net_bbr3_start_round(s);
    s->state = NET_BBR3_REFILL;
}

WEIR_FN void net_bbr3_slope(net_bbr3 *s, const net_tx *tx, const net_class *c)
{
    const double growth = (double)c->mss_bytes * (double)(UINT64_C(1) << s->up_rounds),
                 cwnd = (double)tx->cwnd;
    s->up_rounds = s->up_rounds < 30 ? s->up_rounds + 1u : 30u;
    s->up_per = cwnd / growth > 1.0 ? cwnd / growth : 1.0;
}

WEIR_FN void net_bbr3_up(net_bbr3 *s, const net_tx *tx, const net_class *c, double rate)
{
    s->ack_phase = NET_BBR3_STARTING;
    net_bbr3_start_round(s);
    net_bbr3_reset_full(s);
    s->full_bw = rate;
    s->state = NET_BBR3_UP;
    net_bbr3_slope(s, tx, c);
}

/* BBRIsTimeToProbeBW. */
WEIR_FN int net_bbr3_time_to_probe(const net_bbr3 *s, const net_tx *tx, const net_class *c, weir_time now_ps)
{
    const double reno = net_bbr3_target(s, tx) / (double)c->mss_bytes;
    const double rounds = reno < NET_BBR3_RENO_ROUNDS ? reno : NET_BBR3_RENO_ROUNDS;
    return now_ps > s->cycle_ps + s->wait_ps || (double)s->since_probe >= rounds;
}

WEIR_FN int net_bbr3_probing(const net_bbr3 *s)
{
    return s->state == NET_BBR3_STARTUP || s->state == NET_BBR3_REFILL || s->state == NET_BBR3_UP;
}

WEIR_FN int net_bbr3_in_probe_bw(const net_bbr3 *s)
{
    return s->state >= NET_BBR3_DOWN && s->state <= NET_BBR3_UP;
}

/* BBRAdaptLongTermModel, where the loss rate is safe; bounded: cwnd keeps the flow from sending, at that bound. */
WEIR_FN void net_bbr3_adapt_long(net_bbr3 *s, const net_tx *tx, const net_class *c, const net_rate_sample *r,
                                 uint32_t delivered, int bounded, int too_high)
{
    if (s->ack_phase == NET_BBR3_STARTING && s->round_start)
        s->ack_phase = NET_BBR3_FEEDBACK;
    if (s->ack_phase == NET_BBR3_STOPPING && s->round_start && net_bbr3_in_probe_bw(s) && !r->limited) {
        s->ack_phase = NET_BBR3_FEEDBACK; /* once a cycle */
        s->max_bw[1] = s->max_bw[0];      /* BBRAdvanceMaxBwFilter */
        s->max_bw[0] = 0.0;
    }
    if (too_high || s->inflight_long >= NET_BBR3_NONE)
        return;
    if (s->round_start && s->sent_round > s->inflight_long)
        s->inflight_long = s->sent_round;
    if (s->state != NET_BBR3_UP || !bounded)
        return;
    s->up_acks += (double)delivered;
    const double grown = s->up_acks / s->up_per;
    s->inflight_long += grown;
    s->up_acks = 0.0;
    if (s->round_start)
        net_bbr3_slope(s, tx, c);
}

/* BBRUpdateProbeBWCyclePhase. */
WEIR_FN void net_bbr3_cycle(net_bbr3 *s, const net_tx *tx, const net_class *c, const net_rate_sample *r,
                            const net_cc_event *e, uint32_t pipe, int too_high)
{
    const int limited = pipe + e->delivered + c->mss_bytes > tx->cwnd;
    const int bounded = limited && (double)tx->cwnd >= s->inflight_long;
    if (!s->full)
        return;
    net_bbr3_adapt_long(s, tx, c, r, e->delivered, bounded, too_high);
    if (s->state == NET_BBR3_DOWN || s->state == NET_BBR3_CRUISE) {
        if (net_bbr3_time_to_probe(s, tx, c, e->now_ps))
            net_bbr3_refill(s);
        else if (s->state == NET_BBR3_DOWN && (double)pipe <= net_bbr3_headroom(s, c) &&
                 (double)pipe <= net_bbr3_inflight(s, c, net_bbr3_largest(s), 1.0, 0.0))
            s->state = NET_BBR3_CRUISE;
    } else if (s->state == NET_BBR3_REFILL) {
        if (s->round_start) {
            s->samples = 1;
            net_bbr3_up(s, tx, c, r->bytes_per_s);
        }
    } else if (s->state == NET_BBR3_UP) {
        if (bounded) {
            net_bbr3_reset_full(s);
            s->full_bw = r->bytes_per_s;
        } else if (s->full_now) {
            net_bbr3_down(s, tx, e->now_ps);
        }
    }
}

/* ---- the model ---- */

/* BBRHandleInflightTooHigh, once for a probing of the rate. */
WEIR_FN void net_bbr3_too_high(net_bbr3 *s, const net_tx *tx, const net_rate_sample *r, weir_time now_ps)
{
    s->samples = 0;
    if (!r->limited) {
        const double least = net_bbr3_target(s, tx) * NET_BBR3_BETA;
        s->inflight_long = s->sent_round > least ? s->sent_round : least;
    }
    if (s->state == NET_BBR3_UP)
        net_bbr3_down(s, tx, now_ps);
}

/* BBRUpdateLatestDeliverySignals, BBRUpdateRound, BBRUpdateMaxBw. */
WEIR_FN void net_bbr3_latest(net_bbr3 *s, const net_rate_sample *r)
{
    const double delivered = r->known ? (double)(s->rate.delivered - r->prior_delivered) : 0.0;
    s->loss_round_start = s->round_start = 0;
    s->bw_latest = r->bytes_per_s > s->bw_latest ? r->bytes_per_s : s->bw_latest;
    s->inflight_latest = delivered > s->inflight_latest ? delivered : s->inflight_latest;
    if (r->known && r->prior_delivered >= s->loss_round) {
        s->loss_round = s->rate.delivered;
        s->loss_round_start = 1;
    }
    if (r->known && r->prior_delivered >= s->next_round) {
        net_bbr3_start_round(s);
        s->rounds++;
        s->since_probe++;
        s->round_start = 1;
    }
    if (r->bytes_per_s > s->max_bw[0] && (r->bytes_per_s >= net_bbr3_largest(s) || !r->limited))
        s->max_bw[0] = r->bytes_per_s;
}

/* BBRAdaptLowerBoundsFromCongestion, at the end of a round trip. */
WEIR_FN void net_bbr3_lower(net_bbr3 *s, const net_tx *tx)
{
    if (!s->loss_round_start)
        return;
    if (s->loss_in_round && !net_bbr3_probing(s)) {
        if (s->bw_short >= NET_BBR3_NONE)
            s->bw_short = net_bbr3_largest(s);
        if (s->inflight_short >= NET_BBR3_NONE)
            s->inflight_short = (double)tx->cwnd;
        const double bw = NET_BBR3_BETA * s->bw_short, inflight = NET_BBR3_BETA * s->inflight_short;
        s->bw_short = s->bw_latest > bw ? s->bw_latest : bw;
        s->inflight_short = s->inflight_latest > inflight ? s->inflight_latest : inflight;
    }
    s->loss_in_round = 0;
}

/* BBRUpdateACKAggregation. */
WEIR_FN void net_bbr3_aggregation(net_bbr3 *s, const net_tx *tx, const net_cc_event *e)
{
    double expected = s->bw * 1e-12 * (double)(e->now_ps - s->extra_ps);
    if (s->extra_from <= expected) {
        s->extra_from = expected = 0.0;
        s->extra_ps = e->now_ps;
    }
    s->extra_from += (double)e->delivered;
    double extra = s->extra_from - expected;
    extra = extra < (double)tx->cwnd ? extra : (double)tx->cwnd;
    net_max_update(&s->extra, extra, s->rounds, s->full ? NET_BBR3_EXTRA_ROUNDS : 1);
}

/* BBRCheckFullBWReached and BBRCheckStartupHighLoss. */
WEIR_FN void net_bbr3_check_full(net_bbr3 *s, const net_tx *tx, const net_rate_sample *r, int too_high)
{
    if (!s->full_now && s->round_start && !r->limited) {
        s->full_now = (uint8_t)net_bbr_stops_growing(r->bytes_per_s, &s->full_bw, &s->full_count);
        s->full |= s->full_now;
    }
    if (s->state != NET_BBR3_STARTUP)
        return;
    if (s->round_start)
        s->in_recovery_rounds =
            (uint8_t)(tx->state == NET_TX_RECOVERY ? s->in_recovery_rounds < 2 ? s->in_recovery_rounds + 1 : 2
                                                   : 0);
    if (s->round_start && too_high && s->in_recovery_rounds >= 2 && s->loss_events >= NET_BBR3_FULL_LOSSES) {
        const double bdp = s->bw * 1e-12 * (double)s->min_rtt_ps;
        s->full = 1;
        s->inflight_long = bdp > s->inflight_latest ? bdp : s->inflight_latest;
    }
}

/* ---- ProbeRTT ---- */

WEIR_FN void net_bbr3_save(net_bbr3 *s, const net_tx *tx)
{
    s->prior_cwnd = net_bbr_saved_cwnd(tx, s->prior_cwnd, s->state == NET_BBR3_PROBE_RTT);
}

/* BBRUpdateMinRTT; returns whether ProbeRTT is due. */
WEIR_FN int net_bbr3_min_rtt(net_bbr3 *s, const net_cc_event *e)
{
    const int due = s->probe_min_ps > 0 && e->now_ps > s->probe_at_ps + NET_BBR3_PROBE_EVERY_PS;
    if (e->rtt_ps > 0 && (s->probe_min_ps == 0 || e->rtt_ps < s->probe_min_ps || due)) {
        s->probe_min_ps = e->rtt_ps;
        s->probe_at_ps = e->now_ps;
    }
    const int old = e->now_ps > s->min_rtt_at_ps + NET_BBR_MIN_RTT_PS;
    if (s->probe_min_ps > 0 && (s->min_rtt_ps == 0 || s->probe_min_ps < s->min_rtt_ps || old)) {
        s->min_rtt_ps = s->probe_min_ps;
        s->min_rtt_at_ps = s->probe_at_ps;
    }
    return due;
}

WEIR_FN void net_bbr3_probe_rtt(net_bbr3 *s, net_tx *tx, const net_class *c, weir_time now_ps, uint32_t pipe,
                                int due)
{
    if (s->state != NET_BBR3_PROBE_RTT) {
        if (!due)
            return;
        net_bbr3_save(s, tx);
        s->state = NET_BBR3_PROBE_RTT;
        s->probe_done_ps = 0;
        s->ack_phase = NET_BBR3_STOPPING;
        net_bbr3_start_round(s);
    }
    net_rate_limit(&s->rate, pipe);
    const int is_down = (double)pipe <= net_bbr3_inflight(s, c, s->bw, 0.5, 0.0);
    if (!net_bbr_probe_rtt_over(&s->rate, now_ps, is_down, s->round_start, &s->probe_done_ps,
                                &s->probe_round_done, &s->next_round))
        return;
    s->probe_at_ps = now_ps;
    net_bbr_restore_cwnd(tx, s->prior_cwnd);
    net_bbr3_reset_short(s);
    if (s->full) {
        net_bbr3_down(s, tx, now_ps);
        s->state = NET_BBR3_CRUISE;
    } else {
        s->state = NET_BBR3_STARTUP;
    }
}

/* ---- control ---- */

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
    const uint32_t lost = net_bbr_newly_lost(tx, &s->lost), pipe = net_tcp_pipe(tx, c);
    const net_rate_sample r = net_rate_on_ack(&s->rate, tx, e, s->min_rtt_ps);
    const double flight = (double)pipe + (double)e->delivered;
    s->lost_round += lost;
    s->loss_events += lost > 0;
    s->sent_round = flight > s->sent_round ? flight : s->sent_round;
    if (lost) {
        if (!s->loss_in_round)
            s->loss_round = s->rate.delivered;
        s->loss_in_round = 1;
    }
    net_bbr3_latest(s, &r);
    const int too_high = (double)s->lost_round * (double)c->mss_bytes > NET_BBR3_LOSS * s->sent_round;
    net_bbr3_lower(s, tx);
    net_bbr3_aggregation(s, tx, e);
    net_bbr3_check_full(s, tx, &r, too_high);
    if (s->state == NET_BBR3_STARTUP && s->full)
        s->state = NET_BBR3_DRAIN;
    if (s->state == NET_BBR3_DRAIN && (double)pipe <= net_bbr3_inflight(s, c, s->bw, 1.0, 0.0))
        net_bbr3_down(s, tx, e->now_ps);
    if (lost && s->samples && too_high)
        net_bbr3_too_high(s, tx, &r, e->now_ps);
    net_bbr3_cycle(s, tx, c, &r, e, pipe, too_high);
    net_bbr3_probe_rtt(s, tx, c, e->now_ps, pipe, net_bbr3_min_rtt(s, e));
    if (s->loss_round_start) {
        s->bw_latest = r.bytes_per_s;
        s->inflight_latest = r.known ? (double)(s->rate.delivered - r.prior_delivered) : 0.0;
    }
    if (s->round_start) {
        s->sent_round = flight;
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

WEIR_FN uint64_t net_bbr3_pace_bps(const net_bbr3 *s, const net_tx *tx, const net_class *c)
{
    return net_bbr_paced_bps(s->pacing, NET_BBR3_STARTUP_GAIN, tx, c);
}

#ifdef WI_CONGESTION_WORDS
static const wi_congestion_kind net_bbr3_words = {.section = {.name = "bbr3"},
                                                  .check = wi_congestion_needs_sack};
#endif

#endif
