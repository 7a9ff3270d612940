/*
 * An oracle for BRITE: its two engines told step by step, slow and plain, each draw in the engine's own order
 * and from the engine's own generator, so that with the seeds of a real run it makes that run's graph (the
 * test topology.brite_oracle compares them link by link). Written from a reading of BRITE 2.1's sources, in
 * other words than theirs; where they contradict the manual, they are followed, for they make the outputs.
 *
 * This header: random numbers, graphs, places, rates. Memory that is short ends the program.
 */
#ifndef TESTS_TOPOLOGY_BRITE_ORACLE_H
#define TESTS_TOPOLOGY_BRITE_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers: both engines use the 48-bit generator of Unix, and read it differently ---- */

typedef struct or_random {
    uint64_t x;
    bool java; /* java.util.Random, else erand48 */
} or_random;

static inline uint64_t or_bits(or_random *r, int n)
{
    r->x = (r->x * UINT64_C(0x5DEECE66D) + 0xB) & ((UINT64_C(1) << 48) - 1);
    return r->x >> (48 - n);
}

static inline double or_unit(or_random *r)
{
    if (!r->java)
        return (double)or_bits(r, 48) * 0x1p-48;
    const uint64_t high = or_bits(r, 26);
    return (double)((high << 27) + or_bits(r, 27)) * 0x1p-53;
}

/* Java's nextInt(bound). */
static inline int or_int(or_random *r, int bound)
{
    if ((bound & (bound - 1)) == 0)
        return (int)(((uint64_t)bound * or_bits(r, 31)) >> 31);
    for (;;) {
        const int64_t bits = (int64_t)or_bits(r, 31), value = bits % bound;
        if (bits - value + (bound - 1) <= INT32_MAX)
            return (int)value;
    }
}

/* Pareto of `shape` between `from` and `to`, by inversion. */
static inline double or_pareto(or_random *r, double from, double to, double shape)
{
    const double u = or_unit(r);
    return from / pow(1 - u + u * pow(from / to, shape), 1 / shape);
}

typedef enum or_purpose {
    OR_PLACES,
    OR_CONNECT,
    OR_EDGE_CONN,
    OR_GROUPING,
    OR_ASSIGNMENT,
    OR_BANDWIDTH,
    OR_PURPOSES
} or_purpose;

/* ---- what is asked for ---- */

typedef enum or_model { OR_WAXMAN, OR_BA, OR_BA2, OR_GLP } or_model;
typedef enum or_spread { OR_NONE, OR_CONSTANT, OR_UNIFORM, OR_EXPONENTIAL, OR_HEAVY } or_spread;

typedef struct or_rate {
    or_spread spread;
    double min, max;
} or_rate;

typedef struct or_flat {
    or_model model;
    bool as; /* nodes are ASes */
    int n, hs, ls, m;
    bool heavy; /* placement */
    bool all;   /* GrowthType 2 */
    double alpha, beta, p, q;
    or_rate rate;
} or_flat;

/* ---- graphs ---- */

typedef struct or_link {
    int a, b;
    bool gone;
    double rate;
} or_link;

typedef struct or_list {
    int *item, n, room, most;
} or_list;

typedef struct or_graph {
    bool java;
    int n, id; /* id: that of node 0, as the engine counts nodes over all its graphs */
    int *x, *y, *as, *degree;
    or_list *near; /* the engine's adjacency, which is not always the links' */
    or_link *link;
    int n_links, room, live;
} or_graph;

typedef struct or_engine {
    bool java;
    or_random stream[OR_PURPOSES];
    uint8_t *taken; /* places of all graphs so far: [side * side] */
    int side, ids;
    bool stuck; /* it would go on for ever */
} or_engine;

static inline void *or_need(void *p)
{
    if (!p)
        abort();
    return p;
}

static inline void or_push(or_list *l, int v)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 8;
        l->item = or_need(realloc(l->item, (size_t)l->room * sizeof *l->item));
    }
    l->item[l->n++] = v;
    l->most = l->most > l->n ? l->most : l->n;
}

static inline bool or_has(const or_graph *g, int a, int b)
{
    for (int i = 0; i < g->near[a].n; i++)
        if (g->near[a].item[i] == b)
            return true;
    return false;
}

static inline void or_drop(or_list *l, int v)
{
    int kept = 0;
    for (int i = 0; i < l->n; i++)
        if (l->item[i] != v)
            l->item[kept++] = l->item[i];
    l->n = kept;
}

static inline or_graph *or_graph_new(or_engine *e, int n)
{
    or_graph *g = or_need(calloc(1, sizeof *g));
    const size_t size = (size_t)n * sizeof(int);
    *g = (or_graph){.java = e->java, .n = n, .id = e->java ? e->ids : 0};
    g->x = or_need(malloc(size));
    g->y = or_need(malloc(size));
    g->as = or_need(malloc(size));
    g->degree = or_need(calloc((size_t)n, sizeof(int)));
    g->near = or_need(calloc((size_t)n, sizeof *g->near));
    for (int v = 0; v < n; v++)
        g->as[v] = -1;
    e->ids += n;
    return g;
}

static inline void or_graph_free(or_graph *g)
{
    for (int v = 0; g && v < g->n; v++)
        free(g->near[v].item);
    if (g) {
        free(g->x);
        free(g->y);
        free(g->as);
        free(g->degree);
        free(g->near);
        free(g->link);
        free(g);
    }
}

/* A link in the list alone. */
static inline void or_list_link(or_graph *g, int a, int b)
{
    if (g->n_links == g->room) {
        g->room = g->room ? 2 * g->room : 256;
        g->link = or_need(realloc(g->link, (size_t)g->room * sizeof *g->link));
    }
    g->link[g->n_links++] = (or_link){.a = a, .b = b};
    g->live++;
}

/* A link in the list, in both adjacencies and in both degrees. */
static inline void or_join(or_graph *g, int a, int b)
{
    or_list_link(g, a, b);
    or_push(&g->near[a], b);
    or_push(&g->near[b], a);
    g->degree[a]++;
    g->degree[b]++;
}

/* ---- the order in which Java's hash tables of whole numbers are gone through ---- */

static inline uint32_t or_table_size(int wanted, int entries)
{
    uint32_t size = 1;
    while (size < (uint32_t)wanted)
        size *= 2;
    while (4 * (uint64_t)entries > 3 * (uint64_t)size)
        size *= 2;
    return size;
}

typedef struct or_keyed {
    uint32_t bucket;
    int item;
} or_keyed;

static inline int or_by_bucket(const void *a, const void *b)
{
    const or_keyed *x = a, *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* Items 0 .. n - 1, put in with these keys in that order into a table made for `wanted`. */
static inline int *or_hash_order(const uint32_t *key, int n, int wanted)
{
    or_keyed *k = or_need(malloc((size_t)(n + 1) * sizeof *k));
    int *order = or_need(malloc((size_t)(n + 1) * sizeof *order));
    const uint32_t size = or_table_size(wanted, n);
    for (int i = 0; i < n; i++)
        k[i] = (or_keyed){(key[i] ^ key[i] >> 16) & (size - 1), i};
    qsort(k, (size_t)n, sizeof *k, or_by_bucket);
    for (int i = 0; i < n; i++)
        order[i] = k[i].item;
    free(k);
    return order;
}

/* The order in which an engine goes through a graph's nodes. */
static inline int *or_node_order(const or_graph *g)
{
    uint32_t *key = or_need(malloc((size_t)g->n * sizeof *key));
    for (int v = 0; v < g->n; v++)
        key[v] = (uint32_t)(g->id + v);
    int *order = or_hash_order(key, g->n, g->n);
    for (int v = 0; v < g->n && !g->java; v++)
        order[v] = v;
    free(key);
    return order;
}

/* The order in which Java goes through the links that are there. `order` has n_links entries; says how many.
 */
static inline int *or_link_order(const or_graph *g)
{
    uint32_t *key = or_need(malloc((size_t)(g->n_links + 1) * sizeof *key));
    int *which = or_need(malloc((size_t)(g->n_links + 1) * sizeof *which)), n = 0;
    for (int i = 0; i < g->n_links; i++)
        if (!g->link[i].gone) {
            const int a = g->id + g->link[i].a, b = g->id + g->link[i].b;
            which[n] = i;
            key[n++] = a < b ? (uint32_t)a << 16 | (uint32_t)b : (uint32_t)b << 16 | (uint32_t)a;
        }
    int *order = or_hash_order(key, n, 2 * g->n);
    for (int i = 0; i < n; i++)
        order[i] = g->java ? which[order[i]] : which[i];
    free(key);
    free(which);
    return order;
}

/* ---- places ---- */

/* False where a node stands already, of this graph or an earlier one. */
static inline bool or_take(or_engine *e, int x, int y)
{
    uint8_t *t = &e->taken[(size_t)y * (size_t)e->side + (size_t)x];
    if (*t)
        return false;
    *t = 1;
    return true;
}

static inline int or_along(or_random *r, int side)
{
    return (int)(or_unit(r) * side);
}

/*
 * Heavy-tailed: squares row by row from the lowest; each takes a Pareto number of nodes, cut to what the
 * engine lets it take in one round; rounds go on until all stand. Four variants:
 *
 *              shape  from  to          at most
 * C++ routers  1.0    1     10^6 LS^2   3/4 LS^2
 * C++ ASes     1.2    1     10^10       3/4 LS^2, for all above 1/2 LS^2
 * Java routers 1.0    1     10^6 LS^2   LS^2
 * Java ASes    1.0    10    10^10       LS^2
 *
 * Where the point is taken C++ draws another one of the square, Java one of the whole plane. The C++ engine's
 * ASes have no stop at N within a square: it writes beyond its array and dies. Here it stops.
 */
static inline int or_square_count(or_engine *e, const or_flat *f)
{
    const double area = (double)f->ls * f->ls;
    or_random *r = &e->stream[OR_PLACES];
    double n;
    if (f->as)
        n = floor(e->java ? or_pareto(r, 10, 10e9, 1.0) : or_pareto(r, 1, 10e9, 1.2));
    else
        n = floor(or_pareto(r, 1, 1e6 * area, 1.0));
    if (e->java)
        return (int)(n > area ? area : n);
    const double most = floor(3 * area / 4);
    if (f->as)
        return (int)(n <= floor(2 * area / 4) ? n : most);
    return (int)(n > most ? most : n);
}

static inline void or_place_one(or_engine *e, const or_flat *f, or_graph *g, int v, int left, int low)
{
    or_random *r = &e->stream[OR_PLACES];
    const int side = f->heavy ? f->ls : f->hs;
    int x = (int)(or_unit(r) * side + left), y = (int)(or_unit(r) * side + low);
    while (!or_take(e, x, y)) {
        const bool anywhere = e->java;
        x = anywhere ? or_along(r, f->hs) : (int)(or_unit(r) * side + left);
        y = anywhere ? or_along(r, f->hs) : (int)(or_unit(r) * side + low);
    }
    g->x[v] = x;
    g->y[v] = y;
}

static inline void or_place(or_engine *e, const or_flat *f, or_graph *g)
{
    const int across = f->hs / f->ls;
    if (e->side < f->hs) {
        free(e->taken);
        e->taken = or_need(calloc((size_t)f->hs * (size_t)f->hs, 1));
        e->side = f->hs;
    }
    for (int v = 0; v < f->n && !f->heavy; v++)
        or_place_one(e, f, g, v, 0, 0);
    for (int v = 0, square = 0; v < f->n && f->heavy; square = (square + 1) % (across * across))
        for (int k = or_square_count(e, f); k > 0 && v < f->n; k--, v++)
            or_place_one(e, f, g, v, square % across * f->ls, square / across * f->ls);
}

/* ---- rates ---- */

/* `between`: of a link between two ASes in a top-down hierarchy, where Java forgets the uniform's limits. */
static inline double or_rate_draw(or_engine *e, const or_rate *rate, bool between)
{
    or_random *r = &e->stream[OR_BANDWIDTH];
    switch (rate->spread) {
    case OR_CONSTANT:
        return rate->min;
    case OR_UNIFORM:
        if (e->java)
            return between ? or_unit(r) : rate->min + rate->max * or_unit(r);
        return rate->min + (rate->max - rate->min) * or_unit(r);
    case OR_EXPONENTIAL:
        return -log(or_unit(r)) * (e->java ? 1 / rate->min : rate->min);
    case OR_HEAVY:
        return or_pareto(r, e->java ? rate->min : 1, rate->max, 1.2);
    case OR_NONE:
        break;
    }
    return -1;
}

static inline void or_rates(or_engine *e, const or_rate *rate, or_graph *g)
{
    int *order = or_link_order(g);
    for (int i = 0; i < g->live; i++)
        g->link[order[i]].rate = or_rate_draw(e, rate, false);
    free(order);
}

#endif
