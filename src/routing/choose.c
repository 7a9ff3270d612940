/* Which algorithm computes a table, and why. */
#include "routing/choose.h"

/* Below so many entries a device's start and transfers cost more than the work. */
#define DEVICE_ENTRIES (UINT64_C(1) << 26)

/* A search visits every node at every level: on square grids, one core, the two meet near 60 levels, and at
 * 200 relaxation is 2.5 times as fast. */
static const wi_family cpu = {.of = {[WEIR_ROUTE_TREES] = &wi_trees,
                                     [WEIR_ROUTE_BIT_PARALLEL] = &wi_bit_parallel,
                                     [WEIR_ROUTE_BATCHED] = &wi_batched16,
                                     [WEIR_ROUTE_FLOYD] = &wi_floyd16},
                              .lacks = "the paper's kernel runs on a CUDA device only",
                              .deep_levels = 64,
                              .dense_nodes = UINT32_MAX,
                              .dense_part = 8};

const wi_algorithm *wi_fitting(const wi_core *core, const wi_algorithm *narrow)
{
    while (wi_refuses(narrow, core) && narrow->wider)
        narrow = narrow->wider;
    return narrow;
}

/* Relaxation goes over every link for every destination, several times; Floyd-Warshall over every node
 * once. */
static bool dense(const wi_family *family, const wi_core *core)
{
    const uint64_t n = core->net.n;
    return n <= family->dense_nodes && core->net.n_edges / 2 > n * n / family->dense_part;
}

static weir_route_algorithm automatic(const wi_family *family, const wi_core *core, const char **reason)
{
    if (wi_equal_costs(core)) {
        const bool deep = core->reach / core->net.costs.low > family->deep_levels;
        *reason = deep ? "all costs equal, long paths" : "all costs equal";
        return deep ? WEIR_ROUTE_BATCHED : WEIR_ROUTE_BIT_PARALLEL;
    }
    *reason = dense(family, core) ? "costs differ, dense" : "costs differ";
    return dense(family, core) ? WEIR_ROUTE_FLOYD : WEIR_ROUTE_BATCHED;
}

/* An algorithm of the family: of several widths the one that fits, as long as it is the family's. */
static const wi_algorithm *choose_of(const wi_family *family, const wi_core *core, weir_route_algorithm asked,
                                     const char **reason)
{
    *reason = "what was asked for is no weir_route_algorithm";
    if ((unsigned)asked > WEIR_ROUTE_FLOYD_PAPER)
        return NULL;
    *reason = "as asked";
    const wi_algorithm *a = family->of[asked == WEIR_ROUTE_AUTO ? automatic(family, core, reason) : asked];
    if (!a)
        *reason = family->lacks;
    while (a && wi_refuses(a, core) && a->wider && !a->device_bytes == !a->wider->device_bytes)
        a = a->wider;
    return a;
}

/* The device where it gains; what it has no room for, the CPU computes. */
static const wi_algorithm *choose_any(const wi_core *core, const wi_table *table, weir_route_algorithm asked,
                                      const char **reason)
{
    const char *why_not = NULL;
    const bool large = (uint64_t)core->net.n * core->net.n >= DEVICE_ENTRIES && asked != WEIR_ROUTE_TREES;
    const wi_algorithm *const device =
        large && wi_cuda_ready(&why_not) ? choose_of(&wi_cuda_family, core, asked, reason) : NULL;
    return device && !wi_refuses(device, core) && wi_cuda_fits(device, core, table)
               ? device
               : choose_of(&cpu, core, asked, reason);
}

const wi_algorithm *wi_choose(const wi_core *core, const wi_table *table, const weir_routes_options *options,
                              const char **reason)
{
    switch (options->device) {
    case WEIR_ROUTE_ON_CUDA:
        return wi_cuda_select(options->cuda_device, reason)
                   ? choose_of(&wi_cuda_family, core, options->algorithm, reason)
                   : NULL;
    case WEIR_ROUTE_ON_ANY:
        return choose_any(core, table, options->algorithm, reason);
    case WEIR_ROUTE_ON_CPU:
        return choose_of(&cpu, core, options->algorithm, reason);
    }
    *reason = "the device asked for is no weir_route_device";
    return NULL;
}
