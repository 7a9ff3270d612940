/* A batch, and where the arrays of its runs lie in the one piece of memory that is copied there and back. */
#pragma once

#include "engine/gpu/batch/batch.h"
#include "engine/gpu/memory/memory.cuh"

struct wi_gpu_batch {
    wi_gpu_device d; /* what gpu/memory's functions work on */
    wi_gpu_batch_options options;
    wi_gpu_groups groups;
    uint32_t runs_a_group;
    /* All states, heads and counters of all runs are one piece of memory, here and there. */
    unsigned char *stage, *d_stage;
    uint64_t stage_bytes, *stage_at; /* [n_runs] where a run's begin */
    wi_gpu_run_report *reports;      /* [n_runs] as of the last launch */
    wi_gpu_fault_word *faults;
};

/* What several threads copy, each some of the runs. */
struct wi_gpu_staging {
    wi_gpu_batch *b;
    const wi_gpu_host *hosts;
};

/* Call f(host's array, its bytes, its place in the stage) for each array of a run, from `at` on. */
template <class F> static uint64_t each_array(const wi_gpu_host *h, uint64_t at, F f)
{
    const auto one = [&](void *array, uint64_t bytes) {
        if (bytes > 0)
            f(array, bytes, at);
        at += (bytes + 63) / 64 * 64;
    };
    one(h->heads, h->n_entities * sizeof *h->heads);
    one(h->counters, h->n_counters * sizeof *h->counters);
    for (int k = 0; k < WEIR_KINDS_MAX; k++)
        one(h->state[k], h->state_bytes[k]);
    for (int p = 0; p < WEIR_POOLS_MAX; p++)
        one(h->pool[p], h->pool_bytes[p]);
    return at;
}
