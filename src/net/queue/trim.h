/*
 * Trimming, as NDP wants it: M. Handley and others, "Re-architecting datacenter networks and stacks for low latency and high
 * performance", SIGCOMM 2017, section 3.1. A short queue of data, and one of headers and ACKs that goes before it: ten of these
 * for one of data where both wait. Where the queue of data is full one packet is cut to its header, which joins the other queue:
 * the one that has come, or as often the last in the queue, so that no flow is trimmed all the time. Packets that cannot be
 * trimmed (all but NDP's) are dropped instead, as are headers beyond their limit. A trimmed packet counts as a marked one.
 */
#pragma once

#include "net/port/store.h"

enum { NET_TRIM_TURNS = 10 };

typedef struct WEIR_OVERLAY net_trim_params {
    uint64_t headers_bytes; /* what may wait of headers and ACKs */
} net_trim_params;

typedef struct net_trim {
    net_list data, headers;
    uint32_t packets; /* of data */
    uint32_t turns;   /* of headers, since the last packet of data */
} net_trim;

/* Whether a packet may be cut. */
WEIR_FN bool net_trim_may(const net_packet *p)
{
    return (p->flags & (NET_ACK | NET_UDP | NET_ECT | NET_TRIMS)) == NET_TRIMS && p->bytes > NET_HEADER_TCP;
}

/* Append a header or an ACK, or drop it. */
WEIR_FN void net_trim_push_header(net_room *r, net_trim *s, uint32_t slot)
{
    if (s->headers.bytes + net_room_slot(r, slot)->packet.bytes > NET_QUEUE_PARAMS(trim, r->q)->headers_bytes)
        net_room_drop(r, slot, NET_DROP_LIMIT);
    else
        net_list_push(r, &s->headers, slot);
}

/* The packet that has come and the last of the data queue change places, if that one may be trimmed. */
WEIR_FN void net_trim_swap(net_room *r, net_trim *s, uint32_t slot)
{
    if (s->data.tail == 0)
        return;
    net_queued *last = net_room_slot(r, s->data.tail), *come = net_room_slot(r, slot);
    if (!net_trim_may(&last->packet))
        return;
    const net_packet packet = last->packet;
    const weir_time at_ps = last->at_ps;
    const uint32_t tag = last->tag;
    weir_touch(r->ctx, last, sizeof *last);
    s->data.bytes += come->packet.bytes;
    s->data.bytes -= packet.bytes;
    last->packet = come->packet;
    last->at_ps = come->at_ps;
    last->tag = come->tag;
    come->packet = packet;
    come->at_ps = at_ps;
    come->tag = tag;
}

/* The packet, in no list, loses its data. */
WEIR_FN void net_trim_cut(net_room *r, uint32_t slot)
{
    net_packet *p = &net_room_slot(r, slot)->packet;
    r->port->waiting.bytes -= p->bytes - (uint32_t)NET_HEADER_TCP;
    p->bytes = NET_HEADER_TCP;
    p->flags |= NET_TRIMMED;
    net_count_mark(r->ctx, r->port, p);
}

WEIR_FN void net_trim_enqueue(net_room *r, uint32_t slot)
{
    net_trim *s = (net_trim *)r->own;
    const net_packet *p = &net_room_slot(r, slot)->packet;
    weir_touch(r->ctx, s, sizeof *s);
    if ((p->flags & NET_ACK) || ((p->flags & NET_TRIMS) && p->bytes <= NET_HEADER_TCP)) {
        net_trim_push_header(r, s, slot);
    } else if ((r->q->params.limit_packets == 0 || s->packets < r->q->params.limit_packets) &&
               s->data.bytes + p->bytes <= r->q->params.limit_bytes) {
        net_list_push(r, &s->data, slot);
        s->packets++;
    } else if (net_trim_may(p)) {
        if (weir_draw(r->random) >> 63)
            net_trim_swap(r, s, slot);
        net_trim_cut(r, slot);
        net_trim_push_header(r, s, slot);
    } else {
        net_room_drop(r, slot, NET_DROP_LIMIT);
    }
}

WEIR_FN uint32_t net_trim_depart(net_room *r)
{
    net_trim *s = (net_trim *)r->own;
    weir_touch(r->ctx, s, sizeof *s);
    if (s->headers.head && (s->data.head == 0 || s->turns < NET_TRIM_TURNS)) {
        s->turns = s->data.head ? s->turns + 1u : 0;
        return net_list_pop(r, &s->headers);
    }
    s->turns = 0;
    if (s->data.head)
        s->packets--;
    return net_list_pop(r, &s->data);
}

static inline void net_trim_resolve(net_queue *q)
{
    net_store_resolve(q, sizeof(net_trim));
    const uint64_t slots = q->slots + NET_QUEUE_PARAMS(trim, q)->headers_bytes / NET_HEADER_TCP;
    q->slots = slots < NET_STORE_MAX ? (uint32_t)slots : NET_STORE_MAX;
}
