/* The kernels of floyd.cu, thread after thread; included once per width by test_device_steps.c. No include
 * guard. */
#include "routing/floyd/tile.h"

/* Thread-private state of a block. */
static LOCAL(part) LOCAL(part_of)[WI_TILE_THREADS];
static LOCAL(load) LOCAL(load_of)[WI_TILE_THREADS];
static LOCAL(stage) LOCAL(shared)[2];
#define EACH_THREAD for (uint32_t t = 0; t < WI_TILE_THREADS; ++t)

static void LOCAL(block_product)(LANE *c, const LANE *a, const LANE *b, uint32_t side)
{
    EACH_THREAD
    {
        LOCAL(stage_fetch)(&LOCAL(load_of)[t], a, b, side, 0, t);
        LOCAL(part_load)(&LOCAL(part_of)[t], c, side, t);
        LOCAL(stage_put)(&LOCAL(shared)[0], &LOCAL(load_of)[t], t);
    }
    for (uint32_t s = 0; s < STAGES; ++s) {
        EACH_THREAD
        {
            if (s + 1 < STAGES)
                LOCAL(stage_fetch)(&LOCAL(load_of)[t], a, b, side, s + 1, t);
            LOCAL(stage_product)(&LOCAL(shared)[s % 2], &LOCAL(part_of)[t], t);
            if (s + 1 < STAGES)
                LOCAL(stage_put)(&LOCAL(shared)[(s + 1) % 2], &LOCAL(load_of)[t], t);
        }
    }
    EACH_THREAD LOCAL(part_store)(&LOCAL(part_of)[t], c, side, t);
}

static void LOCAL(block_diagonal)(LANE *c, uint32_t side)
{
    static LOCAL(cross) cross[2];
    EACH_THREAD LOCAL(part_load)(&LOCAL(part_of)[t], c, side, t);
    for (uint32_t pivot = 0; pivot < WI_TILE; ++pivot) {
        EACH_THREAD LOCAL(cross_put)(&cross[pivot % 2], &LOCAL(part_of)[t], pivot / 8, pivot % 8, t);
        EACH_THREAD LOCAL(cross_relax)(&cross[pivot % 2], &LOCAL(part_of)[t], t);
    }
    EACH_THREAD LOCAL(part_store)(&LOCAL(part_of)[t], c, side, t);
}

static void LOCAL(run)(const wi_route_net *net, const uint32_t *at, LANE *dist, wi_floyd_layout layout)
{
    const uint32_t side = layout.side, tiles = side / WI_TILE;
    for (size_t k = 0; k < (size_t)side * side; ++k)
        dist[k] = (LANE)(k % (side + 1) == 0 ? 0 : FAR);
    for (uint32_t i = 0; i < net->n; ++i)
        for (uint32_t e = net->first[i]; e < net->first[i + 1]; ++e)
            if (net->cost32[e] < dist[(size_t)at[i] * side + at[net->target[e]]])
                dist[(size_t)at[i] * side + at[net->target[e]]] = (LANE)net->cost32[e];
#define TILE_AT(i, j) (dist + ((size_t)(i)*side + (j)) * WI_TILE)
    for (uint32_t p = 0; p < layout.pivots / WI_TILE; ++p) {
        LOCAL(block_diagonal)(TILE_AT(p, p), side);
        for (uint32_t k = 0; k < tiles; ++k) {
            if (k == p)
                continue;
            LOCAL(block_product)(TILE_AT(p, k), TILE_AT(p, p), TILE_AT(p, k), side);
            LOCAL(block_product)(TILE_AT(k, p), TILE_AT(k, p), TILE_AT(p, p), side);
        }
        for (uint32_t i = 0; i < tiles; ++i)
            for (uint32_t j = 0; j < tiles; ++j)
                if (i != p && j != p)
                    LOCAL(block_product)(TILE_AT(i, j), TILE_AT(i, p), TILE_AT(p, j), side);
    }
#undef TILE_AT
}

#undef EACH_THREAD
#include "routing/floyd/tile_end.h"
