/* The interconnect on the GPU engine. */
#include "weir/gpu_model.h"
extern "C" {
#include "models/interconnect/interconnect.h"
}

namespace
{
/* Terminals out of line, once for all kernels of both programs: in each of them they would be much of what nvcc does
 * for weir. Routers, of which a round waits for the slowest, stay inline: out of line they cost a tenth. */
static __device__ __noinline__ void handle_at_terminal(weir_ctx *ctx, void *state, const weir_event *event)
{
#define TERMINAL_CASE(TYPE, name, bytes)       \
    case IC_##TYPE:                            \
        ic_terminal_##name(ctx, state, event); \
        break;
    switch (event->type) {
        IC_TERMINAL_EVENTS(TERMINAL_CASE)
    }
#undef TERMINAL_CASE
}

/* With a surrogate a terminal sends several packets round the network in one event. */
template <uint32_t MAX_OUT> struct interconnect_device {
    static constexpr uint32_t payload = sizeof(ic_burst), max_out = MAX_OUT, max_rec = 0, record = 0,
                              threads = 128, blocks_per_sm = 4;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = 0;
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
#define ROUTER_CASE(TYPE, name, bytes)       \
    case IC_##TYPE:                          \
        ic_router_##name(ctx, state, event); \
        break;
        switch (event->type) {
            IC_ROUTER_EVENTS(ROUTER_CASE)
        default:
            handle_at_terminal(ctx, state, event);
            break;
        }
#undef ROUTER_CASE
    }
};
using interconnect_plain = interconnect_device<3>;
using interconnect_round = interconnect_device<IC_AHEAD + 2>;
} // namespace

WEIR_GPU_PROGRAM(wi_interconnect_gpu, "interconnect", interconnect_plain)
WEIR_GPU_PROGRAM(wi_interconnect_round_gpu, "interconnect", interconnect_round)
