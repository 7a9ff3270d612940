/*
 * Where core nodes stand in the matrix of a blocked Floyd-Warshall: routers first, then hosts, each padded to
 * whole tiles. Hosts forward nothing, so the tiles of the routers are all the pivots there are.
 */
#pragma once

#include "routing/algorithm/algorithm.h"

typedef struct wi_floyd_layout {
    uint32_t pivots; /* rows of pivots, whole tiles */
    uint32_t side;   /* rows and columns of the matrix, whole tiles */
} wi_floyd_layout;

/* Layout for tiles of `tile` rows; at: [n] or null: row (and column) of each core node. */
static inline wi_floyd_layout wi_floyd_lay_out(const wi_route_net *net, uint32_t tile, uint32_t *at)
{
    uint32_t routers = 0, hosts = 0;
    for (uint32_t i = 0; i < net->n; ++i)
        routers += net->role[i] != WEIR_HOST;
    const uint32_t pivots = (routers + tile - 1) / tile * tile;
    const uint32_t host_rows = (net->n - routers + tile - 1) / tile * tile;
    routers = 0;
    for (uint32_t i = 0; at && i < net->n; ++i)
        at[i] = net->role[i] != WEIR_HOST ? routers++ : pivots + hosts++;
    const wi_floyd_layout layout = {pivots, pivots + host_rows};
    return layout;
}
