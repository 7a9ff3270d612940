/*
 * Random early detection. S. Floyd, V. Jacobson: Random Early Detection Gateways for Congestion Avoidance,
 * IEEE/ACM ToN 1(4), 1993; `gentle` as Floyd recommended in 2000; marking as RFC 3168 allows.
 *
 * At each arrival the average moves, avg <- avg + w (q - avg); after an idle time it decays first as if m
 * small packets had arrived to an empty queue, m = idle time / transmission time of a mean packet. The early
 * probability p_b rises from 0 at min to max_p at max, and with `gentle` on to 1 at 2 max; above that
 * everything is dropped.
 *
 * How p_b becomes drops:
 *   bernoulli   each arrival alone, with p_b: on average every 1/p_b arrivals
 *   uniform     p_a = p_b / (1 - count p_b), the paper's section 4 (method 2): gaps are uniform on 1 .. 1/p_b,
 *               with a mean of about 1/(2 p_b), so that the effective rate is about 2 p_b
 *   wait        no drop while count p_b < 1, then p_b / (2 - count p_b): gaps are between 1/p_b and 2/p_b,
 *               ns-2's and ns-3's "wait"; the effective rate is about 2/3 p_b
 */
#pragma once

#include <math.h>

#include "net/packet/queue.h"
#include "weir/math.h"

enum { NET_RED_UNIFORM, NET_RED_BERNOULLI, NET_RED_WAIT };
enum { NET_RED_DROPS, NET_RED_MARKS, NET_RED_MARKS_ALONE };

typedef struct WEIR_OVERLAY net_red_params {
    double min, max; /* bytes; with in_packets mean packets, once resolved */
    double max_p, weight;
    uint32_t mean_packet_bytes;
    int mode, in_packets;
    int ecn; /* NET_RED_DROPS ... */
    bool gentle;
} net_red_params;

/* p_b for an average; 1 means that every packet is dropped. */
WEIR_FN double net_red_probability(const net_red_params *p, double average)
{
    if (average < p->min)
        return 0.0;
    if (average < p->max)
        return p->max_p * (average - p->min) / (p->max - p->min);
    if (p->gentle && average < 2.0 * p->max)
        return p->max_p + (1.0 - p->max_p) * (average - p->max) / p->max;
    return 1.0;
}

/* The chance of dropping this arrival, given how many were spared since the last drop. */
WEIR_FN double net_red_spread(const net_red_params *p, double p_b, int32_t count)
{
    const double spared = (double)count * p_b;
    if (p->mode == NET_RED_UNIFORM)
        return spared < 1.0 ? p_b / (1.0 - spared) : 1.0;
    if (p->mode == NET_RED_WAIT)
        return spared < 1.0 ? 0.0 : spared < 2.0 ? p_b / (2.0 - spared) : 1.0;
    return p_b;
}

/* The average queue as a packet arrives. */
WEIR_FN double net_red_average(const net_queue *q, double average, const net_arrival *a)
{
    const net_red_params *const p = NET_QUEUE_PARAMS(red, q);
    if (a->backlog_ps == 0) {
        const double idle_bytes = (double)(a->now_ps - a->idle_since_ps) * q->bytes_per_ps;
        if (idle_bytes > 0.0)
            average *= weir_pow(1.0 - p->weight, idle_bytes / q->mean_packet_bytes);
    }
    const double queue = p->in_packets ? (double)a->backlog_packets : net_backlog_bytes(q, a);
    return average + p->weight * (queue - average);
}

WEIR_FN enum net_verdict net_red_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                        weir_stream *random)
{
    const net_red_params *const red = NET_QUEUE_PARAMS(red, q);
    state->average = net_red_average(q, state->average, a);
    if (net_queue_is_full(q, a)) {
        state->count = 0;
        return NET_DROP_LIMIT;
    }
    const double p_b = net_red_probability(red, state->average);
    if (p_b <= 0.0) {
        state->count = -1;
        return NET_ACCEPT;
    }
    state->count++;
    const double p = net_red_spread(red, p_b, state->count);
    if (p < 1.0 && weir_draw_unit(random) >= p)
        return NET_ACCEPT;
    state->count = 0;
    /* RFC 3168, section 7: mark where RED would drop early; above the upper threshold drop all the same. Switches for RDMA mark all
     * there, and drop nothing early. */
    if (red->ecn && a->ecn_capable && (p_b < 1.0 || red->ecn == NET_RED_MARKS_ALONE))
        return NET_MARK;
    return red->ecn == NET_RED_MARKS_ALONE ? NET_ACCEPT : NET_DROP_EARLY;
}

static inline void net_red_resolve(net_queue *q)
{
    net_red_params *const p = (net_red_params *)(void *)q->params.own;
    if (p->mean_packet_bytes)
        q->mean_packet_bytes = (double)p->mean_packet_bytes;
    if (p->in_packets) {
        p->min /= (double)p->mean_packet_bytes;
        p->max /= (double)p->mean_packet_bytes;
        q->counts_packets = 1;
    }
    q->ecn = p->ecn != NET_RED_DROPS;
}
