/* The device side of staged execution: see gpu/batch/staged.h. */
#include "engine/gpu/batch/memory.cuh"
#include "engine/gpu/batch/staged.h"

struct wi_gpu_stage {
    wi_gpu_batch *batch;
    wi_gpu_item_layout layout;
    unsigned char *items, *d_items;
    cudaStream_t stream;
};

void wi_gpu_item_layout_of(const weir_gpu_program *p, uint32_t state_bytes, wi_gpu_item_layout *l)
{
    l->stride = (uint32_t)sizeof(weir_event) + p->payload_bytes;
    l->rec_stride = (uint32_t)sizeof(weir_record_head) + p->record_bytes;
    l->event_at = (uint32_t)sizeof(wi_gpu_item);
    l->state_at = l->event_at + l->stride;
    l->out_at = l->state_at + state_bytes;
    l->rec_at = l->out_at + (p->max_events + 1) * l->stride; /* one more, as a scrap */
    l->bytes = (l->rec_at + (p->max_records + 1) * l->rec_stride + 15) / 16 * 16;
}

weir_status wi_gpu_stage_new(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_item_layout *layout,
                             uint32_t n_max, wi_gpu_stage **out, unsigned char **items)
{
    void *memory = nullptr;
    *out = nullptr;
    wi_gpu_stage *const s = host_memory<wi_gpu_stage>(diag, "a stage", 1);
    if (!s)
        return WEIR_E_NOMEM;
    s->batch = b;
    s->layout = *layout;
    *out = s;
    WI_RETURN_IF_FAILED(wi_device_allocate_locked(diag, &b->d.device, "events on their way",
                                                  (uint64_t)n_max * layout->bytes, false, &memory));
    s->items = static_cast<unsigned char *>(memory);
    WI_RETURN_IF_FAILED(
        allocate(diag, &b->d, "events on their way", &s->d_items, (uint64_t)n_max * layout->bytes));
    WI_RETURN_IF_CUDA_FAILED(&b->d.device, "making a stream",
                             cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    *items = s->items;
    return WEIR_OK;
}

void wi_gpu_stage_free(wi_gpu_stage *s)
{
    if (!s)
        return;
    if (s->stream) {
        cudaStreamSynchronize(s->stream);
        cudaStreamDestroy(s->stream);
    }
    wi_device_release(&s->batch->d.device, s->items);
    wi_device_release(&s->batch->d.device, s->d_items);
    free(s);
}

weir_status wi_gpu_stage_enter(weir_diag *diag, const wi_gpu_batch *b)
{
    char why[256];
    if (!wi_device_select(b->options.device, why, sizeof why))
        return weir_fail(diag, WEIR_E_DEVICE, "CUDA device %d: %s", b->options.device, why);
    return WEIR_OK;
}

weir_status wi_gpu_stage_send(weir_diag *diag, wi_gpu_stage *s, uint32_t n)
{
    wi_device *const device = &s->batch->d.device;
    const size_t bytes = (size_t)n * s->layout.bytes;
    WI_RETURN_IF_CUDA_FAILED(device, "sending events",
                             cudaMemcpyAsync(s->d_items, s->items, bytes, cudaMemcpyHostToDevice, s->stream));
    WI_RETURN_IF_CUDA_FAILED(device, "handling events",
                             s->batch->d.program->staged(&s->batch->d.g, s->batch->groups.types, s->d_items,
                                                         &s->layout, n, s->stream));
    WI_RETURN_IF_CUDA_FAILED(device, "bringing events back",
                             cudaMemcpyAsync(s->items, s->d_items, bytes, cudaMemcpyDeviceToHost, s->stream));
    return WEIR_OK;
}

weir_status wi_gpu_stage_wait(weir_diag *diag, wi_gpu_stage *s)
{
    return wi_device_status(diag, &s->batch->d.device, "a batch of events",
                            (int)cudaStreamSynchronize(s->stream));
}

weir_status wi_gpu_stage_fetch(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_host *hosts)
{
    WI_RETURN_IF_FAILED(read_back(diag, &b->d, "reading pools", b->stage, b->d_stage, b->stage_bytes));
    uint64_t at = 0;
    for (uint32_t r = 0; r < b->d.n_runs; r++)
        at = each_array(&hosts[r], at, [&](void *array, uint64_t bytes, uint64_t place) {
            bool pool = array == hosts[r].counters;
            for (int p = 0; p < WEIR_POOLS_MAX; p++)
                pool |= array == hosts[r].pool[p];
            if (pool)
                memcpy(array, b->stage + place, bytes);
        });
    return WEIR_OK;
}
