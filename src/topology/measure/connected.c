/*
 * Which nodes reach each other, both ways: strongly connected components, which where links go both ways are
 * the connected ones. Tarjan's algorithm (SIAM J. Comput. 1, 1972) without recursion.
 */

#include <stdlib.h>
#include <string.h>

#include "topology/measure/measure.h"
#include "base/memory.h"

typedef struct search {
    const weir_graph *g;
    uint32_t *low, *edge,
        *from; /* [nodes] lowest number reached; next edge to look at; where it was reached */
    uint32_t *stack, n_stack;
    uint32_t *part; /* UINT32_MAX: not known yet */
    uint32_t visited, parts;
} search;

static void enter(search *s, uint32_t v, uint32_t from)
{
    s->low[v] = ++s->visited;
    s->edge[v] = s->g->first[v];
    s->from[v] = from;
    s->stack[s->n_stack++] = v;
}

/* All that lies above v on the stack reaches v. */
static void close_part(search *s, uint32_t v)
{
    uint32_t w;
    do {
        w = s->stack[--s->n_stack];
        s->part[w] = s->parts;
    } while (w != v);
    s->parts++;
}

static void search_from(search *s, uint32_t root, uint32_t *number)
{
    uint32_t v = root;
    enter(s, v, UINT32_MAX);
    number[v] = s->visited;
    while (v != UINT32_MAX) {
        if (s->edge[v] < s->g->end[v]) {
            const uint32_t w = s->g->target[s->edge[v]++];
            if (number[w] == 0) {
                enter(s, w, v);
                number[w] = s->visited;
                v = w;
            } else if (s->part[w] == UINT32_MAX && number[w] < s->low[v]) {
                s->low[v] = number[w];
            }
            continue;
        }
        const uint32_t back = s->from[v];
        if (s->low[v] == number[v])
            close_part(s, v);
        if (back != UINT32_MAX && s->low[v] < s->low[back])
            s->low[back] = s->low[v];
        v = back;
    }
}

uint32_t *wi_connected_parts(const weir_graph *g, uint32_t *n_parts)
{
    const size_t n = (size_t)g->n_nodes + 1;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    uint32_t *number = wi_take(&memory, n, sizeof *number);
    search s = {.g = g,
                .low = wi_take(&memory, n, sizeof *s.low),
                .edge = wi_take(&memory, n, sizeof *s.edge),
                .from = wi_take(&memory, n, sizeof *s.from),
                .stack = wi_take(&memory, n, sizeof *s.stack)};
    if (memory.failed || !(s.part = malloc(n * sizeof *s.part)))
        return NULL;
    memset(s.part, 0xff, n * sizeof *s.part);
    for (uint32_t v = 0; v < g->n_nodes; v++)
        if (number[v] == 0)
            search_from(&s, v, number);
    *n_parts = s.parts;
    return s.part;
}

weir_status wi_measure_strong(const weir_graph *graph, weir_topology_stats *stats)
{
    uint32_t parts = 0;
    if (graph->n_one_way == 0) {
        stats->strong_components = stats->components;
        stats->largest_strong = stats->largest_component;
        return WEIR_OK;
    }
    WI_FREED uint32_t *part = wi_connected_parts(graph, &parts);
    WI_FREED uint32_t *size = calloc((size_t)parts + 1, sizeof *size);
    for (uint32_t v = 0; part && size && v < graph->n_nodes; v++)
        if (++size[part[v]] > stats->largest_strong)
            stats->largest_strong = size[part[v]];
    stats->strong_components = parts;
    const bool good = part && size;
    return good ? WEIR_OK : WEIR_E_NOMEM;
}
