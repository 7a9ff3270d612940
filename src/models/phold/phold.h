/*
 * PHOLD, the standard benchmark of parallel engines: a fixed population of events hops between entities.
 *
 * Model: Fujimoto's PHOLD with lookahead. Each entity starts with the same number of events. Handling one
 * schedules one: after L + Exp(M), to another entity, uniformly chosen, with probability `remote`, else to
 * the entity itself. There is nothing else in it, so it measures the engine.
 * Randomness: one Philox block an event; its first word gives the delay, the second one the target.
 */
#pragma once

#include "models/uniform.h"
#include "weir/math.h"
#include "weir/model.h"

/* region world */
typedef struct phold_world {
    uint32_t n_entities, events_per_entity;
    uint64_t remote_below; /* remote share times 2^32 */
    weir_time lookahead_ps;
    double mean_ps;
} phold_world;

typedef struct phold_entity {
    uint64_t handled;
} phold_entity;

enum { PHOLD_HOP, PHOLD_TYPES };
/* endregion world */

/* region delay */
/* L + Exp(M), rounded to a picosecond. -log of a unit draw is at most 37. */
WEIR_FN weir_time phold_delay(const phold_world *world, uint64_t bits)
{
    const double excess_ps = world->mean_ps * -weir_log(weir_unit_open_of_bits(bits));
    return weir_time_after(world->lookahead_ps, excess_ps + 0.5);
}
/* endregion delay */

/* region init */
WEIR_FN void phold_init(weir_ctx *ctx, void *state)
{
    const phold_world *world = (const phold_world *)(const void *)ctx->world;
    weir_stream stream = weir_stream_open(ctx);
    (void)state; /* zero is its first value */
    for (uint32_t i = 0; i < world->events_per_entity; i++)
        weir_schedule(ctx, ctx->entity, PHOLD_HOP, phold_delay(world, weir_draw(&stream)));
    weir_stream_close(ctx, &stream);
}
/* endregion init */

/* region hop */
WEIR_FN void phold_hop(weir_ctx *ctx, void *state, const weir_event *event)
{
    const phold_world *world = (const phold_world *)(const void *)ctx->world;
    phold_entity *self = (phold_entity *)state;
    uint64_t when, where;
    (void)event; /* carries nothing but its time */

    weir_touch(ctx, self, sizeof *self);
    self->handled++;

    weir_stream stream = weir_stream_open(ctx);
    weir_draw_pair(&stream, &when, &where);
    weir_stream_close(ctx, &stream);

    uint32_t target = ctx->entity;
    if ((where & UINT32_MAX) < world->remote_below) {
        /* One of the n - 1 others: those from our own number on move up by one. */
        target = (uint32_t)(((where >> 32) * (world->n_entities - 1)) >> 32);
        target += target >= ctx->entity;
    }
    weir_schedule(ctx, target, PHOLD_HOP, phold_delay(world, when));
}
/* endregion hop */

/* What a user chooses. */
typedef struct phold_params {
    uint32_t n_entities;        /* at least 1; default 1,024 */
    uint32_t events_per_entity; /* 0 to 65,535; default 1 */
    double remote_share;        /* 0 to 1; default 0.5 */
    weir_time lookahead_ps;     /* at least 1; default 1 us */
    weir_time mean_ps;          /* 0 to 10 days; default 1 us */
} phold_params;

WI_UNIFORM_MODEL(phold)
