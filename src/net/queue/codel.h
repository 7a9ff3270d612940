/* CoDel: one list, from whose head packets are dropped that have waited for long (codel.h). */
#pragma once

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

static inline void net_codel_resolve(net_queue *q)
{
    q->ecn = NET_QUEUE_PARAMS(codel, q)->ecn;
    net_store_resolve(q, sizeof(net_codel_state));
}
