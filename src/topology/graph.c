/* From a builder's lists to the CSR: a stable counting sort of the links by their ends. */
#include "weir/graph.h"

#include <stdlib.h>
#include <string.h>

#include "topology/builder.h"
#include "topology/view.h"

/* What is behind a weir_graph: the public part first, then what finds names. */
typedef struct stored_graph {
    weir_graph graph;
    wi_names names;
    bool is_view; /* all but rates and delays are another graph's */
} stored_graph;

/* The arrays, writable; the graph keeps them as const. */
typedef struct arrays {
    uint32_t *first, *end, *target, *reverse, *link, *weight, *as_number;
    uint64_t *rate_bps;
    weir_time *delay_ps;
    uint8_t *role, *node_class, *missing;
    double *x, *y;
    const char **name;
} arrays;

static void free_arrays(arrays *a)
{
    free(a->first);
    free(a->end);
    free(a->target);
    free(a->reverse);
    free(a->link);
    free(a->weight);
    free(a->as_number);
    free(a->rate_bps);
    free(a->delay_ps);
    free(a->role);
    free(a->node_class);
    free(a->missing);
    free(a->x);
    free(a->y);
    free(a->name);
}

void weir_graph_free(weir_graph *graph)
{
    if (!graph)
        return;
    stored_graph *stored = (stored_graph *)graph;
    if (stored->is_view) {
        free((uint64_t *)graph->rate_bps);
        free((weir_time *)graph->delay_ps);
        free(stored);
        return;
    }
    arrays a = {
        (uint32_t *)graph->first,     (uint32_t *)graph->end,       (uint32_t *)graph->target,
        (uint32_t *)graph->reverse,   (uint32_t *)graph->link,      (uint32_t *)graph->weight,
        (uint32_t *)graph->as_number, (uint64_t *)graph->rate_bps,  (weir_time *)graph->delay_ps,
        (uint8_t *)graph->role,       (uint8_t *)graph->node_class, (uint8_t *)graph->missing,
        (double *)graph->x,           (double *)graph->y,           (const char **)(uintptr_t)graph->name,
    };
    free_arrays(&a);
    wi_names_free(&stored->names);
    free(stored);
}

uint32_t weir_graph_find(const weir_graph *graph, const char *name)
{
    return wi_names_find(&((const stored_graph *)graph)->names, name, strlen(name));
}

/* One more than asked for, so that an empty array is not a null pointer. */
static void *array_of(size_t n, size_t size, bool *failed)
{
    void *p = calloc(n + 1, size);
    *failed |= p == NULL;
    return p;
}

static bool allocate(arrays *a, size_t nodes, size_t edges, bool one_way)
{
    bool failed = false;
    a->end = array_of(nodes, sizeof *a->end, &failed);
    a->missing = one_way ? array_of(edges, sizeof *a->missing, &failed) : NULL;
    a->first = array_of(nodes + 1, sizeof *a->first, &failed);
    a->as_number = array_of(nodes, sizeof *a->as_number, &failed);
    a->role = array_of(nodes, sizeof *a->role, &failed);
    a->node_class = array_of(nodes, sizeof *a->node_class, &failed);
    a->x = array_of(nodes, sizeof *a->x, &failed);
    a->y = array_of(nodes, sizeof *a->y, &failed);
    a->name = array_of(nodes, sizeof *a->name, &failed);
    a->target = array_of(edges, sizeof *a->target, &failed);
    a->reverse = array_of(edges, sizeof *a->reverse, &failed);
    a->link = array_of(edges, sizeof *a->link, &failed);
    a->weight = array_of(edges, sizeof *a->weight, &failed);
    a->rate_bps = array_of(edges, sizeof *a->rate_bps, &failed);
    a->delay_ps = array_of(edges, sizeof *a->delay_ps, &failed);
    return !failed;
}

static void place_edge(arrays *a, uint32_t edge, uint32_t to, uint32_t back, uint32_t number)
{
    a->target[edge] = to;
    a->reverse[edge] = back;
    a->link[edge] = number;
}

static uint32_t or_else(uint32_t value, uint32_t otherwise)
{
    return value ? value : otherwise;
}

/* Where each node's edges begin, and where its missing ones do. */
static void count_edges(const weir_graph_builder *b, arrays *a)
{
    for (size_t i = 0; i < b->n_links; i++) {
        const weir_link *l = &b->link[i];
        a->first[l->a + 1]++;
        a->first[l->b + 1]++;
        a->end[l->a]++;
        a->end[l->b] += !l->one_way;
    }
    for (uint32_t v = 0; v < b->names.count; v++) {
        a->first[v + 1] += a->first[v];
        a->end[v] += a->first[v];
    }
}

/* `next` and `next_missing` are [nodes] of work. */
static void place_edges(const weir_graph_builder *b, arrays *a, uint32_t *next, uint32_t *next_missing)
{
    count_edges(b, a);
    memcpy(next, a->first, b->names.count * sizeof *next);
    memcpy(next_missing, a->end, b->names.count * sizeof *next_missing);
    for (size_t i = 0; i < b->n_links; i++) {
        const weir_link *l = &b->link[i];
        const uint32_t there = next[l->a]++;
        const uint32_t back = l->one_way ? next_missing[l->b]++ : next[l->b]++;
        place_edge(a, there, l->b, back, (uint32_t)i);
        place_edge(a, back, l->a, there, (uint32_t)i);
        a->delay_ps[there] = l->delay_ps;
        a->delay_ps[back] = l->delay_back_ps >= 0 ? l->delay_back_ps : l->delay_ps;
        a->rate_bps[there] = l->rate_bps;
        a->rate_bps[back] = l->rate_back_bps ? l->rate_back_bps : l->rate_bps;
        a->weight[there] = or_else(l->weight, 1);
        a->weight[back] = or_else(l->weight_back, a->weight[there]);
        if (l->one_way)
            a->missing[back] = 1;
    }
}

static void copy_nodes(const weir_graph_builder *b, const wi_names *names, arrays *a)
{
    for (uint32_t v = 0; v < names->count; v++) {
        a->name[v] = wi_names_text(names, v);
        a->x[v] = b->node[v].x;
        a->y[v] = b->node[v].y;
        a->as_number[v] = b->node[v].as_number;
        a->role[v] = b->node[v].role;
        a->node_class[v] = b->node[v].node_class;
    }
}

/* Links beyond the first between two nodes: those of both directions from their lower end, one-way ones from
 * where they begin. seen[v] = u + 1 once an edge of u has led to v. */
static uint32_t count_parallel(const arrays *a, uint32_t nodes, uint32_t *seen)
{
    uint32_t parallel = 0;
    for (uint32_t u = 0; u < nodes; u++)
        for (uint32_t e = a->first[u]; e < a->end[u]; e++) {
            const uint32_t v = a->target[e];
            const bool counts = v > u || (a->missing && a->missing[a->reverse[e]]);
            parallel += counts && seen[v] == u + 1;
            seen[v] = u + 1;
        }
    return parallel;
}

static void publish(const weir_graph_builder *b, const arrays *a, uint32_t n_parallel, weir_graph *graph)
{
    *graph = (weir_graph){
        .n_nodes = b->names.count,
        .n_edges = (uint32_t)(2 * b->n_links),
        .first = a->first,
        .end = a->end,
        .missing = a->missing,
        .n_one_way = b->n_one_way,
        .target = a->target,
        .reverse = a->reverse,
        .link = a->link,
        .rate_bps = a->rate_bps,
        .delay_ps = a->delay_ps,
        .weight = a->weight,
        .role = a->role,
        .node_class = a->node_class,
        .as_number = a->as_number,
        .x = a->x,
        .y = a->y,
        .name = a->name,
        .geographic = b->geographic,
        .weighted = b->weighted,
        .n_self_loops = b->n_self_loops,
        .n_parallel = n_parallel,
    };
}

weir_status weir_graph_build(weir_diag *diag, weir_graph_builder *builder, weir_graph **out)
{
    *out = NULL;
    if (builder->failed != WEIR_OK)
        return weir_fail(diag, builder->failed, "%s", builder->why);
    const uint32_t nodes = builder->names.count;
    arrays a = {0};
    stored_graph *stored = calloc(1, sizeof *stored);
    uint32_t *seen = calloc((size_t)nodes + 1, sizeof *seen);
    uint32_t *cursor = calloc((size_t)nodes + 1, sizeof *cursor);
    if (!stored || !seen || !cursor || !allocate(&a, nodes, 2 * builder->n_links, builder->n_one_way > 0) ||
        !wi_names_copy(&builder->names, &stored->names)) {
        free_arrays(&a);
        free(seen);
        free(cursor);
        free(stored);
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for a graph of %u nodes and %zu links", nodes,
                         builder->n_links);
    }
    place_edges(builder, &a, cursor, seen);
    memset(seen, 0, nodes * sizeof *seen);
    copy_nodes(builder, &stored->names, &a);
    publish(builder, &a, count_parallel(&a, nodes, seen), &stored->graph);
    free(seen);
    free(cursor);
    *out = &stored->graph;
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
    const uint64_t node = 4 * sizeof(uint32_t) + 2 + 2 * sizeof(double) + sizeof(char *) + sizeof(size_t);
    const uint64_t edge = 4 * sizeof(uint32_t) + sizeof(uint64_t) + sizeof(weir_time) + (g->missing != NULL);
    return sizeof(stored_graph) + g->n_nodes * node + g->n_edges * edge + names->pool_size +
           names->n_slots * sizeof(uint32_t);
}
