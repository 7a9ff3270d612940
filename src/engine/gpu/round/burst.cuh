/*
 * Part of the GPU engine's kernels: events that follow each other at one entity of a hot LP, handled by the
 * threads of a team at once. An event's handler depends on what those before it have left, so a model may say
 * how to foresee that for some of its types (a FIFO queue's recursion is a scan). Each thread then runs the
 * model's own handler on a part of its own, and the parts are joined in order. What is foreseen is checked:
 * events from the first one on that breaks the rule (a packet that is dropped) wait for the next burst.
 *
 * A model M that bursts has, besides what weir/gpu_model.h lists:
 *   typedef ... part;   as large as the entity's state, of which it holds what one event changes
 *   typedef ... kept;   what a thread keeps while bursts of one entity follow each other
 *   static bool in_burst(world, event): whether events like this one may be handled so. They schedule at most
 *     one event each, to another entity, of a type that leaves it in order, and write no records.
 *   static void begin(state, kept *)
 *   static uint32_t foresee(team, world, event, n, kept *, part *): the first n threads have an event each;
 *     sets each one's part to what the handler is to find. Returns how many events, from the first on, find
 *     what is foreseen; at least 1
 *   static void took(team, kept *, part *, n): the first n events have been handled
 *   static void end(team, state, kept *): all that was kept, into the state.
 * All threads of the team call these together.
 */
#pragma once

#include "engine/gpu/round/select.cuh"

/* What a thread works with in a step: the same for all of a block but for the bounds and the last three. */
template <class M> struct wi_gpu_job {
    const wi_gpu_turn &turn;
    wi_gpu_block<M> *block;
    weir_ctx *ctx;     /* with room for what a handler schedules */
    weir_event *event; /* room for one */
    wi_gpu_work *w;
};

/* The bursts of an entity, one after the other. state: the entity's; null: none have begun. */
template <class M, bool = M::bursts> struct wi_gpu_bursts {
    void *state;
    uint64_t digest; /* this thread's share */
    typename M::kept kept;
};
template <class M> struct wi_gpu_bursts<M, false> {
    void *state;
};

/* Whether the warp's next events are a burst; e: this lane's, where it has one. */
template <class M>
static __device__ __forceinline__ bool wi_gpu_is_burst(const wi_gpu_run *run, const wi_gpu_event *e,
                                                       bool mine, uint32_t n)
{
    const uint32_t target = mine ? e->target : 0, first = __shfl_sync(0xffffffffu, target, 0);
    return n > 1 && __all_sync(0xffffffffu, !mine || (target == first && M::in_burst(run->world, e)));
}

/* The entity's head, which lane 0 has, or will have: all lanes may number events by it. */
static __device__ __forceinline__ void wi_gpu_share_head(const wi_gpu_run *run, wi_gpu_work *w,
                                                         uint32_t entity)
{
    if (threadIdx.x % 32 == 0 && w->entity != entity) {
        wi_gpu_put_head(run, w);
        w->entity = entity;
        w->head = run->heads[entity];
    }
    w->head.seq = __shfl_sync(0xffffffffu, w->head.seq, 0);
    w->head.draws = __shfl_sync(0xffffffffu, (unsigned long long)w->head.draws, 0);
    w->head.lookahead_ps = __shfl_sync(0xffffffffu, (long long)w->head.lookahead_ps, 0);
}

/* All that the threads of the team have kept, into the entity's state and head, which is in w of the first. */
template <class M>
static __device__ void wi_gpu_bursts_end(wi_gpu_team *team, wi_gpu_bursts<M> *b, wi_gpu_work *w)
{
    if (!b->state)
        return;
    M::end(team, b->state, &b->kept);
    for (int step = 16; step > 0; step /= 2)
        b->digest += __shfl_xor_sync(0xffffffffu, (unsigned long long)b->digest, step);
    if (team->size > 32) {
        const uint64_t *const words = wi_gpu_team_share(team, b->digest);
        b->digest = 0;
        for (uint32_t i = 0; i < team->size / 32; i++)
            b->digest += words[i];
    }
    if (team->rank == 0)
        w->head.digest += b->digest;
    b->state = nullptr;
    wi_gpu_barrier(team);
}

/* What a burst's handlers have scheduled, `sent` events, each after `before` others of them: to the entity's ring, all or
 * none. */
template <class M>
static __device__ void wi_gpu_burst_send(const wi_gpu_job<M> &job, wi_gpu_team *team, uint32_t before,
                                         uint32_t sent)
{
    const wi_gpu_turn *const t = &job.turn;
    weir_ctx *const ctx = job.ctx;
    const weir_event *const e = (const weir_event *)(const void *)ctx->out;
    const bool sends = ctx->out_count > 0 && wi_gpu_has_target(t, ctx, e);
    if (sent == 0 || !t->run->rings) {
        if (sends)
            wi_gpu_send_out(t, e, M::payload);
        return;
    }
    wi_gpu_ring *const ring = &t->run->rings[ctx->entity];
    wi_gpu_ring_head r = wi_gpu_ring_head_of(ring);
    if (r.room - (r.end - r.begin) < sent) {
        wi_gpu_barrier(team); /* all have read it */
        if (team->rank == 0)
            wi_gpu_ring_grow(t->g, ring, t->round);
        wi_gpu_barrier(team);
        r = wi_gpu_ring_head_of(ring);
    }
    const bool fits = r.room - (r.end - r.begin) >= sent;
    if (wi_gpu_team_any(team, !fits || (sends && before == 0 && e->time_ps < r.last_ps))) {
        if (sends)
            wi_gpu_send_out(t, e, M::payload);
        return;
    }
    if (sends) {
        const weir_time reach_ps = wi_gpu_target_lookahead(t, e->target);
        wi_gpu_write(wi_gpu_slot(t->g, wi_gpu_ring_next(&r, before), WI_GPU_SLOT_BYTES(M::payload)), e,
                     t->run_index, M::payload);
        wi_gpu_bound_by(t->bounds, e->time_ps, reach_ps);
        if (reach_ps < r.reach_ps)
            wi_gpu_lower(&ring->now.reach_ps, reach_ps);
        if (before == 0 && r.last_ps == WI_GPU_EMPTY)
            t->run->ring_first_ps[ctx->entity] = e->time_ps;
        if (before == sent - 1) {
            ring->now.last_ps = e->time_ps;
            ring->now.end = r.end + sent;
        }
    }
    wi_gpu_barrier(team);
}

/*
 * The first n threads of the team have an event each, of one entity, in order, at `from`; the others look at
 * the last one. Returns how many were handled, and are gone from their slots.
 */
template <class M>
static __device__ uint32_t wi_gpu_burst(const wi_gpu_job<M> &job, wi_gpu_team *team, wi_gpu_bursts<M> *b,
                                        wi_gpu_event *from, uint32_t n)
{
    wi_gpu_block<M> *const block = job.block;
    const wi_gpu_run *const run = &block->run;
    wi_gpu_work *const w = job.w;
    weir_ctx *const ctx = job.ctx;
    const uint32_t entity = from->target;
    const wi_gpu_type *const type = &block->types[from->type];
    void *const state = run->state[type->kind] + (size_t)(entity - type->first_entity) * type->state_bytes;
    typename M::part part;
    if (b->state != state)
        wi_gpu_bursts_end<M>(team, b, w);
    if (team->size == 32)
        wi_gpu_share_head(run, w, entity);
    if (!b->state) {
        b->state = state;
        b->digest = 0;
        M::begin(state, &b->kept);
    }
    wi_gpu_read(from, run->seed, job.event, M::payload, 0);
    const uint32_t done = M::foresee(team, run->world, job.event, n, &b->kept, &part);
    const uint32_t seq = w->head.seq;
    wi_gpu_ready(ctx, w, type, job.event);
    if (team->rank < done) {
        from->time_ps = WI_GPU_GONE;
        b->digest += wi_gpu_hash((w->head.draws >> WEIR_DRAW_BITS) + team->rank & UINT16_MAX, job.event,
                                 type->payload_bytes, M::payload);
        M::handle(ctx, &part, job.event);
    }
    uint32_t sent;
    const uint32_t before = wi_gpu_exclusive_scan(team, ctx->out_count > 0, &sent);
    if (ctx->out_count > 0) {
        ((weir_event *)(void *)ctx->out)->seq = seq + before;
    }
    wi_gpu_burst_send(job, team, before, sent);
    if (WEIR_UNLIKELY(ctx->fault != WEIR_FAULT_NONE))
        wi_gpu_report_fault(&job.turn, ctx, job.event, w);
    w->head.seq = seq + sent;
    w->head.draws += (uint64_t)done << WEIR_DRAW_BITS;
    M::took(team, &b->kept, &part, done);
    w->stopped = (uint32_t)wi_gpu_team_any(team, w->stopped != 0);
    return done;
}
