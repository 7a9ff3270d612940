/* The kernel of staged execution: a thread an event, on the copy that came with it. See gpu/batch/staged.h. */
#pragma once

#include "engine/gpu/batch/staged.h"

template <class M>
__global__ void wi_gpu_staged_kernel(const __grid_constant__ wi_gpu g, const wi_gpu_type *types,
                                     unsigned char *items, wi_gpu_item_layout l, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char *const at = items + (size_t)i * l.bytes;
    wi_gpu_item *const item = (wi_gpu_item *)at;
    if (i >= n || item->run == WI_GPU_NONE)
        return;
    const wi_gpu_run *const run = &g.runs[item->run];
    const weir_event *const event = (const weir_event *)(at + l.event_at);
    const wi_gpu_type *const type = &types[(size_t)item->run * g.n_types + event->type];
    weir_ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx.world = run->world;
    ctx.n_entities = run->n_entities;
    ctx.out = at + l.out_at;
    ctx.stride = l.stride;
    ctx.seed = run->seed;
    ctx.run = run->run;
    ctx.rec = at + l.rec_at;
    ctx.rec_stride = l.rec_stride;
    ctx.counters = run->counters;
    ctx.n_counters = run->n_counters;
    for (int p = 0; p < WEIR_POOLS_MAX; p++)
        ctx.pool[p] = run->pool[p];
    ctx.now_ps = event->time_ps;
    ctx.entity = event->target;
    ctx.self = &item->head;
    ctx.out_capacity = type->max_events;
    ctx.rec_capacity = type->max_records;
    weir_entity_count(&item->head, event, type->payload_bytes);
    M::handle(&ctx, at + l.state_at, event);
    item->fault = ctx.fault;
    item->detail = ctx.fault_detail;
    item->value = ctx.fault_value;
    item->out_count = ctx.out_count;
    item->rec_count = ctx.rec_count;
}

/* For weir_gpu_program. */
template <class M> struct wi_gpu_staged_launcher {
    static int launch(const wi_gpu *g, const wi_gpu_type *types, unsigned char *items,
                      const wi_gpu_item_layout *layout, uint32_t n, void *stream)
    {
        const uint32_t threads = 128, blocks = (n + threads - 1) / threads;
        const cudaStream_t at = (cudaStream_t)stream;
        wi_gpu_staged_kernel<M><<<blocks, threads, 0, at>>>(*g, types, items, *layout, n);
        return cudaGetLastError();
    }
};
