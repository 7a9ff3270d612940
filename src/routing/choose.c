/* Which algorithm computes a table, and why. */
#include "routing/algorithm/algorithm.h"
#include "routing/cuda_algorithms.h"
#include "routing/choose.h"

/* Beyond so many levels from the middle, relaxation is faster than a search that visits every node at every
 * level: on square grids, one core, the two meet near 60 levels, and at 200 relaxation is 2.5 times as fast.
 */
#define DEEP_LEVELS 64u
/* Below so many entries a device's start and transfers cost more than the work. */
#define DEVICE_ENTRIES (UINT64_C(1) << 26)

static bool deep(const wi_core *core)
{
    return core->reach / core->costs.low > DEEP_LEVELS;
}

/* Relaxation goes over every link for every destination, several times; Floyd-Warshall over every node once.
 */
static bool dense(const wi_core *core)
{
    return core->net.n_edges / 2 > (uint64_t)core->net.n * core->net.n / 8;
}

const wi_algorithm *wi_fitting(const wi_core *core, const wi_algorithm *narrow)
{
    while (narrow->refuses(core) && narrow->wider)
        narrow = narrow->wider;
    return narrow;
}

static const wi_algorithm *automatic(const wi_core *core, const char **reason)
{
    if (wi_equal_costs(core)) {
        *reason = deep(core) ? "all costs equal, long paths" : "all costs equal";
        return deep(core) ? wi_fitting(core, &wi_batched16) : &wi_bit_parallel;
    }
    *reason = dense(core) ? "costs differ, dense" : "costs differ";
    return wi_fitting(core, dense(core) ? &wi_floyd16 : &wi_batched16);
}

static const wi_algorithm *choose_cpu(const wi_core *core, weir_route_algorithm asked, const char **reason)
{
    *reason = "as asked";
    switch (asked) {
    case WEIR_ROUTE_TREES:
        return &wi_trees;
    case WEIR_ROUTE_BIT_PARALLEL:
        return &wi_bit_parallel;
    case WEIR_ROUTE_BATCHED:
        return wi_fitting(core, &wi_batched16);
    case WEIR_ROUTE_FLOYD:
        return wi_fitting(core, &wi_floyd16);
    case WEIR_ROUTE_FLOYD_PAPER:
        *reason = "the paper's kernel runs on a CUDA device only";
        return NULL;
    case WEIR_ROUTE_AUTO:
        return automatic(core, reason);
    }
    *reason = "what was asked for is no weir_route_algorithm";
    return NULL;
}

/* The device where it gains; what it has no room for, the CPU computes. */
static const wi_algorithm *choose_any(const wi_core *core, const wi_table *table, weir_route_algorithm asked,
                                      const char **reason)
{
    const char *why_not = NULL;
    const bool large = (uint64_t)core->net.n * core->net.n >= DEVICE_ENTRIES && asked != WEIR_ROUTE_TREES;
    const wi_algorithm *const device =
        large && wi_cuda_ready(&why_not) ? wi_choose_cuda(core, asked, reason) : NULL;
    return device && !device->refuses(core) && wi_cuda_fits(device, core, table)
               ? device
               : choose_cpu(core, asked, reason);
}

const wi_algorithm *wi_choose(const wi_core *core, const wi_table *table, const weir_routes_options *options,
                              const char **reason)
{
    switch (options->device) {
    case WEIR_ROUTE_ON_CUDA:
        return wi_cuda_select(options->cuda_device, reason) ? wi_choose_cuda(core, options->algorithm, reason)
                                                            : NULL;
    case WEIR_ROUTE_ON_ANY:
        return choose_any(core, table, options->algorithm, reason);
    case WEIR_ROUTE_ON_CPU:
        return choose_cpu(core, options->algorithm, reason);
    }
    *reason = "the device asked for is no weir_route_device";
    return NULL;
}
