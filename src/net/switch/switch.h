/*
 * Switches whose ports share a memory, with dynamic thresholds (A. K. Choudhury, E. L. Hahne, Dynamic Queue Length Thresholds
 * for Shared-memory Packet Switches, IEEE/ACM ToN 6(2), 1998): a packet is taken while its port's queue is shorter than
 * alpha times the memory that is free, and it fits.
 *
 * Whether a packet is taken depends on all queues of its switch, so all of them are one entity, that of the switch's first
 * port: what comes to any is an event there, in the one order that every engine keeps. The ports' states stand in its
 * words, port by port; entities of the other ports have no events. The port through which a packet leaves is looked up when
 * it comes, by its route from there, which is what the sender would have found. Queues are FIFO, so one event a hop is
 * enough: what each holds at any time follows from when its line will be free.
 */
#pragma once

#include "net/switch/port.h"

enum { NET_SWITCH_PORT_WORDS = sizeof(net_port) / 8 };
WEIR_STATIC_ASSERT(sizeof(net_port) % 8 == 0, "a pool of words holds ports");

/* Bytes in the memory of a switch whose ports are entities from `first` to before `end`; in the order of ports, so that the
 * sum's rounding is the same everywhere. */
WEIR_FN double net_switch_used(const net_world *w, const net_port *ports, uint32_t first, uint32_t end,
                               weir_time now_ps)
{
    double used = 0.0;
    for (uint32_t e = first; e < end; e++) {
        const weir_time backlog_ps = ports[e - first].busy_until_ps - now_ps;
        if (backlog_ps > 0)
            used += (double)backlog_ps *
                    (NET_ARRAY(w, net_queue, queues) + net_port_link(w, e)->queue)->bytes_per_ps;
    }
    return used;
}

/* Does the memory take a packet for a queue of `queue` bytes while `used` are taken? Half a byte of slack for rounding. */
WEIR_FN bool net_switch_takes(double size, double alpha, double used, double queue, uint32_t bytes)
{
    return used + (double)bytes <= size + 0.5 && queue < alpha * (size - used);
}

/* A switch of shared memory receives a packet. */
WEIR_FN void net_switch_receive(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)state;
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    const net_world *w = net_world_of(ctx);
    const uint32_t first = ctx->entity, router = NET_ARRAY(w, uint32_t, port_router)[first - w->n_hosts];
    const uint32_t end =
        NET_ARRAY(w, uint32_t, router_port)[router] + NET_ARRAY(w, uint32_t, router_ports)[router];
    const uint32_t leaves_by = net_next_port(w, router, packet, w->ttl - packet->ttl);
    net_port *ports = (net_port *)(void *)net_port_words(ctx, w, first);
    net_view v = net_port_view(ctx, ports);
    v.entity = leaves_by == NET_NONE ? first : leaves_by; /* none: cannot be, flows have ways */
    v.link = net_port_link(w, v.entity);
    v.port = &ports[v.entity - first];
    weir_touch(ctx, v.port, sizeof *v.port);
    if (net_receive(ctx, w, event, false))
        return;
    if (packet->ttl <= 1 || leaves_by == NET_NONE) {
        net_drop(ctx, &v, packet, NET_DROP_TTL);
        return;
    }
    const net_queue *q = net_queue_of(&v);
    net_arrival a = net_arrival_at(v.port, packet, weir_now(ctx));
    const double used = net_switch_used(w, ports, first, end, a.now_ps);
    enum net_verdict verdict = NET_DROP_LIMIT;
    if (net_switch_takes(w->buffer_bytes, w->buffer_alpha, used, net_backlog_bytes(q, &a), a.bytes))
        verdict = net_decide(ctx, &v, q, &a);
    if (net_is_dropped(verdict))
        net_drop(ctx, &v, packet, verdict);
    else
        net_accept(ctx, &v, packet, (uint8_t)(packet->ttl - 1), verdict, &a);
}
