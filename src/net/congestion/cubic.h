/*
 * CUBIC: RFC 9438. In congestion avoidance the window follows a cubic of the time t since the epoch began,
 *
 *     W(t) = C (t - K)^3 + W_max,   K = cbrt((W_max - W_epoch) / C),   C = 0.4      (equations 1, 2; segments, s)
 *
 * toward W(t + SRTT) within a round trip, but no more than 1.5 times itself; where a Reno flow of its mean window would
 * be ahead (W_est, equation 4, alpha = 3 (1 - beta) / (1 + beta), 1 once past the window of before), that. A loss leaves
 * beta = 0.7 of the flight, and W_max below the old one falls further (fast convergence, section 4.7). After a timeout,
 * or a slow start that ended without a loss, K = 0 and W_max is the window (sections 4.8, 4.10). A spurious timeout
 * restores all of it (section 4.9.1). Slow start is HyStart++'s (hystart.h), or HyStart's (hystart_linux.h).
 *
 * Here growth is for each segment acknowledged, as in Linux, where section 4.4 says for each ACK: with delayed ACKs the
 * window would stay behind W by half the way.
 */
#ifndef WI_NET_CONGESTION_CUBIC_H
#define WI_NET_CONGESTION_CUBIC_H

#include "net/congestion/hystart_linux.h"
#include "weir/math.h"

#define NET_CUBIC_C 0.4
#define NET_CUBIC_BETA 0.7
#define NET_CUBIC_ALPHA (3.0 * (1.0 - NET_CUBIC_BETA) / (1.0 + NET_CUBIC_BETA))

/* What a scenario asks for, in net_class.cc. */
typedef struct WEIR_OVERLAY net_cubic_params {
    bool friendly, fast_convergence;
    int hystart; /* NET_CUBIC_HYSTART_... */
} net_cubic_params;
enum { NET_CUBIC_HYSTART_OFF, NET_CUBIC_HYSTART_PLUS, NET_CUBIC_HYSTART_LINUX };

/* Of an epoch: from one reduction to the next. Windows in segments. */
typedef struct net_cubic_epoch {
    double w_max, k_s, w_est, prior; /* prior: the window before the reduction */
    weir_time start_ps;              /* 0: begins with the next ACK in congestion avoidance */
} net_cubic_epoch;

typedef struct net_cubic {
    net_cubic_epoch now, undo; /* undo: before a loss */
    weir_time seen_ps;         /* when the last ACK of new data came */
    double rest;               /* part of a byte that cwnd has not grown by yet */
    union {
        net_hystart hystart;
        net_hystart_linux linux_hystart;
    };
    uint32_t flat, reserved; /* the next epoch has K = 0 */
} net_cubic;

enum { net_cubic_traits = 0 };

WEIR_FN void net_cubic_init(net_cubic *s, net_tx *tx, const net_class *c)
{
    (void)tx;
    s->now.w_max = s->now.k_s = s->now.w_est = s->now.prior = 0.0;
    s->now.start_ps = 0;
    s->undo = s->now;
    s->seen_ps = 0;
    s->rest = 0.0;
    s->flat = s->reserved = 0;
    if (NET_CC_PARAMS(cubic, c)->hystart == NET_CUBIC_HYSTART_LINUX)
        net_hystart_linux_init(&s->linux_hystart);
    else
        net_hystart_init(&s->hystart, NET_CC_PARAMS(cubic, c)->hystart != NET_CUBIC_HYSTART_OFF);
}

/* Equation 1, of t in seconds since the epoch began. */
WEIR_FN double net_cubic_window(const net_cubic_epoch *e, double t_s)
{
    const double d = t_s - e->k_s;
    return NET_CUBIC_C * d * d * d + e->w_max;
}

/* Begin an epoch at a window of cwnd segments. */
WEIR_FN void net_cubic_begin(net_cubic *s, weir_time now_ps, double cwnd)
{
    s->now.start_ps = now_ps;
    s->now.w_est = cwnd;
    if (s->flat || cwnd >= s->now.w_max) {
        s->now.w_max = cwnd;
        s->now.k_s = 0.0;
    } else {
        s->now.k_s = weir_cbrt((s->now.w_max - cwnd) / NET_CUBIC_C);
    }
    s->flat = 0;
}

/* The window, in segments, that `segments` newly acknowledged make of `cwnd`. */
WEIR_FN double net_cubic_next(net_cubic *s, const net_class *c, double cwnd, double segments,
                              weir_time now_ps, weir_time srtt_ps)
{
    const double t_s = 1e-12 * (double)(now_ps - s->now.start_ps), rtt_s = 1e-12 * (double)srtt_ps;
    s->now.w_est += (s->now.w_est < s->now.prior ? NET_CUBIC_ALPHA : 1.0) * segments / cwnd;
    if (NET_CC_PARAMS(cubic, c)->friendly && net_cubic_window(&s->now, t_s) < s->now.w_est)
        return s->now.w_est > cwnd ? s->now.w_est : cwnd;
    double target = net_cubic_window(&s->now, t_s + rtt_s);
    target = target < cwnd ? cwnd : target > 1.5 * cwnd ? 1.5 * cwnd : target;
    return cwnd + (target - cwnd) / cwnd * segments;
}

/* Time in which the application leaves the window unused is no part of t (section 5.8). Other ACKs that do
 * not open the window echo a mark, or are of a recovery. */
WEIR_FN void net_cubic_pass(net_cubic *s, const net_tx *tx, const net_cc_event *e)
{
    if (e->acked == 0)
        return;
    if (!e->grows && !e->echo && tx->state == NET_TX_OPEN && s->now.start_ps)
        s->now.start_ps += e->now_ps - s->seen_ps;
    s->seen_ps = e->now_ps;
}

WEIR_FN void net_cubic_on_ack(net_cubic *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const bool as_linux = NET_CC_PARAMS(cubic, c)->hystart == NET_CUBIC_HYSTART_LINUX;
    if (as_linux && e->rtt_ps > 0 && (s->now.start_ps == 0 || e->now_ps - s->now.start_ps >= WEIR_PS_PER_S))
        net_hystart_linux_sample(&s->linux_hystart, tx, c, e);
    net_cubic_pass(s, tx, e);
    if (!e->grows)
        return;
    if (tx->cwnd < tx->ssthresh) {
        if (as_linux)
            tx->cwnd += net_cc_opens(e);
        else
            net_hystart_grow(&s->hystart, tx, c, e);
        return;
    }
    const double mss = (double)c->mss_bytes, cwnd = ((double)tx->cwnd + s->rest) / mss;
    if (s->now.start_ps == 0)
        net_cubic_begin(s, e->now_ps, cwnd);
    if (tx->cwnd >= c->window_bytes) /* the receiver's window is full: nothing to grow for */
        return;
    const double segments = (double)net_cc_opens(e) / mss;
    const double bytes = net_cubic_next(s, c, cwnd, segments, e->now_ps, tx->srtt_ps) * mss;
    const double most = (double)c->window_bytes;
    const uint32_t whole = (uint32_t)(bytes < most ? bytes : most);
    s->rest = bytes < most ? bytes - (double)whole : 0.0;
    tx->cwnd = whole;
}

WEIR_FN uint32_t net_cubic_on_loss(net_cubic *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const double cwnd = (double)tx->cwnd / (double)c->mss_bytes;
    if (e->sign != NET_CC_MARKED)
        s->undo = s->now;
    s->now.w_max = cwnd < s->now.w_max && NET_CC_PARAMS(cubic, c)->fast_convergence
                       ? cwnd * (1.0 + NET_CUBIC_BETA) / 2.0
                       : cwnd;
    s->now.prior = cwnd;
    s->now.start_ps = 0;
    s->rest = 0.0;
    s->flat = e->sign == NET_CC_TIMEOUT;
    if (NET_CC_PARAMS(cubic, c)->hystart != NET_CUBIC_HYSTART_LINUX)
        s->hystart.phase = NET_HYSTART_OFF;
    else if (e->sign == NET_CC_TIMEOUT)
        net_hystart_linux_init(&s->linux_hystart);
    const uint32_t left = (uint32_t)(NET_CUBIC_BETA * (double)e->flight), least = 2u * c->mss_bytes;
    return left > least ? left : least;
}

WEIR_FN void net_cubic_on_undo(net_cubic *s, net_tx *tx, const net_class *c)
{
    (void)tx, (void)c;
    s->now = s->undo;
    s->flat = 0;
}

WEIR_FN void net_cubic_on_idle(net_cubic *s, net_tx *tx, const net_class *c, weir_time now_ps,
                               weir_time idle_ps)
{
    (void)tx, (void)c;
    /* The same of time without anything to send; an epoch may begin in it. */
    if (s->now.start_ps)
        s->now.start_ps = s->now.start_ps + idle_ps < now_ps ? s->now.start_ps + idle_ps : now_ps;
    s->seen_ps = now_ps;
}

NET_CC_NO_PACE(cubic)

/* Its times, moved on. */
WEIR_FN void net_cubic_move(net_cubic *s, const net_class *c, weir_time by_ps)
{
    net_cc_move(&s->now.start_ps, by_ps);
    net_cc_move(&s->undo.start_ps, by_ps);
    net_cc_move(&s->seen_ps, by_ps);
    if (NET_CC_PARAMS(cubic, c)->hystart == NET_CUBIC_HYSTART_LINUX) {
        s->linux_hystart.round_start += (uint32_t)((uint64_t)by_ps >> 16);
        s->linux_hystart.last_ack += (uint32_t)((uint64_t)by_ps >> 16);
    }
}

#endif
