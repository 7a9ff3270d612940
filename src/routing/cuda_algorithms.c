/* The algorithms of the CUDA device: which there are, and for what. The .cu files do the work. */
#include "routing/cuda/device.h"
#include "routing/cuda_algorithms.h"

#ifndef WEIR_HAVE_CUDA

const wi_algorithm *wi_choose_cuda(const wi_core *core, weir_route_algorithm asked, const char **reason)
{
    (void)core, (void)asked;
    (void)wi_cuda_ready(reason);
    return NULL;
}

bool wi_cuda_ready(const char **why)
{
    *why = "this weir was built without CUDA; route on the CPU (--device cpu)";
    return false;
}

bool wi_cuda_select(int number, const char **why)
{
    (void)number;
    return wi_cuda_ready(why);
}

bool wi_cuda_fits(const wi_algorithm *algorithm, const wi_core *core, const wi_table *table)
{
    (void)algorithm, (void)core, (void)table;
    return false;
}

#else

/* So large a matrix is for sparse algorithms, even where links are many: 32,768 nodes take them a second. */
#define DENSE_NODES 49152u

static const char *large_for_32(const wi_core *core)
{
    return core->net.cost32 ? NULL : "some costs are above 2^24, past what a device's distances hold";
}

static const char *differ(const wi_core *core)
{
    return wi_equal_costs(core) ? NULL : "costs differ from link to link; it takes equal costs only";
}

static const char *long_for_16(const wi_core *core)
{
    if (core->costs.high > UINT16_MAX / 4 || core->reach > (UINT16_MAX - core->costs.high) / 2)
        return "paths may be too long for 16 bits";
    return NULL;
}

static const char *long_for_15(const wi_core *core)
{
    return core->reach > INT16_MAX / 2 || !core->net.cost32 ? "paths may be too long for 16 bits" : NULL;
}

static uint64_t nothing(const wi_core *core)
{
    (void)core;
    return 0;
}

static uint64_t floyd_narrow_bytes(const wi_core *core)
{
    return wi_floyd_device_bytes(core, false);
}

static uint64_t floyd_wide_bytes(const wi_core *core)
{
    return wi_floyd_device_bytes(core, true);
}

/* Close, and fetch the table first where there is one. */
static weir_status finish(wi_route_device *device, weir_status status, wi_batch_end *end)
{
    *end = WI_BATCH_DONE;
    if (status == WEIR_OK && device->h_note[WI_NOTE_OVERFLOW])
        *end = WI_BATCH_OVERFLOW;
    else if (status == WEIR_OK)
        status = wi_route_device_fetch(device);
    wi_route_device_close(device);
    return status;
}

static weir_status floyd(const wi_fill *fill, wi_batch_end *end, bool wide)
{
    wi_route_device device;
    weir_status status = wi_route_device_open(fill, &device);
    if (status == WEIR_OK)
        status = wi_floyd_device(&device, wide);
    return finish(&device, status, end);
}

static weir_status floyd_narrow(const wi_fill *fill, wi_batch_end *end)
{
    return floyd(fill, end, false);
}

static weir_status floyd_wide(const wi_fill *fill, wi_batch_end *end)
{
    return floyd(fill, end, true);
}

static weir_status floyd_paper(const wi_fill *fill, wi_batch_end *end)
{
    wi_route_device device;
    weir_status status = wi_route_device_open(fill, &device);
    if (status == WEIR_OK)
        status = wi_floyd_paper_device(&device);
    return finish(&device, status, end);
}

static weir_status bits(const wi_fill *fill, wi_batch_end *end)
{
    wi_route_device device;
    uint32_t hops = 0;
    weir_status status = wi_route_device_open(fill, &device);
    if (status == WEIR_OK)
        status = wi_bits_device(&device, &hops);
    status = finish(&device, status, end);
    if (status == WEIR_OK && !wi_hops_fit(fill->core, hops))
        *end = WI_BATCH_OVERFLOW;
    return status;
}

static weir_status relax(const wi_fill *fill, wi_batch_end *end, bool wide)
{
    wi_route_device device;
    weir_status status = wi_route_device_open(fill, &device);
    if (status == WEIR_OK)
        status = wi_relax_device(&device, wide);
    return finish(&device, status, end);
}

static weir_status relax_narrow(const wi_fill *fill, wi_batch_end *end)
{
    return relax(fill, end, false);
}

static weir_status relax_wide(const wi_fill *fill, wi_batch_end *end)
{
    return relax(fill, end, true);
}

static const wi_algorithm cuda_floyd32 = {.name = "CUDA Floyd-Warshall, 32 bits",
                                          .wider = &wi_trees,
                                          .refuses = large_for_32,
                                          .space_bytes = nothing,
                                          .device_bytes = floyd_wide_bytes,
                                          .whole = floyd_wide};
static const wi_algorithm cuda_floyd16 = {.name = "CUDA Floyd-Warshall, 16 bits",
                                          .wider = &cuda_floyd32,
                                          .refuses = long_for_15,
                                          .space_bytes = nothing,
                                          .device_bytes = floyd_narrow_bytes,
                                          .whole = floyd_narrow};
static const wi_algorithm cuda_paper = {.name = "CUDA Floyd-Warshall of the paper",
                                        .refuses = large_for_32,
                                        .space_bytes = nothing,
                                        .device_bytes = wi_floyd_paper_bytes,
                                        .whole = floyd_paper};
static const wi_algorithm cuda_bits = {.name = "CUDA bit-parallel search",
                                       .refuses = differ,
                                       .space_bytes = nothing,
                                       .device_bytes = wi_bits_device_bytes,
                                       .whole = bits};
static const wi_algorithm cuda_batched32 = {.name = "CUDA batched relaxation, 32 bits",
                                            .wider = &wi_trees,
                                            .refuses = large_for_32,
                                            .space_bytes = nothing,
                                            .device_bytes = wi_relax_device_bytes,
                                            .whole = relax_wide};
static const wi_algorithm cuda_batched16 = {.name = "CUDA batched relaxation, 16 bits",
                                            .wider = &cuda_batched32,
                                            .refuses = long_for_16,
                                            .space_bytes = nothing,
                                            .device_bytes = wi_relax_device_bytes,
                                            .whole = relax_narrow};

/* The narrower of two, or the wide one, which may refuse the core too. */
static const wi_algorithm *narrow_on_device(const wi_core *core, const wi_algorithm *narrow)
{
    return narrow->refuses(core) ? narrow->wider : narrow;
}

bool wi_cuda_ready(const char **why)
{
    static _Thread_local char text[200];
    *why = text;
    return wi_device_present(text, sizeof text);
}

bool wi_cuda_select(int number, const char **why)
{
    static _Thread_local char text[200];
    *why = text;
    return wi_device_select(number, text, sizeof text);
}

bool wi_cuda_fits(const wi_algorithm *algorithm, const wi_core *core, const wi_table *table)
{
    return wi_route_device_net_bytes(core, table) + algorithm->device_bytes(core) <=
           wi_device_free_bytes(NULL);
}

const wi_algorithm *wi_choose_cuda(const wi_core *core, weir_route_algorithm asked, const char **reason)
{
    if (!wi_cuda_ready(reason))
        return NULL;
    *reason = "as asked";
    switch (asked) {
    case WEIR_ROUTE_FLOYD:
        return narrow_on_device(core, &cuda_floyd16);
    case WEIR_ROUTE_FLOYD_PAPER:
        return &cuda_paper;
    case WEIR_ROUTE_BIT_PARALLEL:
        return &cuda_bits;
    case WEIR_ROUTE_BATCHED:
        return narrow_on_device(core, &cuda_batched16);
    case WEIR_ROUTE_TREES:
        *reason = "single trees are computed on the CPU only";
        return NULL;
    case WEIR_ROUTE_AUTO:
        if (wi_equal_costs(core)) {
            *reason = "all costs equal";
            return &cuda_bits;
        }
        if (core->net.n <= DENSE_NODES && core->net.n_edges / 2 > (uint64_t)core->net.n * core->net.n / 64) {
            *reason = "costs differ, dense";
            return narrow_on_device(core, &cuda_floyd16);
        }
        *reason = "costs differ";
        return narrow_on_device(core, &cuda_batched16);
    }
    *reason = "what was asked for is no weir_route_algorithm";
    return NULL;
}

#endif
