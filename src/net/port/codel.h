/*
 * The law of CoDel. K. Nichols, V. Jacobson, A. McGregor, J. Iyengar: Controlled Delay Active Queue Management,
 * RFC 8289, section 5.
 *
 * A packet's sojourn is the time from its arrival to the beginning of its transmission. Once it has been at least
 * `target` for an `interval`, with more than an MTU behind, the packet at the head is dropped, and while it stays so
 * further ones at
 *
 *     t <- t + interval / sqrt(count)          (control_law)
 *
 * with `count` the drops since that began. Where it begins again within 16 intervals of the last such time, count
 * goes on from what it had reached. With ECN a packet that can be marked is marked instead (section 4.2 leaves that
 * to the queue); it is sent, and the clock goes on as if it had been dropped.
 */
#pragma once

#include <math.h>

#include "net/port/store.h"

/* Parameters of every discipline that follows the law begin with these. */
typedef struct WEIR_OVERLAY net_codel_params {
    weir_time target_ps, interval_ps;
    uint32_t mtu_bytes;
    bool ecn;
} net_codel_params;

/* A queue's state. 32 bytes. */
typedef struct net_codel {
    weir_time first_above_ps; /* an interval after the sojourn rose to the target; 0: it is below */
    weir_time drop_next_ps;
    uint32_t count, last_count;
    uint32_t dropping, reserved;
} net_codel;

/* When the next packet is dropped. */
WEIR_FN weir_time net_codel_control_law(weir_time from_ps, weir_time interval_ps, uint32_t count)
{
    return from_ps + (weir_time)((double)interval_ps / sqrt((double)count));
}

/* The first packet of a list, and whether it may be dropped (RFC 8289, section 5.6, dodequeue). */
WEIR_FN uint32_t net_codel_pop(const net_room *r, net_codel *c, net_list *list, bool *may_drop)
{
    const uint32_t slot = net_list_pop(r, list);
    *may_drop = false;
    if (slot == 0) {
        c->first_above_ps = 0;
        return 0;
    }
    const net_codel_params *const p = NET_QUEUE_PARAMS(codel, r->q);
    const weir_time sojourn_ps = r->now_ps - net_room_slot(r, slot)->at_ps;
    if (sojourn_ps < p->target_ps || list->bytes <= p->mtu_bytes)
        c->first_above_ps = 0;
    else if (c->first_above_ps == 0)
        c->first_above_ps = r->now_ps + p->interval_ps;
    else
        *may_drop = r->now_ps >= c->first_above_ps;
    return slot;
}

/* Marks the packet if that can be; if not, drops it. */
WEIR_FN bool net_codel_marks(net_room *r, uint32_t slot)
{
    if (r->q->ecn && net_room_ecn_capable(r, slot)) {
        net_room_mark(r, slot);
        return true;
    }
    net_room_drop(r, slot, NET_DROP_EARLY);
    return false;
}

/* It has begun to drop. */
WEIR_FN void net_codel_begin(const net_room *r, net_codel *c)
{
    const weir_time interval_ps = NET_QUEUE_PARAMS(codel, r->q)->interval_ps;
    const uint32_t since = c->count - c->last_count;
    c->dropping = 1;
    c->count = since > 1 && r->now_ps - c->drop_next_ps < 16 * interval_ps ? since : 1;
    c->drop_next_ps = net_codel_control_law(r->now_ps, interval_ps, c->count);
    c->last_count = c->count;
}

/* The packet to be sent now; 0: none is left. The caller has touched c and the list. */
WEIR_FN uint32_t net_codel_dequeue(net_room *r, net_codel *c, net_list *list)
{
    bool may_drop;
    uint32_t slot = net_codel_pop(r, c, list, &may_drop);
    if (!may_drop) {
        c->dropping = 0;
        return slot;
    }
    if (!c->dropping) {
        if (!net_codel_marks(r, slot))
            slot = net_codel_pop(r, c, list, &may_drop);
        net_codel_begin(r, c);
        return slot;
    }
    while (c->dropping && r->now_ps >= c->drop_next_ps) {
        c->count++;
        const bool marked = net_codel_marks(r, slot);
        if (!marked) {
            slot = net_codel_pop(r, c, list, &may_drop);
            c->dropping = may_drop;
        }
        if (c->dropping)
            c->drop_next_ps =
                net_codel_control_law(c->drop_next_ps, NET_QUEUE_PARAMS(codel, r->q)->interval_ps, c->count);
        if (marked)
            break;
    }
    return slot;
}
