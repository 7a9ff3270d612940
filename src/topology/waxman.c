/*
 * Waxman's model as BRITE grows it: a node joins m others, each chosen with a chance that falls off as
 * exp(-d / (beta L)) with the distance d, where L = sqrt(2) HS is the longest one (Waxman 1988; alpha, the
 * same factor for all, cancels out where the number of links is given).
 *
 * Incremental growth: nodes m, m + 1, ... join m distinct earlier ones each; then the first m join m more
 * each, as long as two pairs of nodes or more are not linked. (The last is what outputs of BRITE for very
 * small N show: 5 links of 4 nodes, m = 2.) That is m N links where N is well above m. Growth "all": every
 * node, in random order, joins m others out of all that it is not linked with; components that remain apart
 * are joined up.
 */
#include <math.h>
#include <stdlib.h>

#include "topology/brite.h"
#include "topology/waxman_sampler.h"

typedef struct drawing {
    wi_sampler s;
    uint32_t *mark;    /* [n]: 1 + the node that last took it */
    wi_pair_set pairs; /* links to look up, where a node may be linked already before its turn comes */
    bool look_up;
    weir_stream stream;
} drawing;

static bool may_take(const void *arg, uint32_t v, uint32_t u)
{
    const drawing *d = arg;
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
static bool join_first(drawing *d, wi_sketch *sketch, uint32_t m)
{
    const uint64_t pairs = (uint64_t)sketch->n * (sketch->n - 1) / 2;
    bool good = true;
    for (size_t i = 0; good && i < sketch->n_links; i++)
        if (sketch->link[i].b < m)
            good = wi_pair_set_add(&d->pairs, sketch->link[i].a, sketch->link[i].b);
    d->look_up = true;
    for (uint32_t v = 0; good && v < m; v++)
        for (uint32_t k = 0; k < m && sketch->n_links + 1 < pairs && take(d, sketch, v); k++)
            ;
    return good;
}

static bool grow_incremental(drawing *d, wi_sketch *sketch, uint32_t m)
{
    for (uint32_t v = 0; v < sketch->n && !sketch->no_memory; v++) {
        for (uint32_t k = 0; v >= m && k < m; k++)
            take(d, sketch, v);
        wi_sampler_appear(&d->s, v);
    }
    return sketch->no_memory || join_first(d, sketch, m);
}

static bool grow_all(drawing *d, wi_sketch *sketch, uint32_t m)
{
    uint32_t *order = malloc((size_t)sketch->n * sizeof *order);
    if (!order)
        return false;
    wi_sampler_appear_all(&d->s);
    for (uint32_t v = 0; v < sketch->n; v++)
        order[v] = v;
    for (uint32_t i = sketch->n; i > 0 && !sketch->no_memory; i--) {
        const uint32_t j = (uint32_t)weir_draw_below(&d->stream, i);
        const uint32_t v = order[j];
        order[j] = order[i - 1];
        for (uint32_t k = 0; k < m && take(d, sketch, v); k++)
            ;
    }
    free(order);
    return true;
}

weir_status wi_draw_waxman(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    const bool all = flat->growth == WI_GROW_ALL;
    drawing d = {.look_up = all, .stream = stream};
    d.mark = calloc((size_t)sketch->n + 1, sizeof *d.mark);
    bool good = d.mark && wi_sampler_init(&d.s, sketch, flat->hs, flat->beta * sqrt(2.0) * flat->hs);
    if (good)
        good = all ? grow_all(&d, sketch, flat->m) : grow_incremental(&d, sketch, flat->m);
    wi_sampler_free(&d.s);
    wi_pair_set_free(&d.pairs);
    free(d.mark);
    if (!good)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the links of %u nodes", sketch->n);
    const weir_status st = wi_sketch_check(diag, sketch);
    return st == WEIR_OK && all ? wi_join_up(diag, &d.stream, sketch) : st;
}
