/* The wireless model on the GPU engine. */
#include "weir/gpu_model.h"
#include "weir/lanes.h"
extern "C" {
#include "models/wireless/params.h"
#include "models/wireless/wireless.h"
#include "models/wireless/subcarriers.h"
}

namespace
{

struct wireless_device {
    static constexpr uint32_t payload = sizeof(wireless_frame), max_out = 2 * WIRELESS_FAN + 1, max_rec = 1,
                              record = sizeof(wireless_reception), threads = 256, blocks_per_sm = 2;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = 0;
    /* Most of a reception is the loop over subcarriers: a warp's, or a block's. What comes after it, whether the frame
     * survives, is a loop of one item, so that it is computed for all frames of a window at once. Both read the world
     * and channels, which no handler writes. */
    struct lanes {
        static constexpr int sums = 2;
        static constexpr bool ahead = true;
        static __device__ __forceinline__ bool has_items(uint32_t type)
        {
            return type == WIRELESS_PHY_RECEIVE || type == WIRELESS_MAC_RECEIVE;
        }
        static __device__ __forceinline__ uint32_t items(const weir_ctx *ctx, const weir_event *event)
        {
            if (event->type == WIRELESS_MAC_RECEIVE)
                return wireless_is_for(wireless_world_of(ctx), event) ? 1u : 0u;
            return event->type == WIRELESS_PHY_RECEIVE ? (uint32_t)WIRELESS_SUBCARRIERS : 0u;
        }
        static __device__ __forceinline__ const void *subject(const weir_ctx *ctx, const weir_event *event)
        {
            return weir_slot(ctx, WIRELESS_POOL_FADING, WEIR_PAYLOAD(wireless_frame, event)->link,
                             wireless_slot_bytes(wireless_world_of(ctx)->n_sinusoids));
        }
        static __device__ __noinline__ void item(const void *world, const void *subject,
                                                 const weir_event *event, uint32_t i, double *term)
        {
            if (event->type == WIRELESS_PHY_RECEIVE) {
                wireless_subcarrier(world, subject, event, weir_wide_items(i), term);
                return;
            }
            term[0] = wireless_errors_of((const wireless_world *)world, WEIR_PAYLOAD(wireless_frame, event));
            term[1] = 0.0;
        }
    };
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
#define CASE(TYPE, name, handler, module, events, records) \
    case WIRELESS_##TYPE:                                  \
        handler(ctx, state, event);                        \
        break;
        switch (event->type) {
            WIRELESS_EVENTS(CASE)
        }
#undef CASE
    }
};

} // namespace

WEIR_GPU_PROGRAM(wi_wireless_gpu, "wireless", wireless_device)
