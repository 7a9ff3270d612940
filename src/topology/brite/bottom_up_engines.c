/*
 * How BRITE's two engines divide routers over ASes. Both draw the size of one AS after another until no
 * router is left, so that there are NumAS of them for constant sizes that divide N, and else as many as it
 * takes:
 *
 *              C++                        Java
 * constant     N / NumAS                  the same
 * uniform      1 to N                     0 to 2 N / NumAS
 * exponential  of mean N / NumAS          all (its mean is divided by 0)
 * heavy-tailed Pareto of shape 1.2, 1..N  the same
 *
 * all rounded down. An AS of size 0 gets no number, but a walk's gets one router (C++).
 *
 * Picks: any router that is left. Java stops after NumAS of them. Walks, C++: from the first router that is
 * not exhausted (it may belong to an earlier AS, and then gives this one neighbours alone), on to a random
 * free neighbour; where there is none the router is exhausted, and the walk goes back by one step. Of k
 * neighbours one of k + 1 is drawn: the one too many is router number k, for BRITE reads beyond the end of a
 * list there and finds its length. Walks, Java: a depth-first search from a random router, cut into ASes; so
 * an AS need not be connected.
 */
#include <stdlib.h>
#include <string.h>

#include "topology/brite/brite.h"
#include "base/memory.h"
#include "weir/dist.h"

typedef struct sizes {
    weir_dist dist;
    weir_stream stream;
    bool java;
    uint32_t n, grouped;
} sizes;

static sizes sizes_of(const wi_bottom_up *model, weir_stream stream)
{
    const uint32_t n = model->router.n;
    const double mean = (double)n / model->n_as;
    const uint32_t whole = n / model->n_as; /* BRITE divides whole numbers here */
    sizes s = {weir_dist_constant(whole), stream, model->engine == WI_ENGINE_JAVA, n, 0};
    if (model->assign == WI_SPREAD_UNIFORM)
        s.dist = s.java ? weir_dist_uniform(0, 2 * mean) : weir_dist_uniform(1, n);
    else if (model->assign == WI_SPREAD_EXPONENTIAL)
        s.dist = s.java && model->n_as < n ? weir_dist_constant(n) : weir_dist_exponential(mean);
    else if (model->assign == WI_SPREAD_HEAVY_TAILED && n > 1)
        s.dist = weir_dist_pareto_bounded(1, WI_HEAVY_SHAPE, n);
    return s;
}

static uint32_t next_size(sizes *s)
{
    const double drawn = weir_dist_sample(&s->dist, NULL, &s->stream);
    const uint32_t left = s->n - s->grouped;
    return drawn >= left ? left : (uint32_t)drawn;
}

static void assign(wi_grouped *g, sizes *s, uint32_t v, uint32_t as)
{
    g->sketch->as_number[v] = as;
    s->grouped++;
}

static void pick(wi_grouped *g, const wi_bottom_up *model, sizes *s)
{
    const uint32_t most = s->java ? model->n_as : UINT32_MAX;
    for (uint32_t v = 0; v < s->n; v++)
        g->left[v] = v;
    for (uint32_t as = 1, turn = 0; turn < most && s->grouped < s->n; turn++) {
        const uint32_t size = next_size(s);
        for (uint32_t k = 0; k < size; k++) {
            const uint32_t left = s->n - s->grouped, at = (uint32_t)weir_draw_below(&g->stream, left);
            assign(g, s, g->left[at], as);
            g->left[at] = g->left[left - 1];
        }
        as += size > 0;
    }
}

/* A free neighbour, each as likely, and the router too many where it is free; UINT32_MAX: no neighbour is
 * free. */
static uint32_t next_router(wi_grouped *g, uint32_t v)
{
    const uint32_t *as = g->sketch->as_number, degree = g->first[v + 1] - g->first[v];
    uint32_t found = 0, chosen = UINT32_MAX;
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
        if (as[g->neighbour[e]] == 0 && weir_draw_below(&g->stream, ++found) == 0)
            chosen = g->neighbour[e];
    if (found > 0 && degree < g->sketch->n && as[degree] == 0 && weir_draw_below(&g->stream, ++found) == 0)
        chosen = degree;
    return chosen;
}

static void walk_cpp(wi_grouped *g, sizes *s)
{
    bool *exhausted = (bool *)memset(g->left, 0, s->n * sizeof *g->left);
    for (uint32_t as = 1, start = 0; s->grouped < s->n;) {
        const uint32_t size = next_size(s);
        uint32_t have = 0, n = 0;
        while (exhausted[start])
            start++;
        g->open[n++] = start;
        if (g->sketch->as_number[start] == 0) {
            assign(g, s, start, as);
            have++;
        }
        while (have < size && n > 0) {
            const uint32_t v = next_router(g, g->open[n - 1]);
            if (v == UINT32_MAX) {
                exhausted[g->open[--n]] = true;
                continue;
            }
            assign(g, s, v, as);
            g->open[n++] = v;
            have++;
        }
        as += have > 0;
    }
}

/* Put v's neighbours that have not been seen on the stack, in the order of a Java hash table. */
static void push_neighbours(wi_grouped *g, uint32_t v, bool *seen, uint64_t *order, uint32_t *n)
{
    const uint32_t degree = g->first[v + 1] - g->first[v], *near = g->neighbour + g->first[v];
    for (uint32_t i = 0; i < degree; i++)
        order[i] = (uint64_t)wi_java_place(near[i], degree) << 32 | i;
    wi_java_sort(order, degree);
    for (uint32_t i = 0; i < degree; i++) {
        const uint32_t u = near[(uint32_t)order[i]];
        if (!seen[u])
            g->open[(*n)++] = u;
        seen[u] = true;
    }
}

static bool walk_java(wi_grouped *g, sizes *s)
{
    bool *seen = (bool *)memset(g->left, 0, s->n * sizeof *g->left);
    WI_FREED uint64_t *order = malloc(((size_t)s->n + 1) * sizeof *order);
    uint32_t n = 0, start = (uint32_t)weir_draw_below(&g->stream, s->n);
    g->open[n++] = start;
    seen[start] = true;
    for (uint32_t as = 1; order && s->grouped < s->n && n > 0;) {
        const uint32_t size = next_size(s);
        uint32_t have = 0;
        while (have < size && n > 0) {
            const uint32_t v = g->open[--n];
            assign(g, s, v, as);
            have++;
            push_neighbours(g, v, seen, order, &n);
        }
        as += have > 0;
    }
    return order != NULL;
}

bool wi_group_as_brite(wi_grouped *g, const wi_bottom_up *model, weir_stream stream)
{
    sizes s = sizes_of(model, stream);
    if (model->grouping == WI_GROUP_WALK && s.java)
        return walk_java(g, &s);
    if (model->grouping == WI_GROUP_WALK)
        walk_cpp(g, &s);
    else
        pick(g, model, &s);
    return true;
}
