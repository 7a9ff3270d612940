/* The packet network on the GPU engine. */
#include "engine/gpu_kernels.cuh"
#include "net/host.h"

namespace {

constexpr uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

constexpr uint32_t most_events(void)
{
    uint32_t most = 0;
#define X(name, kind, handler, payload, events, records, flags) most = larger(most, events);
    NET_EVENTS(X)
#undef X
    return most;
}

constexpr uint32_t most_records(void)
{
    uint32_t most = 0;
#define X(name, kind, handler, payload, events, records, flags) most = larger(most, records);
    NET_EVENTS(X)
#undef X
    return most;
}

struct net_device {
    static constexpr uint32_t payload = sizeof(net_packet), max_out = most_events(), max_rec = most_records(),
                              record = sizeof(net_tx_done), threads = 128, blocks_per_sm = 4;
    static constexpr bool grouped = true;
    static __device__ __noinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        net_handle(ctx, state, event);
    }
};

} // namespace

WI_GPU_PROGRAM(net, net_device)
