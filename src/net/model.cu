/* The packet network on the GPU engine. */
#include "engine/gpu_kernels.cuh"
#include "net/host.h"
#include "net/line.cuh"

namespace
{

/* What the event type with the most of each may schedule and record. */
struct most_of {
    uint32_t events, records;
};

constexpr most_of most_of_all(void)
{
    most_of most = {0, 0};
#define X(name, kind, handler, payload, of_events, of_records, flags) \
    most.events = most.events > of_events ? most.events : of_events;  \
    most.records = most.records > of_records ? most.records : of_records;
    NET_EVENTS(X)
#undef X
    return most;
}

struct net_device {
    static constexpr uint32_t payload = sizeof(net_packet), max_out = most_of_all().events,
                              max_rec = most_of_all().records, record = sizeof(net_tx_done), threads = 128,
                              blocks_per_sm = 4;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = 64;
    static constexpr bool bursts = true;
    typedef net_port part;
    /* Packets of a busy port are handled one after the other; their routes need not be waited for so. */
    static __device__ __forceinline__ uint32_t ask_ahead(const void *world, const wi_gpu_event *event)
    {
        const net_world *w = (const net_world *)world;
        const net_packet *packet = (const net_packet *)(const void *)(event + 1);
        if (event->type != NET_EV_PORT_PACKET)
            return 0;
        const net_link *link = net_port_link(w, event->target);
        return link->peer_is_host ? 0 : net_next_port(w, link->peer, packet, w->ttl - packet->ttl + 1);
    }
    static __device__ __forceinline__ bool in_burst(const void *world, const wi_gpu_event *event)
    {
        return event->type == NET_EV_PORT_PACKET && net_is_line((const net_world *)world, event->target);
    }
    static __device__ __forceinline__ uint32_t foresee(const void *world, const void *state,
                                                       const weir_event *event, uint32_t n, net_port *part)
    {
        return net_line_foresee((const net_world *)world, (const net_port *)state, event, n, part);
    }
    static __device__ __forceinline__ void join(void *state, const net_port *part, uint32_t n)
    {
        net_line_join((net_port *)state, part, n);
    }
    static __device__ __noinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        net_handle(ctx, state, event);
    }
};

} // namespace

WI_GPU_PROGRAM(net, net_device)
