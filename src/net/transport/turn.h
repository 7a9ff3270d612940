/*
 * A host's interface serves its flows in turn, as Linux's fair queueing and the queue pairs of RDMA NICs are.
 *
 * Data waits at its flow, not in the interface: a flow that may send while the line is busy joins a ring, and sends when its turn
 * comes. So nothing that a host sends is dropped there, a window that the line cannot serve is not a queue, and what a control
 * holds back never waits before another flow's packets. The line takes a packet while at most one is before it (two after a
 * pause between turns), which bounds what stands in the interface as Linux's TCP small queues do; under priority flow
 * control one, as a pause lets no more out. What has no window goes before all turns: ACKs and what else receivers answer,
 * requests, SYNs, probes, and the first retransmission of a recovery.
 *
 * A turn has NET_TURN_BYTES, or those of the least full packet where all are larger. What a flow's last packet takes beyond that it
 * owes in its next turns (deficit round robin; M. Shreedhar, G. Varghese, IEEE/ACM ToN 4(3), 1996).
 *
 * A host whose only flow is of UDP has a plain queue, and so has one whose line carries fluid, or that asks for one by
 * `topology.host_queue`; there a flow hands over NET_BURST packets and goes on when the line has sent them.
 */
#ifndef WI_NET_TRANSPORT_TURN_H
#define WI_NET_TRANSPORT_TURN_H

#include "net/flow/endpoint.h"
#include "net/switch/port.h"

typedef struct net_host {
    net_port nic;
    uint32_t next_start; /* of the host's starts */
    uint32_t ring;       /* flow + 1 that is last in the ring of turns; 0: none is in it */
} net_host;
WEIR_STATIC_ASSERT(sizeof(net_host) <= 128, "two cache lines");

/* The turn that is being served. */
struct net_turn {
    int32_t room;     /* bytes; below 0: what is owed */
    uint32_t packets; /* that may still go at once */
};

enum { NET_TURN_BYTES = 1500, NET_TURN_PACKETS = 2 };

/* A sender's slot, touched. */
WEIR_FN net_tx *net_tx_slot(weir_ctx *ctx, uint32_t i)
{
    net_tx *tx = (net_tx *)weir_slot(ctx, NET_POOL_TX, i, sizeof(net_tx));
    weir_touch(ctx, tx, sizeof *tx);
    return tx;
}

/* Send more at a given time, through an event to itself; one such event at a time. */
WEIR_FN void net_tx_continue(weir_ctx *ctx, net_tx *tx, uint32_t flow, weir_time at_ps)
{
    if (tx->flags & NET_TX_SENDING)
        return;
    tx->flags |= NET_TX_SENDING;
    net_note *note = (net_note *)weir_schedule_at(ctx, ctx->entity, NET_EV_SEND, at_ps);
    note->index = flow;
    note->arg = 0;
}

/* The band of a flow's priority in the interface of a host that obeys pauses. */
WEIR_FN const net_band *net_turn_band(const weir_ctx *ctx, const net_view *h, const net_tx *tx)
{
    const net_band *bands =
        (const net_band *)(const void *)(net_port_words(ctx, h->w, ctx->entity) + NET_STORE_WORDS);
    return &bands[net_class_at(h->w, tx->cls)->dscp >> 3 & (NET_BANDS - 1u)];
}

/* Whether the host is paused for packets of the flow's priority. */
WEIR_FN bool net_turn_is_paused(const weir_ctx *ctx, const net_view *h, const net_tx *tx)
{
    return WEIR_UNLIKELY(h->w->pfc_lines != 0) && net_turn_band(ctx, h, tx)->paused;
}

/* The time without that in which it was paused: by it a rate's timers go. */
WEIR_FN weir_time net_turn_clock(const weir_ctx *ctx, const net_view *h, const net_tx *tx)
{
    const weir_time now = weir_now(ctx);
    if (WEIR_LIKELY(!h->w->pfc_lines))
        return now;
    const net_band *band = net_turn_band(ctx, h, tx);
    return band->paused ? -band->paused_ps : now - band->paused_ps;
}

/* Whether the line takes another packet of a flow. */
WEIR_FN bool net_turn_begins(const weir_ctx *ctx, const net_view *h)
{
    const weir_time ahead_ps = h->w->pfc_lines ? 0 : net_link_time(h->link, h->w->turn_bytes);
    return h->port->busy_until_ps - weir_now(ctx) <= ahead_ps;
}

/* Schedule the next turns; the host is touched. */
WEIR_FN void net_turn_wake(weir_ctx *ctx, const net_view *h)
{
    const weir_time now = weir_now(ctx);
    if (h->port->waiting.wake_ps == 0)
        net_wake(ctx, h, h->port->busy_until_ps > now ? h->port->busy_until_ps : now + 1);
}

/* Put a flow, which is touched and in no ring, into its host's: last, or first where it has only been interrupted. */
WEIR_FN void net_turn_append(weir_ctx *ctx, net_host *host, net_tx *tx, uint32_t flow, bool first)
{
    if (host->ring) {
        net_tx *last = (net_tx *)weir_slot(ctx, NET_POOL_TX, host->ring - 1u, sizeof(net_tx));
        weir_touch(ctx, &last->next, sizeof last->next);
        tx->next = last->next;
        last->next = flow + 1u;
    } else {
        tx->next = flow + 1u;
    }
    if (!first || !host->ring)
        host->ring = flow + 1u;
}

/* The first flow off the ring, which is not empty; its slot is touched. */
WEIR_FN net_tx *net_turn_take(weir_ctx *ctx, net_host *host, uint32_t *flow)
{
    net_tx *last = (net_tx *)weir_slot(ctx, NET_POOL_TX, host->ring - 1u, sizeof(net_tx));
    *flow = last->next - 1u;
    net_tx *tx = net_tx_slot(ctx, *flow);
    if (tx == last) {
        host->ring = 0;
    } else {
        weir_touch(ctx, &last->next, sizeof last->next);
        last->next = tx->next;
    }
    tx->next = 0;
    return tx;
}

/* A flow that may send waits for its turn. */
WEIR_FN_APART void net_turn_join(weir_ctx *ctx, const net_view *h, net_tx *tx, uint32_t flow)
{
    net_host *host = (net_host *)(void *)h->port;
    if (tx->next)
        return;
    weir_touch(ctx, host, sizeof *host);
    const bool first = h->turn && h->turn->room > 0;
    if (first)
        tx->owed = (h->w->turn_bytes - (uint32_t)h->turn->room) / 2u & 0x7fffu;
    net_turn_append(ctx, host, tx, flow, first);
    if (!h->turn && !net_turn_is_paused(ctx, h, tx))
        net_turn_wake(ctx, h);
}

/* Whether a flow may hand its interface one more packet, after `sent` in this handling. If not, it goes on by itself. */
WEIR_FN bool net_turn_grants(weir_ctx *ctx, const net_view *h, net_tx *tx, uint32_t flow, int sent)
{
    if (!h->link->turns) {
        if (WEIR_LIKELY(sent < NET_BURST))
            return true;
        const weir_time idle_ps = net_port_idle_ps(net_queue_of(h), h->port), now = weir_now(ctx);
        net_tx_continue(ctx, tx, flow, idle_ps > now ? idle_ps : now + 1);
        return false;
    }
    if (h->turn) {
        if (h->turn->room > 0 && h->turn->packets > 0) {
            h->turn->packets--;
            return true;
        }
    } else if (sent < NET_BURST && h->port->waiting.wake_ps == 0 && net_turn_begins(ctx, h) &&
               !net_turn_is_paused(ctx, h, tx)) {
        return true;
    }
    net_turn_join(ctx, h, tx, flow);
    return false;
}

/* Enqueue a packet at the host's own interface, which is touched only then. */
NET_FAST_APART void net_host_enqueue(weir_ctx *ctx, const net_view *h, net_packet *packet)
{
    packet->ttl = (uint8_t)h->w->ttl;
    weir_touch(ctx, h->port, sizeof *h->port);
    if (h->turn)
        h->turn->room -= packet->bytes;
    net_enqueue(ctx, h, packet, packet->ttl);
}

#endif
