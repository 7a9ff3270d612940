/*
 * Clustering: triangles, each found once from its end of least degree.
 *
 * Every pair of linked nodes is kept once, at the end of lower rank (degree, then number). A triangle then
 * shows as two pairs of one node whose other ends are a pair, and no list is longer than the square root of
 * twice the pairs.
 */
#include "topology/measure/measure.h"

#include "base/memory.h"

typedef struct oriented {
    size_t *first;     /* [n_nodes + 1] */
    uint32_t *target;  /* the ends of higher rank */
    uint32_t *mark;    /* [n_nodes]: node + 1 that marked last */
    uint32_t *degree;  /* [n_nodes]: distinct neighbours */
    uint64_t *corners; /* [n_nodes]: triangles with a corner here */
} oriented;

static void clear_marks(const weir_graph *g, oriented *o)
{
    for (uint32_t v = 0; v < g->n_nodes; v++)
        o->mark[v] = 0;
}

static void count_neighbours(const weir_graph *g, oriented *o)
{
    for (uint32_t u = 0; u < g->n_nodes; u++)
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++) {
            const uint32_t v = g->target[e];
            o->degree[u] += o->mark[v] != u + 1;
            o->mark[v] = u + 1;
        }
}

static bool lower(const oriented *o, uint32_t u, uint32_t v)
{
    return o->degree[u] != o->degree[v] ? o->degree[u] < o->degree[v] : u < v;
}

static void orient(const weir_graph *g, oriented *o)
{
    size_t n = 0;
    clear_marks(g, o);
    for (uint32_t u = 0; u < g->n_nodes; u++) {
        o->first[u] = n;
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++) {
            const uint32_t v = g->target[e];
            if (o->mark[v] == u + 1 || !lower(o, u, v))
                continue;
            o->mark[v] = u + 1;
            o->target[n++] = v;
        }
    }
    o->first[g->n_nodes] = n;
}

static uint64_t count_triangles(const weir_graph *g, oriented *o)
{
    uint64_t triangles = 0;
    clear_marks(g, o);
    for (uint32_t u = 0; u < g->n_nodes; u++) {
        for (size_t i = o->first[u]; i < o->first[u + 1]; i++)
            o->mark[o->target[i]] = u + 1;
        for (size_t i = o->first[u]; i < o->first[u + 1]; i++) {
            const uint32_t v = o->target[i];
            for (size_t j = o->first[v]; j < o->first[v + 1]; j++) {
                const uint32_t w = o->target[j];
                if (o->mark[w] != u + 1)
                    continue;
                triangles++;
                o->corners[u]++;
                o->corners[v]++;
                o->corners[w]++;
            }
        }
    }
    return triangles;
}

weir_status wi_measure_clustering(const weir_graph *graph, weir_topology_stats *stats)
{
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    const size_t n = graph->n_nodes;
    oriented o = {.first = wi_take(&memory, n + 1, sizeof *o.first),
                  .target = wi_take(&memory, graph->n_edges / 2, sizeof *o.target),
                  .mark = wi_take(&memory, n, sizeof *o.mark),
                  .degree = wi_take(&memory, n, sizeof *o.degree),
                  .corners = wi_take(&memory, n, sizeof *o.corners)};
    if (memory.failed)
        return WEIR_E_NOMEM;
    count_neighbours(graph, &o);
    orient(graph, &o);
    const uint64_t triangles = count_triangles(graph, &o);
    double sum = 0, wedges = 0;
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        const double pairs = (double)o.degree[v] * ((double)o.degree[v] - 1) / 2;
        sum += pairs > 0 ? (double)o.corners[v] / pairs : 0;
        wedges += pairs;
    }
    stats->clustering = graph->n_nodes ? sum / graph->n_nodes : 0;
    stats->transitivity = wedges > 0 ? 3 * (double)triangles / wedges : 0;
    return WEIR_OK;
}
