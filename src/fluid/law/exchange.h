/*
 * What packets learn of a port and leave in it, for host and device. The file that includes this has defined
 * fluid_real as for carry.h; which it is makes no difference, as all that ports keep is in double.
 */
#ifndef WI_FLUID_LAW_EXCHANGE_H
#define WI_FLUID_LAW_EXCHANGE_H

#include "fluid/law/blocks.h"
#include "net/port/exchange.h"

/* A port at the end of a step. */
typedef struct fluid_view {
    double queue;     /* bytes */
    double drop;      /* share of the step's arrivals that RED dropped or marked */
    double reduction; /* projected reduction, bytes from the start */
    double expected;  /* packets that were expected and found a place, bytes from the start */
    double full;      /* share of the rest that a full queue lost */
} fluid_view;

/* Slot in the histories of a port of what the step `back` steps ago left; 1: the last one. */
WEIR_FN uint64_t fluid_own_slot(const fluid_port *port, int64_t now, uint32_t back)
{
    return port->own + fluid_slot(fluid_row_now(now, port->rows), -(int32_t)back, port->rows);
}

WEIR_FN fluid_view fluid_look_back(const fluid_tables *t, const fluid_state *s, uint32_t port, uint32_t back)
{
    const fluid_port *const p = &t->ports[port];
    const uint64_t at = fluid_own_slot(p, s->now, back);
    fluid_view v;
    const double drop = s->own_drop[at];
    v.queue = s->own_lag[at] * p->rate;
    v.drop = fluid_drop_of(drop);
    v.reduction = s->own_reduction[at];
    v.expected = s->own_expected[at];
    /* A line that is down loses what passes its queue, packets too. */
    v.full = drop < 0.0 ? 0.0 : s->own_full[at];
    return v;
}

/*
 * Cuts up to `bytes` of the fluid that stands in a port, the last that came first: packets have taken its places, so that
 * what stands in front of it or behind waits as long as before. Whole steps of what has not begun to leave: nobody
 * has asked for them yet. Returns what has been cut.
 */
WEIR_FN double fluid_displace(const fluid_tables *t, const fluid_state *s, uint32_t port, double bytes)
{
    const fluid_port *const p = &t->ports[port];
    const double end = s->accepted[port];
    double begin = end;
    for (uint32_t back = 1; end - begin < bytes && back + 4 < p->rows; back++) {
        const uint64_t at = fluid_own_slot(p, s->now, back), before = fluid_own_slot(p, s->now, back + 1);
        if (s->own_lag[before] < (double)back)
            break;
        const double stays = end - bytes, from = s->own_accepted[before], came = begin - from;
        const double spared = came > 0.0 && stays > from ? (stays - from) / came : 0.0;
        for (uint32_t kind = 0; kind < t->n_kinds; kind++) {
            const uint64_t k = (uint64_t)kind * t->n_own + at;
            s->own_keep[k] *= spared;
            if (t->signals)
                s->own_signal[k] = 1.0 - spared * (1.0 - s->own_signal[k]);
        }
        begin = from > stays ? from : stays;
    }
    for (uint32_t back = 1; back + 4 < p->rows && s->own_accepted[fluid_own_slot(p, s->now, back)] > begin;
         back++)
        s->own_accepted[fluid_own_slot(p, s->now, back)] = begin;
    const double cut = end - begin;
    s->accepted[port] = begin;
    s->dropped[port] += cut;
    s->crowd_lost[port] += cut;
    return cut;
}

/* Packets into a port: `queued` bytes stand in it from now on besides those that were expected (fewer than
 * those: negative), `coming` are expected in each step to come. What is above the limit then is fluid's loss. */
WEIR_FN void fluid_take_packets(const fluid_tables *t, const fluid_state *s, uint32_t port, double queued,
                                double coming)
{
    const fluid_port *const p = &t->ports[port];
    /* What entered in the last step waits behind the packets: nobody has asked for it yet, it is a delay
     * away. But it does not overtake what entered before it. */
    const uint64_t last = fluid_own_slot(p, s->now, 1);
    const double all = s->queue[port] + queued > 0.0 ? s->queue[port] + queued : 0.0;
    const double over = all > p->limit ? all - p->limit : 0.0,
                 before = s->own_lag[fluid_own_slot(p, s->now, 1)];
    const double batch = (double)s->now - s->taken[port], stand = before < batch ? before / batch : 1.0;
    const double queue = over > 0.0 ? all - fluid_displace(t, s, port, over * stand) : all;
    s->taken[port] = (double)s->now;
    s->queue[port] = queue;
    s->packets[port] = coming;
    s->own_lag[last] = fluid_queue_lag(p, queue, s->own_lag[fluid_own_slot(p, s->now, 2)]);
}

/* What packets left at meetings with the fluid, of which those at one port follow each other: [n] each. */
typedef struct fluid_left {
    uint32_t n;
    const uint32_t *ports;
    const double *queued, *coming;
} fluid_left;

/* Meeting i brings the sum of all at its port, if it is the first of them. parts: null, or [n], of what the port expects
 * that which each meeting does. */
WEIR_FN void fluid_take_left(const fluid_tables *t, const fluid_state *s, const fluid_left *left, uint32_t i,
                             double *parts)
{
    const uint32_t port = left->ports[i];
    double queued = 0.0, coming = 0.0;
    if (i > 0 && left->ports[i - 1] == port)
        return;
    for (uint32_t k = i; k < left->n && left->ports[k] == port; k++) {
        queued += left->queued[k];
        coming += left->coming[k];
    }
    for (uint32_t k = i; parts && k < left->n && left->ports[k] == port; k++)
        parts[k] = net_exchange_part(left->coming[k], coming);
    fluid_take_packets(t, s, port, queued, coming);
}

#endif
