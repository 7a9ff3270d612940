/* Which rank solves which ports: nodes in the order of their numbers, as much of the solver's memory to each rank. */
#include <stdlib.h>

#include "fluid/ghosts/ghosts.h"

/* Nodes that stay together have the least of their numbers in common. */
static uint32_t root_of(uint32_t *root, uint32_t node)
{
    while (root[node] != node)
        node = root[node] = root[root[node]];
    return node;
}

static void join(uint32_t *root, uint32_t a, uint32_t b)
{
    a = root_of(root, a);
    b = root_of(root, b);
    root[a > b ? a : b] = a > b ? b : a;
}

/* The node whose queue a port is. */
static uint32_t node_of(const weir_graph *g, const fluid_tables *t, uint32_t port)
{
    return g->target[g->reverse[t->ports[port].edge]];
}

/* Sessions that go on over another path take their windows along, so both paths end on one rank. */
static void join_successors(const weir_graph *g, const fluid_tables *t, uint32_t *root)
{
    for (uint32_t i = 0; i < t->n_changes; i++)
        if (t->changes[i].what >= FLUID_FLOW_TAKES)
            join(root, node_of(g, t, t->flows[t->changes[i].number].port),
                 node_of(g, t, t->flows[t->changes[i].from].port));
}

/* Bytes of histories of the ports of each group, and of the flows that end there. Returns the sum. */
static double weigh(const weir_graph *g, const fluid_tables *t, uint32_t *root, double *weight)
{
    double all = 0.0;
    for (uint32_t p = 0; p < t->n_ports; p++)
        weight[root_of(root, node_of(g, t, p))] += 8.0 * t->ports[p].rows * (8.0 + t->ports[p].n_prefixes);
    for (uint32_t f = 0; f < t->n_flows; f++)
        weight[root_of(root, node_of(g, t, t->flows[f].port))] += 200.0 + 4.0 * t->rings[f].rows;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        all += weight[v];
    return all;
}

/* Groups one after the other, each to the rank that has the middle of it or, where those that are left are few, to the
 * next. Returns how many ranks have some. */
static uint32_t deal(const weir_graph *g, const double *weight, double all, uint32_t n_ranks, uint16_t *rank)
{
    double before = 0.0;
    uint32_t used = 0, left = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        left += weight[v] > 0.0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        if (weight[v] <= 0.0)
            continue;
        const double wanted = (before + 0.5 * weight[v]) / all * n_ranks;
        used += used < n_ranks && (used == 0 || wanted >= used || left <= n_ranks - used);
        rank[v] = (uint16_t)(used - 1);
        before += weight[v];
        left--;
    }
    return used;
}

weir_status wi_ghosts_split(weir_diag *diag, const weir_fluid_plan *plan, const fluid_tables *t,
                            const wi_ranks *ranks, uint16_t *of_port, const char **why)
{
    const weir_graph *const g = plan->graph;
    WI_FREED uint32_t *const root = wi_fluid_array(diag, g->n_nodes, sizeof *root, "nodes");
    WI_FREED double *const weight = wi_fluid_array(diag, g->n_nodes, sizeof *weight, "nodes");
    WI_FREED uint16_t *const rank = wi_fluid_array(diag, g->n_nodes, sizeof *rank, "nodes");
    const bool whole = root && weight && rank;
    *why = NULL;
    for (uint32_t v = 0; v < g->n_nodes && whole; v++)
        root[v] = v;
    if (whole) {
        join_successors(g, t, root);
        const double all = weigh(g, t, root, weight);
        if (deal(g, weight, all, ranks->n_ranks, rank) < ranks->n_ranks)
            *why = "it passes too few nodes for a part each";
        for (uint32_t p = 0; p < t->n_ports; p++)
            of_port[p] = rank[root_of(root, node_of(g, t, p))];
    }
    return whole ? WEIR_OK : WEIR_E_NOMEM;
}
