/*
 * Part of the GPU engine's kernels: what is due in the next window leaves the rings (gpu/round/ring.h) for its targets'
 * regions. A block looks at as many rings as it has threads, which then share what is due in them evenly, whosoever it is:
 * one busy link may have as much as all others.
 */
#pragma once

#include "engine/gpu/round/select.cuh"

/* The rings that a block looks at: where each has its events, and how many are due in those before it. */
template <class M> struct wi_gpu_release_room {
    uint32_t before[M::threads], begin[M::threads], base[M::threads], room[M::threads];
    uint32_t old_begin[M::threads], old_end[M::threads], old_base[M::threads], old_room[M::threads];
};

/* The sum of what threads of a lower rank have; *all: of all. `part`: room for a word a warp. */
static __device__ uint32_t wi_gpu_sum_before(weir_time *part, uint32_t n, uint32_t *all)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t sum = n, before = 0;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);
        sum += lane >= step ? other : 0;
    }
    if (lane == 31)
        part[warp] = sum;
    __syncthreads();
    *all = 0;
    for (uint32_t i = 0; i < blockDim.x / 32; i++) {
        before += i < warp ? (uint32_t)part[i] : 0;
        *all += (uint32_t)part[i];
    }
    return before + sum - n;
}

/* Which thread's ring has number i of all that is due. */
template <class M> static __device__ uint32_t wi_gpu_ring_with(const wi_gpu_release_room<M> *room, uint32_t i)
{
    uint32_t at = 0;
    for (uint32_t step = M::threads / 2; step > 0; step /= 2)
        if (at + step < M::threads && room->before[at + step] <= i)
            at += step;
    return at;
}

/* Number i of all that is due goes to its target's region. */
template <class M>
static __device__ void wi_gpu_release_one(const wi_gpu &g, const wi_gpu_run *run,
                                          const wi_gpu_release_room<M> *room, uint32_t i, uint32_t *n_spilled)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    const uint32_t of = wi_gpu_ring_with<M>(room, i);
    wi_gpu_ring r;
    r.now.begin = room->begin[of];
    r.now.base = room->base[of];
    r.now.room = room->room[of];
    r.old_begin = room->old_begin[of];
    r.old_end = room->old_end[of];
    r.old_base = room->old_base[of];
    r.old_room = room->old_room[of];
    const uint32_t slot = wi_gpu_ring_slot(&r, i - room->before[of]);
    union {
        wi_gpu_event event;
        uint4 words[slot_bytes / 16];
    } copy;
    wi_gpu_fetch(copy.words, wi_gpu_slot(&g, slot, slot_bytes), slot_bytes);
    wi_gpu_place_or_spill(&g, wi_gpu_lp_of(&g, run, copy.event.target), slot | WI_GPU_OF_RING, &copy.event,
                          g.spill, n_spilled, slot_bytes);
}

/* This thread's ring, that of `entity`, has its first event at first_ps. All of the block call it. */
template <class M>
static __device__ void wi_gpu_release_rings(const wi_gpu &g, wi_gpu_block<M> *block, uint32_t entity,
                                            weir_time first_ps, weir_time end_ps, uint32_t *n_spilled,
                                            wi_gpu_bounds *bounds)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    static_assert(sizeof(wi_gpu_release_room<M>) <= sizeof block->due_ps, "due times are of another step");
    wi_gpu_release_room<M> *const room = (wi_gpu_release_room<M> *)block->due_ps;
    wi_gpu_ring mine = {};
    uint32_t n = 0, all;
    if (first_ps != WEIR_TIME_MAX)
        mine = wi_gpu_ring_of(&block->run.rings[entity]);
    if (first_ps < end_ps)
        n = wi_gpu_ring_due(&g, &mine, end_ps, slot_bytes);
    room->before[threadIdx.x] = wi_gpu_sum_before(block->part, n, &all);
    room->begin[threadIdx.x] = mine.now.begin;
    room->base[threadIdx.x] = mine.now.base;
    room->room[threadIdx.x] = mine.now.room;
    room->old_begin[threadIdx.x] = mine.old_begin;
    room->old_end[threadIdx.x] = mine.old_end;
    room->old_base[threadIdx.x] = mine.old_base;
    room->old_room[threadIdx.x] = mine.old_room;
    __syncthreads();
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < all; i += M::threads)
        wi_gpu_release_one<M>(g, &block->run, room, i, n_spilled);
    if (n > 0)
        first_ps = wi_gpu_ring_drop(&g, &block->run, entity, &mine, n, slot_bytes);
    if (first_ps != WEIR_TIME_MAX)
        wi_gpu_bound_by(bounds, first_ps, mine.now.reach_ps);
    __syncthreads();
}

/* All rings of the block's run. `bounds`: of the window after the next. Rings are dealt to blocks by fours, which are
 * read together: the busy links of one router are neighbours. */
template <class M>
static __device__ void wi_gpu_release(const wi_gpu &g, wi_gpu_block<M> *block, weir_time end_ps,
                                      uint32_t *n_spilled, wi_gpu_bounds *bounds)
{
    const uint32_t n = block->run.n_entities, parts = (n + M::threads - 1) / M::threads;
    for (uint32_t at = blockIdx.x; at < parts; at += g.n_blocks) {
        const uint32_t entity = (threadIdx.x / 4 * parts + at) * 4 + threadIdx.x % 4;
        const weir_time first_ps =
            entity < n ? wi_gpu_load_time(&block->run.ring_first_ps[entity]) : WEIR_TIME_MAX;
        if (__syncthreads_or(first_ps != WEIR_TIME_MAX))
            wi_gpu_release_rings<M>(g, block, entity, first_ps, end_ps, n_spilled, bounds);
    }
}
