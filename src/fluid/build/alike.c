/*
 * Hosts that are alike: nodes with one link, to the same router, of the same rate, delay, loss and drop-tail
 * queue both ways, with as many sessions (to a tenth) to and from them, as fluid or as packets. What is the same for all of them is reckoned once:
 * their links become one of so many times the rate and queue, and flows that differ by such a host only become
 * one. Where every one of the hosts has the same flows that is exact; where their other ends are drawn by lot,
 * each gets the mean of them all.
 */
#include <stdlib.h>
#include <string.h>

#include "fluid/state/internal.h"

/* What must agree, sessions to a tenth. */
typedef struct host {
    uint32_t router, queue_to, queue_from, node;
    uint64_t rate_to, rate_from;
    weir_time delay_to, delay_from;
    double loss_to, loss_from, sessions_to, sessions_from;
} host;

static int by(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_value(double a, double b)
{
    return a < b ? -1 : a > b;
}

static int compare_kinds(const host *a, const host *b)
{
    int r = by(a->router, b->router);
    r = r ? r : by(a->rate_to, b->rate_to);
    r = r ? r : by(a->rate_from, b->rate_from);
    r = r ? r : by((uint64_t)a->delay_to, (uint64_t)b->delay_to);
    r = r ? r : by((uint64_t)a->delay_from, (uint64_t)b->delay_from);
    r = r ? r : by(a->queue_to, b->queue_to);
    r = r ? r : by(a->queue_from, b->queue_from);
    r = r ? r : by_value(a->loss_to, b->loss_to);
    return r ? r : by_value(a->loss_from, b->loss_from);
}

static int compare(const void *left, const void *right)
{
    const host *const a = left, *const b = right;
    int r = compare_kinds(a, b);
    r = r ? r : by_value(a->sessions_to, b->sessions_to);
    r = r ? r : by_value(a->sessions_from, b->sessions_from);
    return r ? r : by(a->node, b->node);
}

/* To a tenth, as many as chance gives servers that are drawn by lot. */
static bool as_many(double a, double b)
{
    const double few = a < b ? a : b, many = a < b ? b : a;
    return many <= 1.1 * few;
}

static bool are_alike(const host *a, const host *b)
{
    return compare_kinds(a, b) == 0 && as_many(a->sessions_to, b->sessions_to) &&
           as_many(a->sessions_from, b->sessions_from);
}

/* A host at its only link; false where the node is none, or its queues are not drop-tail. */
static bool find_host(const weir_fluid_plan *plan, uint32_t node, const double *sessions, host *h)
{
    const weir_graph *const g = plan->graph;
    if (g->first[node + 1] - g->first[node] != 1)
        return false;
    const uint32_t from = g->first[node], to = g->reverse[from];
    *h = (host){.router = g->target[from],
                .node = node,
                .rate_to = g->rate_bps[to],
                .rate_from = g->rate_bps[from],
                .delay_to = g->delay_ps[to],
                .delay_from = g->delay_ps[from],
                .queue_to = plan->queue_of_edge ? plan->queue_of_edge[to] : 0,
                .queue_from = plan->queue_of_edge ? plan->queue_of_edge[from] : 0,
                .loss_to = plan->loss_of_edge ? plan->loss_of_edge[to] : 0.0,
                .loss_from = plan->loss_of_edge ? plan->loss_of_edge[from] : 0.0,
                .sessions_to = sessions[to],
                .sessions_from = sessions[from]};
    return sessions[to] + sessions[from] > 0.0 &&
           (sessions[to] <= 0.0 || plan->queues[h->queue_to].type == WEIR_FLUID_DROPTAIL) &&
           (sessions[from] <= 0.0 || plan->queues[h->queue_from].type == WEIR_FLUID_DROPTAIL);
}

/* Edges of hosts that are alike get those of the first of them, and those their number. */
static void join(const weir_graph *g, host *hosts, uint32_t n, uint32_t *edge_for, uint32_t *n_alike)
{
    qsort(hosts, n, sizeof *hosts, compare);
    for (uint32_t i = 0, first = 0; i < n; i++) {
        if (!are_alike(&hosts[first], &hosts[i]))
            first = i;
        const uint32_t from = g->first[hosts[i].node], to = g->reverse[from];
        const uint32_t one_from = g->first[hosts[first].node], one_to = g->reverse[one_from];
        edge_for[from] = one_from;
        edge_for[to] = one_to;
        n_alike[one_from] = n_alike[one_to] = i - first + 1;
    }
}

weir_status wi_fluid_join_alike(weir_diag *diag, const weir_fluid_plan *plan, wi_fluid_paths *paths,
                                wi_fluid_links *links)
{
    const weir_graph *const g = plan->graph;
    uint32_t *const edge_for = links->edge_for =
        wi_fluid_array(diag, g->n_edges, sizeof *links->edge_for, "links");
    uint32_t *const n_alike = links->n_alike =
        wi_fluid_array(diag, g->n_edges, sizeof *links->n_alike, "links");
    if (!edge_for || !n_alike)
        return WEIR_E_NOMEM;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        edge_for[e] = e;
        n_alike[e] = 1;
    }
    if (!plan->join_alike)
        return WEIR_OK;
    WI_FREED double *const sessions = wi_fluid_array(diag, g->n_edges, sizeof *sessions, "links");
    WI_FREED host *const hosts = wi_fluid_array(diag, g->n_nodes, sizeof *hosts, "hosts");
    const bool whole = sessions && hosts;
    uint32_t n = 0;
    for (uint32_t e = 0; plan->packets_of_edge && e < g->n_edges && whole; e++)
        sessions[e] = plan->packets_of_edge[e];
    for (uint32_t f = 0; f < plan->n_flows && whole; f++)
        for (uint64_t h = paths->first[f]; h < paths->first[f + 1]; h++)
            sessions[paths->edge[h]] += plan->flows[f].sessions;
    for (uint32_t node = 0; node < g->n_nodes && whole; node++)
        n += find_host(plan, node, sessions, &hosts[n]);
    if (whole)
        join(g, hosts, n, edge_for, n_alike);
    for (uint64_t h = 0; h < paths->first[plan->n_flows] && whole; h++)
        paths->edge[h] = edge_for[paths->edge[h]];
    return whole ? WEIR_OK : WEIR_E_NOMEM;
}
