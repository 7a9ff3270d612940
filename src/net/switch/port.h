/*
 * A port: one direction of a link, seen from its sender. One event a hop, unless its discipline decides at departure
 * (depart.h).
 *
 * A FIFO port needs no departure events. What waits is known from `busy_until`: a packet of s bytes that
 * arrives at t leaves at max(t, busy_until) + s / rate, whatever comes later (Lindley's recursion), so its
 * arrival at the next node can be scheduled at once. Forwarding has no state: whoever sends a packet over a
 * link looks up the port through which it will leave the next router, and schedules it there.
 */
#pragma once

#include "net/queue/queues.h"
#include "net/switch/depart.h"
#include "net/switch/transmit.h"

/* Whether a packet goes no further, by a queue's verdict; one that the link loses is sent first. */
WEIR_FN bool net_is_dropped(enum net_verdict verdict)
{
    return verdict >= NET_DROP_LIMIT && verdict != NET_DROP_LOSS;
}

/* A packet as a port's queue finds it. */
WEIR_FN net_arrival net_arrival_at(const net_port *port, const net_packet *packet, weir_time now_ps)
{
    net_arrival a;
    a.now_ps = now_ps;
    a.idle_since_ps = port->busy_until_ps;
    a.backlog_ps = port->busy_until_ps > now_ps ? port->busy_until_ps - now_ps : 0;
    a.bytes = packet->bytes;
    a.ecn_capable = (packet->flags & NET_ECT) != 0;
    a.backlog_packets = 0;
    a.own = (uint64_t *)0;
    return a;
}

/* The verdict of a discipline that decides at arrival, and of the link's random loss. */
WEIR_FN enum net_verdict net_decide(weir_ctx *ctx, const net_view *v, const net_queue *q, net_arrival *a)
{
    weir_stream random = weir_stream_open(ctx);
    enum net_verdict verdict = NET_ACCEPT;
    if (q->counts_packets) {
        const net_ring ring = net_ring_of(ctx, v->w, q, ctx->entity);
        a->backlog_packets = net_ring_clean(v->port, ring, a->now_ps);
        if (a->backlog_packets >= ring.size)
            verdict = NET_DROP_LIMIT; /* no room to remember when it leaves */
    }
    if (q->own_words) {
        a->own = net_port_words(ctx, v->w, ctx->entity);
        weir_touch(ctx, a->own, 8 * (size_t)q->own_words);
    }
    if (verdict == NET_ACCEPT)
        verdict = net_queue_arrive(q, &v->port->queue, a, &random);
    if (verdict == NET_DROP_LIMIT &&
        v->link->turns) /* what has come so far is no more than a host may have there */
        verdict = NET_ACCEPT;
    if (verdict < NET_DROP_LIMIT && net_link_loses(v->link, &random))
        verdict = NET_DROP_LOSS;
    weir_stream_close(ctx, &random);
    return verdict;
}

/* Accept a packet that waits for backlog_ps: transmit it behind what is queued. */
WEIR_FN void net_accept(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl,
                        enum net_verdict verdict, const net_arrival *a)
{
    net_departure d;
    d.packet = packet;
    d.ttl = ttl;
    d.verdict = verdict;
    d.wait_ps = a->backlog_ps;
    d.send_ps = net_link_time(v->link, packet->bytes);
    d.leaves_ps = a->now_ps + d.wait_ps + d.send_ps;
    net_backlog_most(ctx, v, d.wait_ps + d.send_ps);
    net_transmit(ctx, v, d);
}

/* Whether the discipline marks, and drops no packet early. */
WEIR_FN bool net_marks_alone(const net_queue *q)
{
    return q->params.type == NET_QUEUE_THRESHOLD ||
           (q->params.type == NET_QUEUE_RED && NET_QUEUE_PARAMS(red, q)->ecn == NET_RED_MARKS_ALONE);
}

/* Enqueue where fluid shares the queue. Nothing leaves before, or closer behind, than the line allows after the packet before
 * it. */
WEIR_FN_APART void net_enqueue_over_fluid(weir_ctx *ctx, const net_view *v, const net_background *row,
                                          const net_packet *packet, uint8_t ttl)
{
    net_port *port = v->port;
    const net_queue *q = net_queue_of(v);
    net_arrival a = net_arrival_at(port, packet, weir_now(ctx));
    const net_background fluid = net_background_at(v->w, row, a.now_ps);
    const double standing_ps = net_standing_ps(v->w, port, row, &fluid);
    weir_stream random = weir_stream_open(ctx);
    enum net_verdict verdict = NET_DROP_LIMIT;
    if (!net_background_crowds_out(q, &fluid, standing_ps, a.backlog_ps, packet->bytes, &random))
        verdict = net_background_early(q, &fluid, net_marks_alone(q), a.ecn_capable, &random);
    if (verdict < NET_DROP_LIMIT && net_link_loses(v->link, &random))
        verdict = NET_DROP_LOSS;
    weir_stream_close(ctx, &random);
    if (net_is_dropped(verdict)) {
        net_drop(ctx, v, packet, verdict);
        return;
    }
    const weir_time send_ps = net_link_time(v->link, packet->bytes),
                    wait_ps = net_background_wait_ps(q, &fluid, standing_ps, send_ps);
    a.backlog_ps = wait_ps > a.backlog_ps ? wait_ps : a.backlog_ps;
    port->over.standing_ps = standing_ps + (double)send_ps + fluid.expected_ps;
    port->over.reduction_ps = fluid.reduction_ps;
    port->batch = v->w->background_batch;
    net_accept(ctx, v, packet, ttl, verdict, &a);
}

/* Enqueue over a line that follows a trace: the backlog is what the trace can send meanwhile, and the discipline sees it as time
 * at the mean rate. */
WEIR_FN_APART void net_enqueue_traced(weir_ctx *ctx, const net_view *v, const net_trace *t,
                                      const net_packet *packet, uint8_t ttl)
{
    const net_queue *q = net_queue_of(v);
    net_port *port = v->port;
    net_arrival a = net_arrival_at(port, packet, weir_now(ctx));
    net_departure d;
    d.packet = packet;
    d.ttl = ttl;
    d.wait_ps = a.backlog_ps;
    a.backlog_ps = (weir_time)(net_trace_backlog(v->w, t, net_impaired_of(ctx, v->w, ctx->entity), a.now_ps,
                                                 port->busy_until_ps) /
                                   q->bytes_per_ps +
                               0.5);
    d.verdict = net_decide(ctx, v, q, &a);
    if (net_is_dropped(d.verdict)) {
        net_drop(ctx, v, packet, d.verdict);
        return;
    }
    d.leaves_ps = net_trace_leaves(ctx, v->w, t, a.now_ps, a.now_ps + d.wait_ps,
                                   packet->bytes + (uint32_t)v->link->overhead);
    d.send_ps = d.leaves_ps - a.now_ps - d.wait_ps;
    if (q->counts_packets)
        net_ring_add(ctx, port, net_ring_of(ctx, v->w, q, ctx->entity), d.leaves_ps);
    net_backlog_most(ctx, v, a.backlog_ps + net_link_time(v->link, packet->bytes));
    net_transmit(ctx, v, d);
}

/* Enqueue where a discipline, random loss or a ring decides. */
WEIR_FN void net_enqueue_fifo(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl)
{
    const net_queue *q = net_queue_of(v);
    net_arrival a = net_arrival_at(v->port, packet, weir_now(ctx));
    const enum net_verdict verdict = net_decide(ctx, v, q, &a);
    if (net_is_dropped(verdict)) {
        net_drop(ctx, v, packet, verdict);
        return;
    }
    if (q->counts_packets)
        net_ring_add(ctx, v->port, net_ring_of(ctx, v->w, q, ctx->entity),
                     a.now_ps + a.backlog_ps + net_link_time(v->link, packet->bytes));
    net_accept(ctx, v, packet, ttl, verdict, &a);
}

/* Enqueue at a port that is not plain. */
NET_RARE void net_enqueue_any(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl)
{
    const net_background *row = net_background_row(v->w, ctx->entity);
    const net_trace *t = v->link->impaired ? net_trace_at(v->w, ctx->entity) : (const net_trace *)0;
    if (row)
        net_enqueue_over_fluid(ctx, v, row, packet, ttl);
    else if (net_queue_of(v)->departs)
        net_enqueue_stored(ctx, v, packet, ttl);
    else if (t)
        net_enqueue_traced(ctx, v, t, packet, ttl);
    else
        net_enqueue_fifo(ctx, v, packet, ttl);
}

/* Enqueue at a plain port: nothing but its backlog decides, and nothing happens to what it transmits. False: nothing has been
 * done, as the packet is not transmitted, or a host's turns or a missing route ask for more (net_enqueue_any). */
WEIR_FN bool net_enqueue_plain(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl)
{
    const net_queue *q = net_queue_of(v);
    const net_arrival a = net_arrival_at(v->port, packet, weir_now(ctx));
    uint16_t type;
    if (WEIR_UNLIKELY(net_queue_is_full(q, &a)))
        return false;
    const uint32_t target = net_next_hop(v->w, v->link, packet, ttl, &type);
    if (WEIR_UNLIKELY(target == NET_NONE))
        return false;
    net_departure d;
    d.packet = packet;
    d.wait_ps = a.backlog_ps;
    d.send_ps = net_link_time(v->link, packet->bytes);
    d.leaves_ps = a.now_ps + d.wait_ps + d.send_ps;
    net_backlog_most(ctx, v, d.wait_ps + d.send_ps);
    net_account(v->port, &d);
    net_packet *next = net_propagate_to(ctx, v, packet, ttl, d.leaves_ps, target, type);
    if (q->params.type == NET_QUEUE_THRESHOLD &&
        net_threshold_arrive(q, &v->port->queue, &a, (weir_stream *)0) == NET_MARK) {
        net_count_mark(ctx, v->port, packet);
        next->flags |= NET_CE;
    }
    return true;
}

/* Enqueue a packet that shall leave through a port, with `ttl`: it is accepted, perhaps marked, or dropped; where it is known
 * by now when it leaves, it is transmitted. The caller has touched the port. */
WEIR_FN void net_enqueue(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl)
{
    if (WEIR_UNLIKELY(!v->link->plain || !net_enqueue_plain(ctx, v, packet, ttl)))
        net_enqueue_any(ctx, v, packet, ttl);
}

/* A router's plain port receives a packet. False: nothing has been done, as it is not plain, or does not transmit it. */
WEIR_FN bool net_port_receive_plain(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    const net_view v = net_port_view(ctx, state);
    if (WEIR_UNLIKELY(!v.link->plain || packet->ttl <= 1))
        return false;
    weir_touch(ctx, v.port, sizeof *v.port);
    return net_enqueue_plain(ctx, &v, packet, (uint8_t)(packet->ttl - 1));
}

/* A router's port receives a packet that net_port_receive_plain has left. */
NET_RARE void net_port_receive_any(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    const net_view v = net_port_view(ctx, state);
    if (net_receive(ctx, v.w, event, false))
        return;
    weir_touch(ctx, v.port, sizeof *v.port);
    if (packet->ttl <= 1) /* RFC 1812, section 5.3.1: a router does not forward what it would send with 0 */
        net_drop(ctx, &v, packet, NET_DROP_TTL);
    else
        net_enqueue_any(ctx, &v, packet, (uint8_t)(packet->ttl - 1));
}

/* A router's port receives a packet. */
NET_FAST void net_port_receive(weir_ctx *ctx, void *state, const weir_event *event)
{
    if (WEIR_UNLIKELY(!net_port_receive_plain(ctx, state, event)))
        net_port_receive_any(ctx, state, event);
}
