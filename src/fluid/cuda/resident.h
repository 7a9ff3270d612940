/*
 * What whoever couples packets with a fluid on a device tells the solver. What they exchange is written and
 * read by kernels in the fluid's own stream.
 */
#ifndef WI_FLUID_CUDA_RESIDENT_H
#define WI_FLUID_CUDA_RESIDENT_H

#include "device/device.h"
#include "fluid/cuda/exchange.h"

extern "C" {
#include "fluid/state/internal.h"
}

/* Packets meet the fluid there from now on; *stream is the solver's. WEIR_E_UNSUPPORTED where the solver is
 * not on a device. */
weir_status wi_fluid_cuda_meet(weir_diag *diag, weir_fluid *fluid, const fluid_meetings *meetings,
                               cudaStream_t *stream);
/* Before the next step, take in what is left then. */
void wi_fluid_cuda_take(weir_fluid *fluid);
/* Launch all that was told, and the ends of the last `steps` steps into rows; `done` is recorded behind. */
weir_status wi_fluid_cuda_put(weir_diag *diag, weir_fluid *fluid, uint32_t steps, cudaEvent_t done);

#endif
