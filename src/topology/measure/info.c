/* Figures of a graph, and what a simulation of it would trip over. */
#include "weir/topology.h"

#include <math.h>
#include <stdlib.h>

#include "topology/measure/measure.h"

/* Below this, a link's delay keeps conservative windows tiny whatever else the network holds. */
static const weir_time SHORT_DELAY_PS = 100 * WEIR_PS_PER_NS;

void weir_topology_stats_free(weir_topology_stats *stats)
{
    free(stats->nodes_of_degree);
    *stats = (weir_topology_stats){0};
}

static uint32_t degree_of(const weir_graph *g, uint32_t v)
{
    return g->first[v + 1] - g->first[v];
}

static weir_status measure_degrees(const weir_graph *g, weir_topology_stats *s)
{
    s->degree_min = g->n_nodes ? UINT32_MAX : 0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        const uint32_t d = degree_of(g, v);
        s->degree_min = d < s->degree_min ? d : s->degree_min;
        s->degree_max = d > s->degree_max ? d : s->degree_max;
    }
    s->nodes_of_degree = calloc((size_t)s->degree_max + 1, sizeof *s->nodes_of_degree);
    if (!s->nodes_of_degree)
        return WEIR_E_NOMEM;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        s->nodes_of_degree[degree_of(g, v)]++;
    s->degree_mean = g->n_nodes ? (double)g->n_edges / g->n_nodes : 0;
    s->isolated = s->nodes_of_degree[0];
    s->leaves = s->degree_max >= 1 ? s->nodes_of_degree[1] : 0;
    return WEIR_OK;
}

static void measure_nodes(const weir_graph *g, weir_topology_stats *s)
{
    s->nodes = g->n_nodes;
    s->links = g->n_edges / 2;
    s->self_loops = g->n_self_loops;
    s->parallel = g->n_parallel;
    s->one_way = g->n_one_way;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        s->hosts += g->role[v] == WEIR_HOST;
        s->nodes_without_xy += isnan(g->x[v]);
        s->nodes_at_zero += g->x[v] == 0 && g->y[v] == 0;
    }
    s->routers = s->nodes - s->hosts;
}

/* A link lacks a rate when either direction does. Returns how many delays are short. */
static uint32_t measure_links(const weir_graph *g, weir_topology_stats *s)
{
    uint32_t n_short = 0;
    s->delay_min_ps = s->delay_max_ps = -1;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const uint64_t rate = g->rate_bps[e];
        const weir_time delay = g->delay_ps[e];
        const bool once = e < g->reverse[e];
        s->links_without_rate += once && (rate == 0 || g->rate_bps[g->reverse[e]] == 0);
        s->links_without_delay += once && delay < 0;
        n_short += once && delay >= 0 && delay < SHORT_DELAY_PS;
        if (rate > 0 && (s->rate_min_bps == 0 || rate < s->rate_min_bps))
            s->rate_min_bps = rate;
        if (rate > s->rate_max_bps)
            s->rate_max_bps = rate;
        if (delay >= 0 && (s->delay_min_ps < 0 || delay < s->delay_min_ps))
            s->delay_min_ps = delay;
        if (delay > s->delay_max_ps)
            s->delay_max_ps = delay;
    }
    return n_short;
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static void warn(weir_diag *diag, const weir_topology_stats *s, uint32_t n_short)
{
    if (s->nodes == 0)
        weir_warn(diag, "the graph has no nodes");
    if (s->components > 1)
        weir_warn(
            diag,
            "the graph falls into %u components, the largest of %u of %u nodes: no way leads between them",
            s->components, s->largest_component, s->nodes);
    if (s->one_way > 0 && s->strong_components > s->components)
        weir_warn(diag,
                  "%u links lead one way only: the largest part in which all nodes reach each other has %u "
                  "of %u nodes",
                  s->one_way, s->largest_strong, s->nodes);
    if (s->isolated > 0)
        weir_warn(diag, "%u node%s without a link", s->isolated, plural(s->isolated));
    if (s->self_loops > 0)
        weir_warn(diag, "%u link%s from a node to itself left out", s->self_loops, plural(s->self_loops));
    if (s->parallel > 0)
        weir_warn(diag,
                  "%u link%s parallel to another: routes use one of them unless equal-cost paths are on",
                  s->parallel, plural(s->parallel));
    if (s->links_without_rate > 0)
        weir_warn(diag, "%u of %u links without a rate: they take the default", s->links_without_rate,
                  s->links);
    if (s->links_without_delay > 0)
        weir_warn(diag, "%u of %u links without a delay: they take it from coordinates, or the default",
                  s->links_without_delay, s->links);
    if (s->nodes_at_zero > 0)
        weir_warn(diag,
                  "%u node%s at coordinates 0, 0: most likely these are not known, and a delay that follows "
                  "from them would be wrong",
                  s->nodes_at_zero, plural(s->nodes_at_zero));
    if (n_short > 0)
        weir_warn(
            diag,
            "%u link%s with a delay below 100 ns, the least %lld ps: parallel engines advance in such steps",
            n_short, plural(n_short), (long long)s->delay_min_ps);
}

weir_status weir_topology_info(weir_diag *diag, const weir_graph *graph, weir_topology_stats *stats)
{
    *stats = (weir_topology_stats){0};
    measure_nodes(graph, stats);
    const uint32_t n_short = measure_links(graph, stats);
    weir_status st = measure_degrees(graph, stats)
            ?: wi_measure_paths(graph, stats)
            ?: wi_measure_strong(graph, stats)
            ?: wi_measure_clustering(graph, stats);
    if (st != WEIR_OK) {
        weir_topology_stats_free(stats);
        return weir_fail(diag, st, "out of memory while measuring a graph of %u nodes and %u links",
                         graph->n_nodes, graph->n_edges / 2);
    }
    warn(diag, stats, n_short);
    return WEIR_OK;
}
