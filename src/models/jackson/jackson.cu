/* The queueing network on the GPU engine. */
#include "weir/gpu_model.h"
#include "models/jackson/jackson.h"

namespace
{
struct jackson_device {
    static constexpr uint32_t payload = 0, max_out = 2, max_rec = 0, record = 0, threads = 256,
                              blocks_per_sm = 2;
    static constexpr bool grouped = false;
    static constexpr uint32_t hot = 0;
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        jackson_handle(ctx, state, event);
    }
};
} // namespace

WEIR_GPU_PROGRAM(wi_jackson_gpu, "jackson", jackson_device)
