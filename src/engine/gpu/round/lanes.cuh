/*
 * Lane loops on a device: a warp computes the sums of its lanes' events together, one event after the other, before
 * the lanes call their handlers. See weir/lanes.h.
 *
 * A model M with a lane loop has a struct M::lanes:
 *   static constexpr int sums;
 *   static constexpr bool ahead;                             no handler changes what the loop reads
 *   static __device__ bool has_items(type);                  may an event of that type have a loop?
 *   static __device__ uint32_t items(ctx, event);            of the event's loop; 0: it has none
 *   static __device__ const void *subject(ctx, event);       what its handler passes
 *   static __device__ void item(world, subject, event, i, double *term);         the terms of item i
 */
#pragma once

#include "engine/gpu/round/lp.h"
#include "weir/lanes.h"

/* Sums of a model's loop: 0 where it has none. */
template <class M, class = void> struct wi_gpu_lane_sums {
    static constexpr int n = 0;
};
template <class M> struct wi_gpu_lane_sums<M, decltype((void)M::lanes::sums)> {
    static constexpr int n = M::lanes::sums;
};

/* A loop of fewer items is its own thread's. */
enum { WI_GPU_LANES_LEAST = 8 };

static __device__ __forceinline__ const void *wi_gpu_shuffle(const void *at, int from)
{
    return (const void *)__shfl_sync(0xffffffffu, (unsigned long long)at, from);
}

/* All lanes call it; `event`: this lane's, of `bytes`; `mine`: whether it has one; `shown`: room for one event in
 * shared memory, the warp's own. Returns whether `sum` holds the lane's own sums now. */
template <class M>
static __device__ bool wi_gpu_lanes(const weir_ctx *ctx, const weir_event *event, uint32_t bytes,
                                    weir_event *shown, bool mine, double *sum)
{
    constexpr int N = wi_gpu_lane_sums<M>::n;
    const int lane = (int)(threadIdx.x % 32);
    const uint32_t all = mine ? M::lanes::items(ctx, event) : 0;
    const uint32_t items = all < WI_GPU_LANES_LEAST ? 0 : all;
    const void *const subject = items ? M::lanes::subject(ctx, event) : nullptr;
    for (uint32_t left = __ballot_sync(0xffffffffu, items > 0); left; left &= left - 1) {
        const int from = __ffs((int)left) - 1;
        const uint32_t n = __shfl_sync(0xffffffffu, items, from);
        const void *const world = wi_gpu_shuffle(ctx->world, from), *const of = wi_gpu_shuffle(subject, from);
        if (lane == from)
            wi_gpu_copy_words(shown, event, bytes);
        __syncwarp();
        double part[N], term[WEIR_LANE_SUMS];
        for (int s = 0; s < N; s++)
            part[s] = 0.0;
        for (uint32_t i = (uint32_t)lane; i < n; i += WEIR_LANES) {
            M::lanes::item(world, of, shown, i, term);
            for (int s = 0; s < N; s++)
                part[s] += term[s];
        }
        for (int step = 16; step > 0; step /= 2)
            for (int s = 0; s < N; s++)
                part[s] += __shfl_xor_sync(0xffffffffu, part[s], step);
        for (int s = 0; s < N; s++)
            sum[s] = lane == from ? part[s] : sum[s];
        __syncwarp(); /* the next one's event comes to the same place */
    }
    return items > 0;
}
