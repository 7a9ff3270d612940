/*
 * A host: one entity with a network interface, the ends of its flows, and its applications (flows that start
 * at given times, generators of flow arrivals, clients that ask for replies). Handlers of all its events.
 */
#pragma once

#include "net/host/request.h"
#include "net/transport/ndp_receiver.h"
#include "net/transport/ndp_sender.h"
#include "net/transport/program.h"
#include "net/transport/rdma.h"
#include "net/switch/pfc.h"

/* Flows whose time has come, at most NET_STARTS in one handling. */
WEIR_FN void net_host_start(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)event;
    net_host *host = (net_host *)state;
    const net_view h = net_host_view(ctx, state);
    const net_host_params *params = NET_ARRAY(h.w, net_host_params, hosts) + ctx->entity;
    const net_start *starts = NET_ARRAY(h.w, net_start, starts) + params->first_start;
    weir_touch(ctx, host, sizeof *host);
    for (int i = 0; i < NET_STARTS && host->next_start < params->n_starts; i++) {
        const net_start *s = &starts[host->next_start];
        if (s->start_ps > weir_now(ctx))
            break;
        host->next_start++;
        const net_class *c = net_class_at(h.w, s->cls);
        if (c->flags & NET_CLASS_UDP)
            net_begin_udp(ctx, h.w, s);
        else if (c->flags & NET_CLASS_REQUEST)
            net_begin_session(ctx, h.w, s);
        else
            net_begin_flow(ctx, &h, s->tx, s->dst, s->rx_hint, s->u.size);
    }
    if (host->next_start < params->n_starts) {
        const weir_time next_ps = starts[host->next_start].start_ps;
        net_note_later(ctx, NET_EV_START, 0, 0, next_ps > weir_now(ctx) ? next_ps : weir_now(ctx) + 1);
    }
}

/* When a generator's next flow comes, behind one at `from_ps`. */
WEIR_FN weir_time net_generator_next(weir_ctx *ctx, const net_generator *g, weir_time from_ps)
{
    if (g->periodic)
        return net_gap_end(from_ps, g->gap_ps);
    weir_stream random = weir_stream_open(ctx);
    const double gap_ps = -g->gap_ps * weir_log(weir_draw_unit_open(&random));
    weir_stream_close(ctx, &random);
    return net_gap_end(from_ps, gap_ps);
}

/* A generator's flow arrives: begin it if a slot is free. */
WEIR_FN void net_host_arrival(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const uint32_t index = net_note_of(event).index;
    const net_generator *g = NET_ARRAY(h.w, net_generator, generators) + index;
    const net_class *c = net_class_at(h.w, g->cls);
    const weir_time now = weir_now(ctx);
    if (c->stop_ps && now >= c->stop_ps)
        return;
    net_generator_state *s = (net_generator_state *)weir_slot(ctx, NET_POOL_GENERATOR, index, sizeof *s);
    weir_touch(ctx, s, sizeof *s);
    s->arrivals++;
    net_count_class(ctx, h.w, g->cls, NET_COUNT_FLOWS, 1);
    uint32_t pick = s->next_dst;
    if (g->periodic) {
        s->next_dst = s->next_dst + 1 == g->n_dst ? 0 : s->next_dst + 1;
    } else {
        weir_stream random = weir_stream_open(ctx);
        pick = (uint32_t)weir_draw_below(&random, g->n_dst);
        weir_stream_close(ctx, &random);
    }
    if (s->free_head == 0) {
        s->rejected++;
        net_count_class(ctx, h.w, g->cls, NET_COUNT_REJECTED, 1);
    } else {
        const uint32_t flow = s->free_head - 1;
        const uint32_t dst = NET_ARRAY(h.w, uint32_t, dsts)[g->first_dst + pick];
        net_tx *tx = net_tx_slot(ctx, flow);
        s->free_head = tx->next;
        tx->next = 0;
        net_begin_flow(ctx, &h, flow, dst, net_rx_hash(h.w, flow, dst), 0);
    }
    net_note_later(ctx, NET_EV_ARRIVAL, index, 0, net_generator_next(ctx, g, now));
}

/* Give the slot of a flow that has come by itself, and is done, back to its source. */
WEIR_FN void net_tx_free(weir_ctx *ctx, const net_view *h, net_tx *tx, uint32_t flow)
{
    const uint32_t generator = NET_ARRAY(h->w, uint32_t, tx_generator)[flow];
    net_generator_state *s = (net_generator_state *)weir_slot(ctx, NET_POOL_GENERATOR, generator, sizeof *s);
    weir_touch(ctx, s, sizeof *s);
    tx->next = s->free_head;
    s->free_head = flow + 1;
    if (net_class_at(h->w, tx->cls)->flags & NET_CLASS_JOB)
        net_program_freed(ctx, h, NET_ARRAY(h->w, net_generator, generators) + generator);
}

/* A flow of given size is done at its sender: record it, and give its slot back. */
WEIR_FN void net_flow_done(weir_ctx *ctx, const net_view *h, net_tx *tx, uint32_t flow)
{
    const net_class *c = net_class_at(h->w, tx->cls);
    net_tx_done *r = (net_tx_done *)weir_record(ctx, NET_REC_TX_DONE, sizeof(net_tx_done));
    r->flow = flow;
    r->first = tx->first;
    r->src = ctx->entity;
    r->dst = tx->dst;
    r->cls = tx->cls;
    const bool nacks = c->flags & NET_CLASS_JOB && c->flags & (NET_CLASS_RDMA | NET_CLASS_NDP);
    r->nacks = (uint16_t)(!nacks ? 0u : tx->nacks < UINT16_MAX ? tx->nacks : UINT16_MAX);
    r->retransmissions = tx->retransmissions;
    r->timeouts = tx->timeouts;
    r->rtt_n = tx->rtt_n;
    r->rtt_min_s = tx->rtt_min_s;
    r->rtt_max_s = tx->rtt_max_s;
    r->start_ps = tx->start_ps;
    r->bytes = tx->size;
    r->packets = tx->packets;
    r->rtt_sum_ns = tx->rtt_sum_ns;
    if (c->flags & NET_CLASS_DYNAMIC && tx->next == 0) /* else when its turn comes */
        net_tx_free(ctx, h, tx, flow);
    if (h->w->tx_gate)
        net_gate_feed(ctx, h->w, NET_ARRAY(h->w, uint32_t, tx_gate)[flow]);
    if (c->flags & NET_CLASS_JOB)
        net_program_acked(
            ctx, h,
            NET_ARRAY(h->w, net_generator, generators) + NET_ARRAY(h->w, uint32_t, tx_generator)[flow], flow);
}

/* What a flow may send now. */
WEIR_FN void net_tx_output(weir_ctx *ctx, const net_view *h, net_tx *tx, uint32_t flow)
{
    const net_class *c = net_class_at(h->w, tx->cls);
    if (WEIR_UNLIKELY(tx->state == NET_TX_UDP))
        net_udp_output(ctx, h, tx, c, flow);
    else if (WEIR_UNLIKELY(c->flags & NET_CLASS_NDP)) {
        if (tx->state == NET_TX_OPEN)
            net_ndp_output(ctx, h, tx, c, flow);
    } else if (tx->state == NET_TX_OPEN || tx->state == NET_TX_RECOVERY || tx->state == NET_TX_LOSS)
        net_tcp_output(ctx, h, tx, c, flow, 0);
}

/* The handlers below serve a flow's slot after an event of its own. */
WEIR_FN void net_host_send(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const uint32_t flow = net_note_of(event).index;
    net_tx *tx = net_tx_slot(ctx, flow);
    tx->flags &= (uint16_t)~NET_TX_SENDING;
    net_tx_output(ctx, &h, tx, flow);
}

/* A sender's timer is due. */
WEIR_FN void net_host_tx_timer(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const uint32_t flow = net_note_of(event).index;
    net_tx *tx = net_tx_slot(ctx, flow);
    const net_class *c = net_class_at(h.w, tx->cls);
    if (WEIR_UNLIKELY(c->flags & NET_CLASS_NDP))
        net_ndp_on_timer(ctx, &h, tx, c, flow);
    else
        net_tcp_on_timer(ctx, &h, tx, c, flow);
}

/* A receiver's timer is due. */
WEIR_FN void net_host_rx_timer(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const uint32_t slot = net_note_of(event).index;
    net_rx *rx = (net_rx *)weir_slot(ctx, NET_POOL_RX, slot, sizeof *rx);
    weir_touch(ctx, rx, sizeof *rx);
    net_rx_on_timer(ctx, &h, rx, slot);
}

/* A UDP flow sends its next packet. */
NET_FAST void net_host_udp_send(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const uint32_t flow = net_note_of(event).index;
    net_tx *tx = net_tx_slot(ctx, flow);
    if (net_note_of(event).arg != tx->request) /* its rate has changed since */
        return;
    net_udp_output(ctx, &h, tx, net_class_at(h.w, tx->cls), flow);
}

/* A packet that travels from a flow's receiver to its sender. */
WEIR_FN void net_host_receive_ack(weir_ctx *ctx, const net_view *h, const net_packet *p)
{
    if (NET_ARRAY(h->w, uint32_t, tx_host)[p->flow] != ctx->entity) {
        weir_fault(ctx, NET_FAULT_FLOW);
        return;
    }
    net_tx *tx = net_tx_slot(ctx, p->flow);
    tx->acks++;
    if (p->flags & NET_REQUEST) {
        if (net_request_ends_reply(tx, net_class_of_flow(h->w, p->flow), p))
            net_flow_done(ctx, h, tx, p->flow);
        net_request_arrived(ctx, h, tx, p);
        return;
    }
    if (tx->state == NET_TX_FREE || tx->state == NET_TX_DONE || tx->state == NET_TX_UDP)
        return;
    const net_class *c = net_class_at(h->w, tx->cls);
    if (WEIR_UNLIKELY(c->flags & NET_CLASS_NDP) ? net_ndp_answered(ctx, h, tx, c, p)
                                                : net_tcp_on_ack(ctx, h, tx, c, p))
        net_flow_done(ctx, h, tx, p->flow);
}

/* A flow's last byte has arrived in order: record what its receiver saw. */
WEIR_FN void net_flow_received(weir_ctx *ctx, const net_rx *rx)
{
    net_rx_done *r = (net_rx_done *)weir_record(ctx, NET_REC_RX_DONE, sizeof(net_rx_done));
    r->flow = rx->flow - 1;
    r->first = rx->first;
    r->packets = rx->packets;
    r->delay_sum_ns = rx->delay_sum_ns;
    r->jitter_ps = rx->jitter_ps;
    r->delay_min_s = rx->delay_min_s;
    r->delay_max_s = rx->delay_max_s;
}

/* A packet that travels from a flow's sender to its receiver. */
WEIR_FN void net_host_receive_data(weir_ctx *ctx, const net_view *h, const net_packet *p)
{
    uint32_t slot = 0;
    net_rx *rx = net_rx_find(ctx, h->w, p, &slot);
    if (!rx) {
        net_rx_stray(ctx, h, p);
        return;
    }
    weir_touch(ctx, rx, sizeof *rx);
    if (p->flags & NET_UDP) {
        net_rx_measure(ctx, h->w, rx, net_class_at(h->w, rx->cls), p);
        rx->bytes += p->bytes - NET_HEADER_UDP;
        return;
    }
    if (rx->session)
        net_reply_begun(ctx, rx);
    const uint32_t flags = net_class_at(h->w, rx->cls)->flags;
    if (!(WEIR_UNLIKELY(flags & NET_CLASS_NDP)    ? net_ndp_segment(ctx, h, rx, slot, p)
          : WEIR_UNLIKELY(flags & NET_CLASS_RDMA) ? net_rdma_segment(ctx, h, rx, p)
                                                  : net_rx_segment(ctx, h, rx, slot, p)))
        return;
    net_flow_received(ctx, rx);
    if (flags & NET_CLASS_JOB)
        net_program_arrived(ctx, h, net_hint_slot(h->w, p->u.data.rx_hint));
    if (h->w->rx_gate)
        net_gate_feed(ctx, h->w, NET_ARRAY(h->w, uint32_t, rx_gate)[slot]);
    if (rx->session)
        net_reply_done(ctx, h->w, rx);
}

/* What a gate of some host has sent comes, or a message of a rank of the same server. */
WEIR_FN void net_host_feed(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const net_note note = net_note_of(event);
    if (note.arg == NET_FEED_INLET)
        net_program_arrived(ctx, &h, note.index);
    else
        net_gate_feed(ctx, h.w, note.index);
}

/* A host receives a packet. */
WEIR_FN void net_host_receive(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const net_packet *p = WEIR_PAYLOAD(net_packet, event);
    if (net_receive(ctx, h.w, event, true))
        return;
    if (p->flags & NET_ACK)
        net_host_receive_ack(ctx, &h, p);
    else
        net_host_receive_data(ctx, &h, p);
}

/* The turn of a flow that has left the ring. */
WEIR_FN void net_host_turn(weir_ctx *ctx, const net_view *h, net_tx *tx, uint32_t flow)
{
    struct net_turn turn = {(int32_t)h->w->turn_bytes - 2 * (int32_t)tx->owed, NET_TURN_PACKETS};
    net_view serving = *h;
    serving.turn = &turn;
    if (tx->state == NET_TX_DONE && net_class_at(h->w, tx->cls)->flags & NET_CLASS_DYNAMIC)
        net_tx_free(ctx, h, tx, flow);
    else
        net_tx_output(ctx, &serving, tx, flow);
    if (turn.room <= 0) /* else it has none behind it, or goes on first */
        tx->owed = (uint32_t)-turn.room / 2u & 0x7fffu;
    else if (tx->next == 0)
        tx->owed = 0;
}

/* Flows in the ring have their turns while the line takes packets, two at most in one handling. Who is paused is passed over, and
 * who owes a turn or more. */
WEIR_FN_APART void net_host_turns(weir_ctx *ctx, const net_view *h)
{
    net_host *host = (net_host *)(void *)h->port;
    uint32_t paused = 0;
    for (int n = 0; n < NET_TURN_PACKETS && host->ring && net_turn_begins(ctx, h);) {
        uint32_t flow;
        net_tx *tx = net_turn_take(ctx, host, &flow);
        const bool stopped = net_turn_is_paused(ctx, h, tx);
        if (!stopped && 2u * tx->owed < h->w->turn_bytes) {
            net_host_turn(ctx, h, tx, flow);
            n++;
            continue;
        }
        net_turn_append(ctx, host, tx, flow, false);
        if (!stopped)
            tx->owed = (tx->owed - h->w->turn_bytes / 2u) & 0x7fffu;
        if (stopped && paused == flow + 1u) /* all of them are */
            return;
        paused = !stopped ? 0 : paused ? paused : flow + 1u;
    }
    if (host->ring)
        net_turn_wake(ctx, h);
}

/* The interface's line is free: for packets that wait in it, or else for the flows whose turn it is. */
WEIR_FN void net_host_depart(weir_ctx *ctx, void *state, const weir_event *event)
{
    (void)event;
    const net_view h = net_host_view(ctx, state);
    net_host *host = (net_host *)state;
    weir_touch(ctx, host, sizeof *host);
    if (!h.link->turns) {
        net_depart(ctx, &h);
        return;
    }
    h.port->waiting.wake_ps = 0;
    if (!h.w->pfc_lines) {
        net_host_turns(ctx, &h);
        return;
    }
    if (h.port->busy_until_ps <= weir_now(ctx) && h.port->ring_count > 0)
        net_depart(ctx, &h);
    if (h.port->busy_until_ps <= weir_now(ctx))
        net_host_turns(ctx, &h);
    else if (h.port->ring_count > 0 || host->ring)
        net_turn_wake(ctx, &h);
}

/* A pause frame comes from the switch. */
WEIR_FN void net_host_pause(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    net_pfc_pause_host(ctx, &h, net_note_of(event).arg);
    if (((const net_host *)state)->ring) {
        weir_touch(ctx, h.port, sizeof *h.port);
        net_turn_wake(ctx, &h);
    }
}

/* Free lists, first arrivals, first start. Runs on the host, before time 0. */
WEIR_FN void net_host_init(weir_ctx *ctx, void *state)
{
    (void)state;
    const net_world *w = net_world_of(ctx);
    const net_host_params *params = NET_ARRAY(w, net_host_params, hosts) + ctx->entity;
    if (params->n_starts > 0)
        net_note_later(ctx, NET_EV_START, 0, 0,
                       NET_ARRAY(w, net_start, starts)[params->first_start].start_ps);
    for (uint32_t i = 0; i < params->n_generators; i++) {
        const uint32_t index = params->first_generator + i;
        const net_generator *g = NET_ARRAY(w, net_generator, generators) + index;
        net_generator_state *s = (net_generator_state *)weir_slot(ctx, NET_POOL_GENERATOR, index, sizeof *s);
        for (uint32_t k = g->n_tx; k-- > 0;) {
            net_tx_slot(ctx, g->first_tx + k)->next = s->free_head;
            s->free_head = g->first_tx + k + 1;
        }
        if (net_class_at(w, g->cls)->flags & NET_CLASS_JOB)
            net_program_init(ctx, w, g->rank);
        else
            net_note_later(ctx, NET_EV_ARRIVAL, index, 0,
                           g->periodic ? g->start_ps : net_generator_next(ctx, g, g->start_ps));
    }
    const uint32_t *gates = NET_ARRAY(w, uint32_t, gate_first) + ctx->entity;
    for (uint32_t i = w->gates ? gates[0] : 0; w->gates && i < gates[1]; i++)
        if ((NET_ARRAY(w, net_gate, gates) + i)->needs == 0)
            net_gate_pause(ctx, NET_ARRAY(w, net_gate, gates) + i, i);
}

/* Handle an event, for engines without a table of handlers. What few networks have is kept out of the rest's registers. */
#define NET_HANDLE(name, kind, handler, payload, events, records, flags) \
    case NET_EV_##name:                                                  \
        handler(ctx, state, event);                                      \
        break;
WEIR_FN_APART void net_handle_rare(weir_ctx *ctx, void *state, const weir_event *event)
{
    switch (event->type) {
        NET_RARE_EVENTS(NET_HANDLE)
    default:
        break;
    }
}

/* Handle any event. */
WEIR_FN void net_handle(weir_ctx *ctx, void *state, const weir_event *event)
{
    switch (event->type) {
        NET_COMMON_EVENTS(NET_HANDLE)
    default:
        net_handle_rare(ctx, state, event);
    }
}
#undef NET_HANDLE
