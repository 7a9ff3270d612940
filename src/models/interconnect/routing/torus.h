/*
 * Dimension-order routes in a torus: dimension after dimension, the shorter way round, equal ways by the
 * packet's bits. Ports: p terminals, then up and down in each dimension.
 *
 * Deadlock: a packet takes channel 0 of a dimension until it has crossed the dateline (from the last to the
 * first router, or back), and channel 1 from then on (Dally, Seitz 1987); dimensions are taken in order.
 */
#pragma once

#include "models/interconnect/routing/dragonfly.h"

WEIR_FN ic_way ic_route_torus(const ic_here *r, const ic_burst *b)
{
    const ic_world *w = r->w;
    const uint32_t *mine = IC_TABLE(w, uint32_t, w->coordinate_at) + (size_t)r->id * w->dimensions;
    const uint32_t to = IC_TABLE(w, uint32_t, w->terminal_at)[b->target];
    const uint32_t *its = IC_TABLE(w, uint32_t, w->coordinate_at) + (size_t)to * w->dimensions;
    ic_way way;
    way.vc = 0;
    for (uint32_t d = 0; d < w->dimensions; d++) {
        if (mine[d] == its[d])
            continue;
        const uint32_t size = w->size[d];
        const uint32_t up = its[d] > mine[d] ? its[d] - mine[d] : its[d] + size - mine[d];
        int rises = 2 * up < size;
        const uint32_t in = b->port; /* went on in the same dimension: do not turn round half-way */
        const int same = in >= w->p && (in - w->p) / 2 == d;
        if (2 * up == size)
            rises = same ? (in - w->p) % 2 == 1
                         : (int)(ic_packet_bits(b->source, b->packet, IC_SALT_TIE + d) >> 32 & 1);
        const int crosses = rises ? mine[d] == size - 1 : mine[d] == 0;
        way.port = w->p + 2 * d + (rises ? 0 : 1);
        way.vc = crosses || (same && (b->mark & IC_VC) == 1);
        return way;
    }
    way.port = IC_TABLE(w, uint8_t, w->terminal_port_at)[b->target];
    return way;
}
