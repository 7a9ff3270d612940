/*
 * Lane loops ahead of their handlers: the items of all events that a block has in its window are dealt to all its
 * threads, before the first of these events is handled. For models whose handlers never change what their loops
 * read (M::lanes::ahead). Terms go to shared memory, and are added in the order of weir/lanes.h.
 */
#pragma once

#include "engine/gpu/round/lanes.cuh"

template <class M, class = void> struct wi_gpu_is_ahead {
    static constexpr bool value = false;
};
template <class M> struct wi_gpu_is_ahead<M, decltype((void)M::lanes::ahead)> {
    static constexpr bool value = M::lanes::ahead;
};

enum {
    WI_GPU_AHEAD_EVENTS =
        48, /* events of a window whose loops are computed ahead; those beyond: by their warps */
    WI_GPU_AHEAD_ITEMS = 896 /* the same, items */
};

template <class M> struct wi_gpu_ahead {
    static constexpr int SUMS = wi_gpu_lane_sums<M>::n ? wi_gpu_lane_sums<M>::n : 1;
    union room {
        weir_event event;
        unsigned char bytes[sizeof(weir_event) + M::payload];
    };
    struct job {
        room of;
        const void *subject;
        uint32_t first, n, next, reserved;
        double sum[SUMS];
    };
    unsigned long long dealt; /* events in the upper half, items in the lower */
    job jobs[wi_gpu_is_ahead<M>::value ? WI_GPU_AHEAD_EVENTS : 1];
    double term[SUMS][wi_gpu_is_ahead<M>::value ? WI_GPU_AHEAD_ITEMS : 1];

    __device__ uint32_t n_jobs() const
    {
        const uint32_t n = (uint32_t)(dealt >> 32);
        return n < WI_GPU_AHEAD_EVENTS ? n : (uint32_t)WI_GPU_AHEAD_EVENTS;
    }

    /* A lane enters the due events of its LP, and keeps the first of their list. `event` is room for one. */
    __device__ __forceinline__ uint32_t enter(const wi_gpu &g, const wi_gpu_run *run, const weir_ctx *ctx,
                                              weir_event *event, const wi_gpu_work *w)
    {
        constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
        uint32_t list = WI_GPU_NONE;
        for (uint32_t k = 0; k < w->n_due; k++) {
            const wi_gpu_event *const from = wi_gpu_slot(&g, w->base + w->due[k * w->due_stride], slot_bytes);
            if (!M::lanes::has_items(from->type))
                continue;
            wi_gpu_read(from, run->seed, event, M::payload, 0);
            asm volatile(
                "" ::
                    : "memory"); /* written as words, read as the model's structs: not out of the loop */
            const uint32_t items = M::lanes::items(ctx, event);
            if (items == 0)
                continue;
            const unsigned long long at = atomicAdd(&dealt, 1ull << 32 | items);
            const uint32_t number = (uint32_t)(at >> 32), first = (uint32_t)at;
            if (number >= WI_GPU_AHEAD_EVENTS)
                continue;
            job *const j = &jobs[number];
            j->first = first;
            j->n = first + items <= WI_GPU_AHEAD_ITEMS ? items : 0;
            j->subject = M::lanes::subject(ctx, event);
            j->next = list;
            wi_gpu_copy_words(&j->of, event, sizeof(room));
            list = number;
        }
        return list;
    }

    /* All threads: the items' terms. */
    __device__ __forceinline__ void work_off(const weir_ctx *ctx)
    {
        const uint32_t n = n_jobs();
        uint32_t items = (uint32_t)dealt;
        items = items < WI_GPU_AHEAD_ITEMS ? items : (uint32_t)WI_GPU_AHEAD_ITEMS;
        for (uint32_t t = threadIdx.x; t < items; t += blockDim.x) {
            uint32_t low = 0, high = n; /* the last job that begins at or before t */
            while (high - low > 1) {
                const uint32_t middle = (low + high) / 2;
                if (jobs[middle].first <= t)
                    low = middle;
                else
                    high = middle;
            }
            const job *const j = &jobs[low];
            if (t - j->first >= j->n)
                continue;
            double of_item[WEIR_LANE_SUMS];
            M::lanes::item(ctx->world, j->subject, &j->of.event, t - j->first, of_item);
            for (int s = 0; s < SUMS; s++)
                term[s][t] = of_item[s];
        }
    }

    /* A warp an event: its sums. */
    __device__ __forceinline__ void add_up()
    {
        const uint32_t lane = threadIdx.x % 32, n = n_jobs();
        for (uint32_t k = threadIdx.x / 32; k < n; k += blockDim.x / 32) {
            job *const j = &jobs[k];
            for (int s = 0; s < SUMS; s++) {
                double part = 0.0;
                for (uint32_t i = lane; i < j->n; i += 32)
                    part += term[s][j->first + i];
                for (int step = 16; step > 0; step /= 2)
                    part += __shfl_xor_sync(0xffffffffu, part, step);
                if (lane == 0)
                    j->sum[s] = part;
            }
        }
    }

    /* All threads call it when each lane knows its LP's due events, before they are handled. The lane's list. */
    __device__ __forceinline__ uint32_t compute(const wi_gpu &g, const wi_gpu_run *run, const weir_ctx *ctx,
                                                weir_event *event, const wi_gpu_work *w)
    {
        const uint32_t list = enter(g, run, ctx, event, w);
        __syncthreads();
        if (dealt == 0)
            return list;
        work_off(ctx);
        __syncthreads();
        add_up();
        __syncthreads();
        return list;
    }

    /* The sums of an event of the lane's list; null where they were not computed. */
    __device__ __forceinline__ const double *find(uint32_t list, const weir_event *event) const
    {
        for (uint32_t k = list; k != WI_GPU_NONE; k = jobs[k].next)
            if (jobs[k].of.event.seq == event->seq && jobs[k].of.event.source == event->source &&
                jobs[k].n > 0)
                return jobs[k].sum;
        return nullptr;
    }
};
