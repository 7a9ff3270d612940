/*
 * Packets of one port, taken by the threads of a team at once. A port that is nothing but a line with a limit
 * sends by Lindley's recursion, busy' = max(busy, now) + send, which is a map x -> max(x + add, least) of
 * the time until which it is busy; such maps compose to one such map, so that a scan over the threads finds
 * for each packet when those before it will have left, as long as none of them is dropped.
 *
 * Functions are called by all threads of a team together; the first n have a packet each, in order.
 */
#pragma once

#include "engine/gpu/round/team.h"
#include "net/switch/port.h"

static const uint32_t NET_ALL_LANES = 0xffffffffu;

/* Does nothing but the line and its limit decide about packets at this port? Any lane. */
static __device__ __forceinline__ bool net_is_line(const net_world *w, uint32_t entity)
{
    return net_port_link(w, entity)->plain;
}

typedef struct net_line_map {
    weir_time add, least;
} net_line_map;

/* The map of what `second` does after `first`. */
static __device__ __forceinline__ net_line_map net_line_after(net_line_map first, net_line_map second)
{
    const weir_time least = first.least + second.add;
    return {first.add + second.add, least > second.least ? least : second.least};
}

static __device__ __forceinline__ weir_time net_line_leaves(net_line_map m, weir_time busy_ps)
{
    return busy_ps + m.add > m.least ? busy_ps + m.add : m.least;
}

static __device__ __forceinline__ net_line_map net_line_up(net_line_map m, uint32_t by)
{
    return {__shfl_up_sync(NET_ALL_LANES, (long long)m.add, by),
            __shfl_up_sync(NET_ALL_LANES, (long long)m.least, by)};
}

/* Until when the line is busy before this thread's packet, whose map is m. */
static __device__ weir_time net_line_before(wi_gpu_team *team, net_line_map m, weir_time busy_ps)
{
    const uint32_t lane = team->rank % 32;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const net_line_map other = net_line_up(m, step);
        if (lane >= step)
            m = net_line_after(other, m);
    }
    if (team->size > 32) { /* by the maps of the warps before */
        const weir_time add = __shfl_sync(NET_ALL_LANES, (long long)m.add, 31),
                        least = __shfl_sync(NET_ALL_LANES, (long long)m.least, 31);
        const uint64_t *const adds = wi_gpu_team_share(team, (uint64_t)add);
        const uint64_t *const leasts = wi_gpu_team_share(team, (uint64_t)least);
        for (uint32_t i = 0; i < team->rank / 32; i++)
            busy_ps = net_line_leaves({(weir_time)adds[i], (weir_time)leasts[i]}, busy_ps);
    }
    const net_line_map earlier = net_line_up(m, 1);
    return lane ? net_line_leaves(earlier, busy_ps) : busy_ps;
}

/* What a thread has of its packets, burst after burst; busy_ps: all of them, up to when the line is busy. */
typedef struct net_line_kept {
    weir_time busy_ps, backlog_most_ps;
    uint64_t packets, bytes, wait_ns, backlog, dropped, marked;
    uint32_t dropped_ttl;
} net_line_kept;

/* Bursts begin at a port. */
static __device__ void net_line_begin(const net_port *port, net_line_kept *k)
{
    memset(k, 0, sizeof *k);
    k->busy_ps = port->busy_until_ps;
}

/* Sets each thread's part to the port as the packets before leave it: busy for so long, and nothing counted.
 * Returns how many packets, from the first on, find it so: up to the first that will not be sent. */
static __device__ uint32_t net_line_foresee(wi_gpu_team *team, const net_world *w, const weir_event *event,
                                            uint32_t n, const net_line_kept *k, net_port *part)
{
    const net_link *const link = net_port_link(w, event->target);
    const net_queue *const q = NET_ARRAY(w, net_queue, queues) + link->queue;
    const net_packet *const packet = WEIR_PAYLOAD(net_packet, event);
    const weir_time send_ps = net_link_time(link, packet->bytes);
    memset(part, 0, sizeof *part);
    part->busy_until_ps = net_line_before(team, {send_ps, event->time_ps + send_ps}, k->busy_ps);
    const net_arrival a = net_arrival_at(part, packet, event->time_ps);
    const bool sent = packet->ttl > 1 && !net_queue_is_full(q, &a);
    const uint32_t stops = wi_gpu_team_first(team, team->rank < n && !sent);
    return stops < n ? stops + 1 : n;
}

/* The first n packets have been handled. */
static __device__ void net_line_took(wi_gpu_team *team, net_line_kept *k, const net_port *part, uint32_t n)
{
    k->busy_ps = (weir_time)wi_gpu_team_of(team, (uint64_t)part->busy_until_ps, n - 1);
    if (team->rank >= n)
        return;
    k->packets += part->packets;
    k->bytes += part->bytes;
    k->wait_ns += part->wait_ns;
    k->backlog += part->backlog;
    k->dropped += part->dropped[NET_DROP_LIMIT - NET_DROP_LIMIT];
    k->marked += part->marked;
    k->dropped_ttl += part->dropped_ttl;
    k->backlog_most_ps =
        part->backlog_max_ps > k->backlog_most_ps ? part->backlog_max_ps : k->backlog_most_ps;
}

/* Each lane's x into *at. */
static __device__ __forceinline__ void net_lanes_add(uint64_t *at, uint64_t x)
{
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(NET_ALL_LANES, (unsigned long long)x, step);
    if (threadIdx.x % 32 == 0 && x > 0)
        atomicAdd((unsigned long long *)at, (unsigned long long)x);
}

/* All that threads have kept, into the port. */
static __device__ void net_line_end(wi_gpu_team *team, net_port *port, const net_line_kept *k)
{
    net_lanes_add(&port->packets, k->packets);
    net_lanes_add(&port->bytes, k->bytes);
    net_lanes_add(&port->wait_ns, k->wait_ns);
    net_lanes_add(&port->backlog, k->backlog);
    net_lanes_add(&port->marked, k->marked);
    if (k->dropped > 0)
        atomicAdd((unsigned long long *)&port->dropped[NET_DROP_LIMIT - NET_DROP_LIMIT],
                  (unsigned long long)k->dropped);
    if (k->dropped_ttl > 0)
        atomicAdd(&port->dropped_ttl, k->dropped_ttl);
    if (k->backlog_most_ps > 0)
        atomicMax((long long *)&port->backlog_max_ps, (long long)k->backlog_most_ps);
    if (team->rank == 0)
        port->busy_until_ps = k->busy_ps;
}
