/*
 * Top-down hierarchy, as BRITE builds it after GT-ITM: a graph of ASes; in place of each AS a graph of
 * routers on a plane of its own; and for each link between two ASes a link between a router of each, chosen
 * by `edgeConn`. Routers of AS i come after those of AS i - 1; links within ASes first, then those between
 * them in the order of the AS graph.
 *
 * Which router: any; or the first of the smallest degree that will do. What a degree is, and what will do:
 *
 * - C++: links between ASes do not count, so that one router of an AS takes them all. Non-leaf: above the
 *   least degree of all routers of all ASes. smallest-k: above k. - Java: they count. A degree of at least
 *   the AS graph's m (non-leaf) or k will do, and the AS's first router whatever its degree, unless one of a
 *   smaller degree will. - Model: they count. Non-leaf: above 1. smallest-k: above k.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topology/brite/brite.h"
#include "topology/builder.h"

typedef struct joining {
    const wi_top_down *model;
    wi_sketch *whole;
    uint32_t *first; /* [n_as + 1]: routers of AS i */
    uint32_t *degree;
    weir_stream stream;
} joining;

/* The least degree of all routers. */
static uint32_t leaf_degree(const joining *j)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t v = 0; v < j->whole->n; v++)
        least = j->degree[v] < least ? j->degree[v] : least;
    return least;
}

/* The least degree that will do, by edgeConn. */
static uint64_t wanted_degree(const joining *j, const wi_sketch *top)
{
    const wi_top_down *m = j->model;
    const bool java = m->engine == WI_ENGINE_JAVA;
    if (m->edge_conn == WI_CONN_SMALLEST_K)
        return (uint64_t)m->k + !java;
    if (m->edge_conn != WI_CONN_SMALLEST_NONLEAF)
        return 0;
    if (java) /* a graph that was read has no m */
        return m->as.model == WI_FLAT_GIVEN ? 0 : m->as.m;
    return m->engine == WI_ENGINE_CPP && top->n_links > 0 ? (uint64_t)leaf_degree(j) + 1 : 2;
}

/* The router of AS i that takes the next link; UINT32_MAX: none will do. */
static uint32_t pick_router(joining *j, uint32_t as, uint64_t wanted)
{
    const uint32_t begin = j->first[as], end = j->first[as + 1];
    if (j->model->edge_conn == WI_CONN_RANDOM)
        return begin + (uint32_t)weir_draw_below(&j->stream, end - begin);
    uint32_t best = j->model->engine == WI_ENGINE_JAVA ? begin : UINT32_MAX;
    for (uint32_t v = begin; v < end; v++)
        if (j->degree[v] >= wanted && (best == UINT32_MAX || j->degree[v] < j->degree[best]))
            best = v;
    return best;
}

static weir_status join_ases(weir_diag *diag, joining *j, const wi_sketch *top)
{
    const uint64_t wanted = wanted_degree(j, top);
    const bool counts = j->model->engine != WI_ENGINE_CPP;
    for (size_t i = 0; i < top->n_links; i++) {
        const uint32_t as[2] = {top->link[i].a, top->link[i].b};
        uint32_t end[2];
        for (int k = 0; k < 2; k++) {
            end[k] = pick_router(j, as[k], wanted);
            if (end[k] == UINT32_MAX)
                return wi_flat_fail(
                    diag, &j->model->router,
                    "edgeConn: AS %u has no router of a degree above %llu; lower k, or take another edgeConn",
                    as[k] + 1, (unsigned long long)wanted - 1);
        }
        wi_sketch_join(j->whole, end[0], end[1]);
        j->degree[end[0]] += counts;
        j->degree[end[1]] += counts;
    }
    return wi_sketch_check(diag, j->whole);
}

/* Draw the routers of every AS into the whole. */
static weir_status fill_ases(weir_diag *diag, joining *j, uint32_t n_as, uint64_t seed)
{
    const uint32_t n = j->model->router.n;
    for (uint32_t i = 0; i < n_as; i++) {
        WI_ENDED(wi_sketch_free) wi_sketch part = {0};
        WI_RETURN_IF_FAILED(wi_flat_draw(diag, &j->model->router, seed, i + 1, &part));
        const uint32_t begin = j->first[i] = i * n;
        memcpy(j->whole->x + begin, part.x, n * sizeof *part.x);
        memcpy(j->whole->y + begin, part.y, n * sizeof *part.y);
        for (uint32_t v = 0; v < n; v++)
            j->whole->as_number[begin + v] = i + 1;
        for (size_t k = 0; k < part.n_links; k++) {
            wi_sketch_join(j->whole, begin + part.link[k].a, begin + part.link[k].b);
            if (!j->whole->no_memory)
                j->whole->link[j->whole->n_links - 1].rate_bps = part.link[k].rate_bps;
        }
    }
    j->first[n_as] = n_as * n;
    return wi_sketch_check(diag, j->whole);
}

weir_status wi_draw_top_down(weir_diag *diag, const wi_top_down *model, uint64_t seed, wi_sketch *sketch)
{
    WI_ENDED(wi_sketch_free) wi_sketch top = {0};
    joining j = {.model = model, .whole = sketch, .stream = wi_brite_stream(seed, 0, WI_FOR_EDGE_CONN)};
    const double nodes = (double)model->as.n * model->router.n;
    if (nodes > WI_NODES_MAX)
        return wi_flat_fail(diag, &model->router,
                            "%u ASes of %u routers are %.0f nodes; a graph holds at most %d", model->as.n,
                            model->router.n, nodes, WI_NODES_MAX);
    weir_status st =
        wi_flat_draw(diag, &model->as, seed, 0, &top) ?: wi_sketch_init(diag, sketch, (uint32_t)nodes);
    if (st == WEIR_OK) {
        j.first = calloc((size_t)top.n + 1, sizeof *j.first);
        st = j.first ? fill_ases(diag, &j, top.n, seed)
                     : weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u ASes", top.n);
    }
    if (st == WEIR_OK) {
        j.degree = wi_sketch_degrees(sketch);
        st = j.degree ? join_ases(diag, &j, &top)
                      : weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u nodes", sketch->n);
    }
    free(j.first);
    free(j.degree);
    return st;
}
