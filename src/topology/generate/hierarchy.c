/*
 * BRITE's hierarchies as generators: top-down and bottom-up. Routers are called as1r0, as1r1, ...; AS numbers
 * count from 1. top_down.c and bottom_up.c describe how they come about.
 */
#include "topology/brite/params.h"

#define LEVEL(pre, model, n, m)                                                                          \
    {WI_PARAM_WORD(pre "model", model, "waxman barabasi-albert ba-2 glp", "model")},                     \
        {WI_PARAM_N(pre, n, pre "nodes")}, {WI_PARAM_M(pre, m)}, {WI_PARAM_HS(pre)}, {WI_PARAM_LS(pre)}, \
        {WI_PARAM_PLACEMENT(pre, pre "placement")}, {WI_PARAM_GROWTH(pre, pre "growth")},                \
        {WI_PARAM_ALPHA(pre)}, {WI_PARAM_BETA(pre, "0.2", -1000, "as of the model")},                    \
        {WI_PARAM_P(pre, "0.3", "BA-2, GLP: as of the model")},                                          \
    {                                                                                                    \
        WI_PARAM_Q(pre, "0.2")                                                                           \
    }
#define BANDWIDTH(name, text)                                     \
    {WI_PARAM_SPREAD(name, NULL, text)}, {WI_PARAM_BW_MIN(name)}, \
    {                                                             \
        WI_PARAM_BW_MAX(name)                                     \
    }

static const weir_generator_param top_down_params[] = {
    {WI_PARAM_ENGINE},
    {WI_PARAM_WORD("edgeConn", "random", "random smallest-degree smallest-nonleaf smallest-k",
                   "which router of an AS takes a link to another: any; of the smallest degree; of the "
                   "smallest above the leaves'; of the smallest above k"),
     .also = "edge_conn"},
    {.name = "k", .dimension = WEIR_COUNT, .default_text = "1", .max = WI_COUNT_MAX, .doc = "for smallest-k"},
    BANDWIDTH("BWInter", "distribution of rates between ASes"),
    BANDWIDTH("BWIntra", "distribution of rates within ASes"),
    LEVEL("as_", "barabasi-albert", "10", "2"),
    LEVEL("rt_", "waxman", "100", "2"),
};

static const weir_generator_param bottom_up_params[] = {
    {WI_PARAM_ENGINE},
    {WI_PARAM_WORD("Grouping", "walk", "pick walk",
                   "routers of an AS are picked at random, or by a random walk"),
     .also = "grouping"},
    {WI_PARAM_SPREAD("AssignType", "assign", "distribution of the sizes of ASes")},
    {WI_PARAM_COUNT("NumAS", "10", "ASes"), .also = "ases"},
    BANDWIDTH("BWInter", "distribution of rates between ASes"),
    {WI_PARAM_SPREAD("BWDist", "bandwidth", "distribution of rates within ASes")},
    {WI_PARAM_BW_MIN("BW")},
    {WI_PARAM_BW_MAX("BW")},
    LEVEL("rt_", "waxman", "100", "2"),
};

static weir_status make_top_down(const wi_making *m)
{
    WI_ENDED(wi_sketch_free) wi_sketch sketch = {0};
    wi_finish how = {.level = WI_LEVEL_BOTH, .seed = m->seed};
    wi_top_down model = {.engine = (wi_engine)wi_param(m, "engine", WI_ENGINE_CPP),
                         .edge_conn = (wi_edge_conn)wi_param(m, "edgeConn", WI_CONN_RANDOM),
                         .k = (uint32_t)wi_param(m, "k", 1)};
    return wi_flat_of(m, "as_", WI_FLAT_BA, &model.as)
            ?: wi_flat_of(m, "rt_", WI_FLAT_WAXMAN, &model.router)
            ?: wi_bandwidth_of(m, "BWInter", &how.inter)
            ?: wi_bandwidth_of(m, "BWIntra", &how.intra)
            ?: wi_draw_top_down(m->diag, &model, m->seed, &sketch)
            ?: wi_brite_finish(m->diag, &sketch, &how, m->builder);
}

static weir_status make_bottom_up(const wi_making *m)
{
    WI_ENDED(wi_sketch_free) wi_sketch sketch = {0};
    wi_finish how = {.level = WI_LEVEL_BOTH, .seed = m->seed};
    wi_bottom_up model = {.engine = (wi_engine)wi_param(m, "engine", WI_ENGINE_CPP),
                          .grouping = (wi_grouping)wi_param(m, "Grouping", WI_GROUP_WALK),
                          .assign = (wi_spread)wi_param(m, "AssignType", WI_SPREAD_CONSTANT),
                          .n_as = (uint32_t)wi_param(m, "NumAS", 10)};
    return wi_flat_of(m, "rt_", WI_FLAT_WAXMAN, &model.router)
            ?: wi_bandwidth_of(m, "BWInter", &how.inter)
            ?: wi_bandwidth_of(m, "BW", &how.intra)
            ?: wi_draw_bottom_up(m->diag, &model, m->seed, &sketch)
            ?: wi_brite_finish(m->diag, &sketch, &how, m->builder);
}

static double ends(const wi_making *m)
{
    return (double)wi_param(m, "as_N", 1) * (double)wi_param(m, "rt_N", 0);
}

#define NAMES "as1r0, as1r1, ...: AS, router"
const wi_generator wi_generator_top_down = {{"top-down", "a graph of ASes, each a graph of routers (BRITE 5)",
                                             top_down_params, WI_N_OF(top_down_params), NAMES},
                                            make_top_down,
                                            ends};
const wi_generator wi_generator_bottom_up = {{"bottom-up", "a graph of routers, divided over ASes (BRITE 6)",
                                              bottom_up_params, WI_N_OF(bottom_up_params), NAMES},
                                             make_bottom_up,
                                             ends};
