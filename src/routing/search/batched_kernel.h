/*
 * The kernel of batched.c, included once per width and instruction set with KERNEL_NAME and LANE (uint16_t or
 * uint32_t) defined. No include guard: that is the point. Loops over lanes have constant bounds, for the
 * compiler to vectorise.
 */
#include "routing/search/kernels.h"

#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define LOCAL(name) JOIN(KERNEL_NAME, name)
#define EACH_LANE for (unsigned lane = 0; lane < WI_RELAX_LANES; ++lane)
#define DIST_OF(space, i) \
    ((LANE *)__builtin_assume_aligned((LANE *)(space)->dist + (size_t)(i)*WI_RELAX_LANES, 64))

/* Offer distances across an edge; true if any got shorter. */
static inline bool LOCAL(relax)(const LANE *WEIR_RESTRICT offer, LANE *WEIR_RESTRICT own, LANE cost)
{
    LANE changed = 0;
    EACH_LANE
    {
        const LANE way = (LANE)(offer[lane] + cost);
        const LANE less = way < own[lane] ? way : own[lane];
        changed |= (LANE)(less ^ own[lane]);
        own[lane] = less;
    }
    return changed != 0;
}

/* Node v offers its distances to its neighbours. Hosts have at the start, as destinations, and forward
 * nothing. */
static inline void LOCAL(offer)(const wi_route_net *net, wi_relax_space *s, uint32_t v)
{
    if (net->role[v] == WEIR_HOST)
        return;
    const LANE *const own = DIST_OF(s, v);
    for (uint32_t k = net->in_first[v]; k < net->in_first[v + 1]; ++k) {
        const uint32_t u = net->in_source[k];
        const uint64_t changed = LOCAL(relax)(own, DIST_OF(s, u), (LANE)net->in_cost32[k]);
        s->dirty[u / 64] |= changed << u % 64;
    }
}

static bool LOCAL(sweep_down)(const wi_route_net *net, wi_relax_space *s)
{
    bool any = false;
    for (uint32_t word = net->n / 64 + 1; word-- > 0;) {
        uint64_t ahead = ~UINT64_C(0), now;
        while ((now = s->dirty[word] & ahead) != 0) {
            const uint32_t bit = 63u - (uint32_t)__builtin_clzll(now);
            any = true;
            s->dirty[word] ^= UINT64_C(1) << bit;
            ahead = (UINT64_C(1) << bit) - 1;
            LOCAL(offer)(net, s, word * 64 + bit);
        }
    }
    return any;
}

static bool LOCAL(sweep_up)(const wi_route_net *net, wi_relax_space *s)
{
    bool any = false;
    for (uint32_t word = 0; word <= net->n / 64; ++word) {
        uint64_t ahead = ~UINT64_C(0), now;
        while ((now = s->dirty[word] & ahead) != 0) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(now);
            any = true;
            s->dirty[word] ^= UINT64_C(1) << bit;
            ahead = ~UINT64_C(1) << bit;
            LOCAL(offer)(net, s, word * 64 + bit);
        }
    }
    return any;
}

static void LOCAL(start)(const wi_route_net *net, wi_relax_space *s, uint32_t dst, uint32_t n_dst, LANE far)
{
    LANE *const dist = s->dist;
    for (size_t k = 0; k < (size_t)net->n * WI_RELAX_LANES; ++k)
        dist[k] = far;
    memset(s->dirty, 0, (net->n / 64 + 1) * sizeof *s->dirty);
    for (uint32_t lane = 0; lane < n_dst; ++lane) {
        const uint32_t v = dst + lane;
        DIST_OF(s, v)[lane] = 0;
        s->dirty[v / 64] |= UINT64_C(1) << v % 64;
        if (net->role[v] != WEIR_HOST)
            continue;
        /* Only toward itself is a host on a path, so it offers that, here. */
        for (uint32_t k = net->in_first[v]; k < net->in_first[v + 1]; ++k) {
            const uint32_t u = net->in_source[k];
            LANE *const own = &DIST_OF(s, u)[lane];
            *own = net->in_cost32[k] < *own ? (LANE)net->in_cost32[k] : *own;
            s->dirty[u / 64] |= UINT64_C(1) << u % 64;
        }
    }
}

/* Port of node i toward each destination; from the last edge to the first, so that the lowest port stays. */
static inline void LOCAL(find_ports)(const wi_route_net *net, const wi_relax_space *s, uint32_t i,
                                     LANE *WEIR_RESTRICT port)
{
    const LANE *WEIR_RESTRICT own = DIST_OF(s, i);
    EACH_LANE port[lane] = WEIR_NO_PORT;
    for (uint32_t e = net->first[i + 1]; e-- > net->first[i];) {
        const LANE *WEIR_RESTRICT way = DIST_OF(s, net->target[e]);
        const LANE cost = (LANE)net->cost32[e], p = net->port[e];
        if (net->role[net->target[e]] == WEIR_HOST) {
            EACH_LANE port[lane] = way[lane] == 0 && own[lane] == cost ? p : port[lane];
        } else {
            EACH_LANE port[lane] = (LANE)(way[lane] + cost) == own[lane] ? p : port[lane];
        }
    }
}

/* True where a neighbour has a way, so the node must have one too, and it was too long for the lanes. */
static bool LOCAL(overflows)(const wi_route_net *net, const wi_relax_space *s, uint32_t i, uint32_t n_dst,
                             LANE far)
{
    const LANE *const own = DIST_OF(s, i);
    for (uint32_t lane = 0; lane < n_dst; ++lane) {
        if (own[lane] != far)
            continue;
        for (uint32_t e = net->first[i]; e < net->first[i + 1]; ++e) {
            const LANE way = DIST_OF(s, net->target[e])[lane];
            if (way == 0 || (way != far && net->role[net->target[e]] != WEIR_HOST))
                return true;
        }
    }
    return false;
}

static wi_batch_end LOCAL(write)(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                                 const wi_relax_space *s, LANE far)
{
    LANE port[WI_RELAX_LANES] __attribute__((aligned(64)));
    for (uint32_t i = 0; i < core->net.n; ++i) {
        uint8_t *const out = wi_table_at(table, i, dst);
        LOCAL(find_ports)(&core->net, s, i, port);
        const LANE *const own = DIST_OF(s, i);
        LANE cut_off = 0;
        EACH_LANE cut_off |= own[lane] == far;
        if (cut_off && LOCAL(overflows)(&core->net, s, i, n_dst, far))
            return WI_BATCH_OVERFLOW;
        if (!wi_table_wide(table, i)) {
            EACH_LANE out[lane] = (uint8_t)port[lane];
        } else {
            EACH_LANE
            {
                out[2 * lane] = (uint8_t)port[lane];
                out[2 * lane + 1] = (uint8_t)(port[lane] >> 8);
            }
        }
    }
    return WI_BATCH_DONE;
}

wi_batch_end KERNEL_NAME(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                         wi_relax_space *space)
{
    /* "No way yet" plus any cost does not wrap, and is less than no distance. */
    const LANE far = sizeof(LANE) == 2 ? (LANE)(UINT16_MAX - core->net.costs.high) : (LANE)WI_PATH32_LIMIT;
    LOCAL(start)(&core->net, space, dst, n_dst, far);
    for (bool down = true; down ? LOCAL(sweep_down)(&core->net, space) : LOCAL(sweep_up)(&core->net, space);)
        down = !down;
    return LOCAL(write)(core, table, dst, n_dst, space, far);
}

#undef JOIN_
#undef JOIN
#undef LOCAL
#undef EACH_LANE
#undef DIST_OF
