/* The reverse tree of one destination: breadth-first search or Dijkstra over reversed edges, then canonical
 * ports. */
#include "routing/algorithm/algorithm.h"
#include "routing/search/heap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

size_t wi_tree_space_bytes(uint32_t n)
{
    return sizeof(struct weir_route_space) +
           ((size_t)n + 1) * (sizeof(uint32_t) + sizeof(weir_cost) + sizeof(wi_heap_entry));
}

wi_tree_space *wi_tree_space_new(uint32_t n)
{
    wi_tree_space *space = calloc(1, sizeof *space);
    if (!space)
        return NULL;
    space->n = n;
    space->where = malloc(((size_t)n + 1) * sizeof *space->where);
    space->dist = malloc(((size_t)n + 1) * sizeof *space->dist);
    space->heap = malloc(((size_t)n + 1) * sizeof *space->heap);
    if (space->where && space->dist && space->heap)
        return space;
    weir_route_space_free(space);
    return NULL;
}

weir_route_space *weir_route_space_new(const weir_graph *graph)
{
    weir_route_space *space = wi_tree_space_new(graph->n_nodes);
    for (uint32_t i = 0; space && i < graph->n_nodes; ++i) {
        const uint32_t degree = graph->first[i + 1] - graph->first[i];
        if (degree > space->max_degree)
            space->max_degree = degree;
    }
    return space;
}

void weir_route_space_free(weir_route_space *space)
{
    if (!space)
        return;
    free(space->where);
    free(space->dist);
    free(space->heap);
    free(space->seen);
    weir_route_space_free(space->end[0]);
    weir_route_space_free(space->end[1]);
    free(space);
}

wi_cost_range wi_net_costs(const wi_route_net *net)
{
    wi_cost_range range = {WEIR_COST_NONE, 0, false};
    for (uint32_t e = 0; e < net->n_edges; ++e) {
        const weir_cost c = net->cost[e];
        range.down |= c >= WEIR_COST_NONE;
        range.low = c < range.low ? c : range.low;
        range.high = c > range.high && c < WEIR_COST_NONE ? c : range.high;
    }
    return range;
}

wi_cost_range wi_net_bounds(const wi_route_net *net)
{
    const weir_cost first = net->n_edges > 0 ? net->cost[0] : 1;
    weir_cost differ = 0, beyond = 0;
    /* Without branches, so that the compiler vectorises it: it runs before every tree. */
    for (uint32_t e = 0; e < net->n_edges; ++e) {
        differ |= net->cost[e] ^ first;
        beyond |= net->cost[e] - 1;
    }
    if (beyond >= WEIR_COST_MAX) /* some cost is 0, too large, or none */
        return wi_net_costs(net);
    return differ ? (wi_cost_range){1, WEIR_COST_MAX, false} : (wi_cost_range){first, first, false};
}

static bool breadth_first(const wi_route_net *net, uint32_t dst, wi_tree_space *space, weir_cost *dist)
{
    uint32_t *const queue = space->where;
    const bool all_up = net->in_first || !net->costs.down;
    const uint32_t *const in_first = wi_in_first(net);
    const uint32_t *const source = net->in_first ? net->in_source : net->target;
    const weir_cost step = net->costs.high;
    uint32_t head = 0, tail = 0;
    dist[dst] = 0;
    queue[tail++] = dst;
    while (head < tail) {
        const uint32_t v = queue[head++];
        if (net->role[v] == WEIR_HOST && v != dst)
            continue;
        const weir_cost d = dist[v] + step;
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; ++k) {
            uint32_t u = source[k];
            weir_cost cost;
            if (dist[u] != WEIR_NO_WAY || (!all_up && !wi_edge_into(net, k, &u, &cost)))
                continue;
            if (d >= WEIR_PATH_LIMIT)
                return false;
            dist[u] = d;
            queue[tail++] = u;
        }
    }
    return true;
}

static bool dijkstra(const wi_route_net *net, uint32_t dst, wi_tree_space *space, weir_cost *dist)
{
    const uint32_t *const in_first = wi_in_first(net);
    uint32_t size = 1;
    bool fits = true;
    dist[dst] = 0;
    space->heap[0] = (wi_heap_entry){0, dst};
    space->where[dst] = 0;
    while (size > 0) {
        const uint32_t v = wi_heap_pop(space, &size);
        if (net->role[v] == WEIR_HOST && v != dst)
            continue;
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; ++k) {
            uint32_t u;
            weir_cost cost;
            if (!wi_edge_into(net, k, &u, &cost))
                continue;
            const weir_cost d = dist[v] + cost;
            if (d >= dist[u])
                continue;
            if (d >= WEIR_PATH_LIMIT) {
                fits = false;
                continue;
            }
            const uint32_t at = dist[u] == WEIR_NO_WAY ? size++ : space->where[u];
            dist[u] = d;
            wi_heap_up(space, at, (wi_heap_entry){d, u});
        }
    }
    /* A sum past the limit matters only where no shorter way turned up, and then some node stayed without
     * one. */
    if (fits)
        return true;
    for (uint32_t v = 0; v < net->n; ++v)
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; ++k) {
            uint32_t u;
            weir_cost cost;
            if (dist[v] != WEIR_NO_WAY && (net->role[v] != WEIR_HOST || v == dst) &&
                wi_edge_into(net, k, &u, &cost) && dist[u] == WEIR_NO_WAY)
                return false;
        }
    return true;
}

bool wi_tree_distances(const wi_route_net *net, uint32_t dst, wi_tree_space *space, weir_cost *dist)
{
    memset(dist, 0xff, net->n * sizeof *dist);
    return (net->costs.low >= net->costs.high ? breadth_first : dijkstra)(net, dst, space, dist);
}

void wi_tree_ports(const wi_route_net *net, const weir_cost *dist, uint16_t *port)
{
    for (uint32_t i = 0; i < net->n; ++i) {
        port[i] = WEIR_NO_PORT;
        if (dist[i] == WEIR_NO_WAY || dist[i] == 0)
            continue;
        const uint32_t e = wi_lowest_edge(net, dist, i);
        if (e != UINT32_MAX)
            port[i] = net->port ? net->port[e] : (uint16_t)(e - net->first[i]);
    }
}

weir_status wi_tree_fits(weir_diag *diag, const weir_graph *graph, uint32_t dst,
                         const weir_route_space *space)
{
    if (dst >= graph->n_nodes)
        return weir_fail(diag, WEIR_E_ARG, "destination %" PRIu32 " is none of the graph's %" PRIu32 " nodes",
                         dst, graph->n_nodes);
    if (!space || space->n < graph->n_nodes)
        return weir_fail(diag, WEIR_E_ARG, "work space is for %" PRIu32 " nodes, the graph has %" PRIu32,
                         space ? space->n : 0, graph->n_nodes);
    return WEIR_OK;
}

weir_status wi_tree_check(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, uint32_t dst,
                          const weir_route_space *space, wi_route_net *net)
{
    const weir_status status = wi_tree_fits(diag, graph, dst, space);
    if (status != WEIR_OK)
        return status;
    *net = wi_net_of(graph, cost);
    net->costs = wi_net_bounds(net);
    if (net->costs.low == 0 || net->costs.high > WEIR_COST_MAX)
        return weir_fail(diag, WEIR_E_ARG,
                         "an edge costs %" PRIu64 "; want 1 to %" PRIu64 " or WEIR_COST_DOWN",
                         net->costs.low == 0 ? UINT64_C(0) : net->costs.high, WEIR_COST_MAX);
    return WEIR_OK;
}

weir_status wi_check_ports(weir_diag *diag, const weir_graph *graph)
{
    for (uint32_t i = 0; i < graph->n_nodes; ++i)
        if (graph->first[i + 1] - graph->first[i] > UINT16_MAX)
            return weir_fail(diag, WEIR_E_UNSUPPORTED, "node %s has %" PRIu32 " links; ports go up to %d",
                             graph->name[i], graph->first[i + 1] - graph->first[i], UINT16_MAX);
    return WEIR_OK;
}

weir_status wi_too_long(weir_diag *diag, const char *to)
{
    return weir_fail(diag, WEIR_E_ARG,
                     "a shortest path%s%s costs %" PRIu64
                     " or more, past what distances hold; scale the costs down",
                     to ? " to " : "", to ? to : "", WEIR_PATH_LIMIT);
}

weir_status weir_route_tree(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, uint32_t dst,
                            weir_route_space *space, weir_cost *dist, uint16_t *port)
{
    wi_route_net net;
    weir_status status = wi_tree_check(diag, graph, cost, dst, space, &net);
    if (status == WEIR_OK && port && space->max_degree > UINT16_MAX)
        status = wi_check_ports(diag, graph);
    if (status != WEIR_OK)
        return status;
    weir_cost *const own = dist ? dist : space->dist;
    if (!wi_tree_distances(&net, dst, space, own))
        return wi_too_long(diag, graph->name[dst]);
    if (port)
        wi_tree_ports(&net, own, port);
    return WEIR_OK;
}
