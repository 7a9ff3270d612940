/*
 * Deficit round robin over bands (bands.h) with weights. M. Shreedhar, G. Varghese: Efficient Fair Queuing Using Deficit
 * Round Robin, IEEE/ACM ToN 4(3), 1996. A band whose turn it is sends while its credit covers its packets; then it
 * gets weight times quantum more, and the next band's turn comes. A band that empties loses its credit.
 */
#ifndef WI_NET_QUEUE_QUEUE_DRR_H
#define WI_NET_QUEUE_QUEUE_DRR_H

#include "net/port/bands.h"

/* Behind those of the bands: the quantum, then the weights, two a word. */
enum { NET_DRR_QUANTUM = NET_BANDS_OWN, NET_DRR_WEIGHTS };

typedef struct net_drr {
    net_band band[NET_BANDS];
    uint32_t head, tail; /* bands whose turn comes, from 1 */
} net_drr;

WEIR_FN int32_t net_drr_quantum(const net_queue *q, uint32_t band)
{
    const uint64_t word = q->own[NET_DRR_WEIGHTS + band / 2];
    return (int32_t)((uint32_t)(word >> (32 * (band % 2))) * (uint32_t)q->own[NET_DRR_QUANTUM]);
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
    weir_touch(r->ctx, &s->head, 2 * sizeof s->head);
    net_drr_append(r, s, (uint32_t)(b - s->band) + 1u);
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
            if (b->packets == 0) {
                b->credit = 0;
                net_drr_remove(s);
            }
            return slot;
        }
        b->credit += net_drr_quantum(r->q, number - 1u);
        net_drr_remove(s);
        net_drr_append(r, s, number);
    }
}

typedef struct net_drr_asked {
    uint64_t mark_bytes;
    uint32_t quantum_bytes;
    uint32_t weight[NET_BANDS];
} net_drr_asked;

static inline void net_drr_resolve(const void *asked, net_queue *q)
{
    const net_drr_asked *a = (const net_drr_asked *)asked;
    net_bands_resolve(q, a->mark_bytes, sizeof(net_drr));
    q->own[NET_DRR_QUANTUM] = a->quantum_bytes;
    for (int i = 0; i < NET_BANDS; i++)
        q->own[NET_DRR_WEIGHTS + i / 2] |= (uint64_t)a->weight[i] << (32 * (i % 2));
}

#ifdef WI_QUEUE_WORDS
#define NET_DRR_WEIGHT(i, number, dscp)                                                                  \
    {                                                                                                    \
        .name = "weight_" number, .kind = &wi_kind_count,                                                \
        .offset = offsetof(net_drr_asked, weight) + (i) * sizeof(uint32_t), .fallback = "1", .low = "1", \
        .high = "1000", .doc = "share of the line of DSCP " dscp ", in relation to the others"           \
    }

static const wi_key net_drr_keys[] = {
    {.name = "quantum",
     .kind = &wi_kind_size32,
     .offset = offsetof(net_drr_asked, quantum_bytes),
     .fallback = "1500B",
     .low = "64B",
     .high = "1MB",
     .doc = "bytes a round for a weight of 1"},
    NET_BANDS_KEYS(net_drr_asked),
    NET_DRR_WEIGHT(0, "0", "0 to 7"),
    NET_DRR_WEIGHT(1, "1", "8 to 15"),
    NET_DRR_WEIGHT(2, "2", "16 to 23"),
    NET_DRR_WEIGHT(3, "3", "24 to 31"),
    NET_DRR_WEIGHT(4, "4", "32 to 39"),
    NET_DRR_WEIGHT(5, "5", "40 to 47"),
    NET_DRR_WEIGHT(6, "6", "48 to 55"),
    NET_DRR_WEIGHT(7, "7", "56 to 63"),
};

static const wi_queue_kind net_drr_words = {
    .section = {.name = "drr",
                .keys = net_drr_keys,
                .n_keys = sizeof net_drr_keys / sizeof net_drr_keys[0],
                .size = sizeof(net_drr_asked)}};
#endif

#endif
