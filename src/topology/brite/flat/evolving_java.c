/*
 * BA-2 and GLP as BRITE's Java engine grows them, with what it does by mistake, for its outputs are made so:
 *
 * A new node's links count twice in its own weight, until another new node joins it. Turning a link (BA-2):
 * of a random node a that is not node 0, to one of its neighbours b, but never to the first of several in the
 * order of a Java hash table; the weight is taken not from b but from the node whose number is b's place in
 * that order. Weights of the oldest nodes fall below 0 so; the running sum that preferences are drawn by then
 * has to climb out again, and passes over those that come next. Steps go on after the last node, until a coin
 * would add one more. GLP is the same without turning, from a line of m + 1 nodes on, with weights less beta.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topology/brite/flat/evolving.h"

/* Neighbour of a node: the far end of a link, in the order in which they were put in. */
typedef struct neighbour {
    uint32_t node, link;
} neighbour;

typedef struct list {
    neighbour *item;
    uint32_t n, most; /* most: that there ever were, which decides the hash table's size */
} list;

typedef struct growing {
    wi_evolving e;
    wi_pair_set pairs;
    list *near;
    uint64_t *order; /* to sort neighbours in */
    size_t order_room;
    bool no_memory;
} growing;

static void put(growing *g, uint32_t a, uint32_t b, uint32_t link)
{
    list *l = &g->near[a];
    if (!wi_grow_one(&l->item, l->n, sizeof *l->item)) {
        g->no_memory = true;
        return;
    }
    l->item[l->n++] = (neighbour){b, link};
    l->most = l->most > l->n ? l->most : l->n;
}

static void drop(growing *g, uint32_t a, uint32_t b)
{
    list *l = &g->near[a];
    uint32_t at = 0;
    while (l->item[at].node != b)
        at++;
    memmove(l->item + at, l->item + at + 1, (--l->n - at) * sizeof *l->item);
}

static void note(growing *g, uint32_t a, uint32_t b, uint32_t link)
{
    put(g, a, b, link);
    put(g, b, a, link);
    g->no_memory |= !wi_pair_set_add(&g->pairs, a, b);
}

static void join(growing *g, uint32_t a, uint32_t b)
{
    const uint32_t link = (uint32_t)g->e.sketch->n_links;
    wi_sketch_join(g->e.sketch, a, b);
    note(g, a, b, link);
    g->e.made++;
}

static void add_link(growing *g)
{
    wi_evolving *e = &g->e;
    for (int i = 0; i < WI_EVOLVING_TRIES; i++) {
        const uint32_t a = wi_evolving_prefer(e, 0), b = wi_evolving_prefer(e, 0);
        if (a == b || wi_pair_set_has(&g->pairs, a, b))
            continue;
        join(g, a, b);
        wi_evolving_add(e, a, 1);
        wi_evolving_add(e, b, 1);
        e->sum += 2;
        return;
    }
}

/* The neighbour of that place in the table's order: by bucket, and then by when they were put in. */
static neighbour neighbour_at(growing *g, const list *l, uint32_t place)
{
    g->no_memory |= !wi_grow(&g->order, &g->order_room, l->n, sizeof *g->order);
    if (g->no_memory)
        return l->item[0];
    for (uint32_t i = 0; i < l->n; i++)
        g->order[i] = (uint64_t)wi_java_place(l->item[i].node, l->most) << 32 | i;
    wi_java_sort(g->order, l->n);
    return l->item[(uint32_t)g->order[place]];
}

/* Random from 1 to n - 1. */
static uint32_t not_first(growing *g, uint32_t n)
{
    return 1 + (uint32_t)weir_draw_below(&g->e.stream, n - 1);
}

/* False: a node without neighbours was drawn, and the step is over. */
static bool turn_link(growing *g)
{
    wi_evolving *e = &g->e;
    for (int i = 0; i < WI_EVOLVING_TRIES && e->last > 1 && !g->no_memory; i++) {
        const uint32_t a = not_first(g, e->last);
        const list *l = &g->near[a];
        if (l->n == 0)
            return false;
        const uint32_t place = l->n == 1 ? 0 : not_first(g, l->n);
        const uint32_t to = wi_evolving_prefer(e, 0);
        if (to == a || wi_pair_set_has(&g->pairs, a, to))
            continue;
        const neighbour b = neighbour_at(g, l, place);
        drop(g, a, b.node);
        drop(g, b.node, a);
        wi_pair_set_remove(&g->pairs, a, b.node);
        e->sketch->link[b.link].a = a;
        e->sketch->link[b.link].b = to;
        note(g, a, to, b.link);
        wi_evolving_add(e, place, -1);
        wi_evolving_add(e, to, 1);
        return true;
    }
    return false;
}

/* The new node has no weight yet: what the running sum leaves is drawn anew. */
static void add_node(growing *g)
{
    wi_evolving *e = &g->e;
    const uint32_t v = ++e->last, m = e->flat->m;
    for (uint32_t k = 0; k < m && !g->no_memory; k++) {
        uint32_t u;
        do
            u = wi_evolving_prefer(e, 0);
        while (u == v || wi_pair_set_has(&g->pairs, v, u));
        join(g, v, u);
        wi_tally_set(&e->weight, u, g->near[u].n - e->less);
        e->sum++;
    }
    wi_tally_set(&e->weight, v, 2.0 * m - e->less);
    e->sum += m;
}

static bool begin(growing *g, const wi_flat *flat)
{
    const bool glp = flat->model == WI_FLAT_GLP;
    g->near = calloc((size_t)flat->n + 1, sizeof *g->near);
    g->no_memory = !wi_tally_init(&g->e.weight, flat->n) || !g->near;
    for (uint32_t v = 1; v <= flat->m && !g->no_memory; v++)
        for (uint32_t u = glp ? v - 1 : 0; u < v && !g->no_memory; u++)
            join(g, u, v);
    for (uint32_t v = 0; v <= flat->m && !g->no_memory; v++)
        wi_tally_set(&g->e.weight, v, g->near[v].n - g->e.less);
    g->e.sum = 2.0 * (double)g->e.made;
    return !g->no_memory;
}

weir_status wi_draw_evolving_java(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    const bool glp = flat->model == WI_FLAT_GLP;
    growing g = {
        .e = {
            .flat = flat, .sketch = sketch, .stream = stream, .last = flat->m, .less = glp ? flat->beta : 0}};
    wi_evolving *e = &g.e;
    bool more = begin(&g, flat);
    while (more && !g.no_memory && !sketch->no_memory) {
        const wi_step step = wi_evolving_step(e);
        more = step != WI_STEP_NODE || e->last + 1 < flat->n;
        if (step == WI_STEP_NODE && more)
            add_node(&g);
        for (uint32_t k = 0; step == WI_STEP_LINKS && k < flat->m && e->last > flat->m; k++)
            add_link(&g);
        for (uint32_t k = 0; step == WI_STEP_TURN && k < flat->m && turn_link(&g); k++)
            ;
    }
    const bool good = !g.no_memory && !sketch->no_memory;
    for (uint32_t v = 0; g.near && v < flat->n; v++)
        free(g.near[v].item);
    free(g.near);
    free(g.order);
    wi_tally_free(&e->weight);
    wi_pair_set_free(&g.pairs);
    if (!good)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the links of %u nodes", flat->n);
    return flat->join ? wi_join_up(diag, &e->stream, sketch) : WEIR_OK;
}
