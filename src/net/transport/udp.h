/*
 * UDP senders: packets of constant or random size at a constant rate, as a Poisson process, or in on and off
 * periods, or those of a trace, each at its time. Gaps keep the rate in bits: a packet of s bytes is followed
 * by a gap of s / rate (Poisson: exponential with the mean packet's gap as its mean, so that arrivals do not
 * depend on sizes, as M/M/1 wants). Gaps are whole picoseconds, and what that makes of the rate is warned of
 * (src/network/traffic.c). Bursts count their gaps in on time, over pauses, so that the rate in the long run
 * is that of on and off times, however short they are.
 *
 * Where a flow's rate changes (NET_CLASS_VARIES), what is left of the gap passes at the new rate: the time of
 * the next packet is that at which the integral of the rate has reached what the gap was drawn for, so that
 * Poisson processes stay so. A rate of 0 keeps what is left.
 */
#ifndef WI_NET_TRANSPORT_UDP_H
#define WI_NET_TRANSPORT_UDP_H

#include "net/transport/receiver.h"

#define NET_GAP_MAX_PS (WEIR_PS_PER_S * 1000000) /* of bursts and pauses */

/* When a gap ends that begins at `from_ps`; one that leads past the last time there is ends there. */
WEIR_FN weir_time net_gap_end(weir_time from_ps, double gap_ps)
{
    return from_ps + weir_round_clamped(gap_ps, 1, WEIR_TIME_MAX - 1 - from_ps);
}

enum { NET_UDP_CBR, NET_UDP_POISSON, NET_UDP_ONOFF, NET_UDP_TRACE };
enum { NET_UDP_PAUSES = 1000 }; /* between two packets of a burst, at most */

/* When the gap behind a packet ends. */
WEIR_FN weir_time net_udp_gap(const net_tx *tx, const net_class *c, uint32_t bytes, weir_time from_ps,
                              weir_stream *random)
{
    const double gap_ps = 8e12 * (double)bytes / (double)tx->left;
    if (c->udp_pattern == NET_UDP_POISSON) {
        const double mean_ps = 8e12 * c->udp_mean_bytes / (double)tx->left;
        return net_gap_end(from_ps, -mean_ps * weir_log(weir_draw_unit_open(random)));
    }
    if (c->jitter > 0.0)
        return net_gap_end(from_ps, gap_ps * (1.0 + c->jitter * (2.0 * weir_draw_unit(random) - 1.0)));
    return net_gap_end(from_ps, gap_ps);
}

/*
 * When the next packet of a burst goes, with the pauses before it. `next_ps` is on time, counted from now on:
 * where the burst ends before that, what is missing comes out of the next burst, or of several where bursts
 * are shorter than gaps. Beyond NET_UDP_PAUSES of them a packet goes all the same.
 */
WEIR_FN weir_time net_udp_pause(weir_ctx *ctx, net_tx *tx, const net_class *c, weir_time next_ps,
                                weir_stream *random)
{
    const weir_time far_ps = net_gap_end(weir_now(ctx), (double)NET_GAP_MAX_PS);
    for (int i = 0; i < NET_UDP_PAUSES && next_ps > (weir_time)tx->size && next_ps < far_ps; i++) {
        const weir_time off_ps = weir_dist_sample_integer(&c->off, ctx->world, random, 1, NET_GAP_MAX_PS);
        const weir_time on_ps = weir_dist_sample_integer(&c->on, ctx->world, random, 1, NET_GAP_MAX_PS);
        next_ps = net_gap_end(next_ps, (double)off_ps);
        const uint64_t ends_ps = tx->size + (uint64_t)off_ps + (uint64_t)on_ps;
        tx->size = ends_ps < (uint64_t)WEIR_TIME_MAX ? ends_ps : (uint64_t)WEIR_TIME_MAX;
    }
    return next_ps;
}

/* The event of the packet that is due next (tx->timer_at_ps). Events of before a change of the rate have another number
 * (tx->request). */
WEIR_FN void net_udp_plan(weir_ctx *ctx, net_tx *tx, uint32_t flow, weir_time next_ps)
{
    tx->timer_at_ps = next_ps;
    net_note *note = (net_note *)weir_schedule_at(ctx, ctx->entity, NET_EV_UDP_SEND, next_ps);
    note->index = flow;
    note->arg = tx->request;
}

/* The packet of a trace that is due, and when the next one is: WEIR_TIME_MAX after the last. `tx->size` is its number, `tx->left`
 * when the trace began. */
NET_RARE uint32_t net_udp_replay(const net_world *w, net_tx *tx, const net_class *c)
{
    const net_udp_point *points = (const net_udp_point *)net_at(w, c->own);
    const uint32_t bytes = points[tx->size].bytes;
    const weir_time due_ps = tx->timer_at_ps;
    tx->size++;
    if (tx->size == c->own_n && c->own_period_ps > 0) {
        tx->size = 0;
        tx->left += (uint64_t)c->own_period_ps;
    }
    tx->timer_at_ps = WEIR_TIME_MAX;
    if (tx->size < c->own_n) {
        const weir_time next_ps = (weir_time)tx->left + points[tx->size].at_ps;
        tx->timer_at_ps = next_ps > due_ps ? next_ps : due_ps + 1;
    }
    return bytes;
}

/* Bits that are sent until the next packet goes, in 2^-20: `tx->size` keeps them while the rate is 0. */
#define NET_UDP_BIT 1048576.0

/* The gap behind a packet of so many bytes while the flow has no rate, in such bits. */
WEIR_FN uint64_t net_udp_bits(net_tx *tx, const net_class *c, uint32_t bytes, weir_stream *random)
{
    if (bytes == 0 && c->udp_pattern != NET_UDP_POISSON)
        return 0;
    tx->left = 1000000000000u; /* a picosecond is a bit */
    const uint64_t bits = (uint64_t)weir_round_clamped(
        (double)net_udp_gap(tx, c, bytes, 0, random) * NET_UDP_BIT, 0, INT64_C(1) << 50);
    tx->left = 0;
    return bits;
}

/* The flow's rate is another from now on. A packet that waits for its turn still goes. */
NET_RARE void net_udp_change(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow, uint64_t rate_bps)
{
    const weir_time now = weir_now(ctx);
    if (c->stop_ps && now >= c->stop_ps)
        return;
    if (tx->next) {
        tx->left = rate_bps;
        return;
    }
    double bits = (double)tx->size / NET_UDP_BIT;
    if (tx->left > 0)
        bits = tx->timer_at_ps > now ? (double)(tx->timer_at_ps - now) * 1e-12 * (double)tx->left : 0.0;
    tx->left = rate_bps;
    tx->request++;
    tx->size = 0;
    if (rate_bps == 0)
        tx->size = (uint64_t)weir_round_clamped(bits * NET_UDP_BIT, 0, INT64_C(1) << 50);
    else
        net_udp_plan(ctx, tx, flow, net_gap_end(now, bits * 1e12 / (double)rate_bps));
}

/* The size of the packet that is due, and when the next one is: tx->timer_at_ps, WEIR_TIME_MAX where nothing is planned.
 * `tx->left` is the rate while on, `tx->size` the end of the on period. */
WEIR_FN uint32_t net_udp_next(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    if (c->udp_pattern == NET_UDP_TRACE)
        return net_udp_replay(net_world_of(ctx), tx, c);
    weir_stream random = weir_stream_open(ctx);
    const uint32_t bytes =
        (uint32_t)weir_dist_sample_integer(&c->packet, ctx->world, &random, NET_PACKET_LEAST, 65535);
    if (tx->left == 0) { /* its rate became 0 while the packet waited */
        tx->size = net_udp_bits(tx, c, bytes, &random);
        tx->timer_at_ps = WEIR_TIME_MAX;
    } else {
        tx->timer_at_ps = net_udp_gap(tx, c, bytes, tx->timer_at_ps, &random);
        if (c->udp_pattern == NET_UDP_ONOFF)
            tx->timer_at_ps = net_udp_pause(ctx, tx, c, tx->timer_at_ps, &random);
    }
    weir_stream_close(ctx, &random);
    return bytes;
}

/* How long a packet may wait for its turn: what the line takes to send the limit of the host's queue. */
WEIR_FN weir_time net_udp_patience(const net_view *h)
{
    const net_queue *q = net_queue_of(h);
    if (q->params.limit_bytes == UINT64_MAX) /* with PFC, where limits are in packets */
        return NET_LIMIT_PS;
    return weir_round_clamped((double)q->params.limit_bytes / q->bytes_per_ps, 1, WEIR_TIME_MAX / 2);
}

/*
 * Send what is due, and plan the next. A packet whose turn comes later than it was due carries the time at which it was, so that
 * its delay has the wait; one that has waited for longer than the limit of the host's queue allows is dropped there.
 */
WEIR_FN void net_udp_output(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    const weir_time now = weir_now(ctx);
    for (int sent = 0; tx->timer_at_ps <= now; sent++) {
        const weir_time due_ps = tx->timer_at_ps;
        if ((c->stop_ps && due_ps >= c->stop_ps) ||
            (h->link->turns && !net_turn_grants(ctx, h, tx, flow, sent)))
            return;
        const uint32_t bytes = net_udp_next(ctx, tx, c);
        net_packet p = net_tx_packet(ctx, tx, flow, tx->nxt++, bytes, NET_UDP);
        p.u.data.sent_ps = due_ps;
        tx->packets++;
        if (WEIR_LIKELY(due_ps == now) || now - due_ps <= net_udp_patience(h)) {
            net_host_enqueue(ctx, h, &p);
        } else {
            weir_touch(ctx, h->port, sizeof *h->port);
            net_drop(ctx, h, &p, NET_DROP_LIMIT);
        }
    }
    if (tx->timer_at_ps < WEIR_TIME_MAX)
        net_udp_plan(ctx, tx, flow, tx->timer_at_ps);
}

#endif
