/*
 * A CUDA device as a backend: state lives there; the host sees what it fetches.
 *
 * Whole blocks run as captured graphs of GRAPH_BLOCKS blocks each, so that launching costs the host next to
 * nothing; a rest is launched kernel by kernel.
 */
#include <cstdlib>
#include <cstring>

#include "fluid/device.h"

extern "C" {
#include "fluid/arrays.h"
}

enum { GRAPH_BLOCKS = 16 };

typedef struct cuda_solver {
    fluid_device device;
    const fluid_tables *tables;
    fluid_state *host;
    const fluid_kernels *kernels;
    bool double_precision;
    cudaStream_t stream;
    cudaGraphExec_t graph;
    uint64_t bytes; /* allocated */
} cuda_solver;

static weir_status cuda_failed(weir_diag *diag, cudaError_t error, const char *what)
{
    return weir_fail(diag, WEIR_E_DEVICE, "the fluid's solver on the GPU: %s: %s", what,
                     cudaGetErrorString(error));
}

#define TRY(call, what)                             \
    do {                                            \
        const cudaError_t error_ = (call);          \
        if (error_ != cudaSuccess)                  \
            return cuda_failed(diag, error_, what); \
    } while (0)

static uint64_t memory(void)
{
    size_t there = 0, total = 0;
    return cudaMemGetInfo(&there, &total) == cudaSuccess ? there / 100 * 95 : 0;
}

/* Device memory for n elements, with the host's content, or zeros where there is none. */
static weir_status make(weir_diag *diag, cuda_solver *c, uint64_t n, size_t size, const void *from,
                        void **out)
{
    const uint64_t bytes = (n ? n : 1) * size;
    *out = nullptr;
    if (cudaMalloc(out, bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        return weir_fail(
            diag, WEIR_E_NOMEM,
            "%.3g GB of GPU memory more than the %.3g GB that the fluid has; want fewer flows, a longer "
            "step, or the CPU",
            1e-9 * (double)bytes, 1e-9 * (double)c->bytes);
    }
    c->bytes += bytes;
    if (from && n > 0)
        TRY(cudaMemcpy(*out, from, n * size, cudaMemcpyHostToDevice), "copy to the device");
    else
        TRY(cudaMemset(*out, 0, bytes), "clear memory");
    return WEIR_OK;
}

static weir_status make_tables(weir_diag *diag, cuda_solver *c)
{
    const fluid_tables *const t = c->tables;
    weir_status st = WEIR_OK;
    c->device.t = *t;
#define X(field, type, n)        \
    c->device.t.field = nullptr; \
    if (st == WEIR_OK)           \
        st = make(diag, c, (n), sizeof(type), t->field, (void **)&c->device.t.field);
    FLUID_TABLES(X)
#undef X
    return st;
}

static weir_status make_state(weir_diag *diag, cuda_solver *c)
{
    const fluid_tables *const t = c->tables;
    const size_t real = c->double_precision ? sizeof(double) : sizeof(float);
    weir_status st = WEIR_OK;
#define X(field, size, n, part)                                                              \
    if (st == WEIR_OK)                                                                       \
        st = make(diag, c, (n), (size), (part) == WI_FLUID_SMALL ? c->host->field : nullptr, \
                  (void **)&c->device.s.field);
    FLUID_ARRAYS(X)
#undef X
    if (st == WEIR_OK)
        st = make(diag, c, (uint64_t)t->n_ports * t->n_kinds * t->lookahead, sizeof(double), nullptr,
                  (void **)&c->device.load);
    if (st == WEIR_OK)
        st = make(diag, c, 1, sizeof(int64_t), nullptr, (void **)&c->device.now);
    return st;
}

/* How many sets each level has. */
static weir_status make_levels(weir_diag *diag, cuda_solver *c)
{
    const fluid_tables *const t = c->tables;
    c->device.level_size =
        (uint32_t *)wi_fluid_array(diag, (uint64_t)t->n_levels + 1, sizeof *c->device.level_size, "sets");
    if (!c->device.level_size)
        return WEIR_E_NOMEM;
    for (uint32_t l = 0; l < t->n_levels; l++)
        c->device.level_size[l] = t->level_first[l + 1] - t->level_first[l];
    return WEIR_OK;
}

static cudaError_t block(const cuda_solver *c, uint32_t n)
{
    cudaError_t bad = cudaSuccess;
    for (uint32_t stage = 0; stage < FLUID_STAGES && bad == cudaSuccess; stage++)
        bad = c->kernels->stage(&c->device, stage, n, c->stream);
    return bad;
}

static weir_status capture(weir_diag *diag, cuda_solver *c)
{
    cudaGraph_t graph;
    cudaError_t bad = cudaSuccess;
    TRY(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal), "begin a graph");
    for (int i = 0; i < GRAPH_BLOCKS && bad == cudaSuccess; i++)
        bad = block(c, c->tables->lookahead);
    const cudaError_t end = cudaStreamEndCapture(c->stream, &graph);
    TRY(bad, "capture kernels");
    TRY(end, "end a graph");
    const cudaError_t made = cudaGraphInstantiate(&c->graph, graph, 0);
    (void)cudaGraphDestroy(graph);
    TRY(made, "make a graph");
    return WEIR_OK;
}

static weir_status start(weir_diag *diag, cuda_solver *c)
{
    TRY(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), "make a stream");
    weir_status st = make_tables(diag, c);
    if (st == WEIR_OK)
        st = make_levels(diag, c);
    if (st == WEIR_OK)
        st = make_state(diag, c);
    if (st != WEIR_OK)
        return st;
    TRY(cudaDeviceSynchronize(), "copy to the device");
    TRY(c->kernels->fill(&c->device, c->stream), "fill histories");
    TRY(cudaStreamSynchronize(c->stream), "fill histories");
    return capture(diag, c);
}

static void close_cuda(void *solver)
{
    cuda_solver *const c = (cuda_solver *)solver;
    if (!c)
        return;
    if (c->graph)
        (void)cudaGraphExecDestroy(c->graph);
#define X(field, type, n) (void)cudaFree(c->device.t.field);
    FLUID_TABLES(X)
#undef X
#define X(field, size, n, part) (void)cudaFree(c->device.s.field);
    FLUID_ARRAYS(X)
#undef X
    (void)cudaFree(c->device.load);
    (void)cudaFree(c->device.now);
    free(c->device.level_size);
    if (c->stream)
        (void)cudaStreamDestroy(c->stream);
    free(c);
}

static weir_status open_cuda(weir_diag *diag, const weir_fluid_options *options, const fluid_tables *tables,
                             fluid_state *host, void **out)
{
    int devices = 0;
    *out = nullptr;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        (void)cudaGetLastError();
        return weir_fail(diag, WEIR_E_UNSUPPORTED,
                         "the fluid's solver finds no GPU that CUDA can use; want the CPU");
    }
    cuda_solver *const c = (cuda_solver *)wi_fluid_array(diag, 1, sizeof *c, "solver");
    if (!c)
        return WEIR_E_NOMEM;
    c->tables = tables;
    c->host = host;
    c->double_precision = options->double_precision;
    c->kernels = options->double_precision ? &fluid_kernels_double : &fluid_kernels_single;
    const weir_status st = start(diag, c);
    if (st == WEIR_OK)
        *out = c;
    else
        close_cuda(c);
    return st;
}

static weir_status advance(weir_diag *diag, void *solver, uint32_t steps)
{
    cuda_solver *const c = (cuda_solver *)solver;
    const uint32_t whole = c->tables->lookahead;
    uint32_t left = steps;
    for (; left / whole >= GRAPH_BLOCKS; left -= GRAPH_BLOCKS * whole)
        TRY(cudaGraphLaunch(c->graph, c->stream), "launch a graph");
    while (left > 0) {
        const uint32_t n = left < whole ? left : whole;
        TRY(block(c, n), "launch a block");
        left -= n;
    }
    TRY(cudaStreamSynchronize(c->stream), "run the solver");
    c->host->now += steps;
    return WEIR_OK;
}

static weir_status fetch(weir_diag *diag, void *solver, wi_fluid_part wanted)
{
    cuda_solver *const c = (cuda_solver *)solver;
    const fluid_tables *const t = c->tables;
    const size_t real = c->double_precision ? sizeof(double) : sizeof(float);
    if (wanted == WI_FLUID_ALL && !c->host->lag) {
        const weir_status st = wi_fluid_state_grow(diag, t, c->double_precision, c->host);
        if (st != WEIR_OK)
            return st;
    }
#define X(field, size, n, part)                                                       \
    if ((part) == WI_FLUID_SMALL || wanted == WI_FLUID_ALL)                           \
        if ((n) > 0)                                                                  \
            TRY(cudaMemcpy(c->host->field, c->device.s.field, (uint64_t)(n) * (size), \
                           cudaMemcpyDeviceToHost),                                   \
                "fetch " #field);
    FLUID_ARRAYS(X)
#undef X
    return WEIR_OK;
}

static weir_status push(weir_diag *diag, void *solver)
{
    cuda_solver *const c = (cuda_solver *)solver;
    const fluid_tables *const t = c->tables;
    const size_t size = sizeof(double);
    TRY(cudaMemcpy(c->device.s.queue, c->host->queue, t->n_ports * size, cudaMemcpyHostToDevice),
        "put queues");
    TRY(cudaMemcpy(c->device.s.packets, c->host->packets, t->n_ports * size, cudaMemcpyHostToDevice),
        "put packets");
    TRY(cudaMemcpy(c->device.s.own_lag, c->host->own_lag, t->n_own * size, cudaMemcpyHostToDevice),
        "put lags");
    return WEIR_OK;
}

uint32_t wi_fluid_cuda_profile(weir_fluid *fluid, uint32_t blocks, double *stage_ms)
{
    if (fluid->backend != weir_fluid_cuda())
        return 0;
    cuda_solver *const c = (cuda_solver *)fluid->solver;
    const uint32_t n = c->tables->lookahead;
    cudaEvent_t begin = nullptr, end = nullptr;
    bool well = cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess;
    for (uint32_t stage = 0; stage < FLUID_STAGES; stage++)
        stage_ms[stage] = 0.0;
    for (uint32_t i = 0; i < blocks; i++)
        for (uint32_t stage = 0; stage < FLUID_STAGES && well; stage++) {
            float ms = 0.0f;
            well = cudaEventRecord(begin, c->stream) == cudaSuccess &&
                   c->kernels->stage(&c->device, stage, n, c->stream) == cudaSuccess &&
                   cudaEventRecord(end, c->stream) == cudaSuccess &&
                   cudaEventSynchronize(end) == cudaSuccess &&
                   cudaEventElapsedTime(&ms, begin, end) == cudaSuccess;
            stage_ms[stage] += ms;
        }
    (void)cudaEventDestroy(begin);
    (void)cudaEventDestroy(end);
    c->host->now += (int64_t)blocks * n;
    return well ? blocks * n : 0;
}

const weir_fluid_backend *weir_fluid_cuda(void)
{
    static const weir_fluid_backend backend = {"GPU", memory, open_cuda, close_cuda, advance, fetch, push};
    return &backend;
}
