/*
 * Batched relaxation on the device: 32 threads a node, 1,024 at a node of many edges, which all others would
 * wait for; 256 destinations a batch in 16 bits, 128 in 32.
 */
#include <cstdlib>

#include "routing/cuda/device.h"
#include "routing/cuda/relax_step.h"

#define THREADS 256u
#define ALIGN 256u

/* Far everywhere; nobody has changed yet. */
__global__ static void clear(uint32_t n, wi_relax_net net, uint32_t far)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x;
    if (at / WI_RELAX_QUADS >= n)
        return;
    const wi_quad quad = {far, far, far, far};
    net.dist[at] = quad;
    if (at % WI_RELAX_QUADS == 0)
        net.stamp[at / WI_RELAX_QUADS] = -1;
}

template <typename lane>
__global__ static void start(wi_route_device_net net, wi_relax_net relax, uint32_t dst, uint32_t n_dst)
{
    const uint32_t k = blockIdx.x * THREADS + threadIdx.x, per_row = WI_RELAX_ROW_BYTES / sizeof(lane);
    if (k >= n_dst)
        return;
    lane *const dist = (lane *)(void *)relax.dist;
    dist[(size_t)(dst + k) * per_row + k] = 0;
    relax.stamp[dst + k] = 0;
    if (net.role[dst + k] != WEIR_HOST)
        return;
    for (uint32_t e = net.in_first[dst + k]; e < net.in_first[dst + k + 1]; ++e) {
        lane *const own = dist + (size_t)net.in_source[e] * per_row + k;
        if (net.in_cost[e] < *own)
            *own = (lane)net.in_cost[e];
        relax.stamp[net.in_source[e]] = 0;
    }
}

template <bool wide> __global__ static void pull(uint32_t n, wi_relax_net net, int32_t round, uint32_t *note)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x, i = at / WI_RELAX_QUADS;
    if (i >= n || net.first[i + 1] - net.first[i] >= WI_RELAX_HUB ||
        !wi_relax_pull(&net, i, at % WI_RELAX_QUADS, round, wide))
        return;
    net.stamp[i] = round;
    note[WI_NOTE_LAST] = (uint32_t)round;
}

template <bool wide>
__global__ static void __launch_bounds__(WI_RELAX_TEAM *WI_RELAX_QUADS)
    pull_hub(const uint32_t *hubs, wi_relax_net net, int32_t round, uint32_t *note)
{
    __shared__ wi_quad team[WI_RELAX_TEAM * WI_RELAX_QUADS];
    const uint32_t i = hubs[blockIdx.x], member = threadIdx.x / WI_RELAX_QUADS,
                   quad = threadIdx.x % WI_RELAX_QUADS;
    wi_relax_share(&net, i, member, quad, round, wide, team);
    __syncthreads();
    if (member > 0 || !wi_relax_join(&net, i, quad, wide, team))
        return;
    net.stamp[i] = round;
    note[WI_NOTE_LAST] = (uint32_t)round;
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

uint64_t wi_relax_device_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    (void)algorithm;
    return 2 * aligned((uint64_t)core->net.n * sizeof(int32_t)) + (uint64_t)core->net.n * WI_RELAX_ROW_BYTES;
}

/* A batch's work, and the nodes that take a block each. */
typedef struct work {
    wi_relax_net net;
    uint32_t *hubs;
    uint32_t n_hubs;
} work;

/* False: no memory. */
static bool lay_out(wi_route_device *device, work *w)
{
    const wi_route_net *const net = &device->fill->core->net;
    const uint64_t list = aligned((uint64_t)net->n * sizeof(uint32_t));
    uint32_t *const hubs = (uint32_t *)calloc((size_t)net->n + 1, sizeof *hubs);
    if (!hubs)
        return false;
    w->n_hubs = 0;
    for (uint32_t i = 0; i < net->n; ++i)
        if (net->first[i + 1] - net->first[i] >= WI_RELAX_HUB)
            hubs[w->n_hubs++] = i;
    w->hubs = (uint32_t *)(void *)device->d_work;
    w->net.first = device->net.first;
    w->net.target = device->net.target;
    w->net.cost = device->net.cost;
    w->net.role = device->net.role;
    w->net.stamp = (int32_t *)(void *)(device->d_work + list);
    w->net.dist = (wi_quad *)(void *)(device->d_work + 2 * list);
    /* A failure stays with the device until wi_route_device_wait asks. */
    (void)cudaMemcpy(w->hubs, hubs, w->n_hubs * sizeof *hubs, cudaMemcpyHostToDevice);
    free(hubs);
    return true;
}

template <bool wide> static void launch_round(uint32_t n, const work *w, int32_t round, uint32_t *note)
{
    const uint32_t blocks = (uint32_t)(((uint64_t)n * WI_RELAX_QUADS + THREADS - 1) / THREADS);
    if (w->n_hubs > 0)
        pull_hub<wide><<<w->n_hubs, WI_RELAX_TEAM * WI_RELAX_QUADS>>>(w->hubs, w->net, round, note);
    pull<wide><<<blocks, THREADS>>>(n, w->net, round, note);
}

/* Distances to one batch of destinations. *guess: rounds to launch before asking whether any changed
 * something. */
static weir_status relax_batch(wi_route_device *device, const work *w, uint32_t dst, uint32_t n_dst,
                               uint32_t far, bool wide, uint32_t *guess)
{
    const uint32_t n = device->net.n;
    const uint32_t blocks = (uint32_t)(((uint64_t)n * WI_RELAX_QUADS + THREADS - 1) / THREADS);
    int32_t round = 0;
    clear<<<blocks, THREADS>>>(n, w->net, wide ? far : far | far << 16);
    if (wide)
        start<uint32_t><<<n_dst / THREADS + 1, THREADS>>>(device->net, w->net, dst, n_dst);
    else
        start<uint16_t><<<n_dst / THREADS + 1, THREADS>>>(device->net, w->net, dst, n_dst);
    do {
        for (uint32_t k = 0; k < *guess; ++k) {
            ++round;
            if (wide)
                launch_round<true>(n, w, round, device->d_note);
            else
                launch_round<false>(n, w, round, device->d_note);
        }
        const weir_status status = wi_route_device_wait(device, "batched relaxation");
        if (status != WEIR_OK)
            return status;
        *guess = 2;
    } while (device->h_note[WI_NOTE_LAST] == (uint32_t)round);
    *guess = device->h_note[WI_NOTE_LAST] + 1;
    return WEIR_OK;
}

weir_status wi_relax_device(wi_route_device *device)
{
    const wi_fill *const fill = device->fill;
    const bool wide = fill->algorithm->lane == 4;
    const wi_core *const core = fill->core;
    const uint32_t n = core->net.n, lanes = WI_RELAX_ROW_BYTES / (wide ? 4 : 2);
    const uint32_t far =
        wide ? WI_FAR32 : UINT16_MAX - core->net.costs.high; /* "far" and a cost fit a lane */
    work w;
    if (!lay_out(device, &w))
        return weir_fail(fill->diag, WEIR_E_NOMEM, "no memory to lay out %u nodes", n);
    uint32_t guess = 8;
    for (uint32_t dst = 0; dst < n; dst += lanes) {
        const uint32_t n_dst = n - dst < lanes ? n - dst : lanes;
        if (wi_fill_stopped(fill, dst))
            return weir_fail(fill->diag, WEIR_E_INTERRUPTED, "stopped while computing routes");
        (void)cudaMemsetAsync(&device->d_note[WI_NOTE_LAST], 0, sizeof *device->d_note);
        const weir_status status = relax_batch(device, &w, dst, n_dst, far, wide, &guess);
        if (status != WEIR_OK)
            return status;
        const wi_route_device_dist dist = {w.net.dist, wide, lanes, NULL, dst, n_dst, far};
        wi_route_device_ports(device, &dist);
    }
    const weir_status status = wi_route_device_wait(device, "ports");
    fill->times->distance_s = wi_clock_s() - device->started_s;
    return status;
}
