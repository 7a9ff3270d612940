/* The sequential engine: take the least event, handle it, add what it scheduled. The reference for all
 * others. */
#include "engine/internal.h"

/* How many events pass between looks at the stop flag. */
enum { EVENTS_BETWEEN_LOOKS = 4096 };

/* Point the context at an event's entity. */
static inline void aim(weir_sim *sim, const weir_event *event, const wi_dispatch *d)
{
    weir_ctx *ctx = &sim->ctx;
    ctx->now_ps = event->time_ps;
    ctx->entity = event->target;
    ctx->self = &sim->heads[event->target];
    ctx->out_count = 0;
    ctx->out_capacity = d->max_events;
    sim->rec_before = ctx->rec_count;
    ctx->rec_capacity = ctx->rec_count + d->max_records;
}

/* Ask for the memory of events that are due soon, so that they do not wait for it one by one. */
static inline void look_ahead(const weir_sim *sim)
{
    wi_pending_prefetch(&sim->pending);
    const wi_body *soon = wi_pending_ahead(&sim->pending, WI_AHEAD_ENTITY);
    if (!soon)
        return;
    const wi_dispatch *d = &sim->dispatch[soon->type];
    const unsigned char *state = d->state + (size_t)(soon->target - d->first_entity) * d->state_bytes;
    __builtin_prefetch(&sim->heads[soon->target]);
    __builtin_prefetch(state);
    __builtin_prefetch(state + 64);
}

static weir_status no_memory(weir_diag *diag, const weir_sim *sim)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for more than %llu pending events, at %.9f s",
                     (unsigned long long)sim->pending.count, weir_seconds(sim->now_ps));
}

/* Drain the buffer; when all of it belongs to this instant, which may still add to it, let it grow. */
static weir_status make_room_for_records(weir_diag *diag, weir_sim *sim, weir_time at_ps)
{
    const weir_status status = wi_records_flush(diag, sim, at_ps);
    if (status == WEIR_OK && !wi_records_reserve(sim, sim->max_records))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for more than %u records at one instant, %.12f s",
                         sim->ctx.rec_count, weir_seconds(at_ps));
    return status;
}

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    wi_pending *const pending = &sim->pending;
    weir_ctx *const ctx = &sim->ctx;
    wi_event_room room;
    weir_event *const event = &room.event;
    uint32_t looked = 0;
    for (;;) {
        const weir_time at_ps = wi_pending_first(pending);
        if (at_ps >= limit_ps)
            return pending->keys.failed ? no_memory(diag, sim) : WEIR_OK;
        /* Stop between instants only: everything before weir_sim_now is handled, nothing at or after. */
        if (WEIR_UNLIKELY(++looked >= EVENTS_BETWEEN_LOOKS && at_ps > sim->now_ps)) {
            looked = 0;
            if (stop && *stop) {
                sim->now_ps = at_ps;
                return WEIR_E_INTERRUPTED;
            }
        }
        sim->now_ps = at_ps;
        if (WEIR_UNLIKELY(!wi_pending_has_room(pending, sim->max_events)) &&
            !wi_pending_reserve(pending, sim->max_events))
            return no_memory(diag, sim);
        if (WEIR_UNLIKELY(ctx->rec_count + sim->max_records > sim->rec_room)) {
            const weir_status status = make_room_for_records(diag, sim, at_ps);
            if (status != WEIR_OK)
                return status;
        }
        wi_pending_take(pending, event);
        look_ahead(sim);
        const wi_dispatch *const d = &sim->dispatch[event->type];
        aim(sim, event, d);
        ctx->self->chain = weir_event_fold(ctx->self->chain, event, d->payload_bytes);
        if (WEIR_UNLIKELY(sim->check != NULL)) {
            const weir_status status = wi_check_event(diag, sim, event);
            if (status != WEIR_OK)
                return status;
        } else {
            d->handle(ctx, d->state + (size_t)(event->target - d->first_entity) * d->state_bytes, event);
        }
        sim->events++;
        if (WEIR_LIKELY(ctx->fault == WEIR_FAULT_NONE))
            wi_add_scheduled(sim);
        if (WEIR_UNLIKELY(ctx->fault != WEIR_FAULT_NONE))
            return wi_fault_message(diag, sim, sim->setup.model->types[event->type].name);
    }
}

/* Ask the hook for its next horizon. */
static weir_status call_hook(weir_diag *diag, weir_sim *sim)
{
    const weir_time at_ps = sim->hook_at_ps;
    const weir_time next_ps = sim->setup.hook(sim->setup.user, at_ps);
    if (next_ps <= at_ps)
        return weir_fail(diag, WEIR_E_ARG, "the time hook at %.12f s returned a horizon that is not later",
                         weir_seconds(at_ps));
    sim->hook_at_ps = next_ps;
    return WEIR_OK;
}

/* Up to the next horizon of the hook, or until_ps. */
static weir_status run_part(weir_diag *diag, weir_sim *sim, weir_time until_ps, const volatile int *stop)
{
    const weir_time limit_ps = until_ps < sim->hook_at_ps ? until_ps : sim->hook_at_ps;
    if (stop && *stop)
        return WEIR_E_INTERRUPTED;
    weir_status status = run_until(diag, sim, limit_ps, stop);
    if (status == WEIR_E_INTERRUPTED) {
        const weir_status flushed = wi_records_flush(diag, sim, sim->now_ps);
        return flushed == WEIR_OK ? status : flushed;
    }
    if (status == WEIR_OK)
        status = wi_records_flush(diag, sim, limit_ps);
    if (status != WEIR_OK)
        return status;
    sim->now_ps = limit_ps;
    return limit_ps == sim->hook_at_ps && limit_ps < until_ps ? call_hook(diag, sim) : WEIR_OK;
}

weir_status weir_sim_run(weir_diag *diag, weir_sim *sim, weir_time until_ps, const volatile int *stop)
{
    if (sim->failed != WEIR_OK)
        return weir_fail(diag, sim->failed, "the simulation broke off at %.12f s and cannot go on",
                         weir_seconds(sim->now_ps));
    weir_status status = WEIR_OK;
    while (sim->now_ps < until_ps && status == WEIR_OK)
        status = run_part(diag, sim, until_ps, stop);
    if (status != WEIR_OK && status != WEIR_E_INTERRUPTED)
        sim->failed = status;
    return status;
}
