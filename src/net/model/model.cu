/* The packet network on the GPU engine. */
#include "weir/gpu_model.h"
#include "net/host/host.h"
#include "net/switch/line.cuh"

/* Pending events from which on a port is a warp's, and a block's. Tests have them small. */
#ifndef NET_HOT
#define NET_HOT 64
#define NET_HOTTEST 1024
#endif

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
                              max_rec = most_of_all().records, record = sizeof(net_tx_done), threads = 256,
                              blocks_per_sm = 2;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = NET_HOT, hottest = NET_HOTTEST;
    static constexpr bool bursts = true;
    typedef net_port part;
    typedef net_line_kept kept;
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
    static __device__ __forceinline__ void begin(const void *state, kept *k)
    {
        net_line_begin((const net_port *)state, k);
    }
    static __device__ __forceinline__ uint32_t foresee(wi_gpu_team *team, const void *world,
                                                       const weir_event *event, uint32_t n, const kept *k,
                                                       net_port *part)
    {
        return net_line_foresee(team, (const net_world *)world, event, n, k, part);
    }
    static __device__ __forceinline__ void took(wi_gpu_team *team, kept *k, const net_port *part, uint32_t n)
    {
        net_line_took(team, k, part, n);
    }
    static __device__ __forceinline__ void end(wi_gpu_team *team, void *state, const kept *k)
    {
        net_line_end(team, (net_port *)state, k);
    }
    static __device__ __noinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        net_handle(ctx, state, event);
    }
};

} // namespace

#ifdef NET_WATCHED
WEIR_GPU_PROGRAM_ALONE(wi_net_gpu_watched, "net, watched", net_device)
#else
WEIR_GPU_PROGRAM(wi_net_gpu, "net", net_device)
#endif
