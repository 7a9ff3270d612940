/*
 * PIE: a drop probability that a proportional-integral controller moves so that the queueing delay stays at a target.
 * R. Pan, P. Natarajan, F. Baker, G. White: Proportional Integral Controller Enhanced (PIE), RFC 8033, sections 4
 * and 5.
 *
 * Every `update`, with d the queueing delay, d' that of the update before,
 *
 *     p <- p + s (alpha (d - target) + beta (d - d'))
 *
 * where s is 1 from p = 0.1 on and falls with p to 1/2048 (section 4.2), the step is at most 0.02 from p = 0.1 on
 * (5.5), and p <- 0.98 p while the delay is zero. An arrival is dropped with p, unless a burst is allowed (4.4), the
 * delay was below half the target with p below 0.2, or no more than two packets are queued (4.1). With
 * `derandomize`, drops are kept apart: none until the sum of p since the last is 0.85, one at the latest at 8.5 (5.4).
 *
 * A FIFO's delay is known at all times, backlog / rate; so it is what section 4.2 estimates, and updates that were due
 * between two arrivals are made at the second, each with the delay of its own time.
 */
#pragma once

#include "net/packet/queue.h"

typedef struct WEIR_OVERLAY net_pie_params {
    weir_time target_ps, update_ps, burst_ps;
    double alpha, beta, mark_below;
    uint32_t mean_packet_bytes;
    bool derandomize, ecn;
} net_pie_params;

/* A port's state, in its pool's words. */
typedef struct net_pie {
    double p, sum; /* chance of a drop; of those since the last one */
    weir_time delay_ps, next_ps, burst_ps;
} net_pie;

/* What a step is multiplied by: small where p is small (RFC 8033, section 4.2). */
WEIR_FN double net_pie_scale(double p)
{
    return p < 0.000001  ? 1.0 / 2048.0
           : p < 0.00001 ? 1.0 / 512.0
           : p < 0.0001  ? 1.0 / 128.0
           : p < 0.001   ? 1.0 / 32.0
           : p < 0.01    ? 1.0 / 8.0
           : p < 0.1     ? 1.0 / 2.0
                         : 1.0;
}

/* Update the drop probability by a delay. */
WEIR_FN void net_pie_update(const net_pie_params *p, net_pie *s, weir_time delay_ps)
{
    double step = p->alpha * ((double)(delay_ps - p->target_ps) * 1e-12) +
                  p->beta * ((double)(delay_ps - s->delay_ps) * 1e-12);
    step *= net_pie_scale(s->p);
    if (s->p >= 0.1 && step > 0.02)
        step = 0.02;
    s->p += step;
    if (delay_ps == 0 && s->delay_ps == 0)
        s->p *= 0.98;
    s->p = s->p < 0.0 ? 0.0 : s->p > 1.0 ? 1.0 : s->p;
    s->burst_ps = s->burst_ps > p->update_ps ? s->burst_ps - p->update_ps : 0;
    if (s->p == 0.0 && delay_ps < p->target_ps / 2 && s->delay_ps < p->target_ps / 2)
        s->burst_ps = p->burst_ps;
    s->delay_ps = delay_ps;
}

/* The updates that were due since the last arrival. Once p is 0 and the queue empty, nothing moves any more. */
WEIR_FN void net_pie_catch_up(const net_pie_params *p, net_pie *s, const net_arrival *a)
{
    const weir_time update_ps = p->update_ps, busy_ps = a->idle_since_ps;
    for (; s->next_ps <= a->now_ps; s->next_ps += update_ps) {
        const bool rests = s->p == 0.0 && s->delay_ps == 0 && s->next_ps >= busy_ps;
        net_pie_update(p, s, busy_ps > s->next_ps ? busy_ps - s->next_ps : 0);
        if (rests) {
            s->next_ps += (a->now_ps - s->next_ps) / update_ps * update_ps + update_ps;
            return;
        }
    }
}

/* Whether a packet is safe from early drops. */
WEIR_FN bool net_pie_spares(const net_queue *q, net_pie *s, const net_arrival *a)
{
    return s->burst_ps > 0 || (s->delay_ps < NET_QUEUE_PARAMS(pie, q)->target_ps / 2 && s->p < 0.2) ||
           net_backlog_bytes(q, a) <= 2.0 * q->mean_packet_bytes;
}

/* Whether a packet is dropped, or marked, by chance. */
WEIR_FN bool net_pie_drops(const net_pie_params *p, net_pie *s, weir_stream *random)
{
    if (p->derandomize) {
        s->sum = s->p == 0.0 ? 0.0 : s->sum + s->p;
        if (s->sum < 0.85)
            return false;
        if (s->sum >= 8.5) {
            s->sum = 0.0;
            return true;
        }
    }
    if (s->p == 0.0 || weir_draw_unit(random) >= s->p)
        return false;
    s->sum = 0.0;
    return true;
}

WEIR_FN enum net_verdict net_pie_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                        weir_stream *random)
{
    (void)state;
    const net_pie_params *const p = NET_QUEUE_PARAMS(pie, q);
    net_pie *s = (net_pie *)(void *)a->own;
    net_pie_catch_up(p, s, a);
    if (net_queue_is_full(q, a)) {
        s->sum = 0.0;
        return NET_DROP_LIMIT;
    }
    if (net_pie_spares(q, s, a) || !net_pie_drops(p, s, random))
        return NET_ACCEPT;
    return p->ecn && a->ecn_capable && s->p < p->mark_below ? NET_MARK : NET_DROP_EARLY;
}

static inline void net_pie_resolve(net_queue *q)
{
    q->mean_packet_bytes = NET_QUEUE_PARAMS(pie, q)->mean_packet_bytes;
    q->ecn = NET_QUEUE_PARAMS(pie, q)->ecn;
    q->own_words = sizeof(net_pie) / 8;
}
