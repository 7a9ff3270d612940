/**
 * Batched relaxation on the device: what one of the 32 threads of a node does, for 16 bytes of distances (eight
 * destinations of 16 bits, four of 32). The method is batched.c's, without its order of nodes: every node pulls
 * from those neighbours that changed in the last round or this one, in place, until a round changes nothing.
 * Distances only fall and the least is unique, so the answer does not depend on who pulled first.
 *
 * Plain functions, so that a test runs them on the host too. Rows are [n][WI_RELAX_QUADS] quads.
 */
#ifndef WEIR_ROUTING_RELAX_STEP_H
#define WEIR_ROUTING_RELAX_STEP_H

#include "routing/floyd_words.h"
#include "weir/routes.h"

#define WI_RELAX_QUADS 32u
#define WI_RELAX_ROW_BYTES 512u

/** What a step reads of a net. */
typedef struct wi_relax_net {
    const uint32_t *first, *target, *cost;
    const uint8_t *role;
    int32_t *stamp; /**< [n]: the last round in which the node's distances changed; -1: none */
    wi_quad *dist;
} wi_relax_net;

WEIR_FN uint32_t wi_relax_lane_word(uint32_t a, uint32_t b, uint32_t c, bool wide)
{
    return wide ? wi_relax_word(a, b, c) : wi_relax_pair(a, b, c);
}

WEIR_FN void wi_relax_quad(wi_quad *own, wi_quad way, uint32_t cost, bool wide)
{
    own->x = wi_relax_lane_word(way.x, cost, own->x, wide);
    own->y = wi_relax_lane_word(way.y, cost, own->y, wide);
    own->z = wi_relax_lane_word(way.z, cost, own->z, wide);
    own->w = wi_relax_lane_word(way.w, cost, own->w, wide);
}

/** Pull a node's quad in a round (1, 2, ...); true where a distance fell: the caller stamps the node. */
WEIR_FN bool wi_relax_pull(const wi_relax_net *net, uint32_t i, uint32_t quad, int32_t round, bool wide)
{
    wi_quad *const at = net->dist + (size_t)i * WI_RELAX_QUADS + quad;
    const uint32_t end = net->first[i + 1];
    wi_quad own = *at;
    const wi_quad old = own;
    /* Four at a time, so that their reads overlap. A host told its neighbours of itself at the start and says
     * nothing again: no path leads through it. */
    for (uint32_t e = net->first[i]; e < end; e += 4) {
        wi_quad way[4];
        uint32_t cost[4];
        bool news[4];
        WI_UNROLL
        for (uint32_t k = 0; k < 4; ++k) {
            const uint32_t v = e + k < end ? net->target[e + k] : i;
            news[k] = v != i && net->stamp[v] >= round - 1 && net->role[v] == WEIR_ROUTER;
            cost[k] = news[k] ? net->cost[e + k] : 0;
            if (news[k])
                way[k] = net->dist[(size_t)v * WI_RELAX_QUADS + quad];
        }
        WI_UNROLL
        for (uint32_t k = 0; k < 4; ++k)
            if (news[k])
                wi_relax_quad(&own, way[k], wide ? cost[k] : cost[k] | cost[k] << 16, wide);
    }
    if (own.x == old.x && own.y == old.y && own.z == old.z && own.w == old.w)
        return false;
    *at = own;
    return true;
}

#endif
