/* The sequential engine with somebody who looks on: an engine of its own, so that the other pays nothing. */
#include "engine/sequential/sequential.h"

static int handle_and_tell(wi_part *part, const weir_event *event)
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
    static const wi_part_mode mode = {handle_and_tell, NULL};
    return wi_sequential_run(diag, sim, &mode, limit_ps, stop);
}

const wi_engine_ops wi_engine_observed = {
    .name = "sequential", .run_until = run_until, .part_of = wi_part_main};
