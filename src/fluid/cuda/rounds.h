/*
 * What the CUDA backend is told before it must answer, as one piece of work: take packets in, advance, write
 * rows. A round of the same shape as earlier ones is launched as one captured graph.
 */
#ifndef WI_FLUID_CUDA_ROUNDS_H
#define WI_FLUID_CUDA_ROUNDS_H

#include "fluid/cuda/exchange.h"

typedef struct fluid_round {
    uint32_t take;  /* whether packets are taken in first */
    uint32_t steps; /* then so many steps */
    uint32_t rows;  /* then the ends of so many are written into rows; 0: none */
} fluid_round;

enum { FLUID_ROUND_SHAPES = 8 };

typedef struct fluid_rounds {
    const fluid_kernels *kernels;
    fluid_device device;
    fluid_meetings meetings;
    cudaStream_t stream;
    cudaGraphExec_t steady; /* many whole blocks */
    struct {
        fluid_round round;
        uint32_t uses;
        cudaGraphExec_t graph; /* null: not used often enough */
    } shape[FLUID_ROUND_SHAPES];
    uint32_t n_shapes;
} fluid_rounds;

/* With kernels, device and stream given. */
cudaError_t fluid_rounds_open(fluid_rounds *r);
void fluid_rounds_close(fluid_rounds *r);

/* Where packets meet the fluid from now on; nothing may be under way. */
void fluid_rounds_meet(fluid_rounds *r, const fluid_meetings *meetings);
cudaError_t fluid_rounds_launch(fluid_rounds *r, const fluid_round *round);

#endif
