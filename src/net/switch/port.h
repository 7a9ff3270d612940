/*
 * A port: one direction of a link, seen from its sender. One event a hop, unless its discipline decides at departure
 * (depart.h).
 *
 * A FIFO port needs no departure events. What waits is known from `busy_until`: a packet of s bytes that
 * arrives at t leaves at max(t, busy_until) + s / rate, whatever comes later (Lindley's recursion), so its
 * arrival at the next node can be scheduled at once. Forwarding has no state: whoever sends a packet over a
 * link looks up the port through which it will leave the next router, and schedules it there.
 */
#ifndef WI_NET_SWITCH_PORT_H
#define WI_NET_SWITCH_PORT_H

#include "net/switch/depart.h"
#include "net/queue/queues.h"
#include "net/port/send.h"

/* What becomes of a packet at a port that is not plain, and that no fluid shares. */
WEIR_FN enum net_verdict net_decide(weir_ctx *ctx, const net_world *w, const net_link *link,
                                    const net_queue *q, net_port *port, net_arrival *a)
{
    weir_stream random = weir_stream_open(ctx);
    const uint64_t draws = random.draws;
    enum net_verdict verdict = NET_ACCEPT;
    if (q->counts_packets) {
        const net_ring ring = net_ring_of(ctx, w, q, ctx->entity);
        a->backlog_packets = net_ring_clean(port, ring, a->now_ps);
        if (a->backlog_packets >= ring.size)
            verdict = NET_DROP_LIMIT; /* no room to remember when it leaves */
    }
    if (q->own_words) {
        a->own = net_port_words(ctx, w, ctx->entity);
        weir_touch(ctx, a->own, 8 * (size_t)q->own_words);
    }
    if (verdict == NET_ACCEPT)
        verdict = net_queue_arrive(q, &port->queue, a, &random);
    if (link->loss && verdict < NET_DROP_LIMIT && (uint32_t)(weir_draw(&random) >> 32) < link->loss)
        verdict = NET_DROP_LOSS;
    if (random.draws != draws)
        weir_stream_close(ctx, &random);
    return verdict;
}

/* net_enqueue where fluid shares the queue. Nothing leaves before, or closer behind, than the line allows
 * after the packet before it. */
WEIR_FN_APART void net_enqueue_over_fluid(weir_ctx *ctx, const net_world *w, const net_link *link,
                                          const net_queue *q, const net_background *row, net_port *port,
                                          const net_packet *packet, uint8_t ttl)
{
    const weir_time now = weir_now(ctx);
    const net_background fluid = net_background_at(w, row, now);
    const double standing_ps = net_standing_ps(w, port, row, &fluid);
    weir_stream random = weir_stream_open(ctx);
    const uint64_t draws = random.draws;
    enum net_verdict verdict = NET_DROP_LIMIT;
    if (!net_background_crowds_out(q, &fluid, standing_ps, port->busy_until_ps - now, packet->bytes, &random))
        verdict = net_background_early(q, &fluid, q->params.type == NET_QUEUE_THRESHOLD,
                                       (packet->flags & NET_ECT) != 0, &random);
    if (link->loss && verdict < NET_DROP_LIMIT && (uint32_t)(weir_draw(&random) >> 32) < link->loss)
        verdict = NET_DROP_LOSS;
    if (random.draws != draws)
        weir_stream_close(ctx, &random);
    if (verdict >= NET_DROP_LIMIT && verdict != NET_DROP_LOSS) {
        net_drop(ctx, port, packet, verdict);
        return;
    }
    const weir_time send_ps = net_link_time(link, packet->bytes);
    weir_time begins_ps = now + net_background_wait_ps(q, &fluid, standing_ps, send_ps);
    if (begins_ps < port->busy_until_ps)
        begins_ps = port->busy_until_ps;
    port->over.standing_ps = standing_ps + (double)send_ps + fluid.expected_ps;
    port->over.reduction_ps = fluid.reduction_ps;
    port->batch = w->background_batch;
    net_accept(ctx, w, link, port, packet, ttl, verdict, begins_ps - now, send_ps, begins_ps + send_ps);
}

/* net_enqueue_fifo over a line that follows a trace: the backlog is what the trace can send meanwhile, and the
 * discipline sees it as time at the mean rate. */
WEIR_FN_APART void net_enqueue_traced(weir_ctx *ctx, const net_world *w, const net_link *link,
                                      const net_trace *t, const net_queue *q, net_port *port,
                                      const net_packet *packet, uint8_t ttl, net_arrival *a)
{
    const weir_time wait_ps = a->backlog_ps, now_ps = a->now_ps;
    a->backlog_ps =
        (weir_time)(net_trace_backlog(ctx, w, t, now_ps, port->busy_until_ps) / q->bytes_per_ps + 0.5);
    const enum net_verdict verdict = net_decide(ctx, w, link, q, port, a);
    if (verdict >= NET_DROP_LIMIT && verdict != NET_DROP_LOSS) {
        net_drop(ctx, port, packet, verdict);
        return;
    }
    const weir_time leaves_ps = net_trace_leaves(ctx, w, t, now_ps, now_ps + wait_ps, packet->bytes);
    if (q->counts_packets)
        net_ring_add(ctx, port, net_ring_of(ctx, w, q, ctx->entity), leaves_ps);
    net_backlog_most(ctx, w, port, a->backlog_ps + net_link_time(link, packet->bytes));
    net_transmit(ctx, w, link, port, packet, ttl, verdict, wait_ps, leaves_ps - now_ps - wait_ps, leaves_ps);
}

/* net_enqueue where a discipline, random loss or a ring has a say. */
WEIR_FN void net_enqueue_fifo(weir_ctx *ctx, const net_world *w, const net_link *link, const net_queue *q,
                              net_port *port, const net_packet *packet, uint8_t ttl, net_arrival *a)
{
    const net_trace *t = link->impaired ? net_trace_at(w, ctx->entity) : (const net_trace *)0;
    if (t) {
        net_enqueue_traced(ctx, w, link, t, q, port, packet, ttl, a);
        return;
    }
    const enum net_verdict verdict = net_decide(ctx, w, link, q, port, a);
    if (verdict >= NET_DROP_LIMIT && verdict != NET_DROP_LOSS) {
        net_drop(ctx, port, packet, verdict);
        return;
    }
    const weir_time send_ps = net_link_time(link, packet->bytes);
    const weir_time leaves_ps = a->now_ps + a->backlog_ps + send_ps;
    if (q->counts_packets)
        net_ring_add(ctx, port, net_ring_of(ctx, w, q, ctx->entity), leaves_ps);
    net_accept(ctx, w, link, port, packet, ttl, verdict, a->backlog_ps, send_ps, leaves_ps);
}

/* A packet as a port's queue sees it. */
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

/* net_enqueue over a link that is not plain. */
NET_PORT_RARE void net_enqueue_not_plain(weir_ctx *ctx, const net_world *w, const net_link *link,
                                         net_port *port, const net_packet *packet, uint8_t ttl)
{
    const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
    const net_background *row = net_background_row(w, ctx->entity);
    if (row) {
        net_enqueue_over_fluid(ctx, w, link, q, row, port, packet, ttl);
    } else if (q->departs) {
        net_enqueue_stored(ctx, w, link, q, port, packet, ttl);
    } else {
        net_arrival a = net_arrival_at(port, packet, weir_now(ctx));
        net_enqueue_fifo(ctx, w, link, q, port, packet, ttl, &a);
    }
}

/*
 * A packet wants to leave through a port, with `ttl`: queue it, drop it, or mark it; and where it is sent,
 * schedule its arrival. The caller has touched `port`.
 */
WEIR_FN void net_enqueue(weir_ctx *ctx, const net_world *w, const net_link *link, net_port *port,
                         const net_packet *packet, uint8_t ttl)
{
    if (WEIR_UNLIKELY(NET_MAY(!link->plain))) {
        net_enqueue_not_plain(ctx, w, link, port, packet, ttl);
        return;
    }
    const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
    const net_arrival a = net_arrival_at(port, packet, weir_now(ctx));
    if (WEIR_UNLIKELY(net_queue_is_full(q, &a))) {
        net_drop(ctx, port, packet, NET_DROP_LIMIT);
        return;
    }
    const weir_time send_ps = net_link_time(link, packet->bytes);
    const weir_time leaves_ps = a.now_ps + a.backlog_ps + send_ps;
    net_backlog_most(ctx, w, port, a.backlog_ps + send_ps);
    /* As net_accept, where nothing is lost, marked or impaired. */
    net_account(port, packet, a.backlog_ps, send_ps, leaves_ps);
    net_see_leaving(ctx, w, ctx->entity, packet, packet->flags, ttl, NET_ACCEPT, leaves_ps - send_ps,
                    a.backlog_ps);
    net_propagate(ctx, w, link, packet, packet->flags, ttl, leaves_ps);
}

WEIR_FN void net_port_packet(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_world *w = net_world_of(ctx);
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    net_port *port = (net_port *)state;
    if (net_link_lost(ctx, w, event))
        return;
    net_see_coming(ctx, w, event, event->source, false);
    weir_touch(ctx, port, sizeof *port);
    if (packet->ttl <= 1) { /* RFC 1812, section 5.3.1: a router does not forward what it would send with 0 */
        net_drop(ctx, port, packet, NET_DROP_TTL);
        return;
    }
    net_enqueue(ctx, w, net_port_link(w, ctx->entity), port, packet, (uint8_t)(packet->ttl - 1));
}

#endif
