/*
 * Part of the GPU engine's kernels: what is due in the next window leaves the rings (gpu/round/ring.h) for its targets'
 * regions. A warp looks at 32 rings, and its lanes share what is due in them evenly, whosoever it is.
 */
#ifndef WI_ENGINE_GPU_ROUND_RELEASE_CUH
#define WI_ENGINE_GPU_ROUND_RELEASE_CUH

#include "engine/gpu/round/select.cuh"

/* Which lane's share holds number i: `before` is the sum of the shares of lower lanes. */
static __device__ __forceinline__ int wi_gpu_lane_of(uint32_t before, uint32_t i)
{
    int lane = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        if (__shfl_sync(0xffffffffu, before, lane + step) <= i)
            lane += step;
    return lane;
}

/* Where the ring of lane `from` has its events. */
static __device__ __forceinline__ void wi_gpu_ring_of_lane(const wi_gpu_ring *mine, int from, wi_gpu_ring *to)
{
    constexpr uint32_t ALL = 0xffffffffu;
    to->now.begin = __shfl_sync(ALL, mine->now.begin, from);
    to->now.base = __shfl_sync(ALL, mine->now.base, from);
    to->now.room = __shfl_sync(ALL, mine->now.room, from);
    to->old_begin = __shfl_sync(ALL, mine->old_begin, from);
    to->old_end = __shfl_sync(ALL, mine->old_end, from);
    to->old_base = __shfl_sync(ALL, mine->old_base, from);
    to->old_room = __shfl_sync(ALL, mine->old_room, from);
}

/* An event goes to its target's region. */
template <class M>
static __device__ __forceinline__ void wi_gpu_release_one(const wi_gpu &g, const wi_gpu_run *run,
                                                          uint32_t slot, wi_gpu_spill *spill,
                                                          uint32_t *n_spilled)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    union {
        wi_gpu_event event;
        uint4 words[slot_bytes / 16];
    } room;
    wi_gpu_fetch(room.words, wi_gpu_slot(&g, slot, slot_bytes), slot_bytes);
    wi_gpu_place_or_spill(&g, wi_gpu_lp_of(&g, run, room.event.target), slot | WI_GPU_OF_RING, &room.event,
                          spill, n_spilled, slot_bytes);
}

/* The warp's 32 rings, of which this lane has number `entity`, which is due first at first_ps. */
template <class M>
static __device__ void wi_gpu_release_warp(const wi_gpu &g, wi_gpu_run *run, uint32_t entity,
                                           weir_time first_ps, weir_time end_ps, uint32_t *n_spilled,
                                           wi_gpu_bounds *bounds)
{
    constexpr uint32_t ALL = 0xffffffffu, slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    const uint32_t lane = threadIdx.x % 32;
    wi_gpu_ring mine = {};
    uint32_t n = 0;
    if (first_ps != WEIR_TIME_MAX)
        mine = wi_gpu_ring_of(&run->rings[entity]);
    if (first_ps < end_ps)
        n = wi_gpu_ring_due(&g, &mine, end_ps, slot_bytes);
    uint32_t sum = n;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint32_t other = __shfl_up_sync(ALL, sum, step);
        sum += lane >= step ? other : 0;
    }
    const uint32_t all = __shfl_sync(ALL, sum, 31), before = sum - n;
    for (uint32_t first = 0; first < all; first += 32) {
        const uint32_t i = first + lane;
        const int from = wi_gpu_lane_of(before, i < all ? i : all - 1);
        wi_gpu_ring r;
        wi_gpu_ring_of_lane(&mine, from, &r);
        const uint32_t at = i - __shfl_sync(ALL, before, from);
        if (i < all)
            wi_gpu_release_one<M>(g, run, wi_gpu_ring_slot(&r, at), g.spill, n_spilled);
    }
    if (n > 0)
        first_ps = wi_gpu_ring_drop(&g, run, entity, &mine, n, slot_bytes);
    if (first_ps != WEIR_TIME_MAX)
        wi_gpu_bound_by(bounds, first_ps, mine.now.reach_ps);
}

/* All rings of a run. `bounds`: of the window after the next. */
template <class M>
static __device__ void wi_gpu_release(const wi_gpu &g, wi_gpu_run *run, weir_time end_ps, uint32_t *n_spilled,
                                      wi_gpu_bounds *bounds)
{
    const uint32_t n = run->n_entities, rounded = (n + 31) / 32 * 32;
    /* Warps of all blocks in turn: the busy ports of one router are neighbours. */
    const uint32_t warp = threadIdx.x / 32 * g.n_blocks + blockIdx.x, warps = blockDim.x / 32 * g.n_blocks;
    for (uint32_t first = warp * 32; first < rounded; first += warps * 32) {
        const uint32_t entity = first + threadIdx.x % 32;
        const weir_time first_ps =
            entity < n ? wi_gpu_load_time(&run->ring_first_ps[entity]) : WEIR_TIME_MAX;
        if (__any_sync(0xffffffffu, first_ps != WEIR_TIME_MAX))
            wi_gpu_release_warp<M>(g, run, entity, first_ps, end_ps, n_spilled, bounds);
    }
}

#endif
