/* Kademlia on the GPU engine. With the usual parameters an event with its slot's head is 64 bytes. */
#include "weir/gpu_model.h"
extern "C" {
#include "models/kademlia/kademlia.h"
}

namespace
{

/* For k up to K and alpha up to ALPHA: sizes of slots and outboxes follow from them. */
template <uint32_t K, uint32_t ALPHA> struct kad_device {
    static constexpr uint32_t payload = 8 + 4 * K, max_out = K + ALPHA + 2, max_rec = 0, record = 0,
                              threads = 128, blocks_per_sm = 4;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = 0;
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
#define CASE(TYPE, name, handler, bytes, events) \
    case KAD_##TYPE:                             \
        handler(ctx, state, event);              \
        break;
        switch (event->type) {
            KAD_EVENTS(CASE)
        }
#undef CASE
    }
};

using kad_usual = kad_device<KAD_GPU_K_USUAL, KAD_GPU_ALPHA_USUAL>;
using kad_any = kad_device<KAD_K_MAX, KAD_ALPHA_MAX>;

/* Handlers out of line, once for all kernels: in each of them they were two thirds of what nvcc does for this program (14.0
 * of its seconds, 4.9 so). The usual parameters, whose speed counts, have theirs inline. */
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

WEIR_GPU_PROGRAM(wi_kad_gpu, "kad", kad_usual)
WEIR_GPU_PROGRAM(wi_kad_wide_gpu, "kad_wide", kad_wide)
