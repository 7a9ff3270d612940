/*
 * A host's pulls: which of the flows that come to it may send next, and when (NDP; M. Handley and others, SIGCOMM 2017, section
 * 3.2). All flows that are owed a packet stand in one ring, in which each is pulled once and goes behind; pulls leave as far apart
 * as the packets that they ask for take on the host's own line, so that these come at its rate. Ultra Ethernet's receivers grant
 * credits in the same way, of up to four packets at once, and take a hundredth more time; where nobody is owed any, they go beyond what
 * is wanted, to a largest window a flow, so that what is trimmed late finds some.
 */
#ifndef WI_NET_TRANSPORT_PULL_H
#define WI_NET_TRANSPORT_PULL_H

#include "net/transport/uet.h"

/* In NET_POOL_HOST_WORDS; behind it the ring: uint32_t[receiving slots of the host]. */
typedef struct net_pulls {
    weir_time at_ps; /* before which none leaves */
    uint32_t head, count;
    uint32_t size;
    uint32_t waits; /* an event is pending */
    /* Of oversubscribed credits (congestion/nscc.h): what has come since the rate was looked at. */
    weir_time looks_ps;
    double less, marks; /* 1 - r; mean share of marked packets */
    uint32_t received, marked, trimmed, trimmed_last, rises, reserved;
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

/* Look at the rate of a host's credits, after a stretch with what has been counted. */
WEIR_FN void net_pulls_look(net_pulls *p, double oversubscribed)
{
    const uint32_t whole = p->received - p->trimmed - p->trimmed_last;
    const double share = whole ? (double)p->marked / (double)whole : 0.0, least = 0.9 / oversubscribed;
    const bool over = (p->marks = 0.5 * p->marks + 0.5 * share) > 0.3;
    double rate = 1.0 - p->less;
    if (p->trimmed)
        rate -= (double)p->trimmed / (double)p->received;
    if (over)
        rate *= 1.0 - 0.5 * (p->marks - 0.3);
    if (!over && !p->trimmed) {
        rate += p->marked ? 0.01 : 0.01 * (double)(1u << (p->rises < 7u ? p->rises : 7u));
        p->rises++;
    } else {
        p->rises = 0;
    }
    rate = rate < least ? least : rate > 1.0 ? 1.0 : rate;
    p->less = 1.0 - rate;
    p->received = p->marked = p->trimmed = p->trimmed_last = 0;
}

/* A packet has come: count it, and look at the rate where that is due. */
NET_RARE void net_pulls_hear(weir_ctx *ctx, const net_world *w, const net_class *c, const net_packet *packet)
{
    const net_nscc_params *a = NET_CC_PARAMS(nscc, c);
    net_pulls *p = net_pulls_of(ctx, w);
    const weir_time now = weir_now(ctx);
    if (p->looks_ps == 0)
        p->looks_ps = now + a->line.base_ps;
    for (int i = 0; i < 16 && now >= p->looks_ps;
         i++) { /* after so many without a packet it is at its most */
        weir_stream random = weir_stream_open(ctx);
        p->looks_ps += (weir_time)((0.75 + 0.5 * weir_draw_unit(&random)) * 1.5 * (double)a->line.base_ps);
        weir_stream_close(ctx, &random);
        net_pulls_look(p, a->oversubscribed);
    }
    p->looks_ps = p->looks_ps > now ? p->looks_ps : now + a->line.base_ps;
    p->received++;
    if (!net_is_trimmed(packet))
        p->marked += (packet->flags & NET_CE) != 0;
    else if (packet->flags & NET_ASKS)
        p->trimmed_last++;
    else
        p->trimmed++;
}

/* A slot, touched, joins its host's ring. */
WEIR_FN void net_pulls_join(weir_ctx *ctx, const net_world *w, net_rx *rx, uint32_t slot)
{
    if (rx->flags & NET_RX_PULLING)
        return;
    net_pulls *p = net_pulls_of(ctx, w);
    rx->flags |= NET_RX_PULLING;
    net_pulls_push(ctx, p, net_pulls_size(ctx, w), slot);
    if (!p->waits)
        net_pulls_wait(ctx, p);
}

/* Credits that a flow may have beyond what it wants: a largest window. */
WEIR_FN uint32_t net_pull_idle_most(const net_class *c)
{
    const net_nscc_params *a = NET_CC_PARAMS(nscc, c);
    const double most = 1.5 * net_line_most(&a->line) / net_nscc_packet(c);
    return most < NET_UET_WANTS ? (uint32_t)most : (uint32_t)NET_UET_WANTS;
}

/* Whether a flow stays in the ring, and is asked where nobody is owed anything. */
WEIR_FN bool net_pull_is_idle(const net_rx *rx, const net_class *c)
{
    return (c->flags & NET_CLASS_UET) && rx->pulls.owed == 0 && rx->pulls.idle < net_pull_idle_most(c);
}

/* Ask the flow of a slot for a packet, or grant some. Returns how long what comes takes on the line. */
WEIR_FN weir_time net_pull_send(weir_ctx *ctx, const net_view *h, net_rx *rx, const net_class *c)
{
    net_packet pull;
    const uint32_t most = c->flags & NET_CLASS_UET ? (uint32_t)NET_CREDIT_PACKETS : 1u,
                   owed = rx->pulls.owed < most ? rx->pulls.owed : most, n = owed ? owed : most;
    const weir_time packet_ps = net_link_time(h->link, c->mss_bytes + NET_HEADER_TCP);
    rx->pulls.owed -= owed;
    rx->pulls.idle = owed ? 0 : rx->pulls.idle + n;
    rx->pulls.pulled += n;
    rx->acks++;
    net_packet_init(&pull, rx->flow - 1, net_dst_of_ack(h->w, rx->sender, rx->first), rx->rcv_nxt,
                    NET_HEADER_TCP, NET_ACK | NET_PULL);
    pull.u.ack[0] = rx->first | (uint64_t)rx->pulls.pulled << 32;
    pull.u.ack[1] = most > 1 ? rx->pulls.pulled / NET_CREDIT_PACKETS % NET_PATHS_MAX : 0;
    net_host_enqueue(ctx, h, &pull);
    return most > 1 ? packet_ps * (weir_time)n * 100 / 99 : packet_ps;
}

/* The next pull is due: for the first that is owed one, or else the first that is idle. Flows that have ended meanwhile, and slots
 * that serve others by now, leave the ring. */
WEIR_FN void net_host_pull(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)event;
    const net_view h = net_host_view(ctx, state);
    net_pulls *p = net_pulls_of(ctx, h.w);
    const uint32_t *ring = (const uint32_t *)(const void *)(p + 1), size = net_pulls_size(ctx, h.w);
    const uint32_t n = p->count; /* once round */
    p->waits = 0;
    bool sent = false;
    for (uint32_t i = 0; p->count > 0 && !sent; i++) {
        const uint32_t slot = ring[p->head];
        net_rx *rx = (net_rx *)weir_slot(ctx, NET_POOL_RX, slot, sizeof *rx);
        const net_class *c = net_class_at(h.w, rx->cls);
        const bool lives = (c->flags & NET_CLASS_NDP) && !(rx->flags & NET_RX_DONE);
        weir_touch(ctx, rx, sizeof *rx);
        p->head = p->head + 1 == size ? 0 : p->head + 1;
        p->count--;
        if (lives && (rx->pulls.owed > 0 || (i >= n && net_pull_is_idle(rx, c)))) {
            const weir_time takes_ps = net_pull_send(ctx, &h, rx, c);
            p->at_ps =
                weir_now(ctx) + (p->less > 0.0 ? (weir_time)((double)takes_ps / (1.0 - p->less)) : takes_ps);
            sent = true;
        }
        if (lives && (rx->pulls.owed > 0 || net_pull_is_idle(rx, c)))
            net_pulls_push(ctx, p, size, slot);
        else
            rx->flags &= (uint8_t)~NET_RX_PULLING;
    }
    if (p->count > 0)
        net_pulls_wait(ctx, p);
}

#endif
