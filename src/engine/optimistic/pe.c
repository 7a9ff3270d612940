/* A processing element's turn: receive mail, take part in the GVT, handle some events. */
#include "engine/optimistic/optimistic.h"

/* ---- handling ---- */

/* Each event that a handler scheduled is for an entity of its type's kind. */
static void check_scheduled(wi_part *part)
{
    weir_ctx *ctx = &part->ctx;
    const weir_sim *sim = part->sim;
    const unsigned char *at = ctx->out;
    for (uint32_t i = 0; i < ctx->out_count; i++, at += ctx->stride) {
        const weir_event *event = (const weir_event *)(const void *)at;
        if (WEIR_UNLIKELY(event->type >= sim->setup.model->n_types ||
                          event->target - sim->dispatch[event->type].first_entity >=
                              sim->dispatch[event->type].n_of_kind)) {
            weir_fault_keep(ctx, WEIR_FAULT_KIND, event->type, event->target);
            return;
        }
    }
}

static inline void handle(wi_pe *pe, const weir_event *event, weir_undo *undo)
{
    wi_part *const part = &pe->part;
    weir_ctx *const ctx = &part->ctx;
    const wi_dispatch *const d = &part->sim->dispatch[event->type];
    wi_part_aim(part, event, d);
    ctx->undo = undo;
    weir_entity_count(ctx->self, event, d->payload_bytes);
    d->handle(ctx, d->state + (size_t)(event->target - d->first_entity) * d->state_bytes, event);
    part->events++;
    pe->counts.handled++;
    check_scheduled(part);
}

/* Send what a handler scheduled; room was made for it. */
static inline void send_all(wi_pe *pe, uint16_t instance)
{
    const weir_ctx *ctx = &pe->part.ctx;
    const unsigned char *at = ctx->out;
    for (uint32_t i = 0; i < ctx->out_count; i++, at += ctx->stride) {
        const weir_event *event = (const weir_event *)(const void *)at;
        const uint32_t target = wi_fresh_word(&event->target),
                       to = target == ctx->entity ? pe->number : wi_pe_of(pe, target);
        if (WEIR_LIKELY(to == pe->number))
            wi_pending_add_as(&pe->part.pending, event, pe->part.sim->dispatch[event->type].ordered,
                              instance);
        else
            wi_pe_post(pe, to, event, instance);
    }
}

/* A safe event: nothing earlier can reach its entity any more, so it needs no log, and its track is neither read nor written. */
static inline void handle_safe(wi_pe *pe, const weir_event *event)
{
    handle(pe, event, NULL);
    pe->counts.safe++;
    pe->last_safe_ps = event->time_ps;
    if (WEIR_UNLIKELY(pe->part.watch.count != NULL))
        wi_watch_part_handled(&pe->part);
    if (WEIR_UNLIKELY(pe->part.ctx.fault != WEIR_FAULT_NONE)) {
        pe->part.during = *event;
        pe->faulted = 1;
        return;
    }
    send_all(pe, WI_INSTANCE_SAFE);
}

/* A fault of an event ahead may be rolled back yet: undo it, and let the event wait. */
static void undo_fault(wi_pe *pe, const wi_done *done)
{
    wi_part *const part = &pe->part;
    wi_undo_rollback(&pe->history.undo);
    wi_head_restore(part->ctx.self, &done->head);
    part->ctx.rec_count = part->rec_before;
    part->ctx.fault = WEIR_FAULT_NONE;
    pe->counts.rolled_back++;
    pe->counts.faults_undone++;
    memcpy(&pe->stall, &done->event, sizeof pe->stall);
    pe->stalled = 1;
    wi_pe_add(pe, &done->event);
    wi_history_drop(&pe->history);
}

/* Handle the event of a history entry ahead of the others, with a log. */
static void handle_ahead(wi_pe *pe, wi_done *done)
{
    wi_history *const h = &pe->history;
    wi_part *const part = &pe->part;
    weir_ctx *const ctx = &part->ctx;
    const weir_event *const event = &done->event;
    wi_track *const track = &pe->engine->track[event->target];
    done->head = wi_head_of(&part->sim->heads[event->target]);
    done->before = wi_track_last(track);
    done->before_ps = track->last_ps;
    done->instance = (uint16_t)track->instance;
    const int looks = WEIR_UNLIKELY(pe->looks[event->type] > 0) && wi_touches_before(pe, event);
    handle(pe, event, &h->undo);
    if (WEIR_UNLIKELY(looks) && !h->undo.failed)
        wi_touches_after(pe, event);
    if (WEIR_UNLIKELY(ctx->fault != WEIR_FAULT_NONE)) {
        undo_fault(pe, h->open);
        return;
    }
    const uint32_t n_records = ctx->rec_count - part->rec_before;
    done = h->open;
    wi_sent *sent = wi_history_end(h, ctx->out_count, n_records);
    if (WEIR_UNLIKELY(!sent || h->undo.failed)) {
        pe->flags |= WI_WARP_MEMORY;
        return;
    }
    done = (wi_done *)(void *)((unsigned char *)sent - h->undo.used - h->stride -
                               (sizeof *done - sizeof done->event));
    const unsigned char *at = ctx->out;
    for (uint32_t i = 0; i < ctx->out_count; i++, at += ctx->stride) {
        const weir_event *e = (const weir_event *)(const void *)at;
        sent[i] = (wi_sent){.time_ps = e->time_ps, .target = e->target, .type = e->type};
    }
    if (n_records > 0) {
        memcpy(sent + ctx->out_count, ctx->rec + (size_t)part->rec_before * ctx->rec_stride,
               (size_t)n_records * ctx->rec_stride);
        ctx->rec_count = part->rec_before;
    }
    wi_track_set(track, done, event->time_ps);
    pe->ahead_ps = event->time_ps > pe->ahead_ps ? event->time_ps : pe->ahead_ps;
    send_all(pe, (uint16_t)track->instance);
}

/* wi_part_mode.send of safe events. */
static inline int send_safe(wi_part *part, const weir_event *event)
{
    wi_pe *const pe = (wi_pe *)part;
    const uint32_t target = wi_fresh_word(&event->target),
                   to = target == part->ctx.entity ? pe->number : wi_pe_of(pe, target);
    if (WEIR_UNLIKELY(to != pe->number)) {
        wi_pe_post(pe, to, event, WI_INSTANCE_SAFE);
        return 1;
    }
    wi_pending_add_as(&part->pending, event, part->sim->dispatch[event->type].ordered, WI_INSTANCE_SAFE);
    return 1;
}

/* Events that are safe, and later than all that was handled ahead, need nothing of this engine: the loop of the others
 * (part_run.h) handles them. What is sent on the way is answered after two lookaheads at the least, so until then what is
 * safe stays safe. */
static int handle_stretch(wi_pe *pe, weir_time limit_ps)
{
    static const wi_part_mode mode = {NULL, send_safe};
    wi_part *const part = &pe->part;
    const uint64_t before = part->events;
    part->ctx.undo = NULL;
    wi_part_end end = wi_part_run(part, &mode, limit_ps, NULL);
    while (end == WI_PART_RECORDS && wi_records_reserve(part, part->sim->max_records))
        end = wi_part_run(part, &mode, limit_ps, NULL);
    if (end == WI_PART_FAULT)
        pe->faulted = 1;
    else if (end != WI_PART_LIMIT)
        pe->flags |= WI_WARP_MEMORY;
    const uint64_t n = part->events - before;
    pe->counts.handled += n;
    pe->counts.safe += n;
    pe->last_safe_ps = n > 0 ? part->now_ps : pe->last_safe_ps;
    pe->waited = 0;
    return (int)n;
}

/* ---- what may be handled ---- */

static int has_memory(const wi_pe *pe)
{
    return pe->history.entries < pe->ahead_most && wi_history_has_room(&pe->history) &&
           pe->history.bytes + pe->mail_bytes < pe->engine->most_bytes;
}

/* Room for the records and events of one handling. */
static int make_room(wi_pe *pe)
{
    wi_part *const part = &pe->part;
    const uint32_t max_events = part->sim->max_events;
    if (WEIR_UNLIKELY(!wi_pending_has_room(&part->pending, max_events)) &&
        !wi_pending_reserve(&part->pending, max_events))
        return 0;
    return part->ctx.rec_count + part->sim->max_records <= part->rec_room ||
           wi_records_reserve(part, part->sim->max_records);
}

/* Whether the event that waits with its fault is the least: anything earlier may be handled. */
static int waits_for_fault(wi_pe *pe, weir_time at_ps)
{
    if (at_ps < pe->stall.time_ps) {
        pe->stalled = 0; /* what comes may change it */
        return 0;
    }
    return 1;
}

/* Whether the least event may be handled now, and whether it is safe. */
static int may_handle(wi_pe *pe, weir_time at_ps, int *safe)
{
    wi_optimistic *const engine = pe->engine;
    *safe = at_ps < pe->safe_ps;
    if (*safe)
        return 1;
    if (pe->stalled && waits_for_fault(pe, at_ps))
        return 0;
    if (WEIR_UNLIKELY(pe->part.watch.count !=
                      NULL)) { /* what may yet be taken back is not counted, so nothing is */
        atomic_store_explicit(&engine->hurry, 1, memory_order_relaxed);
        return 0;
    }
    if (WEIR_LIKELY(has_memory(pe) && at_ps - pe->gvt_ps < engine->window_ps))
        return 1;
    pe->counts.throttled++;
    atomic_store_explicit(&engine->hurry, 1, memory_order_relaxed);
    return 0;
}

/* An anti-message is the least: its event has been handled at the entity, which is rolled back. */
static void handle_anti_message(wi_pe *pe, const weir_event *event)
{
    if (wi_pe_rollback(pe, event->target, event) > 0)
        pe->counts.secondary++;
    else
        pe->flags |= WI_WARP_BROKEN;
    pe->part.anti_messages--; /* counted again as it is added */
    wi_pe_add(pe, event);
}

/* Annihilate pairs of an event and its anti-message at the least time. Returns whether there were any. */
static int drop_pairs(wi_pe *pe)
{
    int failed = 0;
    const uint32_t pairs = wi_pending_annihilate(&pe->part.pending, &failed);
    pe->part.anti_messages -= pairs;
    if (failed)
        pe->flags |= WI_WARP_MEMORY;
    pe->stalled = 0; /* it may have been among them */
    return pairs > 0;
}

/* An event at or before the latest that was handled ahead: a straggler where its entity has handled a later one. */
static void handle_straggler(wi_pe *pe, const weir_event *event)
{
    if (pe->engine->track[event->target].last_ps < event->time_ps ||
        wi_pe_rollback(pe, event->target, event) == 0)
        return;
    pe->counts.primary++;
    wi_pending *const pending = &pe->part.pending;
    if (!wi_pending_has_room(pending, pe->part.sim->max_events) &&
        !wi_pending_reserve(pending, pe->part.sim->max_events))
        pe->flags |= WI_WARP_MEMORY;
}

/* Take the least event into `event`. Returns whether it is to be handled: it is no anti-message. */
static inline int take(wi_pe *pe, weir_event *event)
{
    wi_pending_pop(&pe->part.pending, event);
    if (WEIR_UNLIKELY(event->instance >= WI_INSTANCE_ANTI)) {
        handle_anti_message(pe, event);
        return 0;
    }
    wi_part_look_ahead(&pe->part, wi_part_asks(&pe->part));
    if (WEIR_UNLIKELY(event->time_ps <= pe->ahead_ps))
        handle_straggler(pe, event);
    return 1;
}

static inline void take_safe(wi_pe *pe)
{
    wi_event_room room;
    weir_event *const event = &room.event;
    if (!take(pe, event))
        return;
    pe->stalled &= event->time_ps < pe->stall.time_ps;
    handle_safe(pe, event);
}

static inline void take_ahead(wi_pe *pe)
{
    wi_done *done = wi_history_begin(&pe->history);
    wi_ahead of;
    if (wi_pending_ahead(&pe->part.pending, WI_AHEAD_ENTITY, &of))
        __builtin_prefetch(&pe->engine->track[of.soon->target]);
    if (WEIR_UNLIKELY(!done))
        pe->flags |= WI_WARP_MEMORY;
    else if (WEIR_LIKELY(take(pe, &done->event)))
        handle_ahead(pe, done);
    else
        wi_history_drop(&pe->history);
}

/* Stretches are of a lookahead at most, and not long, as others wait for the EOT that follows each. */
static void adapt_span(wi_pe *pe, int events)
{
    const weir_time most_ps = pe->engine->lookahead_ps;
    if (events < WI_EVENTS_A_STRETCH / 4 && pe->span_ps < most_ps)
        pe->span_ps = pe->span_ps < most_ps / 2 ? 2 * pe->span_ps : most_ps;
    else if (events > WI_EVENTS_A_STRETCH && pe->span_ps > 1)
        pe->span_ps /= 2;
}

/* Where the stretch of safe events that begins at first_ps ends; not later than first_ps where there is none. */
static weir_time end_of_stretch(const wi_pe *pe, weir_time first_ps, weir_time limit_ps)
{
    if (first_ps <= pe->ahead_ps || first_ps >= pe->safe_ps || pe->part.anti_messages > 0 || pe->stalled ||
        pe->faulted || pe->flags)
        return 0;
    const weir_time some_ps = wi_time_later(first_ps, pe->span_ps),
                    last_safe_ps = pe->safe_ps < limit_ps ? pe->safe_ps : limit_ps;
    return some_ps < last_safe_ps ? some_ps : last_safe_ps;
}

/* Handle a few events; returns how many. */
static int handle_few(wi_pe *pe, weir_time limit_ps)
{
    const weir_time first_ps = wi_pending_first(&pe->part.pending),
                    end_ps = end_of_stretch(pe, first_ps, limit_ps);
    if (end_ps > first_ps) {
        const int some = handle_stretch(pe, end_ps);
        adapt_span(pe, some);
        return some;
    }
    wi_pending *const pending = &pe->part.pending;
    int n = 0, safe;
    for (; n < WI_EVENTS_A_LOOK && !pe->faulted && !pe->flags; n++) {
        const weir_time at_ps = wi_pending_first(pending);
        if (at_ps >= limit_ps || !may_handle(pe, at_ps, &safe))
            break;
        pe->part.now_ps = at_ps;
        if (WEIR_UNLIKELY(!make_room(pe)))
            pe->flags |= WI_WARP_MEMORY;
        else if (WEIR_UNLIKELY(pe->part.anti_messages > 0 && wi_pending_first(pending) == at_ps &&
                               wi_pending_tied(pending) && drop_pairs(pe)))
            continue;
        else
            safe ? take_safe(pe) : take_ahead(pe);
    }
    return n;
}

/* Handle some events, and look around on the way; returns whether there was any, or may soon be. */
static int handle_some(wi_pe *pe)
{
    const weir_time limit_ps = wi_optimistic_limit(pe->engine);
    int all = 0;
    if (WEIR_UNLIKELY(wi_watch_is_due(&pe->part.watch, pe->part.events)))
        wi_watch_look(&pe->part.watch, pe->part.sim, pe->part.events, pe->gvt_ps);
    for (int n = 1; n > 0 && all < WI_EVENTS_A_TURN; all += n) {
        if (wi_pending_first(&pe->part.pending) >= pe->safe_ps) {
            wi_pe_update_eit(pe);
            if (wi_pending_first(&pe->part.pending) >= pe->safe_ps && pe->waited < WI_PATIENCE) {
                pe->waited++;
                return 1;
            }
        }
        n = handle_few(pe, limit_ps);
        wi_pe_publish_eot(pe);
    }
    if (WEIR_UNLIKELY(pe->part.pending.keys.failed))
        pe->flags |= WI_WARP_MEMORY;
    return all > 0;
}

int wi_pe_turn(wi_pe *pe)
{
    int busy = wi_pe_drain(pe);
    if (pe->thread == 0) /* before its own report, so that a round takes it no more turns than the others */
        wi_gvt_drive(pe->engine);
    wi_pe_gvt(pe);
    if (WEIR_UNLIKELY(wi_stress_holds(pe)))
        return busy;
    busy |= handle_some(pe);
    wi_pe_flush(pe);
    wi_pe_publish_eot(pe);
    return busy;
}
