/*
 * The last steps of BRITE's models: rates, delays, classes.
 *
 * Rates: links within an AS by one distribution, links between ASes by another; in a flat graph all by the
 * first. BRITE's numbers are megabits a second.
 *
 * Delays: Euclidean distance between the ends' places, in kilometres, over the speed of light, as BRITE has
 * it; whole nanoseconds, at least 1 microsecond. In a top-down hierarchy each AS has a plane of its own, and
 * a link between ASes takes the distance between places of two planes, as in BRITE.
 *
 * Classes, which the paper on ns-3's BRITE module names and does not define: here border is a router with a
 * link to another AS; leaf, one of the least degree among its AS's other routers; backbone, one of a degree
 * above the mean of its AS; "stub" (RT_STUB in BRITE's files), all others. ASes as nodes, and routers of one
 * network, have no borders.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "topology/brite/brite.h"
#include "base/memory.h"
#include "weir/dist.h"
#include "weir/time.h"

/* C++ takes no account of the least rate. */
static double least_of_tail(const wi_bandwidth *b)
{
    return b->engine == WI_ENGINE_CPP ? 1 : b->min;
}

weir_status wi_bandwidth_check(weir_diag *diag, const wi_bandwidth *b, const char *name, const char *file,
                               int line)
{
    const weir_status code = file ? WEIR_E_FORMAT : WEIR_E_SCENARIO;
    const double most = 1e9; /* Mb/s: a petabit a second */
    if (b->spread == WI_SPREAD_NONE)
        return WEIR_OK;
    if (!(b->min >= 1e-6 && b->min <= most))
        return weir_fail_at(diag, code, file, line, 0, "%sMin is %g Mb/s; want 1e-6 to 1e9", name, b->min);
    if (b->spread != WI_SPREAD_UNIFORM && b->spread != WI_SPREAD_HEAVY_TAILED)
        return WEIR_OK;
    if (!(b->max >= b->min && b->max <= most))
        return weir_fail_at(diag, code, file, line, 0, "%sMax is %g Mb/s; want %sMin, %g, to 1e9", name,
                            b->max, name, b->min);
    if (b->spread == WI_SPREAD_HEAVY_TAILED && !(b->max > b->min))
        return weir_fail_at(diag, code, file, line, 0, "%sMax is %g Mb/s, as %sMin: no tail is left", name,
                            b->max, name);
    if (b->spread == WI_SPREAD_HEAVY_TAILED && !(b->max > least_of_tail(b)))
        return weir_fail_at(diag, code, file, line, 0,
                            "%sMax is %g Mb/s, but heavy tails of BRITE's C++ engine begin at 1; raise it, "
                            "or take another engine",
                            name, b->max);
    return WEIR_OK;
}

static uint64_t draw_rate(const wi_bandwidth *b, weir_stream *stream)
{
    weir_dist dist = weir_dist_constant(b->min);
    if (b->spread == WI_SPREAD_NONE)
        return 0;
    const bool java = b->engine == WI_ENGINE_JAVA;
    if (b->spread == WI_SPREAD_UNIFORM)
        dist = weir_dist_uniform(b->min, java ? b->min + b->max : b->max);
    else if (b->spread == WI_SPREAD_EXPONENTIAL)
        dist = weir_dist_exponential(java ? 1 / b->min : b->min);
    else if (b->spread == WI_SPREAD_HEAVY_TAILED)
        dist = weir_dist_pareto_bounded(least_of_tail(b), WI_HEAVY_SHAPE, b->max);
    const double bps = weir_dist_sample(&dist, NULL, stream) * 1e6;
    return bps < 1 ? 1 : (uint64_t)(bps + 0.5);
}

static weir_time delay_between(const wi_sketch *s, uint32_t a, uint32_t b)
{
    const double dx = s->x[a] - s->x[b], dy = s->y[a] - s->y[b];
    const double ns = sqrt(dx * dx + dy * dy) / WI_BRITE_KM_PER_S * 1e9;
    return ns < 1000 ? WEIR_PS_PER_US : (weir_time)(ns + 0.5) * WEIR_PS_PER_NS;
}

/* ---- classes ---- */

/* Of one AS, or of a whole flat graph. */
typedef struct group {
    uint64_t links, nodes;
    uint32_t least; /* degree among those that are no border */
} group;

static bool is_border(const uint8_t *class, uint32_t v)
{
    return class[v] == WEIR_CLASS_BORDER;
}

static void mark_borders(const wi_sketch *s, uint8_t *class)
{
    for (size_t i = 0; i < s->n_links; i++)
        if (s->as_number[s->link[i].a] != s->as_number[s->link[i].b])
            class[s->link[i].a] = class[s->link[i].b] = WEIR_CLASS_BORDER;
}

/* Class of each node, [n], the caller's to free. AS numbers are at most n. */
static uint8_t *classes_of(const wi_sketch *s, wi_level level)
{
    uint8_t *class = calloc((size_t)s->n + 1, sizeof *class);
    WI_FREED uint32_t *degree = wi_sketch_degrees(s);
    WI_FREED group *groups = calloc((size_t)s->n + 1, sizeof *groups);
    if (!class || !degree || !groups) {
        free(class);
        return NULL;
    }
    const bool by_as = level == WI_LEVEL_BOTH;
    if (by_as)
        mark_borders(s, class);
    for (uint32_t v = 0; v < s->n; v++) {
        group *g = &groups[by_as ? s->as_number[v] : 0];
        g->nodes++;
        g->links += degree[v];
        if (!is_border(class, v) && (g->least == 0 || degree[v] < g->least))
            g->least = degree[v];
    }
    for (uint32_t v = 0; v < s->n; v++) {
        const group *g = &groups[by_as ? s->as_number[v] : 0];
        if (!is_border(class, v))
            class[v] = degree[v] <= g->least             ? WEIR_CLASS_LEAF
                       : degree[v] * g->nodes > g->links ? WEIR_CLASS_BACKBONE
                                                         : WEIR_CLASS_STUB;
    }
    return class;
}

/* ---- into the builder ---- */

static void add_nodes(const wi_sketch *s, wi_level level, const uint8_t *class, weir_graph_builder *builder)
{
    char name[40];
    uint32_t within = 0; /* number of a router in its AS, where ASes come one after another */
    for (uint32_t v = 0; v < s->n; v++) {
        within = v > 0 && s->as_number[v] == s->as_number[v - 1] ? within + 1 : 0;
        if (level == WI_LEVEL_AS)
            snprintf(name, sizeof name, "as%u", s->as_number[v]);
        else if (level == WI_LEVEL_BOTH)
            snprintf(name, sizeof name, "as%ur%u", s->as_number[v], within);
        else
            snprintf(name, sizeof name, "r%u", v);
        if (weir_graph_add_node(builder, name, WEIR_ROUTER) == UINT32_MAX)
            return; /* the builder remembers why */
        weir_graph_set_xy(builder, v, s->x[v], s->y[v]);
        weir_graph_set_as(builder, v, s->as_number[v]);
        weir_graph_set_class(builder, v, class[v]);
    }
}

static void add_links(const wi_sketch *s, const wi_finish *finish, weir_graph_builder *builder)
{
    weir_stream stream = wi_brite_stream(finish->seed, 0, WI_FOR_BANDWIDTH);
    for (size_t i = 0; i < s->n_links; i++) {
        const uint32_t a = s->link[i].a, b = s->link[i].b;
        const bool between = finish->level == WI_LEVEL_BOTH && s->as_number[a] != s->as_number[b];
        const wi_bandwidth *bandwidth = between ? &finish->inter : &finish->intra;
        weir_link link = weir_link_init(a, b);
        link.rate_bps =
            bandwidth->spread == WI_SPREAD_NONE ? s->link[i].rate_bps : draw_rate(bandwidth, &stream);
        link.delay_ps = delay_between(s, a, b);
        weir_graph_add_link(builder, link);
    }
}

weir_status wi_brite_finish(weir_diag *diag, const wi_sketch *sketch, const wi_finish *finish,
                            weir_graph_builder *builder)
{
    WI_FREED uint8_t *class = classes_of(sketch, finish->level);
    if (!class)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the classes of %u nodes", sketch->n);
    add_nodes(sketch, finish->level, class, builder);
    add_links(sketch, finish, builder);
    return WEIR_OK;
}
