/*
 * NDP's receiving end (M. Handley and others, SIGCOMM 2017, section 3.2): each segment is acknowledged at once, each that comes
 * trimmed answered by a NACK, and for either the flow is owed a pull (pull.h). Once its last segment has been seen, with its
 * data or without, all have been sent once: pulls are then for what was trimmed alone, and never for more than is missing.
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
    if ((p->flags & NET_TRIMMED) && !(rx->flags & NET_RX_DONE)) {
        ack.flags |= NET_NACK;
        ack.u.ack[0] = rx->first | (uint64_t)p->seq << 32;
        ack.u.ack[1] = 0;
    }
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

/* A segment, or the header of one, at its receiver. Returns 1 when it completes the flow. */
NET_RARE int net_ndp_segment(weir_ctx *ctx, const net_view *h, net_rx *rx, uint32_t slot, const net_packet *p)
{
    const net_class *c = net_class_at(h->w, rx->cls);
    const bool trimmed = (p->flags & NET_TRIMMED) != 0;
    bool complete = false;
    if (p->flags & NET_FIN) {
        rx->last_ack = p->seq;
        rx->flags |= NET_RX_ALL_SENT;
    }
    if (trimmed) {
        rx->packets++;
        if (rx->echo_ps == 0)
            rx->echo_ps = p->u.data.sent_ps;
    } else {
        complete = net_ndp_accept_data(ctx, h, rx, c, p);
    }
    net_ndp_answer(ctx, h, rx, c, p);
    if (!(rx->flags & NET_RX_DONE) && (trimmed || !(rx->flags & NET_RX_ALL_SENT)))
        net_pull_owe(ctx, h->w, rx, slot);
    if (rx->flags & NET_RX_ALL_SENT) {
        const uint32_t missing = net_ndp_missing(rx, c);
        rx->pulls.owed = rx->pulls.owed < missing ? rx->pulls.owed : missing;
    }
    return complete;
}

#endif
