/* Records that the host has taken from a device and not yet handed out, as a run may still write earlier ones. */
#ifndef WI_ENGINE_GPU_HOST_RECORDS_H
#define WI_ENGINE_GPU_HOST_RECORDS_H

#include "engine/core/engine.h"

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

#endif
