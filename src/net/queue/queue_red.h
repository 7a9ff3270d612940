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
#ifndef WI_NET_QUEUE_QUEUE_RED_H
#define WI_NET_QUEUE_QUEUE_RED_H

#include <math.h>

#include "net/packet/queue.h"
#include "weir/math.h"

enum { NET_RED_UNIFORM, NET_RED_BERNOULLI, NET_RED_WAIT };

/* p_b for an average; 1 means that every packet is dropped. */
WEIR_FN double net_red_probability(const net_queue *q, double average)
{
    if (average < q->min)
        return 0.0;
    if (average < q->max)
        return q->max_p * (average - q->min) / (q->max - q->min);
    if (q->gentle && average < 2.0 * q->max)
        return q->max_p + (1.0 - q->max_p) * (average - q->max) / q->max;
    return 1.0;
}

/* The chance of dropping this arrival, given how many were spared since the last drop. */
WEIR_FN double net_red_spread(const net_queue *q, double p_b, int32_t count)
{
    const double spared = (double)count * p_b;
    if (q->mode == NET_RED_UNIFORM)
        return spared < 1.0 ? p_b / (1.0 - spared) : 1.0;
    if (q->mode == NET_RED_WAIT)
        return spared < 1.0 ? 0.0 : spared < 2.0 ? p_b / (2.0 - spared) : 1.0;
    return p_b;
}

WEIR_FN double net_red_average(const net_queue *q, double average, const net_arrival *a)
{
    if (a->backlog_ps == 0) {
        const double idle_bytes = (double)(a->now_ps - a->idle_since_ps) * q->bytes_per_ps;
        if (idle_bytes > 0.0)
            average *= weir_pow(1.0 - q->weight, idle_bytes / q->mean_packet_bytes);
    }
    const double queue = q->in_packets ? (double)a->backlog_packets : net_backlog_bytes(q, a);
    return average + q->weight * (queue - average);
}

WEIR_FN enum net_verdict net_red_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                        weir_stream *random)
{
    state->average = net_red_average(q, state->average, a);
    if (net_queue_is_full(q, a)) {
        state->count = 0;
        return NET_DROP_LIMIT;
    }
    const double p_b = net_red_probability(q, state->average);
    if (p_b <= 0.0) {
        state->count = -1;
        return NET_ACCEPT;
    }
    state->count++;
    const double p = net_red_spread(q, p_b, state->count);
    if (p < 1.0 && weir_draw_unit(random) >= p)
        return NET_ACCEPT;
    state->count = 0;
    /* RFC 3168, section 7: mark where RED would drop early; above the upper threshold drop all the same. */
    if (q->ecn && a->ecn_capable && p_b < 1.0)
        return NET_MARK;
    return NET_DROP_EARLY;
}

/* What a scenario gives; with in_packets, thresholds are divided by the mean packet. */
typedef struct net_red_asked {
    uint64_t min_bytes, max_bytes;
    double max_p, weight;
    uint32_t mean_packet_bytes;
    int mode, in_packets;
    bool gentle, ecn;
} net_red_asked;

static inline void net_red_resolve(const void *asked, net_queue *q)
{
    const net_red_asked *a = (const net_red_asked *)asked;
    const double unit = a->in_packets ? (double)a->mean_packet_bytes : 1.0;
    q->min = (double)a->min_bytes / unit;
    q->max = (double)a->max_bytes / unit;
    q->max_p = a->max_p;
    q->weight = a->weight;
    if (a->mean_packet_bytes)
        q->mean_packet_bytes = (double)a->mean_packet_bytes;
    q->gentle = a->gentle;
    q->mode = (uint8_t)a->mode;
    q->ecn = a->ecn;
    q->in_packets = a->in_packets != 0;
    q->counts_packets |= q->in_packets;
}

#ifdef WI_QUEUE_WORDS
static const wi_word net_red_mode[] = {
    {"uniform", NET_RED_UNIFORM,
     "drops spread evenly by the count since the last, as Floyd and Jacobson have it"},
    {"bernoulli", NET_RED_BERNOULLI, "each packet on its own, as the fluid model has it"},
    {"wait", NET_RED_WAIT, "as uniform, but at least 1/p packets after the last drop; ns-3's default"},
};
static const wi_word net_red_average_of[] = {
    {"bytes", 0, NULL},
    {"packets", 1, NULL},
};
static const wi_words net_red_modes = {net_red_mode, 3}, net_red_averages = {net_red_average_of, 2};

static const wi_key net_red_keys[] = {
    {.name = "min",
     .kind = &wi_kind_size,
     .offset = offsetof(net_red_asked, min_bytes),
     .above = "0B",
     .also = "min_th minth",
     .required = true,
     .doc = "average from which on packets are dropped or marked"},
    {.name = "max",
     .kind = &wi_kind_size,
     .offset = offsetof(net_red_asked, max_bytes),
     .above = "0B",
     .also = "max_th maxth",
     .required = true,
     .doc = "average at which the chance reaches `max_p`"},
    {.name = "max_p",
     .kind = &wi_kind_share,
     .offset = offsetof(net_red_asked, max_p),
     .fallback = "0.1",
     .above = "0",
     .also = "p_max pmax",
     .doc = "drop probability at `max`"},
    {.name = "w",
     .kind = &wi_kind_share,
     .offset = offsetof(net_red_asked, weight),
     .fallback = "0.002",
     .above = "0",
     .also = "weight w_q wq",
     .doc = "weight of a new packet in the average"},
    {.name = "gentle",
     .kind = &wi_kind_bool,
     .offset = offsetof(net_red_asked, gentle),
     .fallback = "true",
     .doc = "above `max` the probability rises to 1 at twice `max`, instead of at once"},
    {.name = "mode",
     .kind = &wi_kind_word,
     .offset = offsetof(net_red_asked, mode),
     .words = &net_red_modes,
     .fallback = "uniform",
     .doc = "how a probability becomes drops"},
    {.name = "ecn",
     .kind = &wi_kind_bool,
     .offset = offsetof(net_red_asked, ecn),
     .fallback = "false",
     .doc = "mark packets of ECN-capable flows instead of dropping them early"},
    {.name = "average",
     .kind = &wi_kind_word,
     .offset = offsetof(net_red_asked, in_packets),
     .words = &net_red_averages,
     .fallback = "bytes",
     .doc = "what the average counts; for packets, `min` and `max` are divided by `mean_packet`"},
    {.name = "mean_packet",
     .kind = &wi_kind_size32,
     .offset = offsetof(net_red_asked, mean_packet_bytes),
     .fallback = "1000B",
     .low = "1B",
     .high = "65535B",
     .doc = "packet size by which idle time and averages in packets are reckoned"},
};

static void net_red_check(wi_reader *r, const wi_node *node, const weir_scenario_queue *q)
{
    const net_red_asked *a = (const net_red_asked *)q->asked;
    if (a->min_bytes >= a->max_bytes)
        wi_complain(r, wi_place_of(node, "max"), "max is not above min");
    else if (q->limit_bytes && a->max_bytes > q->limit_bytes)
        wi_complain(r, wi_place_of(node, "max"), "max is above limit, so it can't be reached");
}

static void net_red_fluid(const net_queue *q, weir_fluid_queue *out)
{
    const double unit = q->in_packets ? q->mean_packet_bytes : 1.0;
    out->type = WEIR_FLUID_RED;
    out->min_bytes = q->min * unit;
    out->max_bytes = q->max * unit;
    out->max_p = q->max_p;
    out->weight = q->weight;
    out->mean_packet_bytes = (uint32_t)(q->mean_packet_bytes + 0.5);
    out->mode = q->mode == NET_RED_UNIFORM     ? WEIR_FLUID_RED_UNIFORM
                : q->mode == NET_RED_BERNOULLI ? WEIR_FLUID_RED_BERNOULLI
                                               : WEIR_FLUID_RED_WAIT;
    out->gentle = q->gentle;
    out->ecn = q->ecn;
}

static const wi_queue_kind net_red_words = {
    .section = {.name = "red",
                .keys = net_red_keys,
                .n_keys = sizeof net_red_keys / sizeof net_red_keys[0],
                .size = sizeof(net_red_asked)},
    .check = net_red_check,
    .fluid = net_red_fluid};
#endif

#endif
