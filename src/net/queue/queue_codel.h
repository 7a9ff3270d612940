/* CoDel: one list, from whose head packets are dropped that have waited for long (codel.h). */
#ifndef WI_NET_QUEUE_QUEUE_CODEL_H
#define WI_NET_QUEUE_QUEUE_CODEL_H

#include "net/port/codel.h"

typedef struct net_codel_state {
    net_list list;
    net_codel codel;
} net_codel_state;

WEIR_FN void net_codel_enqueue(net_room *r, uint32_t slot)
{
    net_codel_state *s = (net_codel_state *)r->own;
    if (net_room_over(r)) {
        net_room_drop(r, slot, NET_DROP_LIMIT);
        return;
    }
    weir_touch(r->ctx, &s->list, sizeof s->list);
    net_list_push(r, &s->list, slot);
}

WEIR_FN uint32_t net_codel_depart(net_room *r)
{
    net_codel_state *s = (net_codel_state *)r->own;
    weir_touch(r->ctx, s, sizeof *s);
    return net_codel_dequeue(r, &s->codel, &s->list);
}

enum { NET_CODEL_LIMIT = 1000 }; /* packets, unless the scenario says another: as Linux has it */

static inline void net_codel_resolve(const void *asked, net_queue *q)
{
    net_codel_set((const net_codel_asked *)asked, q);
    net_store_resolve(q, NET_CODEL_LIMIT, sizeof(net_codel_state));
}

#ifdef WI_QUEUE_WORDS
static const wi_key net_codel_keys[] = {NET_CODEL_KEYS};

static const wi_queue_kind net_codel_words = {
    .section = {.name = "codel",
                .keys = net_codel_keys,
                .n_keys = sizeof net_codel_keys / sizeof net_codel_keys[0],
                .size = sizeof(net_codel_asked)},
    .check = net_codel_check};
#endif

#endif
