/*
 * Places of nodes, as BRITE has them: distinct whole points of a plane of HS x HS.
 *
 * Random: each point uniform over the plane, drawn anew where it is taken; where most points will be taken,
 * the first ones of a random order of all.
 * Heavy-tailed: the plane is divided into squares of LS x LS; in random order each takes a number of nodes
 * from a Pareto distribution of shape 1.2 between 1 and what it can hold, at random points of it, until all
 * nodes stand; where the squares are through and nodes are left, another round begins.
 */
#include <stdlib.h>

#include "topology/brite.h"
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

static void shuffle(uint32_t *item, uint32_t n, weir_stream *stream)
{
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t j = (uint32_t)weir_draw_below(stream, i);
        const uint32_t swap = item[i - 1];
        item[i - 1] = item[j];
        item[j] = swap;
    }
}

static bool place_heavy(const wi_flat *flat, weir_stream *stream, wi_sketch *sketch, wi_pair_set *taken)
{
    const uint32_t across = flat->hs / flat->ls, squares = across * across;
    const uint64_t room = (uint64_t)flat->ls * flat->ls;
    const weir_dist count = weir_dist_pareto_bounded(1, WI_HEAVY_SHAPE, (double)room + 1);
    uint32_t *order = malloc(2 * (size_t)squares * sizeof *order);
    uint32_t *held = order ? order + squares : NULL;
    bool good = order != NULL;
    for (uint32_t s = 0; good && s < squares; s++) {
        order[s] = s;
        held[s] = 0;
    }
    if (good)
        shuffle(order, squares, stream);
    for (uint32_t v = 0, turn = 0; good && v < flat->n; turn = (turn + 1) % squares) {
        const uint32_t s = order[turn];
        const square in = {s % across * flat->ls, s / across * flat->ls, flat->ls};
        uint64_t n = (uint64_t)weir_dist_sample(&count, NULL, stream);
        n = n < room - held[s] ? n : room - held[s];
        n = n < flat->n - v ? n : flat->n - v;
        for (; good && n > 0; n--, v++, held[s]++)
            good = put(sketch, v, in, taken, stream);
    }
    free(order);
    return good;
}

/* The first n of a random order of all points. */
static bool place_dense(const wi_flat *flat, weir_stream *stream, wi_sketch *sketch)
{
    const uint64_t points = (uint64_t)flat->hs * flat->hs;
    uint32_t *point = malloc(points * sizeof *point);
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
    free(point);
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
