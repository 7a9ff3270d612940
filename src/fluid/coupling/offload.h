/* Batches of the fluid's steps: done in place, or on a thread of their own. */
#ifndef WI_FLUID_COUPLING_OFFLOAD_H
#define WI_FLUID_COUPLING_OFFLOAD_H

#include <pthread.h>

#include "fluid/coupling/coupling.h"

typedef struct wi_offload {
    weir_fluid *fluid;
    wi_shared *shared;
    weir_time step_ps;
    const wi_coupling_options *options;
    /* steps that are done and handed on at a time: whole blocks of the solver, if tau allows */
    uint32_t piece;
    int64_t begin, end; /* steps of the batch under way, written between batches only */
    /* Shared, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    int64_t done; /* steps whose ends are in the world's rows */
    bool is_open, has_thread, started, quit;
    weir_status status;
    weir_diag *diag; /* of whoever works */
    double busy_s, idle_s, packets_waited_s;
} wi_offload;

WEIR_NODISCARD weir_status wi_offload_open(weir_diag *diag, wi_offload *w,
                                           const wi_coupling_options *options);
void wi_offload_close(wi_offload *w);
/* Begin a batch; in lockstep it is done on return. */
void wi_offload_start(wi_offload *w, int64_t begin, int64_t end);
/* Wait until so many steps are done and return how many are; negative after an error. */
int64_t wi_offload_wait(wi_offload *w, int64_t least);
/* The messages of an error, for another diag; returns its status. */
weir_status wi_offload_explain(wi_offload *w, weir_diag *diag);

#endif
