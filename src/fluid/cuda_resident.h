/*
 * Packets on the device that the fluid is on: what they exchange at ports that both use is written and read
 * there, by kernels in the fluid's own stream.
 */
#ifndef WI_FLUID_CUDA_RESIDENT_H
#define WI_FLUID_CUDA_RESIDENT_H

#include "fluid/device.h"

extern "C" {
#include "fluid/internal.h"
}

/* A call of CUDA has failed. */
static inline weir_status cuda_failed(weir_diag *diag, cudaError_t error, const char *what)
{
    return weir_fail(diag, WEIR_E_DEVICE, "the fluid's solver on the GPU: %s: %s", what,
                     cudaGetErrorString(error));
}

#define TRY(call, what)                             \
    do {                                            \
        const cudaError_t error_ = (call);          \
        if (error_ != cudaSuccess)                  \
            return cuda_failed(diag, error_, what); \
    } while (0)

/* Device memory of the solver's. */
typedef struct wi_fluid_resident {
    double *left;  /* [2][n]: bytes queued, bytes arrived, for wi_fluid_cuda_take */
    double *views; /* [FLUID_VIEWS][n][steps], steps as in the last call of wi_fluid_cuda_view */
    cudaStream_t stream;
} wi_fluid_resident;

/* Packets meet these ports, n > 0 of them, from now on; at most so many steps are viewed at once.
 * WEIR_E_UNSUPPORTED where the solver is not on a device. */
weir_status wi_fluid_cuda_reside(weir_diag *diag, weir_fluid *fluid, const uint32_t *ports, uint32_t n,
                                 uint32_t steps, wi_fluid_resident *out);
/* Before the next step, take in what is left then. */
void wi_fluid_cuda_take(weir_fluid *fluid);
/* Launch all that was told, and the ends of the last `steps` steps into views. Any call that reads the fluid
 * waits for it, and so does weir_fluid_history of no ports. */
weir_status wi_fluid_cuda_view(weir_diag *diag, weir_fluid *fluid, uint32_t steps);

#endif
