/*
 * Part of the GPU engine's kernels: events that follow each other at one entity of a hot LP, handled by the
 * lanes of a warp at once. An event's handler depends on what those before it have left, so a model may say
 * how to foresee that for some of its types (a FIFO queue's recursion is a scan). Each lane then runs the
 * model's own handler on a part of its own, and the parts are joined in order. What is foreseen is checked:
 * events from the first one on that breaks the rule (a packet that is dropped) wait for the next burst.
 *
 * A model M that bursts has, besides what WI_GPU_PROGRAM lists:
 *   typedef ... part;  as large as the entity's state, of which it holds what one event changes
 *   static bool in_burst(world, event): whether events like this one may be handled so. They schedule at most
 *     one event each, to another entity, and write no records.
 *   static uint32_t foresee(world, state, event, n, part *): all lanes together, the first n with their
 * event; sets each lane's part to what the handler is to find. Returns how many events, from the first on,
 * find what is foreseen; at least 1. static void join(state, const part *, n): all lanes together; the first
 * n parts into the state, in order.
 */
#ifndef WI_ENGINE_GPU_BURST_CUH
#define WI_ENGINE_GPU_BURST_CUH

#include "engine/gpu_select.cuh"

/* Whether the warp's next events, turns begin to end - 1, are a burst; e: this lane's, where it has one. */
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
    if (wi_gpu_lane() == 0 && w->entity != entity) {
        wi_gpu_put_head(run, w);
        w->entity = entity;
        w->head = run->heads[entity];
    }
    w->head.seq = __shfl_sync(0xffffffffu, w->head.seq, 0);
    w->head.lookahead_ps = __shfl_sync(0xffffffffu, (long long)w->head.lookahead_ps, 0);
}

/*
 * The first n lanes have an event each, of one entity, in order, at `from`; their digests' blocks are in
 * `ahead`. event: each lane's room for it. All lanes of the warp call it together. Returns how many were
 * handled, and are gone from their slots.
 */
template <class M>
static __device__ uint32_t wi_gpu_burst(const wi_gpu &g, wi_gpu_block<M> *block, uint64_t round,
                                        weir_time end_ps, wi_gpu_event *from, uint32_t n, weir_ctx *ctx,
                                        weir_event *event, wi_gpu_work *w)
{
    static_assert(3 + M::payload / 8 <= 8, "an event's digest is one block");
    const wi_gpu_run *const run = &block->run;
    const uint32_t lane = wi_gpu_lane(), entity = __shfl_sync(0xffffffffu, from->target, 0);
    const wi_gpu_type *const type = &block->types[__shfl_sync(0xffffffffu, (uint32_t)from->type, 0)];
    void *const state = run->state[type->kind] + (size_t)(entity - type->first_entity) * type->state_bytes;
    typename M::part part;
    wi_gpu_share_head(run, w, entity);
    const uint32_t seq = w->head.seq;
    wi_gpu_read(from, run->seed, event, M::payload);
    const uint32_t done = M::foresee(run->world, state, event, n, &part);
    wi_gpu_ready(ctx, w, type, event);
    if (lane < done) {
        from->time_ps = WI_GPU_GONE;
        M::handle(ctx, &part, event);
    }
    const uint32_t sent = __ballot_sync(0xffffffffu, ctx->out_count > 0);
    if (ctx->out_count > 0) {
        ((weir_event *)(void *)ctx->out)->seq = seq + __popc(sent & ((1u << lane) - 1));
        wi_gpu_send(&g, block->types, ctx, w, block->run_index, end_ps, &block->out_count,
                    blockIdx.x * g.out_room, M::payload);
    }
    if (WEIR_UNLIKELY(ctx->fault != WEIR_FAULT_NONE))
        wi_gpu_tell_fault(&g, ctx, event, block->run_index, round, w);
    M::join(state, &part, done);
    w->head.seq = seq + __popc(sent);
    wi_gpu_meet();
    if (lane == 0)
        for (uint32_t i = 0; i < done; i++)
            w->head.chain = weir_digest_mix(w->head.chain, block->ahead[threadIdx.x + i]);
    w->stopped = __any_sync(0xffffffffu, w->stopped);
    return done;
}

#endif
