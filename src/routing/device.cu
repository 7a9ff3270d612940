/* The device of one computation: memory, transfers, waiting. */
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "routing/device.h"

#define ALIGN 256u

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static weir_status failed(wi_device *device, cudaError_t error, const char *what)
{
    return weir_fail(device->fill->diag, WEIR_E_DEVICE, "CUDA device: %s: %s", what,
                     cudaGetErrorString(error));
}

bool wi_device_present(char *why, size_t size)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return true;
    (void)cudaGetLastError();
    snprintf(why, size, "no GPU that CUDA can use: %s",
             error == cudaSuccess ? "none found" : cudaGetErrorString(error));
    return false;
}

bool wi_device_select(int number, char *why, size_t size)
{
    int count = 0;
    if (!wi_device_present(why, size))
        return false;
    (void)cudaGetDeviceCount(&count);
    const cudaError_t error = number >= 0 && number < count ? cudaSetDevice(number) : cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    snprintf(why, size, "CUDA device %d cannot be used: %s; there are %d, from 0", number,
             cudaGetErrorString(error), count);
    return false;
}

uint64_t wi_device_net_bytes(const wi_core *core, const wi_table *table)
{
    const uint64_t n = core->net.n, e = core->net.n_edges;
    return aligned((n + 1) * 4) + 3 * aligned(e * 4) + aligned(e * 2) + aligned(n) + aligned(n * 8) +
           aligned(table->n_bytes) + aligned(WI_NOTES * 4);
}

/* Take the next piece of the arena and, where there is a source, send it there. */
static cudaError_t send(uint8_t **at, uint64_t bytes, const void *source, const void **out)
{
    uint8_t *const to = *at;
    *out = to;
    *at += aligned(bytes);
    return source && bytes ? cudaMemcpy(to, source, bytes, cudaMemcpyHostToDevice) : cudaSuccess;
}

static cudaError_t send_net(wi_device *device)
{
    const wi_core *const core = device->fill->core;
    const wi_table *const table = device->fill->table;
    const wi_net *const net = &core->net;
    const uint64_t n = net->n, e = net->n_edges;
    uint8_t *at = (uint8_t *)device->d_arena;
    const void *first, *target, *cost, *back, *port, *role, *row, *bytes, *note;
    cudaError_t error = send(&at, (n + 1) * 4, net->first, &first);
    error = error ? error : send(&at, e * 4, net->target, &target);
    error = error ? error : send(&at, e * 4, net->cost, &cost);
    error = error ? error : send(&at, e * 4, net->back, &back);
    error = error ? error : send(&at, e * 2, net->port, &port);
    error = error ? error : send(&at, n, net->role, &role);
    error = error ? error : send(&at, n * 8, table->row, &row);
    error = error ? error : send(&at, table->n_bytes, NULL, &bytes);
    error = error ? error : send(&at, WI_NOTES * 4, NULL, &note);
    if (error)
        return error;
    device->net.n = net->n;
    device->net.n_edges = net->n_edges;
    device->net.first = (const uint32_t *)first;
    device->net.target = (const uint32_t *)target;
    device->net.cost = (const uint32_t *)cost;
    device->net.back = (const uint32_t *)back;
    device->net.port = (const uint16_t *)port;
    device->net.role = (const uint8_t *)role;
    device->net.row = (const uint64_t *)row;
    device->net.table = (uint8_t *)(uintptr_t)bytes;
    device->d_note = (uint32_t *)(uintptr_t)note;
    device->d_work = at;
    error = cudaMemset(device->net.table, 0xff, table->n_bytes);
    return error ? error : cudaMemset(device->d_note, 0, WI_NOTES * 4);
}

uint64_t wi_device_free_bytes(void)
{
    size_t there = 0, total = 0;
    if (cudaMemGetInfo(&there, &total) == cudaSuccess)
        return there;
    (void)cudaGetLastError();
    return 0;
}

weir_status wi_device_open(const wi_fill *fill, wi_device *device)
{
    const uint64_t work_bytes = fill->algorithm->device_bytes(fill->core);
    char why[200];
    memset(device, 0, sizeof *device);
    device->fill = fill;
    if (!wi_device_present(why, sizeof why))
        return weir_fail(fill->diag, WEIR_E_UNSUPPORTED, "%s; route on the CPU (--device cpu)", why);
    const uint64_t net_bytes = wi_device_net_bytes(fill->core, fill->table), need = net_bytes + work_bytes;
    const double start = wi_seconds();
    const uint64_t there = wi_device_free_bytes();
    cudaError_t error;
    if (need > there)
        return weir_fail(fill->diag, WEIR_E_NOMEM,
                         "%s of %" PRIu32 " nodes needs %" PRIu64 " bytes on the device, %" PRIu64
                         " of them to work in; %" PRIu64 " are free there; route on the CPU (--device cpu)%s",
                         fill->algorithm->name, fill->core->net.n, need, work_bytes, there,
                         work_bytes > net_bytes ? ", or let the algorithm be chosen (--algorithm auto)" : "");
    if ((error = cudaMalloc(&device->d_arena, need)) != cudaSuccess)
        return failed(device, error, "allocating memory");
    if ((error = cudaMallocHost((void **)&device->h_note, WI_NOTES * 4)) != cudaSuccess)
        return failed(device, error, "allocating pinned memory");
    memset(device->h_note, 0, WI_NOTES * 4);
    if ((error = send_net(device)) != cudaSuccess || (error = cudaDeviceSynchronize()) != cudaSuccess)
        return failed(device, error, "sending the graph");
    device->started_s = wi_seconds();
    fill->times->prepare_s += device->started_s - start;
    return WEIR_OK;
}

weir_status wi_device_wait(wi_device *device, const char *what)
{
    cudaError_t error = cudaGetLastError(); /* of the launches */
    if (!error)
        error = cudaMemcpy(device->h_note, device->d_note, WI_NOTES * 4, cudaMemcpyDeviceToHost);
    return error ? failed(device, error, what) : WEIR_OK;
}

weir_status wi_device_fetch(wi_device *device)
{
    const double start = wi_seconds();
    const wi_table *const table = device->fill->table;
    const cudaError_t error =
        table->n_bytes ? cudaMemcpy(table->bytes, device->net.table, table->n_bytes, cudaMemcpyDeviceToHost)
                       : cudaSuccess;
    device->fill->times->copy_s = wi_seconds() - start;
    return error ? failed(device, error, "fetching the table") : WEIR_OK;
}

void wi_device_close(wi_device *device)
{
    cudaFree(device->d_arena);
    cudaFreeHost(device->h_note);
    (void)cudaGetLastError();
    memset(device, 0, sizeof *device);
}
