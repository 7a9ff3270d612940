/*
 * Flows that wait for others: collective operations, and whatever answers once all have been heard.
 *
 * A gate belongs to a host and holds starts of flows there. Each flow that feeds it counts when its last byte has arrived
 * in order at that host; with the last of them the starts are let go, after the gate's pause. What a host waits for and
 * what it does then are both its own, so that it needs no message, and a barrier costs nothing but the flows themselves.
 */
#ifndef WI_NET_TRANSPORT_GATE_H
#define WI_NET_TRANSPORT_GATE_H

#include "net/transport/flow.h"

/* The flow of a receiving slot has arrived. */
NET_RARE void net_gate_feed(weir_ctx *ctx, const net_world *w, uint32_t slot)
{
    const uint32_t gate = NET_ARRAY(w, uint32_t, rx_gate)[slot];
    if (gate == NET_NONE)
        return;
    const net_gate *g = NET_ARRAY(w, net_gate, gates) + gate;
    uint64_t *arrived = (uint64_t *)weir_slot(ctx, NET_POOL_HOST_WORDS, g->word, sizeof *arrived);
    weir_touch(ctx, arrived, sizeof *arrived);
    if (++*arrived == g->needs)
        net_note_later(ctx, NET_EV_GATE, gate, 0, weir_now(ctx) + g->pause_ps);
}

/* A gate is open: its starts from number `arg` on, at most NET_STARTS in one handling. */
WEIR_FN void net_host_gate(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const net_note note = net_note_of(event);
    const net_gate *g = NET_ARRAY(h.w, net_gate, gates) + note.index;
    const net_start *starts = NET_ARRAY(h.w, net_start, gate_starts) + g->first_start;
    uint32_t i = note.arg;
    for (int n = 0; n < NET_STARTS && i < g->n_starts; n++, i++) {
        const weir_time stop_ps = net_class_at(h.w, starts[i].cls)->stop_ps;
        if (stop_ps == 0 || weir_now(ctx) < stop_ps)
            net_begin_flow(ctx, &h, starts[i].tx, starts[i].dst, starts[i].rx_hint, starts[i].u.size);
    }
    if (i < g->n_starts)
        net_note_later(ctx, NET_EV_GATE, note.index, i, weir_now(ctx) + 1);
}

#endif
