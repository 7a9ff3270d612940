/* What benchmarks ask of a simulation on the GPU engine. */
#ifndef WI_ENGINE_GPU_H
#define WI_ENGINE_GPU_H

#include "engine/gpu_device.h"
#include "weir/engine.h"

/* Device memory, time of steps, and the LP size in use now. */
WEIR_EXTERN void wi_gpu_engine_use(const weir_sim *sim, wi_gpu_use *out, uint32_t *lp_size);

#endif
