/*
 * The canonical port of one node toward one destination, given distances; the same on host and device.
 */
#pragma once

#include "weir/routes.h"

/* Put a port at a column of a row (row as in weir_route_view). */
WEIR_FN void wi_port_put(uint8_t *table, uint64_t row, uint32_t column, uint32_t port)
{
    uint8_t *const to = table + (row >> 1) + ((uint64_t)column << (row & 1));
    to[0] = (uint8_t)port;
    if (row & 1)
        to[1] = (uint8_t)(port >> 8);
}

/* An edge toward `way` is on a shortest path. Only at the destination may a host be next: distance 0. */
WEIR_FN bool wi_port_leads(uint32_t own, uint32_t cost, uint32_t way, uint32_t role)
{
    return way + cost == own && (role == WEIR_ROUTER || way == 0);
}

/* A neighbour at `way` has one, so there is one from here, and it was too long for the lanes. */
WEIR_FN bool wi_port_cut(uint32_t way, uint32_t far, uint32_t role)
{
    return way < far && (role == WEIR_ROUTER || way == 0);
}
