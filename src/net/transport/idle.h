/*
 * Connections between two ranks that last: a message of a gate (gate.h) goes on the one that has been idle for the shortest time, and
 * where none is idle on a new one. Window, round-trip time and the congestion control's state go on (NET_CLASS_LASTS, lasting.h).
 *
 * A message has slots of its own, which keep the connection's state when it is done. Those whose state nobody has taken over
 * yet are a stack: a word of the host (world->tx_connection) has the top's slot plus 1, and net_tx.request what lies below.
 */
#ifndef WI_NET_TRANSPORT_IDLE_H
#define WI_NET_TRANSPORT_IDLE_H

#include "net/transport/flow.h"

/* The word of the connections that a slot's flow may take; touched. Null: it has one of its own. */
WEIR_FN uint64_t *net_idle_word(weir_ctx *ctx, const net_world *w, uint32_t flow)
{
    const uint32_t at = w->tx_connection ? NET_ARRAY(w, uint32_t, tx_connection)[flow] : NET_NONE;
    if (at == NET_NONE)
        return (uint64_t *)0;
    uint64_t *word = (uint64_t *)weir_slot(ctx, NET_POOL_HOST_WORDS, at, (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, word, sizeof *word);
    return word;
}

/* What a slot has in NET_POOL_WINDOW behind its rows. */
WEIR_FN uint64_t *net_idle_state(weir_ctx *ctx, const net_world *w, const net_class *c, uint32_t flow)
{
    const uint32_t at = NET_ARRAY(w, uint32_t, tx_map)[flow] + NET_TX_ROWS(c->flags) * c->map_words;
    return (uint64_t *)weir_slot(ctx, NET_POOL_WINDOW, at, (uint32_t)sizeof(uint64_t));
}

/* Take over the connection that another slot's message went on. */
NET_RARE void net_idle_take(weir_ctx *ctx, const net_world *w, uint32_t flow, uint32_t from)
{
    const net_class *c = net_class_of_flow(w, flow);
    const net_tx *old = (const net_tx *)weir_slot(ctx, NET_POOL_TX, from, (uint32_t)sizeof(net_tx));
    net_tx *tx = net_tx_slot(ctx, flow);
    const uint32_t words = NET_TX_WORDS(c->flags) + net_cc_words(c->congestion);
    const uint64_t *before = net_idle_state(ctx, w, c, from);
    uint64_t *state = net_idle_state(ctx, w, c, flow);
    weir_touch(ctx, state, words * (uint32_t)sizeof *state);
    for (uint32_t i = 0; i < words; i++)
        state[i] = before[i];
    tx->flags = (uint16_t)(old->flags & (NET_TX_STARTED | NET_TX_RTT_KNOWN));
    tx->first = old->first;
    tx->nxt = old->nxt;
    tx->cwnd = old->cwnd;
    tx->ssthresh = old->ssthresh;
    tx->cc = old->cc;
    tx->srtt_ps = old->srtt_ps;
    tx->rttvar_ps = old->rttvar_ps;
    tx->min_rtt = old->min_rtt;
    tx->sent_at = old->sent_at;
}

/* A gate starts a flow. */
WEIR_FN void net_gate_start(weir_ctx *ctx, const net_view *h, const net_start *s)
{
    uint64_t *word = net_idle_word(ctx, h->w, s->tx);
    if (word && *word != 0) {
        const uint32_t from = (uint32_t)*word - 1u;
        *word = ((const net_tx *)weir_slot(ctx, NET_POOL_TX, from, (uint32_t)sizeof(net_tx)))->request;
        net_idle_take(ctx, h->w, s->tx, from);
    }
    net_begin_flow(ctx, h, s->tx, s->dst, s->rx_hint, s->u.size);
}

/* A message is acknowledged: its connection is idle. */
NET_RARE void net_idle_put(weir_ctx *ctx, const net_view *h, net_tx *tx, uint32_t flow)
{
    uint64_t *word = net_idle_word(ctx, h->w, flow);
    if (!word)
        return;
    tx->request = (uint32_t)*word;
    *word = (uint64_t)flow + 1u;
}

#endif
