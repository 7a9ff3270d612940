/* The device of one computation: memory, transfers, waiting. */
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "routing/cuda/device.h"

#include <cuda_runtime.h>

#define ALIGN 256u

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

uint64_t wi_route_device_net_bytes(const wi_core *core, const wi_table *table)
{
    const uint64_t n = core->net.n, e = core->net.n_edges;
    const bool one_way =
        core->net.in_first != core->net.first; /* else edges into a node lie as those from it */
    return (1 + one_way) * aligned((n + 1) * 4) + (3 + one_way) * aligned(e * 4) + aligned(e * 2) +
           aligned(n) + aligned(n * 8) + aligned(table->n_bytes) + aligned(WI_NOTES * 4);
}

/* Take the next piece of the arena and, where there is a source, send it there. */
static cudaError_t send(uint8_t **at, uint64_t bytes, const void *source, const void **out)
{
    uint8_t *const to = *at;
    *out = to;
    *at += aligned(bytes);
    return source && bytes ? cudaMemcpy(to, source, bytes, cudaMemcpyHostToDevice) : cudaSuccess;
}

static cudaError_t send_net(wi_route_device *device)
{
    const wi_core *const core = device->fill->core;
    const wi_table *const table = device->fill->table;
    const wi_route_net *const net = &core->net;
    const uint64_t n = net->n, e = net->n_edges;
    uint8_t *at = (uint8_t *)device->d_arena;
    const void *first, *target, *cost, *in_first, *in_source, *in_cost, *port, *role, *row, *bytes, *note;
    cudaError_t error = send(&at, (n + 1) * 4, net->first, &first);
    error = error ? error : send(&at, e * 4, net->target, &target);
    error = error ? error : send(&at, e * 4, net->cost32, &cost);
    error = error ? error : send(&at, e * 4, net->in_cost32, &in_cost);
    in_first = first;
    in_source = target;
    if (net->in_first != net->first) {
        error = error ? error : send(&at, (n + 1) * 4, net->in_first, &in_first);
        error = error ? error : send(&at, e * 4, net->in_source, &in_source);
    }
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
    device->net.in_first = (const uint32_t *)in_first;
    device->net.in_source = (const uint32_t *)in_source;
    device->net.in_cost = (const uint32_t *)in_cost;
    device->net.port = (const uint16_t *)port;
    device->net.role = (const uint8_t *)role;
    device->net.row = (const uint64_t *)row;
    device->net.table = (uint8_t *)(uintptr_t)bytes;
    device->d_note = (uint32_t *)(uintptr_t)note;
    device->d_work = at;
    error = cudaMemset(device->net.table, 0xff, table->n_bytes);
    return error ? error : cudaMemset(device->d_note, 0, WI_NOTES * 4);
}

weir_status wi_route_device_open(const wi_fill *fill, wi_route_device *device)
{
    weir_diag *const diag = fill->diag;
    wi_device *const d = &device->device;
    const uint64_t work_bytes = fill->algorithm->device_bytes(fill->algorithm, fill->core);
    memset(device, 0, sizeof *device);
    device->fill = fill;
    int number = 0;
    (void)cudaGetDevice(&number); /* the one selected, or the first */
    WI_RETURN_IF_FAILED(wi_device_open(diag, d, number, "routes", "route on the CPU (--device cpu)"));
    const uint64_t net_bytes = wi_route_device_net_bytes(fill->core, fill->table),
                   need = net_bytes + work_bytes;
    const double start = wi_clock_s();
    const uint64_t there = wi_device_free_bytes(NULL);
    void *notes = NULL;
    if (need > there)
        return weir_fail(diag, WEIR_E_NOMEM,
                         "%s of %" PRIu32 " nodes needs %" PRIu64 " bytes on the device, %" PRIu64
                         " of them to work in; %" PRIu64 " are free there; route on the CPU (--device cpu)%s",
                         fill->algorithm->name, fill->core->net.n, need, work_bytes, there,
                         work_bytes > net_bytes ? ", or let the algorithm be chosen (--algorithm auto)" : "");
    WI_RETURN_IF_FAILED(wi_device_allocate(diag, d, "the graph and its table", need, &device->d_arena));
    WI_RETURN_IF_FAILED(wi_device_allocate_locked(diag, d, "what kernels note", WI_NOTES * 4, false, &notes));
    device->h_note = (uint32_t *)notes;
    memset(device->h_note, 0, WI_NOTES * 4);
    WI_RETURN_IF_CUDA_FAILED(d, "sending the graph", send_net(device));
    WI_RETURN_IF_CUDA_FAILED(d, "sending the graph", cudaDeviceSynchronize());
    device->started_s = wi_clock_s();
    fill->times->prepare_s += device->started_s - start;
    return WEIR_OK;
}

weir_status wi_route_device_wait(wi_route_device *device, const char *what)
{
    cudaError_t error = cudaGetLastError(); /* of the launches */
    if (!error)
        error = cudaMemcpy(device->h_note, device->d_note, WI_NOTES * 4, cudaMemcpyDeviceToHost);
    return wi_device_status(device->fill->diag, &device->device, what, error);
}

weir_status wi_route_device_fetch(wi_route_device *device)
{
    const double start = wi_clock_s();
    const wi_table *const table = device->fill->table;
    const cudaError_t error =
        table->n_bytes ? cudaMemcpy(table->bytes, device->net.table, table->n_bytes, cudaMemcpyDeviceToHost)
                       : cudaSuccess;
    device->fill->times->copy_s = wi_clock_s() - start;
    return wi_device_status(device->fill->diag, &device->device, "fetching the table", error);
}

void wi_route_device_close(wi_route_device *device)
{
    wi_device_close(&device->device);
    memset(device, 0, sizeof *device);
}
