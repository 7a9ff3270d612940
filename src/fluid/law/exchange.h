/*
 * What packets learn of a port and leave in it, for host and device. The file that includes this has defined
 * fluid_real as for carry.h; which it is makes no difference, as all that ports keep is in double.
 */
#ifndef WI_FLUID_LAW_EXCHANGE_H
#define WI_FLUID_LAW_EXCHANGE_H

#include "fluid/law/blocks.h"

/* A port at the end of a step. */
typedef struct fluid_view {
    double queue;     /* bytes */
    double drop;      /* share of the step's arrivals that RED dropped or marked */
    double reduction; /* projected reduction, bytes from the start */
    double expected;  /* packets that were expected and found a place, bytes from the start */
    double full;      /* share of the rest that a full queue lost */
} fluid_view;

/* What a full queue lost of what was not dropped early, from the share of all arrivals that went on. */
WEIR_FN double fluid_full_share(double keep, double early)
{
    const double lost = early < 1.0 ? 1.0 - keep / (1.0 - early) : 0.0;
    return lost > 1e-9 ? lost : 0.0; /* less is rounding */
}

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
    v.full = drop < 0.0 ? 0.0 : fluid_full_share(s->own_keep[at] / p->spared, drop);
    return v;
}

/* Packets into a port: `queued` bytes stand in it from now on besides those that were expected (fewer than
 * those: negative), `coming` are expected in each step to come. */
WEIR_FN void fluid_take_packets(const fluid_tables *t, const fluid_state *s, uint32_t port, double queued,
                                double coming)
{
    const fluid_port *const p = &t->ports[port];
    /* What entered in the last step waits behind the packets: nobody has asked for it yet, it is a delay
     * away. But it does not overtake what entered before it. */
    const uint64_t last = fluid_own_slot(p, s->now, 1);
    const double queue = s->queue[port] + queued > 0.0 ? s->queue[port] + queued : 0.0;
    s->queue[port] = queue;
    s->packets[port] = coming;
    s->own_lag[last] = fluid_queue_lag(p, queue, s->own_lag[fluid_own_slot(p, s->now, 2)]);
}

#endif
