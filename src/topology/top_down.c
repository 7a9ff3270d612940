/*
 * Top-down hierarchy, as BRITE builds it after GT-ITM: a graph of ASes; in place of each AS a graph of
 * routers on a plane of its own; and for each link between two ASes a link between a router of each, chosen
 * by `edgeConn`. A router's degree counts its links to other ASes so far. Routers of AS i come after those of
 * AS i - 1; links within ASes first, then those between them in the order of the AS graph.
 */
#include <stdlib.h>
#include <string.h>

#include "topology/brite.h"
#include "topology/builder.h"

typedef struct joining {
    const wi_top_down *model;
    wi_sketch *whole;
    uint32_t *first; /* [n_as + 1]: routers of AS i */
    uint32_t *degree;
    weir_stream stream;
} joining;

/* The router of AS i that takes the next link; UINT32_MAX: none will do. */
static uint32_t pick_router(joining *j, uint32_t as)
{
    const uint32_t begin = j->first[as], end = j->first[as + 1];
    if (j->model->edge_conn == WI_CONN_RANDOM)
        return begin + (uint32_t)weir_draw_below(&j->stream, end - begin);
    const uint32_t above = j->model->edge_conn == WI_CONN_SMALLEST_NONLEAF ? 1
                           : j->model->edge_conn == WI_CONN_SMALLEST_K     ? j->model->k
                                                                           : 0;
    const bool any = j->model->edge_conn == WI_CONN_SMALLEST;
    uint32_t best = UINT32_MAX;
    for (uint32_t v = begin; v < end; v++)
        if ((any || j->degree[v] > above) && (best == UINT32_MAX || j->degree[v] < j->degree[best]))
            best = v;
    return best;
}

static weir_status join_ases(weir_diag *diag, joining *j, const wi_sketch *top)
{
    for (size_t i = 0; i < top->n_links; i++) {
        const uint32_t as[2] = {top->link[i].a, top->link[i].b};
        uint32_t end[2];
        for (int k = 0; k < 2; k++) {
            end[k] = pick_router(j, as[k]);
            if (end[k] == UINT32_MAX)
                return wi_flat_fail(
                    diag, &j->model->router,
                    "edgeConn: AS %u has no router of a degree above %u; lower k, or take another "
                    "edgeConn",
                    as[k] + 1, j->model->edge_conn == WI_CONN_SMALLEST_K ? j->model->k : 1);
        }
        wi_sketch_join(j->whole, end[0], end[1]);
        j->degree[end[0]]++;
        j->degree[end[1]]++;
    }
    return wi_sketch_check(diag, j->whole);
}

/* Draw the routers of every AS into the whole. */
static weir_status fill_ases(weir_diag *diag, joining *j, uint32_t n_as, uint64_t seed)
{
    const uint32_t n = j->model->router.n;
    for (uint32_t i = 0; i < n_as; i++) {
        wi_sketch part = {0};
        const weir_status st = wi_flat_draw(diag, &j->model->router, seed, i + 1, &part);
        if (st != WEIR_OK)
            return st;
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
        wi_sketch_free(&part);
    }
    j->first[n_as] = n_as * n;
    return wi_sketch_check(diag, j->whole);
}

weir_status wi_draw_top_down(weir_diag *diag, const wi_top_down *model, uint64_t seed, wi_sketch *sketch)
{
    wi_sketch top = {0};
    joining j = {.model = model, .whole = sketch, .stream = wi_brite_stream(seed, 0, WI_FOR_EDGE_CONN)};
    *sketch = (wi_sketch){0};
    const double nodes = (double)model->as.n * model->router.n;
    if (nodes > WI_NODES_MAX)
        return wi_flat_fail(diag, &model->router,
                            "%u ASes of %u routers are %.0f nodes; a graph holds at most %d", model->as.n,
                            model->router.n, nodes, WI_NODES_MAX);
    weir_status st = wi_flat_draw(diag, &model->as, seed, 0, &top);
    if (st == WEIR_OK)
        st = wi_sketch_init(diag, sketch, (uint32_t)nodes);
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
    wi_sketch_free(&top);
    free(j.first);
    free(j.degree);
    if (st != WEIR_OK)
        wi_sketch_free(sketch);
    return st;
}
