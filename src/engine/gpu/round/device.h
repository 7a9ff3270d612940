/*
 * The device side of the GPU engine, as plain C: memory, launches, moving events between pools.
 *
 * One set of kernels advances one or several simulations ("runs") of the same model, each with its own world,
 * seed, state and limit. All calls belong to one thread. A call that fails leaves a message; after
 * WEIR_E_DEVICE the device object can only be freed.
 */
#pragma once

#include <stdbool.h>

#include "engine/gpu/round/program.h"
#include "weir/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wi_gpu_device wi_gpu_device;

/* One run as the host has it: borrowed while wi_gpu_device_new copies it, and where fetch writes to. */
typedef struct wi_gpu_host {
    const void *world;
    size_t world_bytes, hook_world_bytes; /* the second: of these, what a hook may have changed */
    uint64_t seed;
    uint32_t run, n_entities;
    uint32_t n_kinds, kind_first[WEIR_KINDS_MAX], kind_bytes[WEIR_KINDS_MAX];
    unsigned char *state[WEIR_KINDS_MAX], *pool[WEIR_POOLS_MAX];
    size_t state_bytes[WEIR_KINDS_MAX], pool_bytes[WEIR_POOLS_MAX];
    weir_entity *heads;
    int64_t *counters;
    uint64_t n_counters;
    /* Pending events: slots of WI_GPU_SLOT_BYTES(payload); their `run` is set on the way. */
    unsigned char *pending;
    uint64_t n_pending;
} wi_gpu_host;

typedef struct wi_gpu_options {
    int device;        /* ordinal */
    uint32_t lp_shift; /* LP size to begin with, as a power of two */
    int host_driven;   /* a kernel a step instead of one persistent kernel */
    int time_steps;    /* clocks of all blocks */
    /* slots to begin with, against what the pending events take: 150; smaller to test */
    uint32_t slots_percent;
    uint32_t out_room; /* events in a block's outbox; 0: chosen */
    uint32_t rec_room; /* records on the device; 0: chosen */
} wi_gpu_options;

/* WEIR_E_UNSUPPORTED: no such device; WEIR_E_NOMEM: it is too small (the message says what is needed and what
 * is there). `types` has one entry for each event type of the model. */
weir_status wi_gpu_device_new(weir_diag *diag, const weir_gpu_program *program, const wi_gpu_type *types,
                              uint32_t n_types, const wi_gpu_host *hosts, uint32_t n_runs,
                              const wi_gpu_options *options, wi_gpu_device **out);
/* Free the device object and its memory. Accepts null. */
void wi_gpu_device_free(wi_gpu_device *device);

/* Regroup entities into LPs of 2^lp_shift. */
weir_status wi_gpu_device_regroup(weir_diag *diag, wi_gpu_device *device, uint32_t lp_shift);

/* The host's world of a run has changed: copy it to the device, between two calls of wi_gpu_device_run. */
weir_status wi_gpu_device_update_world(weir_diag *diag, wi_gpu_device *device, uint32_t run,
                                       const wi_gpu_host *host);

/* What a call of wi_gpu_device_run did. */
typedef struct wi_gpu_report {
    uint64_t events, rounds;   /* in this call */
    int done;                  /* every run has reached its limit */
    int drain;                 /* records must be taken out first */
    const wi_gpu_fault *fault; /* null: none */
    uint32_t moves;            /* how often all events moved to a larger pool */
    double wall_s;
} wi_gpu_report;

/* Go on for at most max_rounds rounds, towards limit_ps[run] of each run. */
weir_status wi_gpu_device_run(weir_diag *diag, wi_gpu_device *device, const weir_time *limit_ps,
                              uint64_t max_rounds, wi_gpu_report *report);

/* Let the watch over progress count in a run: counts[n_entities], from since_ps on; null: no more of it. Where
 * the device has no room for that, nothing is counted. */
weir_status wi_gpu_device_watch(weir_diag *diag, wi_gpu_device *device, uint32_t run,
                                const wi_watch_count *counts, weir_time since_ps);

/* Least pending time of a run: everything before it is done. */
weir_time wi_gpu_device_low(const wi_gpu_device *device, uint32_t run);

/* Take the records out, in no order; weir_record_head.reserved is the run. *records is the device object's
 * own and lasts until the next call. */
weir_status wi_gpu_device_records(weir_diag *diag, wi_gpu_device *device, unsigned char **records,
                                  uint32_t *n);

/* Copy state, pools, heads and counters of a run to the host's arrays. */
weir_status wi_gpu_device_fetch(weir_diag *diag, const wi_gpu_device *device, uint32_t run,
                                const wi_gpu_host *host);

/* All pending events, in no order, as slots: the caller frees *events. */
weir_status wi_gpu_device_pending(weir_diag *diag, const wi_gpu_device *device, unsigned char **events,
                                  uint64_t *n);

/* Where a run's data are in device memory: for kernels that look in between two calls of wi_gpu_device_run. */
typedef struct wi_gpu_memory {
    int device;
    unsigned char *world, *state[WEIR_KINDS_MAX];
    uint32_t n_kinds, kind_first[WEIR_KINDS_MAX], kind_bytes[WEIR_KINDS_MAX];
} wi_gpu_memory;
/* Where the data of a run are. */
void wi_gpu_device_memory(const wi_gpu_device *device, uint32_t run, wi_gpu_memory *out);

/* For messages and statistics. */
typedef struct wi_gpu_use {
    uint64_t bytes, slots, slots_used, rounds;
    /* Of the persistent kernel's first block; with time_steps, of a block on average, in both variants. What a host-driven
     * run waits for, launches among it, is the rest of its wall time: 0 here. */
    uint64_t step_ns[WI_GPU_STEPS];
    uint32_t blocks, threads;
} wi_gpu_use;
/* Read the statistics. */
void wi_gpu_device_use(const wi_gpu_device *device, wi_gpu_use *out);

/* gpu.c, of a simulation on the GPU engine. */
/* Device memory, time of steps, and the LP size in use now. */
void wi_gpu_engine_use(const weir_sim *sim, wi_gpu_use *out, uint32_t *lp_size);

/* Where its data are on the device. They stay there until the simulation is restored or events are posted to it.
 * WEIR_E_UNSUPPORTED: it is on another engine. */
weir_status wi_gpu_engine_memory(weir_diag *diag, const weir_sim *sim, wi_gpu_memory *out);

#ifdef __cplusplus
}
#endif
