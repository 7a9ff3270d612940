/* Memory of the GPU engine and of batches, on the device and for what the host knows of it. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/device.h"
#include "engine/gpu/round/device.h"
#include "engine/gpu/round/round.h"

namespace
{

enum { ROUNDS_IN_GRAPH = 32 };

} // namespace

struct wi_gpu_device {
    const weir_gpu_program *program;
    wi_gpu_options options;
    wi_device device;
    wi_gpu g;              /* as kernels see it */
    uint64_t round_events; /* mean of the last launch */
    uint32_t few_blocks;   /* one a multiprocessor: for rounds of few events */
    uint32_t n_runs;       /* that are on the device so far */
    bool rings;            /* entities have rings for what leaves them in order */
    wi_gpu_run *runs;      /* [n_runs] host's copy: pointers and sizes; windows are the device's */
    wi_gpu_run *looked;    /* [n_runs] as the device had them at the last look */
    weir_time *low;        /* [n_runs] least pending time at the last look */
    wi_gpu_status status;  /* as of the last look */
    unsigned char *records;
    size_t records_bytes; /* room in them */
    cudaStream_t stream;
    cudaGraphExec_t graph; /* ROUNDS_IN_GRAPH rounds of the host-driven variant; null: to be made */
    wi_gpu_fault fault;
};

static double gigabytes(uint64_t bytes)
{
    return (double)bytes / 1e9;
}

template <class T>
static weir_status allocate(weir_diag *diag, wi_gpu_device *d, const char *what, T **at, uint64_t n)
{
    void *memory = nullptr;
    const weir_status status = wi_device_allocate(diag, &d->device, what, n * sizeof(T), &memory);
    *at = static_cast<T *>(memory);
    return status;
}

template <class T>
static weir_status upload(weir_diag *diag, wi_gpu_device *d, const char *what, T **at, const void *from,
                          size_t bytes)
{
    void *memory = nullptr;
    const weir_status status = wi_device_upload(diag, &d->device, what, from, bytes, d->stream, &memory);
    *at = static_cast<T *>(memory);
    return status;
}

/* Copies to and from the device in d's stream, which the host does not wait for, and zeros. */
static inline weir_status copy_in(weir_diag *diag, wi_gpu_device *d, const char *what, void *to,
                                  const void *from, size_t bytes)
{
    return wi_device_status(diag, &d->device, what,
                            cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, d->stream));
}

static inline weir_status copy_out(weir_diag *diag, wi_gpu_device *d, const char *what, void *to,
                                   const void *from, size_t bytes)
{
    return wi_device_status(diag, &d->device, what,
                            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, d->stream));
}

static inline weir_status zero(weir_diag *diag, wi_gpu_device *d, const char *what, void *at, size_t bytes)
{
    return wi_device_status(diag, &d->device, what, cudaMemsetAsync(at, 0, bytes, d->stream));
}

/* Wait for all in d's stream. */
static inline weir_status wait_for(weir_diag *diag, wi_gpu_device *d, const char *what)
{
    return wi_device_status(diag, &d->device, what, cudaStreamSynchronize(d->stream));
}

/* Copy from the device, and wait for it. */
static inline weir_status read_back(weir_diag *diag, wi_gpu_device *d, const char *what, void *to,
                                    const void *from, size_t bytes)
{
    return wi_device_status(diag, &d->device, what, cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

/* Each thread takes all that stands a grid apart. An emulated device starts its threads one by one: it has a smaller grid. */
#ifndef WI_GPU_MOVE_BLOCKS
#define WI_GPU_MOVE_BLOCKS 1024
#endif
enum { WI_GPU_MOVE_THREADS = 256 };

template <class T> static __global__ void wi_gpu_fill(T *at, T value, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        at[i] = value;
}

/* Memory of the host, zeros; null with a message where there is none. */
template <class T> static T *host_memory(weir_diag *diag, const char *what, uint64_t n)
{
    T *const at = static_cast<T *>(calloc(n ? n : 1, sizeof(T)));
    if (!at)
        (void)weir_fail(diag, WEIR_E_NOMEM, "no memory of the host for %s (%.3f GB)", what,
                        gigabytes(n * sizeof(T)));
    return at;
}
