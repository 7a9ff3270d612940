/*
 * Waxman's model as BRITE grows it: a node joins m others, each chosen with a chance that falls off as
 * exp(-d / (beta L)) with the distance d, where L = sqrt(2) HS is the longest one (Waxman 1988; alpha, the
 * same factor for all, cancels out where the number of links is given).
 *
 * Incremental growth: nodes m, m + 1, ... join m distinct earlier ones each; then each of the first m joins m
 * of those that came after them (Java's ASes: of all but the last m), unless it has N - m links by then. That
 * is m N links where N is well above m.
 *
 * Growth "all", C++: a node drawn from all joins up to m others out of all that it is not linked with, and so
 * on, until no node is without a link. A node may be drawn often. Java's engine does not let the first node
 * go before that, so that it has links to all others: a star. Components that remain apart are joined up.
 */
#include <math.h>
#include <stdlib.h>

#include "topology/brite/flat/flat.h"
#include "base/memory.h"
#include "topology/brite/flat/waxman_sampler.h"

typedef struct drawing {
    wi_sampler s;
    uint32_t from, until; /* may be taken */
    uint32_t *mark;       /* [n]: 1 + the node that last took it */
    wi_pair_set pairs;    /* links to look up, where a node may be linked already before its turn comes */
    bool look_up;
    weir_stream stream;
} drawing;

static bool may_take(const void *arg, uint32_t v, uint32_t u)
{
    const drawing *d = arg;
    if (u < d->from || u >= d->until)
        return false;
    return u != v && d->mark[u] != v + 1 && !(d->look_up && wi_pair_set_has(&d->pairs, u, v));
}

static bool take(drawing *d, wi_sketch *sketch, uint32_t v)
{
    const uint32_t u = wi_sampler_draw(&d->s, v, may_take, d, &d->stream);
    if (u == UINT32_MAX)
        return false;
    d->mark[u] = v + 1;
    if (d->look_up && !wi_pair_set_add(&d->pairs, u, v))
        sketch->no_memory = true;
    wi_sketch_join(sketch, v, u);
    return true;
}

/* The first m, which have links from later nodes by now, join others in their turn. */
static bool join_first(drawing *d, wi_sketch *sketch, const wi_flat *flat)
{
    const uint32_t m = flat->m, most = sketch->n - m;
    const bool java_ases = flat->engine == WI_ENGINE_JAVA && flat->of_ases;
    WI_FREED uint32_t *degree = calloc((size_t)m + 1, sizeof *degree);
    bool good = degree != NULL;
    for (size_t i = 0; good && i < sketch->n_links; i++) {
        const wi_sketch_link *l = &sketch->link[i]; /* b is the earlier one */
        if (l->b >= m)
            continue;
        good = wi_pair_set_add(&d->pairs, l->a, l->b);
        degree[l->b]++;
    }
    d->look_up = true;
    d->from = java_ases ? 0 : m;
    d->until = java_ases ? most : sketch->n;
    for (uint32_t v = 0; good && v < m; v++)
        for (uint32_t k = 0; k < m && degree[v] < most && take(d, sketch, v); k++) {
            const uint32_t u = sketch->link[sketch->n_links - 1].b;
            degree[v]++;
            if (u < m)
                degree[u]++;
        }
    return good;
}

static bool grow_incremental(drawing *d, wi_sketch *sketch, const wi_flat *flat)
{
    const uint32_t m = flat->m, most = sketch->n - m;
    d->until = sketch->n;
    for (uint32_t v = 0; v < sketch->n && !sketch->no_memory; v++) {
        for (uint32_t k = 0; v >= m && k < m && k < most; k++)
            take(d, sketch, v);
        wi_sampler_appear(&d->s, v);
    }
    return sketch->no_memory || join_first(d, sketch, flat);
}

static void grow_star(wi_sketch *sketch, weir_stream *stream)
{
    const uint32_t hub = (uint32_t)weir_draw_below(stream, sketch->n);
    for (uint32_t u = 0; u < sketch->n && !sketch->no_memory; u++)
        if (u != hub)
            wi_sketch_join(sketch, hub, u);
}

static bool grow_all(drawing *d, wi_sketch *sketch, uint32_t m)
{
    const uint32_t n = sketch->n;
    WI_FREED bool *linked = calloc(n, sizeof *linked);
    if (!linked)
        return false;
    wi_sampler_appear_all(&d->s);
    d->until = n;
    d->look_up = true;
    for (uint32_t n_linked = 0; n_linked < n && !sketch->no_memory;) {
        const uint32_t v = (uint32_t)weir_draw_below(&d->stream, n);
        for (uint32_t k = 0; k < m && n_linked < n && take(d, sketch, v); k++) {
            const uint32_t u = sketch->link[sketch->n_links - 1].b;
            n_linked += (uint32_t)!linked[v] + (uint32_t)!linked[u];
            linked[v] = linked[u] = true;
        }
    }
    return true;
}

weir_status wi_draw_waxman(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    const bool all = flat->growth == WI_GROW_ALL;
    drawing d = {.stream = stream};
    if (all && flat->engine == WI_ENGINE_JAVA) {
        grow_star(sketch, &stream);
        return wi_sketch_check(diag, sketch);
    }
    d.mark = calloc((size_t)sketch->n + 1, sizeof *d.mark);
    bool good = d.mark && wi_sampler_init(&d.s, sketch, flat->hs, flat->beta * sqrt(2.0) * flat->hs);
    if (good)
        good = all ? grow_all(&d, sketch, flat->m) : grow_incremental(&d, sketch, flat);
    wi_sampler_free(&d.s);
    wi_pair_set_free(&d.pairs);
    free(d.mark);
    if (!good)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the links of %u nodes", sketch->n);
    const weir_status st = wi_sketch_check(diag, sketch);
    return st == WEIR_OK && all && flat->join ? wi_join_up(diag, &d.stream, sketch) : st;
}
