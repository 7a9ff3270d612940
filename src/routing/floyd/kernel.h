/*
 * The kernel of floyd.c, included once per width and instruction set with KERNEL_NAME, LANE (uint16_t or
 * uint32_t) and FAR defined. No include guard: that is the point. Loops over lanes have constant bounds, for
 * the compiler to vectorise.
 */
#include "routing/floyd/floyd.h"
#include "routing/cuda/ports_kernel.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define LOCAL(name) JOIN(KERNEL_NAME, name)
#define EACH_LANE for (unsigned lane = 0; lane < WI_FLOYD_TILE; ++lane)

static inline LANE *LOCAL(row)(const wi_floyd *f, uint32_t row)
{
    return (LANE *)__builtin_assume_aligned((LANE *)f->dist + (size_t)row * f->layout.side, 64);
}

static inline LANE *LOCAL(tile)(const wi_floyd *f, uint32_t i, uint32_t j)
{
    return (LANE *)__builtin_assume_aligned(LOCAL(row)(f, i * WI_FLOYD_TILE) + (size_t)j * WI_FLOYD_TILE, 64);
}

/* Tile (i, j) by way of the pivots of tile p: min(own, (i, p) x (p, j)), four pivots to a pass over the
 * row. */
static void LOCAL(product)(const wi_floyd *f, uint32_t i, uint32_t p, uint32_t j)
{
    const size_t side = f->layout.side;
    LANE *const c = LOCAL(tile)(f, i, j);
    const LANE *const a = LOCAL(tile)(f, i, p), *const b = LOCAL(tile)(f, p, j);
    LANE own[WI_FLOYD_TILE] __attribute__((aligned(64)));
    for (uint32_t r = 0; r < WI_FLOYD_TILE; ++r) {
        const LANE *const way = a + r * side;
        memcpy(own, c + r * side, sizeof own);
        for (uint32_t k = 0; k < WI_FLOYD_TILE; k += 4) {
            const LANE w0 = way[k], w1 = way[k + 1], w2 = way[k + 2], w3 = way[k + 3];
            const LANE *const b0 = b + k * side, *const b1 = b0 + side, *const b2 = b1 + side,
                              *const b3 = b2 + side;
            if (w0 >= FAR && w1 >= FAR && w2 >= FAR && w3 >= FAR)
                continue;
            EACH_LANE
            {
                const LANE d0 = (LANE)(w0 + b0[lane]), d1 = (LANE)(w1 + b1[lane]);
                const LANE d2 = (LANE)(w2 + b2[lane]), d3 = (LANE)(w3 + b3[lane]);
                const LANE low = d0 < d1 ? d0 : d1, high = d2 < d3 ? d2 : d3;
                const LANE least = low < high ? low : high;
                own[lane] = least < own[lane] ? least : own[lane];
            }
        }
        memcpy(c + r * side, own, sizeof own);
    }
}

static void LOCAL(diagonal)(const wi_floyd *f, uint32_t p)
{
    const size_t side = f->layout.side;
    LANE *const c = LOCAL(tile)(f, p, p);
    LANE pivot[WI_FLOYD_TILE] __attribute__((aligned(64)));
    for (uint32_t k = 0; k < WI_FLOYD_TILE; ++k) {
        memcpy(pivot, c + k * side, sizeof pivot);
        for (uint32_t r = 0; r < WI_FLOYD_TILE; ++r) {
            LANE *const own = c + r * side;
            const LANE way = own[k];
            EACH_LANE
            {
                const LANE d = (LANE)(way + pivot[lane]);
                own[lane] = d < own[lane] ? d : own[lane];
            }
        }
    }
}

/* A node's row before any pivot: its links, of parallel ones the cheapest. */
static void LOCAL(enter)(const wi_floyd *f, const wi_route_net *net, uint32_t i)
{
    LANE *const row = LOCAL(row)(f, f->at[i]);
    for (uint32_t e = net->first[i]; e < net->first[i + 1]; ++e) {
        LANE *const d = &row[f->at[net->target[e]]];
        if (net->cost32[e] < *d)
            *d = (LANE)net->cost32[e];
    }
}

static wi_batch_end LOCAL(ports)(const wi_floyd *f, const wi_core *core, const wi_table *table, uint32_t i,
                                 int thread)
{
    const wi_route_net *const net = &core->net;
    const uint32_t side = f->layout.side;
    LANE *const port = (LANE *)f->port + (size_t)thread * side;
    const LANE *const own = LOCAL(row)(f, f->at[i]);
    bool cut = false;
    for (uint32_t j = 0; j < side; ++j)
        port[j] = WEIR_NO_PORT;
    /* From the last edge to the first, so that the lowest port stays. */
    for (uint32_t e = net->first[i + 1]; e-- > net->first[i];) {
        const LANE *const way = LOCAL(row)(f, f->at[net->target[e]]);
        const uint8_t role = net->role[net->target[e]];
        const LANE p = net->port[e];
        const uint32_t cost = net->cost32[e];
        for (uint32_t j = 0; j < side; ++j) {
            port[j] = own[j] < FAR && wi_port_leads(own[j], cost, way[j], role) ? p : port[j];
            cut |= own[j] >= FAR && wi_port_cut(way[j], FAR, role);
        }
    }
    for (uint32_t j = 0; j < net->n; ++j)
        wi_port_put(table->bytes, table->row[i], j, j == i ? WEIR_NO_PORT : port[f->at[j]]);
    return cut ? WI_BATCH_OVERFLOW : WI_BATCH_DONE;
}

const wi_floyd_kernel KERNEL_NAME = {
    .product = LOCAL(product), .diagonal = LOCAL(diagonal), .enter = LOCAL(enter), .ports = LOCAL(ports)};

#undef JOIN_
#undef JOIN
#undef LOCAL
#undef EACH_LANE
