/**
 * A model's device code: what its .cu file gives the GPU engine, so that its handlers run there unchanged.
 *
 * The .cu file includes this and the header with the handlers, says in a struct what the kernels must know at
 * compile time, and defines a function that returns the program:
 *
 *     struct token_device {
 *         static constexpr uint32_t payload = 8, max_out = 1, max_rec = 0, record = 0; // bytes, events, records, bytes
 *         static constexpr uint32_t threads = 256, blocks_per_sm = 2;                  // of a block; blocks at once
 *         static constexpr bool grouped = false; // several event types: lanes of a warp get events of one type
 *         static constexpr uint32_t hot = 0;     // 0: no LP has very many events (docs/engines.md, hot LPs)
 *         static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
 *         {
 *             token_pass(ctx, state, event); // a model of several types: switch (event->type)
 *         }
 *     };
 *     WEIR_GPU_PROGRAM(token_gpu, "token", token_device)
 *
 * WEIR_GPU_PROGRAM(function, name, M) defines `const weir_gpu_program *function(void)` with C linkage; what
 * it returns lives as long as the process, and simulations and threads may share it. The host's code puts the
 * result of that function into weir_setup.gpu. payload, max_out, max_rec and record are the largest that
 * weir_model has over its event types; weir_sim_new refuses a program that says less (WEIR_E_ARG).
 *
 * Compile it with the flags that keep bits equal on both sides: nvcc --fmad=false, and -ffp-contract=off for
 * the host. examples/model/ is a whole one outside the source tree; docs/writing-a-model.md follows it.
 */
#ifndef WEIR_GPU_MODEL_H
#define WEIR_GPU_MODEL_H

#include "weir/engine.h"

typedef struct weir_gpu_program weir_gpu_program;

#ifdef __CUDACC__
#include "engine/gpu/kernels.cuh" /* defines WEIR_GPU_PROGRAM */
#endif

#endif
