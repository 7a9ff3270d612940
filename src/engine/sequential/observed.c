/*
 * The sequential engine with an observer: an engine of its own, so that the other pays nothing. In a file of its own, too:
 * beside it the compiler no longer inlines all of the other's loop, which then takes 4.7 % more instructions.
 */
#include "engine/sequential/sequential.h"

static int handle_observed(wi_part *part, const weir_event *event)
{
    const weir_setup *setup = &part->sim->setup;
    const wi_dispatch *d = &part->sim->dispatch[event->type];
    weir_ctx *ctx = &part->ctx;
    d->handle(ctx, d->state + (size_t)(event->target - d->first_entity) * d->state_bytes, event);
    if (ctx->fault == WEIR_FAULT_NONE)
        setup->observer(setup->observer_user, event, (const weir_event *)(const void *)ctx->out, ctx->stride,
                        ctx->out_count);
    return 1;
}

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    static const wi_part_mode mode = {handle_observed, NULL};
    return wi_sequential_run(diag, sim, &mode, limit_ps, stop);
}

const wi_engine_ops wi_engine_observed = {
    .name = "sequential", .run_until = run_until, .part_of = wi_part_main};
