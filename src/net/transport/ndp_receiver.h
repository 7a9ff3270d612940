/*
 * NDP's receiving end (M. Handley and others, SIGCOMM 2017, section 3.2): each segment is acknowledged at once, each that comes
 * trimmed answered by a NACK, and for either the flow is owed a pull (pull.h). Once its last segment has been seen, with its
 * data or without, all have been sent once: pulls are then for what was trimmed alone, and never for more than is missing.
 *
 * Ultra Ethernet's receivers (congestion/nscc.h) acknowledge the first segment, marked ones, those whose sender asks for it and, once
 * all before it has come, again; else each net_nscc_params.ack_bytes. They grant credits up to what senders want, and at least one
 * after a trimmed packet.
 */
#ifndef WI_NET_TRANSPORT_NDP_RECEIVER_H
#define WI_NET_TRANSPORT_NDP_RECEIVER_H

#include "net/transport/pull.h"

/* Segments that have not come; of a flow whose last one is known. */
WEIR_FN uint32_t net_ndp_missing(const net_rx *rx, const net_class *c)
{
    const uint32_t all = (rx->last_ack - rx->first) / c->mss_bytes + 1u;
    const uint32_t come = (rx->rcv_nxt - rx->first + c->mss_bytes - 1u) / c->mss_bytes + rx->n_ooo;
    return all > come ? all - come : 0;
}

/* Send an ACK, or a NACK of what came trimmed. */
WEIR_FN void net_ndp_answer(weir_ctx *ctx, const net_view *h, net_rx *rx, const net_class *c,
                            const net_packet *p)
{
    net_packet ack = net_rx_ack(h, rx, c, 0);
    if (c->flags & NET_CLASS_UET)
        net_ack_put_count(&ack, (uint32_t)((rx->bytes + c->mss_bytes - 1u) / c->mss_bytes) + rx->n_ooo);
    if (net_is_trimmed(p) && !net_is_request(p) && !(rx->flags & NET_RX_DONE)) {
        const uint64_t sent = (uint64_t)p->u.data.sent_ps;
        ack.flags |= p->flags & NET_ASKS ? NET_NACK | NET_PULL : NET_NACK;
        ack.u.ack[0] = rx->first | (uint64_t)p->seq << 32;
        ack.u.ack[1] = c->flags & NET_CLASS_UET ? sent << 16 | sent >> 48 : 0;
    }
    rx->pending = 0;
    rx->acks++;
    net_host_enqueue(ctx, h, &ack);
}

/* The data of a segment. Returns whether they complete the flow. */
WEIR_FN bool net_ndp_accept_data(weir_ctx *ctx, const net_view *h, net_rx *rx, const net_class *c,
                                 const net_packet *p)
{
    const uint32_t length = p->bytes - NET_HEADER_TCP;
    net_rx_measure(ctx, h->w, rx, c, p);
    rx->echo_ps = p->u.data.sent_ps;
    if (p->flags & NET_FIN) {
        rx->fin_seq = p->seq + length;
        rx->flags |= NET_RX_HAS_FIN;
    }
    net_rx_accept(ctx, rx, c, p->seq, length);
    const bool complete =
        (rx->flags & NET_RX_HAS_FIN) && !(rx->flags & NET_RX_DONE) && rx->rcv_nxt == rx->fin_seq;
    if (complete)
        rx->flags |= NET_RX_DONE;
    return complete;
}

/* Whether an Ultra Ethernet receiver answers a segment at once. */
WEIR_FN bool net_uet_answers(net_rx *rx, const net_class *c, const net_packet *p, uint32_t duplicates)
{
    const bool asks = (p->flags & NET_ASKS) != 0, drained = (rx->flags & NET_RX_ASKED) && rx->n_ooo == 0;
    rx->pending++;
    rx->flags &= (uint8_t)(drained ? ~NET_RX_ASKED : ~0);
    rx->flags |= asks && rx->n_ooo > 0 ? NET_RX_ASKED : 0;
    return asks || drained || (p->flags & NET_CE) || rx->packets == 1 || rx->duplicates != duplicates ||
           (rx->flags & NET_RX_DONE) ||
           (uint64_t)rx->pending * (c->mss_bytes + NET_HEADER_TCP) >= NET_CC_PARAMS(nscc, c)->ack_bytes;
}

/* What a flow is owed after a segment: a pull, or credits up to what its sender wants. */
WEIR_FN void net_ndp_owe(weir_ctx *ctx, const net_world *w, net_rx *rx, const net_class *c, uint32_t slot,
                         const net_packet *p)
{
    const bool trimmed = net_is_trimmed(p);
    uint32_t n = trimmed || !(rx->flags & NET_RX_ALL_SENT);
    if (c->flags & NET_CLASS_UET) {
        const uint32_t target = (uint32_t)p->u.data.sent_ps % NET_UET_TARGETS,
                       wants = (target - rx->pulls.pulled) % NET_UET_TARGETS;
        const bool more = wants <= NET_UET_WANTS, less = (NET_UET_TARGETS - wants) < rx->pulls.idle;
        if (!net_uet_grants(c))
            return;
        if (NET_CC_PARAMS(nscc, c)->oversubscribed > 1.0 && !net_is_request(p))
            net_pulls_hear(ctx, w, c, p);
        n = more && wants > rx->pulls.owed ? wants - rx->pulls.owed : 0;
        n = trimmed && n + rx->pulls.owed == 0 ? 1u : n; /* with which the sender says what it wants now */
        rx->pulls.idle = more ? 0 : less ? NET_UET_TARGETS - wants : rx->pulls.idle;
    }
    rx->pulls.owed += n;
    if (!(rx->flags & NET_RX_DONE) && (n > 0 || net_pull_is_idle(rx, c)))
        net_pulls_join(ctx, w, rx, slot);
    if (rx->flags & NET_RX_ALL_SENT) {
        const uint32_t missing = net_ndp_missing(rx, c);
        rx->pulls.owed = rx->pulls.owed < missing ? rx->pulls.owed : missing;
    }
}

/* A segment, or the header of one, at its receiver. Returns 1 when it completes the flow. */
NET_RARE int net_ndp_segment(weir_ctx *ctx, const net_view *h, net_rx *rx, uint32_t slot, const net_packet *p)
{
    const net_class *c = net_class_at(h->w, rx->cls);
    const bool trimmed = net_is_trimmed(p);
    const uint32_t duplicates = rx->duplicates;
    bool complete = false, answers = true;
    if (p->flags & NET_FIN) {
        rx->last_ack = p->seq;
        rx->flags |= NET_RX_ALL_SENT;
    }
    rx->flags &= (uint8_t)~NET_RX_ECE;
    rx->flags |= p->flags & NET_CE ? NET_RX_ECE : 0;
    if (trimmed) {
        rx->packets++;
        if (rx->echo_ps == 0)
            rx->echo_ps = p->u.data.sent_ps;
        answers = !net_is_request(p) || (rx->flags & NET_RX_DONE);
    } else {
        complete = net_ndp_accept_data(ctx, h, rx, c, p);
        answers = !(c->flags & NET_CLASS_UET) || net_uet_answers(rx, c, p, duplicates);
    }
    if (answers)
        net_ndp_answer(ctx, h, rx, c, p);
    net_ndp_owe(ctx, h->w, rx, c, slot, p);
    return complete;
}

#endif
