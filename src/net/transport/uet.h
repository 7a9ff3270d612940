/*
 * What Ultra Ethernet's senders do beside NDP's (ndp_sender.h): when another packet may go, what it carries, and what the control
 * (congestion/nscc.h) and the choice of paths (flow/entropy.h) learn of answers.
 *
 * Answers tell how many segments have arrived in all, so that what is on its way is known though a host answers every few packets
 * and blocks of an ACK tell of some alone. Data carry an entropy value and, where the receiver grants credits, in the last bits
 * of the time (a nanosecond) up to which packet the sender wants some, counted from the flow's first grant.
 */
#ifndef WI_NET_TRANSPORT_UET_H
#define WI_NET_TRANSPORT_UET_H

#include "net/flow/tcp_runs.h"
#include "net/transport/flow.h"

/* Wants are counted modulo the first, and are at most the second. */
enum { NET_UET_TARGETS = 1024, NET_UET_WANTS = NET_UET_TARGETS / 2 - 1 };

/* Whether the receiver grants credits. */
WEIR_FN bool net_uet_grants(const net_class *c)
{
    return (c->flags & NET_CLASS_UET) && NET_CC_PARAMS(nscc, c)->credits;
}

/* Segments that are on their way. */
WEIR_FN uint32_t net_uet_flight(net_tx *tx)
{
    const uint32_t known = tx->n_lost + net_ndp_of(tx)->ahead;
    return tx->n_out > known ? tx->n_out - known : 0;
}

/* Whether there is room for another packet in the window, after `more` that have not gone yet. */
WEIR_FN bool net_uet_has_room(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t more)
{
    return c->congestion != NET_CC_NSCC ||
           (double)(net_uet_flight(tx) + more + 1u) * net_nscc_packet(c) <= NET_CC_OF(nscc)->window;
}

/* Whether another packet may go. */
WEIR_FN bool net_uet_may(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    return (net_ndp_of(tx)->credit > 0 || !net_uet_grants(c)) && net_uet_has_room(ctx, tx, c, 0);
}

/* Packets that have not gone, or must again. */
WEIR_FN uint64_t net_uet_backlog(const net_tx *tx, const net_class *c)
{
    return tx->n_lost + (tx->flags & NET_TX_UNBOUNDED ? (uint64_t)NET_UET_TARGETS
                                                      : (tx->left + c->mss_bytes - 1u) / c->mss_bytes);
}

/* Up to which packet credits are wanted: for what is left, a largest window at most. */
WEIR_FN uint32_t net_uet_target(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const net_ndp *s = net_ndp_of(tx);
    const net_nscc *law = NET_CC_OF(nscc);
    const uint64_t left = net_uet_backlog(tx, c);
    uint64_t most = (uint64_t)(net_nscc_most(law, c) / net_nscc_packet(c)) + 1u;
    if (c->congestion == NET_CC_NSCC && (double)most * net_nscc_packet(c) > law->window)
        most = (uint64_t)(law->window / net_nscc_packet(c)) + 1u;
    most = most < NET_UET_WANTS ? most : NET_UET_WANTS;
    const uint64_t wants = left < most ? left : most;
    const uint64_t least = s->unasked && left > 0;
    return s->pulled + (uint32_t)(wants > s->credit + least ? wants - s->credit : least);
}

/* Give a packet, which is not counted as credit any more, an entropy value and what is wanted. */
WEIR_FN void net_uet_name(weir_ctx *ctx, net_tx *tx, const net_class *c, net_packet *p)
{
    const net_nscc_params *a = NET_CC_PARAMS(nscc, c);
    const uint64_t value = net_entropy_next(ctx, &NET_CC_OF(nscc)->entropy, a->balance, a->paths);
    const uint64_t target = a->credits ? net_uet_target(ctx, tx, c) % NET_UET_TARGETS : 0;
    p->u.data.sent_ps =
        (weir_time)(((uint64_t)p->u.data.sent_ps & NET_SENT_MASK & ~((uint64_t)NET_UET_TARGETS - 1u)) |
                    target | value << 48);
}

/* Whether a flow that last sent `gap` units of 2^16 ps ago (tcp_runs.h) sends so seldom, as others of its host take their turns, that a
 * packet might time out before so many have come that an answer goes unasked. */
WEIR_FN bool net_uet_is_seldom(const net_class *c, uint32_t gap)
{
    const uint64_t packets = NET_CC_PARAMS(nscc, c)->ack_bytes / (c->mss_bytes + NET_HEADER_TCP);
    return ((uint64_t)gap << NET_RACK_UNIT_BITS) * packets > (uint64_t)c->rto_min_ps / 2u;
}

/* Complete a packet of data. */
NET_RARE void net_uet_dress(weir_ctx *ctx, net_tx *tx, const net_class *c, net_packet *p, bool asks)
{
    net_uet_name(ctx, tx, c, p);
    const bool last = net_uet_backlog(tx, c) == 0 || (net_uet_grants(c) && net_ndp_of(tx)->credit == 0);
    if (asks || last || !net_uet_has_room(ctx, tx, c, 0))
        p->flags |= NET_ASKS;
}

/*
 * Where nothing may go for want of credit, and none has been asked for in a round trip, a header alone asks for some: a receiver
 * that has heard of nothing grants nothing. Returns whether it has gone.
 */
NET_RARE bool net_uet_ask(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_class *c, uint32_t flow)
{
    net_nscc *law = NET_CC_OF(nscc);
    const weir_time now = weir_now(ctx);
    if (!net_uet_grants(c) || net_ndp_of(tx)->credit > 0 || net_uet_backlog(tx, c) == 0 ||
        (law->asked_ps && now - law->asked_ps < law->base_ps))
        return false;
    net_packet p = net_tx_packet(ctx, tx, flow, tx->una, NET_HEADER_TCP, NET_TRIMS | NET_TRIMMED);
    net_uet_name(ctx, tx, c, &p);
    p.u.data.sent_ps = (weir_time)((uint64_t)p.u.data.sent_ps | NET_SENT_ALONE);
    law->asked_ps = now;
    tx->packets++;
    net_host_enqueue(ctx, h, &p);
    return true;
}

/* An answer has come: what goes unasked ends. */
WEIR_FN void net_uet_answered(net_tx *tx)
{
    net_ndp *s = net_ndp_of(tx);
    if (s->unasked)
        s->unasked = s->credit = 0;
}

/* Segments of which an ACK is the first to tell that they have arrived; none where ACKs have changed places. */
WEIR_FN uint32_t net_uet_count(net_tx *tx, const net_packet *p)
{
    net_ndp *s = net_ndp_of(tx);
    net_uet_answered(tx);
    if (p->flags & (NET_NACK | NET_PULL))
        return 0;
    const uint32_t news = (net_ack_count(p) - s->arrived) % NET_ACK_COUNTS;
    if (news == 0 || news >= NET_ACK_COUNTS / 2u)
        return 0;
    s->arrived = (uint16_t)((s->arrived + news) % NET_ACK_COUNTS);
    s->ahead += news;
    return news;
}

/* The control's event of so many segments. */
WEIR_FN net_cc_event net_uet_event(const weir_ctx *ctx, net_tx *tx, const net_class *c, enum net_cc_sign sign)
{
    return net_cc_event_of(weir_now(ctx), sign,
                           net_uet_flight(tx) * (c->mss_bytes + (uint32_t)NET_HEADER_TCP));
}

/* An ACK, of so many segments that have arrived. */
NET_RARE void net_uet_arrived(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *p,
                              uint32_t arrived)
{
    net_nscc *law = NET_CC_OF(nscc);
    net_cc_event e = net_uet_event(ctx, tx, c, NET_CC_ACKED);
    e.delivered = arrived * (c->mss_bytes + (uint32_t)NET_HEADER_TCP);
    e.echo = (p->flags & NET_CE) != 0;
    e.rtt_ps = net_ack_elapsed(p, c, e.now_ps);
    net_entropy_learn(&law->entropy, NET_CC_PARAMS(nscc, c)->balance, net_ack_tag(p),
                      e.echo ? NET_PATH_MARKED : NET_PATH_GOOD, e.now_ps);
    net_cc_on_ack_of(ctx, tx, c, &e);
}

/* A NACK; of what is known already, too, the path's part is news. */
NET_RARE void net_uet_trimmed(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *p, bool news)
{
    net_nscc *law = NET_CC_OF(nscc);
    const bool last = (p->flags & NET_PULL) != 0;
    net_cc_event e = net_uet_event(ctx, tx, c, NET_CC_LOST);
    e.acked = c->mss_bytes + (uint32_t)NET_HEADER_TCP;
    e.told = last;
    e.rtt_ps = net_int_age((weir_time)(p->u.ack[1] >> 16), e.now_ps);
    net_entropy_learn(&law->entropy, NET_CC_PARAMS(nscc, c)->balance, (uint32_t)p->u.ack[1] & UINT16_MAX,
                      !last               ? NET_PATH_TRIMMED
                      : p->flags & NET_CE ? NET_PATH_MARKED
                                          : NET_PATH_GOOD,
                      e.now_ps);
    if (news)
        net_cc_on_loss(ctx, tx, c, &e);
}

/* So many segments have not arrived in time. */
NET_RARE void net_uet_timed_out(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t lost)
{
    net_cc_event e = net_uet_event(ctx, tx, c, NET_CC_TIMEOUT);
    e.acked = lost * (c->mss_bytes + (uint32_t)NET_HEADER_TCP);
    net_entropy_learn(&NET_CC_OF(nscc)->entropy, NET_CC_PARAMS(nscc, c)->balance, 0, NET_PATH_TIMEOUT,
                      e.now_ps);
    net_cc_on_loss(ctx, tx, c, &e);
}

#endif
