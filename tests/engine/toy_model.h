/*
 * A model that uses the whole contract and checks the order itself: two kinds, a pool, counters, records,
 * payloads of three sizes, ordered events, bursts, and delays from a coarse grid so that times often agree.
 *
 * Nodes tick, and each tick sends a burst of packets (ordered, rising times) and sometimes a letter to a node
 * (large payload) that travels on a few times. Depots count what reaches them. Whoever handles an event
 * faults with code 1 unless (time, tie, source, sequence) rises.
 */
#ifndef TESTS_ENGINE_TOY_MODEL_H
#define TESTS_ENGINE_TOY_MODEL_H

#include "weir/model.h"

enum { TOY_NODES = 40, TOY_DEPOTS = 5, TOY_ENTITIES = TOY_NODES + TOY_DEPOTS, TOY_SLOTS = 3 };
enum { TOY_TICK, TOY_LETTER, TOY_PACKET, TOY_PARCEL, TOY_TYPES };
enum { TOY_GRID_PS = 1000 };

typedef struct toy_last {
    weir_time time_ps;
    uint32_t tie, source, seq, any;
} toy_last;

typedef struct toy_node {
    toy_last last;
    uint64_t ticks, packets;
    weir_time sent_ps; /* time of the last ordered event sent */
} toy_node;

typedef struct toy_depot {
    toy_last last;
    uint64_t parcels;
} toy_depot;

typedef struct toy_slot {
    uint64_t letters, words;
} toy_slot;

typedef struct toy_world {
    uint32_t first_slot[TOY_NODES + 1];
} toy_world;

typedef struct toy_letter {
    uint64_t hops_left, words[4];
} toy_letter;

WEIR_FN void toy_check_order(weir_ctx *ctx, toy_last *last, const weir_event *e)
{
    const int rises =
        !last->any || e->time_ps > last->time_ps ||
        (e->time_ps == last->time_ps &&
         (e->tie > last->tie ||
          (e->tie == last->tie &&
           (e->source > last->source || (e->source == last->source && (int32_t)(e->seq - last->seq) > 0)))));
    if (!rises || e->time_ps != ctx->now_ps || e->target != ctx->entity)
        weir_fault(ctx, 1);
    last->time_ps = e->time_ps;
    last->tie = e->tie;
    last->source = e->source;
    last->seq = e->seq;
    last->any = 1;
}

WEIR_FN weir_time toy_delay(weir_stream *s, uint32_t most)
{
    return (weir_time)(1 + weir_draw_below(s, most)) * TOY_GRID_PS;
}

WEIR_FN void toy_send_letter(weir_ctx *ctx, weir_stream *s, uint64_t hops_left)
{
    const uint32_t to = (uint32_t)weir_draw_below(s, TOY_NODES);
    toy_letter *letter = (toy_letter *)weir_schedule(ctx, to, TOY_LETTER, toy_delay(s, 4));
    letter->hops_left = hops_left;
    for (int i = 0; i < 4; i++)
        letter->words[i] = weir_draw(s);
}

WEIR_FN void toy_init(weir_ctx *ctx, void *state)
{
    toy_node *node = (toy_node *)state;
    weir_stream s = weir_stream_open(ctx);
    weir_schedule_at(ctx, ctx->entity, TOY_TICK, (weir_time)weir_draw_below(&s, 3) * TOY_GRID_PS);
    weir_stream_close(ctx, &s);
    node->sent_ps = 0;
    *(uint64_t *)weir_record(ctx, 0, 8) = ctx->entity;
}

WEIR_FN void toy_tick(weir_ctx *ctx, void *state, const weir_event *e)
{
    toy_node *node = (toy_node *)state;
    weir_touch(ctx, node, sizeof *node);
    toy_check_order(ctx, &node->last, e);
    weir_stream s = weir_stream_open(ctx);
    const uint32_t burst = (uint32_t)weir_draw_below(&s, 4);
    weir_time at_ps = weir_now(ctx) + TOY_GRID_PS;
    if (at_ps < node->sent_ps)
        at_ps = node->sent_ps;
    for (uint32_t i = 0; i < burst; i++) {
        at_ps += TOY_GRID_PS * (weir_time)weir_draw_below(&s, 3); /* 0: two packets at one time */
        const uint32_t to = (uint32_t)weir_draw_below(&s, TOY_NODES);
        *(uint64_t *)weir_schedule_at(ctx, to, TOY_PACKET, at_ps) = node->ticks;
        node->sent_ps = at_ps;
    }
    if (weir_draw_below(&s, 4) == 0)
        toy_send_letter(ctx, &s, 5);
    weir_schedule(ctx, ctx->entity, TOY_TICK, toy_delay(&s, 6));
    weir_stream_close(ctx, &s);
    node->ticks++;
    weir_count(ctx, 0, 1);
    if (burst == 3) {
        uint64_t *data = (uint64_t *)weir_record(ctx, 1, 16);
        data[0] = node->ticks;
        data[1] = (uint64_t)at_ps;
        *(uint64_t *)weir_record(ctx, 0, 8) = node->packets;
    }
}

WEIR_FN void toy_letter_arrives(weir_ctx *ctx, void *state, const weir_event *e)
{
    const toy_world *world = (const toy_world *)(const void *)ctx->world;
    const toy_letter *letter = WEIR_PAYLOAD(toy_letter, e);
    toy_node *node = (toy_node *)state;
    toy_slot *slot = (toy_slot *)weir_slot(
        ctx, 0, world->first_slot[ctx->entity] + (uint32_t)(letter->words[0] % TOY_SLOTS), sizeof *slot);
    weir_touch(ctx, &node->last, sizeof node->last);
    weir_touch(ctx, slot, sizeof *slot);
    toy_check_order(ctx, &node->last, e);
    slot->letters++;
    for (int i = 0; i < 4; i++)
        slot->words ^= letter->words[i];
    weir_stream s = weir_stream_open(ctx);
    if (letter->hops_left > 0)
        toy_send_letter(ctx, &s, letter->hops_left - 1);
    weir_stream_close(ctx, &s);
    weir_count(ctx, 1 + (letter->words[1] & 1), -3);
}

WEIR_FN void toy_packet(weir_ctx *ctx, void *state, const weir_event *e)
{
    toy_node *node = (toy_node *)state;
    weir_touch(ctx, node, sizeof *node);
    toy_check_order(ctx, &node->last, e);
    node->packets += 1 + *WEIR_PAYLOAD(uint64_t, e);
    const uint32_t depot = TOY_NODES + ctx->entity % TOY_DEPOTS;
    weir_schedule(ctx, depot, TOY_PARCEL, 2 * TOY_GRID_PS); /* constant delay: ordered as well */
}

WEIR_FN void toy_parcel(weir_ctx *ctx, void *state, const weir_event *e)
{
    toy_depot *depot = (toy_depot *)state;
    weir_touch(ctx, depot, sizeof *depot);
    toy_check_order(ctx, &depot->last, e);
    depot->parcels++;
}

/* What an engine without a table of handlers calls. */
WEIR_FN void toy_handle(weir_ctx *ctx, void *state, const weir_event *event)
{
    switch (event->type) {
    case TOY_TICK:
        toy_tick(ctx, state, event);
        break;
    case TOY_LETTER:
        toy_letter_arrives(ctx, state, event);
        break;
    case TOY_PACKET:
        toy_packet(ctx, state, event);
        break;
    default:
        toy_parcel(ctx, state, event);
    }
}

#endif
