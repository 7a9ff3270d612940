/*
 * Part of the GPU engine's kernels: teams that work on hot LPs (gpu/round/hot.h). The hottest, where bursts are all
 * that they have to do, are the whole block's, one after the other; then each warp takes one of the rest.
 */
#pragma once

#include "engine/gpu/round/burst.cuh"

enum { WI_GPU_DONE = UINT16_MAX }; /* in place of an LP of the list */

static __device__ __forceinline__ uint32_t wi_gpu_of_first(uint32_t value)
{
    return __shfl_sync(0xffffffffu, value, 0);
}

template <class M> static __device__ wi_gpu_team wi_gpu_team_of_block(wi_gpu_block<M> *block)
{
    wi_gpu_team t = {M::threads, threadIdx.x, 0, block->counts[M::threads / 32]};
    t.buckets = block->buckets;
    t.words = block->team_words;
    t.n_buckets = sizeof block->buckets / sizeof *block->buckets;
    t.width = 31;
    return t;
}

/* A warp's buckets are its share of each row of `due_ps`, of which it has no other use while it sorts. */
template <class M> static __device__ wi_gpu_team wi_gpu_team_of_warp(wi_gpu_block<M> *block)
{
    const uint32_t warp = threadIdx.x / 32;
    wi_gpu_team t = {32, threadIdx.x % 32, 0, block->counts[warp]};
    t.buckets = block->buckets + 64 * warp;
    t.n_buckets = 64 * WI_GPU_DUE;
    t.width = 6;
    t.stride = 2 * M::threads;
    return t;
}

/* Begin with an LP: list what is due. Returns how much that is. */
template <class M>
static __device__ uint32_t wi_gpu_hot_open(const wi_gpu_job<M> &job, wi_gpu_team *team, uint32_t lp)
{
    wi_gpu_work *const w = job.w;
    wi_gpu_open(job.turn.g, &job.block->run, w, lp);
    w->n_due = w->cut = 0;
    w->moved_from = WI_GPU_NONE;
    return wi_gpu_hot_list(job.turn.g, team, w, job.turn.end_ps, WI_GPU_SLOT_BYTES(M::payload));
}

/* Put the n events that are listed in order. */
template <class M>
static __device__ void wi_gpu_hot_order(const wi_gpu_job<M> &job, wi_gpu_team *team, uint32_t n)
{
    wi_gpu_hot_sort(job.turn.g, team, job.block->run.seed, job.w->base, n, job.turn.g->next_ps[job.w->lp],
                    job.turn.end_ps, WI_GPU_SLOT_BYTES(M::payload));
}

/* Done with an LP, of whose n entries the first `next` are gone, and `gone` events in all. */
template <class M>
static __device__ void wi_gpu_hot_close(const wi_gpu_job<M> &job, wi_gpu_team *team, uint32_t next,
                                        uint32_t n, uint32_t gone)
{
    wi_gpu_work *const w = job.w;
    const wi_gpu_run *const run = &job.block->run;
    const uint32_t count = (uint32_t)wi_gpu_team_of(team, w->count, 0);
    if (team->rank == 0)
        wi_gpu_bound(*job.turn.g, run->lookahead_ps > 0, w->lp, wi_gpu_hot_end(job.turn.g, run, w, next, n),
                     job.turn.bounds);
    wi_gpu_barrier(team);
    wi_gpu_hot_pack(job.turn.g, team, w, count, gone, next, WI_GPU_SLOT_BYTES(M::payload));
    wi_gpu_barrier(team);
}

/* This thread's event among entries begin to end - 1; threads without one look at the last. */
template <class M>
static __device__ wi_gpu_event *wi_gpu_hot_event(const wi_gpu_job<M> &job, const wi_gpu_team *team,
                                                 uint32_t begin, uint32_t end)
{
    const uint32_t at = begin + team->rank < end ? begin + team->rank : end - 1;
    return wi_gpu_slot(job.turn.g, job.w->base + job.turn.g->entries[job.w->base + at].slot,
                       WI_GPU_SLOT_BYTES(M::payload));
}

/* The whole block handles an LP's bursts. Returns the number of events; 0 where something else is due. */
template <class M>
static __device__ uint32_t wi_gpu_work_off_by_block(const wi_gpu_job<M> &job, wi_gpu_team *team, uint32_t lp)
{
    const uint32_t n = wi_gpu_hot_open(job, team, lp);
    bool other = false;
    uint32_t next = 0;
    for (uint32_t at = team->rank; at < n; at += team->size)
        other |= !M::in_burst(job.block->run.world, wi_gpu_hot_event(job, team, at - team->rank, n));
    if (wi_gpu_team_any(team, other))
        return 0;
    wi_gpu_hot_order(job, team, n);
    wi_gpu_bursts<M> bursts;
    bursts.state = nullptr;
    while (next < n && !job.w->stopped) {
        const uint32_t end = n - next < team->size ? n : next + team->size;
        wi_gpu_event *const e = wi_gpu_hot_event(job, team, next, end);
        job.w->stopped = (uint32_t)wi_gpu_team_any(
            team, team->rank == 0 && !wi_gpu_has_room(*job.turn.g, job.block, job.turn.round));
        if (!job.w->stopped)
            next += wi_gpu_burst(job, team, &bursts, e, end - next);
    }
    wi_gpu_bursts_end<M>(team, &bursts, job.w);
    wi_gpu_hot_close(job, team, next, n, next);
    return next;
}

/* The block's hottest LPs. Returns the number of events that this thread counts. */
template <class M>
static __device__ uint32_t wi_gpu_work_off_hottest(const wi_gpu_job<M> &job, const wi_gpu_tile &tile)
{
    wi_gpu_team team = wi_gpu_team_of_block(job.block);
    uint16_t *const list = job.block->grouped + job.block->n_cool;
    uint32_t events = 0;
    for (uint32_t i = 0; i < job.block->n_hottest; i++) {
        const uint32_t n = wi_gpu_work_off_by_block(job, &team, wi_gpu_tile_lp(tile, list[i]));
        wi_gpu_barrier(&team); /* all have read the list */
        if (team.rank == 0 && n > 0) {
            list[i] = WI_GPU_DONE;
            events += n;
        }
    }
    wi_gpu_barrier(&team);
    return events;
}

/* One lane handles entries below `end` of n, and events that come meanwhile, as many as it has lanes' rooms
 * for: so that the room which each lane of a warp may count on is for as many events. Returns their number.
 */
template <class M>
static __device__ uint32_t wi_gpu_handle_entries(const wi_gpu_job<M> &job, uint32_t *next, uint32_t end,
                                                 uint32_t n)
{
    const wi_gpu_block<M> *const block = job.block;
    wi_gpu_work *const w = job.w;
    uint32_t gone = 0;
    for (uint32_t left = 32; left > 0 && !w->stopped; left--) {
        const wi_gpu_taken taken =
            wi_gpu_hot_take(job.turn.g, block->run.seed, w, next, end, n, job.event, M::payload);
        if (taken == WI_GPU_NO_ENTRY)
            break;
        wi_gpu_serve(&job.turn, w, job.ctx, job.event, M::handle, M::payload);
        w->stopped |= w->cut;
        gone++;
    }
    return gone;
}

/* A warp handles all that an LP has due: bursts together; else one lane handles while the others ask ahead.
 * Returns the number of events. */
template <class M>
static __device__ uint32_t wi_gpu_work_off_by_warp(const wi_gpu_job<M> &job, wi_gpu_team *team, uint32_t lp)
{
    wi_gpu_block<M> *const block = job.block;
    wi_gpu_work *const w = job.w;
    volatile uint32_t *const asked =
        (volatile uint32_t *)job.ctx->out; /* so that what was asked for is loaded */
    const uint32_t n = wi_gpu_hot_open(job, team, lp);
    uint32_t next = 0, gone = 0, more;
    wi_gpu_bursts<M> bursts;
    bursts.state = nullptr;
    wi_gpu_hot_order(job, team, n);
    do {
        const uint32_t end = n - next < 32 ? n : next + 32;
        const bool mine = next + team->rank < end;
        wi_gpu_event *const e = end > next ? wi_gpu_hot_event(job, team, next, end) : nullptr;
        if (team->rank == 0 && !wi_gpu_has_room(*job.turn.g, block, job.turn.round))
            w->stopped = 1;
        if (WEIR_UNLIKELY(team->rank == 0 && gone >= WI_GPU_LP_EVENTS))
            wi_gpu_let_go(job.turn.g, job.turn.round, w);
        w->stopped = wi_gpu_of_first(w->stopped);
        if constexpr (M::bursts) {
            if (!w->stopped && wi_gpu_of_first(w->n_due) == 0 &&
                wi_gpu_is_burst<M>(&block->run, e, mine, end - next)) {
                const uint32_t done = wi_gpu_burst(job, team, &bursts, e, end - next);
                next += done;
                gone += done;
                more = next < n;
                continue;
            }
            wi_gpu_bursts_end<M>(team, &bursts, w);
        }
        if (mine)
            *asked = M::ask_ahead(block->run.world, e);
        __syncwarp();
        if (team->rank == 0)
            gone += wi_gpu_handle_entries(job, &next, end, n);
        __syncwarp();
        next = wi_gpu_of_first(next);
        gone = wi_gpu_of_first(gone);
        w->stopped = wi_gpu_of_first(w->stopped);
        more = wi_gpu_of_first(next < n || w->n_due > 0);
    } while (more && !w->stopped);
    if constexpr (M::bursts)
        wi_gpu_bursts_end<M>(team, &bursts, w);
    wi_gpu_hot_close(job, team, next, n, gone);
    return gone;
}

/* All hot LPs of the list. Returns the number of events that this thread counts. */
template <class M>
static __device__ uint32_t wi_gpu_work_off_hot(const wi_gpu_job<M> &job, const wi_gpu_tile &tile)
{
    wi_gpu_block<M> *const block = job.block;
    const uint32_t n_hot = block->n_listed - block->n_cool;
    wi_gpu_team team = wi_gpu_team_of_warp(block);
    uint32_t events = 0;
    if constexpr (M::bursts)
        events = wi_gpu_work_off_hottest(job, tile);
    for (;;) {
        uint32_t at = 0;
        if (team.rank == 0)
            at = atomicAdd(&block->n_hot_taken, 1u);
        at = wi_gpu_of_first(at);
        if (at >= n_hot)
            return events;
        const uint32_t i = block->grouped[block->n_cool + at];
        const uint32_t n =
            i == WI_GPU_DONE ? 0 : wi_gpu_work_off_by_warp(job, &team, wi_gpu_tile_lp(tile, i));
        events += team.rank == 0 ? n : 0;
    }
}
