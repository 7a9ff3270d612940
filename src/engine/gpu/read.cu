/* What the host reads back from the GPU engine: records, states, counters, pending events; see gpu/round/device.h. */
#include "engine/gpu/memory/records.cuh"

weir_status wi_gpu_device_records(weir_diag *diag, wi_gpu_device *d, unsigned char **records, uint32_t *n)
{
    return take_records(diag, d, records, n);
}

/* The sums of all blocks' copies. */
static weir_status read_counters(weir_diag *diag, wi_gpu_device *d, const wi_gpu_run *r,
                                 const wi_gpu_host *host)
{
    const uint64_t n = r->counter_copies * host->n_counters;
    if (n == 0)
        return WEIR_OK;
    int64_t *const copies = host_memory<int64_t>(diag, "counters", n);
    if (!copies)
        return WEIR_E_NOMEM;
    const weir_status status =
        read_back(diag, d, "reading counters", copies, r->counters, n * sizeof *copies);
    for (uint64_t i = 0; i < host->n_counters && status == WEIR_OK; i++) {
        host->counters[i] = 0;
        for (uint32_t c = 0; c < r->counter_copies; c++)
            host->counters[i] += copies[c * host->n_counters + i];
    }
    free(copies);
    return status;
}

weir_status wi_gpu_device_fetch(weir_diag *diag, const wi_gpu_device *device, uint32_t run,
                                const wi_gpu_host *host)
{
    wi_gpu_device *d = const_cast<wi_gpu_device *>(device); /* "lost" may have to be noted */
    const wi_gpu_run *r = &d->runs[run];
    for (int k = 0; k < WEIR_KINDS_MAX; k++)
        if (host->state_bytes[k])
            WI_RETURN_IF_FAILED(
                read_back(diag, d, "reading states", host->state[k], r->state[k], host->state_bytes[k]));
    for (int i = 0; i < WEIR_POOLS_MAX; i++)
        if (host->pool_bytes[i])
            WI_RETURN_IF_FAILED(
                read_back(diag, d, "reading pools", host->pool[i], r->pool[i], host->pool_bytes[i]));
    WI_RETURN_IF_FAILED(read_back(diag, d, "reading entities", host->heads, r->heads,
                                  host->n_entities * sizeof *host->heads));
    return read_counters(diag, d, r, host);
}

/* LPs and slots as the device has them; the caller frees both, in every case. */
static weir_status read_lps(weir_diag *diag, wi_gpu_device *d, wi_gpu_lp **lps, unsigned char **slots)
{
    const uint32_t used = d->status.slots_used < d->g.n_slots ? d->status.slots_used : d->g.n_slots;
    const size_t bytes = (size_t)used * d->g.slot_bytes;
    *lps = host_memory<wi_gpu_lp>(diag, "LPs", d->g.n_lps);
    *slots = host_memory<unsigned char>(diag, "pending events", bytes);
    if (!*lps || !*slots)
        return WEIR_E_NOMEM;
    WI_RETURN_IF_FAILED(read_back(diag, d, "reading LPs", *lps, d->g.lps, d->g.n_lps * sizeof **lps));
    WI_RETURN_IF_FAILED(read_back(diag, d, "reading events", *slots, d->g.slots, bytes));
    return WEIR_OK;
}

/* The rings of all runs, one after the other, as the device has them; null where there are none. The caller frees them,
 * in every case. */
static weir_status read_rings(weir_diag *diag, wi_gpu_device *d, wi_gpu_ring **rings, uint64_t *n)
{
    *rings = nullptr;
    *n = 0;
    if (!d->rings)
        return WEIR_OK;
    for (uint32_t r = 0; r < d->n_runs; r++)
        *n += d->runs[r].n_entities;
    *rings = host_memory<wi_gpu_ring>(diag, "ordered streams", *n);
    if (!*rings)
        return WEIR_E_NOMEM;
    uint64_t at = 0;
    for (uint32_t r = 0; r < d->n_runs; r++) {
        const uint64_t of_run = d->runs[r].n_entities;
        WI_RETURN_IF_FAILED(read_back(diag, d, "reading ordered streams", *rings + at, d->runs[r].rings,
                                      of_run * sizeof **rings));
        at += of_run;
    }
    return WEIR_OK;
}

weir_status wi_gpu_device_pending(weir_diag *diag, const wi_gpu_device *device, unsigned char **events,
                                  uint64_t *n)
{
    wi_gpu_device *const d = const_cast<wi_gpu_device *>(device);
    const uint32_t slot_bytes = d->g.slot_bytes;
    wi_gpu_lp *lps = nullptr;
    unsigned char *slots = nullptr;
    wi_gpu_ring *rings = nullptr;
    uint64_t n_rings = 0;
    *n = 0;
    *events = nullptr;
    weir_status status = read_lps(diag, d, &lps, &slots);
    if (status == WEIR_OK)
        status = read_rings(diag, d, &rings, &n_rings);
    for (uint64_t i = 0; i < n_rings && status == WEIR_OK; i++)
        *n += wi_gpu_ring_count(&rings[i]);
    for (uint32_t i = 0; i < d->g.n_lps && status == WEIR_OK; i++)
        *n += wi_gpu_lp_count(lps[i]);
    if (status == WEIR_OK) {
        *events = host_memory<unsigned char>(diag, "pending events", *n * slot_bytes);
        status = *events ? WEIR_OK : WEIR_E_NOMEM;
    }
    uint64_t at = 0;
    for (uint32_t i = 0; i < d->g.n_lps && status == WEIR_OK; i++) {
        memcpy(*events + at * slot_bytes, slots + (size_t)wi_gpu_lp_base(lps[i]) * slot_bytes,
               (size_t)wi_gpu_lp_count(lps[i]) * slot_bytes);
        at += wi_gpu_lp_count(lps[i]);
    }
    for (uint64_t i = 0; i < n_rings && status == WEIR_OK; i++)
        for (uint32_t k = 0; k < wi_gpu_ring_count(&rings[i]); k++)
            memcpy(*events + at++ * slot_bytes, slots + (size_t)wi_gpu_ring_slot(&rings[i], k) * slot_bytes,
                   slot_bytes);
    free(rings);
    free(lps);
    free(slots);
    return status;
}
