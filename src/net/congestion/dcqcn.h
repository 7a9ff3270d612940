/*
 * DCQCN: Y. Zhu and others, "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3. A flow has a rate
 * from its first packet on, that of its line. A congestion notification (CNP), at most one in cnp_interval, does
 *
 *     R_T <- R_C,  R_C <- R_C (1 - alpha / 2),  alpha <- (1 - g) alpha + g          (equation 1; algorithm 1)
 *
 * and after each alpha_timer without one alpha <- (1 - g) alpha (equation 2). Every rate_timer, and every byte_counter bytes,
 * since the last CNP the rate grows (equations 3 and 4). With T and BC the numbers of these,
 *
 *     max(T, BC) < F:   fast recovery                                              F = fast_recovery, 5
 *     min(T, BC) > F:   R_T <- R_T + (min(T, BC) - F) hai_rate   hyper increase, as QCN has it
 *     otherwise:        R_T <- R_T + ai_rate                     additive increase
 *     and in each       R_C <- (R_T + R_C) / 2
 *
 * Without a byte counter the timer tells alone: one round of additive increase, then R_T <- R_T + hai_rate in each, as NICs of
 * Mellanox and ns-3's RDMA fork (rdma-hw.cc) have it.
 *
 * Marks come back in ACKs, each as it is (RFC 8257, section 3.2), and the interval between two CNPs is kept where they come:
 * the notification point's rule, half a round trip later. Timers stop while the host is paused, and are
 * brought up to date as ACKs come and packets go. Before the first ACK a flow sends its initial window. Bytes are counted as they are acknowledged. What a network loses is
 * mended as the class's recovery does (go-back-N: transport/rdma.h), at the rate that the flow has. No flow has less than min_rate.
 * It must be so large that marked packets come more often than the timer's F rounds: else a flow recovers between two CNPs, and
 * many of them never drain a long queue.
 */
#ifndef WI_NET_CONGESTION_DCQCN_H
#define WI_NET_CONGESTION_DCQCN_H

#include "net/flow/congestion_event.h"

enum { NET_DCQCN_CATCH_UP = 20000 };

typedef struct WEIR_OVERLAY net_dcqcn_params {
    uint64_t line_bps, ai_bps, hai_bps; /* line_bps 0: filled in as the network is built */
    uint64_t byte_counter;              /* 0: none */
    weir_time cnp_ps, alpha_ps, timer_ps;
    double gain;
    uint64_t least_bps;
    uint32_t fast_recovery;
    bool clamp_target;
    uint8_t reserved[3];
} net_dcqcn_params;

typedef struct net_dcqcn {
    double current, target, alpha; /* bit/s */
    weir_time cnp_ps;              /* when the last came; negative: none has */
    weir_time alpha_ps, timer_ps;  /* when these are due */
    uint64_t bytes;                /* of the byte counter's present round */
    uint32_t timers, counters;     /* T and BC */
} net_dcqcn;

enum { net_dcqcn_traits = NET_CLASS_PACED | NET_CLASS_ECHO | NET_CLASS_OWN };

WEIR_FN void net_dcqcn_init(net_dcqcn *s, net_tx *tx, const net_class *c)
{
    s->current = s->target = (double)NET_CC_PARAMS(dcqcn, c)->line_bps;
    s->alpha = 1.0;
    s->cnp_ps = -1;
    s->alpha_ps = s->timer_ps = 0;
    s->bytes = 0;
    s->timers = s->counters = 0;
    tx->ssthresh = c->window_bytes;
}

/* A round of the timer or of the byte counter is over, and counted. */
WEIR_FN void net_dcqcn_grow(net_dcqcn *s, const net_dcqcn_params *a)
{
    const uint32_t low = s->timers < s->counters || !a->byte_counter ? s->timers : s->counters,
                   high = s->timers < s->counters ? s->counters : s->timers, f = a->fast_recovery;
    if (low > f)
        s->target += (double)(a->byte_counter ? low - f : 1) * (double)a->hai_bps;
    else if (high >= f)
        s->target += (double)a->ai_bps;
    if (s->target > (double)a->line_bps)
        s->target = (double)a->line_bps;
    s->current = 0.5 * (s->current + s->target);
}

/* Timers that have been due since the last ACK; after a pause so long that the rate is that of the line again, no more. */
WEIR_FN void net_dcqcn_catch_up(net_dcqcn *s, const net_dcqcn_params *a, weir_time now_ps)
{
    for (uint32_t i = 0; s->alpha_ps <= now_ps && i < NET_DCQCN_CATCH_UP; i++) {
        s->alpha *= 1.0 - a->gain;
        s->alpha_ps += a->alpha_ps;
    }
    for (uint32_t i = 0; s->timer_ps <= now_ps && i < NET_DCQCN_CATCH_UP; i++) {
        s->timers++;
        net_dcqcn_grow(s, a);
        s->timer_ps += a->timer_ps;
    }
    s->alpha_ps = s->alpha_ps > now_ps ? s->alpha_ps : now_ps + a->alpha_ps;
    s->timer_ps = s->timer_ps > now_ps ? s->timer_ps : now_ps + a->timer_ps;
}

/* Cut the rate for a congestion notification. Without a clamp the target is that of before the first of several, as NICs have it. */
WEIR_FN void net_dcqcn_notified(net_dcqcn *s, const net_dcqcn_params *a, const net_cc_event *e)
{
    if (a->clamp_target || s->cnp_ps < 0 || s->timers || s->counters)
        s->target = s->current;
    s->current *= 1.0 - 0.5 * s->alpha;
    const double least_bps = (double)(a->least_bps < a->line_bps ? a->least_bps : a->line_bps);
    if (s->current < least_bps)
        s->current = least_bps;
    s->alpha = (1.0 - a->gain) * s->alpha + a->gain;
    s->cnp_ps = e->now_ps;
    s->alpha_ps = e->clock_ps + a->alpha_ps;
    s->timer_ps = e->clock_ps + a->timer_ps;
    s->bytes = 0;
    s->timers = s->counters = 0;
}

WEIR_FN void net_dcqcn_on_ack(net_dcqcn *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const net_dcqcn_params *a = NET_CC_PARAMS(dcqcn, c);
    tx->cwnd = c->window_bytes; /* after the initial window, and a timeout's: the rate is what counts */
    if (s->cnp_ps >= 0) {
        net_dcqcn_catch_up(s, a, e->clock_ps);
        for (s->bytes += e->acked; a->byte_counter && s->bytes >= a->byte_counter;
             s->bytes -= a->byte_counter) {
            s->counters++;
            net_dcqcn_grow(s, a);
        }
    }
    if (e->echo && (s->cnp_ps < 0 || e->now_ps - s->cnp_ps >= a->cnp_ps))
        net_dcqcn_notified(s, a, e);
}

NET_CC_NO_LOSS(dcqcn)
NET_CC_NO_UNDO(dcqcn)
NET_CC_NO_IDLE(dcqcn)

/*
 * The rate at which the next packet's bits become due, if no CNP comes before it: the timer goes on while a packet waits, so that
 * a flow that was cut to a low rate is not held by it for longer than the rate lasts.
 */
WEIR_FN uint64_t net_dcqcn_pace_bps(net_dcqcn *s, const net_tx *tx, const net_class *c, weir_time now_ps)
{
    (void)tx;
    const net_dcqcn_params *a = NET_CC_PARAMS(dcqcn, c);
    if (s->cnp_ps < 0)
        return (uint64_t)s->current;
    net_dcqcn_catch_up(s, a, now_ps);
    net_dcqcn ahead = *s;
    const double all = 8.0 * (double)(c->mss_bytes + NET_HEADER_TCP);
    double bits = all, gap_s = 0.0, wait_s = (double)(ahead.timer_ps - now_ps) * 1e-12;
    for (uint32_t i = 0; i < NET_DCQCN_CATCH_UP && ahead.current * wait_s < bits; i++) {
        bits -= ahead.current * wait_s;
        gap_s += wait_s;
        ahead.timers++;
        net_dcqcn_grow(&ahead, a);
        wait_s = (double)a->timer_ps * 1e-12;
    }
    return gap_s > 0.0 ? (uint64_t)(all / (gap_s + bits / ahead.current)) : (uint64_t)s->current;
}

/* Its times, moved on. */
WEIR_FN void net_dcqcn_move(net_dcqcn *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    if (s->cnp_ps < 0)
        return;
    s->cnp_ps += by_ps;
    s->alpha_ps += by_ps;
    s->timer_ps += by_ps;
}

#endif
