/*
 * The loop that every engine on the host runs: take a part's least event, handle it, add what it scheduled.
 *
 * Inlined into each engine with `mode` known to the compiler, so that none pays for what another needs.
 */
#pragma once

#include "engine/core/engine.h"

/* How many events pass between looks at the stop flag. */
enum { WI_EVENTS_BETWEEN_LOOKS = 4096 };

typedef enum wi_part_end {
    WI_PART_LIMIT,   /* no event before the limit is left */
    WI_PART_STOPPED, /* *stop: everything before part->now_ps is handled, nothing at or after */
    WI_PART_RECORDS, /* no room for the records of another handling; part->now_ps is its time */
    WI_PART_MEMORY,  /* no memory for further events */
    WI_PART_FAULT,   /* ctx.fault is set; part->during is the event under way */
    WI_PART_REFUSED  /* mode->handle has returned false */
} wi_part_end;

/* What differs between engines. Each function may be null. */
typedef struct wi_part_mode {
    /* Instead of the handler; false: give up. */
    int (*handle)(wi_part *part, const weir_event *event);
    /* Events for others: true when it has taken it (or has set a fault). */
    int (*send)(wi_part *part, const weir_event *event);
} wi_part_mode;

/* Point the context at an event's entity. */
static inline void wi_part_aim(wi_part *part, const weir_event *event, const wi_dispatch *d)
{
    weir_ctx *ctx = &part->ctx;
    ctx->now_ps = event->time_ps;
    ctx->entity = event->target;
    ctx->self = &part->sim->heads[event->target];
    ctx->out_count = 0;
    ctx->out_capacity = d->max_events;
    part->rec_before = ctx->rec_count;
    ctx->rec_capacity = ctx->rec_count + d->max_records;
}

/* Ask for an entity's memory. */
WI_ASKS void wi_part_ask(const weir_sim *sim, const wi_dispatch *d, uint32_t entity)
{
    const unsigned char *state = d->state + (size_t)(entity - d->first_entity) * d->state_bytes;
    __builtin_prefetch(&sim->heads[entity]);
    __builtin_prefetch(state);
    if (d->state_bytes > 64)
        __builtin_prefetch(state + 64);
}

/* What is asked for of events that are due soon. */
typedef enum wi_ask_what { WI_ASK_NOTHING, WI_ASK_ENTITIES, WI_ASK_MODEL } wi_ask_what;

/* Fewer pending events, and what they touch, a core's own caches hold, and then asking costs up to 10 %. */
enum { WI_ASK_ENTITIES_FROM = 12000, WI_ASK_MODEL_FROM = 40000 };

/* How much is asked for now. */
WI_ASKS wi_ask_what wi_part_asks(const wi_part *part)
{
    const uint64_t n = part->pending.count;
    if (n < WI_ASK_ENTITIES_FROM)
        return WI_ASK_NOTHING;
    return n >= WI_ASK_MODEL_FROM && part->sim->setup.model->ask ? WI_ASK_MODEL : WI_ASK_ENTITIES;
}

/* Ask for what leads to the event `ahead` places further on: its entity, and where the model is asked that one's stream, the
 * cell behind it, and what the model knows of; `again`: what those lead to. */
WI_ASKS void wi_part_ask_ahead(const wi_part *part, size_t ahead, wi_ask_what asks, bool again)
{
    const weir_sim *sim = part->sim;
    wi_ahead of;
    if (!wi_pending_ahead(&part->pending, ahead, &of))
        return;
    const wi_dispatch *d = &sim->dispatch[of.soon->type];
    if (!again)
        wi_part_ask(sim, d, of.soon->target);
    if (asks != WI_ASK_MODEL)
        return;
    if (part->pending.streams)
        wi_pending_ask_stream(&part->pending, of.soon->target, again);
    if (of.behind && !again)
        wi_cell_ask(&part->pending.streamed, of.behind);
    const weir_soon soon = {d->state + (size_t)(of.soon->target - d->first_entity) * d->state_bytes,
                            of.payload, of.soon->target, of.soon->type, again};
    sim->setup.model->ask(&part->ctx, &soon);
}

/* The same at a run's beginning, for the events that nobody has asked for yet. In part.c: rare, and inline in the loop it took
 * registers there. */
void wi_part_ask_run(const wi_part *part);

/* Ask for the memory of events that are due soon, so that they do not wait for it one by one. */
WI_ASKS void wi_part_look_ahead(const wi_part *part, wi_ask_what asks)
{
    if (asks == WI_ASK_NOTHING)
        return;
    wi_pending_prefetch(&part->pending);
    if (WEIR_UNLIKELY(wi_pending_run_begins(&part->pending)))
        wi_part_ask_run(part);
    wi_part_ask_ahead(part, WI_AHEAD_ENTITY, asks, false);
    if (asks == WI_ASK_MODEL)
        wi_part_ask_ahead(part, WI_AHEAD_NEAR, asks, true);
}

/* Put what a handler scheduled into the pending set, where room must have been reserved. An event of no type,
 * or for an entity that is not of its type's kind, is a fault of that handler. */
static inline void wi_part_add_scheduled(wi_part *part, const wi_part_mode *mode)
{
    weir_ctx *ctx = &part->ctx;
    const weir_sim *sim = part->sim;
    const uint32_t n_types = sim->setup.model->n_types, n = ctx->out_count, stride = ctx->stride;
    const wi_dispatch *const dispatch = sim->dispatch;
    const unsigned char *at = ctx->out;
    for (uint32_t i = 0; i < n; i++, at += stride) {
        const weir_event *event = (const weir_event *)(const void *)at;
        const wi_dispatch *d = &dispatch[event->type];
        if (WEIR_UNLIKELY(event->type >= n_types || event->target - d->first_entity >= d->n_of_kind)) {
            weir_fault_keep(ctx, WEIR_FAULT_KIND, event->type, event->target);
            return;
        }
        if (!mode->send || !mode->send(part, event))
            wi_pending_add(&part->pending, event, d->ordered);
    }
}

/* Handle a part's events before limit_ps; `stop` may be null. */
static inline __attribute__((always_inline)) wi_part_end wi_part_run(wi_part *part, const wi_part_mode *mode,
                                                                     weir_time limit_ps,
                                                                     const volatile int *stop)
{
    const weir_sim *const sim = part->sim;
    wi_pending *const pending = &part->pending;
    weir_ctx *const ctx = &part->ctx;
    wi_event_room room;
    weir_event *const event = &room.event;
    uint32_t looked = 0;
    wi_ask_what asks = wi_part_asks(part);
    if (WEIR_UNLIKELY(wi_watch_is_due(&part->watch, part->events)))
        wi_watch_look(&part->watch, sim, part->events, part->now_ps);
    for (;;) {
        const weir_time at_ps = wi_pending_first(pending);
        if (at_ps >= limit_ps)
            return pending->keys.failed ? WI_PART_MEMORY : WI_PART_LIMIT;
        /* Stop between instants only: everything before now_ps is handled, nothing at or after. */
        if (WEIR_UNLIKELY(++looked >= WI_EVENTS_BETWEEN_LOOKS && at_ps > part->now_ps)) {
            looked = 0;
            asks = wi_part_asks(part);
            if (stop && *stop) {
                part->now_ps = at_ps;
                return WI_PART_STOPPED;
            }
            if (WEIR_UNLIKELY(wi_watch_is_due(&part->watch, part->events)))
                wi_watch_look(&part->watch, sim, part->events, part->now_ps);
        }
        part->now_ps = at_ps;
        if (WEIR_UNLIKELY(!wi_pending_has_room(pending, sim->max_events)) &&
            !wi_pending_reserve(pending, sim->max_events))
            return WI_PART_MEMORY;
        if (WEIR_UNLIKELY(ctx->rec_count + sim->max_records > part->rec_room))
            return WI_PART_RECORDS;
        wi_pending_pop(pending, event);
        wi_part_look_ahead(part, asks);
        const wi_dispatch *const d = &sim->dispatch[event->type];
        wi_part_aim(part, event, d);
        weir_entity_count(ctx->self, event, d->payload_bytes);
        if (!mode->handle)
            d->handle(ctx, d->state + (size_t)(event->target - d->first_entity) * d->state_bytes, event);
        else if (!mode->handle(part, event))
            return WI_PART_REFUSED;
        part->events++;
        if (WEIR_UNLIKELY(part->watch.count != NULL))
            wi_watch_part_handled(part);
        if (WEIR_LIKELY(ctx->fault == WEIR_FAULT_NONE))
            wi_part_add_scheduled(part, mode);
        if (WEIR_UNLIKELY(ctx->fault != WEIR_FAULT_NONE)) {
            part->during = *event;
            return WI_PART_FAULT;
        }
    }
}
