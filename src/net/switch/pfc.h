/*
 * Switches with a shared memory that lose nothing: priority flow control (IEEE 802.1Qbb; 802.1Q-2022, clause 36).
 *
 * A packet of a lossless priority counts for the port that it came in by. While that port's packets of the priority are less
 * than a threshold (a size, or alpha times what is free), they are in the memory that all share. From the threshold on they
 * are in headroom, which is the port's own, and the neighbour is paused (XOFF): the packet that it is sending is still
 * sent, and what is on the line comes. It is released (XON) when the headroom is empty and the port holds `xon_offset`
 * less than the threshold, or nothing. Other priorities find room as without PFC (port/switch.h).
 *
 * A pause frame has 64 bytes and a bit a priority, goes before all packets when the line is free, takes its time on the
 * line, and holds until the next (no quanta that end). So it is not known at arrival when a packet leaves: what waits is
 * in slots of the switch, in a list a priority at each port, the highest that may go first. Each list is a queue of its own to
 * the port's discipline, whose backlog is what of that priority waits or is being sent. A switch is one entity; behind its
 * ports' states (net_port; ring_count and ring_head: packets and bytes that wait) stand those below.
 */
#pragma once

#include "net/port/bands.h"
#include "net/switch/switch.h"

enum { NET_PFC_FRAME = 64 };

typedef struct net_pfc_port {
    net_list waits[NET_BANDS];        /* to leave by this port */
    net_queue_state queue[NET_BANDS]; /* the discipline's */
    weir_time sent_ps[NET_BANDS];     /* when the last packet that went will have left */
    uint64_t held[NET_BANDS];  /* bytes in the switch that came by this port, of lossless priorities; */
    uint64_t spare[NET_BANDS]; /* of these, in headroom */
    uint64_t spare_most;       /* of any priority, ever */
    weir_time wake_ps;         /* when a departure is due; 0: none is */
    uint8_t paused;            /* priorities that the neighbour has paused here, a bit each */
    uint8_t wanted, sent;      /* those that the neighbour shall pause, and those of the last frame */
    uint8_t reserved[5];
} net_pfc_port;

/* Behind the ports: the memory, then its slots. */
typedef struct net_pfc_memory {
    uint64_t used; /* bytes, without headroom */
    net_store store;
} net_pfc_memory;

enum {
    NET_PFC_PORT_WORDS = NET_SWITCH_PORT_WORDS + sizeof(net_pfc_port) / 8,
    NET_PFC_MEMORY_WORDS = sizeof(net_pfc_memory) / 8
};
WEIR_STATIC_ASSERT(sizeof(net_pfc_port) % 8 == 0 && sizeof(net_pfc_memory) % 8 == 0,
                   "a pool of words holds both");

/* A handler's view of its switch; ports are numbered from 0 there. */
typedef struct net_pfc {
    const net_world *w;
    const net_pfc_line *lines;
    net_port *ports;
    net_pfc_port *more;
    net_pfc_memory *memory;
    net_room room; /* slots, random numbers, the time */
    uint32_t first, router;
    double pool; /* bytes of the memory without all headroom */
} net_pfc;

/* Open the switch that handles an event. */
WEIR_FN net_pfc net_pfc_of(weir_ctx *ctx, weir_stream *random)
{
    net_pfc s;
    const net_world *w = net_world_of(ctx);
    s.w = w;
    s.first = ctx->entity;
    s.router = NET_ARRAY(w, uint32_t, port_router)[s.first - w->n_hosts];
    const uint32_t n = NET_ARRAY(w, uint32_t, router_ports)[s.router];
    uint64_t *words = net_port_words(ctx, w, s.first);
    s.lines = NET_ARRAY(w, net_pfc_line, pfc_lines) + (s.first - w->n_hosts);
    s.ports = (net_port *)(void *)words;
    s.more = (net_pfc_port *)(void *)(words + (size_t)n * NET_SWITCH_PORT_WORDS);
    s.memory = (net_pfc_memory *)(void *)(words + (size_t)n * NET_PFC_PORT_WORDS);
    s.room.ctx = ctx; /* of no port and no discipline: slots alone */
    s.room.q = (const net_queue *)0;
    s.room.port = (net_port *)0;
    s.room.own = (void *)0;
    s.room.store = &s.memory->store;
    s.room.slots = (net_queued *)(void *)(s.memory + 1);
    s.room.random = random;
    s.room.now_ps = weir_now(ctx);
    s.room.again_ps = 0;
    s.pool = NET_ARRAY(w, double, pfc_pools)[s.router];
    return s;
}

/* A port of the switch, as other ports are. */
WEIR_FN net_view net_pfc_view(const net_pfc *s, uint32_t e)
{
    net_view v;
    v.w = s->w;
    v.entity = s->first + e;
    v.link = net_port_link(s->w, v.entity);
    v.port = &s->ports[e];
    v.turn = (struct net_turn *)0;
    return v;
}

/* Bytes of a priority from which on its neighbour is paused. */
WEIR_FN double net_pfc_threshold(const net_pfc *s)
{
    const double free = s->pool - (double)s->memory->used;
    if (free <= 0.0)
        return 0.0;
    return s->w->pfc_xoff ? (double)s->w->pfc_xoff : s->w->buffer_alpha * free;
}

/* Make room for a lossless packet that came by port i. There is, by the headroom that build/pfc.c computes. */
WEIR_FN bool net_pfc_hold(net_pfc *s, uint32_t i, uint32_t priority, uint32_t bytes)
{
    net_pfc_port *in = &s->more[i];
    const uint8_t bit = (uint8_t)(1u << priority);
    weir_touch(s->room.ctx, in, sizeof *in);
    if (!(in->wanted & bit) && (double)in->held[priority] < net_pfc_threshold(s)) {
        s->memory->used += bytes;
    } else {
        in->wanted |= bit;
        if (in->spare[priority] + bytes > s->lines[i].headroom_bytes)
            return false;
        in->spare[priority] += bytes;
        if (in->spare[priority] > in->spare_most)
            in->spare_most = in->spare[priority];
    }
    in->held[priority] += bytes;
    return true;
}

/* Release the room of a packet that came by port i and has left. */
WEIR_FN void net_pfc_release(net_pfc *s, uint32_t i, uint32_t priority, uint32_t bytes)
{
    net_pfc_port *in = &s->more[i];
    const uint32_t bit = 1u << priority;
    if (!(s->w->pfc_lossless & bit)) {
        s->memory->used -= bytes;
        return;
    }
    weir_touch(s->room.ctx, in, sizeof *in);
    const uint64_t spare = in->spare[priority] < bytes ? in->spare[priority] : bytes;
    in->spare[priority] -= spare;
    in->held[priority] -= bytes;
    s->memory->used -= bytes - spare;
    if (in->spare[priority] == 0 &&
        (in->held[priority] == 0 ||
         (double)in->held[priority] + (double)s->w->pfc_xon_offset <= net_pfc_threshold(s)))
        in->wanted &= (uint8_t)~bit;
}

/* Count one more for each priority of a mask. */
WEIR_FN void net_pfc_count(weir_ctx *ctx, const net_world *w, uint32_t entity, int what, uint32_t mask)
{
    for (uint32_t i = 0; i < NET_BANDS; i++)
        if (mask >> i & 1u)
            weir_count(ctx, w->c_pfc + (uint64_t)entity * NET_PFC_COUNTERS + (uint64_t)what, 1);
}

/* A frame has come to the port that is this entity. Time is counted from its start below 0, so that the sum is right as it
 * ends; while it lasts, readers add the time of reading. */
WEIR_FN void net_pfc_obeyed(weir_ctx *ctx, const net_world *w, uint32_t entity, uint32_t before,
                            uint32_t after)
{
    const uint32_t from = entity < w->n_hosts
                              ? NET_ARRAY(w, net_dest, dests)[entity].port
                              : NET_ARRAY(w, net_pfc_line, pfc_lines)[entity - w->n_hosts].reverse;
    net_record_pause(ctx, from, true, before, after);
    net_pfc_count(ctx, w, entity, NET_PFC_XOFF_GOT, after & ~before);
    net_pfc_count(ctx, w, entity, NET_PFC_XON_GOT, before & ~after);
    if (!before != !after)
        weir_count(ctx, w->c_pfc + (uint64_t)entity * NET_PFC_COUNTERS + NET_PFC_TIME,
                   after ? -weir_now(ctx) : weir_now(ctx));
}

/* Send a pause frame by port i, touched. */
WEIR_FN void net_pfc_send_pause(net_pfc *s, uint32_t i)
{
    weir_ctx *ctx = s->room.ctx;
    net_pfc_port *x = &s->more[i];
    const net_link *link = net_port_link(s->w, s->first + i);
    const weir_time send_ps = net_link_time(link, NET_PFC_FRAME);
    net_pfc_count(ctx, s->w, s->first + i, NET_PFC_XOFF_SENT, (uint32_t)x->wanted & ~(uint32_t)x->sent);
    net_pfc_count(ctx, s->w, s->first + i, NET_PFC_XON_SENT, (uint32_t)x->sent & ~(uint32_t)x->wanted);
    net_record_pause(ctx, s->first + i, false, x->sent, x->wanted);
    x->sent = x->wanted;
    s->ports[i].busy_until_ps = s->room.now_ps + send_ps;
    const uint32_t target =
        link->peer_is_host ? link->peer : NET_ARRAY(s->w, uint32_t, router_port)[link->peer];
    net_note *note = (net_note *)weir_schedule(
        ctx, target, link->peer_is_host ? NET_EV_HOST_PAUSE : NET_EV_PFC_PAUSE, send_ps + link->delay_ps);
    note->index = s->lines[i].reverse;
    note->arg = x->sent;
}

/* The first packet of the highest priority that may leave by a port; its list is `band`. 0: none. */
WEIR_FN uint32_t net_pfc_next(const net_pfc_port *x, uint32_t *band)
{
    for (uint32_t b = NET_BANDS; b-- > 0;)
        if (x->waits[b].head && !(x->paused >> b & 1u)) {
            *band = b;
            return x->waits[b].head;
        }
    return 0;
}

/* Transmit the next packet through port e, touched. Returns the port that it came by. */
WEIR_FN_APART uint32_t net_pfc_transmit(net_pfc *s, uint32_t e, uint32_t band)
{
    const net_view v = net_pfc_view(s, e);
    const uint32_t slot = net_list_pop(&s->room, &s->more[e].waits[band]);
    net_queued *q = net_room_slot(&s->room, slot);
    const uint32_t bytes = q->packet.bytes, in = q->tag;
    net_departure d;
    d.packet = &q->packet;
    d.ttl = q->packet.ttl;
    d.wait_ps = s->room.now_ps - q->at_ps;
    d.send_ps = net_link_time(v.link, bytes);
    d.leaves_ps = s->room.now_ps + d.send_ps;
    d.verdict = net_link_loses(v.link, s->room.random) ? NET_DROP_LOSS : NET_ACCEPT;
    net_transmit(s->room.ctx, &v, d);
    s->more[e].sent_ps[band] = d.leaves_ps;
    v.port->ring_count--;
    v.port->ring_head -= bytes;
    weir_touch(s->room.ctx, s->memory, sizeof *s->memory);
    net_pfc_release(s, in, band, bytes);
    net_store_free(&s->room, slot);
    return in;
}

/* Transmit what may leave by port e, if its line is free; otherwise schedule a departure for when it is. Returns the port
 * whose neighbour must then be paused or released, or NET_NONE. */
WEIR_FN_APART uint32_t net_pfc_serve(net_pfc *s, uint32_t e)
{
    net_pfc_port *x = &s->more[e];
    net_port *port = &s->ports[e];
    uint32_t band = 0, in = NET_NONE;
    if (x->wake_ps != 0 || (x->wanted == x->sent && !net_pfc_next(x, &band)))
        return NET_NONE;
    weir_touch(s->room.ctx, x, sizeof *x);
    weir_touch(s->room.ctx, port, sizeof *port);
    if (port->busy_until_ps <= s->room.now_ps) {
        if (x->wanted != x->sent)
            net_pfc_send_pause(s, e);
        else
            in = net_pfc_transmit(s, e, band);
    }
    if (x->wanted != x->sent || net_pfc_next(x, &band)) {
        const weir_time now_ps = s->room.now_ps;
        x->wake_ps = port->busy_until_ps > now_ps ? port->busy_until_ps : now_ps + 1;
        net_note *note = (net_note *)weir_schedule_at(s->room.ctx, s->first, NET_EV_PFC_DEPART, x->wake_ps);
        note->index = e;
        note->arg = 0;
    }
    return in != NET_NONE && in != e && s->more[in].wanted != s->more[in].sent ? in : NET_NONE;
}

/* The port that the handled packet came by. */
WEIR_FN uint32_t net_pfc_came_by(const net_pfc *s, const weir_event *event)
{
    const net_world *w = s->w;
    const uint32_t from = net_came_over(w, event);
    return (from < w->n_hosts ? NET_ARRAY(w, net_dest, dests)[from].port
                              : NET_ARRAY(w, net_pfc_line, pfc_lines)[from - w->n_hosts].reverse) -
           s->first;
}

/* The verdict of port e's discipline on a packet, by what its priority has there; none of a lossless one is dropped. */
WEIR_FN enum net_verdict net_pfc_decide(net_pfc *s, uint32_t e, const net_packet *packet, uint32_t band)
{
    net_pfc_port *x = &s->more[e];
    const bool lossless = s->w->pfc_lossless >> band & 1u;
    const net_view v = net_pfc_view(s, e);
    const net_queue *q = net_queue_of(&v);
    net_arrival a = net_arrival_at(v.port, packet, s->room.now_ps);
    a.idle_since_ps = x->sent_ps[band];
    a.backlog_ps = a.idle_since_ps > a.now_ps ? a.idle_since_ps - a.now_ps : 0;
    a.backlog_ps += (weir_time)((double)x->waits[band].bytes / q->bytes_per_ps);
    if (!lossless && !net_switch_takes(s->pool, s->w->buffer_alpha, (double)s->memory->used,
                                       (double)x->waits[band].bytes, a.bytes))
        return NET_DROP_LIMIT;
    weir_touch(s->room.ctx, &x->queue[band], sizeof x->queue[band]);
    const enum net_verdict verdict = net_queue_arrive(q, &x->queue[band], &a, s->room.random);
    if (!lossless || verdict < NET_DROP_LIMIT)
        return verdict;
    return q->ecn && a.ecn_capable ? NET_MARK : NET_ACCEPT;
}

/* Append the packet in a slot to those that wait at port e. */
WEIR_FN void net_pfc_wait(net_pfc *s, uint32_t e, uint32_t band, uint32_t slot)
{
    const net_view v = net_pfc_view(s, e);
    net_pfc_port *x = &s->more[e];
    weir_touch(s->room.ctx, x, sizeof *x);
    net_list_push(&s->room, &x->waits[band], slot);
    v.port->ring_count++;
    v.port->ring_head += net_room_slot(&s->room, slot)->packet.bytes;
    const weir_time sending_ps =
        v.port->busy_until_ps > s->room.now_ps ? v.port->busy_until_ps - s->room.now_ps : 0;
    net_backlog_most(s->room.ctx, &v,
                     sending_ps + (weir_time)((double)v.port->ring_head / net_queue_of(&v)->bytes_per_ps));
}

/* Enqueue a packet that came by port `in` at port e, which is touched. Returns whether it waits there. */
WEIR_FN_APART bool net_pfc_enqueue(net_pfc *s, uint32_t e, uint32_t in, const net_packet *packet)
{
    weir_ctx *ctx = s->room.ctx;
    const net_view v = net_pfc_view(s, e);
    const uint32_t band = net_class_of_flow(s->w, packet->flow)->dscp >> 3 & (NET_BANDS - 1u);
    enum net_verdict verdict = net_pfc_decide(s, e, packet, band);
    weir_touch(ctx, s->memory, sizeof *s->memory);
    uint32_t slot = 0;
    if (verdict < NET_DROP_LIMIT) {
        slot = net_store_put(&s->room, s->w->pfc_slots, packet, (uint8_t)(packet->ttl - 1), in);
        verdict = slot ? verdict : NET_DROP_LIMIT;
        if (slot && !(s->w->pfc_lossless >> band & 1u))
            s->memory->used += packet->bytes;
        else if (slot && !net_pfc_hold(s, in, band, packet->bytes))
            verdict = NET_DROP_LIMIT;
    }
    if (verdict >= NET_DROP_LIMIT) {
        if (slot)
            net_store_free(&s->room, slot);
        net_drop(ctx, &v, packet, verdict);
        return false;
    }
    if (verdict == NET_MARK) {
        net_room_slot(&s->room, slot)->packet.flags |= NET_CE;
        net_count_mark(ctx, v.port, packet);
    }
    net_pfc_wait(s, e, band, slot);
    return true;
}

/* A switch that pauses its neighbours receives a packet. */
WEIR_FN void net_pfc_receive(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)state;
    const net_packet *packet = WEIR_PAYLOAD(net_packet, event);
    weir_stream random = weir_stream_open(ctx);
    net_pfc s = net_pfc_of(ctx, &random);
    const uint32_t leaves_by = net_next_port(s.w, s.router, packet, s.w->ttl - packet->ttl);
    const uint32_t e = leaves_by == NET_NONE ? 0 : leaves_by - s.first; /* none: cannot be, flows have ways */
    const net_view v = net_pfc_view(&s, e);
    weir_touch(ctx, v.port, sizeof *v.port);
    if (net_receive(ctx, s.w, event, false))
        return;
    if (packet->ttl <= 1 || leaves_by == NET_NONE) {
        net_drop(ctx, &v, packet, NET_DROP_TTL);
        return;
    }
    const uint32_t in = net_pfc_came_by(&s, event);
    if (net_pfc_enqueue(&s, e, in, packet))
        net_pfc_serve(&s, e);
    net_pfc_serve(&s, in);
    weir_stream_close(ctx, &random);
}

/* A departure is due, or a pause frame has come for a port. */
WEIR_FN void net_pfc_depart(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)state;
    const net_note *note = WEIR_PAYLOAD(net_note, event);
    weir_stream random = weir_stream_open(ctx);
    net_pfc s = net_pfc_of(ctx, &random);
    const bool paused = event->type == NET_EV_PFC_PAUSE;
    const uint32_t e = paused ? note->index - s.first : note->index;
    net_pfc_port *x = &s.more[e];
    weir_touch(ctx, x, sizeof *x);
    if (paused) {
        net_pfc_obeyed(ctx, s.w, note->index, x->paused, note->arg);
        x->paused = (uint8_t)note->arg;
    } else {
        x->wake_ps = 0;
    }
    const uint32_t in = net_pfc_serve(&s, e);
    if (in != NET_NONE)
        net_pfc_serve(&s, in);
    weir_stream_close(ctx, &random);
}

/* A pause frame comes to a host's interface, whose discipline is strict priority. */
WEIR_FN void net_pfc_pause_host(weir_ctx *ctx, const net_view *v, uint32_t mask)
{
    net_band *bands = (net_band *)(void *)(net_port_words(ctx, v->w, ctx->entity) + NET_STORE_WORDS);
    uint32_t before = 0;
    for (uint32_t b = 0; b < NET_BANDS; b++) {
        before |= bands[b].paused << b;
        if (bands[b].paused == (mask >> b & 1u))
            continue;
        weir_touch(ctx, &bands[b], sizeof bands[b]);
        bands[b].paused = mask >> b & 1u;
        bands[b].paused_ps += bands[b].paused ? -weir_now(ctx) : weir_now(ctx);
    }
    net_pfc_obeyed(ctx, v->w, ctx->entity, before, mask);
    if (v->port->waiting.wake_ps != 0 || v->port->ring_count == 0)
        return;
    weir_touch(ctx, v->port, sizeof *v->port);
    if (v->port->busy_until_ps > weir_now(ctx))
        net_wake(ctx, v, v->port->busy_until_ps);
    else
        net_depart(ctx, v);
}
