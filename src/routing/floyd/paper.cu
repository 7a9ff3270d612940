/*
 * Floyd-Warshall as in "Brite and CUDA routing in ns-3" (section 4 of the paper's text on the CUDA module):
 * one launch per pivot, a matrix `next` of the greatest node on the way, the CPU waiting after each launch,
 * then a kernel that follows `next` to each first hop. Kept as the baseline. Ports follow from the distances,
 * as for every other algorithm; the first hops are checked against them.
 */
#include "routing/cuda/device.h"
#include "routing/algorithm/words.h"
#include "routing/cuda/ports_kernel.h"

#define THREADS 256u

__global__ static void clear(uint32_t n, uint32_t *dist, uint32_t *next)
{
    const uint32_t i = blockIdx.x, j = blockIdx.y * THREADS + threadIdx.x;
    if (j >= n)
        return;
    dist[(size_t)i * n + j] = i == j ? 0 : WI_FAR32;
    next[(size_t)i * n + j] = j;
}

__global__ static void enter(wi_route_device_net net, uint32_t *dist)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= net.n)
        return;
    for (uint32_t e = net.first[i]; e < net.first[i + 1]; ++e) {
        uint32_t *const d = dist + (size_t)i * net.n + net.target[e];
        if (net.cost[e] < *d)
            *d = net.cost[e];
    }
}

__global__ static void pivot(uint32_t n, uint32_t k, uint32_t *dist, uint32_t *next)
{
    const uint32_t i = blockIdx.x, j = blockIdx.y * THREADS + threadIdx.x;
    if (j >= n)
        return;
    const uint32_t way = dist[(size_t)i * n + k] + dist[(size_t)k * n + j];
    if (way < dist[(size_t)i * n + j]) {
        dist[(size_t)i * n + j] = way;
        next[(size_t)i * n + j] = k;
    }
}

/* `next` becomes the first hop of each pair. Entries that others follow are read from `next` while it is
 * written, and stay good: a first hop of (i, t) is itself on the way, and its own first hop. */
__global__ static void first_hop(uint32_t n, const uint32_t *dist, uint32_t *next)
{
    const uint32_t i = blockIdx.x, j = blockIdx.y * THREADS + threadIdx.x;
    if (j >= n || i == j || dist[(size_t)i * n + j] >= WI_FAR32)
        return;
    uint32_t *const row = next + (size_t)i * n;
    uint32_t t = j;
    while (row[t] != t)
        t = row[t];
    row[j] = t;
}

/* Count first hops that are on no shortest way. */
__global__ static void check(wi_route_device_net net, const uint32_t *dist, const uint32_t *next,
                             uint32_t *note)
{
    const uint32_t i = blockIdx.x, j = blockIdx.y * THREADS + threadIdx.x, n = net.n;
    if (j >= n || i == j || dist[(size_t)i * n + j] >= WI_FAR32)
        return;
    const uint32_t hop = next[(size_t)i * n + j];
    for (uint32_t e = net.first[i]; e < net.first[i + 1]; ++e)
        if (net.target[e] == hop &&
            wi_port_leads(dist[(size_t)i * n + j], net.cost[e], dist[(size_t)hop * n + j], net.role[hop]))
            return;
    atomicAdd(&note[WI_NOTE_WRONG], 1);
}

uint64_t wi_floyd_paper_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    (void)algorithm;
    return 2 * (uint64_t)core->net.n * core->net.n * sizeof(uint32_t);
}

weir_status wi_floyd_paper_device(wi_route_device *device)
{
    const wi_fill *const fill = device->fill;
    const wi_route_net *const net = &fill->core->net;
    const uint32_t n = net->n;
    uint32_t *const dist = (uint32_t *)device->d_work, *const next = dist + (size_t)n * n;
    const dim3 grid(n, (n + THREADS - 1) / THREADS);
    if (n == 0)
        return WEIR_OK;
    clear<<<grid, THREADS>>>(n, dist, next);
    enter<<<n / THREADS + 1, THREADS>>>(device->net, dist);
    for (uint32_t k = 0; k < n; ++k) {
        if (net->role[k] == WEIR_HOST)
            continue;
        pivot<<<grid, THREADS>>>(n, k, dist, next);
        (void)cudaDeviceSynchronize(); /* as the paper does; errors come out below */
    }
    first_hop<<<grid, THREADS>>>(n, dist, next);
    weir_status status = wi_route_device_wait(device, "the paper's Floyd-Warshall");
    const double there = wi_clock_s();
    fill->times->distance_s = there - device->started_s;
    if (status != WEIR_OK)
        return status;
    const wi_route_device_dist d = {dist, true, n, NULL, 0, n, WI_FAR32};
    wi_route_device_ports(device, &d);
    check<<<grid, THREADS>>>(device->net, dist, next, device->d_note);
    status = wi_route_device_wait(device, "ports");
    fill->times->port_s = wi_clock_s() - there;
    if (status == WEIR_OK && device->h_note[WI_NOTE_WRONG])
        return weir_fail(fill->diag, WEIR_E_CHECK, "%u first hops of the next matrix are on no shortest path",
                         device->h_note[WI_NOTE_WRONG]);
    return status;
}
