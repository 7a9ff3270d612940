/* Nodes and links by the names that a scenario gives them. */
#include "base/nearest.h"
#include "scenario/network.h"

uint32_t wi_network_node(weir_diag *diag, const wi_network *network, const char *name, weir_place place)
{
    const weir_graph *g = network->graph;
    const uint32_t node = weir_graph_find(g, name);
    if (node != UINT32_MAX)
        return node;
    const char *near = wi_nearest(name, g->name, g->n_nodes);
    if (near)
        weir_fail_at(diag, WEIR_E_SCENARIO, place.file, place.line, place.column,
                     "no node '%s' in the topology (did you mean '%s'?)", name, near);
    else
        weir_fail_at(diag, WEIR_E_SCENARIO, place.file, place.line, place.column,
                     "no node '%s' in the topology, which has %u nodes, such as '%s'", name, g->n_nodes,
                     g->n_nodes ? g->name[0] : "");
    return UINT32_MAX;
}

static uint32_t edges_between(const weir_graph *g, uint32_t from, uint32_t to, uint32_t *edges, uint32_t n,
                              uint32_t max)
{
    for (uint32_t e = g->first[from]; e < g->first[from + 1]; e++)
        if (g->target[e] == to && n < max)
            edges[n++] = e;
    return n;
}

uint32_t wi_network_edges(weir_diag *diag, const wi_network *network, const weir_link_name *link,
                          uint32_t *edges, uint32_t max)
{
    const weir_graph *g = network->graph;
    const uint32_t from = wi_network_node(diag, network, link->from, link->place);
    const uint32_t to = wi_network_node(diag, network, link->to, link->place);
    if (from == UINT32_MAX || to == UINT32_MAX)
        return 0;
    uint32_t n = edges_between(g, from, to, edges, 0, max);
    if (link->both)
        n = edges_between(g, to, from, edges, n, max);
    if (n == 0)
        weir_fail_at(diag, WEIR_E_SCENARIO, link->place.file, link->place.line, link->place.column,
                     "no link between '%s' and '%s'", link->from, link->to);
    return n;
}
