/*
 * What the CUDA backend is told between two waits, as one piece of work: take packets in, advance, look back.
 * A round of the same shape as earlier ones is launched as one captured graph.
 */
#ifndef WI_FLUID_CUDA_ROUNDS_H
#define WI_FLUID_CUDA_ROUNDS_H

#include "fluid/cuda_exchange.h"

typedef struct fluid_round {
    uint32_t take;  /* whether packets are taken in first */
    uint32_t steps; /* then so many steps */
    uint32_t views; /* then the ends of so many are viewed; 0: none */
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

/* Launch a round; what it takes and where it puts views is in `meetings`. */
cudaError_t fluid_rounds_launch(fluid_rounds *r, const fluid_round *round);
/* Graphs made so far refer to meetings as they were: before these change, and when nothing is under way. */
void fluid_rounds_forget(fluid_rounds *r);

#endif
