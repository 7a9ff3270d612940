/*
 * FQ-CoDel: flows hashed to queues of their own, deficit round robin over the queues with new ones first, CoDel in
 * each. T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet: The Flow Queue CoDel Packet Scheduler
 * and Active Queue Management Algorithm, RFC 8290, section 4.
 *
 * A queue that gets its first packet goes to the end of the list of new queues, with a credit of one quantum. The
 * first of the new queues is served, or the first of the old ones where none is new: one without credit gets a
 * quantum and goes to the end of the old ones, and the next is looked at; one that has turned out empty goes to the
 * end of the old ones if it was new (so that it cannot push itself forward again), and off the lists if it was old.
 * Where the limit is exceeded, the queue with most bytes loses half of them from its head, at most 64 packets.
 * CoDel's last MTU is counted in the queue, as ns-3 does; Linux counts it in all of them.
 */
#pragma once

#include "net/port/codel.h"

enum { NET_FQ_IDLE, NET_FQ_NEW, NET_FQ_OLD };
enum { NET_FQ_BATCH = 64 };

typedef struct WEIR_OVERLAY net_fq_codel_params {
    net_codel_params codel;
    uint32_t flows, quantum_bytes;
} net_fq_codel_params;

/* A queue. 64 bytes; numbered from 1 in lists. */
typedef struct net_fq_flow {
    net_list list;
    net_codel codel;
    int32_t credit; /* bytes */
    uint32_t next;  /* behind it in the list of queues */
    uint32_t where;
    uint32_t reserved;
} net_fq_flow;
WEIR_STATIC_ASSERT(sizeof(net_fq_flow) == 64, "a queue is one cache line's worth");

/* Queues one behind the other. */
typedef struct net_fq_line {
    uint32_t head, tail;
} net_fq_line;

typedef struct net_fq_codel {
    net_fq_line fresh, old;
} net_fq_codel;

/* The caller has touched the head of the state. */
typedef struct net_fq {
    net_room *r;
    net_fq_codel *lines;
    net_fq_flow *flows;
} net_fq;

/* The queues of a store. */
WEIR_FN net_fq net_fq_of(net_room *r)
{
    net_fq fq;
    fq.r = r;
    fq.lines = (net_fq_codel *)r->own;
    fq.flows = (net_fq_flow *)(void *)(fq.lines + 1);
    weir_touch(r->ctx, fq.lines, sizeof *fq.lines);
    return fq;
}

/* A queue by number, touched. */
WEIR_FN net_fq_flow *net_fq_flow_at(const net_fq *fq, uint32_t number)
{
    net_fq_flow *flow = fq->flows + (number - 1u);
    weir_touch(fq->r->ctx, flow, sizeof *flow);
    return flow;
}

/* Append a queue to a list of them. */
WEIR_FN void net_fq_append(const net_fq *fq, net_fq_line *line, uint32_t number)
{
    if (line->tail) {
        net_fq_flow *last = fq->flows + (line->tail - 1u);
        weir_touch(fq->r->ctx, &last->next, sizeof last->next);
        last->next = number;
    } else {
        line->head = number;
    }
    line->tail = number;
}

/* Remove the first queue of a list. */
WEIR_FN void net_fq_remove_first(net_fq_line *line, net_fq_flow *first)
{
    line->head = first->next;
    if (line->head == 0)
        line->tail = 0;
    first->next = 0;
}

/* The queue of a tag: of flows by their hash, which another seed mixes otherwise. */
WEIR_FN uint32_t net_fq_number(const net_room *r, uint32_t tag)
{
    const uint64_t mixed = ((r->ctx->seed ^ tag) + (uint64_t)r->ctx->run) * UINT64_C(0x9e3779b97f4a7c15);
    return 1u + (uint32_t)(((mixed >> 32) * NET_QUEUE_PARAMS(fq_codel, r->q)->flows) >> 32);
}

/* Over the limit: the queue with most bytes, the first of equals, loses half of them from its head. */
WEIR_FN void net_fq_drop_from_fattest(const net_fq *fq)
{
    uint32_t fattest = 1;
    for (uint32_t i = 2; i <= NET_QUEUE_PARAMS(fq_codel, fq->r->q)->flows; i++)
        if (fq->flows[i - 1u].list.bytes > fq->flows[fattest - 1u].list.bytes)
            fattest = i;
    net_fq_flow *flow = net_fq_flow_at(fq, fattest);
    const uint64_t half = flow->list.bytes / 2;
    for (int i = 0; i < NET_FQ_BATCH && flow->list.bytes > 0 && (i == 0 || flow->list.bytes > half); i++)
        net_room_drop(fq->r, net_list_pop(fq->r, &flow->list), NET_DROP_LIMIT);
}

WEIR_FN void net_fq_codel_enqueue(net_room *r, uint32_t slot)
{
    const net_fq fq = net_fq_of(r);
    const uint32_t number = net_fq_number(r, net_room_slot(r, slot)->tag);
    net_fq_flow *flow = net_fq_flow_at(&fq, number);
    net_list_push(r, &flow->list, slot);
    if (flow->where == NET_FQ_IDLE) {
        flow->where = NET_FQ_NEW;
        flow->credit = (int32_t)NET_QUEUE_PARAMS(fq_codel, r->q)->quantum_bytes;
        net_fq_append(&fq, &fq.lines->fresh, number);
    }
    while (net_room_over(r))
        net_fq_drop_from_fattest(&fq);
}

/* A queue to the end of the old ones. */
WEIR_FN void net_fq_age(const net_fq *fq, net_fq_line *line, net_fq_flow *flow, uint32_t number)
{
    net_fq_remove_first(line, flow);
    flow->where = NET_FQ_OLD;
    net_fq_append(fq, &fq->lines->old, number);
}

WEIR_FN uint32_t net_fq_codel_depart(net_room *r)
{
    const net_fq fq = net_fq_of(r);
    for (;;) {
        net_fq_line *line = fq.lines->fresh.head ? &fq.lines->fresh : &fq.lines->old;
        const uint32_t number = line->head;
        if (number == 0)
            return 0;
        net_fq_flow *flow = net_fq_flow_at(&fq, number);
        if (flow->credit <= 0) {
            flow->credit += (int32_t)NET_QUEUE_PARAMS(fq_codel, r->q)->quantum_bytes;
            net_fq_age(&fq, line, flow, number);
            continue;
        }
        const uint32_t slot = net_codel_dequeue(r, &flow->codel, &flow->list);
        if (slot) {
            flow->credit -= net_room_slot(r, slot)->packet.bytes;
            return slot;
        }
        if (flow->where == NET_FQ_NEW && fq.lines->old.head) {
            net_fq_age(&fq, line, flow, number);
        } else {
            net_fq_remove_first(line, flow);
            flow->where = NET_FQ_IDLE;
        }
    }
}

static inline void net_fq_codel_resolve(net_queue *q)
{
    const net_fq_codel_params *const p = NET_QUEUE_PARAMS(fq_codel, q);
    q->ecn = p->codel.ecn;
    q->tag = NET_TAG_FLOW;
    net_store_resolve(q, sizeof(net_fq_codel) + p->flows * sizeof(net_fq_flow));
}
