/*
 * What ports of all kinds share: how long a link takes, where a packet goes next, and departure times of what is
 * queued. Three acts move a packet: a port enqueues or drops it (switch/port.h), transmits it, and the link propagates
 * it to the next hop; the last two are here, for a packet whose times are known.
 */
#ifndef WI_NET_PORT_SEND_H
#define WI_NET_PORT_SEND_H

#include "net/port/see.h"
#include "net/port/background.h"
#include "net/port/meter.h"
#include "net/packet/world.h"

/* What plain links never come to stays out of line on the host: with it, the compiler would leave the engine's own calls out
 * of line instead, which cost plain FIFO ports a tenth of all instructions. On a device likewise (WEIR_FN_APART): there each
 * copy is in the instruction cache's way, and in the compiler's; without, the network's device code is twice as long. */
#if defined(__CUDACC__)
#define NET_PORT_RARE WEIR_FN_APART
#define NET_PORT_OFTEN WEIR_FN
#else
#define NET_PORT_RARE static __attribute__((noinline, unused))
#define NET_PORT_OFTEN static inline __attribute__((always_inline))
#endif

WEIR_FN weir_time net_link_time(const net_link *link, uint32_t bytes)
{
    return link->ps_per_byte ? (weir_time)((uint64_t)bytes * link->ps_per_byte)
                             : weir_tx_time(bytes, link->rate_bps);
}

/* State of an entity's link, where that is impaired: behind what the port has in its pool. */
WEIR_FN net_impaired *net_impaired_of(const weir_ctx *ctx, const net_world *w, uint32_t entity)
{
    const uint32_t at = NET_ARRAY(w, uint32_t, rings)[2 * (size_t)entity + 1];
    return (net_impaired *)weir_slot(ctx, entity < w->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS, at,
                                     8);
}

/* Departure times of one port's queue, for disciplines that count packets. */
typedef struct net_ring {
    weir_time *times;
    uint32_t size;
} net_ring;

/* A port's words in its kind's pool. */
WEIR_FN uint64_t *net_port_words(const weir_ctx *ctx, const net_world *w, uint32_t entity)
{
    const uint32_t first = NET_ARRAY(w, uint32_t, rings)[2 * (size_t)entity];
    return (uint64_t *)weir_slot(ctx, entity < w->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS, first,
                                 8);
}

/* They stand behind the discipline's own words. */
WEIR_FN net_ring net_ring_of(const weir_ctx *ctx, const net_world *w, const net_queue *q, uint32_t entity)
{
    const uint32_t *first = NET_ARRAY(w, uint32_t, rings) + 2 * (size_t)entity;
    net_ring ring;
    ring.times = (weir_time *)(void *)(net_port_words(ctx, w, entity) + q->own_words);
    ring.size = first[1] - first[0] - q->own_words;
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

/* Where in an array of entries a packet with a source route finds the port of its router number `hop`. */
WEIR_FN size_t net_path_at(const net_world *w, const net_packet *packet, uint32_t hop)
{
    const uint32_t backward = (packet->flags & NET_ACK) != 0;
    return (size_t)NET_ARRAY(w, uint32_t, paths)[2 * (size_t)packet->flow + backward] + hop;
}

/* What shares flows out over paths of equal cost: a hash of the flow and its direction. Flows that follow each
 * other in a slot, at steps of their size, are far apart in it. */
WEIR_FN uint32_t net_flow_hash(const net_packet *packet)
{
    uint64_t h = ((uint64_t)packet->flow << 32) + net_packet_number(packet);
    h = (h ^ (packet->flags & NET_ACK)) * UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h >> 32);
}

/* Another number for each packet of a flow: of what a packet carries unchanged from end to end. */
WEIR_FN uint32_t net_spray_hash(const net_packet *packet)
{
    const uint64_t sent = packet->flags & NET_ACK ? packet->u.ack[0] : packet->u.ack[0] & NET_SENT_MASK;
    uint64_t h = sent * UINT64_C(0x9e3779b97f4a7c15) + packet->u.ack[1];
    h = (h ^ (h >> 29) ^ packet->seq) * UINT64_C(0xd6e8feb86659fd93);
    h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return net_flow_hash(packet) ^ (uint32_t)(h >> 32);
}

/* Another number for each flowlet of a flow's data. */
WEIR_FN uint32_t net_flowlet_hash(const net_packet *packet)
{
    const uint32_t number = packet->flags & NET_ACK ? 0u : packet->u.data.rx_hint / NET_HINT_SLOTS;
    uint64_t h = (uint64_t)(number % NET_HINT_FLOWLETS) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29)) * UINT64_C(0xd6e8feb86659fd93);
    return net_flow_hash(packet) ^ (uint32_t)(h >> 32);
}

/* Entity of the port through which a packet leaves a router, the packet's number `hop` (0: its first);
 * NET_NONE where there is no way. */
NET_PORT_OFTEN uint32_t net_next_port(const net_world *w, uint32_t router, const net_packet *packet,
                                      uint32_t hop)
{
    const net_dest *dest = NET_ARRAY(w, net_dest, dests) + net_packet_dst(w, packet);
    if (dest->router == router)
        return dest->port;
    const uint64_t entries = NET_MAY(w->paths) ? w->path_ports : w->table;
    const size_t at =
        NET_MAY(w->paths) ? net_path_at(w, packet, hop) : (size_t)router * w->n_columns + dest->column;
    uint32_t entry = w->entry_bytes == 1 ? ((const uint8_t *)net_at(w, entries))[at]
                                         : ((const uint16_t *)net_at(w, entries))[at];
    if (WEIR_UNLIKELY(entry == (w->entry_bytes == 1 ? UINT8_MAX : WEIR_NO_PORT)))
        return NET_NONE;
    if (w->ecmp) {
        const uint32_t *bounds =
            NET_ARRAY(w, uint32_t, set_bounds) + NET_ARRAY(w, uint32_t, set_first)[router] + entry;
        const uint32_t hash = WEIR_LIKELY(w->ecmp == 1)          ? net_flow_hash(packet)
                              : NET_MAY(w->ecmp == NET_FLOWLETS) ? net_flowlet_hash(packet)
                                                                 : net_spray_hash(packet);
        const uint32_t pick = weir_ecmp_pick(hash, router, bounds[1] - bounds[0]);
        entry = NET_ARRAY(w, uint16_t, set_ports)[bounds[0] + pick];
    }
    return NET_ARRAY(w, uint32_t, router_port)[router] + entry;
}

WEIR_FN void net_count_drop(weir_ctx *ctx, net_port *port, const net_packet *p, enum net_verdict why)
{
    if (why == NET_DROP_TTL)
        port->dropped_ttl++;
    else
        port->dropped[why - NET_DROP_LIMIT]++;
    net_count_flow(ctx, p->flow, p->flags & NET_ACK ? NET_COUNT_ACK_DROPPED : NET_COUNT_DROPPED);
}

/* A packet that goes no further, at the port that is an entity. */
WEIR_FN void net_drop_at(weir_ctx *ctx, uint32_t entity, net_port *port, const net_packet *p,
                         enum net_verdict why)
{
    net_count_drop(ctx, port, p, why);
    net_see_lost(ctx, net_world_of(ctx), entity, p, why, 0);
}

/* At the port that handles the event. */
WEIR_FN void net_drop(weir_ctx *ctx, net_port *port, const net_packet *p, enum net_verdict why)
{
    net_drop_at(ctx, ctx->entity, port, p, why);
}

/* What captures need to know where a switch of shared memory handles an event as its first port: whose link a packet leaves
 * by, and which it has come over. The link is one of world->links, or a host's own. */
WEIR_FN uint32_t net_leaves_by(const weir_ctx *ctx, const net_world *w, const net_link *link)
{
    if (WEIR_LIKELY(!NET_MAY(w->captures != 0)) || !w->port_router || ctx->entity < w->n_hosts)
        return ctx->entity;
    return w->n_hosts + (uint32_t)(link - NET_ARRAY(w, net_link, links));
}

WEIR_FN uint32_t net_came_over(const net_world *w, const weir_event *event)
{
    const uint32_t from = event->source;
    const net_packet *p = WEIR_PAYLOAD(net_packet, event);
    if (WEIR_LIKELY(!NET_MAY(w->captures != 0)) || !w->port_router || from < w->n_hosts)
        return from;
    return net_next_port(w, NET_ARRAY(w, uint32_t, port_router)[from - w->n_hosts], p, w->ttl - p->ttl - 1u);
}

/* A packet that a failed link has lost, or that the router at its end has no way for. `entity` is the link's
 * sender. */
WEIR_FN void net_lose(weir_ctx *ctx, const net_world *w, uint32_t entity, const net_packet *p, int why)
{
    weir_count(ctx, w->c_lost + (uint64_t)entity * NET_LOST_COUNTERS + (uint64_t)why, 1);
    net_see_lost(ctx, w, entity, p, why == NET_LOST_LINK_DOWN ? NET_SEEN_LINK_DOWN : NET_SEEN_NO_ROUTE, 0);
    net_count_flow(ctx, p->flow, p->flags & NET_ACK ? NET_COUNT_ACK_DROPPED : NET_COUNT_DROPPED);
}

/*
 * Whether a packet that arrives now was lost with its link, and counted: the link was down at some time from
 * the packet's first bit leaving to its last arriving. An outage is the time at which the link's last failure
 * ended, WEIR_TIME_MAX while it lasts, and so tells of earlier ones too.
 */
WEIR_FN bool net_link_lost(weir_ctx *ctx, const net_world *w, const weir_event *event)
{
    if (WEIR_LIKELY(!NET_MAY(w->outages != 0)))
        return false;
    const uint32_t from = event->source;
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    const net_link *link =
        from < w->n_hosts ? &NET_ARRAY(w, net_host_params, hosts)[from].nic : net_port_link(w, from);
    const weir_time sent_ps = weir_now(ctx) - link->delay_ps - net_link_time(link, packet->bytes);
    if (NET_ARRAY(w, weir_time, outages)[from] <= sent_ps)
        return false;
    net_lose(ctx, w, from, packet, NET_LOST_LINK_DOWN);
    return true;
}

/* The packet that leaves at `leaves_ps` arrives at the link's other end: at a host, or at the port through
 * which it will leave that router. */
WEIR_FN void net_propagate(weir_ctx *ctx, const net_world *w, const net_link *link, const net_packet *packet,
                           uint8_t flags, uint8_t ttl, weir_time leaves_ps)
{
    const weir_time delay_ps = leaves_ps - weir_now(ctx) + link->delay_ps;
    const bool to_switch = NET_MAY(!link->peer_is_host && w->port_router);
    const uint32_t target = link->peer_is_host ? link->peer
                            : to_switch        ? NET_ARRAY(w, uint32_t, router_port)[link->peer]
                                               : net_next_port(w, link->peer, packet, w->ttl - ttl);
    if (WEIR_UNLIKELY(target == NET_NONE)) {
        net_lose(ctx, w, ctx->entity, packet, NET_LOST_NO_ROUTE);
        return;
    }
#if !WEIR_ON_DEVICE
    /* Fluid's solver has emptied the caches. (In a function of its own gcc 12 takes this for nothing.) */
    const net_background *row =
        link->peer_is_host ? (const net_background *)0 : net_background_row(w, target);
    const net_background *due = row ? net_background_due(w, row, leaves_ps + link->delay_ps) : row;
    if (due) {
        __builtin_prefetch(net_port_link(w, target));
        __builtin_prefetch(due);
        __builtin_prefetch(&due[1].full);
    }
#endif
    const uint16_t type = link->peer_is_host ? NET_EV_HOST_PACKET
                          : to_switch        ? (w->pfc_lines ? NET_EV_PFC_PACKET : NET_EV_SWITCH_PACKET)
                                             : NET_EV_PORT_PACKET;
    net_packet *next = (net_packet *)weir_schedule(ctx, target, type, delay_ps);
    next->flow = packet->flow;
    next->dst = packet->dst;
    next->seq = packet->seq;
    next->bytes = packet->bytes;
    next->flags = flags;
    next->ttl = ttl;
    next->u = packet->u;
}

WEIR_FN void net_backlog_most(const weir_ctx *ctx, const net_world *w, net_port *port, weir_time backlog_ps)
{
    if (backlog_ps > port->backlog_max_ps && weir_now(ctx) >= w->warmup_ps)
        port->backlog_max_ps = backlog_ps;
}

/* What an entity's link, an impaired one, does to packets; and the trace that it follows, or null. */
WEIR_FN const net_impairment *net_impairment_at(const net_world *w, uint32_t entity)
{
    return NET_ARRAY(w, net_impairment, impairments) + NET_ARRAY(w, uint32_t, impairment_of)[entity];
}

WEIR_FN const net_trace *net_trace_at(const net_world *w, uint32_t entity)
{
    const uint64_t trace = net_impairment_at(w, entity)->trace;
    return trace ? (const net_trace *)net_at(w, trace) : (const net_trace *)0;
}

/* When a packet that is there since ready_ps, of which the line begins at begins_ps at the earliest, will have left. */
WEIR_FN_APART weir_time net_trace_leaves(weir_ctx *ctx, const net_world *w, const net_trace *t,
                                         weir_time ready_ps, weir_time begins_ps, uint32_t bytes)
{
    if (t->kind == NET_TRACE_RATES)
        return net_trace_sent(t, (const net_trace_point *)net_at(w, t->points), begins_ps, bytes);
    net_impaired *s = net_impaired_of(ctx, w, ctx->entity);
    weir_touch(ctx, s, sizeof *s);
    const weir_time at_ps =
        net_trace_served(t, (const weir_time *)net_at(w, t->points), &s->served, ready_ps, bytes);
    return at_ps > begins_ps ? at_ps : begins_ps;
}

/* Bytes that the line can send from one time to another. */
WEIR_FN_APART double net_trace_between(const net_world *w, const net_trace *t, weir_time from_ps,
                                       weir_time to_ps)
{
    if (to_ps <= from_ps)
        return 0.0;
    if (t->kind == NET_TRACE_RATES) {
        const net_trace_point *points = (const net_trace_point *)net_at(w, t->points);
        return net_trace_bytes(t, points, to_ps) - net_trace_bytes(t, points, from_ps);
    }
    const weir_time *at = (const weir_time *)net_at(w, t->points);
    return (double)NET_OPPORTUNITY * (double)(net_trace_past(t, at, to_ps) - net_trace_past(t, at, from_ps));
}

/* Bytes that stand in a port that decides at arrival. */
WEIR_FN_APART double net_trace_backlog(const weir_ctx *ctx, const net_world *w, const net_trace *t,
                                       weir_time now_ps, weir_time busy_until_ps)
{
    if (t->kind == NET_TRACE_RATES || busy_until_ps <= now_ps)
        return net_trace_between(w, t, now_ps, busy_until_ps);
    const uint64_t gone =
        net_trace_past(t, (const weir_time *)net_at(w, t->points), now_ps) * NET_OPPORTUNITY;
    const uint64_t served = net_impaired_of(ctx, w, ctx->entity)->served;
    return served > gone ? (double)(served - gone) : 0.0;
}

/* The fate of a packet that an impaired link is given. */
WEIR_FN_APART net_fate net_link_fate(weir_ctx *ctx, const net_world *w, const net_packet *packet,
                                     weir_time leaves_ps, weir_time send_ps)
{
    const net_impairment *m = net_impairment_at(w, ctx->entity);
    weir_time more_ps = 0;
    if (m->flags & NET_IMPAIR_DELAYS) {
        const net_trace *t = (const net_trace *)net_at(w, m->trace);
        const net_trace_point *points = (const net_trace_point *)net_at(w, t->points);
        more_ps = points[net_trace_point_at(t, points, net_trace_split(t, leaves_ps).rest_ps)].more_ps;
    }
    net_impaired *s = net_impaired_of(ctx, w, ctx->entity);
    weir_touch(ctx, s, sizeof *s);
    return net_impair(ctx, m, s, packet->bytes, leaves_ps, more_ps, send_ps);
}

/* The packet once more, counted as sent besides. */
NET_PORT_RARE void net_propagate_copy(weir_ctx *ctx, const net_world *w, const net_link *link,
                                      const net_packet *packet, uint8_t flags, uint8_t ttl,
                                      weir_time leaves_ps)
{
    weir_count(ctx, w->c_copies + 2 * (uint64_t)packet->flow + ((packet->flags & NET_ACK) != 0), 1);
    weir_count(ctx, w->c_copies + 2 * (uint64_t)w->n_tx + ctx->entity, 1);
    net_propagate(ctx, w, link, packet, flags, ttl, leaves_ps);
}

/* The port's statistics of a packet that is sent from wait_ps on and has left at leaves_ps. */
WEIR_FN void net_account(net_port *port, const net_packet *packet, weir_time wait_ps, weir_time send_ps,
                         weir_time leaves_ps)
{
    port->busy_until_ps = leaves_ps;
    port->packets++;
    port->bytes += packet->bytes;
    port->wait_ns += (uint64_t)wait_ps / 1000u;
    port->backlog_byte_s += (double)packet->bytes * ((double)wait_ps + 0.5 * (double)send_ps) * 1e-12;
}

/* The meter of a link: behind what its port has in its pool, and what impairs it; of a switch with shared memory behind its
 * ports, one after the other. */
WEIR_FN net_meter *net_meter_of(const weir_ctx *ctx, const net_world *w, const net_link *link)
{
    const uint32_t e = ctx->entity;
    uint32_t at = NET_ARRAY(w, uint32_t, rings)[2 * (size_t)e + 1];
    if (w->port_router && e >= w->n_hosts)
        at += NET_METER_WORDS * (uint32_t)(link - net_port_link(w, e));
    else if (link->impaired)
        at += NET_IMPAIRED_WORDS;
    return (net_meter *)weir_slot(ctx, e < w->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS, at, 8);
}

/* Time to send what waits at a port, as port/meter.h has it; the packet that leaves is still counted there. */
WEIR_FN double net_metered_ps(const net_world *w, const net_link *link, const net_port *port, uint32_t bytes,
                              uint32_t entity, weir_time wait_ps)
{
    const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
    if (w->pfc_lines && entity >= w->n_hosts)
        return (double)(port->ring_head - bytes) / q->bytes_per_ps;
    return q->departs ? (double)(port->waiting.bytes - bytes) / q->bytes_per_ps : (double)wait_ps;
}

/* A packet is sent over a link whose load is measured; data of a class that asks carry it, if it is the largest so far. */
NET_PORT_RARE void net_meter_packet(weir_ctx *ctx, const net_world *w, const net_link *link,
                                    const net_port *port, net_packet *packet, weir_time wait_ps,
                                    weir_time send_ps, weir_time leaves_ps)
{
    net_meter *m = net_meter_of(ctx, w, link);
    weir_touch(ctx, m, sizeof *m);
    const double load = net_meter_take(m, w->meter_ps, leaves_ps - send_ps, send_ps,
                                       net_metered_ps(w, link, port, packet->bytes, ctx->entity, wait_ps));
    if ((packet->flags & NET_ACK) || !(net_class_of_flow(w, packet->flow)->flags & NET_CLASS_INT))
        return;
    const uint64_t sent = (uint64_t)packet->u.data.sent_ps, code = net_load_code(load);
    const uint64_t before = ctx->entity < w->n_hosts ? 0 : sent >> 48; /* hosts send what is their own */
    packet->u.data.sent_ps = (weir_time)((sent & NET_SENT_MASK) | (code > before ? code : before) << 48);
}

/* A packet is sent from wait_ps on and has left at leaves_ps. */
WEIR_FN void net_transmit(weir_ctx *ctx, const net_world *w, const net_link *link, net_port *port,
                          const net_packet *packet, uint8_t ttl, enum net_verdict verdict, weir_time wait_ps,
                          weir_time send_ps, weir_time leaves_ps)
{
    net_packet metered;
    if (WEIR_UNLIKELY(w->meter_ps != 0)) {
        metered = *packet;
        net_meter_packet(ctx, w, link, port, &metered, wait_ps, send_ps, leaves_ps);
        packet = &metered;
    }
    net_account(port, packet, wait_ps, send_ps, leaves_ps);
    net_fate fate;
    fate.twice = false;
    fate.begins_ps = fate.again_ps = leaves_ps;
    if (WEIR_UNLIKELY(link->impaired)) {
        fate = net_link_fate(ctx, w, packet, leaves_ps, send_ps);
        verdict = fate.lost ? NET_DROP_LOSS : verdict;
    }
    net_see_leaving(ctx, w, net_leaves_by(ctx, w, link), packet,
                    (uint8_t)(verdict == NET_MARK ? packet->flags | NET_CE : packet->flags), ttl, verdict,
                    leaves_ps - send_ps, wait_ps);
    if (verdict == NET_DROP_LOSS) { /* sent, and lost on the way */
        net_count_drop(ctx, port, packet, verdict);
        return;
    }
    uint8_t flags = packet->flags;
    if (verdict == NET_MARK) {
        flags |= NET_CE;
        port->marked++;
        net_count_flow(ctx, packet->flow, NET_COUNT_MARKED);
    }
    net_propagate(ctx, w, link, packet, flags, ttl, fate.begins_ps);
    if (WEIR_UNLIKELY(fate.twice))
        net_propagate_copy(ctx, w, link, packet, flags, ttl, fate.again_ps);
}

/* A packet is accepted, to be sent from wait_ps on and to have left at leaves_ps. */
WEIR_FN void net_accept(weir_ctx *ctx, const net_world *w, const net_link *link, net_port *port,
                        const net_packet *packet, uint8_t ttl, enum net_verdict verdict, weir_time wait_ps,
                        weir_time send_ps, weir_time leaves_ps)
{
    net_backlog_most(ctx, w, port, wait_ps + send_ps);
    net_transmit(ctx, w, link, port, packet, ttl, verdict, wait_ps, send_ps, leaves_ps);
}

#endif
