/* The oracle's flat models: how either engine of BRITE joins nodes; brite_oracle.h begins it. */
#ifndef TESTS_TOPOLOGY_BRITE_ORACLE_FLAT_H
#define TESTS_TOPOLOGY_BRITE_ORACLE_FLAT_H

#include "brite_oracle.h"

/* ---- Waxman ---- */

enum { OR_TRIES_WAXMAN = 2000000 };

static inline bool or_waxman_yes(or_engine *e, const or_flat *f, const or_graph *g, int a, int b)
{
    const double dx = g->x[a] - g->x[b], dy = g->y[a] - g->y[b];
    const double p = f->alpha * exp(-sqrt(dx * dx + dy * dy) / (f->beta * sqrt(2.0) * f->hs));
    return or_unit(&e->stream[OR_CONNECT]) < p;
}

/* v joins up to m nodes of node[from] ... node[from + among - 1], unless it has links with N - m already. */
static inline void or_waxman_join(or_engine *e, const or_flat *f, or_graph *g, const int *node, int i,
                                  int from, int among)
{
    const int v = node[i];
    long tries = 0;
    for (int k = 0; k < f->m && g->degree[v] < g->n - f->m && !e->stuck;) {
        e->stuck = ++tries > OR_TRIES_WAXMAN;
        const int j = from + or_along(&e->stream[OR_CONNECT], among), u = node[j];
        if (i == j || or_has(g, v, u) || !or_waxman_yes(e, f, g, v, u))
            continue;
        or_join(g, v, u);
        k++;
    }
}

/* C++: a random node, again and again, joins up to m others, until no node is without links. Java: the first
 * random node joins others until no node is without links; so it has links to all. */
static inline void or_waxman_all(or_engine *e, const or_flat *f, or_graph *g, const int *node)
{
    or_random *r = &e->stream[OR_CONNECT];
    for (int linked = 0; linked < g->n;) {
        const int v = node[or_along(r, g->n)];
        for (int k = 0; e->java ? k < f->m || linked < g->n : k < f->m && linked < g->n;) {
            const int u = node[or_along(r, g->n)];
            if (u == v || or_has(g, v, u) || !or_waxman_yes(e, f, g, v, u))
                continue;
            or_join(g, v, u);
            linked += (g->degree[v] == 1) + (g->degree[u] == 1);
            k++;
        }
    }
}

/* The first m join later ones last; Java's ASes draw them from the first N - m instead. */
static inline void or_waxman(or_engine *e, const or_flat *f, or_graph *g)
{
    int *node = or_node_order(g);
    if (f->all)
        or_waxman_all(e, f, g, node);
    for (int i = f->m; i < g->n && !f->all; i++)
        or_waxman_join(e, f, g, node, i, 0, i);
    for (int i = 0; i < f->m && !f->all; i++)
        or_waxman_join(e, f, g, node, i, e->java && f->as ? 0 : f->m, g->n - f->m);
    free(node);
}

/* ---- preferences: the first place at which the running sum of weights exceeds u; `n` where none does ---- */

static inline int or_prefer(const double *weight, int n, double less, double sum, double u, double last)
{
    int k = 0;
    for (; k < n; k++) {
        last += (weight[k] - less) / sum;
        if (u < last)
            break;
    }
    return k;
}

static inline void or_clique(or_graph *g, const int *node, double *d, int m)
{
    for (int i = 0; i <= m; i++)
        for (int j = i + 1; j <= m; j++) {
            or_join(g, node[i], node[j]);
            d[i]++;
            d[j]++;
        }
}

static inline void or_ba(or_engine *e, const or_flat *f, or_graph *g)
{
    int *node = or_node_order(g);
    double *d = or_need(calloc((size_t)g->n, sizeof *d));
    double sum = f->m * (f->m + 1.0);
    or_clique(g, node, d, f->m);
    for (int i = f->m + 1; i < g->n; i++) {
        for (int added = 0; added < f->m;) {
            const int k =
                or_prefer(d, e->java && !f->as ? i : g->n, 0, sum, or_unit(&e->stream[OR_CONNECT]), 0);
            if (k >= i || or_has(g, node[i], node[k]))
                continue;
            or_join(g, node[i], node[k]);
            d[k]++;
            sum++;
            added++;
        }
        d[i] += f->m;
        sum += f->m;
    }
    free(node);
    free(d);
}

/* ---- BA-2 and GLP ---- */

typedef struct or_growth {
    or_engine *e;
    const or_flat *f;
    or_graph *g;
    double *d, sum; /* what the engine believes the degrees to be */
    int last;       /* the node that came last */
    int made;       /* links, as the engine counts them */
    int tries;      /* since the last link */
} or_growth;

enum { OR_TRIES = 20000 };

static inline double or_draw(or_growth *w)
{
    w->e->stuck |= ++w->tries > OR_TRIES;
    return or_unit(&w->e->stream[OR_CONNECT]);
}

/* A new link between two nodes drawn by preference; places beyond all weights are the last node's. C++'s BA-2
 * does not enter it into the adjacency, so that the pair may be joined again; C++'s GLP forgets to begin the
 * second sum at 0, and to count the link among the degrees. */
static inline bool or_add_link(or_growth *w)
{
    const or_flat *f = w->f;
    const bool glp = f->model == OR_GLP, cpp = !w->e->java;
    const double less = glp ? f->beta : 0, sum = w->sum - w->last * less;
    const double u = or_draw(w);
    const int a = or_prefer(w->d, w->last, less, sum, u, 0);
    double begin = 0;
    for (int k = 0; glp && cpp && k < w->last && k <= a; k++)
        begin += (w->d[k] - less) / sum;
    const int b = or_prefer(w->d, w->last, less, sum, or_draw(w), begin);
    if (a == b || or_has(w->g, a, b))
        return false;
    if (cpp && !glp)
        or_list_link(w->g, a, b);
    else
        or_join(w->g, a, b);
    if (!(cpp && glp)) {
        w->d[a]++;
        w->d[b]++;
    }
    w->sum += 2;
    w->made++, w->tries = 0;
    return true;
}

static inline void or_add_node(or_growth *w)
{
    const or_flat *f = w->f;
    const bool java = w->e->java;
    const int v = ++w->last;
    if (v == w->g->n)
        return; /* Java counts one too far */
    for (int added = 0; added < f->m && !w->e->stuck;) {
        const double less = java && f->model == OR_GLP ? f->beta : 0;
        const int u = or_prefer(w->d, v, less, w->sum - v * less, or_draw(w), 0);
        if (u == v || or_has(w->g, v, u))
            continue;
        or_join(w->g, v, u);
        w->d[u] = java ? w->g->degree[u] : w->d[u] + 1;
        if (java)
            w->d[v] = w->g->degree[v];
        w->sum++;
        w->made++, w->tries = 0;
        added++;
    }
    w->d[v] += f->m; /* Java has counted them already */
    w->sum += f->m;
}

/* C++ never sets the node that the link is turned to: it was node 0 in the runs of which we have outputs. It
 * takes the old link away only where it goes from a to b, and forgets that there is a new one. */
static inline int or_turn_cpp(or_growth *w)
{
    or_graph *g = w->g;
    const int a = or_along(&w->e->stream[OR_CONNECT], w->last);
    const int near = g->near[a].n;
    if (near < 1)
        return -1;
    /* The adjacency has the newest first. */
    const int at = near == 1 ? 0 : or_along(&w->e->stream[OR_CONNECT], near);
    const int b = g->near[a].item[near - 1 - at];
    (void)or_draw(w);
    if (a == 0 || or_has(g, a, 0))
        return 0;
    or_drop(&g->near[a], b);
    for (int i = 0; i < g->n_links; i++)
        if (!g->link[i].gone && g->link[i].a == a && g->link[i].b == b) {
            g->link[i].gone = true;
            g->live--;
            break;
        }
    g->degree[b]--;
    w->d[b]--;
    or_list_link(g, a, 0);
    w->d[0]++;
    w->made++, w->tries = 0;
    return 1;
}

/* Java draws a from all but node 0, b from all but the first of several neighbours, and takes the link's
 * weight from the node whose number is b's place among them. */
static inline int or_turn_java(or_growth *w)
{
    or_graph *g = w->g;
    or_random *r = &w->e->stream[OR_CONNECT];
    int a = 0, at = 0;
    while (a == 0)
        a = or_int(r, w->last);
    or_list *near = &g->near[a];
    if (near->n < 1)
        return -1;
    while (near->n > 1 && at == 0)
        at = or_int(r, near->n);
    uint32_t *key = or_need(malloc((size_t)near->n * sizeof *key));
    for (int i = 0; i < near->n; i++)
        key[i] = (uint32_t)near->item[i];
    int *order = or_hash_order(key, near->n, (int)or_table_size(16, near->most));
    const int b = near->item[order[at]];
    free(key);
    free(order);
    const int to = or_prefer(w->d, w->last, 0, w->sum, or_draw(w), 0);
    if (to == a || or_has(g, a, to))
        return 0;
    for (int i = 0; i < g->n_links; i++) {
        or_link *l = &g->link[i];
        if (!l->gone && ((l->a == a && l->b == b) || (l->a == b && l->b == a))) {
            l->gone = true;
            g->live--;
        }
    }
    or_drop(&g->near[a], b);
    or_drop(&g->near[b], a);
    g->degree[a]--;
    g->degree[b]--;
    w->d[at]--;
    or_join(g, a, to);
    w->d[to]++;
    return 1;
}

static inline void or_grow(or_engine *e, const or_flat *f, or_graph *g)
{
    const bool glp = f->model == OR_GLP;
    or_growth w = {.e = e, .f = f, .g = g, .last = f->m};
    const int last = e->java ? g->n : g->n - 1;
    w.d = or_need(calloc((size_t)g->n + 1, sizeof *w.d));
    int *node = or_need(calloc((size_t)g->n, sizeof *node));
    for (int v = 0; v < g->n; v++)
        node[v] = v; /* Java sorts them here */
    if (!glp)
        or_clique(g, node, w.d, f->m);
    for (int v = 1; v <= f->m && glp; v++) {
        or_join(g, v - 1, v);
        w.d[v - 1]++;
        w.d[v]++;
    }
    free(node);
    w.made = g->n_links;
    w.sum = 2.0 * w.made;
    while (w.last < last && !e->stuck) {
        const double q = glp ? 0 : f->q;
        const int most = w.last * (w.last - 1) / 2 - (glp ? f->m : f->m + 1);
        double chance = or_draw(&w);
        if (w.made >= most)
            chance = f->p + q + 0.001;
        if (e->java ? chance <= f->p : chance < f->p) {
            for (int k = 0; k < f->m && !e->stuck && w.last > (glp || e->java ? f->m : 0);)
                k += or_add_link(&w);
        } else if (chance < f->p + q) {
            for (int k = 0, did = 0; k < f->m && did >= 0 && !e->stuck; k += did > 0)
                did = e->java ? or_turn_java(&w) : or_turn_cpp(&w);
        } else {
            or_add_node(&w);
        }
    }
    free(w.d);
}

static inline or_graph *or_flat_draw(or_engine *e, const or_flat *f)
{
    or_graph *g = or_graph_new(e, f->n);
    or_place(e, f, g);
    if (f->model == OR_WAXMAN)
        or_waxman(e, f, g);
    else if (f->model == OR_BA)
        or_ba(e, f, g);
    else
        or_grow(e, f, g);
    or_rates(e, &f->rate, g);
    return g;
}

#endif
