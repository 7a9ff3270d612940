/* Kernels of the coupling with packets: a thread a port, or a port and step. Ports are kept in double
 * whatever the solver's precision, so these are compiled once. */
#include <cstdlib>
#include <cstring>

typedef double fluid_real;
#include "fluid/cuda_exchange.h"
#include "fluid/exchange.h"

enum { EXCHANGE_THREADS = 128 };

static __device__ fluid_state state_now(const fluid_device &d)
{
    fluid_state s = d.s;
    s.now = *d.now;
    return s;
}

static __global__ void take_packets(const __grid_constant__ fluid_device d, const uint32_t *ports, uint32_t n,
                                    const double *left)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const fluid_state s = state_now(d);
    if (i < n)
        fluid_take_packets(&d.t, &s, ports[i], left[i], left[n + i]);
}

/* Neighbouring threads have neighbouring steps: whole lines cross the bus. */
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
    views[FLUID_VIEW_FULL * all + i] = v.full;
}

static uint32_t blocks_for(uint64_t threads)
{
    return (uint32_t)((threads + EXCHANGE_THREADS - 1) / EXCHANGE_THREADS);
}

cudaError_t fluid_meetings_take(const fluid_device *d, const fluid_meetings *m, cudaStream_t stream)
{
    take_packets<<<blocks_for(m->n), EXCHANGE_THREADS, 0, stream>>>(*d, m->d_ports, m->n, m->d_left);
    return cudaGetLastError();
}

cudaError_t fluid_meetings_view(const fluid_device *d, const fluid_meetings *m, uint32_t steps,
                                cudaStream_t stream)
{
    view_ports<<<blocks_for((uint64_t)m->n * steps), EXCHANGE_THREADS, 0, stream>>>(*d, m->d_ports, m->n,
                                                                                    steps, m->d_views);
    return cudaGetLastError();
}

/* n doubles that kernels reach: the host's, or the device's own. */
static cudaError_t make(const fluid_meetings *m, uint64_t n, double **host, double **device)
{
    if (m->resident)
        return cudaMalloc((void **)device, n * sizeof(double));
    cudaError_t bad = cudaHostAlloc((void **)host, n * sizeof(double), cudaHostAllocMapped);
    if (bad == cudaSuccess)
        bad = cudaHostGetDevicePointer((void **)device, *host, 0);
    return bad;
}

static void drop(const fluid_meetings *m, double *host, double *device)
{
    if (m->resident)
        (void)cudaFree(device);
    else
        (void)cudaFreeHost(host);
}

void fluid_meetings_free(fluid_meetings *m)
{
    free(m->ports);
    (void)cudaFree(m->d_ports);
    drop(m, m->h_left, m->d_left);
    drop(m, m->h_views, m->d_views);
    memset(m, 0, sizeof *m);
}

cudaError_t fluid_meetings_set(fluid_meetings *m, const uint32_t *ports, uint32_t n, bool resident)
{
    const size_t bytes = n * sizeof *ports;
    fluid_meetings_free(m);
    m->resident = resident;
    m->ports = (uint32_t *)malloc(bytes);
    cudaError_t bad = m->ports ? cudaMalloc((void **)&m->d_ports, bytes) : cudaErrorMemoryAllocation;
    if (bad == cudaSuccess)
        bad = cudaMemcpy(m->d_ports, ports, bytes, cudaMemcpyHostToDevice);
    if (bad == cudaSuccess)
        bad = cudaDeviceSynchronize(); /* the solver's stream does not wait for that of the copy */
    if (bad == cudaSuccess)
        bad = make(m, 2 * (uint64_t)n, &m->h_left, &m->d_left);
    if (bad != cudaSuccess) {
        fluid_meetings_free(m);
        return bad;
    }
    memcpy(m->ports, ports, bytes);
    m->n = n;
    return cudaSuccess;
}

cudaError_t fluid_meetings_reserve(fluid_meetings *m, uint32_t steps)
{
    drop(m, m->h_views, m->d_views);
    m->h_views = m->d_views = nullptr;
    m->room = 0;
    const uint64_t room = (uint64_t)m->n * steps;
    const cudaError_t bad = make(m, FLUID_VIEWS * room, &m->h_views, &m->d_views);
    if (bad == cudaSuccess)
        m->room = room;
    return bad;
}
