/*
 * Waxman's model as BRITE grows it: a node joins m others, each chosen with a chance that falls off as
 * exp(-d / (beta L)) with the distance d, where L = sqrt(2) HS is the longest one (Waxman 1988; alpha, the
 * same factor for all, cancels out where the number of links is given).
 *
 * Incremental growth: nodes m, m + 1, ... join m distinct earlier ones each; then the first m join m more
 * each, as long as two of the others or more are not their neighbours. That is m N links where N is well
 * above m. Growth "all": every node, in random order, joins m others out of all that it is not linked with;
 * components that remain apart are joined up.
 *
 * Choosing one of v nodes must not cost v steps. The plane is a grid of cells. A cell is drawn by its offset
 * from the joining node's, with a chance of exp(-d' / (beta L)) for the least distance d' between two such
 * cells, from a table; then a place in it, which may be empty; then the node that stands there is taken with
 * the rest of its chance, exp(-(d - d') / (beta L)). Each node is so taken with exactly its chance. Where
 * this misses for too long (beta much smaller than the distance between nodes), rings of cells around the
 * node are searched instead; what lies 45 beta L beyond the nearest candidate, a share below 1e-12, is left
 * out.
 */
#include <math.h>
#include <stdlib.h>

#include "topology/brite.h"
#include "weir/math.h"

enum { CELLS_MAX = 128, NODES_A_CELL = 32, FEW_NODES = 512, TRIES = 2048, FAR = 45 };

/* Draws an index with the weights it was made of, in one step (alias method of Walker, tables as Vose). */
typedef struct alias {
    uint32_t n;
    uint32_t *other;
    double *keep;
} alias;

typedef struct sampler {
    const wi_sketch *sketch;
    double reach; /* beta L */
    double cell;  /* side */
    int32_t across;
    uint32_t *first;   /* [cells + 1] */
    uint32_t *node;    /* [n]: by cell, rising */
    uint32_t *present; /* [cells]: how many of the cell's nodes are there already */
    uint32_t most;     /* the most that one cell has */
    uint32_t n_present;
    alias offsets; /* (2 across - 1) squared */
    double *least; /* of an offset: its least distance */
} sampler;

typedef struct drawing {
    sampler s;
    uint32_t *mark;    /* [n]: 1 + the node that last took it */
    wi_pair_set pairs; /* links to look up, where a node may be linked already before its turn comes */
    bool look_up;
    weir_stream stream;
} drawing;

/* ---- alias table ---- */

static void alias_fill(alias *a, const double *weight, uint32_t *work)
{
    double sum = 0;
    uint32_t small = 0, large = a->n; /* stacks that grow towards each other */
    for (uint32_t i = 0; i < a->n; i++)
        sum += weight[i];
    for (uint32_t i = 0; i < a->n; i++) {
        a->keep[i] = weight[i] / sum * a->n;
        a->other[i] = i;
        work[a->keep[i] < 1 ? small++ : --large] = i;
    }
    while (small > 0 && large < a->n) {
        const uint32_t lack = work[--small], rich = work[large];
        a->other[lack] = rich;
        a->keep[rich] -= 1 - a->keep[lack];
        if (a->keep[rich] < 1) {
            large++;
            work[small++] = rich;
        }
    }
    /* What is left over differs from 1 by rounding alone. */
    while (small > 0)
        a->keep[work[--small]] = 1;
    while (large < a->n)
        a->keep[work[large++]] = 1;
}

static uint32_t alias_draw(const alias *a, uint64_t bits)
{
    const uint32_t i = (uint32_t)weir_mulhi64(bits, a->n);
    /* The lower half of bits * n says where in slot i the draw lies. */
    return weir_unit_of_bits(bits * a->n) < a->keep[i] ? i : a->other[i];
}

/* ---- sampler ---- */

static void sampler_free(sampler *s)
{
    free(s->first);
    free(s->node);
    free(s->present);
    free(s->offsets.other);
    free(s->offsets.keep);
    free(s->least);
}

static int32_t along(const sampler *s, double at)
{
    const int32_t i = (int32_t)(at / s->cell);
    return i < 0 ? 0 : i >= s->across ? s->across - 1 : i;
}

static uint32_t cell_of(const sampler *s, uint32_t v)
{
    return (uint32_t)(along(s, s->sketch->y[v]) * s->across + along(s, s->sketch->x[v]));
}

static void sort_into_cells(sampler *s)
{
    const uint32_t n = s->sketch->n;
    for (uint32_t v = 0; v < n; v++)
        s->first[cell_of(s, v) + 1]++;
    for (int32_t c = 0; c < s->across * s->across; c++)
        s->first[c + 1] += s->first[c];
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t c = cell_of(s, v);
        s->node[s->first[c] + s->present[c]++] = v;
    }
    for (int32_t c = 0; c < s->across * s->across; c++)
        s->present[c] = 0;
}

static double gap(int32_t cells)
{
    return cells > 1 ? cells - 1 : cells < -1 ? -cells - 1 : 0;
}

static void make_offsets(sampler *s, double *weight, uint32_t *work)
{
    const int32_t wide = 2 * s->across - 1;
    for (int32_t i = 0; i < wide * wide; i++) {
        const double dx = gap(i % wide - s->across + 1), dy = gap(i / wide - s->across + 1);
        s->least[i] = s->cell * sqrt(dx * dx + dy * dy);
        weight[i] = weir_exp(-s->least[i] / s->reach);
    }
    alias_fill(&s->offsets, weight, work);
}

static bool sampler_init(sampler *s, const wi_sketch *sketch, const wi_flat *flat)
{
    const double wanted = sqrt((double)sketch->n / NODES_A_CELL);
    *s = (sampler){.sketch = sketch, .reach = flat->beta * sqrt(2.0) * flat->hs};
    s->across = wanted < 1 ? 1 : wanted > CELLS_MAX ? CELLS_MAX : (int32_t)wanted;
    s->cell = (double)flat->hs / s->across;
    const size_t cells = (size_t)s->across * (size_t)s->across;
    s->offsets.n = (uint32_t)((2 * s->across - 1) * (2 * s->across - 1));
    s->first = calloc(cells + 1, sizeof *s->first);
    s->present = calloc(cells, sizeof *s->present);
    s->node = malloc(((size_t)sketch->n + 1) * sizeof *s->node);
    s->offsets.other = malloc(s->offsets.n * sizeof *s->offsets.other);
    s->offsets.keep = malloc(s->offsets.n * sizeof *s->offsets.keep);
    s->least = malloc(s->offsets.n * sizeof *s->least);
    double *weight = malloc(s->offsets.n * sizeof *weight);
    uint32_t *work = malloc(s->offsets.n * sizeof *work);
    const bool good = s->first && s->present && s->node && s->offsets.other && s->offsets.keep && s->least &&
                      weight && work;
    if (good) {
        sort_into_cells(s);
        make_offsets(s, weight, work);
    }
    free(weight);
    free(work);
    return good;
}

/* Nodes come in rising order, so those that are there are the first ones of each cell. */
static void appear(sampler *s, uint32_t v)
{
    const uint32_t c = cell_of(s, v);
    s->present[c]++;
    s->most = s->most > s->present[c] ? s->most : s->present[c];
    s->n_present++;
}

static double distance(const wi_sketch *sketch, uint32_t u, uint32_t v)
{
    const double dx = sketch->x[u] - sketch->x[v], dy = sketch->y[u] - sketch->y[v];
    return sqrt(dx * dx + dy * dy);
}

static bool may_take(const drawing *d, uint32_t v, uint32_t u)
{
    return u != v && d->mark[u] != v + 1 && !(d->look_up && wi_pair_set_has(&d->pairs, u, v));
}

/* One draw of a node for v; UINT32_MAX: none this time. */
static uint32_t try_once(drawing *d, uint32_t v)
{
    const sampler *s = &d->s;
    const int32_t wide = 2 * s->across - 1;
    uint64_t a, b;
    weir_draw_pair(&d->stream, &a, &b);
    const int32_t offset = (int32_t)alias_draw(&s->offsets, a);
    const int32_t x = along(s, s->sketch->x[v]) + offset % wide - s->across + 1;
    const int32_t y = along(s, s->sketch->y[v]) + offset / wide - s->across + 1;
    if (x < 0 || y < 0 || x >= s->across || y >= s->across)
        return UINT32_MAX;
    const int32_t c = y * s->across + x;
    const uint32_t place = (uint32_t)weir_mulhi64(b, s->most);
    if (place >= s->present[c])
        return UINT32_MAX;
    const uint32_t u = s->node[s->first[c] + place];
    const double rest = weir_exp((s->least[offset] - distance(s->sketch, u, v)) / s->reach);
    return weir_unit_of_bits(b * s->most) < rest && may_take(d, v, u) ? u : UINT32_MAX;
}

/* A candidate kept with its weight over the sum of weights so far: at the end, each with its due chance. */
typedef struct pick {
    uint32_t node;
    double nearest, sum; /* weights are relative to the nearest so far */
} pick;

static void weigh_cell(drawing *d, uint32_t v, int32_t x, int32_t y, pick *p)
{
    const sampler *s = &d->s;
    if (x < 0 || y < 0 || x >= s->across || y >= s->across)
        return;
    const int32_t c = y * s->across + x;
    for (uint32_t i = 0; i < s->present[c]; i++) {
        const uint32_t u = s->node[s->first[c] + i];
        if (!may_take(d, v, u))
            continue;
        const double far = distance(s->sketch, u, v);
        double weight = 1;
        if (far < p->nearest) {
            p->sum *= p->sum > 0 ? weir_exp((far - p->nearest) / s->reach) : 0;
            p->nearest = far;
        } else {
            weight = weir_exp((p->nearest - far) / s->reach);
        }
        p->sum += weight;
        if (weir_draw_unit(&d->stream) * p->sum < weight)
            p->node = u;
    }
}

static uint32_t search_rings(drawing *d, uint32_t v)
{
    const sampler *s = &d->s;
    const int32_t x = along(s, s->sketch->x[v]), y = along(s, s->sketch->y[v]);
    pick p = {UINT32_MAX, weir_inf(), 0};
    weigh_cell(d, v, x, y, &p);
    for (int32_t r = 1; r < s->across; r++) {
        if ((r - 1) * s->cell > p.nearest + FAR * s->reach)
            break;
        for (int32_t k = -r; k <= r; k++) {
            weigh_cell(d, v, x + k, y - r, &p);
            weigh_cell(d, v, x + k, y + r, &p);
        }
        for (int32_t k = 1 - r; k < r; k++) {
            weigh_cell(d, v, x - r, y + k, &p);
            weigh_cell(d, v, x + r, y + k, &p);
        }
    }
    return p.node;
}

/* A node for v out of those present that it may take; UINT32_MAX when there is none. */
static uint32_t draw_node(drawing *d, uint32_t v)
{
    const sampler *s = &d->s;
    const bool quick = s->n_present > FEW_NODES && s->reach * 16 > s->cell;
    for (uint32_t tries = quick ? TRIES + s->n_present / 16 : 0; tries > 0; tries--) {
        const uint32_t u = try_once(d, v);
        if (u != UINT32_MAX)
            return u;
    }
    return search_rings(d, v);
}

/* ---- growth ---- */

static bool take(drawing *d, wi_sketch *sketch, uint32_t v)
{
    const uint32_t u = draw_node(d, v);
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
    uint32_t *degree = calloc((size_t)m + 1, sizeof *degree);
    bool good = degree != NULL;
    for (size_t i = 0; good && i < sketch->n_links; i++)
        if (sketch->link[i].b < m) {
            degree[sketch->link[i].b]++;
            good = wi_pair_set_add(&d->pairs, sketch->link[i].a, sketch->link[i].b);
        }
    d->look_up = true;
    for (uint32_t v = 0; good && v < m; v++)
        for (uint32_t k = 0; k < m && degree[v] + 2 < sketch->n && take(d, sketch, v); k++) {
            const uint32_t u = sketch->link[sketch->n_links - 1].b;
            degree[v]++;
            if (u < m)
                degree[u]++;
        }
    free(degree);
    return good;
}

static bool grow_incremental(drawing *d, wi_sketch *sketch, uint32_t m)
{
    for (uint32_t v = 0; v < sketch->n && !sketch->no_memory; v++) {
        for (uint32_t k = 0; v >= m && k < m; k++)
            take(d, sketch, v);
        appear(&d->s, v);
    }
    return sketch->no_memory || join_first(d, sketch, m);
}

static bool grow_all(drawing *d, wi_sketch *sketch, uint32_t m)
{
    uint32_t *order = malloc((size_t)sketch->n * sizeof *order);
    if (!order)
        return false;
    for (uint32_t v = 0; v < sketch->n; v++) {
        appear(&d->s, v);
        order[v] = v;
    }
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
    bool good = d.mark && sampler_init(&d.s, sketch, flat);
    if (good)
        good = all ? grow_all(&d, sketch, flat->m) : grow_incremental(&d, sketch, flat->m);
    sampler_free(&d.s);
    wi_pair_set_free(&d.pairs);
    free(d.mark);
    if (!good)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the links of %u nodes", sketch->n);
    const weir_status st = wi_sketch_check(diag, sketch);
    return st == WEIR_OK && all ? wi_join_up(diag, &d.stream, sketch) : st;
}
