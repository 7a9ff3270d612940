/* Packets that go no further, or are marked: counted, and captured where that is asked for. */
#pragma once

#include "net/port/capture.h"
#include "net/port/port_state.h"

/* Count a packet that its flow loses. */
WEIR_FN void net_count_lost(weir_ctx *ctx, const net_packet *p)
{
    net_count_flow(ctx, p->flow, p->flags & NET_ACK ? NET_COUNT_ACK_DROPPED : NET_COUNT_DROPPED);
}

/* Count a packet that a port drops. */
WEIR_FN void net_count_drop(weir_ctx *ctx, net_port *port, const net_packet *p, enum net_verdict why)
{
    if (why == NET_DROP_TTL)
        port->dropped_ttl++;
    else
        port->dropped[why - NET_DROP_LIMIT]++;
    net_count_lost(ctx, p);
}

/* Drop a packet at a port. */
WEIR_FN void net_drop(weir_ctx *ctx, const net_view *v, const net_packet *p, enum net_verdict why)
{
    net_count_drop(ctx, v->port, p, why);
    net_record_lost(ctx, v->entity, p, why, 0);
}

/* Count a packet that a port marks: congestion experienced. */
WEIR_FN void net_count_mark(weir_ctx *ctx, net_port *port, const net_packet *p)
{
    port->marked++;
    net_count_flow(ctx, p->flow, NET_COUNT_MARKED);
}

/* Lose a packet with a failed link, or at a router that has no way for it. `entity` is the link's sender. */
NET_RARE void net_lose(weir_ctx *ctx, const net_world *w, uint32_t entity, const net_packet *p, int why)
{
    weir_count(ctx, w->c_lost + (uint64_t)entity * NET_LOST_COUNTERS + (uint64_t)why, 1);
    net_record_lost(ctx, entity, p, why == NET_LOST_LINK_DOWN ? NET_DROP_LINK_DOWN : NET_DROP_NO_ROUTE, 0);
    net_count_lost(ctx, p);
}
