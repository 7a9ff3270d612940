/*
 * Batched relaxation on the device: what one of the 32 threads of a node does, for 16 bytes of distances
 * (eight destinations of 16 bits, four of 32). The method is batched.c's, without its order of nodes: every
 * node pulls from those neighbours that changed in the last round or this one, in place, until a round
 * changes nothing. Distances only fall and the least is unique, so the answer does not depend on who pulled
 * first.
 *
 * Plain functions, so that a test runs them on the host too. Rows are [n][WI_RELAX_QUADS] quads.
 */
#pragma once

#include "routing/algorithm/words.h"
#include "weir/routes.h"

#define WI_RELAX_QUADS 32u
#define WI_RELAX_ROW_BYTES 512u

/* What a step reads of a net. */
typedef struct wi_relax_net {
    const uint32_t *first, *target, *cost;
    const uint8_t *role;
    int32_t *stamp; /* [n]: the last round in which the node's distances changed; -1: none */
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

/*
 * Pull a quad over the node's edges first, first + 1, first + 2, first + 3, and those `stride` further on, in
 * a round (1, 2, ...), into *own.
 */
WEIR_FN void wi_relax_gather(const wi_relax_net *net, uint32_t i, uint32_t quad, int32_t round, bool wide,
                             uint32_t first, uint32_t stride, wi_quad *own)
{
    const uint32_t end = net->first[i + 1];
    /* Four at a time, so that their reads overlap. A host told its neighbours of itself at the start and says
     * nothing again: no path leads through it. */
    for (uint32_t e = first; e < end; e += stride) {
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
                wi_relax_quad(own, way[k], wide ? cost[k] : cost[k] | cost[k] << 16, wide);
    }
}

/* Keep what was gathered; true where a distance fell: the caller stamps the node. */
WEIR_FN bool wi_relax_keep(const wi_relax_net *net, uint32_t i, uint32_t quad, wi_quad own)
{
    wi_quad *const at = net->dist + (size_t)i * WI_RELAX_QUADS + quad;
    if (own.x == at->x && own.y == at->y && own.z == at->z && own.w == at->w)
        return false;
    *at = own;
    return true;
}

/* One thread's round for a node, whole. */
WEIR_FN bool wi_relax_pull(const wi_relax_net *net, uint32_t i, uint32_t quad, int32_t round, bool wide)
{
    wi_quad own = net->dist[(size_t)i * WI_RELAX_QUADS + quad];
    wi_relax_gather(net, i, quad, round, wide, net->first[i], 4, &own);
    return wi_relax_keep(net, i, quad, own);
}

/*
 * A node of many edges is shared by WI_RELAX_TEAM groups of 32 threads, which gather a part of its edges
 * each, and the first of which then keeps the least of what all gathered: team
 * [WI_RELAX_TEAM][WI_RELAX_QUADS].
 */
#define WI_RELAX_TEAM 32u
#define WI_RELAX_HUB 64u /* edges from which on a node is shared */
WEIR_FN void wi_relax_share(const wi_relax_net *net, uint32_t i, uint32_t member, uint32_t quad,
                            int32_t round, bool wide, wi_quad *team)
{
    wi_quad own = net->dist[(size_t)i * WI_RELAX_QUADS + quad];
    wi_relax_gather(net, i, quad, round, wide, net->first[i] + 4 * member, 4 * WI_RELAX_TEAM, &own);
    team[member * WI_RELAX_QUADS + quad] = own;
}
WEIR_FN bool wi_relax_join(const wi_relax_net *net, uint32_t i, uint32_t quad, bool wide, const wi_quad *team)
{
    wi_quad own = team[quad];
    for (uint32_t member = 1; member < WI_RELAX_TEAM; ++member)
        wi_relax_quad(&own, team[member * WI_RELAX_QUADS + quad], 0, wide);
    return wi_relax_keep(net, i, quad, own);
}
