/* The reverse tree of one destination: breadth-first search or Dijkstra over reversed edges, then canonical
 * ports. */
#include "routing/algorithm/algorithm.h"
#include "routing/search/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ARITY 4u

/* The queue of the breadth-first search and the heap of Dijkstra share their memory. */
struct weir_route_space {
    uint32_t n;
    uint32_t max_degree;
    uint32_t *where; /* [n]: position in the heap */
    uint32_t *dist;  /* [n]: distances that the caller does not want */
    uint64_t *heap;  /* [n]: distance << 32 | node; one entry a node, so ties break by number */
};

size_t wi_tree_space_bytes(uint32_t n)
{
    return sizeof(struct weir_route_space) + ((size_t)n + 1) * (2 * sizeof(uint32_t) + sizeof(uint64_t));
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
    free(space);
}

uint32_t *wi_tree_dist(wi_tree_space *space)
{
    return space->dist;
}

wi_cost_range wi_net_costs(const wi_route_net *net)
{
    /* Signed and without branches, so that the compiler vectorises it: it runs before every tree. */
    int32_t low = INT32_MAX, high = -1;
    int32_t down = 0;
    for (uint32_t e = 0; e < net->n_edges; ++e) {
        const int32_t c = (int32_t)net->cost[e];
        const int32_t known = c < 0 ? INT32_MAX : c; /* WEIR_COST_DOWN is -1, WEIR_COST_NONE -2 */
        low = known < low ? known : low;
        high = c > high ? c : high;
        down |= c;
    }
    return (wi_cost_range){(uint32_t)low, high < 0 ? 0 : (uint32_t)high, down < 0};
}

static bool breadth_first(const wi_route_net *net, wi_cost_range costs, uint32_t dst, uint32_t until,
                          wi_tree_space *space, uint32_t *dist)
{
    uint32_t *const queue = space->where;
    const bool all_up = net->in_first || !costs.down;
    const uint32_t *const in_first = wi_in_first(net);
    const uint32_t step = costs.high;
    uint32_t head = 0, tail = 0;
    dist[dst] = 0;
    queue[tail++] = dst;
    while (head < tail && (until >= net->n || dist[until] == WEIR_UNREACHABLE)) {
        const uint32_t v = queue[head++];
        if (net->role[v] == WEIR_HOST && v != dst)
            continue;
        const uint32_t d = dist[v] + step;
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; ++k) {
            uint32_t u = net->in_first ? net->in_source[k] : net->target[k], cost;
            if (dist[u] != WEIR_UNREACHABLE || (!all_up && !wi_edge_into(net, k, &u, &cost)))
                continue;
            if (d >= WEIR_PATH_LIMIT)
                return false;
            dist[u] = d;
            queue[tail++] = u;
        }
    }
    return true;
}

static void heap_up(wi_tree_space *space, uint32_t at, uint64_t key)
{
    while (at > 0) {
        const uint32_t parent = (at - 1) / ARITY;
        if (space->heap[parent] <= key)
            break;
        space->heap[at] = space->heap[parent];
        space->where[(uint32_t)space->heap[at]] = at;
        at = parent;
    }
    space->heap[at] = key;
    space->where[(uint32_t)key] = at;
}

static uint32_t heap_pop(wi_tree_space *space, uint32_t *size)
{
    uint64_t *const heap = space->heap;
    const uint32_t top = (uint32_t)heap[0];
    const uint64_t key = heap[--*size];
    uint32_t at = 0;
    for (;;) {
        const uint32_t kid = ARITY * at + 1;
        if (kid >= *size)
            break;
        const uint32_t end = kid + ARITY < *size ? kid + ARITY : *size;
        uint32_t least = kid;
        for (uint32_t k = kid + 1; k < end; ++k)
            least = heap[k] < heap[least] ? k : least;
        if (heap[least] >= key)
            break;
        heap[at] = heap[least];
        space->where[(uint32_t)heap[at]] = at;
        at = least;
    }
    heap[at] = key;
    space->where[(uint32_t)key] = at;
    return top;
}

static bool dijkstra(const wi_route_net *net, uint32_t dst, uint32_t until, wi_tree_space *space,
                     uint32_t *dist)
{
    const uint32_t *const in_first = wi_in_first(net);
    uint32_t size = 1;
    bool fits = true;
    dist[dst] = 0;
    space->heap[0] = dst;
    space->where[dst] = 0;
    while (size > 0) {
        const uint32_t v = heap_pop(space, &size);
        if (v == until)
            return true;
        if (net->role[v] == WEIR_HOST && v != dst)
            continue;
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; ++k) {
            uint32_t u, cost;
            if (!wi_edge_into(net, k, &u, &cost))
                continue;
            const uint32_t d = dist[v] + cost;
            if (d >= dist[u])
                continue;
            if (d >= WEIR_PATH_LIMIT) {
                fits = false;
                continue;
            }
            const uint32_t at = dist[u] == WEIR_UNREACHABLE ? size++ : space->where[u];
            dist[u] = d;
            heap_up(space, at, (uint64_t)d << 32 | u);
        }
    }
    /* A sum past the limit matters only where no shorter way turned up, and then some node stayed without
     * one. */
    if (fits)
        return true;
    for (uint32_t v = 0; v < net->n; ++v)
        for (uint32_t k = in_first[v]; k < in_first[v + 1]; ++k) {
            uint32_t u, cost;
            if (dist[v] != WEIR_UNREACHABLE && (net->role[v] != WEIR_HOST || v == dst) &&
                wi_edge_into(net, k, &u, &cost) && dist[u] == WEIR_UNREACHABLE)
                return false;
        }
    return true;
}

bool wi_tree_until(const wi_route_net *net, wi_cost_range costs, uint32_t dst, uint32_t until,
                   wi_tree_space *space, uint32_t *dist)
{
    memset(dist, 0xff, net->n * sizeof *dist);
    return costs.low >= costs.high ? breadth_first(net, costs, dst, until, space, dist)
                                   : dijkstra(net, dst, until, space, dist);
}

bool wi_tree_distances(const wi_route_net *net, wi_cost_range costs, uint32_t dst, wi_tree_space *space,
                       uint32_t *dist)
{
    return wi_tree_until(net, costs, dst, UINT32_MAX, space, dist);
}

void wi_tree_ports(const wi_route_net *net, const uint32_t *dist, uint16_t *port)
{
    for (uint32_t i = 0; i < net->n; ++i) {
        port[i] = WEIR_NO_PORT;
        if (dist[i] == WEIR_UNREACHABLE || dist[i] == 0)
            continue;
        const uint32_t e = wi_lowest_edge(net, dist, i);
        if (e != UINT32_MAX)
            port[i] = net->port ? net->port[e] : (uint16_t)(e - net->first[i]);
    }
}

weir_status wi_tree_check(weir_diag *diag, const weir_graph *graph, const uint32_t *cost, uint32_t dst,
                          const weir_route_space *space, bool ports, wi_route_net *net, wi_cost_range *costs)
{
    if (dst >= graph->n_nodes)
        return weir_fail(diag, WEIR_E_ARG, "destination %" PRIu32 " is none of the graph's %" PRIu32 " nodes",
                         dst, graph->n_nodes);
    if (!space || space->n < graph->n_nodes)
        return weir_fail(diag, WEIR_E_ARG, "work space is for %" PRIu32 " nodes, the graph has %" PRIu32,
                         space ? space->n : 0, graph->n_nodes);
    if (ports && space->max_degree > UINT16_MAX)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "a node has %" PRIu32 " links; ports go up to %d",
                         space->max_degree, UINT16_MAX);
    *net = wi_net_of(graph, cost);
    *costs = wi_net_costs(net);
    if (costs->low == 0 || costs->high > WEIR_COST_MAX)
        return weir_fail(diag, WEIR_E_ARG,
                         "an edge costs %" PRIu32 "; want 1 to %" PRIu32 " or WEIR_COST_DOWN",
                         costs->low == 0 ? 0 : costs->high, WEIR_COST_MAX);
    return WEIR_OK;
}

weir_status wi_tree_too_long(weir_diag *diag, const weir_graph *graph, uint32_t dst)
{
    return weir_fail(diag, WEIR_E_ARG,
                     "a path to %s costs %" PRIu32 " or more, past what distances hold; scale the costs down",
                     graph->name[dst], WEIR_PATH_LIMIT);
}

weir_status weir_route_tree(weir_diag *diag, const weir_graph *graph, const uint32_t *cost, uint32_t dst,
                            weir_route_space *space, uint32_t *dist, uint16_t *port)
{
    wi_route_net net;
    wi_cost_range costs;
    const weir_status status = wi_tree_check(diag, graph, cost, dst, space, port != NULL, &net, &costs);
    if (status != WEIR_OK)
        return status;
    uint32_t *const own = dist ? dist : space->dist;
    if (!wi_tree_distances(&net, costs, dst, space, own))
        return wi_tree_too_long(diag, graph, dst);
    if (port)
        wi_tree_ports(&net, own, port);
    return WEIR_OK;
}
