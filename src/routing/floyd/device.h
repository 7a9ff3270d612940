/*
 * Kernels of floyd.cu around the tile code of floyd/tile.h, and their order; included once per width, between
 * floyd/tile.h and floyd/tile_end.h, with FAR defined. No include guard.
 */

/* One row of the matrix: far everywhere, zero to itself. */
__global__ static void LOCAL(clear)(LANE *dist, uint32_t side)
{
    LANE *const row = dist + (size_t)blockIdx.x * side;
    for (uint32_t j = threadIdx.x; j < side; j += blockDim.x)
        row[j] = (LANE)(j == blockIdx.x ? 0 : FAR);
}

/* One node's links; of parallel ones the cheapest. */
__global__ static void LOCAL(enter)(wi_route_device_net net, const uint32_t *at, LANE *dist, uint32_t side)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= net.n)
        return;
    LANE *const row = dist + (size_t)at[i] * side;
    for (uint32_t e = net.first[i]; e < net.first[i + 1]; ++e) {
        LANE *const d = row + at[net.target[e]];
        if (net.cost[e] < *d)
            *d = (LANE)net.cost[e];
    }
}

/* The diagonal tile by itself. */
__global__ static void __launch_bounds__(WI_TILE_THREADS)
    LOCAL(diagonal)(LANE *dist, uint32_t side, uint32_t tile)
{
    __shared__ LOCAL(cross) cross[2]; /* one is read while the next is written */
    LOCAL(part) part;
    LANE *const corner = dist + ((size_t)tile * side + tile) * WI_TILE;
    LOCAL(part_load)(&part, corner, side, threadIdx.x);
    for (uint32_t eight = 0; eight < WI_TILE / 8; ++eight) {
        WI_UNROLL
        for (uint32_t k = 0; k < 8; ++k) {
            LOCAL(cross_put)(&cross[k % 2], &part, eight, k, threadIdx.x);
            __syncthreads();
            LOCAL(cross_relax)(&cross[k % 2], &part, threadIdx.x);
        }
    }
    LOCAL(part_store)(&part, corner, side, threadIdx.x);
}

/* C = min(C, A x B); C may be A or B, since it is written after all of them has been read. */
__device__ static inline void LOCAL(product)(LANE *c, const LANE *a, const LANE *b, uint32_t side)
{
    __shared__ LOCAL(stage) stage[2]; /* one is read while the next is written */
    LOCAL(load) load;
    LOCAL(part) part;
    LOCAL(stage_fetch)(&load, a, b, side, 0, threadIdx.x);
    LOCAL(part_load)(&part, c, side, threadIdx.x);
    LOCAL(stage_put)(&stage[0], &load, threadIdx.x);
    __syncthreads();
    for (uint32_t s = 0; s < STAGES; ++s) {
        if (s + 1 < STAGES)
            LOCAL(stage_fetch)(&load, a, b, side, s + 1, threadIdx.x);
        LOCAL(stage_product)(&stage[s % 2], &part, threadIdx.x);
        if (s + 1 < STAGES)
            LOCAL(stage_put)(&stage[(s + 1) % 2], &load, threadIdx.x);
        __syncthreads();
    }
    LOCAL(part_store)(&part, c, side, threadIdx.x);
}

/* Row (blockIdx.y 0) and column (1) of a diagonal tile. */
__global__ static void __launch_bounds__(WI_TILE_THREADS, 2)
    LOCAL(arms)(LANE *dist, uint32_t side, uint32_t tile)
{
    const size_t line = (size_t)side * WI_TILE, other = blockIdx.x + (blockIdx.x >= tile);
    const LANE *const diagonal = dist + tile * line + (size_t)tile * WI_TILE;
    if (blockIdx.y == 0) {
        LANE *const c = dist + tile * line + other * WI_TILE;
        LOCAL(product)(c, diagonal, c, side);
    } else {
        LANE *const c = dist + other * line + (size_t)tile * WI_TILE;
        LOCAL(product)(c, c, diagonal, side);
    }
}

/* All tiles that are in neither. */
__global__ static void __launch_bounds__(WI_TILE_THREADS, 2)
    LOCAL(rest)(LANE *dist, uint32_t side, uint32_t tile)
{
    const size_t line = (size_t)side * WI_TILE;
    const size_t i = blockIdx.y + (blockIdx.y >= tile), j = blockIdx.x + (blockIdx.x >= tile);
    LOCAL(product)
    (dist + i * line + j * WI_TILE, dist + i * line + (size_t)tile * WI_TILE,
     dist + tile * line + j * WI_TILE, side);
}

static void LOCAL(run)(const wi_route_device_net *net, const uint32_t *d_at, LANE *dist,
                       wi_floyd_layout layout)
{
    const uint32_t tiles = layout.side / WI_TILE;
    if (tiles == 0)
        return;
    LOCAL(clear)<<<layout.side, WI_TILE_THREADS>>>(dist, layout.side);
    LOCAL(enter)<<<net->n / WI_TILE_THREADS + 1, WI_TILE_THREADS>>>(*net, d_at, dist, layout.side);
    for (uint32_t tile = 0; tile < layout.pivots / WI_TILE; ++tile) {
        LOCAL(diagonal)<<<1, WI_TILE_THREADS>>>(dist, layout.side, tile);
        if (tiles == 1)
            continue;
        LOCAL(arms)<<<dim3(tiles - 1, 2), WI_TILE_THREADS>>>(dist, layout.side, tile);
        LOCAL(rest)<<<dim3(tiles - 1, tiles - 1), WI_TILE_THREADS>>>(dist, layout.side, tile);
    }
}
