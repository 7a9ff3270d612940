/* What cuda.cu asks of the kernels in one precision: cuda_single.cu and cuda_double.cu define these. */
#ifndef WI_FLUID_DEVICE_H
#define WI_FLUID_DEVICE_H

#include <cuda_runtime.h>

#include "fluid/tables.h"

/* Everything on the device: tables and state hold device pointers. */
typedef struct fluid_device {
    fluid_tables t;
    fluid_state s;
    int64_t *now;         /* steps done; s.now is not used */
    uint32_t *segment_of; /* [n_prefixes] */
    double *load;         /* [n_ports][n_kinds][lookahead]: what arrives, zero between blocks */
    uint32_t *level_size; /* host: sets of each level */
} fluid_device;

typedef struct fluid_kernels {
    /* Starting values of what is per prefix. */
    cudaError_t (*fill)(const fluid_device *d, cudaStream_t stream);
    /* One block of n steps. */
    cudaError_t (*block)(const fluid_device *d, uint32_t n, cudaStream_t stream);
} fluid_kernels;

extern const fluid_kernels fluid_kernels_single, fluid_kernels_double;

#endif
