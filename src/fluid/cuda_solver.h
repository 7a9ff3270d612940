/*
 * The solver's kernels in one precision: cuda_single.cu and cuda_double.cu define fluid_real and
 * FLUID_KERNELS and include this. Each thread does what blocks.h says for its flow, set, port or prefix;
 * arrivals at a port are summed in whatever order, as fluid_round_sum makes all orders equal.
 */
#include "fluid/blocks.h"
#include "fluid/device.h"

enum { THREADS = 128 };

static __device__ fluid_state at_work(const fluid_device &d)
{
    fluid_state s = d.s;
    s.now = *d.now;
    return s;
}

static __device__ uint32_t thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static __global__ void fill_rows(const __grid_constant__ fluid_device d)
{
    const uint32_t prefix = thread_number();
    if (prefix >= d.t.n_prefixes)
        return;
    const fluid_port *const port = &d.t.ports[d.t.segments[d.segment_of[prefix]].port];
    for (uint64_t row = 0; row < port->rows; row++) {
        const uint64_t at = port->at + row * port->n_prefixes + (prefix - port->first);
        ((fluid_real *)d.s.lag)[at] = d.t.base[prefix];
        ((fluid_real *)d.s.keep)[at] = 1;
    }
}

static __global__ void update_flow(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    if (thread_number() < d.t.n_flows)
        fluid_flow_block(&d.t, &s, thread_number(), n);
}

static __global__ void update_front(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    if (thread_number() < d.t.n_ports)
        fluid_front_block(&d.t, &s, thread_number(), n);
}

static __global__ void update_set(const __grid_constant__ fluid_device d, uint32_t first, uint32_t end,
                                  uint32_t n)
{
    const fluid_state s = at_work(d);
    if (first + thread_number() < end)
        fluid_set_block(&d.t, &s, first + thread_number(), n);
}

/* Adds x over each run of lanes of equal key, to the load of the run's first lane. */
struct run_sum {
    bool first;      /* of its run */
    uint32_t within; /* bit b: the lane 2^b ahead is of the same run */
    double *load;

    __device__ run_sum(uint32_t key, double *to)
    {
        const uint32_t lane = threadIdx.x % 32u, before = __shfl_up_sync(~0u, key, 1);
        first = lane == 0 || before != key;
        within = 0;
        load = to;
        for (uint32_t b = 0; b < 5; b++)
            if (__shfl_down_sync(~0u, key, 1u << b) == key && lane + (1u << b) < 32)
                within |= 1u << b;
    }

    __device__ void add(double x, uint32_t i) const
    {
        for (uint32_t b = 0; b < 5; b++) {
            const double ahead = __shfl_down_sync(~0u, x, 1u << b);
            x += within >> b & 1u ? ahead : 0.0;
        }
        if (first && load && x != 0.0)
            atomicAdd(load + i, x);
    }
};

static __global__ void __launch_bounds__(THREADS)
    update_hop(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    const uint32_t prefix = thread_number();
    const bool real = prefix < d.t.n_prefixes;
    const fluid_segment *const segment = &d.t.segments[d.segment_of[real ? prefix : 0]];
    const uint32_t key = real ? segment->port * d.t.n_kinds + segment->kind : FLUID_NONE;
    const run_sum sum(key, real ? d.load + (uint64_t)key * d.t.lookahead : nullptr);
    const bool root = segment->upstream == FLUID_NONE;
    fluid_hop h = {};
    if (real && !root)
        h = fluid_hop_open(&d.t, &s, segment, prefix);
    if (real && root)
        h.volume = fluid_volume_column(&d.t, &s, d.t.series[prefix]);
    for (uint32_t i = 0; i < n; i++) {
        double bytes = 0.0;
        if (real)
            bytes = root ? fluid_at(h.volume, (int32_t)i) : fluid_hop_step(&d.t, &h, i);
        sum.add(fluid_round_sum(bytes, d.t.rounding), i);
    }
}

static __global__ void update_queue(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    if (thread_number() >= d.t.n_ports)
        return;
    double *const load = d.load + (uint64_t)thread_number() * d.t.n_kinds * d.t.lookahead;
    fluid_queue_block(&d.t, &s, thread_number(), n, load, d.t.lookahead);
    for (uint32_t i = 0; i < d.t.n_kinds * d.t.lookahead; i++)
        load[i] = 0.0;
}

static __global__ void tick(int64_t *now, uint32_t n)
{
    *now += n;
}

static uint32_t grid(uint32_t n)
{
    return (n + THREADS - 1) / THREADS;
}

static cudaError_t fill(const fluid_device *d, cudaStream_t stream)
{
    fill_rows<<<grid(d->t.n_prefixes), THREADS, 0, stream>>>(*d);
    return cudaGetLastError();
}

static cudaError_t block(const fluid_device *d, uint32_t n, cudaStream_t stream)
{
    update_front<<<grid(d->t.n_ports), THREADS, 0, stream>>>(*d, n);
    update_flow<<<grid(d->t.n_flows), THREADS, 0, stream>>>(*d, n);
    for (uint32_t level = 0, first = 0; level < d->t.n_levels; first += d->level_size[level++])
        update_set<<<grid(d->level_size[level]), THREADS, 0, stream>>>(*d, first,
                                                                       first + d->level_size[level], n);
    update_hop<<<grid(d->t.n_prefixes), THREADS, 0, stream>>>(*d, n);
    update_queue<<<grid(d->t.n_ports), THREADS, 0, stream>>>(*d, n);
    tick<<<1, 1, 0, stream>>>(d->now, n);
    return cudaGetLastError();
}

extern const fluid_kernels FLUID_KERNELS = {fill, block};
