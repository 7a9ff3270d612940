/* What cuda.cu asks of the kernels in one precision: cuda/single.cu and cuda/double.cu define these. */
#ifndef WI_FLUID_CUDA_DEVICE_H
#define WI_FLUID_CUDA_DEVICE_H

#include <cuda_runtime.h>

#include "fluid/state/tables.h"

/* Everything on the device: tables and state hold device pointers. */
typedef struct fluid_device {
    fluid_tables t;
    fluid_state s;
    int64_t *now;             /* steps done; s.now is not used */
    double *load;             /* [n_ports][n_kinds][lookahead]: what arrives, zero between blocks */
    const fluid_tables *host; /* the tables of the host, for those that launch */
} fluid_device;

/* Lanes that work on a prefix together, each on its step of the block. */
enum { FLUID_STEPS = FLUID_LINE };

/* Stages of a block, in this order. */
enum {
    FLUID_STAGE_FRONTS,
    FLUID_STAGE_FLOWS,
    FLUID_STAGE_SETS,
    FLUID_STAGE_HOPS,
    FLUID_STAGE_QUEUES,
    FLUID_STAGES
};

typedef struct fluid_kernels {
    /* Starting values of what is per prefix. */
    cudaError_t (*fill)(const fluid_device *d, cudaStream_t stream);
    /* One stage of a block of n steps, at most the tables' lookahead; the last one counts the steps. */
    cudaError_t (*stage)(const fluid_device *d, uint32_t which, uint32_t n, cudaStream_t stream);
    /* Changes of the tables: of one step, now, and of one kind. */
    cudaError_t (*change)(const fluid_device *d, uint32_t first, uint32_t n, cudaStream_t stream);
    /* ACKs to the ports that they pass. */
    cudaError_t (*acks)(const fluid_device *d, cudaStream_t stream);
} fluid_kernels;

extern const fluid_kernels fluid_kernels_single, fluid_kernels_double;

/* Advances by `blocks` whole blocks, stage by stage, and tells the milliseconds that each stage took in all
 * (waiting for the device between stages, so that the sum is more than those of weir_fluid_advance). Returns
 * the steps done, 0 when the solver is not on a device or the device fails. For benchmarks. */
#ifdef __cplusplus
extern "C"
#endif
    uint32_t
    wi_fluid_cuda_profile(struct weir_fluid *fluid, uint32_t blocks, double *stage_ms);

#endif
