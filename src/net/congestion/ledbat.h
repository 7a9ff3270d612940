/*
 * LEDBAT, for traffic that yields to all other: RFC 6817, section 2.4.2.
 *
 *     off_target = (TARGET - queuing delay) / TARGET
 *     cwnd      += GAIN off_target acked MSS / cwnd      GAIN = 1; at most a segment above the flight, two at least
 *
 * The queuing delay is the least of the last four samples (CURRENT_FILTER) over the least of the last ten minutes
 * (BASE_HISTORY). Samples are round trips here where the RFC has one-way delays: what queues on the way back counts too.
 * A loss halves the window. Slow start goes on until three quarters of the target are queued, and ends with the window of a round
 * trip ago, whose queue that is. (It may fall by a segment a round trip alone: libutp and ns-3, which keep all of it, are
 * above the target for minutes.) The RFC has none (`slow_start: false`).
 */
#ifndef WI_NET_CONGESTION_LEDBAT_H
#define WI_NET_CONGESTION_LEDBAT_H

#include "net/congestion/aimd.h"

enum { NET_LEDBAT_BASE = 10, NET_LEDBAT_CURRENT = 4 };

typedef struct WEIR_OVERLAY net_ledbat_params {
    weir_time target_ps;
    bool slow_start;
} net_ledbat_params;

typedef struct net_ledbat {
    uint32_t base[NET_LEDBAT_BASE]; /* least sample of each of the last minutes, in units of 2^16 ps */
    uint32_t current[NET_LEDBAT_CURRENT];
    double rest;
    uint32_t minute, n; /* of the simulation; samples so far, at most NET_LEDBAT_CURRENT */
} net_ledbat;

enum { net_ledbat_traits = 0 };

WEIR_FN void net_ledbat_init(net_ledbat *s, net_tx *tx, const net_class *c)
{
    for (uint32_t i = 0; i < NET_LEDBAT_BASE; i++)
        s->base[i] = UINT32_MAX;
    for (uint32_t i = 0; i < NET_LEDBAT_CURRENT; i++)
        s->current[i] = UINT32_MAX;
    s->rest = 0.0;
    s->minute = s->n = 0;
    if (!NET_CC_PARAMS(ledbat, c)->slow_start)
        tx->ssthresh = 2u * c->mss_bytes;
}

/* A sample joins the filters; the bin of a minute that begins is empty. */
WEIR_FN void net_ledbat_sample(net_ledbat *s, weir_time now_ps, weir_time rtt_ps)
{
    const uint32_t rtt = (uint32_t)((uint64_t)rtt_ps >> 16),
                   minute = (uint32_t)(now_ps / (60 * WEIR_PS_PER_S));
    const uint32_t passed = minute - s->minute < NET_LEDBAT_BASE ? minute - s->minute : NET_LEDBAT_BASE;
    for (uint32_t i = 1; i <= passed; i++)
        s->base[(s->minute + i) % NET_LEDBAT_BASE] = UINT32_MAX;
    s->minute = minute;
    if (rtt < s->base[minute % NET_LEDBAT_BASE])
        s->base[minute % NET_LEDBAT_BASE] = rtt;
    s->current[s->n++ % NET_LEDBAT_CURRENT] = rtt;
}

/* The least of n samples. */
WEIR_FN uint32_t net_ledbat_least(const uint32_t *of, uint32_t n)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        least = of[i] < least ? of[i] : least;
    return least;
}

/* The queuing delay, by the filters. */
WEIR_FN weir_time net_ledbat_queueing_ps(const net_ledbat *s)
{
    const uint32_t base = net_ledbat_least(s->base, NET_LEDBAT_BASE);
    return (weir_time)(net_ledbat_least(s->current, NET_LEDBAT_CURRENT) - base) << 16;
}

WEIR_FN void net_ledbat_on_ack(net_ledbat *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    if (e->rtt_ps > 0)
        net_ledbat_sample(s, e->now_ps, e->rtt_ps);
    if (!e->grows || s->n == 0)
        return;
    const double target = (double)NET_CC_PARAMS(ledbat, c)->target_ps,
                 queued = (double)net_ledbat_queueing_ps(s);
    if (tx->cwnd < tx->ssthresh) {
        if (queued < 0.75 * target) {
            net_aimd_slow_start(tx, c, net_cc_opens(e));
            return;
        }
        tx->cwnd = tx->cwnd > 4u * c->mss_bytes ? tx->cwnd / 2u : 2u * c->mss_bytes;
        tx->ssthresh = tx->cwnd;
    }
    const double mss = (double)c->mss_bytes, flight = (double)(tx->nxt - tx->una + e->acked);
    double cwnd = (double)tx->cwnd + s->rest;
    cwnd += (target - queued) / target * (double)e->acked * mss / cwnd;
    if (cwnd > flight + mss && cwnd > (double)tx->cwnd)
        cwnd = (double)tx->cwnd > flight + mss ? (double)tx->cwnd : flight + mss;
    if (cwnd < 2.0 * mss)
        cwnd = 2.0 * mss;
    tx->cwnd = (uint32_t)cwnd;
    tx->ssthresh = tx->cwnd < tx->ssthresh ? tx->cwnd : tx->ssthresh; /* slow start is over */
    s->rest = cwnd - (double)tx->cwnd;
}

WEIR_FN uint32_t net_ledbat_on_loss(net_ledbat *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)e;
    s->rest = 0.0;
    return net_aimd_half(c, tx->cwnd);
}

NET_CC_NO_UNDO(ledbat)
NET_CC_NO_IDLE(ledbat)
NET_CC_NO_TIMES(ledbat) /* minutes go on by the clock */
NET_CC_NO_PACE(ledbat)

#endif
