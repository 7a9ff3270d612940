/* What others ask of a simulation on the GPU engine; in builds with CUDA only. */
#ifndef WI_ENGINE_GPU_GPU_H
#define WI_ENGINE_GPU_GPU_H

#include "engine/gpu/round/device.h"
#include "weir/engine.h"

/* Device memory, time of steps, and the LP size in use now. */
WEIR_EXTERN void wi_gpu_engine_use(const weir_sim *sim, wi_gpu_use *out, uint32_t *lp_size);

/* Where its data are on the device; they stay there. False: the simulation is on another engine. */
WEIR_EXTERN bool wi_gpu_engine_memory(const weir_sim *sim, wi_gpu_memory *out);

#endif
