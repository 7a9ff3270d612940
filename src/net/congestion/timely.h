/*
 * TIMELY: R. Mittal and others, "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1. A flow has a
 * rate. With the round trip of each completion, that of the ACK that ends a segment of `segment` bytes,
 *
 *     gradient <- (1 - alpha) gradient + alpha (RTT - RTT') / T      T the base round trip
 *     RTT < t_low:       R <- R + ai_rate
 *     RTT > t_high:      R <- R (1 - beta (1 - t_high / RTT))
 *     gradient <= 0:     R <- R + N ai_rate       N = 5 from the fifth such completion on, otherwise 1 (hyperactive increase)
 *     otherwise:         R <- R (1 - beta gradient)
 *
 * Completions of a flow are at least T apart, as Zhu, Ghobadi, Misra and Padhye have them (ECN or Delay, CoNEXT 2016, equation 23);
 * they also show that shares have no fixed point: flows that begin unequal stay so. A flow begins at the line's rate. Left out:
 * the paper's start at 1 / (n + 1) of the line beside n flows of the host. What is lost is mended as the class's recovery does, at the rate that the
 * flow has; before the first ACK a flow sends its initial window.
 */
#ifndef WI_NET_CONGESTION_TIMELY_H
#define WI_NET_CONGESTION_TIMELY_H

#include "net/flow/line_window.h"

enum { NET_TIMELY_HYPER = 5 };

typedef struct WEIR_OVERLAY net_timely_params {
    net_line_params line;
    uint64_t ai_bps, least_bps, segment;
    weir_time low_ps, high_ps;
    double alpha, beta;
} net_timely_params;

typedef struct net_timely {
    double rate, gradient;     /* bit/s; of T */
    weir_time rtt_ps, done_ps; /* of the last completion; 0: none yet */
    uint64_t bytes;            /* delivered since, beyond a hole too */
    uint32_t falls, reserved;  /* completions in turn without a rising round trip */
} net_timely;

enum { net_timely_traits = NET_CLASS_PACED | NET_CLASS_OWN | NET_CLASS_LINE | NET_CLASS_RATE };

WEIR_FN void net_timely_init(net_timely *s, net_tx *tx, const net_class *c)
{
    s->rate = (double)NET_CC_PARAMS(timely, c)->line.line_bps;
    s->gradient = 0.0;
    s->rtt_ps = s->done_ps = 0;
    s->bytes = 0;
    s->falls = s->reserved = 0;
    tx->ssthresh = c->window_bytes;
}

/* The rate after a completion. */
WEIR_FN double net_timely_next(net_timely *s, const net_timely_params *a, weir_time rtt_ps)
{
    const double diff = (double)(rtt_ps - s->rtt_ps) / (double)a->line.base_ps;
    s->gradient = (1.0 - a->alpha) * s->gradient + a->alpha * diff;
    s->falls = s->gradient <= 0.0 && rtt_ps >= a->low_ps && rtt_ps <= a->high_ps ? s->falls + 1u : 0;
    if (rtt_ps < a->low_ps)
        return s->rate + (double)a->ai_bps;
    if (rtt_ps > a->high_ps)
        return s->rate * (1.0 - a->beta * (1.0 - (double)a->high_ps / (double)rtt_ps));
    if (s->gradient <= 0.0)
        return s->rate + (s->falls >= NET_TIMELY_HYPER ? (double)NET_TIMELY_HYPER : 1.0) * (double)a->ai_bps;
    return s->rate * (1.0 - a->beta * s->gradient);
}

WEIR_FN void net_timely_on_ack(net_timely *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const net_timely_params *a = NET_CC_PARAMS(timely, c);
    tx->cwnd = c->window_bytes; /* after the initial window, and a timeout's: the rate is what counts */
    const weir_time rtt_ps = e->now_ps - e->sent_ps;
    s->bytes += e->delivered;
    if (rtt_ps <= 0 || s->bytes < a->segment || e->now_ps - s->done_ps < a->line.base_ps)
        return;
    if (s->done_ps > 0) {
        const double next = net_timely_next(s, a, rtt_ps), line = (double)a->line.line_bps,
                     asked = (double)a->least_bps, least = asked < line ? asked : line;
        s->rate = next < least ? least : next < line ? next : line;
    }
    s->rtt_ps = rtt_ps;
    s->done_ps = e->now_ps;
    s->bytes = 0;
}

NET_CC_NO_LOSS(timely)
NET_CC_NO_UNDO(timely)
NET_CC_NO_IDLE(timely)

WEIR_FN uint64_t net_timely_pace_bps(const net_timely *s, const net_tx *tx, const net_class *c,
                                     weir_time clock_ps)
{
    (void)tx, (void)c, (void)clock_ps;
    return (uint64_t)s->rate;
}

/* Its times, moved on. */
WEIR_FN void net_timely_move(net_timely *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    net_cc_move(&s->done_ps, by_ps);
}

#endif
