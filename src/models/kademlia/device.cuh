/* Kademlia's device code, for k up to K and alpha up to ALPHA: sizes of slots and outboxes follow from them.
 */
#ifndef WI_MODELS_KADEMLIA_DEVICE_CUH
#define WI_MODELS_KADEMLIA_DEVICE_CUH

#include "weir/gpu_model.h"
extern "C" {
#include "models/kademlia/kademlia.h"
}

namespace
{

template <uint32_t K, uint32_t ALPHA> struct kad_device {
    static constexpr uint32_t payload = 8 + 4 * K, max_out = K + ALPHA + 2, max_rec = 0, record = 0,
                              threads = 128, blocks_per_sm = 4;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = 0;
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        switch (event->type) {
        case KAD_START:
            kad_start_lookup(ctx, state, event);
            break;
        case KAD_REQUEST:
            kad_answer(ctx, state, event);
            break;
        case KAD_RESPONSE:
            kad_take_response(ctx, state, event);
            break;
        case KAD_TIMEOUT:
            kad_take_timeout(ctx, state, event);
            break;
        case KAD_KEEP:
            kad_keep_value(ctx, state, event);
            break;
        case KAD_CHURN:
            kad_come_or_go(ctx, state, event);
            break;
        }
    }
};

} // namespace

#endif
