/*
 * Ports shared with packets that the GPU engine simulates, on the device that the fluid is on. A thread does
 * what the host does for a port (net/meeting.h), on the engine's own states and world, between two launches
 * of the engine or, where it fills rows that packets do not read yet, beside one. Of all that is exchanged,
 * the host sees one number a batch: how much the fluid had not known, which `batch: auto` goes by.
 */
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "engine/gpu.h"
#include "fluid/cuda_exchange.h"
#include "fluid/cuda_resident.h"
#include "net/host.h"
#include "net/meeting.h"

extern "C" {
#include "fluid/shared.h"
#include "net/stats.h"
}

namespace
{

enum { SHARED_THREADS = 128 };

/* A port as kernels find it: places in the engine's memory. */
struct place {
    const net_port *port;
    const net_link *link;
    net_background *row;
    net_meeting kept;
};

struct shared_device {
    wi_shared base;
    wi_fluid_resident fluid;
    net_world *world;         /* the engine's */
    place *places;            /* [n] */
    unsigned long long *most; /* the largest share of a limit, as the bits of a double that is not negative */
    cudaStream_t side;        /* the host's looks, beside the fluid's work */
    bool is_known;            /* the host's rows are those of a stop point at known_ps */
    weir_time known_ps;
};

__global__ void gather_left(const net_world *w, place *places, uint32_t n, weir_time at_ps, double batch_ps,
                            double *left, unsigned long long *most)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    place *const p = &places[i];
    const net_left l = net_meeting_gather(w, p->link, p->port, p->row, &p->kept, at_ps, batch_ps);
    left[i] = l.queued_bytes;
    left[n + i] = l.arrived_bytes;
    if (l.share > 0.0)
        atomicMax(most, (unsigned long long)weir_bits_of_double(l.share));
}

__global__ void begin_rows(net_world *w, uint32_t number, weir_time from_ps)
{
    w->background_batch = number;
    w->background_from_ps = from_ps;
}

__global__ void fill_rows(const net_world *w, const place *places, uint32_t n, const double *left,
                          const double *views, uint32_t steps, int64_t at)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint64_t all = (uint64_t)n * steps;
    const double *const from = views + (uint64_t)i * steps;
    const net_views v = {from + FLUID_VIEW_QUEUE * all, from + FLUID_VIEW_DROP * all,
                         from + FLUID_VIEW_REDUCTION * all, from + FLUID_VIEW_FULL * all};
    const place *const p = &places[i];
    net_meeting_fill(w, p->link, &p->kept, left[n + i], &v, steps, at, p->row);
}

shared_device *device_of(wi_shared *s)
{
    return reinterpret_cast<shared_device *>(s);
}

uint32_t blocks_for(uint32_t n)
{
    return (n + SHARED_THREADS - 1) / SHARED_THREADS;
}

/* Bytes of the rows, and where they begin in the world. */
uint64_t rows_bytes(const wi_shared *s)
{
    return (uint64_t)s->n * wi_net_world(s->net)->background_stride * sizeof(net_background);
}

/* A port's state on the device: hosts are the first kind. */
const net_port *port_of(const wi_gpu_memory *g, uint32_t entity)
{
    uint32_t kind = 0;
    while (kind + 1 < g->n_kinds && entity >= g->kind_first[kind + 1])
        kind++;
    const unsigned char *state =
        g->state[kind] + (uint64_t)(entity - g->kind_first[kind]) * g->kind_bytes[kind];
    return reinterpret_cast<const net_port *>(kind == NET_KIND_HOST ? state + offsetof(net_host, nic)
                                                                    : state);
}

/* Where the host has it, moved to the device's image of the world. */
template <class T> T *in_world(const shared_device *d, const T *host)
{
    const unsigned char *begin = d->base.net->world;
    return reinterpret_cast<T *>(reinterpret_cast<unsigned char *>(d->world) +
                                 (reinterpret_cast<const unsigned char *>(host) - begin));
}

weir_status put_places(shared_device *d, weir_diag *diag, const wi_gpu_memory *g)
{
    const wi_shared *const s = &d->base;
    place *const places = static_cast<place *>(calloc(s->n, sizeof *places));
    if (!places)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t entity = s->meetings[i].entity;
        places[i].port = port_of(g, entity);
        places[i].link = in_world(d, wi_net_link(s->net, entity));
        places[i].row = in_world(d, wi_net_background(s->net, i));
    }
    const cudaError_t error = cudaMemcpy(d->places, places, s->n * sizeof *places, cudaMemcpyHostToDevice);
    free(places);
    TRY(error, "list the ports");
    return WEIR_OK;
}

weir_status attach(wi_shared *s, weir_diag *diag, const weir_sim *sim, weir_fluid *fluid)
{
    shared_device *const d = device_of(s);
    wi_gpu_memory g;
    s->sim = sim;
    if (s->n == 0)
        return WEIR_OK;
    if (!wi_gpu_engine_memory(sim, &g) || g.device != 0)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "fluid is on CUDA device 0; packets must be too");
    const weir_status st = wi_fluid_cuda_reside(diag, fluid, s->ports, s->n, s->most_steps, &d->fluid);
    if (st != WEIR_OK)
        return st;
    d->world = reinterpret_cast<net_world *>(g.world);
    d->is_known = false;
    const weir_status put = put_places(d, diag, &g);
    if (put != WEIR_OK)
        return put;
    /* The first batch begins with what it finds in its rows, and tells of no packets. */
    TRY(cudaMemset(in_world(d, wi_net_background(s->net, 0)), 0, rows_bytes(s)), "clear rows");
    TRY(cudaMemset(d->fluid.left, 0, 2 * (uint64_t)s->n * sizeof(double)), "clear what packets left");
    TRY(cudaDeviceSynchronize(), "clear rows"); /* the fluid's stream waits for no other */
    return WEIR_OK;
}

weir_status gather(wi_shared *s, weir_diag *diag, weir_time at_ps, double batch_ps, double *difference)
{
    shared_device *const d = device_of(s);
    unsigned long long most = 0;
    *difference = 0.0;
    if (s->n == 0)
        return WEIR_OK;
    TRY(cudaMemsetAsync(d->most, 0, sizeof most, d->fluid.stream), "gather what packets left");
    gather_left<<<blocks_for(s->n), SHARED_THREADS, 0, d->fluid.stream>>>(d->world, d->places, s->n, at_ps,
                                                                          batch_ps, d->fluid.left, d->most);
    TRY(cudaGetLastError(), "gather what packets left");
    TRY(cudaMemcpyAsync(&most, d->most, sizeof most, cudaMemcpyDeviceToHost, d->fluid.stream),
        "gather what packets left");
    TRY(cudaStreamSynchronize(d->fluid.stream), "gather what packets left");
    memcpy(difference, &most, sizeof most);
    return WEIR_OK;
}

weir_status begin(wi_shared *s, weir_diag *diag, uint32_t number, weir_time from_ps)
{
    shared_device *const d = device_of(s);
    wi_net_background_begin(s->net, number, from_ps); /* for the host's looks */
    if (s->n == 0)
        return WEIR_OK;
    begin_rows<<<1, 1, 0, d->fluid.stream>>>(d->world, number, from_ps);
    TRY(cudaGetLastError(), "begin a batch");
    return WEIR_OK;
}

weir_status exchange(wi_shared *s, weir_diag *, weir_fluid *fluid)
{
    if (s->n > 0)
        wi_fluid_cuda_take(fluid);
    return WEIR_OK;
}

weir_status put(wi_shared *s, weir_diag *diag, weir_fluid *fluid, uint32_t n, int64_t at)
{
    shared_device *const d = device_of(s);
    if (s->n > 0) {
        const weir_status st = wi_fluid_cuda_view(diag, fluid, n);
        if (st != WEIR_OK)
            return st;
        fill_rows<<<blocks_for(s->n), SHARED_THREADS, 0, d->fluid.stream>>>(
            d->world, d->places, s->n, d->fluid.left, d->fluid.views, n, at);
        TRY(cudaGetLastError(), "tell packets of the fluid");
    }
    return weir_fluid_history(diag, fluid, s->ports, 0, n, nullptr, nullptr, nullptr, nullptr);
}

/* Rows of later steps may be written meanwhile: the stop point does not read them. */
weir_status look(wi_shared *s, weir_diag *diag)
{
    shared_device *const d = device_of(s);
    const weir_time now_ps = weir_sim_now(s->sim);
    if (s->n == 0 || (d->is_known && now_ps == d->known_ps))
        return WEIR_OK;
    net_background *const rows = wi_net_background(s->net, 0);
    TRY(cudaMemcpyAsync(rows, in_world(d, rows), rows_bytes(s), cudaMemcpyDeviceToHost, d->side),
        "read rows");
    TRY(cudaStreamSynchronize(d->side), "read rows");
    d->is_known = true;
    d->known_ps = now_ps;
    return WEIR_OK;
}

void free_device(wi_shared *s)
{
    shared_device *const d = device_of(s);
    (void)cudaFree(d->places);
    (void)cudaFree(d->most);
    if (d->side)
        (void)cudaStreamDestroy(d->side);
    free(s->ports);
    free(d);
}

const wi_shared_ops ops = {attach, gather, begin, exchange, put, look, free_device};

weir_status make(weir_diag *diag, shared_device *d)
{
    wi_shared *const s = &d->base;
    s->ports = static_cast<uint32_t *>(calloc((size_t)s->n + 1, sizeof *s->ports));
    if (!s->ports)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", s->n);
    for (uint32_t i = 0; i < s->n; i++)
        s->ports[i] = s->meetings[i].port;
    TRY(cudaMalloc(&d->places, ((size_t)s->n + 1) * sizeof *d->places), "memory");
    TRY(cudaMalloc(&d->most, sizeof *d->most), "memory");
    TRY(cudaStreamCreateWithFlags(&d->side, cudaStreamNonBlocking), "make a stream");
    return WEIR_OK;
}

} // namespace

weir_status wi_shared_on_device(weir_diag *diag, wi_net *net, const wi_meeting *meetings, uint32_t n,
                                uint32_t most_steps, wi_shared **out)
{
    *out = nullptr;
    shared_device *const d = static_cast<shared_device *>(calloc(1, sizeof *d));
    if (!d)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", n);
    d->base.ops = &ops;
    d->base.net = net;
    d->base.meetings = meetings;
    d->base.n = n;
    d->base.most_steps = most_steps;
    const weir_status st = make(diag, d);
    if (st == WEIR_OK)
        *out = &d->base;
    else
        free_device(&d->base);
    return st;
}
