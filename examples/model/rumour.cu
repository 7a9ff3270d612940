/* The rumour's device code: the same handler, and what the kernels must know of it. */
#include <weir/gpu_model.h>

#include "rumour.h"

struct rumour_device {
    static constexpr uint32_t payload = sizeof(uint64_t), max_out = RUMOUR_TELLS, max_rec = 0, record = 0;
    static constexpr uint32_t threads = 256, blocks_per_sm = 2, hot = 0;
    static constexpr bool grouped = false;
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        rumour_hear(ctx, state, event);
    }
};
WEIR_GPU_PROGRAM(rumour_gpu, "rumour", rumour_device)
