/*
 * ACKs on their way back. Every FLUID_ACK_STEPS steps what was acknowledged since is brought to the ports that its
 * ACKs pass, as bytes that come in each of the next steps, and what these ports' queues make ACKs wait is added
 * up for each flow. So both are a moment old, and a port's ACKs come half a round trip late; for host and device.
 * ACKs that are lost let nothing wait: the next one says as much (RFC 9293: they are cumulative).
 */
#ifndef WI_FLUID_LAW_ACKS_H
#define WI_FLUID_LAW_ACKS_H

#include "fluid/law/blocks.h"

enum { FLUID_ACK_STEPS = FLUID_LINE };

/* Transfers of a flow that are in progress: bytes that came and are not acknowledged, over the mean size. */
WEIR_FN double fluid_transfers(const fluid_flow *f, double now, double acked)
{
    const double until = now < f->ends ? now : f->ends, since = until > f->start ? until - f->start : 0.0;
    const double left = f->offered * since - acked;
    return left > 0.0 ? left / f->mean : 0.0;
}

/* Ports first, then flows. */
WEIR_FN void fluid_acks_at_port(const fluid_tables *t, const fluid_state *s, uint32_t p)
{
    double bytes = 0.0;
    for (uint32_t i = t->ack_first[p]; i < t->ack_first[p + 1]; i++) {
        const uint32_t f = t->ack_flow[i];
        bytes += t->classes[t->flows[f].cls].acks * (s->acked[f] - s->acked_before[f]);
    }
    s->acks[p] = bytes * (1.0 / FLUID_ACK_STEPS);
}

WEIR_FN void fluid_acks_of_flow(const fluid_tables *t, const fluid_state *s, uint32_t f)
{
    double wait = 0.0;
    for (uint32_t i = t->back_first[f]; i < t->back_first[f + 1]; i++) {
        const fluid_port *const port = &t->ports[t->back_port[i]];
        wait += s->own_lag[port->own + fluid_slot(fluid_row_now(s->now, port->rows), -1, port->rows)];
    }
    ((fluid_real *)s->back)[f] = (fluid_real)wait;
    s->acked_before[f] = s->acked[f];
    if (t->flows[f].offered > 0.0)
        s->sessions[f] = fluid_transfers(&t->flows[f], (double)s->now, s->acked[f]);
}

#endif
