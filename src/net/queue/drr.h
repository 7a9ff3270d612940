/*
 * Deficit round robin over bands (bands.h) with weights. M. Shreedhar, G. Varghese: Efficient Fair Queuing Using Deficit
 * Round Robin, IEEE/ACM ToN 4(3), 1996. A band whose turn it is sends while its credit covers its packets; then it
 * gets weight times quantum more, and the next band's turn comes. A band that a packet finds empty comes last, with the credit of
 * one round (as in Linux's sch_drr), whatever it had left.
 */
#pragma once

#include "net/port/bands.h"

typedef struct WEIR_OVERLAY net_drr_params {
    net_bands_params bands;
    uint32_t quantum_bytes; /* a round for a weight of 1 */
    uint32_t weight[NET_BANDS];
} net_drr_params;

typedef struct net_drr {
    net_band band[NET_BANDS];
    uint32_t head, tail; /* bands whose turn comes, from 1 */
} net_drr;

/* A band's credit a round, bytes. */
WEIR_FN int32_t net_drr_quantum(const net_queue *q, uint32_t band)
{
    const net_drr_params *const p = NET_QUEUE_PARAMS(drr, q);
    return (int32_t)(p->weight[band] * p->quantum_bytes);
}

/* Band `number` behind the others; the ends and the band are touched. */
WEIR_FN void net_drr_append(const net_room *r, net_drr *s, uint32_t number)
{
    s->band[number - 1u].next = 0;
    if (s->tail) {
        weir_touch(r->ctx, &s->band[s->tail - 1u], sizeof(net_band));
        s->band[s->tail - 1u].next = number;
    } else {
        s->head = number;
    }
    s->tail = number;
}

/* The first band off. */
WEIR_FN void net_drr_remove(net_drr *s)
{
    s->head = s->band[s->head - 1u].next;
    if (s->head == 0)
        s->tail = 0;
}

WEIR_FN void net_drr_enqueue(net_room *r, uint32_t slot)
{
    net_drr *s = (net_drr *)r->own;
    net_band *b = net_band_of(r, slot);
    if (!net_band_push(r, b, slot) || b->packets > 1)
        return;
    const uint32_t band = (uint32_t)(b - s->band);
    b->credit = net_drr_quantum(r->q, band);
    weir_touch(r->ctx, &s->head, 2 * sizeof s->head);
    net_drr_append(r, s, band + 1u);
}

WEIR_FN uint32_t net_drr_depart(net_room *r)
{
    net_drr *s = (net_drr *)r->own;
    if (s->head == 0)
        return 0;
    weir_touch(r->ctx, &s->head, 2 * sizeof s->head);
    for (;;) {
        const uint32_t number = s->head;
        net_band *b = &s->band[number - 1u];
        weir_touch(r->ctx, b, sizeof *b);
        const int32_t bytes = net_room_slot(r, b->list.head)->packet.bytes;
        if (b->credit >= bytes) {
            const uint32_t slot = net_band_pop(r, b);
            b->credit -= bytes;
            if (b->packets == 0)
                net_drr_remove(s);
            return slot;
        }
        b->credit += net_drr_quantum(r->q, number - 1u);
        net_drr_remove(s);
        net_drr_append(r, s, number);
    }
}

static inline void net_drr_resolve(net_queue *q)
{
    net_bands_resolve(q, sizeof(net_drr));
}
