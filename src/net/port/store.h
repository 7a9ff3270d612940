/*
 * What waits at a port whose discipline decides at departure: packets in slots of the entity's pool, in lists that
 * the discipline keeps.
 *
 * The pool's slice is a head, the discipline's own state (net_queue.own_words) and slots, of which there are as many
 * as the limit allows and one, for the packet that has just come. Slots are numbered from 1; 0 is none. Everything
 * is plain data, touched before it changes. No network is needed: tests call disciplines with a room of their own.
 */
#pragma once

#include "net/port/drop.h"

/* A packet that waits. 48 bytes. */
typedef struct net_queued {
    net_packet packet; /* bytes 0: the slot is free */
    weir_time at_ps;   /* when it came */
    uint32_t next;     /* slot behind it in its list */
    uint32_t tag;      /* as net_queue.tag has it */
} net_queued;

typedef struct net_store {
    uint32_t used; /* slots that ever held a packet */
    uint32_t free; /* first free one of these */
} net_store;

/* Packets one behind the other, the discipline's own. */
typedef struct net_list {
    uint32_t head, tail;
    uint64_t bytes;
} net_list;

/* A handler's view of a store. */
typedef struct net_room {
    weir_ctx *ctx;
    const net_queue *q;
    net_port *port;
    net_store *store;
    void *own;         /* the discipline's state */
    net_queued *slots; /* [q->slots] */
    weir_stream *random;
    weir_time now_ps;
    bool last; /* the link goes to a host */
    /* set by a discipline that sends nothing though packets wait: when to ask again; WEIR_TIME_MAX: when
     * something happens */
    weir_time again_ps;
} net_room;

enum { NET_STORE_WORDS = sizeof(net_store) / 8, NET_QUEUED_WORDS = sizeof(net_queued) / 8 };
WEIR_STATIC_ASSERT(sizeof(net_store) % 8 == 0 && sizeof(net_queued) % 8 == 0, "a pool of words holds both");

/* Words of a port's slice. */
WEIR_FN uint64_t net_store_words(const net_queue *q)
{
    return (uint64_t)NET_STORE_WORDS + q->own_words + (uint64_t)q->slots * NET_QUEUED_WORDS;
}

/* Open a store. words: the slice; random: the entity's stream. The port and the store's head are touched by the caller. */
WEIR_FN net_room net_room_of(weir_ctx *ctx, const net_queue *q, net_port *port, uint64_t *words,
                             weir_stream *random)
{
    net_room r;
    r.ctx = ctx;
    r.q = q;
    r.port = port;
    r.store = (net_store *)(void *)words;
    r.own = words + NET_STORE_WORDS;
    r.slots = (net_queued *)(void *)(words + NET_STORE_WORDS + q->own_words);
    r.random = random;
    r.now_ps = weir_now(ctx);
    r.again_ps = 0;
    r.last = false;
    return r;
}

/* A slot by its number. */
WEIR_FN net_queued *net_room_slot(const net_room *r, uint32_t slot)
{
    return r->slots + (slot - 1u);
}

/* Put a packet into a free slot of a store of so many, in no list; 0: none is free. */
WEIR_FN uint32_t net_store_put(net_room *r, uint32_t slots, const net_packet *packet, uint8_t ttl,
                               uint32_t tag)
{
    uint32_t slot = r->store->free;
    if (slot)
        r->store->free = net_room_slot(r, slot)->next;
    else if (r->store->used < slots)
        slot = ++r->store->used;
    else
        return 0;
    net_queued *s = net_room_slot(r, slot);
    weir_touch(r->ctx, s, sizeof *s);
    s->packet = *packet;
    s->packet.ttl = ttl;
    s->at_ps = r->now_ps;
    s->next = 0;
    s->tag = tag;
    return slot;
}

/* Free the slot of a packet that is in no list. */
WEIR_FN void net_store_free(net_room *r, uint32_t slot)
{
    net_queued *s = net_room_slot(r, slot);
    weir_touch(r->ctx, s, sizeof *s);
    s->packet.bytes = 0;
    s->next = r->store->free;
    r->store->free = slot;
}

/* Put a packet that has come into a slot of the port's store; 0: none is free. */
WEIR_FN uint32_t net_room_put(net_room *r, const net_packet *packet, uint8_t ttl, uint32_t tag)
{
    const uint32_t slot = net_store_put(r, r->q->slots, packet, ttl, tag);
    if (slot) {
        r->port->waiting.bytes += packet->bytes;
        r->port->ring_count++;
    }
    return slot;
}

/* Free the slot of a packet that leaves the port's store. */
WEIR_FN void net_room_free(net_room *r, uint32_t slot)
{
    r->port->waiting.bytes -= net_room_slot(r, slot)->packet.bytes;
    r->port->ring_count--;
    net_store_free(r, slot);
}

/* Whether what waits, the packet that has just come included, exceeds the limit. What is being sent is not counted. */
WEIR_FN bool net_room_over(const net_room *r)
{
    return r->port->waiting.bytes > r->q->params.limit_bytes ||
           (r->q->params.limit_packets && r->port->ring_count > r->q->params.limit_packets);
}

/* Drop a packet, which is in no list. */
WEIR_FN void net_room_drop(net_room *r, uint32_t slot, enum net_verdict why)
{
    const net_queued *s = net_room_slot(r, slot);
    net_add_backlog(r->port, &s->packet, r->now_ps - s->at_ps);
    net_count_drop(r->ctx, r->port, &s->packet, why);
    if (r->ctx->world) /* tests have none */
        net_record_lost(r->ctx, r->ctx->entity, &s->packet, why, r->now_ps - s->at_ps);
    net_room_free(r, slot);
}

/* Whether the packet in a slot may be marked. */
WEIR_FN bool net_room_ecn_capable(const net_room *r, uint32_t slot)
{
    return (net_room_slot(r, slot)->packet.flags & NET_ECT) != 0;
}

/* Mark the packet in a slot. */
WEIR_FN void net_room_mark(net_room *r, uint32_t slot)
{
    net_packet *packet = &net_room_slot(r, slot)->packet;
    weir_touch(r->ctx, packet, sizeof *packet);
    packet->flags |= NET_CE;
    net_count_mark(r->ctx, r->port, packet);
}

/* Append the packet in a slot to a list, which is touched. */
WEIR_FN void net_list_push(net_room *r, net_list *list, uint32_t slot)
{
    if (list->tail) {
        net_queued *last = net_room_slot(r, list->tail);
        weir_touch(r->ctx, &last->next, sizeof last->next);
        last->next = slot;
    } else {
        list->head = slot;
    }
    list->tail = slot;
    list->bytes += net_room_slot(r, slot)->packet.bytes;
}

/* The first packet, out of the list; 0: it is empty. The caller has touched the list. */
WEIR_FN uint32_t net_list_pop(const net_room *r, net_list *list)
{
    const uint32_t slot = list->head;
    if (slot == 0)
        return 0;
    const net_queued *s = net_room_slot(r, slot);
    list->head = s->next;
    if (list->head == 0)
        list->tail = 0;
    list->bytes -= s->packet.bytes;
    return slot;
}

enum { NET_STORE_MAX = 1 << 20 }; /* packets of one port: 48 MB */

/* For net_NAME_resolve: a queue that decides at departure, with a limit and a state of its own. Host only. */
static inline void net_store_resolve(net_queue *q, size_t state_bytes)
{
    const uint64_t most =
        q->params.limit_packets ? q->params.limit_packets : q->params.limit_bytes / NET_PACKET_LEAST + 1;
    q->departs = 1;
    q->counts_packets = 0;
    q->slots = (uint32_t)(most < NET_STORE_MAX ? most : NET_STORE_MAX) + 1u;
    q->own_words = (uint32_t)((state_bytes + 7) / 8);
}
