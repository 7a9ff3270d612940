/* What a simulation's arrays are to a device: shared by the GPU engine (gpu/gpu.c) and by batches (gpu/batch.c). In
 * builds with CUDA only. */
#ifndef WI_ENGINE_GPU_HOST_HOST_H
#define WI_ENGINE_GPU_HOST_HOST_H

#include "engine/gpu/round/device.h"
#include "engine/core/engine.h"

/* The device code was compiled with sizes of its own: they must hold the model's. WEIR_E_MODEL,
 * WEIR_E_UNSUPPORTED. */
weir_status wi_gpu_check_program(weir_diag *diag, const weir_sim *sim);
/* [types of the model] */
void wi_gpu_fill_types(const weir_sim *sim, wi_gpu_type *types);
/* All but the pending events. */
void wi_gpu_fill_host(const weir_sim *sim, wi_gpu_host *host);
/* The pending events of sim->main as slots; the caller frees them. Null: no memory. */
unsigned char *wi_gpu_list_pending(const weir_sim *sim);
/* Message and status for a fault; the simulation's time is the fault's then. */
weir_status wi_gpu_tell(weir_diag *diag, weir_sim *sim, const wi_gpu_fault *fault);

#endif
