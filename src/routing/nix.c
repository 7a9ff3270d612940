/* Nix-vectors: one path as port numbers. */
#include "routing/internal.h"

/* Add a port behind what is there, as far as there is room. */
static void append(uint8_t *bits, size_t capacity_bytes, uint32_t *at, uint32_t port, uint32_t width)
{
    for (uint32_t b = 0; b < width; ++b, ++*at) {
        const size_t byte = *at / 8;
        if (!bits || byte >= capacity_bytes)
            continue;
        if (*at % 8 == 0)
            bits[byte] = 0;
        bits[byte] |= (uint8_t)((port >> b & 1) << *at % 8);
    }
}

/* The lowest port on a shortest path. Nodes as far as the search's end, or farther, are on none. */
static uint32_t lowest_port(const wi_net *net, const uint32_t *dist, uint32_t at)
{
    for (uint32_t e = net->first[at]; e < net->first[at + 1]; ++e) {
        const uint32_t v = net->target[e];
        if (dist[v] < dist[at] && net->cost[e] + dist[v] == dist[at] && wi_edge_usable(net, e) &&
            (net->role[v] != WEIR_HOST || dist[v] == 0))
            return e - net->first[at];
    }
    return WEIR_NO_PORT; /* not reached: at has a distance, so some neighbour gave it */
}

weir_status weir_nix_find(weir_diag *diag, const weir_graph *graph, const uint32_t *cost, uint32_t from,
                          uint32_t to, weir_route_space *space, uint8_t *bits, size_t capacity_bytes,
                          weir_nix *nix)
{
    wi_net net;
    wi_cost_range costs;
    *nix = (weir_nix){0};
    if (from >= graph->n_nodes)
        return weir_fail(diag, WEIR_E_ARG, "source %u is none of the graph's %u nodes", from, graph->n_nodes);
    const weir_status status = wi_tree_check(diag, graph, cost, to, space, true, &net, &costs);
    if (status != WEIR_OK)
        return status;
    uint32_t *const dist = wi_tree_dist(space);
    if (!wi_tree_until(&net, costs, to, from, space, dist))
        return wi_tree_too_long(diag, graph, to);
    if (dist[from] == WEIR_UNREACHABLE) {
        nix->n_hops = WEIR_UNREACHABLE;
        return WEIR_OK;
    }
    for (uint32_t at = from; at != to; ++nix->n_hops) {
        const uint32_t n_ports = net.first[at + 1] - net.first[at], port = lowest_port(&net, dist, at);
        append(bits, capacity_bytes, &nix->n_bits, port, weir_nix_width(n_ports));
        at = net.target[net.first[at] + port];
    }
    return WEIR_OK;
}
