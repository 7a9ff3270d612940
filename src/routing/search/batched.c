/*
 * All pairs by cost: label-correcting relaxation of 64 destinations at once, their distances contiguous in
 * memory.
 *
 * A node whose distances changed offers them to its neighbours, all 64 in a few vector instructions. Nodes
 * take turns in order of their number, downwards and upwards in alternation. Core nodes are numbered from the
 * middle outwards, so a shortest path mostly descends and then ascends, and a few sweeps settle most nodes.
 * Ports come afterwards, from settled distances, in one pass over the edges.
 *
 * Distances take 16 bits where the longest path is expected to fit (twice the reach of the middle), 32
 * otherwise; a guess that turns out short is noticed, and the table is computed again with 32.
 */
#include "base/cpu_features.h"
#include "base/memory.h"
#include "routing/search/kernels.h"

#include <stdlib.h>

#define KERNEL_NAME wi_relax16_base
#define LANE uint16_t
#include "routing/search/batched_kernel.h"
#undef KERNEL_NAME
#undef LANE
#define KERNEL_NAME wi_relax32_base
#define LANE uint32_t
#include "routing/search/batched_kernel.h"

static const char *refuses16(const wi_core *core)
{
    if (core->net.costs.high > UINT16_MAX / 4 || core->reach > (UINT16_MAX - core->net.costs.high) / 2)
        return "paths may be too long for 16 bits";
    return NULL;
}

static uint64_t space_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    return sizeof(wi_relax_space) + ((size_t)core->net.n + 1) * WI_RELAX_LANES * algorithm->lane +
           core->net.n / 8 + 16;
}

static void space_free(void *space)
{
    wi_relax_space *const s = space;
    if (!s)
        return;
    free(s->dist);
    free(s->dirty);
    free(s);
}

static void *space_new(const wi_algorithm *algorithm, const wi_core *core)
{
    wi_relax_space *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->kernel = algorithm->lane == 2 ? wi_have_avx2() ? wi_relax16_avx2 : wi_relax16_base
                : wi_have_avx2()     ? wi_relax32_avx2
                                     : wi_relax32_base;
    s->dist = wi_new_block(((uint64_t)core->net.n + 1) * WI_RELAX_LANES * algorithm->lane);
    s->dirty = calloc((size_t)core->net.n / 64 + 1, sizeof *s->dirty);
    if (s->dist && s->dirty)
        return s;
    space_free(s);
    return NULL;
}

static wi_batch_end batch(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                          void *space)
{
    return ((const wi_relax_space *)space)->kernel(core, table, dst, n_dst, space);
}

const wi_algorithm wi_batched16 = {.name = "batched relaxation, 16 bits",
                                   .wider = &wi_batched32,
                                   .lane = 2,
                                   .lanes = WI_RELAX_LANES,
                                   .refuses = refuses16,
                                   .space_bytes = space_bytes,
                                   .space_new = space_new,
                                   .space_free = space_free,
                                   .batch = batch};
const wi_algorithm wi_batched32 = {.name = "batched relaxation, 32 bits",
                                   .wider = &wi_trees,
                                   .lane = 4,
                                   .lanes = WI_RELAX_LANES,
                                   .space_bytes = space_bytes,
                                   .space_new = space_new,
                                   .space_free = space_free,
                                   .batch = batch};
