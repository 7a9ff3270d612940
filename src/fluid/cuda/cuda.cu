/*
 * A CUDA device as a backend: state lives there; the host sees what it fetches, and packets the rows that
 * kernels write. What the host tells the device is put off until it must wait for an answer, so that an
 * exchange with packets, the steps after it and the rows of these are one launch (cuda/rounds.h) and one
 * wait.
 */
#include <cstdlib>
#include <cstring>

#include "fluid/cuda/resident.h"
#include "fluid/cuda/rounds.h"

extern "C" {
#include "fluid/state/arrays.h"
}

typedef struct cuda_solver {
    fluid_rounds rounds;
    fluid_round waiting; /* told and not launched */
    bool under_way;      /* launched and not waited for */
    int known;           /* of the host's state: NOTHING, or a wi_fluid_part */
    const fluid_tables *tables;
    fluid_state *host;
    const wi_fluid_real *real;
    void *room; /* for what a call brings to ports or reads of them */
    uint64_t room_bytes;
    wi_device device;
} cuda_solver;

enum { NOTHING = -1 };

static uint64_t memory(void)
{
    return wi_device_free_bytes(nullptr) / 100 * 95;
}

/* Device memory for n elements, with the host's content, or zeros where there is none. */
static weir_status make(weir_diag *diag, cuda_solver *c, uint64_t n, size_t size, const void *from,
                        void **out)
{
    if (from && n > 0)
        return wi_device_upload(diag, &c->device, "the fluid", from, n * size, nullptr, out);
    return wi_device_allocate_zeroed(diag, &c->device, "the fluid", (n ? n : 1) * size, out);
}

static weir_status make_tables(weir_diag *diag, cuda_solver *c)
{
    const fluid_tables *const t = c->tables;
    weir_status st = WEIR_OK;
    c->rounds.device.t = *t;
#define X(field, type, n)               \
    c->rounds.device.t.field = nullptr; \
    if (st == WEIR_OK)                  \
        st = make(diag, c, (n), sizeof(type), t->field, (void **)&c->rounds.device.t.field);
    FLUID_TABLES(X)
#undef X
    return st;
}

static weir_status make_state(weir_diag *diag, cuda_solver *c)
{
    const fluid_tables *const t = c->tables;
    const size_t real = c->real->bytes;
    fluid_state *const s = &c->rounds.device.s;
    weir_status st = make(diag, c, 2 * t->n_cells, real, nullptr, &s->lag);
    s->keep = (unsigned char *)s->lag + real; /* lag and survival of a step side by side */
    if (st == WEIR_OK && t->signals)
        st = make(diag, c, 2 * t->n_cells, real, nullptr, &s->signal);
#define X(field, size, n, part)                                                              \
    if (st == WEIR_OK)                                                                       \
        st = make(diag, c, (n), (size), (part) == WI_FLUID_SMALL ? c->host->field : nullptr, \
                  (void **)&s->field);
    FLUID_OTHERS(X)
#undef X
    if (st == WEIR_OK)
        st = make(diag, c, (uint64_t)t->n_ports * t->n_kinds * t->lookahead, sizeof(double), nullptr,
                  (void **)&c->rounds.device.load);
    if (st == WEIR_OK)
        st = make(diag, c, 1, sizeof(int64_t), nullptr, (void **)&c->rounds.device.now);
    return st;
}

static weir_status start(weir_diag *diag, cuda_solver *c)
{
    fluid_rounds *const r = &c->rounds;
    WI_RETURN_IF_FAILED(wi_device_open(diag, &c->device, 0, "the fluid's solver",
                                       "want fewer flows, a longer step, or fluid: device: cpu"));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "make a stream",
                             cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    weir_status st = make_tables(diag, c);
    r->device.host = c->tables;
    if (st == WEIR_OK)
        st = make_state(diag, c);
    if (st != WEIR_OK)
        return st;
    WI_RETURN_IF_CUDA_FAILED(&c->device, "copy to the device", cudaDeviceSynchronize());
    WI_RETURN_IF_CUDA_FAILED(&c->device, "fill histories", r->kernels->fill(&r->device, r->stream));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "fill histories", cudaStreamSynchronize(r->stream));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "make a graph", fluid_rounds_open(r));
    return WEIR_OK;
}

static void close_cuda(void *solver)
{
    cuda_solver *const c = (cuda_solver *)solver;
    if (!c)
        return;
    if (c->under_way)
        (void)cudaStreamSynchronize(c->rounds.stream);
    fluid_rounds_close(&c->rounds);
    if (c->rounds.stream)
        (void)cudaStreamDestroy(c->rounds.stream);
    wi_device_close(&c->device);
    free(c);
}

static weir_status open_cuda(weir_diag *diag, const weir_fluid_options *options, const fluid_tables *tables,
                             fluid_state *host, void **out)
{
    *out = nullptr;
    cuda_solver *const c = (cuda_solver *)wi_fluid_array(diag, 1, sizeof *c, "solver");
    if (!c)
        return WEIR_E_NOMEM;
    c->tables = tables;
    c->host = host;
    c->real = options->double_precision ? &wi_fluid_double : &wi_fluid_single;
    c->known = NOTHING;
    c->rounds.kernels = options->double_precision ? &fluid_kernels_double : &fluid_kernels_single;
    const weir_status st = start(diag, c);
    if (st == WEIR_OK)
        *out = c;
    else
        close_cuda(c);
    return st;
}

/* All that was told, and rows of the last steps. */
static weir_status launch(weir_diag *diag, cuda_solver *c, uint32_t rows)
{
    fluid_round round = c->waiting;
    round.rows = rows;
    memset(&c->waiting, 0, sizeof c->waiting);
    if (round.take || round.steps > 0 || round.rows > 0) {
        c->under_way = true;
        WI_RETURN_IF_CUDA_FAILED(&c->device, "launch", fluid_rounds_launch(&c->rounds, &round));
    }
    return WEIR_OK;
}

static weir_status wait_for(weir_diag *diag, void *solver)
{
    cuda_solver *const c = (cuda_solver *)solver;
    const weir_status st = launch(diag, c, 0);
    if (st != WEIR_OK || !c->under_way)
        return st;
    WI_RETURN_IF_CUDA_FAILED(&c->device, "run the solver", cudaStreamSynchronize(c->rounds.stream));
    c->under_way = false;
    return WEIR_OK;
}

static weir_status advance(weir_diag *, void *solver, uint32_t steps)
{
    cuda_solver *const c = (cuda_solver *)solver;
    c->waiting.steps += steps;
    c->host->now += steps;
    c->known = NOTHING;
    return WEIR_OK;
}

static weir_status change(weir_diag *diag, void *solver, uint32_t first, uint32_t n)
{
    cuda_solver *const c = (cuda_solver *)solver;
    WI_RETURN_IF_FAILED(launch(diag, c, 0));
    c->under_way = true;
    c->known = NOTHING;
    WI_RETURN_IF_CUDA_FAILED(&c->device, "change links",
                             c->rounds.kernels->change(&c->rounds.device, first, n, c->rounds.stream));
    return WEIR_OK;
}

static weir_status acks(weir_diag *diag, void *solver)
{
    cuda_solver *const c = (cuda_solver *)solver;
    WI_RETURN_IF_FAILED(launch(diag, c, 0));
    c->under_way = true;
    c->known = NOTHING;
    WI_RETURN_IF_CUDA_FAILED(&c->device, "bring ACKs to their ports",
                             c->rounds.kernels->acks(&c->rounds.device, c->rounds.stream));
    return WEIR_OK;
}

/* Ports into device memory, which has room for n_values doubles besides, when all that was told is done. */
static weir_status bring_ports(weir_diag *diag, cuda_solver *c, const uint32_t *ports, uint32_t n,
                               uint64_t n_values, uint32_t **d_ports, double **d_values)
{
    const uint64_t bytes = n_values * sizeof(double) + n * sizeof *ports;
    WI_RETURN_IF_FAILED(wait_for(diag, c));
    if (bytes > c->room_bytes) {
        wi_device_release(&c->device, c->room);
        c->room_bytes = 0;
        WI_RETURN_IF_FAILED(wi_device_allocate(diag, &c->device, "room for ports", bytes, &c->room));
        c->room_bytes = bytes;
    }
    *d_values = (double *)c->room;
    *d_ports = (uint32_t *)(*d_values + n_values);
    WI_RETURN_IF_CUDA_FAILED(
        &c->device, "list ports",
        cudaMemcpyAsync(*d_ports, ports, n * sizeof *ports, cudaMemcpyHostToDevice, c->rounds.stream));
    return WEIR_OK;
}

static weir_status exchange(weir_diag *diag, void *solver, const uint32_t *ports, uint32_t n,
                            const double *queued_bytes, const double *coming_bytes)
{
    cuda_solver *const c = (cuda_solver *)solver;
    const cudaStream_t stream = c->rounds.stream;
    uint32_t *d_ports = nullptr;
    double *d_left = nullptr;
    if (n == 0)
        return WEIR_OK;
    WI_RETURN_IF_FAILED(bring_ports(diag, c, ports, n, 2 * (uint64_t)n, &d_ports, &d_left));
    const size_t bytes = n * sizeof(double);
    WI_RETURN_IF_CUDA_FAILED(&c->device, "exchange",
                             cudaMemcpyAsync(d_left, queued_bytes, bytes, cudaMemcpyHostToDevice, stream));
    WI_RETURN_IF_CUDA_FAILED(
        &c->device, "exchange",
        cudaMemcpyAsync(d_left + n, coming_bytes, bytes, cudaMemcpyHostToDevice, stream));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "exchange",
                             fluid_ports_take(&c->rounds.device, d_ports, n, d_left, stream));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "exchange", cudaStreamSynchronize(stream));
    c->known = NOTHING;
    return WEIR_OK;
}

static weir_status history(weir_diag *diag, void *solver, const uint32_t *ports, uint32_t n_ports, uint32_t n,
                           double *const of[WI_FLUID_VIEWS])
{
    cuda_solver *const c = (cuda_solver *)solver;
    const cudaStream_t stream = c->rounds.stream;
    const uint64_t all = (uint64_t)n_ports * n;
    uint32_t *d_ports = nullptr;
    double *d_views = nullptr;
    if (all == 0)
        return wait_for(diag, c);
    WI_RETURN_IF_FAILED(bring_ports(diag, c, ports, n_ports, WI_FLUID_VIEWS * all, &d_ports, &d_views));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "look back",
                             fluid_ports_view(&c->rounds.device, d_ports, n_ports, n, d_views, stream));
    for (uint32_t i = 0; i < WI_FLUID_VIEWS; i++)
        if (of[i])
            WI_RETURN_IF_CUDA_FAILED(&c->device, "look back",
                                     cudaMemcpyAsync(of[i], d_views + i * all, all * sizeof(double),
                                                     cudaMemcpyDeviceToHost, stream));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "look back", cudaStreamSynchronize(stream));
    return WEIR_OK;
}

weir_status wi_fluid_cuda_meet(weir_diag *diag, weir_fluid *fluid, const fluid_meetings *meetings,
                               cudaStream_t *stream)
{
    if (fluid->backend != weir_fluid_cuda())
        return weir_fail(diag, WEIR_E_UNSUPPORTED,
                         "packets on the GPU and fluid on the CPU; want engine sequential or conservative, "
                         "or fluid: device: cuda");
    cuda_solver *const c = (cuda_solver *)fluid->solver;
    WI_RETURN_IF_FAILED(wait_for(diag, c));
    fluid_rounds_meet(&c->rounds, meetings);
    *stream = c->rounds.stream;
    return WEIR_OK;
}

void wi_fluid_cuda_take(weir_fluid *fluid)
{
    cuda_solver *const c = (cuda_solver *)fluid->solver;
    fluid->has_packets = true;
    c->waiting.take = 1;
    c->known = NOTHING;
}

weir_status wi_fluid_cuda_put(weir_diag *diag, weir_fluid *fluid, uint32_t steps, cudaEvent_t done)
{
    cuda_solver *const c = (cuda_solver *)fluid->solver;
    WI_RETURN_IF_FAILED(launch(diag, c, steps));
    WI_RETURN_IF_CUDA_FAILED(&c->device, "launch", cudaEventRecord(done, c->rounds.stream));
    return WEIR_OK;
}

/* Values that lie `stride` apart, to where they lie `to_stride` apart. */
template <typename real>
static __global__ void move_apart(const real *from, uint32_t stride, real *to, uint32_t to_stride, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[(uint64_t)i * to_stride] = from[(uint64_t)i * stride];
}

/* Histories between device and host. A device has two side by side, so that each value of one is every second. */
template <typename real> struct pasts {
    enum { AT_ONCE = 1 << 24, THREADS = 256 };
    cuda_solver *c;
    real *room; /* on the device, for AT_ONCE of them */
    cudaMemcpyKind way;

    weir_status move(weir_diag *diag, void *there, void *here)
    {
        const cudaStream_t stream = c->rounds.stream;
        const uint64_t n = c->tables->n_cells;
        for (uint64_t first = 0; first < n; first += AT_ONCE) {
            const uint32_t some = n - first < AT_ONCE ? (uint32_t)(n - first) : (uint32_t)AT_ONCE;
            const uint32_t blocks = some / THREADS + 1;
            real *const device = static_cast<real *>(there) + 2 * first;
            real *const host = static_cast<real *>(here) + first;
            const bool up = way == cudaMemcpyHostToDevice;
            if (!up)
                move_apart<<<blocks, THREADS, 0, stream>>>(device, 2, room, 1, some);
            WI_RETURN_IF_CUDA_FAILED(
                &c->device, "copy histories",
                cudaMemcpyAsync(up ? room : host, up ? host : room, some * sizeof(real), way, stream));
            if (up)
                move_apart<<<blocks, THREADS, 0, stream>>>(room, 1, device, 2, some);
            WI_RETURN_IF_CUDA_FAILED(&c->device, "copy histories", cudaStreamSynchronize(stream));
        }
        return WEIR_OK;
    }
};

template <typename real> static weir_status move_pasts(weir_diag *diag, cuda_solver *c, cudaMemcpyKind way)
{
    const fluid_state *const there = &c->rounds.device.s, *const here = c->host;
    void *memory = nullptr;
    WI_RETURN_IF_FAILED(wi_device_allocate(diag, &c->device, "room to copy histories",
                                           pasts<real>::AT_ONCE * sizeof(real), &memory));
    pasts<real> p = {c, static_cast<real *>(memory), way};
    weir_status st = p.move(diag, there->lag, here->lag);
    if (st == WEIR_OK)
        st = p.move(diag, there->keep, here->keep);
    if (st == WEIR_OK && c->tables->signals)
        st = p.move(diag, there->signal, here->signal);
    wi_device_release(&c->device, memory);
    return st;
}

/* What is per prefix, as the device and the host have it. */
static weir_status copy_pasts(weir_diag *diag, cuda_solver *c, cudaMemcpyKind way)
{
    return c->real == &wi_fluid_double ? move_pasts<double>(diag, c, way) : move_pasts<float>(diag, c, way);
}

/* The other arrays, one of them from and to the same place in both. */
static weir_status copy_others(weir_diag *diag, cuda_solver *c, cudaMemcpyKind way, wi_fluid_part wanted)
{
    const fluid_tables *const t = c->tables;
    const size_t real = c->real->bytes;
    const fluid_state *const there = &c->rounds.device.s, *const here = c->host;
    const bool up = way == cudaMemcpyHostToDevice;
#define X(field, size, n, part)                                              \
    if (((part) == WI_FLUID_SMALL || wanted == WI_FLUID_ALL) && (n) > 0)     \
        WI_RETURN_IF_CUDA_FAILED(&c->device, "copy " #field,                 \
                                 cudaMemcpy(up ? there->field : here->field, \
                                            up ? here->field : there->field, (uint64_t)(n) * (size), way));
    FLUID_OTHERS(X)
#undef X
    return WEIR_OK;
}

static weir_status fetch(weir_diag *diag, void *solver, wi_fluid_part wanted)
{
    cuda_solver *const c = (cuda_solver *)solver;
    if (c->known >= (int)wanted) /* flows and ports are read one by one */
        return WEIR_OK;
    weir_status st = wait_for(diag, c);
    if (st == WEIR_OK && wanted == WI_FLUID_ALL && !c->host->lag)
        st = wi_fluid_state_grow(diag, c->tables, c->real, c->host);
    if (st == WEIR_OK && wanted == WI_FLUID_ALL)
        st = copy_pasts(diag, c, cudaMemcpyDeviceToHost);
    if (st == WEIR_OK)
        st = copy_others(diag, c, cudaMemcpyDeviceToHost, wanted);
    if (st == WEIR_OK)
        c->known = (int)wanted;
    return st;
}

static weir_status store(weir_diag *diag, void *solver)
{
    cuda_solver *const c = (cuda_solver *)solver;
    WI_RETURN_IF_FAILED(wait_for(diag, c));
    WI_RETURN_IF_FAILED(copy_pasts(diag, c, cudaMemcpyHostToDevice));
    WI_RETURN_IF_FAILED(copy_others(diag, c, cudaMemcpyHostToDevice, WI_FLUID_ALL));
    WI_RETURN_IF_CUDA_FAILED(
        &c->device, "copy the time",
        cudaMemcpy(c->rounds.device.now, &c->host->now, sizeof c->host->now, cudaMemcpyHostToDevice));
    c->known = WI_FLUID_ALL;
    return WEIR_OK;
}

uint32_t wi_fluid_cuda_profile(weir_fluid *fluid, uint32_t blocks, double *stage_ms)
{
    if (fluid->backend != weir_fluid_cuda())
        return 0;
    cuda_solver *const c = (cuda_solver *)fluid->solver;
    const uint32_t n = c->tables->lookahead;
    const fluid_rounds *const r = &c->rounds;
    cudaEvent_t begin = nullptr, end = nullptr;
    bool well = wait_for(nullptr, c) == WEIR_OK && cudaEventCreate(&begin) == cudaSuccess &&
                cudaEventCreate(&end) == cudaSuccess;
    for (uint32_t stage = 0; stage < FLUID_STAGES; stage++)
        stage_ms[stage] = 0.0;
    for (uint32_t i = 0; i < blocks; i++)
        for (uint32_t stage = 0; stage < FLUID_STAGES && well; stage++) {
            float ms = 0.0f;
            well = cudaEventRecord(begin, r->stream) == cudaSuccess &&
                   r->kernels->stage(&r->device, stage, n, r->stream) == cudaSuccess &&
                   cudaEventRecord(end, r->stream) == cudaSuccess &&
                   cudaEventSynchronize(end) == cudaSuccess &&
                   cudaEventElapsedTime(&ms, begin, end) == cudaSuccess;
            stage_ms[stage] += ms;
        }
    (void)cudaEventDestroy(begin);
    (void)cudaEventDestroy(end);
    c->host->now += (int64_t)blocks * n;
    c->known = NOTHING;
    return well ? blocks * n : 0;
}

const weir_fluid_backend *weir_fluid_cuda(void)
{
    static const weir_fluid_backend backend = {"GPU", memory,   open_cuda, close_cuda, advance,  change,
                                               acks,  wait_for, fetch,     store,      exchange, history};
    return &backend;
}
