/*
 * One round of the GPU engine, as plain functions over plain data: what a device thread does to an LP and to
 * an event. The kernels of gpu/kernels.cuh spread these over threads; unit tests call them one by one on the
 * host.
 *
 * LP: 2^lp_shift entities that follow each other. Its pending events lie, in no order, in a region of slots:
 * `room` slots from `base` on, the first `count` of them taken. Regions are powers of two, each of its LP's
 * own size: one port with a thousand packets on the way does not make the regions of all others larger. A
 * slot is whole sectors of 32 bytes, so that an event is written without reading what was there.
 *
 * A round, for each run, with barriers between the steps:
 *   handle   LPs with events before the window's end handle them in order. What they schedule goes to their
 *            block's outbox, or in order to the entity's ring (gpu/round/ring.h); events to themselves go straight to
 *            their own region. The next window is reduced on the way: the least (next time + lookahead) over all LPs,
 *            rings and outboxes.
 *   place    each event of the outbox, and each in a ring that is due in the next window, claims a slot of its target's
 *            region. Where there is none it is spilled: it stays where it is.
 *   grow     only when something was spilled: each LP that overflowed moves to a larger region; then the
 *            spilled events take the slots that they claimed.
 *
 * Nothing is ever dropped: an LP whose block has no room left for what it might schedule, or no room for
 * records, stops early (its next time says so, so the next window begins there); when no slots are left at
 * all the kernel returns, and the host moves everything to a larger pool.
 */
#pragma once

#include "engine/gpu/round/due.h"
#include "engine/gpu/round/ring.h"

/* What a thread's part in a round is: the run, and where goes what handlers schedule. */
typedef struct wi_gpu_turn {
    const wi_gpu *g;
    const wi_gpu_run *run;
    const wi_gpu_type *types;
    uint32_t run_index;
    uint32_t *out_count, out_first; /* of the block's outbox: its events, and its first place */
    weir_time end_ps;               /* of the window */
    uint64_t round;
    wi_gpu_bounds *bounds; /* null: windows are found in another way */
} wi_gpu_turn;

/* A handler broke the contract at `event`. The first such event of the round is kept: which one that is does
 * not depend on threads, as each LP stops at its first. */
WI_GPU_RARE void wi_gpu_fail(const wi_gpu *g, uint64_t round, wi_gpu_fault fault)
{
    wi_gpu_status *const all = g->status;
    wi_gpu_fault_word *const s = g->faults ? &g->faults[fault.run] : &all->fault_word;
    wi_gpu_or(&all->flags[round % 2], WI_GPU_FAULTY);
#if WEIR_ON_DEVICE
    while (atomicCAS(&s->lock, 0, 1) != 0) {
    }
    __threadfence();
#endif
    volatile wi_gpu_fault *f = &s->fault;
    const int first =
        !*(volatile uint32_t *)&s->faulty || fault.time_ps < f->time_ps ||
        (fault.time_ps == f->time_ps &&
         (fault.tie < f->tie ||
          (fault.tie == f->tie &&
           (fault.source < f->source || (fault.source == f->source && weir_seq_before(fault.seq, f->seq))))));
    if (first) {
        *(volatile uint32_t *)&s->faulty = 1;
        f->time_ps = fault.time_ps;
        f->value = fault.value;
        f->tie = fault.tie;
        f->source = fault.source;
        f->seq = fault.seq;
        f->entity = fault.entity;
        f->type = fault.type;
        f->fault = fault.fault;
        f->detail = fault.detail;
        f->run = fault.run;
    }
#if WEIR_ON_DEVICE
    __threadfence();
    atomicExch(&s->lock, 0);
#endif
}

/* Write an event as slots hold it. */
WI_GPU_FN void wi_gpu_write(wi_gpu_event *to, const weir_event *e, uint32_t run, uint32_t payload_bytes)
{
    to->time_ps = e->time_ps;
    to->source = e->source;
    to->seq = e->seq;
    to->target = e->target;
    to->type = e->type;
    to->run = (uint16_t)run;
    wi_gpu_copy_words(to + 1, e + 1, payload_bytes);
}

/* Lookahead of an event's target, where the window depends on it. */
WI_GPU_FN weir_time wi_gpu_target_lookahead(const wi_gpu_turn *t, uint32_t target)
{
    const wi_gpu_run *const run = t->run;
    return run->lookahead_ps > 0 ? run->lookahead_ps : t->g->lookahead_ps[wi_gpu_lp_of(t->g, run, target)];
}

/* Add an event of ctx's entity to its ring. False where that does not take it. */
WI_GPU_FN bool wi_gpu_send_in_order(const wi_gpu_turn *t, const weir_ctx *ctx, const weir_event *e,
                                    uint32_t payload_bytes)
{
    wi_gpu_ring *const ring = &t->run->rings[ctx->entity];
    wi_gpu_ring_head r = wi_gpu_ring_head_of(ring);
    if (!wi_gpu_ring_takes(t->g, ring, &r, e->time_ps, 1, t->round))
        return false;
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(payload_bytes);
    const weir_time reach_ps = wi_gpu_target_lookahead(t, e->target);
    wi_gpu_write(wi_gpu_slot(t->g, wi_gpu_ring_next(&r, 0), slot_bytes), e, t->run_index, payload_bytes);
    wi_gpu_ring_add(t->run, ctx->entity, &r, 1, e->time_ps, e->time_ps, reach_ps);
    wi_gpu_bound_by(t->bounds, e->time_ps, reach_ps);
    return true;
}

/* Add an event to the block's outbox. */
WI_GPU_FN void wi_gpu_send_out(const wi_gpu_turn *t, const weir_event *e, uint32_t payload_bytes)
{
    const uint32_t place = t->out_first + wi_gpu_add(t->out_count, 1);
    wi_gpu_write(wi_gpu_out(t->g, place, WI_GPU_SLOT_BYTES(payload_bytes)), e, t->run_index, payload_bytes);
    if (t->bounds)
        wi_gpu_bound_by(t->bounds, e->time_ps, wi_gpu_target_lookahead(t, e->target));
}

/* Whether the target of an event is an entity of the type's kind; else that is ctx's fault. */
WI_GPU_FN bool wi_gpu_has_target(const wi_gpu_turn *t, weir_ctx *ctx, const weir_event *e)
{
    if (WEIR_LIKELY(e->type < t->g->n_types &&
                    e->target - t->types[e->type].first_entity < t->types[e->type].n_of_kind))
        return true;
    weir_fault_keep(ctx, WEIR_FAULT_KIND, e->type, e->target);
    return false;
}

/* Hand over what a handler scheduled: to the LP's own region where the target is the entity itself and there
 * is room, to the entity's ring where such events leave it in order, else to the outbox. */
WI_GPU_FN void wi_gpu_send(const wi_gpu_turn *t, weir_ctx *ctx, wi_gpu_work *w, uint32_t payload_bytes)
{
    const wi_gpu *const g = t->g;
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(payload_bytes);
    for (uint32_t i = 0; i < ctx->out_count; i++) {
        const weir_event *e = (const weir_event *)(const void *)(ctx->out + (size_t)i * ctx->stride);
        if (!wi_gpu_has_target(t, ctx, e))
            return;
        if (e->target == ctx->entity && w->count < w->room) {
            const uint32_t slot = w->count++;
            wi_gpu_write(wi_gpu_slot(g, w->base + slot, slot_bytes), e, t->run_index, payload_bytes);
            if (e->time_ps < t->end_ps) {
                /* The new event may stand where the moved one stood. */
                wi_gpu_remap(w->due, w->due_stride, w->n_due, w->moved_from, w->moved_to);
                w->moved_from = WI_GPU_NONE;
                wi_gpu_enlist(g, ctx->seed, w, slot, e->time_ps, slot_bytes);
            } else if (e->time_ps < w->rest_ps) {
                w->rest_ps = e->time_ps;
            }
        } else if (!t->run->rings || !t->types[e->type].ordered || e->target == ctx->entity ||
                   !wi_gpu_send_in_order(t, ctx, e, payload_bytes)) {
            wi_gpu_send_out(t, e, payload_bytes);
            /* Inside the window, but with no room here: it comes back by the outbox, and what follows it must
             * wait. */
            if (e->time_ps < t->end_ps)
                w->stopped = 1;
        }
    }
}

/* weir_event_hash, for payloads of at most `most` bytes, which the compiler knows: no loop, nothing in memory. */
WI_GPU_FN uint64_t wi_gpu_hash(uint64_t n, const weir_event *event, uint32_t payload_bytes, uint32_t most)
{
    const uint64_t *const payload = (const uint64_t *)(const void *)(event + 1);
    const uint32_t n_words = 3 + payload_bytes / 8;
    uint64_t w[8];
    if (3 + most / 8 > 8 && n_words > 8)
        return weir_event_hash(n, event, payload_bytes);
    w[0] = (uint64_t)event->time_ps;
    w[1] = ((uint64_t)event->source << 32) | event->seq;
    w[2] = n << 16 | event->type;
#if WEIR_ON_DEVICE
#pragma unroll
#endif
    for (uint32_t i = 3; i < 8; i++)
        w[i] = i < 3 + most / 8 && i < n_words ? payload[i - 3] : 0;
    return weir_digest_block(w, n_words);
}

/* weir_entity_count, so. */
WI_GPU_FN void wi_gpu_count(weir_entity *head, const weir_event *event, uint32_t payload_bytes, uint32_t most)
{
    head->digest += wi_gpu_hash(head->draws >> WEIR_DRAW_BITS, event, payload_bytes, most);
    head->draws += UINT64_C(1) << WEIR_DRAW_BITS;
}

/* Read an event from its slot. warm: see wi_gpu_load_head. */
WI_GPU_FN void wi_gpu_read(const wi_gpu_event *from, uint64_t seed, weir_event *event, uint32_t payload_bytes,
                           uint32_t warm)
{
    const wi_gpu_event head = wi_gpu_load_head(from, warm);
    event->time_ps = head.time_ps;
    event->source = head.source;
    event->seq = head.seq;
    event->target = head.target;
    event->type = head.type;
    event->instance = 0;
    event->link = 0;
    event->tie = weir_tie(seed, event->source, event->seq);
    if (!warm) {
        wi_gpu_copy_words(event + 1, from + 1, payload_bytes);
        return;
    }
    for (uint32_t i = 0; i < payload_bytes / 8; i++)
        ((uint64_t *)(void *)(event + 1))[i] = wi_gpu_load((const uint64_t *)(const void *)(from + 1) + i);
}

/* Take the LP's first due event out of its slot into `event`; the region's last event fills the hole. */
WI_GPU_FN void wi_gpu_take(const wi_gpu *g, uint64_t seed, wi_gpu_work *w, weir_event *event,
                           uint32_t payload_bytes)
{
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(payload_bytes), n = w->due_stride;
    weir_time time = WEIR_TIME_MAX;
    uint32_t slot = 0, at = 0;
    for (uint32_t i = 0; i < w->n_due; i++) {
        const weir_time other = w->due_ps[i * n];
        uint32_t place = w->due[i * n];
        if (place == w->moved_from) {
            place = w->moved_to;
            w->due[i * n] = place;
        }
        if (i == 0 || wi_gpu_due_before(g, seed, w->base, other, place, time, slot, slot_bytes)) {
            time = other;
            slot = place;
            at = i;
        }
    }
    const uint32_t last_due = --w->n_due * n;
    w->due_ps[at * n] = w->due_ps[last_due];
    w->due[at * n] = w->due[last_due];

    wi_gpu_event *const from = wi_gpu_slot(g, w->base + slot, slot_bytes);
    wi_gpu_read(from, seed, event, payload_bytes, g->warm);
    event->time_ps = time; /* at hand before the slot is */
    w->count--;
    w->moved_from = w->count;
    w->moved_to = slot;
    if (slot != w->count && g->warm)
        wi_gpu_fetch(from, wi_gpu_slot(g, w->base + w->count, slot_bytes), slot_bytes);
    else if (slot != w->count)
        wi_gpu_copy(from, wi_gpu_slot(g, w->base + w->count, slot_bytes), slot_bytes);
}

/* Aim ctx at an event of the entity whose head w has. */
WI_GPU_FN void wi_gpu_ready(weir_ctx *ctx, wi_gpu_work *w, const wi_gpu_type *type, const weir_event *event)
{
    ctx->now_ps = event->time_ps;
    ctx->entity = event->target;
    ctx->self = &w->head;
    ctx->out_count = 0;
    ctx->out_capacity = type->max_events;
    ctx->rec_count = 0;
    ctx->rec_capacity = type->max_records;
}

/* The handler of `event` broke the contract: its LP stops. */
WI_GPU_FN void wi_gpu_report_fault(const wi_gpu_turn *t, weir_ctx *ctx, const weir_event *event,
                                   wi_gpu_work *w)
{
    wi_gpu_fault f;
    f.time_ps = event->time_ps;
    f.value = ctx->fault_value;
    f.tie = event->tie;
    f.source = event->source;
    f.seq = event->seq;
    f.entity = event->target;
    f.type = event->type;
    f.fault = ctx->fault;
    f.detail = ctx->fault_detail;
    f.run = t->run_index;
    wi_gpu_fail(t->g, t->round, f);
    ctx->fault = WEIR_FAULT_NONE;
    w->stopped = 1;
}

/* The watch over progress (engine/core/watch.h), while it counts. */
WI_GPU_FN void wi_gpu_watch(const wi_gpu_run *run, weir_ctx *ctx)
{
    const weir_time passed_ps = ctx->now_ps - run->watch_since_ps;
    if (passed_ps >= 0 && passed_ps < WI_WATCH_SPAN_PS)
        wi_watch_handled(&run->watch[ctx->entity], ctx, passed_ps);
}

/* The LP has had its share of a round: the rest of its window waits for the next. */
WI_GPU_FN void wi_gpu_let_go(const wi_gpu *g, uint64_t round, wi_gpu_work *w)
{
    w->stopped = 1;
    wi_gpu_or(&g->status->flags[round % 2], WI_GPU_LONG);
}

/* Handle an event that was taken from its slot, and hand over what it scheduled and recorded.
 * ctx->out and ctx->rec are the thread's own. */
WI_GPU_FN void wi_gpu_serve(const wi_gpu_turn *t, wi_gpu_work *w, weir_ctx *ctx, weir_event *event,
                            weir_handler handle, uint32_t payload_bytes)
{
    const wi_gpu *const g = t->g;
    const wi_gpu_run *const run = t->run;
    if (w->entity != event->target) {
        wi_gpu_put_head(run, w);
        w->entity = event->target;
        w->head = run->heads[event->target];
    }
    const wi_gpu_type *const type = &t->types[event->type];
    wi_gpu_ready(ctx, w, type, event);
    wi_gpu_count(&w->head, event, type->payload_bytes, payload_bytes);
    handle(ctx, run->state[type->kind] + (size_t)(event->target - type->first_entity) * type->state_bytes,
           event);
    if (WEIR_UNLIKELY(run->watch != NULL))
        wi_gpu_watch(run, ctx);
    if (WEIR_LIKELY(ctx->fault == WEIR_FAULT_NONE))
        wi_gpu_send(t, ctx, w, payload_bytes);
    for (uint32_t i = 0; i < ctx->rec_count; i++) {
        const uint32_t at = wi_gpu_add(&g->status->n_records, 1);
        const weir_record_head *r =
            (const weir_record_head *)(const void *)(ctx->rec + (size_t)i * ctx->rec_stride);
        weir_record_head *to = (weir_record_head *)(void *)(g->records + (size_t)at * g->rec_stride);
        *to = *r;
        to->reserved = t->run_index;
        wi_gpu_copy_words(to + 1, r + 1, r->bytes);
    }
    if (WEIR_UNLIKELY(ctx->fault != WEIR_FAULT_NONE))
        wi_gpu_report_fault(t, ctx, event, w);
}

/* Handle the LP's first due event. `event` is room for it. */
WI_GPU_FN void wi_gpu_handle(const wi_gpu_turn *t, wi_gpu_work *w, weir_ctx *ctx, weir_event *event,
                             weir_handler handle, uint32_t payload_bytes)
{
    wi_gpu_take(t->g, t->run->seed, w, event, payload_bytes);
    wi_gpu_serve(t, w, ctx, event, handle, payload_bytes);
}

/* The event `e`, at `place` (wi_gpu_spill.from), claims a slot of its target's LP; without one it is spilled: to a
 * list of *n_spilled. */
WI_GPU_FN void wi_gpu_place_or_spill(const wi_gpu *g, uint32_t lp, uint32_t place, const wi_gpu_event *e,
                                     wi_gpu_spill *spill, uint32_t *n_spilled, uint32_t slot_bytes)
{
    const wi_gpu_lp l = wi_gpu_lp_claim(&g->lps[lp]);
    wi_gpu_lower(&g->next_ps[lp], e->time_ps);
    if (wi_gpu_lp_count(l) < wi_gpu_lp_room(l)) {
        wi_gpu_copy(wi_gpu_slot(g, wi_gpu_lp_base(l) + wi_gpu_lp_count(l), slot_bytes), e, slot_bytes);
        return;
    }
    wi_gpu_spill *s = &spill[wi_gpu_add(n_spilled, 1)];
    s->from = place;
    s->claim = wi_gpu_lp_count(l);
}

WI_GPU_FN wi_gpu_lp *wi_gpu_spill_lp(const wi_gpu *g, const wi_gpu_spill *spill, uint32_t slot_bytes)
{
    const wi_gpu_event *e = wi_gpu_spilled(g, spill, slot_bytes);
    return &g->lps[wi_gpu_lp_of(g, &g->runs[e->run], e->target)];
}

/* Slots to be copied: n, from one place to another. */
typedef struct wi_gpu_moved {
    uint32_t from, to, n;
} wi_gpu_moved;

/* The first spilled event of an LP moves the LP to a region that holds all claims. The caller copies what the
 * old region held. */
WI_GPU_RARE wi_gpu_moved wi_gpu_grow(const wi_gpu *g, const wi_gpu_spill *spill, uint64_t round,
                                     uint32_t slot_bytes)
{
    wi_gpu_lp *const lp = wi_gpu_spill_lp(g, spill, slot_bytes);
    const wi_gpu_lp l = *lp;
    wi_gpu_moved moved = {0, 0, 0};
    if (spill->claim != wi_gpu_lp_room(l))
        return moved;
    const uint32_t room = wi_gpu_room_for(wi_gpu_lp_count(l)),
                   base = wi_gpu_add(&g->status->slots_used, room);
    if (base > g->n_slots || room > g->n_slots - base) {
        wi_gpu_or(&g->status->flags[round % 2], WI_GPU_CROWDED);
        return moved;
    }
    moved.from = wi_gpu_lp_base(l);
    moved.to = base;
    moved.n = wi_gpu_lp_room(l);
    *lp = wi_gpu_lp_make(wi_gpu_lp_count(l), base, room);
    return moved;
}

/* A spilled event takes the slot that it claimed, if its LP has it now. */
WI_GPU_FN void wi_gpu_settle(const wi_gpu *g, const wi_gpu_spill *spill, uint32_t slot_bytes)
{
    const wi_gpu_lp l = *wi_gpu_spill_lp(g, spill, slot_bytes);
    if (spill->claim < wi_gpu_lp_room(l))
        wi_gpu_copy(wi_gpu_slot(g, wi_gpu_lp_base(l) + spill->claim, slot_bytes),
                    wi_gpu_spilled(g, spill, slot_bytes), slot_bytes);
}
