/* BBR, version 3: a flow's state, the gains of each state, and the model of the path: see bbr3.h. */
#ifndef WI_NET_CONGESTION_BBR3_MODEL_H
#define WI_NET_CONGESTION_BBR3_MODEL_H

#include "net/congestion/bbr_common.h"

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
    uint8_t idle; /* restarts from it, until an ACK */
} net_bbr3;

/* Drop the short-term bounds. */
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
    s->idle = 0;
}

/* The state's pacing gain. */
WEIR_FN double net_bbr3_pacing_gain(const net_bbr3 *s)
{
    return s->state == NET_BBR3_STARTUP ? NET_BBR3_STARTUP_GAIN
           : s->state == NET_BBR3_DRAIN ? NET_BBR3_DRAIN_GAIN
           : s->state == NET_BBR3_DOWN  ? 0.9
           : s->state == NET_BBR3_UP    ? 1.25
                                        : 1.0;
}

/* The state's window gain. */
WEIR_FN double net_bbr3_cwnd_gain(const net_bbr3 *s)
{
    return s->state == NET_BBR3_UP ? 2.25 : s->state == NET_BBR3_PROBE_RTT ? 0.5 : 2.0;
}

/* max_bw, of this cycle and the last. */
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

/* inflight_longterm, less some headroom for other flows. */
WEIR_FN double net_bbr3_headroom(const net_bbr3 *s, const net_class *c)
{
    const double mss = (double)c->mss_bytes, share = NET_BBR3_HEADROOM * s->inflight_long;
    if (s->inflight_long >= NET_BBR3_NONE)
        return NET_BBR3_NONE;
    const double left = s->inflight_long - (share > mss ? share : mss);
    return left > NET_BBR_LEAST * mss ? left : NET_BBR_LEAST * mss;
}

/* The window, or the BDP if that is less. */
WEIR_FN double net_bbr3_target(const net_bbr3 *s, const net_tx *tx)
{
    const double bdp = s->bw * 1e-12 * (double)s->min_rtt_ps;
    return bdp < (double)tx->cwnd ? bdp : (double)tx->cwnd;
}

/* Begin a round trip. */
WEIR_FN void net_bbr3_start_round(net_bbr3 *s)
{
    s->next_round = s->rate.delivered;
}

/* Watch anew for the pipe to be full. */
WEIR_FN void net_bbr3_reset_full(net_bbr3 *s)
{
    s->full_bw = 0.0;
    s->full_count = s->full_now = 0;
}

/* Whether the state probes for more rate. */
WEIR_FN int net_bbr3_probing(const net_bbr3 *s)
{
    return s->state == NET_BBR3_STARTUP || s->state == NET_BBR3_REFILL || s->state == NET_BBR3_UP;
}

/* Whether the state is one of ProbeBW. */
WEIR_FN int net_bbr3_in_probe_bw(const net_bbr3 *s)
{
    return s->state >= NET_BBR3_DOWN && s->state <= NET_BBR3_UP;
}

/* ---- "Updating Network Path Model Parameters" of the draft, and the end of Startup ---- */

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

#endif
