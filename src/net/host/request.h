/*
 * Request and response: a client asks a server for a reply of the class's size, waits for it, pauses, and
 * asks again.
 *
 * A player of video (player.h) is such a client: its request has the length of the reply, that is, which bitrate it
 * has chosen, and pauses until the next segment fits its buffer.
 *
 * A request is one packet toward the reply's sender, so it is counted as an ACK of that flow. It is repeated
 * after 1, 2, 4 .. seconds until the first packet of the reply arrives; the server ignores repetitions of
 * what it is answering.
 */
#pragma once

#include "net/host/player.h"
#include "net/transport/flow.h"

/* A session's player, and its class's video. */
WEIR_FN net_player *net_player_of(weir_ctx *ctx, const net_world *w, const net_class *c, uint32_t rx)
{
    const uint32_t first = NET_ARRAY(w, uint32_t, rx_map)[rx] + c->map_words;
    net_player *p = (net_player *)weir_slot(ctx, NET_POOL_WINDOW, first, (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, p, (uint32_t)sizeof *p);
    return p;
}

/* The video of a class. */
WEIR_FN const net_video *net_video_of(const net_world *w, const net_class *c)
{
    return (const net_video *)net_at(w, c->own);
}

/* A client's session begins: remember the server, and ask. */
NET_RARE void net_begin_session(weir_ctx *ctx, const net_world *w, const net_start *start)
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
    const net_class *c = net_class_at(w, start->cls);
    if (c->flags & NET_CLASS_VIDEO)
        net_player_begin(net_player_of(ctx, w, c, s->rx), weir_now(ctx));
    net_note_later(ctx, NET_EV_ASK, start->tx, 0, s->ask_at_ps);
}

/* Bytes of the reply to ask for now; 0: the server draws them. A player chooses when it asks first. */
WEIR_FN uint64_t net_ask_for(weir_ctx *ctx, const net_world *w, const net_class *c, const net_session *s)
{
    if (!(c->flags & NET_CLASS_VIDEO))
        return 0;
    const net_video *v = net_video_of(w, c);
    net_player *p = net_player_of(ctx, w, c, s->rx);
    return s->tries == 0 ? net_player_choose(p, v, weir_now(ctx))->bytes : v->rung[p->rung].bytes;
}

/* Ask, or ask again. */
WEIR_FN void net_host_ask(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const uint32_t index = net_note_of(event).index;
    net_session *s = (net_session *)weir_slot(ctx, NET_POOL_SESSION, index, sizeof *s);
    const net_class *c = net_class_at(h.w, s->cls);
    const weir_time now = weir_now(ctx);
    if (now != s->ask_at_ps)
        return;
    if (c->stop_ps && now >= c->stop_ps) {
        if (c->flags & NET_CLASS_VIDEO)
            net_player_end(net_player_of(ctx, h.w, c, s->rx), net_video_of(h.w, c), now);
        return;
    }
    net_rx *rx = (net_rx *)weir_slot(ctx, NET_POOL_RX, s->rx, sizeof *rx);
    weir_touch(ctx, s, sizeof *s);
    weir_touch(ctx, rx, sizeof *rx);
    const uint64_t bytes = net_ask_for(ctx, h.w, c, s);
    if (s->tries == 0)
        s->asked_at_ps = now;
    const uint32_t doublings = s->tries < 6 ? s->tries : 6;
    s->tries++;
    s->ask_at_ps = now + (c->rto_initial_ps << doublings);
    net_note_later(ctx, NET_EV_ASK, index, 0, s->ask_at_ps);
    net_packet p;
    net_packet_init(&p, s->server_tx, net_dst_of_ack(h.w, s->server, s->number), s->number,
                    c->request_bytes + NET_HEADER_TCP, NET_ACK | NET_REQUEST);
    p.u.ask.client = ctx->entity;
    p.u.ask.rx = s->rx;
    p.u.ask.bytes = bytes;
    rx->acks++;
    net_count_class(ctx, h.w, s->cls, NET_COUNT_REQUESTS, 1);
    net_host_enqueue(ctx, &h, &p);
}

/* The next request acknowledges the reply under way, whose last ACK was lost. */
NET_RARE bool net_request_ends_reply(net_tx *tx, const net_class *c, const net_packet *p)
{
    if (p->seq != tx->request + 1 ||
        (tx->state != NET_TX_OPEN && tx->state != NET_TX_RECOVERY && tx->state != NET_TX_LOSS))
        return false;
    if (c->flags & NET_CLASS_LASTS && tx->state != NET_TX_OPEN)
        net_tcp_leave_recovery(tx, c);
    tx->acked_bytes += tx->nxt - tx->una;
    tx->una = tx->nxt;
    tx->n_out = 0;
    tx->rto_at_ps = tx->alarm_at_ps = 0;
    tx->state = NET_TX_DONE;
    return true;
}

/* A request at the server: the next number begins a reply. */
NET_RARE void net_request_arrived(weir_ctx *ctx, const net_view *h, net_tx *tx, const net_packet *p)
{
    if (p->seq != tx->request + 1 || (tx->state != NET_TX_FREE && tx->state != NET_TX_DONE))
        return;
    tx->request = p->seq;
    net_begin_flow(ctx, h, p->flow, p->u.ask.client, p->u.ask.rx, p->u.ask.bytes);
}

/* The reply has begun to arrive: do not ask again. */
NET_RARE void net_reply_begun(weir_ctx *ctx, const net_rx *rx)
{
    net_session *s = (net_session *)weir_slot(ctx, NET_POOL_SESSION, rx->session - 1, sizeof *s);
    if (rx->packets > 0 || s->ask_at_ps == 0)
        return;
    weir_touch(ctx, s, sizeof *s);
    s->ask_at_ps = 0;
}

/* A segment of video has come: record it. Returns how long to wait until the next is asked for; negative: there is none. */
WEIR_FN weir_time net_segment_done_at(weir_ctx *ctx, const net_world *w, const net_class *c,
                                      const net_session *s)
{
    const net_video *v = net_video_of(w, c);
    net_player *p = net_player_of(ctx, w, c, s->rx);
    const weir_time now = weir_now(ctx);
    net_player_take(p, v, now, now - s->asked_at_ps);
    net_segment_done *r = (net_segment_done *)weir_record(ctx, NET_REC_SEGMENT, sizeof(net_segment_done));
    r->rx = s->rx;
    r->number = p->segments - 1u;
    r->rate_bps = v->rung[p->rung].rate_bps;
    r->bytes = v->rung[p->rung].bytes;
    r->asked_ps = s->asked_at_ps;
    r->buffer_ps = p->buffer_ps;
    r->stalled_ps = p->stalled_ps;
    r->stalls = p->stalls;
    r->pad = 0;
    const weir_time pause_ps =
        net_player_pause(p, v); /* to when the segment fits, and no later: BBA-0 goes by the level then */
    return p->ended ? -1 : pause_ps > 0 ? pause_ps : 1;
}

/* The exponential pause of a client that thinks. */
WEIR_FN weir_time net_think(weir_ctx *ctx, const net_class *c)
{
    if (c->think_ps == 0)
        return 1;
    weir_stream random = weir_stream_open(ctx);
    const weir_time pause_ps =
        net_gap_end(weir_now(ctx), -(double)c->think_ps * weir_log(weir_draw_unit_open(&random))) -
        weir_now(ctx);
    weir_stream_close(ctx, &random);
    return pause_ps;
}

/* The reply is whole: pause, then ask for the next. */
NET_RARE void net_reply_done(weir_ctx *ctx, const net_world *w, const net_rx *rx)
{
    const uint32_t index = rx->session - 1;
    net_session *s = (net_session *)weir_slot(ctx, NET_POOL_SESSION, index, sizeof *s);
    const net_class *c = net_class_at(w, s->cls);
    weir_touch(ctx, s, sizeof *s);
    s->replies++;
    s->reply_time_ns += (uint64_t)(weir_now(ctx) - s->asked_at_ps) / 1000u;
    s->number++;
    s->tries = 0;
    net_count_class(ctx, w, s->cls, NET_COUNT_REPLIES, 1);
    const weir_time pause_ps =
        c->flags & NET_CLASS_VIDEO ? net_segment_done_at(ctx, w, c, s) : net_think(ctx, c);
    if (pause_ps < 0)
        return;
    s->ask_at_ps = weir_now(ctx) + pause_ps;
    net_note_later(ctx, NET_EV_ASK, index, 0, s->ask_at_ps);
}
