/*
 * Request and response: a client asks a server for a reply of the class's size, waits for it, pauses, and
 * asks again.
 *
 * A request is one packet toward the reply's sender, so it is counted as an ACK of that flow. It is repeated
 * after 1, 2, 4 .. seconds until the first packet of the reply arrives; the server ignores repetitions of
 * what it is answering.
 */
#ifndef WI_NET_REQUEST_H
#define WI_NET_REQUEST_H

#include "net/transport/flow.h"

/* A client's session begins: remember the server, and ask. */
WEIR_FN void net_begin_session(weir_ctx *ctx, const net_start *start)
{
    net_session *s = (net_session *)weir_slot(ctx, NET_POOL_SESSION, start->tx, sizeof *s);
    net_rx *rx = (net_rx *)weir_slot(ctx, NET_POOL_RX, (uint32_t)start->u.rx, sizeof *rx);
    weir_touch(ctx, s, sizeof *s);
    weir_touch(ctx, rx, sizeof *rx);
    s->server = start->dst;
    s->server_tx = start->rx_hint;
    s->cls = start->cls;
    s->rx = (uint32_t)start->u.rx;
    s->number = 1;
    s->ask_at_ps = weir_now(ctx) + 1;
    rx->session = start->tx + 1;
    rx->cls = start->cls;
    net_note_later(ctx, NET_EV_ASK, start->tx, 0, s->ask_at_ps);
}

/* Ask, or ask again. */
WEIR_FN void net_host_ask(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_host_view h = net_view(ctx, state);
    const uint32_t index = net_note_of(event).index;
    net_session *s = (net_session *)weir_slot(ctx, NET_POOL_SESSION, index, sizeof *s);
    const net_class *c = net_class_at(h.w, s->cls);
    const weir_time now = weir_now(ctx);
    if (now != s->ask_at_ps || (c->stop_ps && now >= c->stop_ps))
        return;
    net_rx *rx = (net_rx *)weir_slot(ctx, NET_POOL_RX, s->rx, sizeof *rx);
    weir_touch(ctx, s, sizeof *s);
    weir_touch(ctx, rx, sizeof *rx);
    if (s->tries == 0)
        s->asked_at_ps = now;
    const uint32_t doublings = s->tries < 6 ? s->tries : 6;
    s->tries++;
    s->ask_at_ps = now + (NET_RTO_INITIAL_PS << doublings);
    net_note_later(ctx, NET_EV_ASK, index, 0, s->ask_at_ps);
    net_packet p;
    net_packet_init(&p, s->server_tx, net_dst_of_ack(h.w, s->server, s->number), s->number,
                    c->request_bytes + NET_HEADER_TCP, NET_ACK | NET_REQUEST, h.w->ttl);
    p.u.ask.client = ctx->entity;
    p.u.ask.rx = s->rx;
    p.u.ask.reserved = 0;
    rx->acks++;
    net_count_class(ctx, h.w, s->cls, NET_COUNT_REQUESTS, 1);
    net_host_transmit(ctx, &h, &p);
}

/* The next request says that the reply under way is whole, though its last ACK was lost. */
WEIR_FN bool net_request_ends_reply(net_tx *tx, const net_packet *p)
{
    if (p->seq != tx->request + 1 ||
        (tx->state != NET_TX_OPEN && tx->state != NET_TX_RECOVERY && tx->state != NET_TX_LOSS))
        return false;
    tx->acked_bytes += tx->nxt - tx->una;
    tx->una = tx->nxt;
    tx->n_out = 0;
    tx->rto_at_ps = tx->alarm_at_ps = 0;
    tx->state = NET_TX_DONE;
    return true;
}

/* A request at the server: the next number begins a reply. */
WEIR_FN void net_request_arrived(weir_ctx *ctx, const net_host_view *h, net_tx *tx, const net_packet *p)
{
    if (p->seq != tx->request + 1 || (tx->state != NET_TX_FREE && tx->state != NET_TX_DONE))
        return;
    tx->request = p->seq;
    net_begin_flow(ctx, h, p->flow, p->u.ask.client, p->u.ask.rx, 0);
}

/* The reply has begun to arrive: do not ask again. */
WEIR_FN void net_reply_begun(weir_ctx *ctx, const net_rx *rx)
{
    net_session *s = (net_session *)weir_slot(ctx, NET_POOL_SESSION, rx->session - 1, sizeof *s);
    if (rx->packets > 0 || s->ask_at_ps == 0)
        return;
    weir_touch(ctx, s, sizeof *s);
    s->ask_at_ps = 0;
}

/* The reply is whole: pause, then ask for the next. */
WEIR_FN void net_reply_done(weir_ctx *ctx, const net_world *w, const net_rx *rx)
{
    const uint32_t index = rx->session - 1;
    net_session *s = (net_session *)weir_slot(ctx, NET_POOL_SESSION, index, sizeof *s);
    const net_class *c = net_class_at(w, s->cls);
    weir_touch(ctx, s, sizeof *s);
    s->replies++;
    s->reply_time_ns += (uint64_t)(weir_now(ctx) - s->asked_at_ps) / 1000u;
    s->number++;
    s->tries = 0;
    weir_time pause_ps = 1;
    if (c->think_ps > 0) {
        weir_stream random = weir_stream_open(ctx);
        pause_ps = weir_round_clamped(-(double)c->think_ps * weir_log(weir_draw_unit_open(&random)), 1,
                                      NET_GAP_MAX_PS);
        weir_stream_close(ctx, &random);
    }
    s->ask_at_ps = weir_now(ctx) + pause_ps;
    net_note_later(ctx, NET_EV_ASK, index, 0, s->ask_at_ps);
    net_count_class(ctx, w, s->cls, NET_COUNT_REPLIES, 1);
}

#endif
