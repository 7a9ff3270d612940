/*
 * Connections that last: one serves the replies to a client one after another, and its window, round-trip time and
 * congestion control's state go on from one to the next (NET_CLASS_LASTS). A reply's sequence numbers begin some way above
 * those of the one before, as for every new use of a slot (tcp_sender.h).
 *
 * Source: RFC 5681, section 4.1: after an interval of more than the RTO in which nothing was sent, the window is at most the
 * initial one, the restart window (NET_CLASS_RESTART). ssthresh stays, so that slow start leads back to it.
 */
#ifndef WI_NET_TRANSPORT_LASTING_H
#define WI_NET_TRANSPORT_LASTING_H

#include "net/transport/congestion.h"
#include "net/transport/tcp_timer.h"

/* Of a sender, beside its window. */
typedef struct net_lasting {
    weir_time sent_ps; /* when data went last */
} net_lasting;
WEIR_STATIC_ASSERT(sizeof(net_lasting) == NET_LASTING_WORDS * sizeof(uint64_t), "its words");

WEIR_FN net_lasting *net_lasting_of(weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    const uint32_t first =
        NET_TX_ROWS(c->flags) * c->map_words + (c->flags & NET_CLASS_RACK ? (uint32_t)NET_RUNS : 0u);
    void *at = weir_slot(ctx, NET_POOL_WINDOW, tx->map + first, (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, at, (uint32_t)sizeof(net_lasting));
    return (net_lasting *)at;
}

/* A segment goes. */
WEIR_FN void net_lasting_send(weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    if (WEIR_LIKELY(!(c->flags & NET_CLASS_LASTS)))
        return;
    net_lasting_of(ctx, tx, c)->sent_ps = weir_now(ctx);
}

/* The connection has something to send again. */
WEIR_FN void net_lasting_resume(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const weir_time idle_ps = weir_now(ctx) - net_lasting_of(ctx, tx, c)->sent_ps;
    if ((c->flags & NET_CLASS_RESTART) && idle_ps > net_tcp_rto(tx, c) && tx->cwnd > c->initial_window_bytes)
        tx->cwnd = c->initial_window_bytes;
    net_cc_on_idle(ctx, tx, c, idle_ps);
}

#endif
