/*
 * All pairs by hops: breadth-first searches from 512 destinations at once, one bit each.
 *
 * Level by level, every node looks through its ports in rising order at which destinations its neighbours
 * reached at the level before; the first port to offer a destination is the canonical one. Port numbers are
 * gathered as bit planes (bit b of the port toward each destination), since setting 512 of them is then a few
 * instructions, and turned into bytes once at the end, into 512 consecutive columns of the node's row.
 */
#include "base/cpu_features.h"
#include "base/memory.h"
#include "routing/search/kernels.h"

#include <stdlib.h>

#define KERNEL_NAME wi_bit_batch_base
#define VECTOR_BYTES 16
#include "routing/search/bit_parallel_kernel.h"

static const char *refuses(const wi_core *core)
{
    return wi_equal_costs(core) ? NULL : "costs differ from link to link; it takes equal costs only";
}

static uint32_t planes_of(const wi_route_net *net, uint32_t i)
{
    /* Ports rise along the edges, so the last is the greatest. */
    const uint32_t most = net->first[i] < net->first[i + 1] ? net->port[net->first[i + 1] - 1] : 0;
    return most ? 32u - (uint32_t)__builtin_clz(most) : 0;
}

static size_t count_planes(const wi_route_net *net)
{
    size_t n = 0;
    for (uint32_t i = 0; i < net->n; ++i)
        n += planes_of(net, i);
    return n;
}

static uint64_t space_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    (void)algorithm;
    const size_t n = (size_t)core->net.n + 1;
    return sizeof(wi_bit_space) + (3 * n + count_planes(&core->net)) * (WI_BIT_LANES / 8) +
           2 * n * sizeof(uint32_t);
}

static void space_free(void *space)
{
    wi_bit_space *const s = space;
    if (!s)
        return;
    free(s->seen);
    free(s->front);
    free(s->next);
    free(s->plane);
    free(s->first_plane);
    free(s->active);
    free(s);
}

static void *space_new(const wi_algorithm *algorithm, const wi_core *core)
{
    (void)algorithm;
    const size_t n = core->net.n, bytes = WI_BIT_LANES / 8;
    wi_bit_space *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->seen = wi_new_block(n * bytes);
    s->front = wi_new_block(n * bytes);
    s->next = wi_new_block(n * bytes);
    s->plane = wi_new_block(count_planes(&core->net) * bytes);
    s->first_plane = malloc((n + 1) * sizeof *s->first_plane);
    s->active = malloc((n + 1) * sizeof *s->active);
    if (!s->seen || !s->front || !s->next || !s->plane || !s->first_plane || !s->active) {
        space_free(s);
        return NULL;
    }
    s->first_plane[0] = 0;
    for (uint32_t i = 0; i < n; ++i)
        s->first_plane[i + 1] = s->first_plane[i] + planes_of(&core->net, i);
    return s;
}

static wi_batch_end batch(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                          void *space)
{
    const uint32_t hops =
        (wi_have_avx2() ? wi_bit_batch_avx2 : wi_bit_batch_base)(core, table, dst, n_dst, space);
    return wi_hops_fit(core, hops) ? WI_BATCH_DONE : WI_BATCH_OVERFLOW;
}

const wi_algorithm wi_bit_parallel = {.name = "bit-parallel search",
                                      .lane = 8,
                                      .lanes = WI_BIT_LANES,
                                      .refuses = refuses,
                                      .space_bytes = space_bytes,
                                      .space_new = space_new,
                                      .space_free = space_free,
                                      .batch = batch};
