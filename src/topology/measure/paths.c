/* Components, diameter, mean path: breadth-first searches. */
#include "topology/measure/measure.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES_MIN = 16, SOURCES_MAX = 256, SWEEPS = 8 };

typedef struct search {
    const weir_graph *graph;
    uint32_t *distance; /* [n_nodes]: hops + 1; 0: not reached */
    uint32_t *queue;    /* [n_nodes]: nodes in the order of reaching */
    uint32_t reached;   /* by the last search, its source included */
    uint32_t depth;     /* of the last search */
    uint64_t hops;      /* sum of distances of the last search */
    bool either_way;    /* over links, whatever way they lead */
} search;

/* Goes on from what distance[] holds: nodes already reached are not visited. */
static void spread(search *s, uint32_t source)
{
    const weir_graph *g = s->graph;
    uint32_t head = 0, tail = 0;
    s->queue[tail++] = source;
    s->distance[source] = 1;
    s->hops = 0;
    while (head < tail) {
        const uint32_t u = s->queue[head++];
        s->hops += s->distance[u] - 1;
        const uint32_t end = s->either_way ? g->first[u + 1] : g->end[u];
        for (uint32_t e = g->first[u]; e < end; e++) {
            const uint32_t v = g->target[e];
            if (s->distance[v] != 0)
                continue;
            s->distance[v] = s->distance[u] + 1;
            s->queue[tail++] = v;
        }
    }
    s->reached = tail;
    s->depth = s->distance[s->queue[tail - 1]] - 1;
}

static void forget(search *s)
{
    memset(s->distance, 0, s->graph->n_nodes * sizeof *s->distance);
}

static uint32_t farthest(const search *s)
{
    return s->queue[s->reached - 1];
}

/* Returns a node of the largest component. */
static uint32_t measure_components(search *s, weir_topology_stats *stats)
{
    uint32_t inside = 0;
    forget(s);
    s->either_way = true;
    for (uint32_t v = 0; v < s->graph->n_nodes; v++) {
        if (s->distance[v] != 0)
            continue;
        spread(s, v);
        stats->components++;
        if (s->reached > stats->largest_component) {
            stats->largest_component = s->reached;
            inside = v;
        }
    }
    s->either_way = false;
    return inside;
}

static uint32_t sources_of(const weir_graph *g, bool exact)
{
    if (exact)
        return g->n_nodes;
    const uint64_t affordable = (WEIR_TOPOLOGY_EXACT_WORK >> 3) / ((uint64_t)g->n_edges + g->n_nodes);
    const uint64_t n = affordable < SOURCES_MIN   ? SOURCES_MIN
                       : affordable > SOURCES_MAX ? SOURCES_MAX
                                                  : affordable;
    return n < g->n_nodes ? (uint32_t)n : g->n_nodes;
}

static void deepen(const search *s, weir_topology_stats *stats)
{
    if (s->depth > stats->diameter)
        stats->diameter = s->depth;
}

static void measure_from_sources(search *s, uint32_t sources, weir_topology_stats *stats)
{
    uint64_t hops = 0, pairs = 0;
    for (uint32_t i = 0; i < sources; i++) {
        forget(s);
        spread(s, (uint32_t)((uint64_t)i * s->graph->n_nodes / sources));
        deepen(s, stats);
        hops += s->hops;
        pairs += s->reached - 1;
    }
    stats->path_sources = sources;
    stats->mean_path = pairs ? (double)hops / (double)pairs : 0;
}

/* The farthest node from anywhere is a good end of a long path; its farthest node is the other. */
static void sweep(search *s, uint32_t from, weir_topology_stats *stats)
{
    for (int i = 0; i < SWEEPS; i++) {
        forget(s);
        spread(s, from);
        deepen(s, stats);
        from = farthest(s);
    }
}

weir_status wi_measure_paths(const weir_graph *graph, weir_topology_stats *stats)
{
    search s = {.graph = graph};
    if (graph->n_nodes == 0) {
        stats->diameter_exact = stats->mean_path_exact = true;
        return WEIR_OK;
    }
    s.distance = malloc(graph->n_nodes * sizeof *s.distance);
    s.queue = malloc(graph->n_nodes * sizeof *s.queue);
    if (s.distance && s.queue) {
        const bool exact =
            graph->n_nodes <= WEIR_TOPOLOGY_EXACT_NODES &&
            ((uint64_t)graph->n_edges + graph->n_nodes) * graph->n_nodes <= WEIR_TOPOLOGY_EXACT_WORK;
        const uint32_t inside = measure_components(&s, stats);
        const uint32_t sources = sources_of(graph, exact);
        measure_from_sources(&s, sources, stats);
        if (sources < graph->n_nodes)
            sweep(&s, inside, stats);
        stats->diameter_exact = stats->mean_path_exact = sources == graph->n_nodes;
    }
    const bool ok = s.distance && s.queue;
    free(s.distance);
    free(s.queue);
    return ok ? WEIR_OK : WEIR_E_NOMEM;
}
