/*
 * Two models that also change what is there:
 *
 * BA-2, Albert and Barabási, Topology of evolving networks (Phys. Rev. Lett. 85, 2000). From a complete graph
 * of m + 1 nodes on, at each step: with probability p, m new links from random nodes to nodes drawn in
 * proportion to degree + 1; with probability q, m links of random nodes are turned to nodes so drawn; else a
 * new node with m links to nodes so drawn.
 *
 * GLP, generalised linear preference, Bu and Towsley (INFOCOM 2002). From a line of m + 1 nodes on, at each
 * step: with probability p, m new links between nodes drawn in proportion to degree - beta, both ends; else a
 * new node with m links to nodes so drawn.
 *
 * Both end when there are N nodes. A link that would be a second one between its nodes, or one to itself, is
 * drawn anew, a few times; then it is left out. What turning links tears apart is joined up.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "topology/brite/flat/flat.h"

enum { TRIES = 32 };

/* Ends of links as in barabasi.c: end[2 i] and end[2 i + 1] are those of link i, and so the links
 * themselves. */
typedef struct growing {
    wi_sketch *sketch;
    wi_pair_set pairs;
    weir_stream stream;
    uint32_t nodes;               /* so far */
    double preference;            /* added to the degree: 1, or -beta */
    uint32_t *head, *next, *prev; /* ends of a node, in a list: 1 + number of the end, 0 at its end */
    uint32_t *degree;
    size_t next_room, prev_room;
    bool no_memory;
} growing;

static uint32_t owner(const growing *g, size_t end)
{
    const wi_sketch_link *l = &g->sketch->link[end / 2];
    return end % 2 ? l->b : l->a;
}

static void hang(growing *g, uint32_t node, size_t end)
{
    g->next[end] = g->head[node];
    g->prev[end] = 0;
    if (g->head[node])
        g->prev[g->head[node] - 1] = (uint32_t)end + 1;
    g->head[node] = (uint32_t)end + 1;
    g->degree[node]++;
}

static void unhang(growing *g, uint32_t node, size_t end)
{
    if (g->prev[end])
        g->next[g->prev[end] - 1] = g->next[end];
    else
        g->head[node] = g->next[end];
    if (g->next[end])
        g->prev[g->next[end] - 1] = g->prev[end];
    g->degree[node]--;
}

static bool reserve(growing *g)
{
    const size_t wanted = 2 * (g->sketch->n_links + 1);
    return wi_grow(&g->next, &g->next_room, wanted, sizeof *g->next) &&
           wi_grow(&g->prev, &g->prev_room, wanted, sizeof *g->prev);
}

static void join(growing *g, uint32_t a, uint32_t b)
{
    const size_t i = g->sketch->n_links;
    if (!reserve(g) || !wi_pair_set_add(&g->pairs, a, b)) {
        g->no_memory = true;
        return;
    }
    wi_sketch_join(g->sketch, a, b);
    g->no_memory = g->sketch->no_memory;
    if (g->no_memory)
        return;
    hang(g, a, 2 * i);
    hang(g, b, 2 * i + 1);
}

/* A node in proportion to degree + preference: a random end's, or a random node for a preference above 0; a
 * preference below 0 turns down nodes of few ends. */
static uint32_t draw_preferred(growing *g)
{
    const double ends = 2.0 * (double)g->sketch->n_links;
    const double extra = g->preference > 0 ? g->preference * g->nodes : 0;
    for (;;) {
        uint64_t a, b;
        weir_draw_pair(&g->stream, &a, &b);
        if (weir_unit_of_bits(a) * (ends + extra) >= ends)
            return (uint32_t)weir_mulhi64(b, g->nodes);
        const uint32_t u = owner(g, weir_mulhi64(b, 2 * g->sketch->n_links));
        /* What is left of b within its end's share is uniform again. */
        const double rest = weir_unit_of_bits(b * (2 * g->sketch->n_links));
        if (g->preference >= 0 || rest * g->degree[u] < g->degree[u] + g->preference)
            return u;
    }
}

static bool may_join(const growing *g, uint32_t a, uint32_t b)
{
    return a != b && !wi_pair_set_has(&g->pairs, a, b);
}

static void add_node(growing *g, uint32_t m)
{
    const uint32_t v = g->nodes;
    for (uint32_t k = 0; k < m && !g->no_memory; k++) {
        uint32_t u = draw_preferred(g);
        while (!may_join(g, v, u) || u >= v)
            u = draw_preferred(g);
        join(g, v, u);
    }
    g->nodes++;
}

static void add_link(growing *g, bool both_preferred)
{
    for (int i = 0; i < TRIES; i++) {
        const uint32_t a =
            both_preferred ? draw_preferred(g) : (uint32_t)weir_draw_below(&g->stream, g->nodes);
        const uint32_t b = draw_preferred(g);
        if (may_join(g, a, b)) {
            join(g, a, b);
            return;
        }
    }
}

static void turn_link(growing *g)
{
    const uint32_t a = (uint32_t)weir_draw_below(&g->stream, g->nodes);
    if (g->degree[a] == 0)
        return;
    uint32_t end = g->head[a] - 1;
    for (uint64_t skip = weir_draw_below(&g->stream, g->degree[a]); skip > 0; skip--)
        end = g->next[end] - 1;
    const uint32_t far = end ^ 1, from = owner(g, far);
    for (int i = 0; i < TRIES; i++) {
        const uint32_t to = draw_preferred(g);
        if (!may_join(g, a, to))
            continue;
        wi_pair_set_remove(&g->pairs, a, from);
        g->no_memory |= !wi_pair_set_add(&g->pairs, a, to);
        unhang(g, from, far);
        if (far % 2)
            g->sketch->link[far / 2].b = to;
        else
            g->sketch->link[far / 2].a = to;
        hang(g, to, far);
        return;
    }
}

static bool begin(growing *g, const wi_flat *flat, bool complete)
{
    g->head = calloc((size_t)flat->n + 1, sizeof *g->head);
    g->degree = calloc((size_t)flat->n + 1, sizeof *g->degree);
    g->no_memory = !g->head || !g->degree;
    for (uint32_t v = 1; v <= flat->m && !g->no_memory; v++)
        for (uint32_t u = complete ? 0 : v - 1; u < v && !g->no_memory; u++)
            join(g, u, v);
    g->nodes = flat->m + 1;
    return !g->no_memory;
}

static weir_status draw(weir_diag *diag, const wi_flat *flat, bool glp, weir_stream stream, wi_sketch *sketch)
{
    growing g = {.sketch = sketch, .stream = stream, .preference = glp ? -flat->beta : 1};
    const double q = glp ? 0 : flat->q;
    bool good = begin(&g, flat, !glp);
    while (good && g.nodes < flat->n) {
        const double chance = weir_draw_unit(&g.stream);
        if (chance >= flat->p + q)
            add_node(&g, flat->m);
        for (uint32_t k = 0; k < flat->m && chance < flat->p + q; k++) {
            if (chance < flat->p)
                add_link(&g, glp);
            else
                turn_link(&g);
        }
        good = !g.no_memory;
    }
    wi_pair_set_free(&g.pairs);
    free(g.head);
    free(g.degree);
    free(g.next);
    free(g.prev);
    if (!good)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the links of %u nodes", flat->n);
    return q > 0 && flat->join ? wi_join_up(diag, &g.stream, sketch) : WEIR_OK;
}

weir_status wi_draw_ba2(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    return draw(diag, flat, false, stream, sketch);
}

weir_status wi_draw_glp(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    return draw(diag, flat, true, stream, sketch);
}
