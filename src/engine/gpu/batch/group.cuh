/* What the kernels of batches share: their outboxes dealt out, regions that grow. A block B of shared memory has
 * out_count, n_spilled and flags. */
#pragma once

#include "engine/gpu/batch/batch.h"
#include "engine/gpu/round/round.h"

enum { WI_GPU_PAUSED = 1 };

/* LPs whose regions are full move to larger ones; spilled events take their slots. PAUSED where the pool is used
 * up: the list stays as it is. */
template <class M, class B> static __device__ void wi_gpu_group_grow(const wi_gpu &g, B *b)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    const wi_gpu_spill *const spill = g.spill + (size_t)blockIdx.x * g.out_room;
    const uint32_t n = b->n_spilled;
    for (uint32_t i = threadIdx.x / 32; i < n; i += blockDim.x / 32) {
        wi_gpu_moved m = {0, 0, 0};
        if (threadIdx.x % 32 == 0)
            m = wi_gpu_grow(&g, &spill[i], 0, slot_bytes);
        m.n = __shfl_sync(0xffffffffu, m.n, 0);
        m.from = __shfl_sync(0xffffffffu, m.from, 0);
        m.to = __shfl_sync(0xffffffffu, m.to, 0);
        for (uint32_t k = threadIdx.x % 32; k < m.n; k += 32)
            wi_gpu_copy(wi_gpu_slot(&g, m.to + k, slot_bytes), wi_gpu_slot(&g, m.from + k, slot_bytes),
                        slot_bytes);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        const wi_gpu_lp l = *wi_gpu_spill_lp(&g, &spill[i], slot_bytes);
        if (spill[i].claim >= wi_gpu_lp_room(l))
            atomicOr(&b->flags, (uint32_t)WI_GPU_PAUSED);
        wi_gpu_settle(&g, &spill[i], slot_bytes);
    }
    __syncthreads();
    if (threadIdx.x == 0 && !(b->flags & WI_GPU_PAUSED))
        b->n_spilled = 0;
    __syncthreads();
}

/* The outbox to its LPs; lp_first(event): of the event's run. */
template <class M, class B, class F>
static __device__ void wi_gpu_group_place(const wi_gpu &g, B *b, F lp_first)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    const uint32_t first = blockIdx.x * g.out_room, n = b->out_count;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        const wi_gpu_event *const e = wi_gpu_out(&g, first + i, slot_bytes);
        wi_gpu_place_or_spill(&g, lp_first(e) + e->target, first + i, e, g.spill + first, &b->n_spilled,
                              slot_bytes);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        b->out_count = 0;
    if (b->n_spilled > 0)
        wi_gpu_group_grow<M>(g, b);
}
