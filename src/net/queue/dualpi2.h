/*
 * DualPI2: two queues, one for scalable flows (L4S, those of ECT(1)) and one for the others, whose drops and marks are
 * coupled. K. De Schepper, B. Briscoe, G. White: Dual-Queue Coupled AQM for L4S, RFC 9332, appendix A.1 and A.2.
 *
 * Every `update`, with d the longer of the two queues' delays (of their first packets), d' that of the update before,
 *
 *     p' <- p' + alpha (d - target) + beta (d - d')        0 <= p' <= 1
 *     p_C = p'^2,   p_CL = coupling p'                      the coupled law
 *
 * with alpha = 0.1 update / rtt_max^2 and beta = 0.3 / rtt_max. A packet of the classic queue is dropped, or marked
 * where ECN-capable, with p_C; one of the L4S queue is marked with the larger of p_CL and its own ramp, which rises
 * from 0 at a delay of `ramp_min` to 1 at `ramp_max`, unless it is alone. Where p_CL reaches 1, both are dropped with
 * p_C. "With p" is by counting: a sum of p that passes 1 (A.1, recur). The L4S queue goes first, but the classic one
 * gets a tenth of the line while both wait, by weighted turns, as Linux has it. Updates due while nothing happens at
 * the port are made at the next event, each with the delays of its own time.
 */
#pragma once

#include "net/port/store.h"

typedef struct WEIR_OVERLAY net_dualpi2_params {
    weir_time target_ps, update_ps, rtt_max_ps, ramp_min_ps, ramp_max_ps;
    double coupling;
    double alpha, beta; /* follow from update and rtt_max */
} net_dualpi2_params;

enum { NET_DUALPI2_CLASSIC, NET_DUALPI2_L4S };
enum { NET_DUALPI2_CLASSIC_SHARE = 1, NET_DUALPI2_L4S_SHARE = 9 };

typedef struct net_dualpi2 {
    net_list list[2];
    double sum[2]; /* of the chances since the last drop or mark */
    double p;      /* p' */
    weir_time delay_ps, next_ps;
    int64_t credit; /* of the classic queue: its turn where it is above 0 */
} net_dualpi2;

/* The delay of the packet at the head of a list. */
WEIR_FN weir_time net_dualpi2_delay(const net_room *r, const net_list *list, weir_time at_ps)
{
    if (list->head == 0)
        return 0;
    const weir_time delay_ps = at_ps - net_room_slot(r, list->head)->at_ps;
    return delay_ps > 0 ? delay_ps : 0;
}

/* Update the base probability by a delay. */
WEIR_FN void net_dualpi2_update(const net_dualpi2_params *p, net_dualpi2 *s, weir_time delay_ps)
{
    s->p += p->alpha * ((double)(delay_ps - p->target_ps) * 1e-12) +
            p->beta * ((double)(delay_ps - s->delay_ps) * 1e-12);
    s->p = s->p < 0.0 ? 0.0 : s->p > 1.0 ? 1.0 : s->p;
    s->delay_ps = delay_ps;
}

/* The updates that were due since the last event here, before which nothing has changed. */
WEIR_FN void net_dualpi2_catch_up(const net_room *r, net_dualpi2 *s)
{
    const net_dualpi2_params *const p = NET_QUEUE_PARAMS(dualpi2, r->q);
    const weir_time update_ps = p->update_ps;
    for (; s->next_ps <= r->now_ps; s->next_ps += update_ps) {
        const weir_time classic_ps = net_dualpi2_delay(r, &s->list[NET_DUALPI2_CLASSIC], s->next_ps),
                        l4s_ps = net_dualpi2_delay(r, &s->list[NET_DUALPI2_L4S], s->next_ps);
        const bool rests = s->p == 0.0 && s->delay_ps == 0 && !s->list[0].head && !s->list[1].head;
        net_dualpi2_update(p, s, classic_ps > l4s_ps ? classic_ps : l4s_ps);
        if (rests)
            s->next_ps += (r->now_ps - s->next_ps) / update_ps * update_ps;
    }
}

WEIR_FN void net_dualpi2_enqueue(net_room *r, uint32_t slot)
{
    net_dualpi2 *s = (net_dualpi2 *)r->own;
    weir_touch(r->ctx, s, sizeof *s);
    net_dualpi2_catch_up(r, s);
    if (net_room_over(r)) {
        net_room_drop(r, slot, NET_DROP_LIMIT);
        return;
    }
    const uint8_t flags = net_room_slot(r, slot)->packet.flags;
    const bool l4s = (flags & (NET_ACK | NET_UDP | NET_ECT | NET_ECT1)) == (NET_ECT | NET_ECT1);
    net_list_push(r, &s->list[l4s ? NET_DUALPI2_L4S : NET_DUALPI2_CLASSIC], slot);
}

/* Whether this one is it, of a share p (RFC 9332, appendix A.1, recur). */
WEIR_FN bool net_dualpi2_recurs(double *sum, double p)
{
    *sum += p;
    if (*sum <= 1.0)
        return false;
    *sum -= 1.0;
    return true;
}

/* The L4S queue's own chance of a mark. */
WEIR_FN double net_dualpi2_ramp(const net_dualpi2_params *p, weir_time delay_ps)
{
    return delay_ps >= p->ramp_max_ps ? 1.0
           : delay_ps <= p->ramp_min_ps
               ? 0.0
               : (double)(delay_ps - p->ramp_min_ps) / (double)(p->ramp_max_ps - p->ramp_min_ps);
}

/* Which queue's turn it is; one of them has packets. */
WEIR_FN int net_dualpi2_turn(const net_dualpi2 *s)
{
    if (s->list[NET_DUALPI2_L4S].head == 0)
        return NET_DUALPI2_CLASSIC;
    return s->list[NET_DUALPI2_CLASSIC].head && s->credit > 0 ? NET_DUALPI2_CLASSIC : NET_DUALPI2_L4S;
}

/* Whose turn comes next, after `bytes` of one of them; with one alone it begins anew. */
WEIR_FN void net_dualpi2_spend(net_dualpi2 *s, int from, uint32_t bytes)
{
    if (s->list[0].head == 0 || s->list[1].head == 0)
        s->credit = 0;
    else if (from == NET_DUALPI2_L4S)
        s->credit += (int64_t)NET_DUALPI2_CLASSIC_SHARE * bytes;
    else
        s->credit -= (int64_t)NET_DUALPI2_L4S_SHARE * bytes;
}

/* What becomes of a packet that has left its list: true, and it is sent. */
WEIR_FN bool net_dualpi2_sends(net_room *r, net_dualpi2 *s, int from, uint32_t slot, weir_time delay_ps)
{
    const double classic = s->p * s->p, coupled = s->p * NET_QUEUE_PARAMS(dualpi2, r->q)->coupling;
    const bool overload = coupled >= 1.0;
    double p = classic;
    if (from == NET_DUALPI2_L4S && !overload) {
        const double own =
            s->list[from].head ? net_dualpi2_ramp(NET_QUEUE_PARAMS(dualpi2, r->q), delay_ps) : 0.0;
        p = own > coupled ? own : coupled;
    }
    if (!net_dualpi2_recurs(&s->sum[from], p))
        return true;
    if (!overload && net_room_ecn_capable(r, slot)) {
        net_room_mark(r, slot);
        return true;
    }
    net_room_drop(r, slot, NET_DROP_EARLY);
    return false;
}

WEIR_FN uint32_t net_dualpi2_depart(net_room *r)
{
    net_dualpi2 *s = (net_dualpi2 *)r->own;
    weir_touch(r->ctx, s, sizeof *s);
    net_dualpi2_catch_up(r, s);
    while (s->list[0].head || s->list[1].head) {
        const int from = net_dualpi2_turn(s);
        const weir_time delay_ps = net_dualpi2_delay(r, &s->list[from], r->now_ps);
        const uint32_t slot = net_list_pop(r, &s->list[from]);
        net_dualpi2_spend(s, from, net_room_slot(r, slot)->packet.bytes);
        if (net_dualpi2_sends(r, s, from, slot, delay_ps))
            return slot;
    }
    return 0;
}

static inline void net_dualpi2_resolve(net_queue *q)
{
    net_dualpi2_params *const p = (net_dualpi2_params *)(void *)q->params.own;
    const double update_s = (double)p->update_ps * 1e-12, rtt_s = (double)p->rtt_max_ps * 1e-12;
    p->alpha = 0.1 * update_s / (rtt_s * rtt_s);
    p->beta = 0.3 / rtt_s;
    q->ecn = 1;
    net_store_resolve(q, sizeof(net_dualpi2));
}
