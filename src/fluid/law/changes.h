/*
 * What happens to ports and flows between two steps: links fail and come back, and sessions whose way changes
 * go on elsewhere with their windows. All of it is known before the run; for host and device.
 */
#ifndef WI_FLUID_LAW_CHANGES_H
#define WI_FLUID_LAW_CHANGES_H

#include "fluid/law/blocks.h"

/* The step, counted from now, in which there entered what reaches the end of a port's wire now. */
WEIR_FN int32_t fluid_step_at_end(const fluid_port *port, const fluid_state *s)
{
    int32_t step = 3 - (int32_t)port->rows;
    double part = 1.0;
    fluid_seek(s->own_lag + port->own, port->rows, fluid_row_now(s->now, port->rows), 0, port->delay, &step,
               &part);
    return step;
}

/* A link fails: what it has accepted and not yet brought to its end is lost, whole steps of it; and so is what
 * it accepts until it is back. */
WEIR_FN void fluid_port_fails(const fluid_tables *t, const fluid_state *s, uint32_t p)
{
    const fluid_port *const port = &t->ports[p];
    const uint32_t now = fluid_row_now(s->now, port->rows);
    const int32_t last = fluid_step_at_end(port, s);
    const double low = s->own_accepted[port->own + fluid_slot(now, last, port->rows)];
    for (int32_t i = last + 1; i < 0; i++) {
        const uint64_t at = port->own + fluid_slot(now, i, port->rows);
        for (uint32_t kind = 0; kind < t->n_kinds; kind++) {
            s->own_keep[kind * t->n_own + at] = 0.0;
            if (t->signals)
                s->own_signal[kind * t->n_own + at] = 1.0;
        }
        s->own_drop[at] = fluid_drop_when_down(fluid_drop_of(s->own_drop[at]));
    }
    if (low < s->dead_high[p]) /* the last failure is not over at the far end: both are one */
        s->dead[p] -= s->dead_high[p] - s->dead_low[p];
    else
        s->dead_low[p] = low;
    s->down[p] = 1;
}

WEIR_FN void fluid_port_returns(const fluid_state *s, uint32_t p)
{
    s->dead_high[p] = s->accepted[p];
    s->dead[p] += s->dead_high[p] - s->dead_low[p];
    s->down[p] = 0;
}

/* Of the bytes that a port has accepted up to some time, those that no failure has taken. */
WEIR_FN double fluid_spared_by_failures(const fluid_state *s, uint32_t p, double accepted)
{
    const double low = s->dead_low[p], high = s->dead_high[p];
    if (s->down[p])
        return (accepted < low ? accepted : low) - s->dead[p];
    if (accepted >= high)
        return accepted - s->dead[p];
    return (accepted < low ? accepted : low) - (s->dead[p] - (high - low));
}

/* Those that failures have taken. */
WEIR_FN double fluid_taken_by_failures(const fluid_state *s, uint32_t p)
{
    return s->dead[p] + (s->down[p] ? s->accepted[p] - s->dead_low[p] : 0.0);
}

/* What a session whose way has failed begins with again: of what it had then a share that its law says, as ssthresh. */
WEIR_FN fluid_real fluid_kept_window(const fluid_tables *t, const fluid_state *s, uint32_t flow)
{
    const fluid_real share = (fluid_real)t->classes[t->flows[flow].cls].kept;
    const fluid_real kept = share * ((const fluid_real *)s->window)[flow], one = (fluid_real)1;
    return kept > one ? kept : one;
}

/* Its window is in flight a round trip after it begins, as ACKs of the other way let nothing go on this one. */
WEIR_FN void fluid_flow_begins(const fluid_tables *t, const fluid_state *s, uint32_t flow)
{
    ((fluid_real *)s->first)[flow] =
        (fluid_real)((double)((const fluid_real *)s->window)[flow] / t->flows[flow].base);
}

/* A flow goes on with another's windows as they are. */
WEIR_FN void fluid_flow_takes(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t from)
{
    ((fluid_real *)s->window)[flow] = ((const fluid_real *)s->window)[from];
    ((fluid_real *)s->window_rest)[flow] = ((const fluid_real *)s->window_rest)[from];
    ((fluid_real *)s->slow)[flow] = ((const fluid_real *)s->slow)[from];
    ((fluid_real *)s->recovering)[flow] = ((const fluid_real *)s->recovering)[from];
    ((fluid_real *)s->answered)[flow] = ((const fluid_real *)s->answered)[from];
    fluid_words own; /* both are of one class */
    fluid_law_load(t, s, from, &own);
    fluid_law_store(t, s, flow, &own);
    s->flow_flags[flow] = s->flow_flags[from];
    fluid_flow_begins(t, s, flow);
}

/* The same when the other's way has failed. */
WEIR_FN void fluid_flow_takes_lost(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t from)
{
    const fluid_real kept = ((const fluid_real *)s->window)[flow], half = fluid_kept_window(t, s, from);
    ((fluid_real *)s->window)[flow] = kept > half ? kept : half;
    ((fluid_real *)s->window_rest)[flow] = (fluid_real)0;
    ((fluid_real *)s->slow)[flow] = (fluid_real)0;
    ((fluid_real *)s->recovering)[flow] = (fluid_real)0;
    ((fluid_real *)s->answered)[flow] = (fluid_real)0;
    s->flow_flags[flow] &= ~(uint32_t)FLUID_STARTING;
    fluid_law_begin(t, s, flow, from); /* both are of one class */
    fluid_flow_begins(t, s, flow);
}

/* Changes of one step and kind may be made in any order. */
WEIR_FN void fluid_make_change(const fluid_tables *t, const fluid_state *s, const fluid_change *c)
{
    if (c->number == FLUID_NONE) /* of another rank's part */
        return;
    switch (c->what) {
    case FLUID_PORT_DOWN:
        fluid_port_fails(t, s, c->number);
        break;
    case FLUID_PORT_UP:
        fluid_port_returns(s, c->number);
        break;
    case FLUID_FLOW_TAKES:
        fluid_flow_takes(t, s, c->number, c->from);
        break;
    case FLUID_FLOW_TAKES_LOST:
        fluid_flow_takes_lost(t, s, c->number, c->from);
        break;
    default: /* FLUID_FLOW_BREAKS: kept until the other flow begins */
        ((fluid_real *)s->window)[c->number] = fluid_kept_window(t, s, c->from);
        break;
    }
}

#endif
