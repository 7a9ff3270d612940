/*
 * Beginning flows at a host, and what all of a host's handlers use.
 */
#ifndef WI_NET_TRANSPORT_FLOW_H
#define WI_NET_TRANSPORT_FLOW_H

#include "net/transport/udp.h"

/* A host's own interface. */
WEIR_FN net_view net_host_view(const weir_ctx *ctx, void *state)
{
    net_view h;
    h.w = net_world_of(ctx);
    h.entity = ctx->entity;
    h.link = &NET_ARRAY(h.w, net_host_params, hosts)[h.entity].nic;
    h.port = &((net_host *)state)->nic;
    h.turn = (struct net_turn *)0;
    return h;
}
/* A host's event to itself. */
WEIR_FN net_note net_note_of(const weir_event *event)
{
    return *WEIR_PAYLOAD(net_note, event);
}

/* Schedule an event to the host itself. */
WEIR_FN void net_note_later(weir_ctx *ctx, uint16_t type, uint32_t index, uint32_t arg, weir_time at_ps)
{
    net_note *note = (net_note *)weir_schedule_at(ctx, ctx->entity, type, at_ps);
    note->index = index;
    note->arg = arg;
}

/* A flow's size from its class; at least one byte. */
WEIR_FN uint64_t net_draw_size(weir_ctx *ctx, const net_class *c)
{
    weir_stream random = weir_stream_open(ctx);
    const int64_t size = weir_dist_sample_integer(&c->size, ctx->world, &random, 1, INT64_C(1) << 50);
    weir_stream_close(ctx, &random);
    return (uint64_t)size;
}

/* Statistics of a slot begin again; the flow before it remains in the class's counts. */
WEIR_FN void net_tx_reset_counts(weir_ctx *ctx, const net_world *w, net_tx *tx)
{
    if (tx->packets || tx->acks) {
        net_count_class(ctx, w, tx->cls, NET_COUNT_OLD_SENT, (int64_t)tx->packets);
        net_count_class(ctx, w, tx->cls, NET_COUNT_OLD_ACKS, (int64_t)tx->acks);
    }
    tx->packets = tx->acked_bytes = tx->acks = tx->rtt_sum_ns = 0;
    tx->retransmissions = tx->timeouts = tx->recoveries = tx->reductions = tx->rtt_n = 0;
    tx->rtt_min_s = tx->rtt_max_s = 0.0f;
    if (net_class_at(w, tx->cls)->flags & (NET_CLASS_RDMA | NET_CLASS_NDP))
        tx->nacks = 0;
    if (!(net_class_at(w, tx->cls)->flags & NET_CLASS_LASTS))
        tx->flags &= (uint16_t)~NET_TX_RTT_KNOWN;
}

/* size: 0: as the class has it */
WEIR_FN void net_begin_flow(weir_ctx *ctx, const net_view *h, uint32_t flow, uint32_t dst, uint32_t rx_hint,
                            uint64_t size)
{
    net_tx *tx = net_tx_slot(ctx, flow);
    tx->cls = NET_ARRAY(h->w, uint16_t, tx_class)[flow];
    const net_class *c = net_class_at(h->w, tx->cls);
    net_tx_reset_counts(ctx, h->w, tx);
    tx->dst = dst;
    tx->rx_hint = rx_hint;
    if (size == 0 && c->flags & NET_CLASS_SIZED)
        size = net_draw_size(ctx, c);
    net_tcp_start(ctx, h, tx, c, flow, size);
}

/* Begin a UDP flow, or change its rate. */
WEIR_FN void net_begin_udp(weir_ctx *ctx, const net_world *w, const net_start *s)
{
    net_tx *tx = net_tx_slot(ctx, s->tx);
    tx->cls = NET_ARRAY(w, uint16_t, tx_class)[s->tx];
    if (tx->state == NET_TX_UDP) {
        net_udp_change(ctx, tx, net_class_at(w, tx->cls), s->tx, s->u.rate_bps);
        return;
    }
    tx->dst = s->dst;
    tx->rx_hint = s->rx_hint;
    tx->state = NET_TX_UDP;
    tx->start_ps = weir_now(ctx);
    tx->left = s->u.rate_bps;
    tx->size = 0;
    const net_class *c = net_class_at(w, tx->cls);
    weir_time first_ps = weir_now(ctx) + 1;
    if (c->udp_pattern == NET_UDP_TRACE) {
        tx->left = (uint64_t)first_ps;
        first_ps += ((const net_udp_point *)net_at(w, c->own))[0].at_ps;
    }
    weir_stream random = weir_stream_open(ctx);
    if (tx->left == 0) { /* a rate comes later: until then the gap waits */
        tx->size = net_udp_bits(tx, c, 0, &random);
        weir_stream_close(ctx, &random);
        return;
    }
    if (c->udp_pattern == NET_UDP_POISSON) {
        first_ps = net_udp_gap(tx, c, 0, first_ps, &random);
    } else if (c->udp_pattern == NET_UDP_ONOFF) {
        tx->size =
            (uint64_t)(first_ps + weir_dist_sample_integer(&c->on, ctx->world, &random, 1, NET_GAP_MAX_PS));
    }
    weir_stream_close(ctx, &random);
    net_udp_plan(ctx, tx, s->tx, first_ps);
}

#endif
