/*
 * Links of hanging trees that fail and are repaired, without computing anything again.
 *
 * A failed link cuts a subtree off: what is in it reaches itself as before, and nothing else. So the subtree
 * keeps its numbering and gets a core number of its own, one of those that every table has to spare, whose
 * row and column say "none". The repair of that link gives the subtree its core number back. Both take as
 * many steps as the subtree has nodes.
 *
 * A node's `up` stays what it is while its way up is out of service: costs show that, and within the piece
 * nobody asks for it.
 */
#include "routing/algorithm/algorithm.h"
#include "base/order.h"
#include "routing/core.h"

#include <stdlib.h>

static uint32_t up_edge(const weir_routes *routes, const weir_graph *graph, uint32_t node)
{
    return graph->first[node] + routes->core.place[node].up;
}

static bool hangs(const weir_routes *routes, uint32_t node)
{
    return routes->core.place[node].up != WEIR_NO_PORT;
}

/* The node that hangs by an edge's link; UINT32_MAX: none does. */
static uint32_t hanging_by(const weir_routes *routes, const weir_graph *graph, uint32_t e)
{
    const uint32_t end[2] = {graph->target[e], graph->target[graph->reverse[e]]};
    for (int k = 0; k < 2; ++k)
        if (hangs(routes, end[k]) && graph->link[up_edge(routes, graph, end[k])] == graph->link[e])
            return end[k];
    return UINT32_MAX;
}

static uint64_t own_bit(const weir_routes *routes, uint32_t node)
{
    return UINT64_C(1) << (routes->core.place[node].core - routes->core.net.n);
}

bool wi_cuts_find(const weir_routes *routes, const wi_route_update *what, const weir_cost *after,
                  wi_cuts *cuts)
{
    const weir_graph *const graph = what->graph;
    uint32_t n = 0, pieces = 0;
    cuts->n = 0;
    cuts->in_use = routes->pieces;
    for (uint32_t k = 0; k < what->n_changes; ++k) {
        const uint32_t e = what->changes[k].edge;
        const bool was = wi_in_force(graph, what->cost, e) != WEIR_COST_DOWN,
                   is = wi_in_force(graph, after, e) != WEIR_COST_DOWN;
        if (was == is ||
            (!hangs(routes, graph->target[e]) && !hangs(routes, graph->target[graph->reverse[e]])))
            continue;
        const uint32_t node = hanging_by(routes, graph, e);
        if (node == UINT32_MAX)
            return false; /* a new way to a tree: it may be one no more */
        cuts->node[n++] = node;
    }
    qsort(cuts->node, n, sizeof *cuts->node, wi_order_u32);
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t node = cuts->node[k];
        if (k > 0 && node == cuts->node[k - 1])
            continue; /* both directions were named */
        cuts->node[cuts->n++] = node;
        if (wi_in_force(graph, after, up_edge(routes, graph, node)) == WEIR_COST_DOWN)
            ++pieces;
        else
            cuts->in_use &= ~own_bit(routes, node);
    }
    for (uint32_t k = 0; k < routes->table.n_spare; ++k)
        pieces -= pieces > 0 && !(cuts->in_use >> k & 1);
    return pieces == 0;
}

/* Give a node and what still hangs from it a core number. Returns how many nodes that were. */
static uint32_t renumber(weir_routes *routes, const weir_graph *graph, const weir_cost *cost, uint32_t node,
                         uint32_t number, uint32_t *stack)
{
    const wi_core *const core = &routes->core;
    uint32_t n = 1, moved = 0;
    stack[0] = node;
    while (n > 0) {
        const uint32_t x = stack[--n];
        weir_route_node *const at = &core->place[x];
        at->core = number;
        ++moved;
        for (uint32_t k = at->kid; k < at->kid + at->n_kids; ++k) {
            const uint32_t e = graph->first[x] + core->kid_port[k];
            if (wi_in_force(graph, cost, e) != WEIR_COST_DOWN)
                stack[n++] = graph->target[e];
        }
    }
    return moved;
}

uint32_t wi_cuts_apply(weir_routes *routes, const weir_graph *graph, const weir_cost *after,
                       const wi_cuts *cuts, uint32_t *stack)
{
    uint32_t moved = 0;
    routes->pieces = cuts->in_use;
    for (uint32_t k = 0; k < cuts->n; ++k) {
        const uint32_t node = cuts->node[k], up = up_edge(routes, graph, node);
        /* Of a parent whose own number is still to change: then the parent's turn reaches this node too. */
        uint32_t number = routes->core.place[graph->target[up]].core;
        if (wi_in_force(graph, after, up) == WEIR_COST_DOWN) {
            uint32_t spare = 0;
            while (routes->pieces >> spare & 1)
                ++spare;
            routes->pieces |= UINT64_C(1) << spare;
            number = routes->core.net.n + spare;
        }
        moved += renumber(routes, graph, after, node, number, stack);
    }
    return moved;
}
