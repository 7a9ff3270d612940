/*
 * Captures: records of the packets that leave a port and that come over its link, for ports that a scenario names; and of
 * the packets of classes that it names (NET_CLASS_TOLD), at every port: sent or dropped, and come to a host.
 *
 * They are quiet records (weir_model.n_quiet_records): what is seen decides nothing, so that a run has the same digests with
 * captures and without. World and packets are as always where nothing is captured, and devices have no code for it.
 */
#ifndef WI_NET_PORT_SEE_H
#define WI_NET_PORT_SEE_H

#include "net/packet/world.h"

/* What is captured of an entity's link; a byte each in world->captures. */
enum { NET_SEE_LEAVING = 1, NET_SEE_COMING = 2 };

/* Besides enum net_verdict: lost with a link that failed, or where the router at its end has no way. */
enum { NET_SEEN_LINK_DOWN = NET_DROP_TTL + 1, NET_SEEN_NO_ROUTE };

/* A packet on a link, or one that was to go over it. */
typedef struct net_seen {
    net_packet packet; /* with the marks and the TTL that it has there */
    uint32_t port;     /* entity that sends over the link */
    uint16_t coming;   /* at the link's far end; else at its sender */
    /* enum net_verdict, or above; NET_DROP_LOSS: sent and lost. Of one that comes NET_ACCEPT */
    uint16_t verdict;
    weir_time at_ps;   /* first bit sent, or last bit come, or dropped */
    weir_time wait_ps; /* in the queue, until then */
} net_seen;

/* A flow has begun: what later packets of its slot belong to. */
typedef struct net_seen_flow {
    uint32_t flow, first; /* slot, and the first byte's sequence number */
    uint32_t src, dst;    /* host entities; data go to dst */
} net_seen_flow;

/* A round trip that a sender has measured. */
typedef struct net_seen_rtt {
    uint32_t flow, first;
    weir_time rtt_ps;
} net_seen_rtt;

WEIR_FN void net_see_packet(weir_ctx *ctx, const net_world *w, uint32_t port, const net_packet *packet,
                            uint8_t flags, uint8_t ttl, int coming, int verdict, weir_time at_ps,
                            weir_time wait_ps)
{
    net_seen *s = (net_seen *)weir_quiet_record(ctx, NET_REC_SEEN, sizeof(net_seen));
    (void)w;
    s->packet = *packet;
    s->packet.flags = flags;
    s->packet.ttl = ttl;
    s->port = port;
    s->coming = (uint16_t)coming;
    s->verdict = (uint16_t)verdict;
    s->at_ps = at_ps;
    s->wait_ps = wait_ps;
}

WEIR_FN bool net_sees(const net_world *w, uint32_t entity, int what)
{
#if WEIR_ON_DEVICE
    (void)w, (void)entity, (void)what;
    return false;
#else
    return WEIR_UNLIKELY(NET_MAY(w->captures != 0)) && (NET_ARRAY(w, uint8_t, captures)[entity] & what) != 0;
#endif
}

/* Is the packet of a class that is told of everywhere? */
WEIR_FN bool net_told(const net_world *w, const net_packet *p)
{
#if WEIR_ON_DEVICE
    (void)w, (void)p;
    return false;
#else
    return WEIR_UNLIKELY(NET_MAY(w->captures != 0)) &&
           (net_class_of_flow(w, p->flow)->flags & NET_CLASS_TOLD) != 0;
#endif
}

/* A packet leaves a port, its first bit at `at_ps`. */
WEIR_FN void net_see_leaving(weir_ctx *ctx, const net_world *w, uint32_t port, const net_packet *p,
                             uint8_t flags, uint8_t ttl, int verdict, weir_time at_ps, weir_time wait_ps)
{
    if (net_sees(w, port, NET_SEE_LEAVING) || net_told(w, p))
        net_see_packet(ctx, w, port, p, flags, ttl, 0, verdict, at_ps, wait_ps);
}

/* A packet is lost at a port's queue, or with its link. */
WEIR_FN void net_see_lost(weir_ctx *ctx, const net_world *w, uint32_t port, const net_packet *p, int why,
                          weir_time wait_ps)
{
    if (net_told(w, p))
        net_see_packet(ctx, w, port, p, p->flags, p->ttl, 0, why, weir_now(ctx), wait_ps);
}

/* The sender of a flow has measured a round trip. */
WEIR_FN void net_see_rtt(weir_ctx *ctx, uint32_t class_flags, uint32_t flow, uint32_t first, weir_time rtt_ps)
{
#if WEIR_ON_DEVICE
    (void)ctx, (void)class_flags, (void)flow, (void)first, (void)rtt_ps;
#else
    if (WEIR_LIKELY(!(class_flags & NET_CLASS_TOLD)))
        return;
    net_seen_rtt *s = (net_seen_rtt *)weir_quiet_record(ctx, NET_REC_RTT, sizeof(net_seen_rtt));
    s->flow = flow;
    s->first = first;
    s->rtt_ps = rtt_ps;
#endif
}

/* The handled packet has come over the link of an entity; at a host, or at a router's port. */
WEIR_FN void net_see_coming(weir_ctx *ctx, const net_world *w, const weir_event *event, uint32_t over,
                            bool at_host)
{
    const net_packet *p = WEIR_PAYLOAD(net_packet, event);
    if (net_sees(w, over, NET_SEE_COMING) || (at_host && net_told(w, p)))
        net_see_packet(ctx, w, over, p, p->flags, p->ttl, 1, 0, weir_now(ctx), 0);
}

/* A flow begins at the host that handles the event. */
WEIR_FN void net_see_flow(weir_ctx *ctx, const net_world *w, uint32_t flow, uint32_t first, uint32_t dst)
{
#if WEIR_ON_DEVICE
    (void)ctx, (void)w, (void)flow, (void)first, (void)dst;
#else
    if (WEIR_LIKELY(!NET_MAY(w->captures != 0)))
        return;
    net_seen_flow *s = (net_seen_flow *)weir_quiet_record(ctx, NET_REC_FLOW, sizeof(net_seen_flow));
    s->flow = flow;
    s->first = first;
    s->src = ctx->entity;
    s->dst = dst;
#endif
}

#endif
