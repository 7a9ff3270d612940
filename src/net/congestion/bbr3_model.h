/* BBR, version 3: the model of the path, "Updating Network Path Model Parameters" of the draft, and the end of Startup:
 * see bbr3.h. */
#ifndef WI_NET_CONGESTION_BBR3_MODEL_H
#define WI_NET_CONGESTION_BBR3_MODEL_H

#include "net/congestion/bbr3_state.h"

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
