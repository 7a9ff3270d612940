/*
 * Dijkstra from both ends. Each end settles nodes in rising distance, until what is left on both sides adds up to the length that
 * has been found (G. B. Dantzig, Linear Programming and Extensions, 1963, chapter 17; the ending is T. A. J. Nicholson's, Computer
 * Journal 9, 1966). Of a random graph each end sees about the square root of what one would see alone.
 *
 * The canonical path wants the distance to `to` of every node on a shortest path, of which the end at `to` has seen the nearer ones.
 * Where both ends gave a node distances that add up to the length, it is on such a path, and both are exact; from these on, edges
 * on which the distance from `from` falls by the edge's cost lead to all others.
 */
#include "routing/search/pair.h"

#include <stdlib.h>

#include "routing/search/heap.h"

/* What one end has seen; distances of all other nodes are WEIR_NO_WAY. */
typedef struct end {
    wi_tree_space *space;
    uint32_t *seen; /* [n_seen], in the order of their first distances */
    uint32_t n_seen, waiting;
} end;

struct wi_pair {
    end near, far; /* of `to` and of `from` */
    bool bad_cost, too_long;
};

static bool end_new(end *e, uint32_t n)
{
    e->space = wi_tree_space_new(n);
    e->seen = malloc(((size_t)n + 1) * sizeof *e->seen);
    for (uint32_t i = 0; e->space && i < n; i++)
        e->space->dist[i] = WEIR_NO_WAY;
    return e->space && e->seen;
}

static void end_free(end *e)
{
    weir_route_space_free(e->space);
    free(e->seen);
}

static void end_forget(end *e)
{
    for (uint32_t i = 0; i < e->n_seen; i++)
        e->space->dist[e->seen[i]] = WEIR_NO_WAY;
    e->n_seen = e->waiting = 0;
}

wi_pair *wi_pair_new(uint32_t n)
{
    wi_pair *const pair = calloc(1, sizeof *pair);
    if (pair && end_new(&pair->near, n) && end_new(&pair->far, n))
        return pair;
    wi_pair_free(pair);
    return NULL;
}

void wi_pair_free(wi_pair *pair)
{
    if (!pair)
        return;
    end_free(&pair->near);
    end_free(&pair->far);
    free(pair);
}

/* A distance that an end has found; a shorter one takes its place. */
static void offer(end *e, uint32_t node, weir_cost d)
{
    wi_tree_space *const s = e->space;
    if (d >= s->dist[node])
        return;
    const bool is_new = s->dist[node] == WEIR_NO_WAY;
    if (is_new)
        e->seen[e->n_seen++] = node;
    s->dist[node] = d;
    wi_heap_up(s, is_new ? e->waiting++ : s->where[node], (wi_heap_entry){d, node});
}

static weir_cost least(const end *e)
{
    return e->waiting > 0 ? e->space->heap[0].dist : WEIR_NO_WAY;
}

/* Settle the nearest node of an end: offer what its edges lead to, or come from. Returns the length of the shortest path so far. */
static weir_cost settle(wi_pair *pair, const wi_route_net *net, end *e, const end *other, weir_cost length)
{
    const bool back = e == &pair->near;
    const uint32_t v = wi_heap_pop(e->space, &e->waiting), origin = e->seen[0], aim = other->seen[0];
    const weir_cost so_far = e->space->dist[v];
    const uint32_t *const first = back ? wi_in_first(net) : net->first;
    if (net->role[v] == WEIR_HOST && v != origin)
        return length;
    for (uint32_t k = first[v]; k < first[v + 1]; k++) {
        uint32_t u = net->target[k];
        weir_cost cost = net->cost[k];
        if (back ? !wi_edge_into(net, k, &u, &cost) : !wi_edge_usable(net, k))
            continue;
        if (net->role[u] == WEIR_HOST && u != aim)
            continue; /* it forwards nothing */
        pair->bad_cost |= cost == 0 || cost > WEIR_COST_MAX;
        if (pair->bad_cost)
            return length;
        const weir_cost d = so_far + cost, rest = other->space->dist[u];
        if (d >= WEIR_PATH_LIMIT) {
            pair->too_long = true;
            continue;
        }
        offer(e, u, d);
        if (rest != WEIR_NO_WAY && d + rest < length)
            length = d + rest;
    }
    return length;
}

/* Distances to `to` of nodes on shortest paths that only the other end has seen. */
static void fill_in(wi_pair *pair, const wi_route_net *net, weir_cost length)
{
    end *const near = &pair->near, *const far = &pair->far;
    const uint32_t *const in_first = wi_in_first(net);
    uint32_t n = 0, *const list = far->space->where; /* its heap has been used */
    for (uint32_t i = 0; i < near->n_seen; i++) {
        const uint32_t v = near->seen[i];
        if (far->space->dist[v] != WEIR_NO_WAY && near->space->dist[v] + far->space->dist[v] == length)
            list[n++] = v;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = list[i];
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; k++) {
            uint32_t u;
            weir_cost cost;
            if (!wi_edge_into(net, k, &u, &cost) || far->space->dist[u] == WEIR_NO_WAY ||
                far->space->dist[u] + cost != far->space->dist[v] ||
                near->space->dist[u] == length - far->space->dist[u])
                continue;
            if (near->space->dist[u] == WEIR_NO_WAY)
                near->seen[near->n_seen++] = u;
            near->space->dist[u] = length - far->space->dist[u];
            list[n++] = u;
        }
    }
}

wi_pair_end wi_pair_find(wi_pair *pair, const wi_route_net *net, uint32_t from, uint32_t to,
                         const weir_cost **dist)
{
    end *const near = &pair->near, *const far = &pair->far;
    weir_cost length = from == to ? 0 : WEIR_NO_WAY;
    end_forget(near);
    end_forget(far);
    pair->bad_cost = pair->too_long = false;
    offer(near, to, 0);
    offer(far, from, 0);
    while (near->waiting > 0 && far->waiting > 0 && least(near) + least(far) < length && !pair->bad_cost)
        length = near->waiting <= far->waiting ? settle(pair, net, near, far, length)
                                               : settle(pair, net, far, near, length);
    *dist = near->space->dist;
    if (pair->bad_cost)
        return WI_PAIR_BAD_COST;
    if (length == WEIR_NO_WAY)
        return pair->too_long ? WI_PAIR_TOO_LONG : WI_PAIR_NO_WAY;
    if (length >= WEIR_PATH_LIMIT)
        return WI_PAIR_TOO_LONG;
    fill_in(pair, net, length);
    return WI_PAIR_FOUND;
}
