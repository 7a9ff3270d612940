/*
 * A port whose discipline decides at departure. Packets wait in a store (store.h); when the line is free, and packets
 * wait, the discipline is asked which goes. So there are two events a hop where packets wait, NET_EV_PORT_DEPART (or
 * NET_EV_HOST_DEPART, at a host's own interface) besides the arrival, and one where they do not: a packet that finds
 * the line free and nothing waiting is sent at once. At most one departure is pending at a port.
 *
 * A packet's time at the far end is known when its transmission begins, a transmission and the link's delay before
 * it comes there: the lookahead is that of all ports. A link that has failed is sent into all the same, and what is
 * sent is lost with it, as from any port.
 */
#pragma once

#include "net/queue/queues.h"
#include "net/switch/transmit.h"

/* Schedule the port's next departure, at a time that is later than now. */
WEIR_FN void net_wake(weir_ctx *ctx, const net_view *v, weir_time at_ps)
{
    v->port->waiting.wake_ps = at_ps;
    net_note *note = (net_note *)weir_schedule_at(
        ctx, ctx->entity, ctx->entity < v->w->n_hosts ? NET_EV_HOST_DEPART : NET_EV_PORT_DEPART, at_ps);
    note->index = 0;
    note->arg = 0;
}

/* When the packet in a slot will have left that the line begins with now. Of a trace's opportunities, one that is now,
 * or was at most a nanosecond ago, serves what waited for it: a departure is due a picosecond after the one before. */
WEIR_FN weir_time net_departs_at(net_room *r, const net_view *v, const net_queued *s)
{
    enum { SINCE_PS = 1000 };
    const net_trace *t = v->link->impaired ? net_trace_at(v->w, r->ctx->entity) : (const net_trace *)0;
    if (!t)
        return r->now_ps + net_link_time(v->link, s->packet.bytes);
    const weir_time since_ps = r->now_ps > SINCE_PS ? r->now_ps - SINCE_PS : 0;
    return net_trace_leaves(r->ctx, v->w, t, s->at_ps > since_ps ? s->at_ps : since_ps, r->now_ps,
                            s->packet.bytes + (uint32_t)v->link->overhead);
}

/* The line is free: transmit what the discipline has for it. Returns the slot that it was in; 0: nothing was sent. */
WEIR_FN_APART uint32_t net_depart_one(net_room *r, const net_view *v)
{
    const uint32_t slot = net_queue_depart(r);
    if (slot) {
        const net_queued *s = net_room_slot(r, slot);
        net_departure d;
        d.packet = &s->packet;
        d.ttl = s->packet.ttl;
        d.leaves_ps = net_departs_at(r, v, s);
        d.send_ps = d.leaves_ps - r->now_ps;
        d.wait_ps = r->now_ps - s->at_ps;
        d.verdict = net_link_loses(v->link, r->random) ? NET_DROP_LOSS : NET_ACCEPT;
        net_transmit(r->ctx, v, d);
        net_room_free(r, slot);
    }
    return slot;
}

/* After net_depart_one: schedule the departure of what waits. */
WEIR_FN void net_depart_again(net_room *r, const net_view *v, uint32_t slot)
{
    if (v->port->ring_count > 0 && (slot || r->again_ps < WEIR_TIME_MAX)) {
        const weir_time free_ps = v->port->busy_until_ps > r->now_ps ? v->port->busy_until_ps : r->now_ps + 1;
        net_wake(r->ctx, v, slot ? free_ps : r->again_ps);
    }
}

/* Enqueue the packet in a slot; where the line is free, and nothing waited, transmit it. */
WEIR_FN_APART void net_enqueue_slot(net_room *r, const net_view *v, uint32_t slot)
{
    net_port *port = v->port;
    const bool idle = port->waiting.wake_ps == 0 && port->busy_until_ps <= r->now_ps;
    net_queue_enqueue(r, slot);
    if (port->ring_count == 0)
        return;
    const weir_time sending_ps = port->busy_until_ps > r->now_ps ? port->busy_until_ps - r->now_ps : 0;
    net_backlog_most(r->ctx, v, sending_ps + (weir_time)((double)port->waiting.bytes / r->q->bytes_per_ps));
    if (idle) { /* what waited before is paused, so that nothing is asked for again once the packet is sent */
        if (!net_depart_one(r, v))
            net_depart_again(r, v, 0);
    } else if (port->waiting.wake_ps == 0)
        net_wake(r->ctx, v, port->busy_until_ps);
}

/* The number by which a discipline distinguishes the packet. */
WEIR_FN uint32_t net_tag_of(const net_world *w, const net_queue *q, const net_packet *packet)
{
    if (q->tag == NET_TAG_FLOW)
        return net_flow_hash(packet);
    return q->tag == NET_TAG_DSCP ? net_class_of_flow(w, packet->flow)->dscp : 0;
}

/* Enqueue where a discipline decides at departure. */
WEIR_FN void net_enqueue_stored(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl)
{
    const net_queue *q = net_queue_of(v);
    weir_stream random = weir_stream_open(ctx);
    net_room r = net_room_of(ctx, q, v->port, net_port_words(ctx, v->w, ctx->entity), &random);
    weir_touch(ctx, r.store, sizeof *r.store);
    r.last = v->link->peer_is_host;
    const uint32_t slot = net_room_put(&r, packet, ttl, net_tag_of(v->w, q, packet));
    if (slot)
        net_enqueue_slot(&r, v, slot);
    else
        net_drop(ctx, v, packet, NET_DROP_LIMIT);
    weir_stream_close(ctx, &random);
}

/* A departure is due. The caller has touched the port. */
WEIR_FN void net_depart(weir_ctx *ctx, const net_view *v)
{
    weir_stream random = weir_stream_open(ctx);
    net_room r = net_room_of(ctx, net_queue_of(v), v->port, net_port_words(ctx, v->w, ctx->entity), &random);
    weir_touch(ctx, r.store, sizeof *r.store);
    v->port->waiting.wake_ps = 0;
    net_depart_again(&r, v, net_depart_one(&r, v));
    weir_stream_close(ctx, &random);
}

/* A departure is due at a router's port. */
WEIR_FN void net_port_depart(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)event;
    const net_view v = net_port_view(ctx, state);
    weir_touch(ctx, v.port, sizeof *v.port);
    net_depart(ctx, &v);
}
