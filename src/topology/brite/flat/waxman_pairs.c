/*
 * Waxman's own model (1988): each pair of nodes is linked by itself, with the probability
 * alpha exp(-d / (beta L)), L = sqrt(2) HS.
 *
 * Pairs are gone through by pairs of cells of a grid. All pairs of nodes between two cells have at most the
 * probability of the cells' least distance: from one success of that probability to the next is a geometric
 * step, and the pair it leads to is linked with the rest of its probability. So the work grows with the
 * links, not with the pairs.
 */
#include <math.h>
#include <stdlib.h>

#include "topology/brite/flat/flat.h"
#include "topology/builder.h"
#include "weir/dist.h"

enum { CELLS_MAX = 48, NODES_A_CELL = 16 };

typedef struct grid {
    wi_sketch *sketch;
    weir_stream stream;
    uint32_t across, cells;
    double side, reach, alpha;
    uint32_t *first, *node; /* of cell c: node[first[c]] ... */
} grid;

static uint32_t along(const grid *g, double at)
{
    const uint32_t i = (uint32_t)(at / g->side);
    return i < g->across ? i : g->across - 1;
}

static bool grid_init(grid *g, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    const double wanted = sqrt((double)sketch->n / NODES_A_CELL);
    *g = (grid){
        .sketch = sketch, .stream = stream, .alpha = flat->alpha, .reach = flat->beta * sqrt(2.0) * flat->hs};
    g->across = wanted < 1 ? 1 : wanted > CELLS_MAX ? CELLS_MAX : (uint32_t)wanted;
    g->cells = g->across * g->across;
    g->side = (double)flat->hs / g->across;
    g->first = calloc((size_t)g->cells + 2, sizeof *g->first);
    g->node = malloc(((size_t)sketch->n + 1) * sizeof *g->node);
    if (!g->first || !g->node)
        return false;
    /* first[c + 1] is the cursor of cell c while nodes are put in, so that it ends where the next begins. */
    for (uint32_t v = 0; v < sketch->n; v++)
        g->first[along(g, sketch->y[v]) * g->across + along(g, sketch->x[v]) + 2]++;
    for (uint32_t c = 0; c < g->cells; c++)
        g->first[c + 2] += g->first[c + 1];
    for (uint32_t v = 0; v < sketch->n; v++)
        g->node[g->first[along(g, sketch->y[v]) * g->across + along(g, sketch->x[v]) + 1]++] = v;
    return true;
}

static double least(const grid *g, uint32_t a, uint32_t b)
{
    const uint32_t ax = a % g->across, bx = b % g->across, ay = a / g->across, by = b / g->across;
    const uint32_t x = ax > bx ? ax - bx : bx - ax, y = ay > by ? ay - by : by - ay;
    const double dx = x > 1 ? x - 1 : 0, dy = y > 1 ? y - 1 : 0;
    return g->side * sqrt(dx * dx + dy * dy);
}

static double pairs_between(const grid *g, uint32_t a, uint32_t b)
{
    const double na = g->first[a + 1] - g->first[a], nb = g->first[b + 1] - g->first[b];
    return a == b ? na * (na - 1) / 2 : na * nb;
}

/* The number of links cannot exceed this by much. */
static double expected_at_most(const grid *g)
{
    double sum = 0;
    for (uint32_t a = 0; a < g->cells; a++)
        for (uint32_t b = a; b < g->cells; b++)
            sum += pairs_between(g, a, b) * g->alpha * weir_exp(-least(g, a, b) / g->reach);
    return sum;
}

/* Pair number i within a cell, in the order (1,0) (2,0) (2,1) (3,0) ... */
static void unrank(uint64_t i, uint32_t *row, uint32_t *column)
{
    uint64_t r = (uint64_t)((1 + sqrt(1 + 8 * (double)i)) / 2);
    while (r * (r - 1) / 2 > i)
        r--;
    while ((r + 1) * r / 2 <= i)
        r++;
    *row = (uint32_t)r;
    *column = (uint32_t)(i - r * (r - 1) / 2);
}

static void try_pair(grid *g, uint32_t a, uint32_t b, uint64_t i, double from)
{
    const wi_sketch *const s = g->sketch;
    uint32_t row, column;
    const uint32_t nb = g->first[b + 1] - g->first[b];
    if (a == b) {
        unrank(i, &row, &column);
    } else {
        row = (uint32_t)(i / nb);
        column = (uint32_t)(i % nb);
    }
    const uint32_t u = g->node[g->first[a] + row], v = g->node[g->first[b] + column];
    const double dx = s->x[u] - s->x[v], dy = s->y[u] - s->y[v];
    if (weir_draw_unit(&g->stream) < weir_exp((from - sqrt(dx * dx + dy * dy)) / g->reach))
        wi_sketch_join(g->sketch, u, v);
}

static void join_cells(grid *g, uint32_t a, uint32_t b)
{
    const double pairs = pairs_between(g, a, b), from = least(g, a, b);
    const double p = g->alpha * weir_exp(-from / g->reach);
    if (!(pairs > 0) || !(p > 0))
        return;
    const double log_miss = -p * weir_log1p_ratio(-p); /* log(1 - p); -inf for p = 1 */
    double i = -1;
    for (;;) {
        const double misses = p < 1 ? weir_log(weir_draw_unit_open(&g->stream)) / log_miss : 0;
        if (!(i + 1 + misses < pairs))
            return;
        i += 1 + (double)(uint64_t)misses;
        try_pair(g, a, b, (uint64_t)i, from);
    }
}

weir_status wi_draw_waxman_pairs(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    grid g;
    weir_status st = WEIR_OK;
    if (!grid_init(&g, flat, stream, sketch))
        st = weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u nodes", sketch->n);
    else if (expected_at_most(&g) > 2.0 * WI_LINKS_MAX)
        st = wi_flat_fail(
            diag, flat, "%salpha %g and %sbeta %g link up to %.0f pairs of %u nodes; a graph holds %d links",
            flat->prefix, flat->alpha, flat->prefix, flat->beta, expected_at_most(&g), flat->n, WI_LINKS_MAX);
    else if (flat->join && 2 * expected_at_most(&g) < flat->n - 1.0)
        st = wi_flat_fail(
            diag, flat,
            "%salpha %g and %sbeta %g make at most about %.0f links, which cannot hold %u nodes together",
            flat->prefix, flat->alpha, flat->prefix, flat->beta, expected_at_most(&g), flat->n);
    for (uint32_t a = 0; st == WEIR_OK && a < g.cells; a++)
        for (uint32_t b = a; b < g.cells && !sketch->no_memory; b++)
            join_cells(&g, a, b);
    free(g.first);
    free(g.node);
    st = st ?: wi_sketch_check(diag, sketch);
    return st == WEIR_OK && flat->join ? wi_join_up(diag, &g.stream, sketch) : st;
}
