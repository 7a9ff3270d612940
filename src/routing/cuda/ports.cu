/* Canonical ports from distances, on the device: a thread an entry, neighbours' rows side by side. */
#include "routing/cuda/device.h"
#include "routing/cuda/ports_kernel.h"

#define THREADS 256u

template <typename lane>
__global__ static void find_ports(wi_route_device_net net, const lane *dist, size_t stride,
                                  const uint32_t *at, uint32_t dst, uint32_t n_dst, uint32_t far,
                                  uint32_t *note)
{
    const uint32_t i = blockIdx.x, k = blockIdx.y * THREADS + threadIdx.x;
    if (k >= n_dst)
        return;
    const size_t column = at ? at[dst + k] : k;
    const uint32_t own = dist[(at ? at[i] : i) * stride + column];
    if (own == 0)
        return;
    const uint32_t end = net.first[i + 1];
    bool cut = false;
    /* Four at a time, so that their reads overlap; the lowest port wins all the same. */
    for (uint32_t e = net.first[i]; e < end; e += 4) {
        uint32_t way[4], role[4];
#pragma unroll
        for (uint32_t q = 0; q < 4; ++q) {
            const uint32_t v = net.target[e + q < end ? e + q : e];
            role[q] = net.role[v];
            way[q] = dist[(at ? at[v] : v) * stride + column];
        }
#pragma unroll
        for (uint32_t q = 0; q < 4; ++q) {
            if (e + q >= end)
                break;
            if (own >= far) {
                cut |= wi_port_cut(way[q], far, role[q]);
            } else if (wi_port_leads(own, net.cost[e + q], way[q], role[q])) {
                wi_port_put(net.table, net.row[i], dst + k, net.port[e + q]);
                return;
            }
        }
    }
    if (cut)
        note[WI_NOTE_OVERFLOW] = 1;
}

void wi_route_device_ports(wi_route_device *device, const wi_route_device_dist *d)
{
    const dim3 grid(device->net.n, (d->n_dst + THREADS - 1) / THREADS);
    if (device->net.n == 0 || d->n_dst == 0)
        return;
    if (d->wide)
        find_ports<uint32_t><<<grid, THREADS>>>(device->net, (const uint32_t *)d->d_dist, d->stride, d->d_at,
                                                d->dst, d->n_dst, d->far, device->d_note);
    else
        find_ports<uint16_t><<<grid, THREADS>>>(device->net, (const uint16_t *)d->d_dist, d->stride, d->d_at,
                                                d->dst, d->n_dst, d->far, device->d_note);
}
