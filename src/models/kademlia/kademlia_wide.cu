/* Kademlia on the GPU engine with any parameters. */
#include "models/kademlia/device.cuh"

namespace
{
using kad_any = kad_device<KAD_K_MAX, KAD_ALPHA_MAX>;

/* Handlers out of line, once for all kernels: in each of them they were two thirds of what nvcc does for this file (14.0 of
 * its seconds, 4.9 so). The usual parameters, whose speed counts, have theirs inline. */
static __device__ __noinline__ void handle_apart(weir_ctx *ctx, void *state, const weir_event *event)
{
    kad_any::handle(ctx, state, event);
}

struct kad_wide : kad_any {
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        handle_apart(ctx, state, event);
    }
};
} // namespace

WEIR_GPU_PROGRAM(wi_kad_wide_gpu, "kad_wide", kad_wide)
