/* What the host takes from a batch that stands still: records, states, pending events; see gpu/batch.h. */
#include "base/each.h"
#include "engine/gpu/batch/memory.cuh"
#include "engine/gpu/memory/records.cuh"

weir_status wi_gpu_batch_records(weir_diag *diag, wi_gpu_batch *b, unsigned char **records, uint32_t *n)
{
    return take_records(diag, &b->d, records, n);
}

static void fetch_run(void *user, uint32_t r)
{
    const wi_gpu_staging *const s = static_cast<const wi_gpu_staging *>(user);
    each_array(&s->hosts[r], s->b->stage_at[r], [&](void *array, uint64_t bytes, uint64_t place) {
        memcpy(array, s->b->stage + place, bytes);
    });
}

weir_status wi_gpu_batch_fetch(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_host *hosts)
{
    wi_gpu_staging s = {b, hosts};
    WI_RETURN_IF_FAILED(read_back(diag, &b->d, "reading states", b->stage, b->d_stage, b->stage_bytes));
    wi_each(b->options.host_threads, 0, b->d.n_runs, fetch_run, &s);
    return WEIR_OK;
}

/* The events of all LPs to a list, those of LP i from first[i] on. */
static __global__ void list_events(const wi_gpu g, const uint32_t *first, unsigned char *to)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, n_threads = gridDim.x * blockDim.x;
    for (uint32_t lp = thread / 8; lp < g.n_lps; lp += n_threads / 8)
        for (uint32_t i = threadIdx.x % 8; i < first[lp + 1] - first[lp]; i += 8)
            wi_gpu_copy(to + (uint64_t)(first[lp] + i) * g.slot_bytes,
                        wi_gpu_slot(&g, wi_gpu_lp_base(g.lps[lp]) + i, g.slot_bytes), g.slot_bytes);
}

/* Where the events of each LP go in a list of all. */
static weir_status place_pending(weir_diag *diag, wi_gpu_device *d, wi_gpu_batch_pending *out)
{
    const uint32_t n = d->g.n_lps;
    wi_gpu_lp *const lps = host_memory<wi_gpu_lp>(diag, "LPs", n);
    if (!lps)
        return WEIR_E_NOMEM;
    const weir_status status = read_back(diag, d, "reading LPs", lps, d->g.lps, n * sizeof *lps);
    for (uint32_t lp = 0; lp < n && status == WEIR_OK; lp++)
        out->first[lp + 1] = out->first[lp] + wi_gpu_lp_count(lps[lp]);
    free(lps);
    return status;
}

/* The device makes the list, as regions are much larger than what is in them. */
static weir_status list_pending(weir_diag *diag, wi_gpu_device *d, wi_gpu_batch_pending *out)
{
    uint32_t *first = nullptr;
    unsigned char *slots = nullptr;
    const uint64_t bytes = (uint64_t)out->first[d->g.n_lps] * d->g.slot_bytes;
    out->slots = host_memory<unsigned char>(diag, "pending events", bytes);
    if (!out->slots)
        return WEIR_E_NOMEM;
    WI_RETURN_IF_FAILED(
        upload(diag, d, "a list of LPs", &first, out->first, (d->g.n_lps + 1) * sizeof *first));
    weir_status status = allocate(diag, d, "a list of events", &slots, bytes);
    if (status == WEIR_OK) {
        list_events<<<WI_GPU_MOVE_BLOCKS, WI_GPU_MOVE_THREADS, 0, d->stream>>>(d->g, first, slots);
        status = copy_out(diag, d, "reading pending events", out->slots, slots, bytes);
        if (status == WEIR_OK)
            status = wait_for(diag, d, "reading pending events");
        wi_device_release(&d->device, slots);
    }
    wi_device_release(&d->device, first);
    return status;
}

weir_status wi_gpu_batch_read_pending(weir_diag *diag, wi_gpu_batch *b, wi_gpu_batch_pending *out)
{
    wi_gpu_device *const d = &b->d;
    out->first = host_memory<uint32_t>(diag, "LPs", d->g.n_lps + 1);
    out->lp_first = host_memory<uint32_t>(diag, "runs", d->n_runs + 1);
    if (!out->first || !out->lp_first)
        return WEIR_E_NOMEM;
    for (uint32_t r = 0; r < d->n_runs; r++)
        out->lp_first[r + 1] = d->runs[r].lp_first + d->runs[r].n_lps;
    WI_RETURN_IF_FAILED(place_pending(diag, d, out));
    return list_pending(diag, d, out);
}

void wi_gpu_batch_used(const wi_gpu_batch *b, wi_gpu_batch_use *out)
{
    out->bytes = b->d.device.bytes;
    out->blocks = b->groups.n_groups;
    out->threads = b->d.g.n_threads;
    out->runs_a_group = b->runs_a_group;
}
