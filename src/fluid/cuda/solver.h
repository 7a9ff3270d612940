/*
 * The solver's kernels in one precision: cuda/single.cu and cuda/double.cu define fluid_real and
 * FLUID_KERNELS and include this. Each stage of a block (blocks.h) is a kernel.
 */
#include "fluid/law/acks.h"
#include "fluid/law/changes.h"
#include "fluid/cuda/flows.h"
#include "fluid/cuda/hops.h"
#include "fluid/cuda/queues.h"

static __global__ void fill_rows(const __grid_constant__ fluid_device d)
{
    const uint32_t prefix = thread_number() / FLUID_STEPS;
    if (prefix >= d.t.n_prefixes)
        return;
    const fluid_port *const port = &d.t.ports[d.t.segments[d.t.prefixes[prefix].segment].port];
    const uint64_t at = port->at + (uint64_t)(prefix - port->first) * port->rows;
    for (uint32_t row = lane_number(); row < port->rows; row += FLUID_STEPS) {
        const fluid_cell cell = {d.t.base[prefix], 1};
        ((fluid_cell *)d.s.lag)[at + row] = cell;
    }
}

static __global__ void tick(int64_t *now, uint32_t n)
{
    *now += n;
}

static uint32_t grid(uint64_t n, uint32_t threads)
{
    return (uint32_t)((n + threads - 1) / threads);
}

static size_t records_bytes(const fluid_device *d)
{
    return QUEUE_THREADS * record_of(d->t) * sizeof(double);
}

/* Once, before all stages: with marks the queues' records are more than the 48 KiB that a kernel may have unasked. */
static cudaError_t fill(const fluid_device *d, cudaStream_t stream)
{
    const cudaError_t allowed = cudaFuncSetAttribute(
        update_queue, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)records_bytes(d));
    if (allowed != cudaSuccess)
        return allowed;
    fill_rows<<<grid(d->t.n_prefixes, TEAMS), THREADS, 0, stream>>>(*d);
    return cudaGetLastError();
}

static void update_sets(const fluid_device *d, uint32_t n, cudaStream_t stream)
{
    for (uint32_t level = 0; level < d->t.n_levels; level++) {
        const uint32_t first = d->host->level_first[level], end = d->host->level_first[level + 1];
        update_set<<<grid(end - first, TEAMS), THREADS, 0, stream>>>(*d, first, end, n);
    }
}

/* Ports, and prefixes of theirs, that are solved together: all where there are no waves. */
typedef struct wave_range {
    uint32_t port, port_end, prefix, prefix_end;
} wave_range;

static wave_range range_of(const fluid_tables *t, uint32_t wave)
{
    const wave_range all = {0, t->n_ports, 0, t->n_prefixes};
    if (t->n_waves == 0)
        return all;
    wave_range r = all;
    r.port = t->wave_first[wave];
    r.port_end = t->wave_first[wave + 1];
    r.prefix = r.prefix_end = t->ports[r.port].first;
    for (uint32_t p = r.port; p < r.port_end; p++)
        r.prefix_end = t->ports[p].first + t->ports[p].n_prefixes;
    return r;
}

static void update_hops(const fluid_device *d, const wave_range *w, uint32_t n, cudaStream_t stream)
{
    if (w->prefix < w->prefix_end)
        update_hop<<<grid(w->prefix_end - w->prefix, THREADS), THREADS, 0, stream>>>(*d, n, w->prefix,
                                                                                     w->prefix_end);
}

static void update_queues(const fluid_device *d, const wave_range *w, uint32_t n, cudaStream_t stream)
{
    update_queue<<<grid(w->port_end - w->port, QUEUE_THREADS), QUEUE_THREADS, records_bytes(d), stream>>>(
        *d, n, w->port, w->port_end);
}

/* What is behind the hops of the first wave. */
static void update_waves(const fluid_device *d, uint32_t n, cudaStream_t stream)
{
    wave_range w = range_of(d->host, 0);
    update_queues(d, &w, n, stream);
    for (uint32_t wave = 1; wave < d->t.n_waves; wave++) {
        update_front<<<grid(w.port_end - w.port, THREADS), THREADS, 0, stream>>>(*d, n, w.port, w.port_end,
                                                                                 true);
        w = range_of(d->host, wave);
        update_hops(d, &w, n, stream);
        update_queues(d, &w, n, stream);
    }
}

static cudaError_t stage(const fluid_device *d, uint32_t which, uint32_t n, cudaStream_t stream)
{
    const wave_range first = range_of(d->host, 0);
    switch (which) {
    case FLUID_STAGE_FRONTS:
        update_front<<<grid(d->t.n_ports, THREADS), THREADS, 0, stream>>>(*d, n, 0, d->t.n_ports, false);
        break;
    case FLUID_STAGE_FLOWS:
        update_flow<<<grid(d->t.n_flows, FLOW_THREADS), FLOW_THREADS, 0, stream>>>(*d, n);
        break;
    case FLUID_STAGE_SETS:
        update_sets(d, n, stream);
        break;
    case FLUID_STAGE_HOPS:
        update_hops(d, &first, n, stream);
        break;
    default:
        update_waves(d, n, stream);
        tick<<<1, 1, 0, stream>>>(d->now, n);
    }
    return cudaGetLastError();
}

static __global__ void make_changes(const __grid_constant__ fluid_device d, uint32_t first, uint32_t n)
{
    const fluid_state s = at_work(d);
    if (thread_number() < n)
        fluid_make_change(&d.t, &s, &d.t.changes[first + thread_number()]);
}

static cudaError_t change(const fluid_device *d, uint32_t first, uint32_t n, cudaStream_t stream)
{
    make_changes<<<grid(n, THREADS), THREADS, 0, stream>>>(*d, first, n);
    return cudaGetLastError();
}

static __global__ void acks_at_ports(const __grid_constant__ fluid_device d)
{
    const fluid_state s = at_work(d);
    if (thread_number() < d.t.n_ports)
        fluid_acks_at_port(&d.t, &s, thread_number());
}

static __global__ void acks_of_flows(const __grid_constant__ fluid_device d)
{
    const fluid_state s = at_work(d);
    if (thread_number() < d.t.n_flows)
        fluid_acks_of_flow(&d.t, &s, thread_number());
}

static cudaError_t acks(const fluid_device *d, cudaStream_t stream)
{
    acks_at_ports<<<grid(d->t.n_ports, THREADS), THREADS, 0, stream>>>(*d);
    acks_of_flows<<<grid(d->t.n_flows, THREADS), THREADS, 0, stream>>>(*d);
    return cudaGetLastError();
}

extern const fluid_kernels FLUID_KERNELS = {fill, stage, change, acks};
