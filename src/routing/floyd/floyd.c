/*
 * All pairs by Floyd-Warshall, blocked so that what a tile needs stays in cache (the three steps that
 * floyd/tile.h describes), on tiles of 64 x 64 and as many threads as there are.
 *
 * It costs n^3 steps whatever the links are, so it is for graphs with very many; and a judge for the others.
 */
#include "base/cpu_features.h"
#include "base/memory.h"
#include "routing/floyd/floyd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define KERNEL_NAME wi_floyd16_base
#define LANE uint16_t
#define FAR WI_FAR16
#include "routing/floyd/kernel.h"
#undef KERNEL_NAME
#undef LANE
#undef FAR
#define KERNEL_NAME wi_floyd32_base
#define LANE uint32_t
#define FAR WI_FAR32
#include "routing/floyd/kernel.h"

static int this_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

static const char *refuses16(const wi_core *core)
{
    return core->reach > WI_FAR16 / 2 ? "paths may be too long for 16 bits" : NULL;
}

static uint64_t space_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    const uint64_t side = wi_floyd_lay_out(&core->net, WI_FLOYD_TILE, NULL).side;
    return side * side * algorithm->lane + (uint64_t)core->net.n * sizeof(uint32_t);
}

static void start(const wi_floyd *f, const wi_route_net *net, const wi_floyd_kernel *kernel, bool wide)
{
    const size_t side = f->layout.side;
    for (size_t k = 0; k < side * side; ++k) {
        const bool self = k % (side + 1) == 0;
        if (wide)
            ((uint32_t *)f->dist)[k] = self ? 0 : WI_FAR32;
        else
            ((uint16_t *)f->dist)[k] = self ? 0 : WI_FAR16;
    }
    for (uint32_t i = 0; i < net->n; ++i)
        kernel->enter(f, net, i);
}

/* The tiles of one diagonal tile's row and column, then all others. */
static void relax_tiles(const wi_floyd *f, const wi_floyd_kernel *kernel, uint32_t p, int threads)
{
    const uint32_t tiles = f->layout.side / WI_FLOYD_TILE;
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
    {
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (uint32_t k = 0; k < 2 * tiles; ++k)
            if (k / 2 != p)
                kernel->product(f, k % 2 ? k / 2 : p, p, k % 2 ? p : k / 2);
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (uint32_t i = 0; i < tiles; ++i)
            for (uint32_t j = 0; j < tiles && i != p; ++j)
                if (j != p)
                    kernel->product(f, i, p, j);
    }
}

static wi_batch_end write_ports(const wi_fill *fill, const wi_floyd *f, const wi_floyd_kernel *kernel)
{
    int overflows = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(fill->threads) schedule(dynamic, 16) reduction(+ : overflows)
#endif
    for (uint32_t i = 0; i < fill->core->net.n; ++i)
        overflows += kernel->ports(f, fill->core, fill->table, i, this_thread()) == WI_BATCH_OVERFLOW;
    return overflows ? WI_BATCH_OVERFLOW : WI_BATCH_DONE;
}

static weir_status compute(const wi_fill *fill, const wi_floyd *f, const wi_floyd_kernel *kernel,
                           wi_batch_end *end)
{
    const double begun = wi_clock_s();
    const uint32_t pivots = f->layout.pivots;
    start(f, &fill->core->net, kernel, fill->algorithm->lane == 4);
    for (uint32_t p = 0; p < pivots / WI_FLOYD_TILE; ++p) {
        /* Progress is in destinations elsewhere, in pivots here. */
        if (wi_fill_stopped(fill, p * WI_FLOYD_TILE < fill->core->net.n ? p * WI_FLOYD_TILE : 0))
            return weir_fail(fill->diag, WEIR_E_INTERRUPTED, "stopped while computing routes");
        kernel->diagonal(f, p);
        relax_tiles(f, kernel, p, fill->threads);
    }
    const double there = wi_clock_s();
    /* Rows are padded; what no column writes says "none", as everywhere. */
    memset(fill->table->bytes, 0xff, fill->table->n_bytes);
    *end = write_ports(fill, f, kernel);
    fill->times->distance_s = there - begun;
    fill->times->port_s = wi_clock_s() - there;
    return WEIR_OK;
}

static weir_status whole(const wi_fill *fill, wi_batch_end *end)
{
    const wi_route_net *const net = &fill->core->net;
    const size_t lane = fill->algorithm->lane;
    const wi_floyd_kernel *const kernel = lane == 4 ? wi_have_avx2() ? &wi_floyd32_avx2 : &wi_floyd32_base
                                          : wi_have_avx2() ? &wi_floyd16_avx2
                                                           : &wi_floyd16_base;
    wi_floyd f = {.at = malloc(((size_t)net->n + 1) * sizeof *f.at)};
    weir_status status = WEIR_E_NOMEM;
    *end = WI_BATCH_DONE;
    if (f.at) {
        f.layout = wi_floyd_lay_out(net, WI_FLOYD_TILE, f.at);
        f.dist = wi_new_block((uint64_t)f.layout.side * f.layout.side * lane);
        f.port = wi_new_block((uint64_t)f.layout.side * lane * (uint64_t)fill->threads);
    }
    if (f.dist && f.port)
        status = compute(fill, &f, kernel, end);
    else
        (void)weir_fail(fill->diag, status, "no memory for the distances of %" PRIu32 " nodes", net->n);
    free(f.at);
    free(f.dist);
    free(f.port);
    return status;
}

const wi_algorithm wi_floyd32 = {.name = "Floyd-Warshall, 32 bits",
                                 .wider = &wi_trees,
                                 .lane = 4,
                                 .space_bytes = space_bytes,
                                 .whole = whole};
const wi_algorithm wi_floyd16 = {.name = "Floyd-Warshall, 16 bits",
                                 .wider = &wi_floyd32,
                                 .lane = 2,
                                 .refuses = refuses16,
                                 .space_bytes = space_bytes,
                                 .whole = whole};
