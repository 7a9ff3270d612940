/*
 * A host's pulls: which of the flows that come to it may send next, and when (NDP; M. Handley and others, SIGCOMM 2017, section
 * 3.2). All flows that are owed a packet stand in one ring, in which each is pulled once and goes behind; pulls leave as far apart
 * as the packets that they ask for take on the host's own line, so that these come at its rate.
 */
#ifndef WI_NET_TRANSPORT_PULL_H
#define WI_NET_TRANSPORT_PULL_H

#include "net/transport/flow.h"

/* In NET_POOL_HOST_WORDS; behind it the ring: uint32_t[receiving slots of the host]. */
typedef struct net_pulls {
    weir_time at_ps; /* before which none leaves */
    uint32_t head, count;
    uint32_t size;
    uint32_t waits; /* an event is pending */
} net_pulls;

enum { NET_PULLS_WORDS = sizeof(net_pulls) / 8 };
WEIR_STATIC_ASSERT(sizeof(net_pulls) % 8 == 0, "a pool of words holds it");

/* A host's pulls, touched. */
WEIR_FN net_pulls *net_pulls_of(weir_ctx *ctx, const net_world *w)
{
    net_pulls *p = (net_pulls *)weir_slot(
        ctx, NET_POOL_HOST_WORDS, NET_ARRAY(w, uint32_t, pulls)[ctx->entity], (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, p, sizeof *p);
    return p;
}

/* A receiving slot behind all others; there is room, as each is there once. */
WEIR_FN void net_pulls_push(weir_ctx *ctx, net_pulls *p, uint32_t size, uint32_t slot)
{
    uint32_t *const ring = (uint32_t *)(void *)(p + 1), at = p->head + p->count++;
    uint32_t *place = &ring[at < size ? at : at - size];
    weir_touch(ctx, place, sizeof *place);
    *place = slot;
}

/* Room of a host's ring. */
WEIR_FN uint32_t net_pulls_size(const weir_ctx *ctx, const net_world *w)
{
    const uint32_t *first = NET_ARRAY(w, uint32_t, rx_first) + ctx->entity;
    return first[1] - first[0];
}

/* Schedule the next pull. */
WEIR_FN void net_pulls_wait(weir_ctx *ctx, net_pulls *p)
{
    const weir_time now = weir_now(ctx);
    p->waits = 1;
    net_note_later(ctx, NET_EV_PULL, 0, 0, p->at_ps > now ? p->at_ps : now + 1);
}

/* A slot, touched, is owed one more packet. */
WEIR_FN void net_pull_owe(weir_ctx *ctx, const net_world *w, net_rx *rx, uint32_t slot)
{
    rx->pulls.owed++;
    if (rx->flags & NET_RX_PULLING)
        return;
    net_pulls *p = net_pulls_of(ctx, w);
    rx->flags |= NET_RX_PULLING;
    net_pulls_push(ctx, p, net_pulls_size(ctx, w), slot);
    if (!p->waits)
        net_pulls_wait(ctx, p);
}

/* Ask the flow of a slot for a packet. */
WEIR_FN void net_pull_send(weir_ctx *ctx, const net_view *h, net_rx *rx)
{
    net_packet pull;
    rx->pulls.owed--;
    rx->pulls.pulled++;
    rx->acks++;
    net_packet_init(&pull, rx->flow - 1, net_dst_of_ack(h->w, rx->sender, rx->first), rx->rcv_nxt,
                    NET_HEADER_TCP, NET_ACK | NET_PULL);
    pull.u.ack[0] = rx->first | (uint64_t)rx->pulls.pulled << 32;
    net_host_enqueue(ctx, h, &pull);
}

/* The next pull is due. Flows that have ended meanwhile, and slots that serve others by now, leave the ring. */
WEIR_FN void net_host_pull(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)event;
    const net_view h = net_host_view(ctx, state);
    net_pulls *p = net_pulls_of(ctx, h.w);
    const uint32_t *ring = (const uint32_t *)(const void *)(p + 1), size = net_pulls_size(ctx, h.w);
    p->waits = 0;
    for (bool sent = false; p->count > 0 && !sent;) {
        const uint32_t slot = ring[p->head];
        net_rx *rx = (net_rx *)weir_slot(ctx, NET_POOL_RX, slot, sizeof *rx);
        const net_class *c = net_class_at(h.w, rx->cls);
        weir_touch(ctx, rx, sizeof *rx);
        p->head = p->head + 1 == size ? 0 : p->head + 1;
        p->count--;
        if ((c->flags & NET_CLASS_NDP) && rx->pulls.owed > 0 && !(rx->flags & NET_RX_DONE)) {
            net_pull_send(ctx, &h, rx);
            p->at_ps = weir_now(ctx) + net_link_time(h.link, c->mss_bytes + NET_HEADER_TCP);
            sent = true;
            if (rx->pulls.owed > 0) {
                net_pulls_push(ctx, p, size, slot);
                continue;
            }
        }
        rx->flags &= (uint8_t)~NET_RX_PULLING;
    }
    if (p->count > 0)
        net_pulls_wait(ctx, p);
}

#endif
