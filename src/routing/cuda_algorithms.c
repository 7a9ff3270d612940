/* The algorithms of the CUDA device: which there are, and for what. The .cu files do the work. */
#include "routing/choose.h"
#include "routing/cuda/device.h"

#ifndef WEIR_HAVE_CUDA

const wi_family wi_cuda_family;

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

static const char *differ(const wi_core *core)
{
    return wi_equal_costs(core) ? NULL : "costs differ from link to link; it takes equal costs only";
}

static const char *long_for_16(const wi_core *core)
{
    if (core->net.costs.high > UINT16_MAX / 4 || core->reach > (UINT16_MAX - core->net.costs.high) / 2)
        return "paths may be too long for 16 bits";
    return NULL;
}

static const char *long_for_15(const wi_core *core)
{
    return core->reach > INT16_MAX / 2 ? "paths may be too long for 16 bits" : NULL;
}

/* Open, compute, close; and fetch the table first where there is one. */
static weir_status whole(const wi_fill *fill, wi_batch_end *end)
{
    wi_route_device device;
    weir_status status = wi_route_device_open(fill, &device);
    *end = WI_BATCH_DONE;
    status = status ?: fill->algorithm->on_device(&device);
    if (status == WEIR_OK && device.h_note[WI_NOTE_OVERFLOW])
        *end = WI_BATCH_OVERFLOW;
    else if (status == WEIR_OK)
        status = wi_route_device_fetch(&device);
    wi_route_device_close(&device);
    return status;
}

static const wi_algorithm cuda_floyd32 = {.name = "CUDA Floyd-Warshall, 32 bits",
                                          .wider = &wi_trees,
                                          .lane = 4,
                                          .whole = whole,
                                          .device_bytes = wi_floyd_device_bytes,
                                          .on_device = wi_floyd_device};
static const wi_algorithm cuda_floyd16 = {.name = "CUDA Floyd-Warshall, 16 bits",
                                          .wider = &cuda_floyd32,
                                          .lane = 2,
                                          .refuses = long_for_15,
                                          .whole = whole,
                                          .device_bytes = wi_floyd_device_bytes,
                                          .on_device = wi_floyd_device};
static const wi_algorithm cuda_paper = {.name = "CUDA Floyd-Warshall of the paper",
                                        .lane = 4,
                                        .whole = whole,
                                        .device_bytes = wi_floyd_paper_bytes,
                                        .on_device = wi_floyd_paper_device};
static const wi_algorithm cuda_bits = {.name = "CUDA bit-parallel search",
                                       .lane = 8,
                                       .refuses = differ,
                                       .whole = whole,
                                       .device_bytes = wi_bits_device_bytes,
                                       .on_device = wi_bits_device};
static const wi_algorithm cuda_batched32 = {.name = "CUDA batched relaxation, 32 bits",
                                            .wider = &wi_trees,
                                            .lane = 4,
                                            .whole = whole,
                                            .device_bytes = wi_relax_device_bytes,
                                            .on_device = wi_relax_device};
static const wi_algorithm cuda_batched16 = {.name = "CUDA batched relaxation, 16 bits",
                                            .wider = &cuda_batched32,
                                            .lane = 2,
                                            .refuses = long_for_16,
                                            .whole = whole,
                                            .device_bytes = wi_relax_device_bytes,
                                            .on_device = wi_relax_device};

/* A large matrix is for sparse algorithms, even where links are many: 32,768 nodes take them a second. */
const wi_family wi_cuda_family = {.of = {[WEIR_ROUTE_BIT_PARALLEL] = &cuda_bits,
                                         [WEIR_ROUTE_BATCHED] = &cuda_batched16,
                                         [WEIR_ROUTE_FLOYD] = &cuda_floyd16,
                                         [WEIR_ROUTE_FLOYD_PAPER] = &cuda_paper},
                                  .lacks = "single trees are computed on the CPU only",
                                  .deep_levels = UINT32_MAX,
                                  .dense_nodes = 49152,
                                  .dense_part = 64};

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
    return wi_route_device_net_bytes(core, table) + algorithm->device_bytes(algorithm, core) <=
           wi_device_free_bytes(NULL);
}

#endif
