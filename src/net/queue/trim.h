/*
 * Trimming, as NDP wants it: M. Handley and others, "Re-architecting datacenter networks and stacks for low latency and high
 * performance", SIGCOMM 2017, section 3.1. A short queue of data, and one of headers and ACKs that goes before it: ten of these
 * for one of data where both wait. Where the queue of data is full one packet is cut to its header, which joins the other queue:
 * the one that has come, or as often the last in the queue, so that no flow is trimmed all the time. Packets that cannot be
 * trimmed (all but NDP's and Ultra Ethernet's) are dropped instead, as are headers beyond their limit. A trimmed packet counts as a
 * marked one. Ultra Ethernet's controls want marks too: where thresholds are given, data that leave are marked by what data
 * stay, never up to `mark_min`, always above `mark_max`, and between them with a chance that rises in proportion.
 */
#pragma once

#include "net/port/store.h"

typedef struct WEIR_OVERLAY net_trim_params {
    uint64_t headers_bytes;      /* what may wait of headers and ACKs */
    uint64_t mark_min, mark_max; /* bytes; 0: none are marked */
    uint32_t turns;              /* of headers for one of data; 0: all of them go first */
} net_trim_params;

typedef struct net_trim {
    net_list data, headers;
    uint32_t packets; /* of data */
    uint32_t turns;   /* of headers, since the last packet of data */
} net_trim;

/* Whether a packet may be cut. */
WEIR_FN bool net_trim_may(const net_packet *p)
{
    return (p->flags & (NET_ACK | NET_UDP | NET_TRIMS)) == NET_TRIMS && p->bytes > NET_HEADER_TCP;
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
    p->flags = (uint8_t)((p->flags & ~(NET_ECT | NET_ASKS)) | NET_TRIMMED | (r->last ? NET_ASKS : 0));
    net_count_mark(r->ctx, r->port, p);
    if (r->ctx->world) /* tests have none */
        weir_count(r->ctx, net_world_of(r->ctx)->c_trimmed + p->flow, 1);
}

WEIR_FN void net_trim_enqueue(net_room *r, uint32_t slot)
{
    net_trim *s = (net_trim *)r->own;
    const net_packet *p = &net_room_slot(r, slot)->packet;
    weir_touch(r->ctx, s, sizeof *s);
    if ((p->flags & NET_ACK) || net_is_trimmed(p)) {
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

/* Mark a packet that leaves, by what data stay. */
WEIR_FN void net_trim_mark(net_room *r, const net_trim *s, uint32_t slot)
{
    const net_trim_params *p = NET_QUEUE_PARAMS(trim, r->q);
    if (p->mark_max == 0 || s->data.bytes <= p->mark_min || !net_room_ecn_capable(r, slot))
        return;
    if (s->data.bytes > p->mark_max ||
        weir_draw_below(r->random, p->mark_max - p->mark_min) < s->data.bytes - p->mark_min)
        net_room_mark(r, slot);
}

WEIR_FN uint32_t net_trim_depart(net_room *r)
{
    net_trim *s = (net_trim *)r->own;
    const uint32_t turns = NET_QUEUE_PARAMS(trim, r->q)->turns;
    weir_touch(r->ctx, s, sizeof *s);
    if (s->headers.head && (s->data.head == 0 || turns == 0 || s->turns < turns)) {
        s->turns = s->data.head && turns ? s->turns + 1u : 0;
        return net_list_pop(r, &s->headers);
    }
    s->turns = 0;
    if (s->data.head == 0)
        return 0;
    s->packets--;
    const uint32_t slot = net_list_pop(r, &s->data);
    net_trim_mark(r, s, slot);
    return slot;
}

static inline void net_trim_resolve(net_queue *q)
{
    net_store_resolve(q, sizeof(net_trim));
    q->ecn = NET_QUEUE_PARAMS(trim, q)->mark_max != 0;
    const uint64_t slots = q->slots + NET_QUEUE_PARAMS(trim, q)->headers_bytes / NET_HEADER_TCP;
    q->slots = slots < NET_STORE_MAX ? (uint32_t)slots : NET_STORE_MAX;
}
