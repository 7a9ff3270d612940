/* BBR, version 3: the phases of ProbeBW and the long-term bound that they find, "ProbeBW" of the draft: see bbr3.h. */
#ifndef WI_NET_CONGESTION_BBR3_PROBE_H
#define WI_NET_CONGESTION_BBR3_PROBE_H

#include "net/congestion/bbr3_model.h"

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

/* Begin REFILL. */
WEIR_FN void net_bbr3_refill(net_bbr3 *s)
{
    net_bbr3_reset_short(s);
    s->up_rounds = 0;
    s->up_acks = 0.0;
    s->ack_phase = NET_BBR3_REFILLING;
    net_bbr3_start_round(s);
    s->state = NET_BBR3_REFILL;
}

/* Double the growth of the long-term bound. */
WEIR_FN void net_bbr3_slope(net_bbr3 *s, const net_tx *tx, const net_class *c)
{
    const double growth = (double)c->mss_bytes * (double)(UINT64_C(1) << s->up_rounds),
                 cwnd = (double)tx->cwnd;
    s->up_rounds = s->up_rounds < 30 ? s->up_rounds + 1u : 30u;
    s->up_per = cwnd / growth > 1.0 ? cwnd / growth : 1.0;
}

/* Begin UP. */
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

/* What an ACK says to BBR. */
typedef struct net_bbr3_ack {
    const net_cc_event *event;
    net_rate_sample rate;
    uint32_t pipe; /* in flight after it, bytes */
    int too_high;  /* more than 2 % of the round trip so far were lost */
} net_bbr3_ack;

/* BBRAdaptLongTermModel, where the loss rate is safe; bounded: cwnd keeps the flow from sending, at that bound. */
WEIR_FN void net_bbr3_adapt_long(net_bbr3 *s, const net_tx *tx, const net_class *c, const net_bbr3_ack *a,
                                 int bounded)
{
    if (s->ack_phase == NET_BBR3_STARTING && s->round_start)
        s->ack_phase = NET_BBR3_FEEDBACK;
    if (s->ack_phase == NET_BBR3_STOPPING && s->round_start)
        s->samples = 0; /* as in Linux: what is lost from here on is not the probing's */
    if (s->ack_phase == NET_BBR3_STOPPING && s->round_start && net_bbr3_in_probe_bw(s) && !a->rate.limited) {
        s->ack_phase = NET_BBR3_FEEDBACK; /* once a cycle */
        s->max_bw[1] = s->max_bw[0];      /* BBRAdvanceMaxBwFilter */
        s->max_bw[0] = 0.0;
    }
    if (a->too_high || s->inflight_long >= NET_BBR3_NONE)
        return;
    if (s->round_start && s->sent_round > s->inflight_long)
        s->inflight_long = s->sent_round;
    if (s->state != NET_BBR3_UP || !bounded)
        return;
    s->up_acks += (double)a->event->delivered;
    const double grown = s->up_acks / s->up_per;
    s->inflight_long += grown;
    s->up_acks = 0.0;
    if (s->round_start)
        net_bbr3_slope(s, tx, c);
}

/* BBRUpdateProbeBWCyclePhase. */
WEIR_FN void net_bbr3_cycle(net_bbr3 *s, const net_tx *tx, const net_class *c, const net_bbr3_ack *a)
{
    const net_rate_sample *r = &a->rate;
    const net_cc_event *e = a->event;
    const uint32_t pipe = a->pipe;
    const int limited = pipe + e->delivered + c->mss_bytes > tx->cwnd;
    const int bounded = limited && (double)tx->cwnd >= s->inflight_long;
    if (!s->full)
        return;
    net_bbr3_adapt_long(s, tx, c, a, bounded);
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

/* ---- ProbeRTT ---- */

/* Save the window to come back to. */
WEIR_FN void net_bbr3_save(net_bbr3 *s, const net_tx *tx)
{
    s->prior_cwnd = net_bbr_saved_cwnd(tx, s->prior_cwnd, s->state == NET_BBR3_PROBE_RTT);
}

/* End ProbeRTT. */
WEIR_FN void net_bbr3_leave_probe_rtt(net_bbr3 *s, net_tx *tx, weir_time now_ps)
{
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

/* Begin or end ProbeRTT. */
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
    if (is_down && s->probe_done_ps == 0)
        net_bbr3_start_round(s);
    if (net_bbr_probe_rtt_over(now_ps, is_down, s->round_start, &s->probe_done_ps, &s->probe_round_done))
        net_bbr3_leave_probe_rtt(s, tx, now_ps);
}

#endif
