/*
 * BA-2 and GLP as BRITE's C++ engine grows them, with what it does by mistake, for outputs of BRITE and of
 * ns-3's module are made so:
 *
 * BA-2: from a complete graph of m + 1 nodes on. A new link joins two nodes preferred by degree, but is not
 * entered among the neighbours, so that the pair may be joined again; parallel links are kept. Turning: a
 * random node a, one of the neighbours b that it was joined with when it or they were new; the link goes from
 * b to node 0, for the variable that should hold its new end is never set (0 in the runs of which there are
 * outputs, which are reproduced link by link so). It is taken from b only where a is the end that was new;
 * else it stays, and there is one more. Where a has node 0 for a neighbour, another a is drawn.
 *
 * GLP: from a line of m + 1 nodes on. Links that are added count in the sum of degrees and not in the degrees
 * that nodes are preferred by; what is missing goes to the node that came last. The first end is preferred by
 * degree - beta; for the second the running sum begins where it ended, so that node 0 is taken most often.
 * New nodes prefer by degree, without beta.
 */
#include "base/memory.h"
#include "topology/brite/flat/evolving.h"

typedef struct growing {
    wi_evolving e;
    wi_owned memory;      /* of the arrays below */
    wi_pair_set up, down; /* BA-2: b is a neighbour of a, where a < b, and where a > b; GLP: up: pairs */
    uint32_t *head, *next, *size; /* neighbours: head[a] and next[entry] are 1 + number of an entry */
    uint32_t *near;               /* [entries]: entry 2 i is of the newer end of link i of `link` */
    uint32_t *link, n_entries;
    uint32_t *end, n_ends; /* GLP: ends of links that came with nodes, each as often as its degree */
    bool no_memory;
} growing;

static wi_pair_set *side(growing *g, uint32_t a, uint32_t b)
{
    return a < b ? &g->up : &g->down;
}

static void enter(growing *g, uint32_t a, uint32_t b, uint32_t link)
{
    const uint32_t entry = g->n_entries++;
    g->near[entry] = b;
    g->link[entry] = link;
    g->next[entry] = g->head[a];
    g->head[a] = entry + 1;
    g->size[a]++;
    g->no_memory |= !wi_pair_set_add(side(g, a, b), a, b);
}

/* A link of a clique, or of a new node: a is the end that the link is noted to go from. */
static void join(growing *g, uint32_t a, uint32_t b)
{
    const uint32_t link = (uint32_t)g->e.sketch->n_links;
    wi_sketch_join(g->e.sketch, a, b);
    enter(g, a, b, link);
    enter(g, b, a, UINT32_MAX);
    g->e.made++;
}

static bool begin(growing *g, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    const size_t n = (size_t)flat->n + 1, entries = 2 * ((size_t)flat->m * flat->n + 1);
    g->e = (wi_evolving){.flat = flat, .sketch = sketch, .stream = stream, .last = flat->m};
    g->head = wi_take(&g->memory, n, sizeof *g->head);
    g->size = wi_take(&g->memory, n, sizeof *g->size);
    g->next = wi_take(&g->memory, entries, sizeof *g->next);
    g->near = wi_take(&g->memory, entries, sizeof *g->near);
    g->link = wi_take(&g->memory, entries, sizeof *g->link);
    g->end = wi_take(&g->memory, entries, sizeof *g->end);
    g->no_memory = !wi_tally_init(&g->e.weight, flat->n) || g->memory.failed;
    return !g->no_memory;
}

static weir_status end(weir_diag *diag, growing *g)
{
    const uint32_t n = g->e.sketch->n;
    const bool good = !g->no_memory && !g->e.sketch->no_memory;
    wi_tally_free(&g->e.weight);
    wi_pair_set_free(&g->up);
    wi_pair_set_free(&g->down);
    wi_owned_free(&g->memory);
    return good ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "out of memory for the links of %u nodes", n);
}

/* ---- BA-2 ---- */

static void add_link(growing *g)
{
    wi_evolving *e = &g->e;
    for (int i = 0; i < WI_EVOLVING_TRIES; i++) {
        const uint32_t a = wi_evolving_prefer(e, 0), b = wi_evolving_prefer(e, 0);
        if (a == b || wi_pair_set_has(side(g, a, b), a, b))
            continue;
        wi_sketch_join(e->sketch, a, b);
        wi_evolving_add(e, a, 1);
        wi_evolving_add(e, b, 1);
        e->sum += 2;
        e->made++;
        return;
    }
}

/* Takes the entry that `at` points to out of a's neighbours. */
static void leave(growing *g, uint32_t a, uint32_t *at)
{
    const uint32_t entry = *at - 1;
    wi_pair_set_remove(side(g, a, g->near[entry]), a, g->near[entry]);
    *at = g->next[entry];
    g->size[a]--;
}

/* False: a node without neighbours was drawn, and the step is over. */
static bool turn_link(growing *g)
{
    wi_evolving *e = &g->e;
    for (int i = 0; i < WI_EVOLVING_TRIES; i++) {
        const uint32_t a = (uint32_t)weir_draw_below(&e->stream, e->last);
        if (g->size[a] == 0)
            return false;
        uint32_t *at = &g->head[a];
        for (uint64_t skip = weir_draw_below(&e->stream, g->size[a]); skip > 0; skip--)
            at = &g->next[*at - 1];
        if (a == 0 || wi_pair_set_has(&g->down, a, 0))
            continue;
        const uint32_t entry = *at - 1, b = g->near[entry];
        leave(g, a, at);
        wi_evolving_add(e, b, -1);
        wi_evolving_add(e, 0, 1);
        if (g->link[entry] == UINT32_MAX)
            wi_sketch_join(e->sketch, a, 0);
        else
            e->sketch->link[g->link[entry]].b = 0;
        e->made++;
        return true;
    }
    return false;
}

static void add_node(growing *g)
{
    wi_evolving *e = &g->e;
    const uint32_t v = ++e->last;
    for (uint32_t k = 0; k < e->flat->m; k++) {
        uint32_t u;
        do
            u = wi_evolving_prefer(e, 0);
        while (u == v || wi_pair_set_has(side(g, v, u), v, u));
        join(g, v, u);
        wi_evolving_add(e, u, 1);
        e->sum++;
    }
    wi_evolving_add(e, v, e->flat->m);
    e->sum += e->flat->m;
}

weir_status wi_draw_ba2_cpp(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    growing g = {.n_entries = 0};
    wi_evolving *e = &g.e;
    bool good = begin(&g, flat, stream, sketch);
    for (uint32_t i = 0; good && i <= flat->m; i++) {
        for (uint32_t j = i + 1; j <= flat->m; j++)
            join(&g, i, j);
        wi_tally_set(&e->weight, i, flat->m);
        e->sum += flat->m;
    }
    while (!g.no_memory && !sketch->no_memory && e->last + 1 < flat->n) {
        const wi_step step = wi_evolving_step(e);
        if (step == WI_STEP_NODE)
            add_node(&g);
        for (uint32_t k = 0; step == WI_STEP_LINKS && k < flat->m; k++)
            add_link(&g);
        for (uint32_t k = 0; step == WI_STEP_TURN && k < flat->m && turn_link(&g); k++)
            ;
    }
    const weir_status st = end(diag, &g);
    return st == WEIR_OK && flat->join ? wi_join_up(diag, &e->stream, sketch) : st;
}

/* ---- GLP ---- */

static void glp_join(growing *g, uint32_t a, uint32_t b)
{
    wi_sketch_join(g->e.sketch, a, b);
    g->no_memory |= !wi_pair_set_add(&g->up, a, b);
    g->e.made++;
}

static void glp_count(growing *g, uint32_t v)
{
    g->end[g->n_ends++] = v;
    wi_evolving_add(&g->e, v, 1);
    g->e.sum++;
}

static void glp_add_link(growing *g)
{
    wi_evolving *e = &g->e;
    for (int i = 0; i < WI_EVOLVING_TRIES; i++) {
        const uint32_t a = wi_evolving_prefer(e, 0);
        const uint32_t b = wi_evolving_prefer(e, wi_tally_until(&e->weight, a < e->last ? a : e->last - 1));
        if (a == b || wi_pair_set_has(&g->up, a, b))
            continue;
        glp_join(g, a, b);
        e->sum += 2;
        return;
    }
}

static void glp_add_node(growing *g)
{
    const uint32_t v = ++g->e.last, ends = g->n_ends;
    for (uint32_t k = 0; k < g->e.flat->m; k++) {
        uint32_t u;
        do
            u = g->end[weir_draw_below(&g->e.stream, ends)];
        while (wi_pair_set_has(&g->up, v, u));
        glp_join(g, v, u);
        glp_count(g, u);
    }
    wi_tally_set(&g->e.weight, v, -g->e.less);
    for (uint32_t k = 0; k < g->e.flat->m; k++)
        glp_count(g, v);
}

weir_status wi_draw_glp_cpp(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    growing g = {.n_entries = 0};
    wi_evolving *e = &g.e;
    const bool good = begin(&g, flat, stream, sketch);
    e->less = flat->beta;
    for (uint32_t v = 0; good && v <= flat->m; v++)
        wi_tally_set(&e->weight, v, -e->less);
    for (uint32_t v = 1; good && v <= flat->m; v++) {
        glp_join(&g, v - 1, v);
        glp_count(&g, v - 1);
        glp_count(&g, v);
    }
    while (!g.no_memory && !sketch->no_memory && e->last + 1 < flat->n) {
        const wi_step step = wi_evolving_step(e);
        if (step == WI_STEP_NODE)
            glp_add_node(&g);
        for (uint32_t k = 0; step == WI_STEP_LINKS && k < flat->m && e->last > flat->m; k++)
            glp_add_link(&g);
    }
    return end(diag, &g);
}
