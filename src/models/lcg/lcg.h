/*
 * LCG: the synthetic benchmark of studies on GPUs, from Kunz, Schemmel, Gross and Wehrle (PADS 2012, section V-A).
 *
 * Model: modules that do not talk to each other. Each keeps one event pending, which steps a linear congruential
 * generator many times, writes the number into the module's state and schedules the next, after one period.
 * There are up to four generators, each an event type with a code path of its own. All modules of a simulation have one of
 * them, as in the paper, so that simulations side by side diverge; or which one comes next is drawn. A simulation ends after a fixed number of events, dealt evenly to its modules.
 * The state is as large as is asked for; an event uses its first 40 bytes.
 * Randomness: one Philox block an event where one of several generators is drawn.
 */
#ifndef WI_MODELS_LCG_LCG_H
#define WI_MODELS_LCG_LCG_H

#include "weir/engine.h"
#include "weir/model.h"

enum { LCG_A, LCG_B, LCG_C, LCG_D, LCG_TYPES };

typedef struct lcg_world {
    uint32_t ways, only, iterations, n_modules, events; /* events: of all modules */
    weir_time period_ps;
} lcg_world;

typedef struct lcg_module {
    uint64_t number, left, handled[3]; /* left: events to come; handled: by type, the last type apart */
} lcg_module;

/* One step each; n of them. Multipliers are Knuth's MMIX, those of L'Ecuyer's tables for 2^64, and 2^63 - 1's. */
WEIR_FN_APART uint64_t lcg_run_a(uint64_t x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return x;
}

WEIR_FN_APART uint64_t lcg_run_b(uint64_t x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x = x * UINT64_C(2862933555777941757) + UINT64_C(3037000493);
    return x;
}

WEIR_FN_APART uint64_t lcg_run_c(uint64_t x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x = x * UINT64_C(3202034522624059733) + UINT64_C(4354685564936845319);
    return x;
}

WEIR_FN_APART uint64_t lcg_run_d(uint64_t x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x = x * UINT64_C(1181783497276652981) + UINT64_C(4292484099903637661);
    return x;
}

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

WEIR_FN void lcg_init(weir_ctx *ctx, void *state)
{
    const lcg_world *w = (const lcg_world *)(const void *)ctx->world;
    lcg_module *self = (lcg_module *)state;
    weir_stream stream = weir_stream_open(ctx);
    self->number = weir_draw(&stream);
    weir_stream_close(ctx, &stream);
    self->left = w->events / w->n_modules + (ctx->entity < w->events % w->n_modules);
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

WEIR_FN void lcg_a(weir_ctx *ctx, void *state, const weir_event *event)
{
    lcg_module *self = (lcg_module *)state;
    (void)event;
    weir_touch(ctx, self, sizeof *self);
    lcg_finish(ctx, self, lcg_run_a(self->number, lcg_iterations(ctx)), LCG_A);
}

WEIR_FN void lcg_b(weir_ctx *ctx, void *state, const weir_event *event)
{
    lcg_module *self = (lcg_module *)state;
    (void)event;
    weir_touch(ctx, self, sizeof *self);
    lcg_finish(ctx, self, lcg_run_b(self->number, lcg_iterations(ctx)), LCG_B);
}

WEIR_FN void lcg_c(weir_ctx *ctx, void *state, const weir_event *event)
{
    lcg_module *self = (lcg_module *)state;
    (void)event;
    weir_touch(ctx, self, sizeof *self);
    lcg_finish(ctx, self, lcg_run_c(self->number, lcg_iterations(ctx)), LCG_C);
}

WEIR_FN void lcg_d(weir_ctx *ctx, void *state, const weir_event *event)
{
    lcg_module *self = (lcg_module *)state;
    (void)event;
    weir_touch(ctx, self, sizeof *self);
    lcg_finish(ctx, self, lcg_run_d(self->number, lcg_iterations(ctx)), LCG_D);
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
void wi_lcg_params_init(lcg_params *params);

/* Model, world and lookaheads of one set of parameters; immutable, so that many simulations may share it. */
typedef struct wi_lcg wi_lcg;

/* WEIR_E_ARG names the parameter that is out of range. */
WEIR_NODISCARD weir_status wi_lcg_new(weir_diag *diag, const lcg_params *params, wi_lcg **out);
void wi_lcg_free(wi_lcg *lcg);
/* Everything of a set-up that the model decides. `lcg` must outlive the simulation. */
void wi_lcg_setup(const wi_lcg *lcg, weir_setup *setup);
/* A run that goes on until this time has handled all events. */
weir_time wi_lcg_end(const wi_lcg *lcg);
/* lcg.cu: device code; only in builds with CUDA. */
WEIR_EXTERN const struct weir_gpu_program *wi_lcg_gpu(void);

#endif
