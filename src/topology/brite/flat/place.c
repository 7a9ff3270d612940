/*
 * Places of nodes, as BRITE has them: distinct whole points of a plane of HS x HS.
 *
 * Random: each point uniform over the plane, drawn anew where it is taken; where most points will be taken,
 * the first ones of a random order of all. Heavy-tailed: the plane is divided into squares of LS x LS. Row by
 * row, from the origin on, each takes a number of nodes from a Pareto distribution, at random points of it,
 * until all nodes stand; where the squares are through and nodes are left, another round begins. With few
 * nodes for the squares there are, all stand in the first rows. The number is that of BRITE's engine, rounded
 * down:
 *
 *                  shape   from   to          at most, a round
 *     C++ routers  1.0     1      10^6 LS^2   3/4 LS^2
 *     C++ ASes     1.2     1      10^10       3/4 LS^2, which all above 1/2 LS^2 become
 *     Java routers 1.0     1      10^6 LS^2   LS^2
 *     Java ASes    1.0     10     10^10       LS^2
 *
 * A node whose point is taken goes to another one of its square, with Java's engine to one of the whole
 * plane. Where BRITE would look for a free point of a full square for ever, the next square is taken.
 */
#include <math.h>
#include <stdlib.h>

#include "topology/brite/flat/flat.h"
#include "base/memory.h"
#include "weir/dist.h"

typedef struct square {
    uint32_t left, bottom, side;
} square;

/* Puts node v on a free point of the square; there must be one. */
static bool put(wi_sketch *sketch, uint32_t v, square in, wi_pair_set *taken, weir_stream *stream)
{
    uint32_t x, y;
    do {
        uint64_t a, b;
        weir_draw_pair(stream, &a, &b);
        x = in.left + (uint32_t)weir_mulhi64(a, in.side);
        /* The two coordinates are told apart by a range of their own, for the set knows no order. */
        y = in.bottom + (uint32_t)weir_mulhi64(b, in.side);
    } while (wi_pair_set_has(taken, x, y | UINT32_C(1) << 31));
    sketch->x[v] = x;
    sketch->y[v] = y;
    return wi_pair_set_add(taken, x, y | UINT32_C(1) << 31);
}

typedef struct counts {
    weir_dist dist;
    double cut, most; /* what exceeds `cut` becomes `most` */
} counts;

static counts counts_of(const wi_flat *flat)
{
    const double area = (double)flat->ls * flat->ls, most = floor(0.75 * area);
    const bool java = flat->engine == WI_ENGINE_JAVA;
    counts c = {weir_dist_pareto_bounded(1, 1, 1e6 * area), java ? area : most, java ? area : most};
    if (flat->of_ases && java) {
        c.dist = weir_dist_pareto_bounded(10, 1, 1e10);
    } else if (flat->of_ases) {
        c.dist = weir_dist_pareto_bounded(1, 1.2, 1e10);
        c.cut = floor(0.5 * area);
    }
    c.most = c.most < 1 ? 1 : c.most; /* squares of one point: BRITE would place nothing */
    return c;
}

static uint64_t draw_count(const counts *c, weir_stream *stream)
{
    const double n = floor(weir_dist_sample(&c->dist, NULL, stream));
    return (uint64_t)(n > c->cut ? c->most : n);
}

/* Java: the node's own square where the point is free, else anywhere. */
static bool put_java(const wi_flat *flat, wi_sketch *sketch, uint32_t v, square in, wi_pair_set *taken,
                     weir_stream *stream)
{
    uint64_t a, b;
    weir_draw_pair(stream, &a, &b);
    const uint32_t x = in.left + (uint32_t)weir_mulhi64(a, in.side);
    const uint32_t y = in.bottom + (uint32_t)weir_mulhi64(b, in.side);
    if (wi_pair_set_has(taken, x, y | UINT32_C(1) << 31))
        return put(sketch, v, (square){0, 0, flat->hs}, taken, stream);
    sketch->x[v] = x;
    sketch->y[v] = y;
    return wi_pair_set_add(taken, x, y | UINT32_C(1) << 31);
}

static bool place_heavy(const wi_flat *flat, weir_stream *stream, wi_sketch *sketch, wi_pair_set *taken)
{
    const uint32_t across = flat->hs / flat->ls, squares = across * across;
    const bool java = flat->engine == WI_ENGINE_JAVA;
    const uint64_t room = (uint64_t)flat->ls * flat->ls;
    const counts count = counts_of(flat);
    WI_FREED uint32_t *held = calloc(squares, sizeof *held);
    bool good = held != NULL;
    for (uint32_t v = 0, s = 0; good && v < flat->n; s = (s + 1) % squares) {
        const square in = {s % across * flat->ls, s / across * flat->ls, flat->ls};
        uint64_t n = draw_count(&count, stream);
        n = java || n < room - held[s] ? n : room - held[s];
        n = n < flat->n - v ? n : flat->n - v;
        for (; good && n > 0; n--, v++, held[s]++)
            good = java ? put_java(flat, sketch, v, in, taken, stream) : put(sketch, v, in, taken, stream);
    }
    return good;
}

/* The first n of a random order of all points. */
static bool place_dense(const wi_flat *flat, weir_stream *stream, wi_sketch *sketch)
{
    const uint64_t points = (uint64_t)flat->hs * flat->hs;
    WI_FREED uint32_t *point = malloc(points * sizeof *point);
    for (uint64_t i = 0; point && i < points; i++)
        point[i] = (uint32_t)i;
    for (uint32_t v = 0; point && v < flat->n; v++) {
        const uint64_t j = v + weir_draw_below(stream, points - v);
        const uint32_t here = point[j];
        point[j] = point[v];
        sketch->x[v] = here % flat->hs;
        const uint32_t row = here / flat->hs;
        sketch->y[v] = row;
    }
    return point != NULL;
}

weir_status wi_place(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    wi_pair_set taken = {0};
    bool good = true;
    if (flat->placement == WI_PLACE_HEAVY_TAILED)
        good = place_heavy(flat, &stream, sketch, &taken);
    else if ((uint64_t)flat->hs * flat->hs < 4 * (uint64_t)flat->n)
        good = place_dense(flat, &stream, sketch);
    else
        for (uint32_t v = 0; good && v < flat->n; v++)
            good = put(sketch, v, (square){0, 0, flat->hs}, &taken, &stream);
    wi_pair_set_free(&taken);
    return good ? WEIR_OK
                : weir_fail(diag, WEIR_E_NOMEM, "out of memory for the places of %u nodes", flat->n);
}
