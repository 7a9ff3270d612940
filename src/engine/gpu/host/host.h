/* What a simulation's arrays are to a device: shared by the GPU engine (gpu/gpu.c) and by batches (gpu/batch/batch.c). In
 * builds with CUDA only. */
#pragma once

#include "engine/gpu/round/device.h"
#include "engine/core/engine.h"

/* The device code was compiled with sizes of its own: they must hold the model's. A run that is `alone` may write more records.
 * WEIR_E_MODEL, WEIR_E_UNSUPPORTED. */
weir_status wi_gpu_check_program(weir_diag *diag, const weir_sim *sim, bool alone);
/* [types of the model] */
void wi_gpu_fill_types(const weir_sim *sim, wi_gpu_type *types);
/* All but the pending events. */
void wi_gpu_fill_host(const weir_sim *sim, wi_gpu_host *host);
/* The pending events of sim->main as slots; the caller frees them. Null: no memory. */
unsigned char *wi_gpu_list_pending(const weir_sim *sim);
/* Message and status for a fault; the simulation's time is the fault's then. */
weir_status wi_gpu_fault_message(weir_diag *diag, weir_sim *sim, const wi_gpu_fault *fault);
/* The same of one run of many: the simulation has failed, *message (malloc'ed, may be null) says why. */
weir_status wi_gpu_fault_keep(weir_sim *sim, const wi_gpu_fault *fault, char **message);

/* Records that the host has taken from a device and not yet handed out, as a run may still write earlier ones. */
typedef struct wi_gpu_records {
    unsigned char *at; /* [n] of the simulation's stride; malloc'ed */
    size_t n, room;
} wi_gpu_records;

/* Keep a copy of one that the device wrote. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_gpu_keep_record(weir_diag *diag, const weir_sim *sim, wi_gpu_records *records,
                                              const unsigned char *record);
/* Hand out, in order, what was written before `before_ps`: first what init wrote, then these. */
WEIR_NODISCARD weir_status wi_gpu_flush_records(weir_diag *diag, weir_sim *sim, wi_gpu_records *records,
                                                weir_time before_ps);
