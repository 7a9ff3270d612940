/*
 * Ports shared with packets, where the device has the fluid. It takes in what packets left and writes the
 * rows that they read (cuda/exchange.cu), as one piece of work with the steps between. Packets may be on the
 * host: then what they left and their rows are memory of the host that the device reaches, so that what the
 * host does of an exchange is to gather, and the arithmetic of rows is the device's. Or the GPU engine
 * simulates them there: then a thread gathers what the host would (net/port/exchange.h), on the engine's own states
 * and world, between two launches of the engine, rows are the engine's, and of all that is exchanged the host
 * sees one number a batch: how much the fluid had not known, which `batch: auto` goes by.
 */
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "engine/gpu/round/device.h"
#include "fluid/cuda/resident.h"
#include "net/host/host.h"
#include "net/port/exchange.h"

extern "C" {
#include "fluid/shared/shared.h"
#include "packets/stats/stats.h"
}

namespace
{

enum { SHARED_THREADS = 128 };

/* A port as kernels find it: places in the engine's memory. */
struct place {
    const net_port *port;
    const net_link *link;
    const net_background *row;
    net_exchange kept;
};

struct shared_device {
    wi_shared base;
    wi_device device;
    cudaStream_t stream; /* the solver's */
    uint32_t *ports;     /* [n] on the device, and so on: see fluid_meetings */
    double *ps_per_byte; /* [n] */
    double *parts;       /* [n] */
    int64_t *begin;
    cudaEvent_t done[2]; /* behind the last puts, by turns */
    uint32_t puts;
    net_background *h_rows; /* packets on the host: locked in memory; null: not yet */
    /* Packets on the device. */
    double *left;             /* [WI_LEFT][n] */
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
    const net_left l = net_exchange_gather(w, p->link, p->port, p->row, &p->kept, {at_ps, batch_ps});
    left[WI_LEFT_QUEUED * n + i] = l.queued_bytes;
    left[WI_LEFT_COMING * n + i] = l.coming_bytes;
    if (l.share > 0.0)
        atomicMax(most, (unsigned long long)weir_bits_of_double(l.share));
}

__global__ void begin_rows(net_world *w, uint32_t number, weir_time from_ps)
{
    w->background_batch = number;
    w->background_from_ps = from_ps;
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
        places[i].kept = s->kept[i];
    }
    const cudaError_t error = cudaMemcpy(d->places, places, s->n * sizeof *places, cudaMemcpyHostToDevice);
    free(places);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "list the ports", error);
    return WEIR_OK;
}

/* A batch that nothing was left for begins at step 0. */
weir_status clear_begin(shared_device *d, weir_diag *diag)
{
    WI_RETURN_IF_CUDA_FAILED(&d->device, "clear what packets left",
                             cudaMemset(d->begin, 0, sizeof *d->begin));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "clear what packets left",
                             cudaMemset(d->parts, 0, d->base.n * sizeof *d->parts));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "clear what packets left",
                             cudaDeviceSynchronize()); /* the fluid's stream waits for no other */
    return WEIR_OK;
}

/* With rows and what packets leave as kernels reach them. */
weir_status meet(shared_device *d, weir_diag *diag, weir_fluid *fluid, net_background *rows,
                 const double *left)
{
    const net_world *const w = wi_net_world(d->base.net);
    fluid_meetings m;
    m.n = d->base.n;
    m.stride = w->background_stride;
    m.ports = d->ports;
    m.ps_per_byte = d->ps_per_byte;
    m.parts = d->parts;
    m.left = left;
    m.begin = d->begin;
    m.rows = rows;
    const weir_status st = wi_fluid_cuda_meet(diag, fluid, &m, &d->stream);
    return st == WEIR_OK ? clear_begin(d, diag) : st;
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
    s->rows = (uint32_t)(at + n - 1); /* kernels count steps themselves, or each piece would be a graph */
    return wi_fluid_cuda_put(diag, fluid, s->n > 0 ? n : 0, d->done[d->puts++ % 2]);
}

weir_status settle(wi_shared *s, weir_diag *diag, uint32_t but)
{
    shared_device *const d = device_of(s);
    if (d->puts > but)
        WI_RETURN_IF_CUDA_FAILED(&d->device, "run the solver",
                                 cudaEventSynchronize(d->done[(d->puts - 1 - but) % 2]));
    return WEIR_OK;
}

/* ---- packets on the host ---- */

/* Memory of the host, by the address that kernels use. */
template <class T> weir_status reach(weir_diag *diag, shared_device *d, T *host, T **device)
{
    void *at = nullptr;
    WI_RETURN_IF_CUDA_FAILED(&d->device, "reach memory of the host", cudaHostGetDevicePointer(&at, host, 0));
    *device = static_cast<T *>(at);
    return WEIR_OK;
}

weir_status attach_host(wi_shared *s, weir_diag *diag, weir_fluid *fluid)
{
    shared_device *const d = device_of(s);
    net_background *const rows = wi_net_background(s->net, 0);
    net_background *d_rows = nullptr;
    double *d_left = nullptr;
    if (s->n == 0)
        return WEIR_OK;
    if (!d->h_rows) {
        WI_RETURN_IF_CUDA_FAILED(&d->device, "lock rows in memory",
                                 cudaHostRegister(rows, rows_bytes(s), cudaHostRegisterMapped));
        d->h_rows = rows;
    }
    weir_status st = reach(diag, d, rows, &d_rows);
    if (st == WEIR_OK)
        st = reach(diag, d, s->left, &d_left);
    return st == WEIR_OK ? meet(d, diag, fluid, d_rows, d_left) : st;
}

/* ---- packets on the device ---- */

weir_status attach_device(wi_shared *s, weir_diag *diag, weir_fluid *fluid)
{
    shared_device *const d = device_of(s);
    const net_world *const w = wi_net_world(s->net);
    net_background *const rows = wi_net_background(s->net, 0);
    wi_gpu_memory g;
    if (s->n == 0)
        return WEIR_OK;
    WI_RETURN_IF_FAILED(wi_gpu_engine_memory(diag, s->sim, &g));
    if (g.device != 0)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "fluid is on CUDA device 0; packets must be too");
    d->world = reinterpret_cast<net_world *>(g.world);
    d->is_known = false;
    WI_RETURN_IF_FAILED(put_places(d, diag, &g));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "write rows",
                             cudaMemcpy(in_world(d, rows), rows, rows_bytes(s), cudaMemcpyHostToDevice));
    begin_rows<<<1, 1>>>(d->world, w->background_batch, w->background_from_ps);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "write rows", cudaGetLastError());
    return meet(d, diag, fluid, in_world(d, rows), d->left); /* which waits for the device */
}

weir_status gather(wi_shared *s, weir_diag *diag, weir_time at_ps, double batch_ps, double *difference)
{
    shared_device *const d = device_of(s);
    unsigned long long most = 0;
    *difference = 0.0;
    if (s->n == 0)
        return WEIR_OK;
    WI_RETURN_IF_CUDA_FAILED(&d->device, "gather what packets left",
                             cudaMemsetAsync(d->most, 0, sizeof most, d->stream));
    gather_left<<<blocks_for(s->n), SHARED_THREADS, 0, d->stream>>>(d->world, d->places, s->n, at_ps,
                                                                    batch_ps, d->left, d->most);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "gather what packets left", cudaGetLastError());
    WI_RETURN_IF_CUDA_FAILED(&d->device, "gather what packets left",
                             cudaMemcpyAsync(&most, d->most, sizeof most, cudaMemcpyDeviceToHost, d->stream));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "gather what packets left", cudaStreamSynchronize(d->stream));
    memcpy(difference, &most, sizeof most);
    return WEIR_OK;
}

weir_status begin(wi_shared *s, weir_diag *diag, uint32_t number, weir_time from_ps)
{
    shared_device *const d = device_of(s);
    wi_net_background_begin(s->net, number, from_ps); /* for the host's looks */
    if (s->n == 0)
        return WEIR_OK;
    begin_rows<<<1, 1, 0, d->stream>>>(d->world, number, from_ps);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "begin a batch", cudaGetLastError());
    return WEIR_OK;
}

/* Rows of later steps may be written meanwhile: the stop point does not read them. */
weir_status look(wi_shared *s, weir_diag *diag)
{
    shared_device *const d = device_of(s);
    const weir_time now_ps = weir_sim_now(s->sim);
    if (s->n == 0 || (d->is_known && now_ps == d->known_ps))
        return WEIR_OK;
    net_background *const rows = wi_net_background(s->net, 0);
    WI_RETURN_IF_CUDA_FAILED(
        &d->device, "read rows",
        cudaMemcpyAsync(rows, in_world(d, rows), rows_bytes(s), cudaMemcpyDeviceToHost, d->side));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "read rows", cudaStreamSynchronize(d->side));
    d->is_known = true;
    d->known_ps = now_ps;
    return WEIR_OK;
}

weir_status fetch(wi_shared *s, weir_diag *diag)
{
    shared_device *const d = device_of(s);
    if (s->n == 0)
        return WEIR_OK;
    d->is_known = false; /* a look before may have missed rows of later steps */
    WI_RETURN_IF_FAILED(look(s, diag));
    place *const places = static_cast<place *>(calloc(s->n, sizeof *places));
    if (!places)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to read %u shared ports", s->n);
    const cudaError_t error = cudaMemcpy(places, d->places, s->n * sizeof *places, cudaMemcpyDeviceToHost);
    for (uint32_t i = 0; i < s->n; i++)
        s->kept[i] = places[i].kept;
    free(places);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "read shared ports", error);
    return WEIR_OK;
}

void free_device(wi_shared *s)
{
    shared_device *const d = device_of(s);
    if (d->h_rows)
        (void)cudaHostUnregister(d->h_rows);
    for (cudaEvent_t done : d->done)
        if (done)
            (void)cudaEventDestroy(done);
    if (d->side)
        (void)cudaStreamDestroy(d->side);
    wi_device_close(&d->device);
    wi_shared_drop(s);
    free(d);
}

const wi_shared_ops packets_on_host = {
    attach_host, wi_shared_host_gather, wi_shared_host_begin, exchange,   put,
    settle,      wi_shared_host_look,   wi_shared_host_fetch, free_device};
const wi_shared_ops packets_on_device = {attach_device, gather, begin, exchange,   put,
                                         settle,        look,   fetch, free_device};

/* Ports, and how long they send a byte. */
weir_status list_ports(weir_diag *diag, shared_device *d)
{
    const wi_shared *const s = &d->base;
    double *const ps_per_byte = static_cast<double *>(calloc((size_t)s->n + 1, sizeof *ps_per_byte));
    if (!ps_per_byte)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", s->n);
    for (uint32_t i = 0; i < s->n; i++)
        ps_per_byte[i] =
            net_exchange_ps_per_byte(wi_net_link(s->net, s->meetings[i].entity)) / s->meetings[i].alike;
    const cudaError_t error =
        cudaMemcpy(d->ps_per_byte, ps_per_byte, s->n * sizeof *ps_per_byte, cudaMemcpyHostToDevice);
    free(ps_per_byte);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "list the ports", error);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "list the ports",
                             cudaMemcpy(d->ports, s->ports, s->n * sizeof *s->ports, cudaMemcpyHostToDevice));
    return WEIR_OK;
}

template <class T> weir_status allocate(weir_diag *diag, shared_device *d, T **at, uint64_t n)
{
    void *memory = nullptr;
    const weir_status st = wi_device_allocate(diag, &d->device, "shared ports", n * sizeof(T), &memory);
    *at = static_cast<T *>(memory);
    return st;
}

weir_status make(weir_diag *diag, shared_device *d, bool packets_too)
{
    wi_shared *const s = &d->base;
    const uint64_t n = (uint64_t)s->n + 1, left_bytes = WI_LEFT * n * sizeof(double);
    const weir_status st = wi_shared_make(diag, s);
    if (st != WEIR_OK)
        return st;
    WI_RETURN_IF_FAILED(
        wi_device_open(diag, &d->device, 0, "fluid beside packets", "want fluid: device: cpu"));
    WI_RETURN_IF_FAILED(allocate(diag, d, &d->ports, n));
    WI_RETURN_IF_FAILED(allocate(diag, d, &d->ps_per_byte, n));
    WI_RETURN_IF_FAILED(allocate(diag, d, &d->parts, n));
    WI_RETURN_IF_FAILED(allocate(diag, d, &d->begin, 1));
    for (cudaEvent_t &done : d->done)
        WI_RETURN_IF_CUDA_FAILED(&d->device, "make an event",
                                 cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    if (packets_too) {
        WI_RETURN_IF_FAILED(allocate(diag, d, &d->left, WI_LEFT * n));
        WI_RETURN_IF_FAILED(allocate(diag, d, &d->places, n));
        WI_RETURN_IF_FAILED(allocate(diag, d, &d->most, 1));
        WI_RETURN_IF_CUDA_FAILED(&d->device, "make a stream",
                                 cudaStreamCreateWithFlags(&d->side, cudaStreamNonBlocking));
    } else {
        void *left = nullptr;
        WI_RETURN_IF_FAILED(
            wi_device_allocate_locked(diag, &d->device, "what packets leave", left_bytes, true, &left));
        s->left = static_cast<double *>(left);
    }
    return list_ports(diag, d);
}

} // namespace

weir_status wi_shared_on_device(weir_diag *diag, wi_net *net, const wi_meeting *meetings, uint32_t n,
                                bool packets_too, wi_shared **out)
{
    *out = nullptr;
    shared_device *const d = static_cast<shared_device *>(calloc(1, sizeof *d));
    if (!d)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", n);
    d->base.ops = packets_too ? &packets_on_device : &packets_on_host;
    d->base.net = net;
    d->base.meetings = meetings;
    d->base.n = n;
    const weir_status st = make(diag, d, packets_too);
    if (st == WEIR_OK)
        *out = &d->base;
    else
        free_device(&d->base);
    return st;
}
