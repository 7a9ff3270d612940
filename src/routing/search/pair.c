/*
 * Dijkstra from both ends; breadth first where costs are equal. Each end settles nodes in rising distance, until what is left on both sides adds up to the length that
 * has been found (G. B. Dantzig, Linear Programming and Extensions, 1963, chapter 17; the ending is T. A. J. Nicholson's, Computer
 * Journal 9, 1966). Of a random graph each end sees about the square root of what one would see alone.
 *
 * The canonical path wants the distance to `to` of every node on a shortest path, of which the end at `to` has seen the nearer ones.
 * Where both ends gave a node distances that add up to the length, it is on such a path, and both are exact; from these on, edges
 * on which the distance from `from` falls by the edge's cost lead to all others.
 */
#include "routing/search/pair.h"

#include <stdlib.h>
#include <string.h>

#include "routing/search/heap.h"

enum { NEAR, FAR }; /* the ends: `to`, and `from` */

static bool ends_new(wi_tree_space *space)
{
    for (int i = NEAR; i <= FAR; i++) {
        wi_tree_space *const e = space->end[i] ? space->end[i] : wi_tree_space_new(space->n);
        space->end[i] = e;
        if (!e || (!e->seen && !(e->seen = malloc(((size_t)space->n + 1) * sizeof *e->seen))))
            return false;
        memset(e->dist, 0xff, space->n * sizeof *e->dist);
    }
    return true;
}

static void forget(wi_tree_space *end)
{
    for (uint32_t i = 0; i < end->n_seen; i++)
        end->dist[end->seen[i]] = WEIR_NO_WAY;
    end->n_seen = end->waiting = end->head = 0;
    end->in_order = true;
}

/* What is in order is a heap, too. */
static void become_heap(wi_tree_space *end)
{
    memmove(end->heap, end->heap + end->head, end->waiting * sizeof *end->heap);
    for (uint32_t i = 0; i < end->waiting; i++)
        end->where[end->heap[i].node] = i;
    end->head = 0;
    end->in_order = false;
}

/* A distance that an end has found; a shorter one takes its place. Where all edges cost the same, they come in order. */
static void offer(wi_tree_space *end, uint32_t node, weir_cost d)
{
    const bool is_new = end->dist[node] == WEIR_NO_WAY;
    const uint32_t behind = end->head + end->waiting;
    if (d >= end->dist[node])
        return;
    if (is_new)
        end->seen[end->n_seen++] = node;
    end->dist[node] = d;
    if (end->in_order && (!is_new || (end->waiting > 0 && d < end->heap[behind - 1].dist)))
        become_heap(end);
    if (end->in_order)
        end->heap[behind] = (wi_heap_entry){d, node};
    else
        wi_heap_up(end, is_new ? end->waiting : end->where[node], (wi_heap_entry){d, node});
    end->waiting += is_new;
}

static uint32_t take_nearest(wi_tree_space *end)
{
    if (!end->in_order)
        return wi_heap_pop(end, &end->waiting);
    end->waiting--;
    return end->heap[end->head++].node;
}

/* A search under way. */
typedef struct pair {
    const wi_route_net *net;
    wi_tree_space *near, *far;
    weir_cost length; /* of the shortest path so far */
    bool bad_cost, too_long;
} pair;

/* Settle the nearest node of an end: offer what its edges lead to, or come from. */
static void settle(pair *p, wi_tree_space *end, const wi_tree_space *other)
{
    const wi_route_net *const net = p->net;
    const bool back = end == p->near;
    const uint32_t v = take_nearest(end), origin = end->seen[0], aim = other->seen[0];
    const uint32_t *const first = back ? wi_in_first(net) : net->first;
    if (net->role[v] == WEIR_HOST && v != origin)
        return;
    for (uint32_t k = first[v]; k < first[v + 1]; k++) {
        uint32_t u = net->target[k];
        weir_cost cost = net->cost[k];
        if (back ? !wi_edge_into(net, k, &u, &cost) : !wi_edge_usable(net, k))
            continue;
        if (net->role[u] == WEIR_HOST && u != aim)
            continue; /* it forwards nothing */
        const weir_cost d = end->dist[v] + cost, rest = other->dist[u];
        p->bad_cost |= cost == 0 || cost > WEIR_COST_MAX;
        p->too_long |= d >= WEIR_PATH_LIMIT;
        if (p->bad_cost || d >= WEIR_PATH_LIMIT)
            continue;
        offer(end, u, d);
        if (rest != WEIR_NO_WAY && d + rest < p->length)
            p->length = d + rest;
    }
}

/* Distances to `to` of nodes on shortest paths that only the other end has seen. */
static void fill_in(pair *p)
{
    const wi_route_net *const net = p->net;
    wi_tree_space *const near = p->near;
    const weir_cost *const far = p->far->dist;
    const uint32_t *const in_first = wi_in_first(net);
    uint32_t n = 0, *const list = p->far->where; /* its heap has been used */
    for (uint32_t i = 0; i < near->n_seen; i++) {
        const uint32_t v = near->seen[i];
        if (far[v] != WEIR_NO_WAY && near->dist[v] + far[v] == p->length)
            list[n++] = v;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = list[i];
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; k++) {
            uint32_t u;
            weir_cost cost;
            if (!wi_edge_into(net, k, &u, &cost) || far[u] == WEIR_NO_WAY || far[u] + cost != far[v] ||
                near->dist[u] == p->length - far[u])
                continue;
            if (near->dist[u] == WEIR_NO_WAY)
                near->seen[near->n_seen++] = u;
            near->dist[u] = p->length - far[u];
            list[n++] = u;
        }
    }
}

wi_pair_end wi_pair_find(wi_tree_space *space, const wi_route_net *net, uint32_t from, uint32_t to,
                         const weir_cost **dist)
{
    if ((!space->end[FAR] || !space->end[FAR]->seen) && !ends_new(space))
        return WI_PAIR_NO_MEMORY;
    wi_tree_space *const near = space->end[NEAR], *const far = space->end[FAR];
    pair p = {.net = net, .near = near, .far = far, .length = from == to ? 0 : WEIR_NO_WAY};
    forget(near);
    forget(far);
    offer(near, to, 0);
    offer(far, from, 0);
    while (near->waiting > 0 && far->waiting > 0 && !p.bad_cost &&
           near->heap[near->head].dist + far->heap[far->head].dist < p.length)
        if (near->waiting <= far->waiting)
            settle(&p, near, far);
        else
            settle(&p, far, near);
    *dist = near->dist;
    if (p.bad_cost)
        return WI_PAIR_BAD_COST;
    if (p.length == WEIR_NO_WAY && !p.too_long)
        return WI_PAIR_NO_WAY;
    if (p.length >= WEIR_PATH_LIMIT)
        return WI_PAIR_TOO_LONG;
    fill_in(&p);
    return WI_PAIR_FOUND;
}
