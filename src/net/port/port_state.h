/* State of a port, of a router or a host's own: one direction of a link, seen from its sender. */
#ifndef WI_NET_PORT_PORT_STATE_H
#define WI_NET_PORT_PORT_STATE_H

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
    uint64_t wait_ns;      /* sum over accepted packets, transmission not included */
    double backlog_byte_s; /* integral of the backlog over time */
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

/* When all that is accepted will have been sent, as far as that is known. */
WEIR_FN weir_time net_port_idle_ps(const net_queue *q, const net_port *port)
{
    if (WEIR_LIKELY(!q->departs))
        return port->busy_until_ps;
    return port->busy_until_ps + (weir_time)((double)port->waiting.bytes / q->bytes_per_ps);
}

#endif
