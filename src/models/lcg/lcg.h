/*
 * LCG: the synthetic benchmark of studies on GPUs, from Kunz, Schemmel, Gross and Wehrle (PADS 2012, section V-A).
 *
 * Model: modules that do not talk to each other. Each keeps one event pending, which steps a linear congruential
 * generator many times, writes the number into the module's state and schedules the next, after one period.
 * There are up to four generators, each an event type with a code path of its own. All modules of a simulation have
 * one of them, as in the paper, so that simulations side by side diverge; or which one comes next is drawn. A
 * simulation ends after a fixed number of events, dealt evenly to its modules.
 * The state is as large as is asked for; an event uses its first 40 bytes.
 * Randomness: one Philox block an event where one of several generators is drawn.
 */
#pragma once

#include "models/uniform.h"
#include "weir/model.h"

// clang-format off
/* X(TYPE, name, multiplier, increment): Knuth's MMIX, three of L'Ecuyer's tables for 2^64. */
#define LCG_GENERATORS(X)                                                         \
    X(A, a, UINT64_C(6364136223846793005), UINT64_C(1442695040888963407))         \
    X(B, b, UINT64_C(2862933555777941757), UINT64_C(3037000493))                  \
    X(C, c, UINT64_C(3202034522624059733), UINT64_C(4354685564936845319))         \
    X(D, d, UINT64_C(1181783497276652981), UINT64_C(4292484099903637661))
// clang-format on

#define LCG_TYPE(TYPE, name, multiplier, increment) LCG_##TYPE,
enum { LCG_GENERATORS(LCG_TYPE) LCG_TYPES };
#undef LCG_TYPE

typedef struct lcg_world {
    uint32_t ways, only, iterations, n_modules, events; /* events: of all modules */
    uint32_t state_bytes;
    weir_time period_ps;
} lcg_world;

typedef struct lcg_module {
    uint64_t number, left, handled[3]; /* left: events to come; handled: by type, the last type apart */
} lcg_module;

WEIR_FN void lcg_next(weir_ctx *ctx, const lcg_world *w, lcg_module *self)
{
    uint32_t type = LCG_A;
    if (self->left == 0)
        return;
    self->left--;
    if (w->only > 0) {
        type = w->only - 1;
    } else if (w->ways > 1) {
        weir_stream stream = weir_stream_open(ctx);
        type = (uint32_t)weir_draw_below(&stream, w->ways);
        weir_stream_close(ctx, &stream);
    }
    if (ctx->now_ps < 0)
        weir_schedule_at(ctx, ctx->entity, (uint16_t)type, w->period_ps);
    else
        weir_schedule(ctx, ctx->entity, (uint16_t)type, w->period_ps);
}

/* Events that a module is dealt. */
WEIR_FN uint32_t lcg_share(const lcg_world *w, uint32_t module)
{
    return w->events / w->n_modules + (module < w->events % w->n_modules);
}

WEIR_FN void lcg_init(weir_ctx *ctx, void *state)
{
    const lcg_world *w = (const lcg_world *)(const void *)ctx->world;
    lcg_module *self = (lcg_module *)state;
    weir_stream stream = weir_stream_open(ctx);
    self->number = weir_draw(&stream);
    weir_stream_close(ctx, &stream);
    self->left = lcg_share(w, ctx->entity);
    lcg_next(ctx, w, self);
}

WEIR_FN void lcg_finish(weir_ctx *ctx, lcg_module *self, uint64_t number, uint32_t type)
{
    self->number = number;
    if (type < LCG_D)
        self->handled[type]++;
    lcg_next(ctx, (const lcg_world *)(const void *)ctx->world, self);
}

WEIR_FN uint32_t lcg_iterations(const weir_ctx *ctx)
{
    return ((const lcg_world *)(const void *)ctx->world)->iterations;
}

/* For each generator: n steps of it, apart from the others' code, and the handler of its event type. */
#define LCG_GENERATOR(TYPE, name, multiplier, increment)                                      \
    WEIR_FN_APART uint64_t lcg_run_##name(uint64_t x, uint32_t n)                             \
    {                                                                                         \
        for (uint32_t i = 0; i < n; i++)                                                      \
            x = x * (multiplier) + (increment);                                               \
        return x;                                                                             \
    }                                                                                         \
    WEIR_FN void lcg_##name(weir_ctx *ctx, void *state, const weir_event *event)              \
    {                                                                                         \
        lcg_module *self = (lcg_module *)state;                                               \
        (void)event;                                                                          \
        weir_touch(ctx, self, sizeof *self);                                                  \
        lcg_finish(ctx, self, lcg_run_##name(self->number, lcg_iterations(ctx)), LCG_##TYPE); \
    }
LCG_GENERATORS(LCG_GENERATOR)
#undef LCG_GENERATOR

/* Any of them, for a device. */
WEIR_FN void lcg_handle(weir_ctx *ctx, void *state, const weir_event *event)
{
#define LCG_CASE(TYPE, name, multiplier, increment) \
    case LCG_##TYPE:                                \
        lcg_##name(ctx, state, event);              \
        break;
    switch (event->type) {
        LCG_GENERATORS(LCG_CASE)
    }
#undef LCG_CASE
}

/* What a user chooses; the defaults are the paper's Table I. */
typedef struct lcg_params {
    uint32_t n_modules;   /* 1 to 65,536; default 1 */
    uint32_t ways;        /* generators, 1 to 4; default 1 */
    uint32_t only;        /* the one of all events, from 1; default 0: drawn, event by event */
    uint32_t events;      /* of a simulation; default 300 */
    uint32_t iterations;  /* of a generator, an event; default 20,000; 0: the engine's cost alone */
    uint32_t state_bytes; /* of a module, 40 to 1,048,576, a multiple of 8; default 72 */
} lcg_params;

WI_UNIFORM_MODEL(lcg)
/* When the last event is due: a run that goes on until this time has handled all. */
weir_time wi_lcg_end(const lcg_params *params);
