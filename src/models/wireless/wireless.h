/*
 * A wireless mesh of nodes with an application, a MAC and a PHY each, whose packets cross a fading channel.
 *
 * Model: the case study of Kunz, Schemmel, Gross and Wehrle (PADS 2012, section V-B): applications broadcast
 * packets at a fixed rate; every node in range receives every transmission; the PHY computes what the channel
 * does to each of 52 subcarriers; the MAC draws whether the packet survived, and answers with an ACK or a NACK.
 * No network or transport layer. Interference is left out, as there, unless `access` says otherwise.
 * docs/wireless.md has the equations and their sources.
 * Randomness: a stream for each pair of nodes (its channel, at the start), one block for each frame received
 * (does it survive?), each Poisson arrival and each back-off.
 */
#pragma once

#include "models/wireless/errors.h"
#include "models/wireless/fading.h"
#if WEIR_ON_DEVICE
#include "models/wireless/subcarriers.h"
#endif
#include "weir/engine.h"
#include "weir/lanes.h"

WEIR_LANES_DECLARE(wireless_subcarriers, wireless_subcarrier, 2)

typedef struct wireless_app {
    uint64_t made, received;
    uint64_t delay_sum_ps, delay_most_ps; /* from making to receiving */
} wireless_app;

typedef struct wireless_mac {
    uint64_t intact, lost; /* data frames of others */
    uint64_t acks, nacks;  /* answers that came back and survived */
    uint64_t answers_lost; /* those that did not */
    uint64_t answers[2];   /* ACKs and NACKs that this node gave */
} wireless_mac;

typedef struct wireless_phy {
    uint64_t sent[WIRELESS_FRAMES], spoilt, waited;
    weir_time busy_ps;   /* something is in the air, here, until then */
    weir_time spoilt_ps; /* when two frames last overlapped; -1: never */
    weir_time turn_ps; /* CSMA: the first packet in line may go then, if the air stays silent; 0: not drawn */
    uint64_t lined_up; /* CSMA: packets that came, of which sent[WIRELESS_DATA] are gone */
} wireless_phy;

/* A slot of the MAC's pool: data frames by link. */
typedef struct wireless_tally {
    uint64_t intact, lost;
} wireless_tally;

/* A record of each reception, where the channel's series are wanted. */
typedef struct wireless_reception {
    double mean_snr, effective_snr;
    uint32_t from, to;
    uint16_t kind, spoilt;
    uint32_t number;
} wireless_reception;

enum { WIRELESS_RECEPTION, WIRELESS_RECORDS };
enum { WIRELESS_POOL_FADING, WIRELESS_POOL_TALLY, WIRELESS_POOLS };

WEIR_FN uint32_t wireless_slot_bytes(uint32_t n_sinusoids)
{
    return (uint32_t)(sizeof(wireless_fading) + n_sinusoids * sizeof(wireless_path));
}

WEIR_FN void wireless_pass(weir_ctx *ctx, uint32_t target, uint16_t type, weir_time delay_ps,
                           const wireless_frame *frame)
{
    *(wireless_frame *)weir_schedule(ctx, target, type, delay_ps) = *frame;
}

/* When the packet behind one at `from_ps` is made. */
WEIR_FN weir_time wireless_next(weir_ctx *ctx, const wireless_world *w, weir_time from_ps)
{
    weir_stream stream;
    double u;
    if (!w->poisson)
        return weir_time_after(from_ps, (double)w->period_ps);
    stream = weir_stream_open(ctx);
    u = weir_draw_unit_open(&stream);
    weir_stream_close(ctx, &stream);
    return weir_time_after(from_ps + 1, (double)w->period_ps * -weir_log(u));
}

/* The next packet is made at `at_ps`, unless that is too late. */
WEIR_FN void wireless_plan(weir_ctx *ctx, const wireless_world *w, weir_time at_ps)
{
    wireless_frame none;
    memset(&none, 0, sizeof none);
    if (at_ps < w->end_ps)
        *(wireless_frame *)weir_schedule_at(ctx, ctx->entity, WIRELESS_APP_SEND, at_ps) = none;
}

WEIR_FN void wireless_app_init(weir_ctx *ctx, void *state)
{
    const wireless_world *w = wireless_world_of(ctx);
    weir_stream stream = weir_stream_open(ctx);
    const double u = weir_draw_unit(&stream);
    weir_stream_close(ctx, &stream);
    (void)state;
    if (w->period_ps > 0)
        wireless_plan(ctx, w,
                      w->poisson ? wireless_next(ctx, w, w->begin_ps)
                                 : weir_time_after(w->begin_ps, (double)w->period_ps * u));
}

WEIR_FN void wireless_app_send(weir_ctx *ctx, void *state, const weir_event *event)
{
    const wireless_world *w = wireless_world_of(ctx);
    wireless_app *self = (wireless_app *)state;
    wireless_frame frame;
    (void)event;
    memset(&frame, 0, sizeof frame);
    frame.made_ps = ctx->now_ps;
    frame.start_ps = -1;
    frame.origin = ctx->entity;
    frame.number = (uint32_t)self->made;
    frame.to = WIRELESS_EVERYBODY;
    frame.kind = WIRELESS_DATA;
    weir_touch(ctx, self, sizeof *self);
    self->made++;
    wireless_pass(ctx, w->n_nodes + ctx->entity, WIRELESS_MAC_SEND, w->stack_ps, &frame);
    wireless_plan(ctx, w, wireless_next(ctx, w, ctx->now_ps));
}

WEIR_FN void wireless_app_receive(weir_ctx *ctx, void *state, const weir_event *event)
{
    wireless_app *self = (wireless_app *)state;
    const uint64_t delay_ps = (uint64_t)(ctx->now_ps - WEIR_PAYLOAD(wireless_frame, event)->made_ps);
    weir_touch(ctx, self, sizeof *self);
    self->received++;
    self->delay_sum_ps += delay_ps;
    self->delay_most_ps = delay_ps > self->delay_most_ps ? delay_ps : self->delay_most_ps;
}

/* Hand a packet, or an answer whose time it is, to the PHY. */
WEIR_FN void wireless_mac_send(weir_ctx *ctx, void *state, const weir_event *event)
{
    const wireless_world *w = wireless_world_of(ctx);
    (void)state;
    wireless_pass(ctx, w->n_nodes + ctx->entity, WIRELESS_PHY_SEND, w->stack_ps,
                  WEIR_PAYLOAD(wireless_frame, event));
}

/* The chance that the frame is lost. */
WEIR_FN double wireless_errors_of(const wireless_world *w, const wireless_frame *frame)
{
    return wireless_packet_errors(wireless_rate_of(w, frame->kind), frame->snr, w->frame_bits[frame->kind]);
}

/* Does the frame survive? One draw. */
WEIR_FN int wireless_survives(weir_ctx *ctx, const wireless_world *w, const wireless_frame *frame)
{
    weir_stream stream = weir_stream_open(ctx);
    const double u = weir_draw_unit(&stream);
    weir_stream_close(ctx, &stream);
    if (frame->spoilt)
        return 0;
    /* a device may have computed it beside those of other frames */
    return u >= (ctx->lane_sums ? ctx->lane_sums[0] : wireless_errors_of(w, frame));
}

/* Does the frame of a MAC's event concern it? */
WEIR_FN int wireless_is_for(const wireless_world *w, const weir_event *event)
{
    const wireless_frame *frame = WEIR_PAYLOAD(wireless_frame, event);
    return frame->to == WIRELESS_EVERYBODY || frame->to == (int32_t)(event->target - w->n_nodes);
}

/* Answer a data frame: an ACK or a NACK to its sender. */
WEIR_FN void wireless_answer(weir_ctx *ctx, const wireless_world *w, const wireless_frame *data, int intact)
{
    const wireless_link *link = wireless_links(w);
    wireless_frame answer = *data;
    weir_time delay_ps = w->sifs_ps;
    if (w->replies == WIRELESS_REPLIES_IN_TURN)
        delay_ps += (weir_time)(link[data->link].back - wireless_first(w)[data->origin]) *
                    (w->air_ps[WIRELESS_ACK] + w->sifs_ps);
    answer.kind = intact ? WIRELESS_ACK : WIRELESS_NACK;
    answer.to = (int32_t)data->origin;
    answer.start_ps = -1;
    answer.snr = 0.0;
    answer.link = 0;
    answer.spoilt = 0;
    wireless_pass(ctx, ctx->entity, WIRELESS_MAC_REPLY, delay_ps, &answer);
}

WEIR_FN void wireless_mac_receive(weir_ctx *ctx, void *state, const weir_event *event)
{
    const wireless_world *w = wireless_world_of(ctx);
    const wireless_frame *frame = WEIR_PAYLOAD(wireless_frame, event);
    const uint32_t node = ctx->entity - w->n_nodes;
    wireless_mac *self = (wireless_mac *)state;
    if (!wireless_is_for(w, event))
        return;
    const int intact = wireless_survives(ctx, w, frame);
    weir_touch(ctx, self, sizeof *self);
    if (frame->kind != WIRELESS_DATA) {
        self->acks += intact && frame->kind == WIRELESS_ACK;
        self->nacks += intact && frame->kind == WIRELESS_NACK;
        self->answers_lost += !intact;
        return;
    }
    wireless_tally *tally =
        (wireless_tally *)weir_slot(ctx, WIRELESS_POOL_TALLY, frame->link, sizeof(wireless_tally));
    weir_touch(ctx, tally, sizeof *tally);
    self->intact += intact;
    self->lost += !intact;
    tally->intact += intact;
    tally->lost += !intact;
    if (w->replies != WIRELESS_NO_REPLIES) {
        self->answers[intact ? 0 : 1]++;
        wireless_answer(ctx, w, frame, intact);
    }
    if (intact)
        wireless_pass(ctx, node, WIRELESS_APP_RECEIVE, w->stack_ps, frame);
}

WEIR_FN void wireless_phy_init(weir_ctx *ctx, void *state)
{
    const wireless_world *w = wireless_world_of(ctx);
    const wireless_link *link = wireless_links(w);
    const uint32_t node = ctx->entity - 2 * w->n_nodes;
    wireless_phy *self = (wireless_phy *)state;
    self->spoilt_ps = -1;
    for (uint32_t l = wireless_first(w)[node]; l < wireless_first(w)[node + 1]; l++) {
        weir_stream stream = wireless_pair_stream(ctx, w->n_nodes, node, link[l].to);
        wireless_draw_fading(w, &stream, link[l].snr,
                             weir_slot(ctx, WIRELESS_POOL_FADING, l, wireless_slot_bytes(w->n_sinusoids)));
    }
}

/* A frame is in the air here from now until `until_ps`: those that overlap spoil each other. Whose turn is this very
 * instant has not heard it. */
WEIR_FN void wireless_occupy(weir_ctx *ctx, wireless_phy *self, weir_time until_ps)
{
    if (self->busy_ps > ctx->now_ps)
        self->spoilt_ps = ctx->now_ps;
    self->busy_ps = until_ps > self->busy_ps ? until_ps : self->busy_ps;
    self->turn_ps = self->turn_ps == ctx->now_ps ? self->turn_ps : 0;
}

/* When a packet may start that carrier sense holds, or how long it waits at least: nobody goes before the first in
 * line, and each that does takes the air for a frame and a back-off. */
WEIR_FN weir_time wireless_sense(weir_ctx *ctx, const wireless_world *w, wireless_phy *self,
                                 wireless_frame *frame)
{
    const weir_time now_ps = ctx->now_ps;
    const int comes = frame->place == 0;
    if (comes)
        frame->place = (uint32_t)++self->lined_up;
    const uint32_t before = frame->place - (uint32_t)self->sent[WIRELESS_DATA] - 1;
    if (before > 0)
        return now_ps + before * (w->air_ps[WIRELESS_DATA] + w->difs_ps + w->slot_ps);
    if (comes && self->busy_ps <= now_ps)
        return now_ps;
    if (self->turn_ps == 0) {
        weir_stream stream = weir_stream_open(ctx);
        const weir_time slots = 1 + (weir_time)weir_draw_below(&stream, w->window);
        weir_stream_close(ctx, &stream);
        self->turn_ps = self->busy_ps + w->difs_ps + slots * w->slot_ps;
    }
    return self->turn_ps > now_ps ? self->turn_ps : now_ps;
}

/* When a frame that is ready now may start: now, or later. */
WEIR_FN weir_time wireless_start(weir_ctx *ctx, const wireless_world *w, wireless_phy *self,
                                 wireless_frame *frame)
{
    const weir_time now_ps = ctx->now_ps;
    if (w->access == WIRELESS_SLOTTED)
        return now_ps % w->slot_ps == 0 ? now_ps : (now_ps / w->slot_ps + 1) * w->slot_ps;
    if (w->access == WIRELESS_CSMA && frame->kind == WIRELESS_DATA)
        return wireless_sense(ctx, w, self, frame);
    return now_ps;
}

WEIR_FN void wireless_phy_send(weir_ctx *ctx, void *state, const weir_event *event)
{
    const wireless_world *w = wireless_world_of(ctx);
    const uint32_t *first = wireless_first(w) + (ctx->entity - 2 * w->n_nodes);
    wireless_phy *self = (wireless_phy *)state;
    wireless_frame frame = *WEIR_PAYLOAD(wireless_frame, event);
    const weir_time air_ps = w->air_ps[frame.kind];
    if (frame.start_ps < 0) {
        weir_touch(ctx, self, sizeof *self);
        const weir_time start_ps = wireless_start(ctx, w, self, &frame);
        if (start_ps > ctx->now_ps) {
            self->waited++;
            wireless_pass(ctx, ctx->entity, WIRELESS_PHY_SEND, start_ps - ctx->now_ps, &frame);
            return;
        }
        frame.start_ps = start_ps;
        frame.link = first[0];
        self->sent[frame.kind]++;
        self->turn_ps = 0;
        wireless_occupy(ctx, self, start_ps + air_ps);
    }
    const weir_time start_ps = frame.start_ps, gone_ps = ctx->now_ps - start_ps;
    const uint32_t last = first[1] - frame.link > WIRELESS_FAN ? frame.link + WIRELESS_FAN : first[1];
    const wireless_link *link = wireless_links(w);
    uint32_t l = frame.link;
    for (; l < last; l++) {
        const uint32_t there = 2 * w->n_nodes + link[l].to;
        frame.link = link[l].back;
        frame.start_ps = start_ps + link[l].delay_ps;
        if (w->access != WIRELESS_IDEAL)
            wireless_pass(ctx, there, WIRELESS_PHY_HEAR, link[l].delay_ps - gone_ps, &frame);
        wireless_pass(ctx, there, WIRELESS_PHY_RECEIVE, air_ps + link[l].delay_ps - gone_ps, &frame);
    }
    if (l < first[1]) { /* the others, at once */
        frame.link = l;
        frame.start_ps = start_ps;
        wireless_pass(ctx, ctx->entity, WIRELESS_PHY_SEND, 1, &frame);
    }
}

WEIR_FN void wireless_phy_hear(weir_ctx *ctx, void *state, const weir_event *event)
{
    const wireless_world *w = wireless_world_of(ctx);
    weir_touch(ctx, state, sizeof(wireless_phy));
    wireless_occupy(ctx, (wireless_phy *)state,
                    ctx->now_ps + w->air_ps[WEIR_PAYLOAD(wireless_frame, event)->kind]);
}

WEIR_FN void wireless_phy_receive(weir_ctx *ctx, void *state, const weir_event *event)
{
    const wireless_world *w = wireless_world_of(ctx);
    const uint32_t node = ctx->entity - 2 * w->n_nodes;
    wireless_phy *self = (wireless_phy *)state;
    wireless_frame frame = *WEIR_PAYLOAD(wireless_frame, event);
    double sum[2];
    wireless_subcarriers(
        ctx, weir_slot(ctx, WIRELESS_POOL_FADING, frame.link, wireless_slot_bytes(w->n_sinusoids)), event,
        WIRELESS_SUBCARRIERS, sum);
    frame.snr = wireless_effective_snr(sum[1] / WIRELESS_SUBCARRIERS, wireless_rate_of(w, frame.kind)->beta);
    frame.spoilt = w->access != WIRELESS_IDEAL && self->spoilt_ps >= frame.start_ps;
    if (frame.spoilt) {
        weir_touch(ctx, self, sizeof *self);
        self->spoilt++;
    }
    if (w->series) {
        wireless_reception *r =
            (wireless_reception *)weir_record(ctx, WIRELESS_RECEPTION, sizeof(wireless_reception));
        r->mean_snr = sum[0] / WIRELESS_SUBCARRIERS;
        r->effective_snr = frame.snr;
        r->from = wireless_links(w)[frame.link].to;
        r->to = node;
        r->kind = frame.kind;
        r->spoilt = frame.spoilt;
        r->number = frame.number;
    }
    wireless_pass(ctx, w->n_nodes + node, WIRELESS_MAC_RECEIVE, w->stack_ps, &frame);
}
