/*
 * Packets of one port, taken by the lanes of a warp at once. A port that is nothing but a line with a limit
 * sends by Lindley's recursion, busy' = max(busy, now) + send, which is a map x -> max(x + add, least) of
 * when it is busy until; such maps follow each other as one such map, so that a scan over the lanes tells
 * each packet when those before it will have left, as long as none of them is dropped.
 *
 * Functions are called by all lanes of a warp together; the first n have a packet each, in order.
 */
#ifndef WI_NET_LINE_CUH
#define WI_NET_LINE_CUH

#include "net/port.h"

static const uint32_t NET_ALL_LANES = 0xffffffffu;

/* Does nothing but the line and its limit decide about packets at this port? Any lane. */
static __device__ __forceinline__ bool net_is_line(const net_world *w, uint32_t entity)
{
    return w->outages == 0 && net_port_link(w, entity)->plain;
}

typedef struct net_line_map {
    weir_time add, least;
} net_line_map;

/* The map of this lane's packet behind those of the lanes before it. */
static __device__ __forceinline__ net_line_map net_line_scan(net_line_map m)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const weir_time add = __shfl_up_sync(NET_ALL_LANES, (long long)m.add, step);
        const weir_time least = __shfl_up_sync(NET_ALL_LANES, (long long)m.least, step);
        if (lane >= step) {
            m.least = least + m.add > m.least ? least + m.add : m.least;
            m.add += add;
        }
    }
    return m;
}

/* Sets each lane's part to the port as the packets before leave it: busy for so long, and nothing counted.
 * Returns how many packets, from the first on, find it so: up to the first that will not be sent. */
static __device__ uint32_t net_line_foresee(const net_world *w, const net_port *port, const weir_event *event,
                                            uint32_t n, net_port *part)
{
    const uint32_t lane = threadIdx.x % 32;
    const net_link *const link = net_port_link(w, event->target);
    const net_queue *const q = NET_ARRAY(w, net_queue, queues) + link->queue;
    const net_packet *const packet = WEIR_PAYLOAD(net_packet, event);
    const weir_time send_ps = net_link_time(link, packet->bytes), busy_ps = port->busy_until_ps;
    net_line_map m = {send_ps, event->time_ps + send_ps};
    m = net_line_scan(m);
    const weir_time leaves_ps = busy_ps + m.add > m.least ? busy_ps + m.add : m.least;
    const weir_time before_ps = __shfl_up_sync(NET_ALL_LANES, (long long)leaves_ps, 1);
    memset(part, 0, sizeof *part);
    part->busy_until_ps = lane ? before_ps : busy_ps;
    const net_arrival a = net_arrival_at(part, packet, event->time_ps);
    const bool sent = packet->ttl > 1 && !net_queue_is_full(q, &a);
    const uint32_t stops = __ballot_sync(NET_ALL_LANES, lane < n && !sent);
    return stops ? (uint32_t)__ffs((int)stops) : n;
}

static __device__ __forceinline__ uint64_t net_lanes_sum(uint64_t x)
{
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(NET_ALL_LANES, (unsigned long long)x, step);
    return x;
}

/* The parts of the first n lanes into the port, in order. */
static __device__ void net_line_join(net_port *port, const net_port *part, uint32_t n)
{
    const bool mine = threadIdx.x % 32 < n;
    const uint64_t packets = (uint64_t)__popc(__ballot_sync(NET_ALL_LANES, mine && part->packets > 0));
    const uint64_t bytes = net_lanes_sum(mine ? part->bytes : 0);
    const uint64_t wait_ns = net_lanes_sum(mine ? part->wait_ns : 0);
    const weir_time busy_ps = __shfl_sync(NET_ALL_LANES, (long long)part->busy_until_ps, (int)n - 1);
    const uint64_t dropped = __shfl_sync(NET_ALL_LANES, (unsigned long long)part->dropped[0], (int)n - 1);
    const uint32_t ttl = __shfl_sync(NET_ALL_LANES, part->dropped_ttl, (int)n - 1);
    weir_time most_ps = mine ? part->backlog_max_ps : 0;
    for (int step = 16; step > 0; step /= 2) {
        const weir_time other = __shfl_xor_sync(NET_ALL_LANES, (long long)most_ps, step);
        most_ps = other > most_ps ? other : most_ps;
    }
    double backlog = port->backlog_byte_s; /* one after the other, as sums of doubles depend on their order */
    for (uint32_t i = 0; i < n; i++) {
        const double more = __shfl_sync(NET_ALL_LANES, part->backlog_byte_s, (int)i);
        if (__shfl_sync(NET_ALL_LANES, (unsigned)part->packets, (int)i))
            backlog += more;
    }
    __syncwarp();
    if (threadIdx.x % 32 != 0)
        return;
    port->busy_until_ps = busy_ps;
    port->packets += packets;
    port->bytes += bytes;
    port->dropped[NET_DROP_LIMIT - NET_DROP_LIMIT] += dropped; /* the last alone may have been dropped */
    port->dropped_ttl += ttl;
    port->wait_ns += wait_ns;
    port->backlog_byte_s = backlog;
    if (most_ps > port->backlog_max_ps)
        port->backlog_max_ps = most_ps;
}

#endif
