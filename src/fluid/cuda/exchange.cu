/* Kernels of the coupling with packets: a thread a port, or a port and step. Ports are kept in double
 * whatever the solver's precision, so these are compiled once. */
typedef double fluid_real;
#include "fluid/cuda/exchange.h"
#include "fluid/law/exchange.h"

extern "C" {
#include "fluid/shared/shared.h"
}

/* ROW_WORDS: of an entry, as memory of the host is written in them. */
enum { EXCHANGE_THREADS = 128, ROW_WORDS = sizeof(net_background) / sizeof(uint64_t) };
static_assert(sizeof(net_background) == ROW_WORDS * sizeof(uint64_t), "an entry is whole words");

static __device__ fluid_state state_now(const fluid_device &d)
{
    fluid_state s = d.s;
    s.now = *d.now;
    return s;
}

static __global__ void take_left(const __grid_constant__ fluid_device d,
                                 const __grid_constant__ fluid_meetings m)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const fluid_state s = state_now(d);
    if (i == 0)
        *m.begin = s.now;
    if (i >= m.n)
        return;
    const fluid_left left = {m.n, m.ports, m.left + WI_LEFT_QUEUED * m.n, m.left + WI_LEFT_COMING * m.n};
    fluid_take_left(&d.t, &s, &left, i, m.parts);
}

/* What a packet finds at meeting i after the step `back` steps ago. */
static __device__ net_background entry_of(const fluid_device &d, const fluid_state &s,
                                          const fluid_meetings &m, uint32_t i, uint32_t back)
{
    const fluid_view v = fluid_look_back(&d.t, &s, m.ports[i], back);
    const double alike = d.t.ports[m.ports[i]].alike;
    return net_exchange_end(v.queue, v.drop, v.reduction, alike * m.parts[i] * v.expected, v.full,
                            m.ps_per_byte[i]);
}

/* Threads work out an entry each, side by side in time, and then write word by word what they have together,
 * as runs of neighbouring words cross the bus in few pieces. */
static __global__ void write_rows(const __grid_constant__ fluid_device d,
                                  const __grid_constant__ fluid_meetings m, uint32_t steps)
{
    __shared__ net_background made[EXCHANGE_THREADS];
    const uint64_t all = (uint64_t)m.n * steps, first = (uint64_t)blockIdx.x * EXCHANGE_THREADS;
    const uint32_t count = all - first < EXCHANGE_THREADS ? (uint32_t)(all - first) : EXCHANGE_THREADS;
    const fluid_state s = state_now(d);
    const int64_t begin = s.now - *m.begin + 1 - (int64_t)steps; /* entry of the first of the steps */
    if (threadIdx.x < count) {
        const uint64_t i = first + threadIdx.x;
        const uint32_t k = (uint32_t)(i % steps);
        made[threadIdx.x] = entry_of(d, s, m, (uint32_t)(i / steps), steps - k);
    }
    __syncthreads();
    const uint64_t *const from = (const uint64_t *)(const void *)made;
    uint64_t *const to = (uint64_t *)(void *)m.rows;
    for (uint32_t w = threadIdx.x; w < count * ROW_WORDS; w += EXCHANGE_THREADS) {
        const uint64_t i = first + w / ROW_WORDS;
        const uint64_t entry = i / steps * m.stride + (uint64_t)begin + i % steps;
        to[entry * ROW_WORDS + w % ROW_WORDS] = from[w];
    }
}

static __global__ void take_packets(const __grid_constant__ fluid_device d, const uint32_t *ports, uint32_t n,
                                    const double *left)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const fluid_state s = state_now(d);
    const fluid_left l = {n, ports, left, left + n};
    if (i < n)
        fluid_take_left(&d.t, &s, &l, i, nullptr);
}

static __global__ void view_ports(const __grid_constant__ fluid_device d, const uint32_t *ports, uint32_t n,
                                  uint32_t steps, double *views)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, all = (uint64_t)n * steps;
    const fluid_state s = state_now(d);
    if (i >= all)
        return;
    const fluid_view v = fluid_look_back(&d.t, &s, ports[i / steps], steps - (uint32_t)(i % steps));
    views[FLUID_VIEW_QUEUE * all + i] = v.queue;
    views[FLUID_VIEW_DROP * all + i] = v.drop;
    views[FLUID_VIEW_REDUCTION * all + i] = v.reduction;
    views[FLUID_VIEW_EXPECTED * all + i] = v.expected;
    views[FLUID_VIEW_FULL * all + i] = v.full;
}

static uint32_t blocks_for(uint64_t threads)
{
    return (uint32_t)((threads + EXCHANGE_THREADS - 1) / EXCHANGE_THREADS);
}

cudaError_t fluid_meetings_take(const fluid_device *d, const fluid_meetings *m, cudaStream_t stream)
{
    take_left<<<blocks_for(m->n), EXCHANGE_THREADS, 0, stream>>>(*d, *m);
    return cudaGetLastError();
}

cudaError_t fluid_meetings_write(const fluid_device *d, const fluid_meetings *m, uint32_t steps,
                                 cudaStream_t stream)
{
    write_rows<<<blocks_for((uint64_t)m->n * steps), EXCHANGE_THREADS, 0, stream>>>(*d, *m, steps);
    return cudaGetLastError();
}

cudaError_t fluid_ports_take(const fluid_device *d, const uint32_t *ports, uint32_t n, const double *left,
                             cudaStream_t stream)
{
    take_packets<<<blocks_for(n), EXCHANGE_THREADS, 0, stream>>>(*d, ports, n, left);
    return cudaGetLastError();
}

cudaError_t fluid_ports_view(const fluid_device *d, const uint32_t *ports, uint32_t n, uint32_t steps,
                             double *views, cudaStream_t stream)
{
    view_ports<<<blocks_for((uint64_t)n * steps), EXCHANGE_THREADS, 0, stream>>>(*d, ports, n, steps, views);
    return cudaGetLastError();
}
