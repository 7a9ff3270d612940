/* What a model's .cu file gives the GPU engine: its kernels, behind plain functions. */
#pragma once

#include "engine/gpu/round/round.h"

struct wi_gpu_groups;
struct wi_gpu_item_layout;

/* How many rounds a launch may take, and where it must stop. */
typedef struct wi_gpu_launch {
    uint64_t max_rounds;
    void *stream; /* cudaStream_t */
} wi_gpu_launch;

/* Functions return a cudaError_t. */
typedef struct weir_gpu_program {
    const char *model;
    uint32_t payload_bytes, max_events, max_records, record_bytes;
    uint32_t threads; /* a block */
    int hot;          /* LPs may have very many events: see gpu/round/hot.h */
    /* Blocks of `threads` that are resident at once on one multiprocessor. */
    int (*blocks_per_sm)(int threads, int *blocks);
    /* One cooperative launch that goes on by itself until max_rounds, the limits of all runs, or a flag of
     * the status. */
    int (*persistent)(const wi_gpu *g, const wi_gpu_launch *launch);
    /* Add one round's kernels to the stream (which may be capturing); rounds past the end do nothing. max_rounds 0: only
     * what is due leaves the rings, as before the first round of a call. */
    int (*round)(const wi_gpu *g, const wi_gpu_launch *launch);
    /* Functions from here on are null where runs are never a batch's. Many runs at their own pace (gpu/batch.h): a block a group, at most max_rounds rounds. */
    int (*batch_blocks_per_sm)(int threads, int small, int *blocks);
    int (*batch)(const wi_gpu *g, const struct wi_gpu_groups *groups, const wi_gpu_launch *launch);
    int grouped; /* several event types */
    int laned;   /* some have a lane loop */
    /* n events that came with their states (gpu/batch/staged.h); types: [runs][types]. */
    int (*staged)(const wi_gpu *g, const wi_gpu_type *types, unsigned char *items,
                  const struct wi_gpu_item_layout *layout, uint32_t n, void *stream);
} weir_gpu_program;
