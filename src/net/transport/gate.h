/*
 * Flows that wait for others: collective operations, and whatever answers once all have been heard.
 *
 * A gate belongs to a host. It counts what it needs: flows whose last byte has arrived in order at that host, flows of that
 * host whose last byte is acknowledged, and gates of the host that have opened. With the last of them its pause begins, and
 * with the pause's end it opens: it starts flows, and feeds other gates. What a host waits for and what it does then are all its own, so that it
 * needs no message, and a barrier costs nothing but the flows themselves. What does not go over the network, as a
 * trigger of htsim's, is a gate that feeds one of another host some time later.
 */
#ifndef WI_NET_TRANSPORT_GATE_H
#define WI_NET_TRANSPORT_GATE_H

#include "net/transport/flow.h"

/* A gate's word, or another of its host, touched. */
WEIR_FN uint64_t *net_gate_word(weir_ctx *ctx, uint32_t word)
{
    uint64_t *at = (uint64_t *)weir_slot(ctx, NET_POOL_HOST_WORDS, word, (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, at, sizeof *at);
    return at;
}

/* All that a gate needs is there: its pause begins. */
WEIR_FN void net_gate_pause(weir_ctx *ctx, const net_gate *g, uint32_t gate)
{
    net_note_later(ctx, NET_EV_GATE, gate, 0, weir_now(ctx) + g->pause_ps);
}

/* One of the things that a gate needs has come; NET_NONE: nobody waits for it. */
NET_RARE void net_gate_feed(weir_ctx *ctx, const net_world *w, uint32_t gate)
{
    if (gate == NET_NONE)
        return;
    const net_gate *g = NET_ARRAY(w, net_gate, gates) + gate;
    if (++*net_gate_word(ctx, g->word) == g->needs)
        net_gate_pause(ctx, g, gate);
}

/* A gate feeds one that may be another host's. */
NET_RARE void net_gate_reach(weir_ctx *ctx, const net_world *w, const net_gate *g)
{
    const net_gate *to = NET_ARRAY(w, net_gate, gates) + g->to;
    net_note *note = (net_note *)weir_schedule(ctx, to->host, NET_EV_FEED, g->reach_ps);
    note->index = g->to;
    note->arg = 0;
}

/* A gate is open: its starts, then its feeds, from number `arg` of both on, at most NET_STARTS in one handling. */
WEIR_FN void net_host_gate(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const net_note note = net_note_of(event);
    const net_gate *g = NET_ARRAY(h.w, net_gate, gates) + note.index;
    const net_start *starts = NET_ARRAY(h.w, net_start, gate_starts) + g->first_start;
    const uint32_t *feeds = NET_ARRAY(h.w, uint32_t, gate_feeds) + g->first_feed;
    uint32_t i = note.arg;
    if (i == 0) {
        *net_gate_word(ctx, g->word) = NET_GATE_OPEN | (uint64_t)weir_now(ctx);
        if (g->to != NET_NONE)
            net_gate_reach(ctx, h.w, g);
    }
    for (int n = i == 0 && g->to != NET_NONE; n < NET_STARTS && i < g->n_starts + g->n_feeds; n++, i++) {
        if (i >= g->n_starts) {
            net_gate_feed(ctx, h.w, feeds[i - g->n_starts]);
            continue;
        }
        const weir_time stop_ps = net_class_at(h.w, starts[i].cls)->stop_ps;
        if (stop_ps == 0 || weir_now(ctx) < stop_ps)
            net_begin_flow(ctx, &h, starts[i].tx, starts[i].dst, starts[i].rx_hint, starts[i].u.size);
    }
    if (i < g->n_starts + g->n_feeds)
        net_note_later(ctx, NET_EV_GATE, note.index, i, weir_now(ctx) + 1);
}

#endif
