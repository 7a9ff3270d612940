/* State of a port, of a router or a host's own: one direction of a link, seen from its sender. */
#pragma once

#include "net/packet/world.h"

/* Where fluid shares the queue, in place of a discipline's state; of the exchange net_port.batch. */
typedef struct net_over_fluid {
    /* time to send the packets that stand, and those that the fluid had expected by then */
    double standing_ps;
    double reduction_ps; /* the projected reduction when that was reckoned */
} net_over_fluid;

/* Where a discipline decides at departure, in place of its state at arrival: what waits, without what is being
 * sent. Its packets are net_port.ring_count. */
typedef struct net_waiting {
    uint64_t bytes;
    weir_time wake_ps; /* when the next departure is due; 0: none is */
} net_waiting;

/* 112 bytes. */
typedef struct net_port {
    weir_time busy_until_ps;            /* when what is accepted will have been sent */
    uint64_t packets, bytes;            /* accepted */
    uint64_t dropped[NET_DROP_REASONS]; /* limit, early, loss */
    uint64_t marked;
    uint64_t wait_ns; /* sum over accepted packets, transmission not included; of net_sum, as the next */
    uint64_t backlog; /* its integral over time: bytes times 2^20 ps, net_add_backlog */
    weir_time backlog_max_ps;
    union {
        net_queue_state queue;
        net_over_fluid over;
        net_waiting waiting;
    };
    uint32_t ring_head,
        ring_count; /* of what is queued, where packets are counted or decided about at departure */
    uint32_t dropped_ttl;
    uint32_t batch; /* over fluid: the last exchange before the last accepted packet */
} net_port;
/* With the link's 32 bytes, the entity's 32 and the stream's 16: 192 bytes a port. */
WEIR_STATIC_ASSERT(sizeof(net_port) == 112, "memory per port is a stated goal");

/* A sum that stays at its most, NET_TOO_MUCH, once it is too large. */
#define NET_TOO_MUCH UINT64_MAX
WEIR_FN uint64_t net_sum(uint64_t sum, uint64_t more)
{
    const uint64_t both = sum + more;
    return WEIR_LIKELY(both >= more) ? both : NET_TOO_MUCH;
}

/* A packet has stood, or will have, for so long: an integer, so that the order in which packets are counted does not show, rounded
 * as net_whole_ns is. 2^64 are 223 days of a megabyte. */
WEIR_FN void net_add_backlog(net_port *port, const net_packet *packet, weir_time span_ps)
{
    const uint64_t span = (uint64_t)span_ps, rest = span & ((1u << 20) - 1u);
    port->backlog = net_sum(port->backlog, packet->bytes * (span >> 20) +
                                               ((packet->bytes * rest + (net_fraction(packet) >> 12)) >> 20));
}

#define NET_BACKLOG_UNIT (1048576.0 * 1e-12) /* byte seconds */

/* The integral of the backlog, byte seconds. */
WEIR_FN double net_backlog_byte_s(const net_port *port)
{
    return (double)port->backlog * NET_BACKLOG_UNIT;
}

/* When all that is accepted will have been sent, as far as that is known. */
WEIR_FN weir_time net_port_idle_ps(const net_queue *q, const net_port *port)
{
    if (WEIR_LIKELY(!q->departs))
        return port->busy_until_ps;
    return port->busy_until_ps + (weir_time)((double)port->waiting.bytes / q->bytes_per_ps);
}

/* A port as its handlers use it. A switch of shared memory handles events as its first port, so that `entity` says whose link
 * and state these are. */
typedef struct net_view {
    const net_world *w;
    const net_link *link;
    net_port *port;
    uint32_t entity;
    struct net_turn *turn; /* of a host's view: the turn that is being served, or null (transport/turn.h) */
} net_view;

/* The port that handles an event. */
WEIR_FN net_view net_port_view(const weir_ctx *ctx, void *state)
{
    net_view v;
    v.w = net_world_of(ctx);
    v.entity = ctx->entity;
    v.link = net_port_link(v.w, v.entity);
    v.port = (net_port *)state;
    v.turn = (struct net_turn *)0;
    return v;
}

/* The settings of a port's queue. */
WEIR_FN const net_queue *net_queue_of(const net_view *v)
{
    return NET_ARRAY(v->w, net_queue, queues) + v->link->queue;
}

/* A port's words in its kind's pool. */
WEIR_FN uint64_t *net_port_words(const weir_ctx *ctx, const net_world *w, uint32_t entity)
{
    const uint32_t first = NET_ARRAY(w, uint32_t, rings)[2 * (size_t)entity];
    return (uint64_t *)weir_slot(ctx, entity < w->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS, first,
                                 8);
}

/* Departure times of one port's queue, for disciplines that count packets. */
typedef struct net_ring {
    weir_time *times;
    uint32_t size;
} net_ring;

/* They stand behind the discipline's own words. */
WEIR_FN net_ring net_ring_of(const weir_ctx *ctx, const net_world *w, const net_queue *q, uint32_t entity)
{
    const uint32_t *first = NET_ARRAY(w, uint32_t, rings) + 2 * (size_t)entity;
    net_ring ring;
    ring.times = (weir_time *)(void *)(net_port_words(ctx, w, entity) + q->own_words);
    ring.size = first[1] - first[0] - q->own_words;
    return ring;
}

/* Remove what has left. Returns how many packets are still queued. */
WEIR_FN uint32_t net_ring_clean(net_port *port, net_ring ring, weir_time now_ps)
{
    while (port->ring_count > 0 && ring.times[port->ring_head] <= now_ps) {
        port->ring_head = port->ring_head + 1 == ring.size ? 0 : port->ring_head + 1;
        port->ring_count--;
    }
    return port->ring_count;
}

/* Add the departure time of a packet. */
WEIR_FN void net_ring_add(weir_ctx *ctx, net_port *port, net_ring ring, weir_time leaves_ps)
{
    uint32_t i = port->ring_head + port->ring_count;
    if (i >= ring.size)
        i -= ring.size;
    weir_touch(ctx, &ring.times[i], sizeof ring.times[i]);
    ring.times[i] = leaves_ps;
    port->ring_count++;
}
