/* A batch as its files share it: the runs, their place on the device, what the caller asked for. */
#pragma once

#include <pthread.h>

#include "engine/gpu/batch/batch.h"
#include "engine/gpu/host/host.h"
#include "weir/batch.h"

typedef struct wi_batch_run {
    weir_sim *sim;
    weir_time lookahead_most_ps, lookahead_least_ps;
    weir_status status;
    char *message;
    wi_gpu_records records; /* taken from the device, not yet handed out */
} wi_batch_run;

struct weir_batch {
    pthread_mutex_t lock;         /* of pending: several threads may read runs that stand still */
    wi_gpu_batch_pending pending; /* as of the last weir_batch_run; slots null: not read yet */
    wi_gpu_batch *device;
    wi_batch_run *runs;
    wi_gpu_host *hosts;
    weir_time *limit_ps;
    uint32_t n;
    uint64_t rounds; /* of a launch */
    weir_batch_options options;
    weir_batch_use use;
};

/* member.c: what the runs' simulations do; and events that were read are not read any more. */
extern const wi_engine_ops wi_batch_member;
/* Drop the pending events that were read. */
void wi_batch_forget_pending(weir_batch *batch);

/* staged.c: every run to its limit. Limits become earlier where `stop` does; *stopped says so. */
weir_status wi_batch_staged_run(weir_diag *diag, weir_batch *batch, const volatile int *stop, int *stopped);
