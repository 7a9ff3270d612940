/*
 * What both versions of BBR do alike; their models, states and gains are bbr.h's and bbr3.h's. Sources: as there.
 */
#ifndef WI_NET_CONGESTION_BBR_COMMON_H
#define WI_NET_CONGESTION_BBR_COMMON_H

#include "net/flow/delivery_rate.h"
#include "net/flow/tcp_runs.h"

#define NET_BBR_MARGIN 0.99 /* of the rate, as Linux paces: queues drain */
#define NET_BBR_MIN_RTT_PS (10 * WEIR_PS_PER_S)
#define NET_BBR_PROBE_RTT_PS (200 * WEIR_PS_PER_MS)
enum { NET_BBR_LEAST = 4 /* segments */, NET_BBR_FULL_ROUNDS = 3 };

/* Chance by the flow and the time, so that flows do not probe together: 64 bits. */
WEIR_FN uint64_t net_bbr_chance(const net_tx *tx, weir_time now_ps)
{
    uint64_t mixed = ((uint64_t)now_ps ^ (uint64_t)tx->map << 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Segments newly found lost or sent again since the last ACK; *all: of all time, at that ACK. */
WEIR_FN uint32_t net_bbr_newly_lost(const net_tx *tx, const net_class *c, uint32_t *all)
{
    const uint32_t now = net_tcp_missing(tx, c) + tx->retransmissions, before = *all;
    *all = now;
    return now > before ? now - before : 0;
}

/* Samples of what is sent while nothing more is there to send, again or at all, and the window is not full
 * are no measure of the path (section 3.4 of the draft on delivery rates); asked before an ACK counts, with
 * what was in flight then. */
WEIR_FN void net_bbr_check_limited(net_rate *r, const net_tx *tx, const net_class *c, uint32_t flight)
{
    const bool all_went = !(tx->flags & NET_TX_UNBOUNDED) && tx->left == 0;
    if (all_went && flight < tx->cwnd && (int32_t)net_tcp_missing(tx, c) <= 0)
        net_rate_limit(r, flight);
}

/* Something goes again, and nothing was in flight: what there was to send had run out. */
WEIR_FN void net_bbr_resume(net_rate *r, weir_time now_ps)
{
    net_rate_limit(r, 0);
    net_rate_resume(r, now_ps);
}

/* BBRSaveCwnd: the window to come back to. */
WEIR_FN uint32_t net_bbr_saved_cwnd(const net_tx *tx, uint32_t prior_cwnd, int probes_rtt)
{
    const int less = tx->state != NET_TX_OPEN || probes_rtt;
    return less && prior_cwnd > tx->cwnd ? prior_cwnd : tx->cwnd;
}

/* BBRRestoreCwnd. */
WEIR_FN void net_bbr_restore_cwnd(net_tx *tx, uint32_t prior_cwnd)
{
    if (tx->cwnd < prior_cwnd)
        tx->cwnd = prior_cwnd;
}

/* Whether ProbeRTT is over: *done_ps (0: not known yet) is 200 ms, and *round_done a round trip, after the flight was down. */
WEIR_FN int net_bbr_probe_rtt_over(weir_time now_ps, int is_down, int round_start, weir_time *done_ps,
                                   uint8_t *round_done)
{
    if (*done_ps == 0) {
        *done_ps = is_down ? now_ps + NET_BBR_PROBE_RTT_PS : 0;
        *round_done = is_down ? 0 : *round_done;
        return 0;
    }
    *round_done |= (uint8_t)round_start;
    return *round_done && now_ps > *done_ps;
}

/* A rate that has not grown by a quarter in three rounds fills the pipe; returns whether it does now. */
WEIR_FN int net_bbr_stops_growing(double rate, double *full_bw, uint8_t *count)
{
    if (rate >= 1.25 * *full_bw) {
        *full_bw = rate;
        *count = 0;
        return 0;
    }
    return ++*count >= NET_BBR_FULL_ROUNDS;
}

/* BBRSetPacingRateWithGain: until the pipe is full, the rate only grows. */
WEIR_FN void net_bbr_set_pacing(double *pacing, double gain, double bw, int full)
{
    const double rate = gain * bw * NET_BBR_MARGIN;
    if (full || rate > *pacing)
        *pacing = rate;
}

/* Headers included. Before there is a rate: startup_gain windows a round trip, or a millisecond (BBRInitPacingRate). */
WEIR_FN uint64_t net_bbr_paced_bps(double pacing, double startup_gain, const net_tx *tx, const net_class *c)
{
    double rate = pacing;
    if (rate <= 0.0) {
        const double rtt_ps = tx->flags & NET_TX_RTT_KNOWN ? (double)tx->srtt_ps : 1e9;
        rate = startup_gain * (double)c->initial_window_bytes * 1e12 / rtt_ps;
    }
    const double whole = (double)(c->mss_bytes + NET_HEADER_TCP) / (double)c->mss_bytes,
                 bps = 8.0 * rate * whole;
    return bps < 1e18 ? (uint64_t)bps + 1u : UINT64_C(1) << 60;
}

#endif
