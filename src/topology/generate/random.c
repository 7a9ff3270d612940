/*
 * Random graphs without places: Erdős-Rényi and random regular. Routers r0, r1, ...
 *
 * Erdős-Rényi: each pair linked with probability p (Gilbert's G(n, p)), gone through by geometric steps from
 * link to link; or, where `links` is given, that many pairs drawn at random (G(n, M)). What falls apart is
 * joined up by one link a part, or left so, as `parts` says.
 *
 * Random regular: the half-edges of all nodes are shuffled and paired; pairs that are loops or doubles, and
 * then separate parts, are mended by switching ends with random other links, which keeps every degree. For
 * degrees small beside the number of nodes this is uniform but for a share that vanishes with it.
 */
#include <stdlib.h>

#include "topology/sketch/sketch.h"
#include "base/memory.h"
#include "topology/builder.h"
#include "topology/generator.h"
#include "weir/dist.h"

enum { ER_N, ER_P, ER_LINKS, ER_PARTS, ER_RATE, ER_DELAY, ER_ONE_WAY, ER_PARAMS };
enum { RR_N, RR_DEGREE, RR_RATE, RR_DELAY, RR_PARAMS };
enum { STREAM = 0xb217e100u, DIRECTION_STREAM = 0xb217e101u };

static const weir_generator_param er_params[ER_PARAMS] = {
    [ER_N] = {"nodes", WEIR_COUNT, "100", 1, WI_COUNT_MAX, 0, "routers", "N"},
    [ER_P] = {"p", WEIR_REAL, "0.05", 0, 0, 0, "probability of a link between two routers", NULL, 0, 1},
    [ER_LINKS] = {"links", WEIR_COUNT, "0", 0, WI_LINKS_MAX, 0, "links, drawn at random; 0: by p", "M"},
    [ER_PARTS] = {"parts", WEIR_WORD, "join", 0, 0, 0, "separate parts are joined by a link each, or kept",
                  NULL, 0, 0, "join keep"},
    [ER_RATE] = {WI_PARAM_RATE},
    [ER_DELAY] = {WI_PARAM_DELAY},
    [ER_ONE_WAY] = {"one_way", WEIR_REAL, "0", 0, 0, 0, "share of the links that lead one way, either one",
                    NULL, 0, 1},
};

static const weir_generator_param rr_params[RR_PARAMS] = {
    [RR_N] = {"nodes", WEIR_COUNT, "100", 2, WI_COUNT_MAX, 0, "routers", "N"},
    [RR_DEGREE] = {"degree", WEIR_COUNT, "3", 1, WI_COUNT_MAX, 0, "links of each router", "d"},
    [RR_RATE] = {WI_PARAM_RATE},
    [RR_DELAY] = {WI_PARAM_DELAY},
};

/* `one_way`: the share of the links that lead one way; directions have a stream of their own: the links are
 * those of the same seed without them. */
static weir_status hand_over(const wi_making *m, const wi_sketch *sketch, size_t rate, double one_way)
{
    weir_stream stream = weir_stream_make(m->seed, 0, DIRECTION_STREAM);
    for (uint32_t v = 0; v < sketch->n; v++)
        wi_add_named(m, WEIR_ROUTER, "r%u", v);
    for (size_t i = 0; i < sketch->n_links; i++) {
        weir_link link = weir_link_init(sketch->link[i].a, sketch->link[i].b);
        link.one_way = weir_draw_unit(&stream) < one_way;
        if (weir_draw_below(&stream, 2) == 1 && link.one_way) {
            link.a = sketch->link[i].b;
            link.b = sketch->link[i].a;
        }
        link.rate_bps = m->value[rate];
        link.delay_ps = (weir_time)m->value[rate + 1];
        weir_graph_add_link(m->builder, link);
    }
    return wi_sketch_check(m->diag, sketch);
}

/* ---- Erdős-Rényi ---- */

static void draw_by_p(wi_sketch *sketch, double p, weir_stream *stream)
{
    const double log_miss = -p * weir_log1p_ratio(-p);
    uint64_t row = 1, column = 0; /* the next pair, column < row */
    while (row < sketch->n && p > 0 && !sketch->no_memory) {
        const double misses = p < 1 ? weir_log(weir_draw_unit_open(stream)) / log_miss : 0;
        if (misses > 0x1p52)
            return;
        column += (uint64_t)misses;
        while (row < sketch->n && column >= row)
            column -= row++;
        if (row < sketch->n)
            wi_sketch_join(sketch, (uint32_t)row, (uint32_t)column);
        column++;
        if (column == row) {
            row++;
            column = 0;
        }
    }
}

static bool draw_links(wi_sketch *sketch, uint64_t links, weir_stream *stream)
{
    wi_pair_set pairs = {0};
    bool good = true;
    while (good && !sketch->no_memory && sketch->n_links < links) {
        const uint32_t a = (uint32_t)weir_draw_below(stream, sketch->n);
        const uint32_t b = (uint32_t)weir_draw_below(stream, sketch->n);
        if (a == b || wi_pair_set_has(&pairs, a, b))
            continue;
        good = wi_pair_set_add(&pairs, a, b);
        wi_sketch_join(sketch, a, b);
    }
    wi_pair_set_free(&pairs);
    return good;
}

static weir_status check_er(const wi_making *m, double p)
{
    const uint64_t *const value = m->value;
    const double n = (double)value[ER_N], pairs = n * (n - 1) / 2;
    const double links = value[ER_LINKS] ? (double)value[ER_LINKS] : p * pairs;
    const bool keep = value[ER_PARTS] == 2;
    if (value[ER_LINKS] && links > pairs)
        return weir_fail(m->diag, WEIR_E_SCENARIO, "links is %.0f; %.0f nodes have %.0f pairs", links, n,
                         pairs);
    if (links > WI_LINKS_MAX)
        return weir_fail(m->diag, WEIR_E_SCENARIO,
                         "p is %g: about %.0f links of %.0f nodes; a graph holds at most %d", p, links, n,
                         WI_LINKS_MAX);
    if (!keep && links < (n - 1) / 2)
        return weir_fail(m->diag, WEIR_E_SCENARIO,
                         "%s: %.0f links cannot hold %.0f nodes together, most parts would be joined by "
                         "hand; raise it, or set parts: keep",
                         value[ER_LINKS] ? "links" : "p", links, n);
    return WEIR_OK;
}

static weir_status make_er(const wi_making *m)
{
    const uint64_t *const value = m->value;
    const double p = weir_double_of_bits(value[ER_P]);
    weir_stream stream = weir_stream_make(m->seed, 0, STREAM);
    WI_ENDED(wi_sketch_free) wi_sketch sketch = {0};
    WI_RETURN_IF_FAILED(check_er(m, p) ?: wi_sketch_init(m->diag, &sketch, (uint32_t)value[ER_N]));
    bool good = true;
    if (value[ER_LINKS])
        good = draw_links(&sketch, value[ER_LINKS], &stream);
    else
        draw_by_p(&sketch, p, &stream);
    weir_status st = good ? wi_sketch_check(m->diag, &sketch)
                          : weir_fail(m->diag, WEIR_E_NOMEM, "out of memory for %llu links",
                                      (unsigned long long)value[ER_LINKS]);
    if (st == WEIR_OK && value[ER_PARTS] == 1)
        st = wi_join_up(m->diag, &stream, &sketch);
    return st ?: hand_over(m, &sketch, ER_RATE, weir_double_of_bits(value[ER_ONE_WAY]));
}

/* ---- random regular ---- */

/* Links a-b and c-d become a-d and c-b, if both are new. */
static bool switch_ends(wi_sketch *s, wi_pair_set *pairs, size_t i, size_t j, bool first_is_counted)
{
    wi_sketch_link *l = &s->link[i], *m = &s->link[j];
    if (l->a == m->b || m->a == l->b || wi_pair_set_has(pairs, l->a, m->b) ||
        wi_pair_set_has(pairs, m->a, l->b) || (l->a == m->a && m->b == l->b))
        return false;
    if (first_is_counted)
        wi_pair_set_remove(pairs, l->a, l->b);
    wi_pair_set_remove(pairs, m->a, m->b);
    const uint32_t end = l->b;
    l->b = m->b;
    m->b = end;
    return wi_pair_set_add(pairs, l->a, l->b) && wi_pair_set_add(pairs, m->a, m->b);
}

/* The configuration model: each node has `degree` half-edges, and all of them are joined two by two. */
static bool pair_half_edges(wi_sketch *s, uint64_t degree, weir_stream *stream)
{
    const size_t n_ends = s->n * (size_t)degree;
    WI_FREED uint32_t *end = malloc((n_ends + 1) * sizeof *end);
    for (size_t i = 0; end && i < n_ends; i++)
        end[i] = (uint32_t)(i / degree);
    for (size_t left = n_ends; end && left > 1; left -= 2) {
        for (size_t k = 1; k <= 2; k++) {
            const size_t j = weir_draw_below(stream, left - k + 1);
            const uint32_t swap = end[left - k];
            end[left - k] = end[j];
            end[j] = swap;
        }
        wi_sketch_join(s, end[left - 1], end[left - 2]);
    }
    return end != NULL;
}

/* Loops and doubles are not in `pairs`; each is switched with good links until it is good itself. */
static bool mend_pairs(wi_sketch *s, wi_pair_set *pairs, bool *is_bad, weir_stream *stream)
{
    size_t bad = 0;
    for (size_t i = 0; i < s->n_links; i++) {
        is_bad[i] = s->link[i].a == s->link[i].b || wi_pair_set_has(pairs, s->link[i].a, s->link[i].b);
        bad += is_bad[i];
        if (!is_bad[i] && !wi_pair_set_add(pairs, s->link[i].a, s->link[i].b))
            return false;
    }
    uint64_t tries = 1000 + 1000 * (uint64_t)s->n_links;
    for (size_t i = 0; bad > 0 && i < s->n_links; i++)
        while (is_bad[i]) {
            const size_t j = weir_draw_below(stream, s->n_links);
            if (tries-- == 0)
                return false;
            if (weir_draw_below(stream, 2)) { /* either end may go */
                const uint32_t swap = s->link[i].a;
                s->link[i].a = s->link[i].b;
                s->link[i].b = swap;
            }
            is_bad[i] = is_bad[j] || !switch_ends(s, pairs, i, j, false);
        }
    return true;
}

/* A link of one part and one of another trade ends: both parts are one then, unless both links were
 * bridges. */
static bool mend_parts(wi_sketch *s, wi_pair_set *pairs, weir_stream *stream)
{
    uint32_t parts = 2;
    for (int round = 0; parts > 1 && round < 200; round++) {
        WI_FREED uint32_t *root = wi_sketch_components(s, &parts);
        for (size_t i = 0; root && parts > 1 && i < s->n_links; i++) {
            const size_t j = weir_draw_below(stream, s->n_links);
            if (wi_set_root(root, s->link[i].a) != wi_set_root(root, s->link[j].a) &&
                switch_ends(s, pairs, i, j, true))
                wi_set_merge(root, s->link[i].a, s->link[j].a);
        }
        if (!root)
            return false;
    }
    return parts == 1;
}

static weir_status check_rr(weir_diag *diag, uint64_t n, uint64_t degree)
{
    const unsigned long long ulln = n, ulld = degree;
    if (degree >= n)
        return weir_fail(diag, WEIR_E_SCENARIO, "degree is %llu, but a node of %llu has only %llu others",
                         ulld, ulln, ulln - 1);
    if (n * degree % 2 != 0)
        return weir_fail(diag, WEIR_E_SCENARIO,
                         "degree and nodes are both odd (%llu and %llu): no such graph exists; make one even",
                         ulld, ulln);
    if (degree == 1 && n > 2)
        return weir_fail(diag, WEIR_E_SCENARIO, "degree is 1: %llu nodes fall into pairs; want 2 or more",
                         ulln);
    if ((double)n * (double)degree / 2 > WI_LINKS_MAX)
        return weir_fail(diag, WEIR_E_SCENARIO, "degree %llu of %llu nodes makes more than %d links", ulld,
                         ulln, WI_LINKS_MAX);
    return WEIR_OK;
}

/* Pair half-edges, and mend what is no graph; `pairs` are its links then. */
static bool draw_pairs(wi_sketch *s, wi_pair_set *pairs, uint64_t degree, weir_stream *stream)
{
    bool good = degree == 0 || (pair_half_edges(s, degree, stream) && !s->no_memory);
    WI_FREED bool *is_bad = good ? calloc(s->n_links + 1, sizeof *is_bad) : NULL;
    good = good && is_bad && mend_pairs(s, pairs, is_bad, stream);
    return good;
}

static void complement(const wi_sketch *sparse, const wi_pair_set *pairs, wi_sketch *dense)
{
    for (uint32_t a = 0; a < sparse->n; a++)
        for (uint32_t b = a + 1; b < sparse->n; b++)
            if (!wi_pair_set_has(pairs, a, b))
                wi_sketch_join(dense, a, b);
}

/* Dense graphs are the complement of sparse ones; pairing half-edges would mend for ever. No two nodes of a
 * dense one are without a common neighbour. */
static bool draw_regular(wi_sketch *s, uint64_t degree, weir_stream *stream)
{
    wi_pair_set pairs = {0};
    WI_ENDED(wi_sketch_free) wi_sketch sparse = {.n = s->n};
    const bool dense = 2 * degree >= s->n;
    bool good = draw_pairs(dense ? &sparse : s, &pairs, dense ? s->n - 1 - degree : degree, stream);
    if (good && dense)
        complement(&sparse, &pairs, s);
    else if (good)
        good = mend_parts(s, &pairs, stream);
    wi_pair_set_free(&pairs);
    return good;
}

static weir_status make_rr(const wi_making *m)
{
    weir_stream stream = weir_stream_make(m->seed, 1, STREAM);
    WI_ENDED(wi_sketch_free) wi_sketch sketch = {0};
    const uint64_t degree = m->value[RR_DEGREE];
    weir_status st = check_rr(m->diag, m->value[RR_N], degree)
                         ?: wi_sketch_init(m->diag, &sketch, (uint32_t)m->value[RR_N]);
    if (st != WEIR_OK)
        return st;
    if (draw_regular(&sketch, degree, &stream))
        st = hand_over(m, &sketch, RR_RATE, 0);
    else
        st = weir_fail(
            m->diag, WEIR_E_SCENARIO,
            "no connected graph of %u nodes and degree %llu was found with this seed (or memory is short)",
            sketch.n, (unsigned long long)degree);
    return st;
}

/* Parts that are kept may be nodes without a link. */
static double ends_of_er(const wi_making *m)
{
    return m->value[ER_PARTS] == 1 ? (double)m->value[ER_N] : 0;
}

static double ends_of_rr(const wi_making *m)
{
    return (double)m->value[RR_N];
}

#define NAMES "hosts h0, h1, ...; routers r0, r1, ..."
const wi_generator wi_generator_erdos_renyi = {
    {"erdos-renyi", "each pair of routers linked at random", er_params, ER_PARAMS, NAMES},
    make_er,
    ends_of_er};
const wi_generator wi_generator_random_regular = {
    {"random-regular", "a random graph in which all degrees are equal", rr_params, RR_PARAMS, NAMES},
    make_rr,
    ends_of_rr};
