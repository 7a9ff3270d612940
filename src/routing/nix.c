/* Nix-vectors: one path as port numbers. */
#include <inttypes.h>

#include "base/memory.h"
#include "routing/search/pair.h"

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

weir_status weir_nix_find(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, uint32_t from,
                          uint32_t to, weir_route_space *space, uint8_t *bits, size_t capacity_bytes,
                          weir_nix *nix)
{
    const wi_route_net net = wi_net_of(graph, cost);
    const weir_cost *dist;
    *nix = (weir_nix){0};
    if (from >= graph->n_nodes)
        return weir_fail(diag, WEIR_E_ARG, "source %u is none of the graph's %u nodes", from, graph->n_nodes);
    WI_RETURN_IF_FAILED(wi_tree_fits(diag, graph, to, space));
    switch (wi_pair_find(space, &net, from, to, &dist)) {
    case WI_PAIR_TOO_LONG:
        return wi_too_long(diag, graph->name[to]);
    case WI_PAIR_BAD_COST:
        return weir_fail(diag, WEIR_E_ARG,
                         "an edge costs 0 or too much; want 1 to %" PRIu64 " or WEIR_COST_DOWN",
                         WEIR_COST_MAX);
    case WI_PAIR_NO_WAY:
        nix->n_hops = WEIR_UNREACHABLE;
        return WEIR_OK;
    case WI_PAIR_NO_MEMORY:
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to search paths among %u nodes", graph->n_nodes);
    case WI_PAIR_FOUND:
        break;
    }
    for (uint32_t at = from; at != to; ++nix->n_hops) {
        const uint32_t n_ports = net.first[at + 1] - net.first[at];
        const uint32_t e =
            wi_lowest_edge(&net, dist, at); /* there is one: some neighbour gave `at` its distance */
        append(bits, capacity_bytes, &nix->n_bits, e - net.first[at], weir_nix_width(n_ports));
        at = net.target[e];
    }
    return WEIR_OK;
}
