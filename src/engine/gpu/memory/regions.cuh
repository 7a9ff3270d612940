/*
 * What the engine on one device (gpu/device.cu) and batches of runs (gpu/batch/device.cu) do alike to begin: what a run is
 * to the kernels, and regions for the events of all LPs.
 */
#pragma once

#include "engine/gpu/memory/memory.cuh"
#include "engine/gpu/memory/move.cuh"

/* Lookahead of all LPs of a run, or 0 where they differ. */
static weir_time common_lookahead(const weir_entity *heads, uint32_t n)
{
    for (uint32_t e = 1; e < n; e++)
        if (heads[e].lookahead_ps != heads[0].lookahead_ps)
            return 0;
    return n > 0 ? heads[0].lookahead_ps : 1;
}

/* All of a run but its arrays on the device. */
static void describe_run(wi_gpu_run *run, const wi_gpu_host *h, uint32_t counter_copies)
{
    run->world_bytes = h->world_bytes;
    run->n_counters = h->n_counters;
    run->counter_copies = counter_copies;
    run->seed = h->seed;
    run->run = h->run;
    run->n_kinds = h->n_kinds;
    for (uint32_t k = 0; k < h->n_kinds; k++) {
        run->kind_first[k] = h->kind_first[k];
        run->kind_bytes[k] = h->kind_bytes[k];
    }
    run->n_entities = h->n_entities;
    run->lookahead_ps = common_lookahead(h->heads, h->n_entities);
}

/* Arrays of g's LPs, whose runs the host has in d->runs: empty regions, each as large as what comes to it out of `old` and
 * `loose` wants. *n_slots: of all regions. */
static weir_status make_regions(weir_diag *diag, wi_gpu_device *d, const wi_gpu &old,
                                const wi_gpu_loose &loose, wi_gpu *g, unsigned long long *n_slots)
{
    unsigned long long *slots = nullptr;
    *n_slots = 0;
    WI_RETURN_IF_FAILED(upload(diag, d, "runs", &g->runs, d->runs, d->n_runs * sizeof *d->runs));
    WI_RETURN_IF_FAILED(allocate(diag, d, "LPs", &g->lps, g->n_lps));
    WI_RETURN_IF_FAILED(allocate(diag, d, "LPs' times", &g->next_ps, g->n_lps));
    WI_RETURN_IF_FAILED(allocate(diag, d, "LPs' lookaheads", &g->lookahead_ps, g->n_lps));
    WI_RETURN_IF_FAILED(upload(diag, d, "a counter", &slots, n_slots, sizeof *n_slots));
    WI_RETURN_IF_FAILED(zero(diag, d, "clearing LPs", g->lps, g->n_lps * sizeof *g->lps));
    wi_gpu_move_count<<<WI_GPU_MOVE_BLOCKS, WI_GPU_MOVE_THREADS, 0, d->stream>>>(old, loose, *g);
    wi_gpu_move_rooms<<<WI_GPU_MOVE_BLOCKS, WI_GPU_MOVE_THREADS, 0, d->stream>>>(*g, slots);
    for (uint32_t r = 0; r < d->n_runs; r++)
        if (d->runs[r].rings)
            wi_gpu_move_ring_rooms<<<WI_GPU_MOVE_BLOCKS, WI_GPU_MOVE_THREADS, 0, d->stream>>>(d->runs[r],
                                                                                              slots);
    WI_RETURN_IF_FAILED(copy_out(diag, d, "counting events", n_slots, slots, sizeof *n_slots));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "counting events"));
    wi_device_release(&d->device, slots);
    return WEIR_OK;
}

/* The pool of slots for regions of n_slots: `percent` of them (0: 150), and `more`, as far as the engine can name them. */
static weir_status make_pool(weir_diag *diag, wi_gpu_device *d, wi_gpu *g, uint64_t n_slots, uint32_t percent,
                             uint64_t more)
{
    const uint64_t share = percent ? percent : 150;
    const uint64_t wanted = n_slots * share / 100 + (share > 100 ? more : 0);
    if (n_slots >= WI_GPU_SLOTS_MAX)
        return weir_fail(diag, WEIR_E_NOMEM,
                         "CUDA device %d: %llu slots for pending events are wanted, and %d are the most; %s",
                         d->device.number, (unsigned long long)n_slots, (int)WI_GPU_SLOTS_MAX,
                         d->device.remedy);
    g->n_slots = (uint32_t)(wanted < n_slots            ? n_slots
                            : wanted < WI_GPU_SLOTS_MAX ? wanted
                                                        : WI_GPU_SLOTS_MAX);
    return allocate(diag, d, "pending events", &g->slots, (uint64_t)g->n_slots * g->slot_bytes);
}
