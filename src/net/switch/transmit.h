/*
 * How a packet leaves a port and comes to the next: the port transmits it, and the link propagates it to a host, or to the port
 * through which it will leave the next router. Its times are known here; whether the port accepts it is decided in
 * switch/port.h, switch/depart.h, switch/switch.h and switch/pfc.h.
 */
#pragma once

#include "net/port/background.h"
#include "net/port/drop.h"
#include "net/port/link.h"
#include "net/port/meter.h"
#include "net/switch/ecmp.h"

/*
 * Whether a packet that arrives now was lost with its link, and counted: the link was down at some time from
 * the packet's first bit leaving to its last arriving. An outage is the time at which the link's last failure
 * ended, WEIR_TIME_MAX while it lasts, so that it covers earlier ones too.
 */
WEIR_FN bool net_is_lost(weir_ctx *ctx, const net_world *w, const weir_event *event)
{
    if (WEIR_LIKELY(w->outages == 0))
        return false;
    const uint32_t from = event->source;
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    const net_link *link = net_link_of(w, from);
    const weir_time sent_ps = weir_now(ctx) - link->delay_ps - net_link_time(link, packet->bytes);
    if (NET_ARRAY(w, weir_time, outages)[from] <= sent_ps)
        return false;
    net_lose(ctx, w, from, packet, NET_LOST_LINK_DOWN);
    return true;
}

/* Entity whose link the handled packet has come over; a switch of shared memory sends as its first port. */
WEIR_FN uint32_t net_came_over(const net_world *w, const weir_event *event)
{
    const uint32_t from = event->source;
    const net_packet *p = WEIR_PAYLOAD(net_packet, event);
    if (!w->port_router || from < w->n_hosts)
        return from;
    return net_next_port(w, NET_ARRAY(w, uint32_t, port_router)[from - w->n_hosts], p, w->ttl - p->ttl - 1u);
}

/* What may come before the handled packet is received, where links fail or are captured. Returns whether it is lost. */
NET_RARE bool net_lost_or_recorded(weir_ctx *ctx, const net_world *w, const weir_event *event, bool by_host)
{
    if (net_is_lost(ctx, w, event))
        return true;
    if (w->captures)
        net_record_received(ctx, w, WEIR_PAYLOAD(net_packet, event), net_came_over(w, event), by_host);
    return false;
}

/* The handled packet is received: by a host, or by a router's port. Returns whether its link has lost it instead. */
WEIR_FN bool net_receive(weir_ctx *ctx, const net_world *w, const weir_event *event, bool by_host)
{
    return WEIR_UNLIKELY(w->watched) && net_lost_or_recorded(ctx, w, event, by_host);
}

/* Entity that handles a packet next which has been sent over a link, and by which event; NET_NONE: the router at the link's end
 * has no way for it. */
WEIR_FN uint32_t net_next_hop(const net_world *w, const net_link *link, const net_packet *packet, uint8_t ttl,
                              uint16_t *type)
{
    if (link->peer_is_host) {
        *type = NET_EV_HOST_PACKET;
        return link->peer;
    }
    if (WEIR_UNLIKELY(w->port_router != 0)) {
        *type = w->pfc_lines ? NET_EV_PFC_PACKET : NET_EV_SWITCH_PACKET;
        return NET_ARRAY(w, uint32_t, router_port)[link->peer];
    }
    *type = NET_EV_PORT_PACKET;
    return net_next_port(w, link->peer, packet, w->ttl - ttl);
}

/* Propagate a packet that has left at leaves_ps to the entity at the link's other end that handles it, by an event of such a
 * type (net_next_hop). Returns the packet as it will be there, for the caller to mark. */
WEIR_FN net_packet *net_propagate_to(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl,
                                     weir_time leaves_ps, uint32_t target, uint16_t type)
{
    const net_link *link = v->link;
#if !WEIR_ON_DEVICE
    /* Fluid's solver has emptied the caches. (In a function of its own gcc 12 takes this for nothing.) */
    const net_background *row =
        link->peer_is_host ? (const net_background *)0 : net_background_row(v->w, target);
    const net_background *due = row ? net_background_due(v->w, row, leaves_ps + link->delay_ps) : row;
    if (due) {
        __builtin_prefetch(net_port_link(v->w, target));
        __builtin_prefetch(due);
        __builtin_prefetch(&due[1].full);
    }
#endif
    net_packet *next =
        (net_packet *)weir_schedule(ctx, target, type, leaves_ps - weir_now(ctx) + link->delay_ps);
    *next = *packet;
    next->ttl = ttl;
    return next;
}

/* Propagate a packet to the link's other end: to a host, or to the port through which it will leave that router. As
 * net_propagate_to; null: that router has no way for it. */
WEIR_FN net_packet *net_propagate(weir_ctx *ctx, const net_view *v, const net_packet *packet, uint8_t ttl,
                                  weir_time leaves_ps)
{
    uint16_t type;
    const uint32_t target = net_next_hop(v->w, v->link, packet, ttl, &type);
    if (WEIR_UNLIKELY(target == NET_NONE)) {
        net_lose(ctx, v->w, ctx->entity, packet, NET_LOST_NO_ROUTE);
        return (net_packet *)0;
    }
    return net_propagate_to(ctx, v, packet, ttl, leaves_ps, target, type);
}

/* Keep the largest backlog after the warm-up. */
WEIR_FN void net_backlog_most(const weir_ctx *ctx, const net_view *v, weir_time backlog_ps)
{
    if (backlog_ps > v->port->backlog_max_ps && weir_now(ctx) >= v->w->warmup_ps)
        v->port->backlog_max_ps = backlog_ps;
}

/* A packet that a port transmits. */
typedef struct net_departure {
    const net_packet *packet;
    weir_time wait_ps, send_ps, leaves_ps; /* in the queue; on the line; when its last bit has been sent */
    enum net_verdict verdict;              /* NET_ACCEPT, NET_MARK, or NET_DROP_LOSS: it is lost on the way */
    uint8_t ttl;
} net_departure;

/* Propagate a packet once more, counted as sent besides. */
NET_RARE void net_propagate_copy(weir_ctx *ctx, const net_view *v, const net_departure *d,
                                 weir_time leaves_ps)
{
    weir_count(ctx, v->w->c_copies + 2 * (uint64_t)d->packet->flow + ((d->packet->flags & NET_ACK) != 0), 1);
    weir_count(ctx, v->w->c_copies + 2 * (uint64_t)v->w->n_tx + ctx->entity, 1);
    net_packet *next = net_propagate(ctx, v, d->packet, d->ttl, leaves_ps);
    if (next && d->verdict == NET_MARK)
        next->flags |= NET_CE;
}

/* The port's statistics of a packet that it transmits. */
WEIR_FN void net_account(net_port *port, const net_departure *d)
{
    port->busy_until_ps = d->leaves_ps;
    port->packets++;
    port->bytes += d->packet->bytes;
    port->wait_ns = net_sum(port->wait_ns, net_whole_ns(d->wait_ps, d->packet));
    net_add_backlog(port, d->packet, d->wait_ps + d->send_ps / 2);
}

/* The meter of a link: behind what its port has in its pool, and what impairs it; of a switch with shared memory behind its
 * ports, one after the other. */
WEIR_FN net_meter *net_meter_of(const weir_ctx *ctx, const net_view *v)
{
    const uint32_t e = ctx->entity;
    uint32_t at = NET_ARRAY(v->w, uint32_t, rings)[2 * (size_t)e + 1];
    if (v->w->port_router && e >= v->w->n_hosts)
        at += NET_METER_WORDS * (v->entity - e);
    else if (v->link->impaired)
        at += NET_IMPAIRED_WORDS;
    return (net_meter *)weir_slot(ctx, e < v->w->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS, at, 8);
}

/* Time to send what waits at a port, as port/meter.h has it; the packet that leaves is still counted there. */
WEIR_FN double net_metered_ps(const net_view *v, const net_departure *d)
{
    const net_queue *q = net_queue_of(v);
    if (v->w->pfc_lines && v->entity >= v->w->n_hosts)
        return (double)(v->port->ring_head - d->packet->bytes) / q->bytes_per_ps;
    return q->departs ? (double)(v->port->waiting.bytes - d->packet->bytes) / q->bytes_per_ps
                      : (double)d->wait_ps;
}

/* Measure the load of a link that sends a packet; data of a class that asks carry it, if it is the largest so far. */
NET_RARE void net_meter_packet(weir_ctx *ctx, const net_view *v, const net_departure *d, net_packet *packet)
{
    net_meter *m = net_meter_of(ctx, v);
    weir_touch(ctx, m, sizeof *m);
    net_meter_take(m, v->w->meter_ps, d->leaves_ps - d->send_ps, d->send_ps, net_metered_ps(v, d));
    const uint32_t asks = packet->flags & NET_ACK ? 0 : net_class_of_flow(v->w, packet->flow)->flags;
    if (!(asks & NET_CLASS_INT))
        return;
    const uint64_t sent = (uint64_t)packet->u.data.sent_ps,
                   code =
                       net_load_code(asks & NET_CLASS_POWER ? net_meter_power(m, v->w->meter_ps) : m->load);
    const uint64_t before = v->entity < v->w->n_hosts ? 0 : sent >> 48; /* hosts send what is their own */
    packet->u.data.sent_ps = (weir_time)((sent & NET_SENT_MASK) | (code > before ? code : before) << 48);
}

/* Record a packet that a port sends, where its link or its class is captured. */
NET_RARE void net_record_sent(weir_ctx *ctx, const net_view *v, const net_departure *d)
{
    if (!net_captures(v->w, v->entity, NET_CAPTURE_SENT) && !net_is_traced(v->w, d->packet))
        return;
    net_packet_record *r = net_record_packet(ctx, v->entity, d->packet);
    if (d->verdict == NET_MARK)
        r->packet.flags |= NET_CE;
    r->packet.ttl = d->ttl;
    r->verdict = (uint16_t)d->verdict;
    r->at_ps = d->leaves_ps - d->send_ps;
    r->wait_ps = d->wait_ps;
}

/* Transmit a packet: count it, let the link do to it what it does, and propagate it. */
WEIR_FN void net_transmit(weir_ctx *ctx, const net_view *v, net_departure d)
{
    net_packet metered;
    if (WEIR_UNLIKELY(v->w->meter_ps != 0)) {
        metered = *d.packet;
        net_meter_packet(ctx, v, &d, &metered);
        d.packet = &metered;
    }
    net_account(v->port, &d);
    net_fate fate;
    fate.twice = false;
    fate.begins_ps = fate.again_ps = d.leaves_ps;
    if (WEIR_UNLIKELY(v->link->impaired)) {
        fate = net_link_fate(ctx, v->w, d.packet, d.leaves_ps, d.send_ps);
        d.verdict = fate.lost ? NET_DROP_LOSS : d.verdict;
    }
    if (WEIR_UNLIKELY(v->w->captures != 0))
        net_record_sent(ctx, v, &d);
    if (d.verdict == NET_DROP_LOSS) { /* sent, and lost on the way */
        net_count_drop(ctx, v->port, d.packet, d.verdict);
        return;
    }
    net_packet *next = net_propagate(ctx, v, d.packet, d.ttl, fate.begins_ps);
    if (d.verdict == NET_MARK) {
        net_count_mark(ctx, v->port, d.packet);
        if (next)
            next->flags |= NET_CE;
    }
    if (WEIR_UNLIKELY(fate.twice))
        net_propagate_copy(ctx, v, &d, fate.again_ps);
}
