/*
 * Graphs made by weir and by the oracle of BRITE's engines, over many seeds, statistic by statistic: how far
 * apart the means are, in standard errors of their difference (z), and the largest distance of the two
 * distributions (Kolmogorov and Smirnov's D).
 */
#ifndef TESTS_TOPOLOGY_BRITE_COMPARE_H
#define TESTS_TOPOLOGY_BRITE_COMPARE_H

#include "brite_oracle_hierarchy.h"
#include "weir/topology.h"

/* ---- conditions ---- */

typedef enum cmp_kind { CMP_FLAT, CMP_TOP_DOWN, CMP_BOTTOM_UP } cmp_kind;

typedef struct cmp_case {
    const char *name;
    cmp_kind kind;
    const char *model, *text; /* weir's: "name=value ...", without the engine */
    or_flat flat;             /* CMP_FLAT, and the routers of a hierarchy */
    or_flat as;
    int edge_conn, k;
    or_rate inter;
    bool walk;
    or_spread assign;
    int n_as;
} cmp_case;

/* ---- a graph, whoever made it ---- */

typedef struct cmp_graph {
    int n, n_links;
    int *a, *b, *as;
    double *x, *y, *rate; /* Mb/s */
} cmp_graph;

static inline cmp_graph cmp_graph_new(int n, int n_links)
{
    cmp_graph g = {.n = n, .n_links = 0};
    g.a = or_need(malloc((size_t)(n_links + 1) * sizeof *g.a));
    g.b = or_need(malloc((size_t)(n_links + 1) * sizeof *g.b));
    g.rate = or_need(malloc((size_t)(n_links + 1) * sizeof *g.rate));
    g.as = or_need(malloc((size_t)n * sizeof *g.as));
    g.x = or_need(malloc((size_t)n * sizeof *g.x));
    g.y = or_need(malloc((size_t)n * sizeof *g.y));
    return g;
}

static inline void cmp_graph_free(cmp_graph *g)
{
    free(g->a);
    free(g->b);
    free(g->rate);
    free(g->as);
    free(g->x);
    free(g->y);
}

static inline cmp_graph cmp_of_weir(const cmp_case *c, const weir_graph *w)
{
    cmp_graph g = cmp_graph_new((int)w->n_nodes, (int)w->n_edges / 2);
    for (int v = 0; v < g.n; v++) {
        g.x[v] = w->x[v];
        g.y[v] = w->y[v];
        g.as[v] = c->kind == CMP_FLAT ? -1 : (int)w->as_number[v] - 1;
        for (uint32_t e = w->first[v]; e < w->first[v + 1]; e++)
            if (w->reverse[e] > e) {
                g.a[g.n_links] = v;
                g.b[g.n_links] = (int)w->target[e];
                g.rate[g.n_links++] = (double)w->rate_bps[e] / 1e6;
            }
    }
    return g;
}

static inline cmp_graph cmp_of_oracle(const or_graph *o)
{
    cmp_graph g = cmp_graph_new(o->n, o->n_links);
    for (int v = 0; v < g.n; v++) {
        g.x[v] = o->x[v];
        g.y[v] = o->y[v];
        g.as[v] = o->as[v];
    }
    for (int i = 0; i < o->n_links; i++)
        if (!o->link[i].gone) {
            g.a[g.n_links] = o->link[i].a;
            g.b[g.n_links] = o->link[i].b;
            g.rate[g.n_links++] = o->link[i].rate;
        }
    return g;
}

/* ---- statistics ---- */

enum {
    CMP_LINKS,
    CMP_DEGREE_SD,
    CMP_DEGREE_MAX,
    CMP_DEGREE_1,
    CMP_DEGREE_2,
    CMP_DEGREE_8,
    CMP_PARALLEL,
    CMP_PARTS,
    CMP_CLUSTERING,
    CMP_PATH,
    CMP_LENGTH,
    CMP_HEIGHT,
    CMP_SQUARES,
    CMP_BETWEEN,
    CMP_ASES,
    CMP_BORDERS,
    CMP_RATE,
    CMP_RATE_INTER,
    CMP_STATISTICS
};
static const char *const cmp_names[CMP_STATISTICS] = {
    "links",    "degree sd",  "degree max", "degree 1",  "degree 2", "degree 8+",
    "parallel", "parts",      "clustering", "mean path", "length",   "height",
    "squares",  "between AS", "ASes",       "borders",   "log rate", "log rate between"};

/* Neighbours without doubles, sorted by node: near[first[v]] ... */
typedef struct cmp_near {
    int *first, *near;
} cmp_near;

static inline int cmp_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static inline cmp_near cmp_neighbours(const cmp_graph *g, double *parallel)
{
    cmp_near c = {or_need(calloc((size_t)g->n + 2, sizeof(int))),
                  or_need(malloc((2 * (size_t)g->n_links + 1) * sizeof(int)))};
    int *fill = or_need(calloc((size_t)g->n + 1, sizeof *fill)), kept = 0;
    for (int i = 0; i < g->n_links; i++) {
        c.first[g->a[i] + 1]++;
        c.first[g->b[i] + 1]++;
    }
    for (int v = 0; v < g->n; v++)
        c.first[v + 1] += c.first[v];
    for (int i = 0; i < g->n_links; i++) {
        c.near[c.first[g->a[i]] + fill[g->a[i]]++] = g->b[i];
        c.near[c.first[g->b[i]] + fill[g->b[i]]++] = g->a[i];
    }
    for (int v = 0; v < g->n; v++) {
        const int begin = c.first[v], n = fill[v];
        qsort(c.near + begin, (size_t)n, sizeof(int), cmp_ints);
        c.first[v] = kept;
        for (int i = 0; i < n; i++)
            if (i == 0 || c.near[begin + i] != c.near[begin + i - 1])
                c.near[kept++] = c.near[begin + i];
    }
    c.first[g->n] = kept;
    *parallel = g->n_links - kept / 2.0;
    free(fill);
    return c;
}

static inline bool cmp_linked(const cmp_near *c, int a, int b)
{
    return bsearch(&b, c->near + c->first[a], (size_t)(c->first[a + 1] - c->first[a]), sizeof(int),
                   cmp_ints) != NULL;
}

/* Mean over nodes of the share of their neighbours' pairs that are linked. */
static inline double cmp_clustering(const cmp_graph *g, const cmp_near *c)
{
    double sum = 0;
    for (int v = 0; v < g->n; v++) {
        const int n = c->first[v + 1] - c->first[v], *near = c->near + c->first[v];
        int linked = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                linked += cmp_linked(c, near[i], near[j]);
        sum += n > 1 ? 2.0 * linked / n / (n - 1) : 0;
    }
    return sum / g->n;
}

/* Mean number of hops between nodes that reach each other, and the number of parts. */
static inline double cmp_paths(const cmp_graph *g, const cmp_near *c, double *parts)
{
    int *hops = or_need(malloc((size_t)g->n * sizeof *hops));
    int *queue = or_need(malloc((size_t)g->n * sizeof *queue));
    double sum = 0, pairs = 0;
    *parts = 0;
    for (int s = 0; s < g->n; s++) {
        int begin = 0, end = 0, least = s;
        memset(hops, 0xff, (size_t)g->n * sizeof *hops);
        hops[s] = 0;
        queue[end++] = s;
        while (begin < end) {
            const int u = queue[begin++];
            least = u < least ? u : least;
            for (int i = c->first[u]; i < c->first[u + 1]; i++)
                if (hops[c->near[i]] < 0) {
                    hops[c->near[i]] = hops[u] + 1;
                    queue[end++] = c->near[i];
                    sum += hops[u] + 1;
                }
        }
        pairs += end - 1;
        *parts += least == s;
    }
    free(hops);
    free(queue);
    return pairs > 0 ? sum / pairs : 0;
}

/* In a flat graph there are none: AS -1. */
static inline void cmp_ases(const cmp_graph *g, double *s)
{
    bool *seen = or_need(calloc((size_t)g->n + 2, 1)), *border = or_need(calloc((size_t)g->n, 1));
    int inside = 0;
    for (int v = 0; v < g->n; v++) {
        const int as = g->as[v] < 0 ? 0 : g->as[v] + 1;
        s[CMP_ASES] += !seen[as];
        seen[as] = true;
    }
    for (int i = 0; i < g->n_links; i++) {
        const bool between = g->as[g->a[i]] != g->as[g->b[i]];
        s[CMP_BETWEEN] += between;
        inside += !between;
        s[between ? CMP_RATE_INTER : CMP_RATE] += g->rate[i] > 0 ? log(g->rate[i]) : 0;
        if (between)
            border[g->a[i]] = border[g->b[i]] = true;
    }
    for (int v = 0; v < g->n; v++)
        s[CMP_BORDERS] += border[v];
    s[CMP_RATE] /= inside ? inside : 1;
    s[CMP_RATE_INTER] /= s[CMP_BETWEEN] > 0 ? s[CMP_BETWEEN] : 1;
    free(seen);
    free(border);
}

/* Squares of 100 x 100 in which nodes stand. */
static inline double cmp_squares(const cmp_graph *g)
{
    enum { ACROSS = 64 };
    bool seen[ACROSS * ACROSS] = {false};
    int n = 0;
    for (int v = 0; v < g->n; v++) {
        bool *s = &seen[(int)(g->y[v] / 100) % ACROSS * ACROSS + (int)(g->x[v] / 100) % ACROSS];
        n += !*s;
        *s = true;
    }
    return n;
}

static inline void cmp_measure(const cmp_graph *g, double *s)
{
    int *degree = or_need(calloc((size_t)g->n, sizeof *degree));
    double squares = 0;
    memset(s, 0, CMP_STATISTICS * sizeof *s);
    cmp_near c = cmp_neighbours(g, &s[CMP_PARALLEL]);
    for (int i = 0; i < g->n_links; i++) {
        degree[g->a[i]]++;
        degree[g->b[i]]++;
        s[CMP_LENGTH] += hypot(g->x[g->a[i]] - g->x[g->b[i]], g->y[g->a[i]] - g->y[g->b[i]]) / g->n_links;
    }
    for (int v = 0; v < g->n; v++) {
        squares += (double)degree[v] * degree[v] / g->n;
        s[CMP_DEGREE_MAX] = degree[v] > s[CMP_DEGREE_MAX] ? degree[v] : s[CMP_DEGREE_MAX];
        s[CMP_DEGREE_1] += degree[v] == 1;
        s[CMP_DEGREE_2] += degree[v] == 2;
        s[CMP_DEGREE_8] += degree[v] >= 8;
        s[CMP_HEIGHT] += g->y[v] / g->n;
    }
    s[CMP_SQUARES] = cmp_squares(g);
    const double mean = 2.0 * g->n_links / g->n;
    s[CMP_LINKS] = g->n_links;
    s[CMP_DEGREE_SD] = sqrt(squares > mean * mean ? squares - mean * mean : 0);
    s[CMP_CLUSTERING] = cmp_clustering(g, &c);
    s[CMP_PATH] = cmp_paths(g, &c, &s[CMP_PARTS]);
    cmp_ases(g, s);
    free(degree);
    free(c.first);
    free(c.near);
}

/* ---- both sides of one condition ---- */

static inline uint64_t cmp_mixed(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Null where the engine would not end, or ends without an answer. */
static inline or_graph *cmp_draw_oracle(const cmp_case *c, bool java, uint64_t seed)
{
    or_engine e = {.java = java};
    or_graph *g;
    for (int i = 0; i < OR_PURPOSES; i++)
        e.stream[i] = (or_random){cmp_mixed(seed * OR_PURPOSES + (uint64_t)i) >> 16, java};
    if (c->kind == CMP_TOP_DOWN) {
        const or_top_down t = {c->edge_conn, c->k, c->inter, c->as, c->flat};
        g = or_top_down_draw(&e, &t);
    } else if (c->kind == CMP_BOTTOM_UP) {
        const or_bottom_up b = {c->walk, c->assign, c->n_as, c->flat};
        g = or_bottom_up_draw(&e, &b);
    } else {
        g = or_flat_draw(&e, &c->flat);
    }
    free(e.taken);
    if (!e.stuck)
        return g;
    or_graph_free(g);
    return NULL;
}

/* ours[i * seeds + k]: statistic i of the graph of seed k; likewise theirs. Says how many seeds the engine had
 * no answer for: others are taken in their place. */
static inline int cmp_sample_oracle(const cmp_case *c, bool java, int seeds, double *theirs)
{
    int lost = 0;
    for (int k = 0; k < seeds;) {
        double s[CMP_STATISTICS];
        or_graph *o = cmp_draw_oracle(c, java, (uint64_t)(k + lost) + 1);
        if (!o) {
            if (++lost > 20 * seeds)
                return lost;
            continue;
        }
        cmp_graph g = cmp_of_oracle(o);
        cmp_measure(&g, s);
        for (int i = 0; i < CMP_STATISTICS; i++)
            theirs[i * seeds + k] = s[i];
        cmp_graph_free(&g);
        or_graph_free(o);
        k++;
    }
    return lost;
}

/* ---- comparing ---- */

static inline void cmp_moments(const double *x, int n, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int i = 0; i < n; i++)
        *mean += x[i] / n;
    for (int i = 0; i < n; i++)
        *variance += (x[i] - *mean) * (x[i] - *mean) / (n - 1);
}

/* 0 where both are the same constant; 99 where they are different ones. */
static inline double cmp_z(const double *a, const double *b, int n)
{
    double ma, va, mb, vb;
    cmp_moments(a, n, &ma, &va);
    cmp_moments(b, n, &mb, &vb);
    const double error = sqrt((va + vb) / n), far = fabs(ma - mb);
    if (far <= 1e-6 * (fabs(ma) + fabs(mb)))
        return 0;
    return error > 0 ? (ma - mb) / error : 99;
}

static inline int cmp_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts both. */
static inline double cmp_ks(double *a, double *b, int n)
{
    double most = 0;
    qsort(a, (size_t)n, sizeof *a, cmp_doubles);
    qsort(b, (size_t)n, sizeof *b, cmp_doubles);
    for (int i = 0, j = 0; i < n && j < n;) {
        const double at = a[i] < b[j] ? a[i] : b[j];
        while (i < n && a[i] <= at + 1e-9 * fabs(at))
            i++;
        while (j < n && b[j] <= at + 1e-9 * fabs(at))
            j++;
        const double far = fabs((double)(i - j)) / n;
        most = far > most ? far : most;
    }
    return most;
}

#endif
