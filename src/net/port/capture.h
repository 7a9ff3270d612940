/*
 * Captures: records of the packets that a port sends and of those that are received over its link, for ports that a scenario
 * names; and of the packets of classes that it names (NET_CLASS_TRACED) at every port, sent or dropped, and at the host that
 * receives them.
 *
 * They are quiet records (weir_model.n_quiet_records): they decide nothing, so that a run has the same digests with captures
 * and without. World and packets are as always where nothing is captured, and a device has a program with this code besides the
 * usual one (model/watched.cu).
 */
#pragma once

#include "net/packet/world.h"

#if WEIR_ON_DEVICE && !defined NET_WATCHED
#define NET_CAN_CAPTURE 0
#else
#define NET_CAN_CAPTURE 1
#endif

/* What is captured of an entity's link; a byte each in world->captures. */
enum { NET_CAPTURE_SENT = 1, NET_CAPTURE_RECEIVED = 2 };

/* A packet on a link, or one that was to go over it. */
typedef struct net_packet_record {
    net_packet packet; /* with the marks and the TTL that it has there */
    uint32_t port;     /* entity that sends over the link */
    uint16_t received; /* at the link's far end; else at its sender */
    uint16_t verdict; /* enum net_verdict; NET_DROP_LOSS: sent and lost. Of one that is received NET_ACCEPT */
    weir_time at_ps;  /* first bit sent, or last bit received, or dropped */
    weir_time wait_ps; /* in the queue, until then */
} net_packet_record;

/* A flow has begun: what later packets of its slot belong to. */
typedef struct net_flow_record {
    uint32_t flow, first; /* slot, and the first byte's sequence number */
    uint32_t src, dst;    /* host entities; data go to dst */
} net_flow_record;

/* A round trip that a sender has measured. */
typedef struct net_rtt_record {
    uint32_t flow, first;
    weir_time rtt_ps;
} net_rtt_record;

/* A pause frame on a link. */
typedef struct net_pause_record {
    uint32_t port;        /* entity that sends over the link */
    uint16_t received;    /* as of a packet */
    uint8_t told, paused; /* priorities of which it tells, a bit each, and those of them that it pauses */
} net_pause_record;

/* Record a packet as it is now at an entity's link; the caller fills in what differs. */
WEIR_FN net_packet_record *net_record_packet(weir_ctx *ctx, uint32_t port, const net_packet *packet)
{
    net_packet_record *r =
        (net_packet_record *)weir_quiet_record(ctx, NET_REC_PACKET, sizeof(net_packet_record));
    r->packet = *packet;
    r->port = port;
    r->received = 0;
    r->verdict = NET_ACCEPT;
    r->at_ps = weir_now(ctx);
    r->wait_ps = 0;
    return r;
}

/* Whether an entity's link is captured, and `what` of it. */
WEIR_FN bool net_captures(const net_world *w, uint32_t entity, int what)
{
    return NET_CAN_CAPTURE && WEIR_UNLIKELY(w->captures != 0) &&
           (NET_ARRAY(w, uint8_t, captures)[entity] & what) != 0;
}

/* Record a pause frame that is sent by an entity, or received over its link. */
WEIR_FN void net_record_pause(weir_ctx *ctx, uint32_t port, bool received, uint32_t before, uint32_t after)
{
    if (!net_captures(net_world_of(ctx), port, received ? NET_CAPTURE_RECEIVED : NET_CAPTURE_SENT))
        return;
    net_pause_record *r = (net_pause_record *)weir_quiet_record(ctx, NET_REC_PAUSE, sizeof(net_pause_record));
    r->port = port;
    r->received = received;
    r->told = (uint8_t)(before | after);
    r->paused = (uint8_t)after;
}

/* Whether a packet is of a class that is captured everywhere. */
WEIR_FN bool net_is_traced(const net_world *w, const net_packet *p)
{
    return NET_CAN_CAPTURE && WEIR_UNLIKELY(w->captures != 0) &&
           (net_class_of_flow(w, p->flow)->flags & NET_CLASS_TRACED) != 0;
}

/* Record a packet that is lost at a port's queue, or with its link. */
WEIR_FN void net_record_lost(weir_ctx *ctx, uint32_t port, const net_packet *p, int why, weir_time wait_ps)
{
    if (!net_is_traced(net_world_of(ctx), p))
        return;
    net_packet_record *r = net_record_packet(ctx, port, p);
    r->verdict = (uint16_t)why;
    r->wait_ps = wait_ps;
}

/* Record a round trip that the sender of a flow has measured. */
WEIR_FN void net_record_rtt(weir_ctx *ctx, const net_class *c, uint32_t flow, uint32_t first,
                            weir_time rtt_ps)
{
    if (!NET_CAN_CAPTURE || WEIR_LIKELY(!(c->flags & NET_CLASS_TRACED)))
        return;
    net_rtt_record *r = (net_rtt_record *)weir_quiet_record(ctx, NET_REC_RTT, sizeof(net_rtt_record));
    r->flow = flow;
    r->first = first;
    r->rtt_ps = rtt_ps;
}

/* Record the handled packet, which has been received over the link of an entity, by a host or a router's port. */
WEIR_FN void net_record_received(weir_ctx *ctx, const net_world *w, const net_packet *p, uint32_t over,
                                 bool by_host)
{
    if (net_captures(w, over, NET_CAPTURE_RECEIVED) || (by_host && net_is_traced(w, p)))
        net_record_packet(ctx, over, p)->received = 1;
}

/* Record a flow that begins at the host that handles the event. */
WEIR_FN void net_record_flow(weir_ctx *ctx, const net_world *w, uint32_t flow, uint32_t first, uint32_t dst)
{
    if (!NET_CAN_CAPTURE || WEIR_LIKELY(w->captures == 0))
        return;
    net_flow_record *r = (net_flow_record *)weir_quiet_record(ctx, NET_REC_FLOW, sizeof(net_flow_record));
    r->flow = flow;
    r->first = first;
    r->src = ctx->entity;
    r->dst = dst;
}
