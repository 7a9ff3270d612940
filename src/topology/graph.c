/* From a builder's lists to the CSR: a stable counting sort of the links by their ends. */
#include "weir/graph.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topology/builder.h"

/* What is behind a weir_graph: the public part first, then what finds names. */
typedef struct stored_graph {
    weir_graph graph;
    wi_names names;
    bool is_view; /* all but rates and delays are another graph's */
} stored_graph;

/* The arrays of a graph, of an item a node or an edge. */
#define ARRAY(member, edges)                                                      \
    {                                                                             \
        offsetof(weir_graph, member), sizeof *((weir_graph *)NULL)->member, edges \
    }
static const struct array {
    size_t at, size;
    bool of_edges;
} arrays[] = {
    ARRAY(first, false),      ARRAY(end, false),     ARRAY(as_number, false), ARRAY(role, false),
    ARRAY(node_class, false), ARRAY(x, false),       ARRAY(y, false),         ARRAY(name, false),
    ARRAY(target, true),      ARRAY(reverse, true),  ARRAY(link, true),       ARRAY(weight, true),
    ARRAY(rate_bps, true),    ARRAY(delay_ps, true), ARRAY(missing, true),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

/* An array as whoever makes the graph may write it. */
#define WRITABLE(type, array) ((type *)(uintptr_t)(array))

static void *array_of(const weir_graph *g, size_t i)
{
    void *p;
    memcpy(&p, (const char *)g + arrays[i].at, sizeof p);
    return p;
}

/* Zeros; one item more than there are, and two of `first`, so that an empty array is not a null pointer.
 * `missing` is there where some link leads one way. */
static bool allocate(weir_graph *g)
{
    bool good = true;
    for (size_t i = 0; i < ARRAYS; i++) {
        void *const p = calloc((size_t)(arrays[i].of_edges ? g->n_edges : g->n_nodes) + 2, arrays[i].size);
        good &= p != NULL;
        memcpy((char *)g + arrays[i].at, &p, sizeof p);
    }
    return good;
}

void weir_graph_free(weir_graph *graph)
{
    if (!graph)
        return;
    stored_graph *stored = (stored_graph *)graph;
    if (stored->is_view) {
        free(WRITABLE(uint64_t, graph->rate_bps));
        free(WRITABLE(weir_time, graph->delay_ps));
    } else {
        for (size_t i = 0; i < ARRAYS; i++)
            free(array_of(graph, i));
        wi_names_free(&stored->names);
    }
    free(stored);
}

uint32_t weir_graph_find(const weir_graph *graph, const char *name)
{
    return wi_names_find(&((const stored_graph *)graph)->names, name, strlen(name));
}

/* ---- from lists to arrays ---- */

/* Where each node's edges begin, and where its missing ones do. */
static void count_edges(const weir_graph_builder *b, const weir_graph *g)
{
    uint32_t *const first = WRITABLE(uint32_t, g->first), *const end = WRITABLE(uint32_t, g->end);
    for (size_t i = 0; i < b->n_links; i++) {
        const weir_link *l = &b->link[i];
        first[l->a + 1]++;
        first[l->b + 1]++;
        end[l->a]++;
        end[l->b] += !l->one_way;
    }
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        first[v + 1] += first[v];
        end[v] += first[v];
    }
}

/* One direction of a link. */
static void place_edge(const weir_graph *g, uint32_t edge, uint32_t back, const weir_link *l, uint32_t number)
{
    WRITABLE(uint32_t, g->target)[edge] = l->b;
    WRITABLE(uint32_t, g->reverse)[edge] = back;
    WRITABLE(uint32_t, g->link)[edge] = number;
    WRITABLE(weir_time, g->delay_ps)[edge] = l->delay_ps;
    WRITABLE(uint64_t, g->rate_bps)[edge] = l->rate_bps;
    WRITABLE(uint32_t, g->weight)[edge] = l->weight ? l->weight : 1;
}

/* The other direction, as a link of its own. */
static weir_link turned(const weir_link *l)
{
    weir_link back = *l;
    back.b = l->a;
    back.delay_ps = l->delay_back_ps >= 0 ? l->delay_back_ps : l->delay_ps;
    back.rate_bps = l->rate_back_bps ? l->rate_back_bps : l->rate_bps;
    back.weight = l->weight_back ? l->weight_back : l->weight;
    return back;
}

/* `next` and `next_missing` are [nodes] of work. */
static void place_edges(const weir_graph_builder *b, const weir_graph *g, uint32_t *next,
                        uint32_t *next_missing)
{
    count_edges(b, g);
    memcpy(next, g->first, g->n_nodes * sizeof *next);
    memcpy(next_missing, g->end, g->n_nodes * sizeof *next_missing);
    for (size_t i = 0; i < b->n_links; i++) {
        const weir_link *l = &b->link[i], other = turned(l);
        const uint32_t there = next[l->a]++;
        const uint32_t back = l->one_way ? next_missing[l->b]++ : next[l->b]++;
        place_edge(g, there, back, l, (uint32_t)i);
        place_edge(g, back, there, &other, (uint32_t)i);
        WRITABLE(uint8_t, g->missing)[back] = l->one_way;
    }
}

static void copy_nodes(const weir_graph_builder *b, const wi_names *names, const weir_graph *g)
{
    for (uint32_t v = 0; v < names->count; v++) {
        WRITABLE(const char *, g->name)[v] = wi_names_text(names, v);
        WRITABLE(double, g->x)[v] = b->node[v].x;
        WRITABLE(double, g->y)[v] = b->node[v].y;
        WRITABLE(uint32_t, g->as_number)[v] = b->node[v].as_number;
        WRITABLE(uint8_t, g->role)[v] = b->node[v].role;
        WRITABLE(uint8_t, g->node_class)[v] = b->node[v].node_class;
    }
}

/* Links beyond the first between two nodes: those of both directions from their lower end, one-way ones from
 * where they begin. seen[v] = u + 1 once an edge of u has led to v. */
static uint32_t count_parallel(const weir_graph *g, uint32_t *seen)
{
    uint32_t parallel = 0;
    for (uint32_t u = 0; u < g->n_nodes; u++)
        for (uint32_t e = g->first[u]; e < g->end[u]; e++) {
            const uint32_t v = g->target[e];
            parallel += (v > u || g->missing[g->reverse[e]]) && seen[v] == u + 1;
            seen[v] = u + 1;
        }
    return parallel;
}

weir_status weir_graph_build(weir_diag *diag, weir_graph_builder *builder, weir_graph **out)
{
    *out = NULL;
    if (builder->failed != WEIR_OK)
        return weir_fail(diag, builder->failed, "%s", builder->why);
    const uint32_t nodes = builder->names.count;
    stored_graph *stored = calloc(1, sizeof *stored);
    weir_graph *const g = &stored->graph;
    WI_FREED uint32_t *seen = calloc((size_t)nodes + 1, sizeof *seen);
    WI_FREED uint32_t *cursor = calloc((size_t)nodes + 1, sizeof *cursor);
    if (stored)
        *g = (weir_graph){.n_nodes = nodes,
                          .n_edges = (uint32_t)(2 * builder->n_links),
                          .n_one_way = builder->n_one_way,
                          .geographic = builder->geographic,
                          .weighted = builder->weighted,
                          .n_self_loops = builder->n_self_loops,
                          .weight_scale = builder->weight_scale ? builder->weight_scale : 1};
    if (!stored || !seen || !cursor || !allocate(g) || !wi_names_copy(&builder->names, &stored->names)) {
        weir_graph_free(g);
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for a graph of %u nodes and %zu links", nodes,
                         builder->n_links);
    }
    place_edges(builder, g, cursor, seen);
    memset(seen, 0, nodes * sizeof *seen);
    copy_nodes(builder, &stored->names, g);
    g->n_parallel = count_parallel(g, seen);
    if (g->n_one_way == 0) {
        free(WRITABLE(uint8_t, g->missing));
        g->missing = NULL;
    }
    *out = g;
    return WEIR_OK;
}

weir_graph *wi_graph_view(const weir_graph *graph)
{
    const size_t n = (size_t)graph->n_edges + 1;
    stored_graph *view = malloc(sizeof *view);
    uint64_t *rate_bps = malloc(n * sizeof *rate_bps);
    weir_time *delay_ps = malloc(n * sizeof *delay_ps);
    if (!view || !rate_bps || !delay_ps) {
        free(view);
        free(rate_bps);
        free(delay_ps);
        return NULL;
    }
    *view = *(const stored_graph *)graph;
    view->is_view = true;
    memcpy(rate_bps, graph->rate_bps, graph->n_edges * sizeof *rate_bps);
    memcpy(delay_ps, graph->delay_ps, graph->n_edges * sizeof *delay_ps);
    view->graph.rate_bps = rate_bps;
    view->graph.delay_ps = delay_ps;
    return &view->graph;
}

uint64_t wi_graph_bytes(const weir_graph *g)
{
    const wi_names *names = &((const stored_graph *)g)->names;
    uint64_t bytes = sizeof(stored_graph) + g->n_nodes * sizeof *names->offset + names->pool_size +
                     names->n_slots * sizeof *names->slot;
    for (size_t i = 0; i < ARRAYS; i++)
        bytes +=
            array_of(g, i) ? (uint64_t)(arrays[i].of_edges ? g->n_edges : g->n_nodes) * arrays[i].size : 0;
    return bytes;
}
