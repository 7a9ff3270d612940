/* Device code of a model of entities that are all alike: events without payload, no records. */
#pragma once

#include "weir/gpu_model.h"

/* The program wi_NAME_gpu, whose events go to `handler` and schedule up to MAX_OUT others each. THREADS and GROUPED:
 * weir/gpu_model.h. */
#define WI_GPU_UNIFORM(NAME, handler, MAX_OUT, THREADS, GROUPED)                                           \
    namespace                                                                                              \
    {                                                                                                      \
    struct NAME##_device {                                                                                 \
        static constexpr uint32_t payload = 0, max_out = MAX_OUT, max_rec = 0, record = 0,                 \
                                  threads = THREADS, blocks_per_sm = 512 / THREADS, hot = 0;               \
        static constexpr bool grouped = GROUPED;                                                           \
        static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event) \
        {                                                                                                  \
            handler(ctx, state, event);                                                                    \
        }                                                                                                  \
    };                                                                                                     \
    }                                                                                                      \
    WEIR_GPU_PROGRAM(wi_##NAME##_gpu, #NAME, NAME##_device)
