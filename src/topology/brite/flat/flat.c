/* A flat graph of BRITE's: its parameters checked, its steps in order. */
#include <math.h>

#include "topology/brite/flat/flat.h"
#include "topology/builder.h"

/* ---- checks ---- */

static weir_status check_places(weir_diag *diag, const wi_flat *f)
{
    const char *pre = f->prefix;
    if (f->n < 1 || f->n > WI_NODES_MAX)
        return wi_flat_fail(diag, f, "%sN is %u; want 1 to %d nodes", pre, f->n, WI_NODES_MAX);
    if (f->hs < 1 || f->hs > WI_NODES_MAX)
        return wi_flat_fail(diag, f, "%sHS is %u; want a plane of 1 to %d squares across", pre, f->hs,
                            WI_NODES_MAX);
    const uint64_t places = (uint64_t)f->hs * f->hs;
    if (places < f->n)
        return wi_flat_fail(diag, f, "%sN is %u, but a plane of %sHS = %u has only %llu places; raise %sHS",
                            pre, f->n, pre, f->hs, (unsigned long long)places, pre);
    if (f->placement != WI_PLACE_HEAVY_TAILED)
        return WEIR_OK;
    if (f->ls < 1 || f->ls > f->hs)
        return wi_flat_fail(diag, f, "%sLS is %u; want 1 to %sHS, which is %u", pre, f->ls, pre, f->hs);
    const uint64_t across = f->hs / f->ls;
    if (across > 4096)
        return wi_flat_fail(diag, f, "%sHS / %sLS is %llu; want at most 4096 inner squares across", pre, pre,
                            (unsigned long long)across);
    if (across * across * f->ls * f->ls < f->n)
        return wi_flat_fail(diag, f, "%sN is %u, but the inner squares of %sHS and %sLS hold only %llu", pre,
                            f->n, pre, pre, (unsigned long long)(across * across * f->ls * f->ls));
    return WEIR_OK;
}

static weir_status check_waxman(weir_diag *diag, const wi_flat *f)
{
    if (!(f->alpha > 0 && f->alpha <= 1))
        return wi_flat_fail(diag, f, "%salpha is %g; want more than 0, and at most 1", f->prefix, f->alpha);
    if (!(f->beta > 0 && f->beta <= 1))
        return wi_flat_fail(diag, f, "%sbeta is %g; want more than 0, and at most 1", f->prefix, f->beta);
    return WEIR_OK;
}

static weir_status check_evolving(weir_diag *diag, const wi_flat *f)
{
    const double q = f->model == WI_FLAT_BA2 ? f->q : 0;
    if (!(f->p >= 0 && f->p < 1))
        return wi_flat_fail(diag, f, "%sp is %g; want 0 or more, and less than 1", f->prefix, f->p);
    if (!(q >= 0 && f->p + q < 1))
        return wi_flat_fail(diag, f, "%sp + %sq is %g; want less than 1, or no node is ever added", f->prefix,
                            f->prefix, f->p + q);
    /* Near 1, nodes of degree 1 are all but never drawn, and at first there are no others. */
    if (f->model == WI_FLAT_GLP && !(f->beta <= 0.99 && f->beta >= -1000))
        return wi_flat_fail(diag, f, "%sbeta is %g; want less than 1: from -1000 to 0.99", f->prefix,
                            f->beta);
    const double links = (double)f->m * f->n / (1 - f->p - q);
    if (links > WI_LINKS_MAX)
        return wi_flat_fail(diag, f, "%sp and %sm make about %.0f links; a graph holds at most %d", f->prefix,
                            f->prefix, links, WI_LINKS_MAX);
    return WEIR_OK;
}

weir_status wi_flat_check(weir_diag *diag, const wi_flat *f)
{
    if (f->model == WI_FLAT_GIVEN)
        return WEIR_OK;
    weir_status st = check_places(diag, f);
    if (st == WEIR_OK && f->model == WI_FLAT_WAXMAN)
        st = check_waxman(diag, f);
    if (st == WEIR_OK && (f->model == WI_FLAT_BA2 || f->model == WI_FLAT_GLP))
        st = check_evolving(diag, f);
    if (st != WEIR_OK || (f->model == WI_FLAT_WAXMAN && f->growth == WI_GROW_PAIRS) || f->n == 1)
        return st;
    if (f->m < 1)
        return wi_flat_fail(diag, f, "%sm is 0: nodes without links make no network; want 1 or more",
                            f->prefix);
    if (f->m >= f->n)
        return wi_flat_fail(diag, f, "%sm is %u, but %u nodes have only %u others to join; want %sm < %sN",
                            f->prefix, f->m, f->n, f->n - 1, f->prefix, f->prefix);
    if ((double)f->m * f->n > WI_LINKS_MAX)
        return wi_flat_fail(diag, f, "%sm times %sN is %.0f links; a graph holds at most %d", f->prefix,
                            f->prefix, (double)f->m * f->n, WI_LINKS_MAX);
    return st;
}

/* ---- drawing ---- */

static weir_status copy_given(weir_diag *diag, const wi_flat *flat, weir_stream places, wi_sketch *sketch)
{
    const weir_graph *g = flat->given;
    bool placed = true;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        sketch->x[v] = g->x[v];
        sketch->y[v] = g->y[v];
        placed &= !isnan(g->x[v]);
    }
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (g->reverse[e] > e) {
                wi_sketch_join(sketch, v, g->target[e]);
                if (!sketch->no_memory)
                    sketch->link[sketch->n_links - 1].rate_bps = g->rate_bps[e];
            }
    const weir_status st = wi_sketch_check(diag, sketch);
    return st == WEIR_OK && !placed ? wi_place(diag, flat, places, sketch) : st;
}

/* How a model that is drawn joins nodes, by its engine. */
static wi_flat_step *joining(const wi_flat *flat)
{
    const bool glp = flat->model == WI_FLAT_GLP;
    if (flat->model == WI_FLAT_WAXMAN)
        return flat->growth == WI_GROW_PAIRS ? wi_draw_waxman_pairs : wi_draw_waxman;
    if (flat->model == WI_FLAT_BA)
        return wi_draw_ba;
    if (flat->engine == WI_ENGINE_JAVA)
        return wi_draw_evolving_java;
    if (flat->engine == WI_ENGINE_CPP)
        return glp ? wi_draw_glp_cpp : wi_draw_ba2_cpp;
    return glp ? wi_draw_glp : wi_draw_ba2;
}

weir_status wi_flat_draw(weir_diag *diag, const wi_flat *flat, uint64_t seed, uint32_t graph,
                         wi_sketch *sketch)
{
    const weir_stream places = wi_brite_stream(seed, graph, WI_FOR_PLACES);
    weir_status st = wi_sketch_init(diag, sketch, flat->n);
    if (st == WEIR_OK && flat->model == WI_FLAT_GIVEN) {
        st = copy_given(diag, flat, places, sketch);
    } else if (st == WEIR_OK) {
        st = wi_place(diag, flat, places, sketch);
        if (st == WEIR_OK && flat->n > 1)
            st = joining(flat)(diag, flat, wi_brite_stream(seed, graph, WI_FOR_LINKS), sketch);
    }
    return st;
}
