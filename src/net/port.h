/*
 * A port: one direction of a link, seen from its sender. One event a hop.
 *
 * A FIFO port needs no departure events. What waits is known from `busy_until`: a packet of s bytes that
 * arrives at t leaves at max(t, busy_until) + s / rate, whatever comes later (Lindley's recursion), so its
 * arrival at the next node can be scheduled at once. Forwarding has no state: whoever sends a packet over a
 * link looks up the port through which it will leave the next router, and schedules it there.
 */
#ifndef WI_NET_PORT_H
#define WI_NET_PORT_H

#include "net/queue_droptail.h"
#include "net/queue_red.h"
#include "net/world.h"

/* State of a port, of a router or a host's own. 120 bytes. */
typedef struct net_port {
    weir_time busy_until_ps; /* when what is accepted will have been sent */
    weir_time
        last_out_ps; /* when the last accepted packet leaves: later than busy_until_ps over fluid only */
    uint64_t packets, bytes;            /* accepted */
    uint64_t dropped[NET_DROP_REASONS]; /* limit, early, loss */
    uint64_t marked;
    uint64_t wait_ns;      /* sum over accepted packets, transmission not included */
    double backlog_byte_s; /* integral of the backlog over time */
    weir_time backlog_max_ps;
    net_queue_state queue;
    uint32_t ring_head, ring_count; /* departure times of what is queued, where packets are counted */
    uint32_t dropped_ttl, reserved;
} net_port;
/* With the link's 32 bytes, the entity's 32 and the stream's 16: 200 bytes a port. */
WEIR_STATIC_ASSERT(sizeof(net_port) == 120, "memory per port is a stated goal");

WEIR_FN weir_time net_link_time(const net_link *link, uint32_t bytes)
{
    return link->ps_per_byte ? (weir_time)((uint64_t)bytes * link->ps_per_byte)
                             : weir_tx_time(bytes, link->rate_bps);
}

/* Departure times of one port's queue, for disciplines that count packets. */
typedef struct net_ring {
    weir_time *times;
    uint32_t size;
} net_ring;

WEIR_FN net_ring net_ring_of(const weir_ctx *ctx, const net_world *w, uint32_t entity)
{
    const uint32_t *first = NET_ARRAY(w, uint32_t, rings) + 2 * (size_t)entity;
    net_ring ring;
    ring.times = (weir_time *)weir_slot(ctx, entity < w->n_hosts ? NET_POOL_HOST_RING : NET_POOL_PORT_RING,
                                        first[0], sizeof(weir_time));
    ring.size = first[1] - first[0];
    return ring;
}

/* Forget what has left, and say how many packets are still queued. */
WEIR_FN uint32_t net_ring_clean(net_port *port, net_ring ring, weir_time now_ps)
{
    while (port->ring_count > 0 && ring.times[port->ring_head] <= now_ps) {
        port->ring_head = port->ring_head + 1 == ring.size ? 0 : port->ring_head + 1;
        port->ring_count--;
    }
    return port->ring_count;
}

WEIR_FN void net_ring_add(weir_ctx *ctx, net_port *port, net_ring ring, weir_time leaves_ps)
{
    uint32_t i = port->ring_head + port->ring_count;
    if (i >= ring.size)
        i -= ring.size;
    weir_touch(ctx, &ring.times[i], sizeof ring.times[i]);
    ring.times[i] = leaves_ps;
    port->ring_count++;
}

WEIR_FN enum net_verdict net_queue_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                          weir_stream *random)
{
    switch (q->type) {
#define X(name, arrive)    \
    case NET_QUEUE_##name: \
        return arrive(q, state, a, random);
        NET_QUEUES(X)
#undef X
    }
    return NET_ACCEPT;
}

/* Entity of the port through which a packet leaves a router. */
WEIR_FN uint32_t net_next_port(const net_world *w, uint32_t router, const net_packet *packet)
{
    const net_dest *dest = NET_ARRAY(w, net_dest, dests) + packet->dst;
    if (dest->router == router)
        return dest->port;
    const size_t at = (size_t)router * w->n_columns + dest->column;
    uint32_t entry =
        w->entry_bytes == 1 ? NET_ARRAY(w, uint8_t, table)[at] : NET_ARRAY(w, uint16_t, table)[at];
    if (w->ecmp) {
        const uint32_t *bounds =
            NET_ARRAY(w, uint32_t, set_bounds) + NET_ARRAY(w, uint32_t, set_first)[router] + entry;
        const uint32_t hash = packet->flow * 0x9e3779b1u ^ packet->dst * 0x85ebca77u;
        const uint32_t pick = weir_ecmp_pick(hash, router, bounds[1] - bounds[0]);
        entry = NET_ARRAY(w, uint16_t, set_ports)[bounds[0] + pick];
    }
    return NET_ARRAY(w, uint32_t, router_port)[router] + entry;
}

WEIR_FN void net_drop(weir_ctx *ctx, net_port *port, const net_packet *p, enum net_verdict why)
{
    if (why == NET_DROP_TTL)
        port->dropped_ttl++;
    else
        port->dropped[why - NET_DROP_LIMIT]++;
    net_count_flow(ctx, p->flow, p->flags & NET_ACK ? NET_COUNT_ACK_DROPPED : NET_COUNT_DROPPED);
}

/* Take the fluid's share of the queue into account: its chance of dropping, and the time that it takes to
 * send. */
WEIR_FN weir_time net_background_wait(const net_world *w, uint32_t entity, weir_stream *random,
                                      enum net_verdict *verdict)
{
    if (w->background == 0 || entity < w->n_hosts)
        return 0;
    const net_background *b = NET_ARRAY(w, net_background, background) + (entity - w->n_hosts);
    if (b->drop && (uint32_t)(weir_draw(random) >> 32) < b->drop)
        *verdict = NET_DROP_EARLY;
    return b->queue_ps;
}

/* What becomes of a packet at a port that is not plain. A fluid's share of the queue is added to the backlog.
 */
WEIR_FN enum net_verdict net_decide(weir_ctx *ctx, const net_world *w, const net_link *link,
                                    const net_queue *q, net_port *port, net_arrival *a)
{
    weir_stream random = weir_stream_open(ctx);
    const uint64_t draws = random.draws;
    enum net_verdict verdict = NET_ACCEPT;
    a->backlog_ps += net_background_wait(w, ctx->entity, &random, &verdict);
    if (q->counts_packets) {
        const net_ring ring = net_ring_of(ctx, w, ctx->entity);
        a->backlog_packets = net_ring_clean(port, ring, a->now_ps);
        if (a->backlog_packets >= ring.size)
            verdict = NET_DROP_LIMIT; /* no room to remember when it leaves */
    }
    if (verdict == NET_ACCEPT)
        verdict = net_queue_arrive(q, &port->queue, a, &random);
    if (link->loss && verdict < NET_DROP_LIMIT && (uint32_t)(weir_draw(&random) >> 32) < link->loss)
        verdict = NET_DROP_LOSS;
    if (random.draws != draws)
        weir_stream_close(ctx, &random);
    return verdict;
}

/* The packet that leaves at `leaves_ps` arrives at the link's other end: at a host, or at the port through
 * which it will leave that router. */
WEIR_FN void net_forward(weir_ctx *ctx, const net_world *w, const net_link *link, const net_packet *packet,
                         uint8_t flags, uint8_t ttl, weir_time leaves_ps)
{
    const weir_time delay_ps = leaves_ps - weir_now(ctx) + link->delay_ps;
    const uint32_t target = link->peer_is_host ? link->peer : net_next_port(w, link->peer, packet);
    const uint16_t type = link->peer_is_host ? NET_EV_HOST_PACKET : NET_EV_PORT_PACKET;
    net_packet *next = (net_packet *)weir_schedule(ctx, target, type, delay_ps);
    next->flow = packet->flow;
    next->dst = packet->dst;
    next->seq = packet->seq;
    next->bytes = packet->bytes;
    next->flags = flags;
    next->ttl = ttl;
    next->u = packet->u;
}

/*
 * A packet wants to leave through a port, with `ttl`: queue it, drop it, or mark it; and where it is sent,
 * schedule its arrival. The caller has touched `port`.
 */
WEIR_FN void net_transmit(weir_ctx *ctx, const net_world *w, const net_link *link, net_port *port,
                          const net_packet *packet, uint8_t ttl)
{
    const weir_time now = weir_now(ctx);
    const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
    const weir_time idle_ps = port->busy_until_ps > now ? port->busy_until_ps : now;
    net_arrival a;
    a.now_ps = now;
    a.idle_since_ps = port->busy_until_ps;
    a.backlog_ps = idle_ps - now;
    a.bytes = packet->bytes;
    a.ecn_capable = (packet->flags & NET_ECT) != 0;
    a.backlog_packets = 0;
    enum net_verdict verdict;
    if (WEIR_LIKELY(link->plain))
        verdict = net_queue_is_full(q, &a) ? NET_DROP_LIMIT : NET_ACCEPT;
    else
        verdict = net_decide(ctx, w, link, q, port, &a);
    if (WEIR_UNLIKELY(verdict >= NET_DROP_LIMIT && verdict != NET_DROP_LOSS)) {
        net_drop(ctx, port, packet, verdict);
        return;
    }

    const weir_time send_ps = net_link_time(link, packet->bytes);
    const weir_time wait_ps = a.backlog_ps;
    weir_time leaves_ps = now + wait_ps + send_ps;
    port->busy_until_ps = idle_ps + send_ps;
    if (wait_ps != idle_ps - now && leaves_ps <= port->last_out_ps)
        leaves_ps = port->last_out_ps + 1; /* over fluid: never overtake an earlier packet */
    port->last_out_ps = leaves_ps;
    port->packets++;
    port->bytes += packet->bytes;
    port->wait_ns += (uint64_t)wait_ps / 1000u;
    port->backlog_byte_s += (double)packet->bytes * ((double)wait_ps + 0.5 * (double)send_ps) * 1e-12;
    if (wait_ps + send_ps > port->backlog_max_ps && now >= w->warmup_ps)
        port->backlog_max_ps = wait_ps + send_ps;
    if (WEIR_LIKELY(link->plain)) {
        net_forward(ctx, w, link, packet, packet->flags, ttl, leaves_ps);
        return;
    }

    if (q->counts_packets)
        net_ring_add(ctx, port, net_ring_of(ctx, w, ctx->entity), leaves_ps);
    if (verdict == NET_DROP_LOSS) { /* sent, and lost on the way */
        net_drop(ctx, port, packet, verdict);
        return;
    }
    uint8_t flags = packet->flags;
    if (verdict == NET_MARK) {
        flags |= NET_CE;
        port->marked++;
        net_count_flow(ctx, packet->flow, NET_COUNT_MARKED);
    }
    net_forward(ctx, w, link, packet, flags, ttl, leaves_ps);
}

WEIR_FN void net_port_packet(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_world *w = net_world_of(ctx);
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    net_port *port = (net_port *)state;
    weir_touch(ctx, port, sizeof *port);
    if (packet->ttl <= 1) { /* RFC 1812, section 5.3.1: a router does not forward what it would send with 0 */
        net_drop(ctx, port, packet, NET_DROP_TTL);
        return;
    }
    net_transmit(ctx, w, net_port_link(w, ctx->entity), port, packet, (uint8_t)(packet->ttl - 1));
}

#endif
