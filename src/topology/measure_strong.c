/* Strong components by Tarjan's search (1972), without recursion. */
#include <stdlib.h>

#include "topology/measure.h"

typedef struct tarjan {
    const weir_graph *graph;
    uint32_t *number; /* [n]: in the order of finding, from 1; 0: not found */
    uint32_t *low;    /* [n]: the least number that the node's subtree leads to, within what is open */
    uint32_t *next;   /* [n]: edge to look at next */
    uint32_t *parent; /* [n]: by which the node was found */
    uint32_t *open;   /* [n]: found, and not in a component yet */
    uint8_t *is_open; /* [n] */
    uint32_t n_open, found;
} tarjan;

static void enter(tarjan *t, uint32_t v, uint32_t parent)
{
    t->number[v] = t->low[v] = ++t->found;
    t->next[v] = t->graph->first[v];
    t->parent[v] = parent;
    t->open[t->n_open++] = v;
    t->is_open[v] = 1;
}

/* All of v's edges are looked at. */
static void leave(tarjan *t, uint32_t v, weir_topology_stats *stats)
{
    const uint32_t parent = t->parent[v];
    uint32_t size = 0;
    if (t->low[v] == t->number[v]) {
        uint32_t u;
        do {
            u = t->open[--t->n_open];
            t->is_open[u] = 0;
            size++;
        } while (u != v);
        stats->strong_components++;
        stats->largest_strong = size > stats->largest_strong ? size : stats->largest_strong;
    }
    if (parent != v && t->low[v] < t->low[parent])
        t->low[parent] = t->low[v];
}

static void search(tarjan *t, uint32_t from, weir_topology_stats *stats)
{
    uint32_t at = from;
    enter(t, from, from);
    for (;;) {
        if (t->next[at] < t->graph->end[at]) {
            const uint32_t v = t->graph->target[t->next[at]++];
            if (t->number[v] == 0) {
                enter(t, v, at);
                at = v;
            } else if (t->is_open[v] && t->number[v] < t->low[at]) {
                t->low[at] = t->number[v];
            }
            continue;
        }
        const uint32_t parent = t->parent[at];
        leave(t, at, stats);
        if (parent == at)
            return;
        at = parent;
    }
}

bool wi_measure_strong(const weir_graph *graph, weir_topology_stats *stats)
{
    const size_t n = (size_t)graph->n_nodes + 1;
    if (graph->n_one_way == 0) {
        stats->strong_components = stats->components;
        stats->largest_strong = stats->largest_component;
        return true;
    }
    tarjan t = {.graph = graph,
                .number = calloc(n, sizeof *t.number),
                .low = malloc(n * sizeof *t.low),
                .next = malloc(n * sizeof *t.next),
                .parent = malloc(n * sizeof *t.parent),
                .open = malloc(n * sizeof *t.open),
                .is_open = calloc(n, 1)};
    const bool good = t.number && t.low && t.next && t.parent && t.open && t.is_open;
    for (uint32_t v = 0; good && v < graph->n_nodes; v++)
        if (t.number[v] == 0)
            search(&t, v, stats);
    free(t.number);
    free(t.low);
    free(t.next);
    free(t.parent);
    free(t.open);
    free(t.is_open);
    return good;
}
