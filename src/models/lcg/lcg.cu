/* The LCG benchmark on a GPU. */
#include "weir/gpu_model.h"
extern "C" {
#include "models/lcg/lcg.h"
}

namespace
{

struct lcg_device {
    static constexpr uint32_t payload = 0, max_out = 1, max_rec = 0, record = 0, threads = 128,
                              blocks_per_sm = 4;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = 0;
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        switch (event->type) {
        case LCG_A:
            lcg_a(ctx, state, event);
            break;
        case LCG_B:
            lcg_b(ctx, state, event);
            break;
        case LCG_C:
            lcg_c(ctx, state, event);
            break;
        case LCG_D:
            lcg_d(ctx, state, event);
            break;
        }
    }
};

} // namespace

WEIR_GPU_PROGRAM(wi_lcg_gpu, "lcg", lcg_device)
