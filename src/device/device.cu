/* See device.h. */
#include "device/device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

struct wi_device_block {
    void *at;
    uint64_t bytes;
    bool locked; /* of the host's memory */
};

static double gigabytes(uint64_t bytes)
{
    return (double)bytes / 1e9;
}

/* ---- which there are ---- */

/* How many there are; 0 with the reason in `why`. */
static int count_devices(char *why, size_t size)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return count;
    (void)cudaGetLastError();
    int driver = 0;
    /* Without a driver CUDA says that its version is insufficient; that version is 0 then. */
    if (error == cudaErrorInsufficientDriver && (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0))
        snprintf(why, size, "no GPU driver (libcuda.so.1) on this machine");
    else
        snprintf(why, size, "no GPU that CUDA can use: %s",
                 error == cudaSuccess ? "none found" : cudaGetErrorString(error));
    return 0;
}

bool wi_device_present(char *why, size_t size)
{
    return count_devices(why, size) > 0;
}

bool wi_device_select(int number, char *why, size_t size)
{
    const int count = count_devices(why, size);
    if (count == 0)
        return false;
    const cudaError_t error = number >= 0 && number < count ? cudaSetDevice(number) : cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    snprintf(why, size, "CUDA device %d cannot be used: %s; there are %d, from 0", number,
             cudaGetErrorString(error), count);
    return false;
}

bool wi_device_describe(int number, char *text, size_t size)
{
    cudaDeviceProp p;
    char why[160];
    const int count = count_devices(why, sizeof why);
    if (count == 0) {
        snprintf(text, size, "none: %s", why);
        return false;
    }
    /* Its properties are known in a child of a process that has opened CUDA, too, which cannot use it. */
    if (number < 0 || number >= count || cudaGetDeviceProperties(&p, number) != cudaSuccess ||
        cudaSetDevice(number) != cudaSuccess) {
        (void)cudaGetLastError();
        snprintf(text, size, "none: no device %d that answers; there are %d, from 0", number, count);
        return false;
    }
    snprintf(text, size, "%s, %d multiprocessors, %.1f GB of memory, compute capability %d.%d", p.name,
             p.multiProcessorCount, gigabytes(p.totalGlobalMem), p.major, p.minor);
    return true;
}

uint64_t wi_device_free_bytes(uint64_t *total)
{
    size_t there = 0, all = 0;
    if (cudaMemGetInfo(&there, &all) != cudaSuccess) {
        (void)cudaGetLastError();
        there = all = 0;
    }
    if (total)
        *total = all;
    return there;
}

/* ---- opening and closing ---- */

weir_status wi_device_open(weir_diag *diag, wi_device *d, int number, const char *user, const char *remedy)
{
    char why[200];
    memset(d, 0, sizeof *d);
    d->number = number;
    d->user = user;
    d->remedy = remedy;
    if (!wi_device_select(number, why, sizeof why))
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "%s: %s; %s", user, why, remedy);
    return WEIR_OK;
}

static void free_block(const wi_device_block *b)
{
    if (b->locked)
        (void)cudaFreeHost(b->at);
    else
        (void)cudaFree(b->at);
}

void wi_device_close(wi_device *d)
{
    for (size_t i = 0; i < d->n_blocks; i++)
        free_block(&d->blocks[i]);
    free(d->blocks);
    memset(d, 0, sizeof *d);
}

/* ---- errors ---- */

weir_status wi_device_status(weir_diag *diag, wi_device *d, const char *what, int error)
{
    if (error == cudaSuccess)
        return WEIR_OK;
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return weir_fail(diag, WEIR_E_NOMEM, "CUDA device %d: no memory for %s (%s); %s", d->number, what,
                         d->user, d->remedy);
    }
    d->lost = true;
    return weir_fail(diag, WEIR_E_DEVICE, "CUDA device %d failed at %s (%s): %s", d->number, what, d->user,
                     cudaGetErrorString((cudaError_t)error));
}

static weir_status too_little(weir_diag *diag, const wi_device *d, const char *what, uint64_t bytes)
{
    uint64_t total = 0;
    (void)cudaGetLastError();
    const uint64_t there = wi_device_free_bytes(&total);
    return weir_fail(diag, WEIR_E_NOMEM,
                     "CUDA device %d: %s need %.3f GB, %.3f GB of %.1f are free, and %s has %.3f GB; %s",
                     d->number, what, gigabytes(bytes), gigabytes(there), gigabytes(total), d->user,
                     gigabytes(d->bytes), d->remedy);
}

/* ---- memory ---- */

/* Room in the list for one more, before anything is allocated that it would have to hold. */
static weir_status reserve_block(weir_diag *diag, wi_device *d)
{
    if (d->n_blocks < d->block_room)
        return WEIR_OK;
    const size_t room = d->block_room ? 2 * d->block_room : 32;
    wi_device_block *const more =
        static_cast<wi_device_block *>(realloc(d->blocks, room * sizeof *d->blocks));
    if (!more)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to list what %s has on the device", d->user);
    d->blocks = more;
    d->block_room = room;
    return WEIR_OK;
}

/* Where memory is: on the device, or the host's and locked, and reachable for kernels. */
enum memory_kind { ON_DEVICE, LOCKED, MAPPED };

static weir_status allocate(weir_diag *diag, wi_device *d, const char *what, uint64_t bytes, memory_kind kind,
                            void **at)
{
    const bool locked = kind != ON_DEVICE;
    *at = nullptr;
    WI_RETURN_IF_FAILED(reserve_block(diag, d));
    const uint64_t room = bytes ? bytes : 1;
    void *memory = nullptr;
    const cudaError_t error =
        locked ? cudaHostAlloc(&memory, room, kind == MAPPED ? cudaHostAllocMapped : cudaHostAllocDefault)
               : cudaMalloc(&memory, room);
    if (error == cudaErrorMemoryAllocation && !locked)
        return too_little(diag, d, what, room);
    WI_RETURN_IF_CUDA_FAILED(d, what, error);
    const wi_device_block block = {memory, room, locked};
    d->blocks[d->n_blocks++] = block;
    d->bytes += locked ? 0 : room;
    *at = memory;
    return WEIR_OK;
}

weir_status wi_device_allocate(weir_diag *diag, wi_device *d, const char *what, uint64_t bytes, void **at)
{
    return allocate(diag, d, what, bytes, ON_DEVICE, at);
}

weir_status wi_device_allocate_locked(weir_diag *diag, wi_device *d, const char *what, uint64_t bytes,
                                      bool mapped, void **at)
{
    return allocate(diag, d, what, bytes, mapped ? MAPPED : LOCKED, at);
}

weir_status wi_device_upload(weir_diag *diag, wi_device *d, const char *what, const void *from,
                             uint64_t bytes, void *stream, void **at)
{
    WI_RETURN_IF_FAILED(wi_device_allocate(diag, d, what, bytes, at));
    if (bytes == 0)
        return WEIR_OK;
    const cudaError_t error =
        stream ? cudaMemcpyAsync(*at, from, bytes, cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream))
               : cudaMemcpy(*at, from, bytes, cudaMemcpyHostToDevice);
    return wi_device_status(diag, d, what, error);
}

weir_status wi_device_allocate_zeroed(weir_diag *diag, wi_device *d, const char *what, uint64_t bytes,
                                      void **at)
{
    WI_RETURN_IF_FAILED(wi_device_allocate(diag, d, what, bytes, at));
    return wi_device_status(diag, d, what, cudaMemset(*at, 0, bytes ? bytes : 1));
}

void wi_device_release(wi_device *d, void *at)
{
    for (size_t i = 0; at && i < d->n_blocks; i++)
        if (d->blocks[i].at == at) {
            free_block(&d->blocks[i]);
            d->bytes -= d->blocks[i].locked ? 0 : d->blocks[i].bytes;
            d->blocks[i] = d->blocks[--d->n_blocks];
            return;
        }
}
