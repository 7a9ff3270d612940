/* Equal-cost ports and whole paths. */
#include "weir/routes.h"

/* An edge on a shortest path: hosts are led to, never through. Only the destination has distance 0. */
static bool leads_on(const weir_graph *graph, const weir_cost *cost, const weir_cost *dist, uint32_t from,
                     uint32_t e)
{
    const uint32_t next = graph->target[e];
    if (cost[e] >= WEIR_COST_NONE || cost[graph->reverse[e]] == WEIR_COST_DOWN || dist[next] == WEIR_NO_WAY)
        return false;
    if (graph->role[next] == WEIR_HOST && dist[next] != 0)
        return false;
    return cost[e] + dist[next] == dist[from];
}

uint32_t weir_route_equal_ports(const weir_graph *graph, const weir_cost *cost, const weir_cost *dist,
                                uint32_t from, uint16_t *ports, uint32_t max)
{
    uint32_t n = 0;
    if (dist[from] == WEIR_NO_WAY)
        return 0;
    for (uint32_t e = graph->first[from]; e < graph->first[from + 1]; ++e) {
        if (!leads_on(graph, cost, dist, from, e))
            continue;
        if (n < max)
            ports[n] = (uint16_t)(e - graph->first[from]);
        ++n;
    }
    return n;
}

/* Where ports come from: a table, or a tree. */
typedef struct way {
    const weir_routes *routes;
    const uint16_t *port;
} way;

static uint32_t follow(way by, const weir_graph *graph, uint32_t from, uint32_t to, uint32_t *edges,
                       uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t at = from; at != to; ++n) {
        const uint16_t port = by.routes ? weir_routes_port(by.routes, at, to) : by.port[at];
        if (port == WEIR_NO_PORT)
            return WEIR_UNREACHABLE;
        const uint32_t e = graph->first[at] + port;
        if (n < max)
            edges[n] = e;
        at = graph->target[e];
    }
    return n;
}

uint32_t weir_routes_path(const weir_routes *routes, const weir_graph *graph, uint32_t from, uint32_t to,
                          uint32_t *edges, uint32_t max)
{
    return follow((way){.routes = routes}, graph, from, to, edges, max);
}

uint32_t weir_route_path(const weir_graph *graph, const uint16_t *port, uint32_t from, uint32_t to,
                         uint32_t *edges, uint32_t max)
{
    return follow((way){.port = port}, graph, from, to, edges, max);
}

/* The edge of the equal-cost set that the flow takes at a node short of the destination. */
static uint32_t ecmp_edge(const weir_graph *graph, const weir_cost *cost, const weir_cost *dist, uint32_t at,
                          uint32_t flow_hash)
{
    const uint32_t n = weir_route_equal_ports(graph, cost, dist, at, NULL, 0);
    uint32_t left = weir_ecmp_pick(flow_hash, at, n);
    uint32_t e = graph->first[at];
    while (!leads_on(graph, cost, dist, at, e) || left-- > 0)
        ++e;
    return e;
}

uint32_t weir_route_path_ecmp(const weir_graph *graph, const weir_cost *cost, const weir_cost *dist,
                              uint32_t from, uint32_t flow_hash, uint32_t *edges, uint32_t max)
{
    uint32_t n = 0;
    if (dist[from] == WEIR_NO_WAY)
        return WEIR_UNREACHABLE;
    for (uint32_t at = from; dist[at] != 0; ++n) {
        const uint32_t e = ecmp_edge(graph, cost, dist, at, flow_hash);
        if (n < max)
            edges[n] = e;
        at = graph->target[e];
    }
    return n;
}
