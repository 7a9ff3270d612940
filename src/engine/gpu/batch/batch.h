/*
 * Many runs on one device, each at its own pace: what the kernel of gpu/batch/batch.cuh works on beside wi_gpu, and the
 * device side as plain C (gpu/batch/device.cu).
 *
 * A block of threads owns a group of runs that follow each other and advances them by rounds of its own: their
 * windows, handling, inserting, growing. Groups share nothing but the pool of slots and the list of records, so
 * no block ever waits for another. A large run has a block to itself; of tiny ones a block has many, so that
 * its warps are full.
 */
#pragma once

#include "engine/gpu/round/device.h"

enum {
    WI_GPU_GROUP_RUNS = 256, /* runs of a group, at most */
    WI_GPU_SMALL_LPS = 128,  /* LPs of a small run, which gpu/batch/small.cuh is for */
    WI_GPU_MAP_NONE = 0,
    WI_GPU_MAP_SORT,
    WI_GPU_MAP_PAD
};

/* What a run has come to. */
typedef struct wi_gpu_run_report {
    uint64_t events, rounds;
    weir_time low_ps; /* least pending time: everything before it is done */
} wi_gpu_run_report;

typedef struct wi_gpu_groups {
    const uint32_t *first_run;  /* [n_groups + 1] */
    const uint16_t *run_of_lp;  /* [n_lps] */
    const wi_gpu_type *types;   /* [n_runs][n_types]: runs differ in entities */
    wi_gpu_run_report *reports; /* [n_runs] */
    uint32_t *spilled;          /* [n_groups] events that wait for a larger pool */
    uint32_t n_groups, mapping;
    uint32_t at_once; /* threads that may run at once */
    uint32_t small;   /* every group is a small run */
} wi_gpu_groups;

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wi_gpu_batch wi_gpu_batch;

typedef struct wi_gpu_batch_options {
    int device;
    uint32_t mapping, runs_a_group; /* runs_a_group: 0: chosen */
    uint32_t mapping_given;         /* by the user: small runs are not to have a kernel of their own */
    uint32_t slots_percent, rec_room;
    uint32_t host_threads;
} wi_gpu_batch_options;

/* Bytes of device memory that runs like `host` take each, and what is free, fixed costs off. WEIR_E_UNSUPPORTED:
 * no such device. */
weir_status wi_gpu_batch_fit(weir_diag *diag, const weir_gpu_program *program, const wi_gpu_host *host,
                             const wi_gpu_batch_options *options, uint64_t *run_bytes, uint64_t *free_bytes);

/* types: [n_runs][n_types]. hosts are borrowed until wi_gpu_batch_free: wi_gpu_batch_fetch writes there. */
weir_status wi_gpu_batch_new(weir_diag *diag, const weir_gpu_program *program, const wi_gpu_type *types,
                             uint32_t n_types, const wi_gpu_host *hosts, uint32_t n_runs,
                             const wi_gpu_batch_options *options, wi_gpu_batch **out);
/* Free the batch and its memory. Accepts null. */
void wi_gpu_batch_free(wi_gpu_batch *batch);

/* One launch: each run goes on for at most max_rounds rounds towards limit_ps[run]. reports and faults are the
 * batch's own, [n_runs]. *drain: records must be taken out. */
weir_status wi_gpu_batch_run(weir_diag *diag, wi_gpu_batch *batch, const weir_time *limit_ps,
                             uint64_t max_rounds, const wi_gpu_run_report **reports,
                             const wi_gpu_fault_word **faults, int *drain, double *kernel_s);

/* Records of all runs, in no order; weir_record_head.reserved is the run. The batch's own until the next call. */
weir_status wi_gpu_batch_records(weir_diag *diag, wi_gpu_batch *batch, unsigned char **records, uint32_t *n);

/* All states of all runs to the host's arrays. */
weir_status wi_gpu_batch_fetch(weir_diag *diag, wi_gpu_batch *batch, const wi_gpu_host *hosts);

/* All pending events of all runs, malloc'ed: slots of the program's size, those of LP i in [first[i], first[i + 1]);
 * lp_first: [n_runs + 1]. */
typedef struct wi_gpu_batch_pending {
    unsigned char *slots;
    uint32_t *first, *lp_first;
} wi_gpu_batch_pending;
/* Read all pending events. */
weir_status wi_gpu_batch_read_pending(weir_diag *diag, wi_gpu_batch *batch, wi_gpu_batch_pending *out);

typedef struct wi_gpu_batch_use {
    uint64_t bytes;
    uint32_t blocks, threads, runs_a_group;
} wi_gpu_batch_use;
/* Read the statistics. */
void wi_gpu_batch_used(const wi_gpu_batch *batch, wi_gpu_batch_use *out);

#ifdef __cplusplus
}
#endif
