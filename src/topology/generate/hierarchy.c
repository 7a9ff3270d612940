/*
 * BRITE's hierarchies as generators: top-down and bottom-up. Routers are called as1r0, as1r1, ...; AS numbers
 * count from 1. top_down.c and bottom_up.c say how they come about.
 */
#include "topology/brite/params.h"
#include "topology/builder.h"

#define LEVEL(pre, model_word, n, m)                                                                       \
    {.name = pre "model",                                                                                  \
     .dimension = WEIR_WORD,                                                                               \
     .default_text = model_word,                                                                           \
     .words = WI_WORDS_MODEL,                                                                              \
     .doc = "model"},                                                                                      \
        WI_PARAM_N(pre, n, pre "nodes"), WI_PARAM_M(pre, m), WI_PARAM_HS(pre), WI_PARAM_LS(pre),           \
        WI_PARAM_PLACEMENT(pre, pre "placement"), WI_PARAM_GROWTH(pre, pre "growth"), WI_PARAM_ALPHA(pre), \
        WI_PARAM_BETA(pre, "0.2", -1000, "as of the model"),                                               \
        WI_PARAM_P(pre, "0.3", "BA-2, GLP: as of the model"), WI_PARAM_Q(pre, "0.2")
#define BANDWIDTH(name, text) \
    WI_PARAM_BW(name, "constant", NULL, text), WI_PARAM_BW_MIN(name), WI_PARAM_BW_MAX(name)

static const weir_generator_param top_down_params[] = {
    WI_PARAM_ENGINE,
    {.name = "edgeConn",
     .dimension = WEIR_WORD,
     .default_text = "random",
     .words = "random smallest-degree smallest-nonleaf smallest-k",
     .also = "edge_conn",
     .doc = "which router of an AS takes a link to another: any; of the smallest degree; of the smallest "
            "above the leaves'; of the smallest above k"},
    {.name = "k", .dimension = WEIR_COUNT, .default_text = "1", .max = WI_COUNT_MAX, .doc = "for smallest-k"},
    BANDWIDTH("BWInter", "distribution of rates between ASes"),
    BANDWIDTH("BWIntra", "distribution of rates within ASes"),
    LEVEL("as_", "barabasi-albert", "10", "2"),
    LEVEL("rt_", "waxman", "100", "2"),
};

static const weir_generator_param bottom_up_params[] = {
    WI_PARAM_ENGINE,
    {.name = "Grouping",
     .dimension = WEIR_WORD,
     .default_text = "walk",
     .words = "pick walk",
     .also = "grouping",
     .doc = "routers of an AS are picked at random, or by a random walk"},
    {.name = "AssignType",
     .dimension = WEIR_WORD,
     .default_text = "constant",
     .words = WI_WORDS_SPREAD,
     .also = "assign",
     .doc = "distribution of the sizes of ASes"},
    {.name = "NumAS",
     .dimension = WEIR_COUNT,
     .default_text = "10",
     .min = 1,
     .max = WI_COUNT_MAX,
     .also = "ases",
     .doc = "ASes"},
    BANDWIDTH("BWInter", "distribution of rates between ASes"),
    WI_PARAM_BW("BWDist", "constant", "bandwidth", "distribution of rates within ASes"),
    WI_PARAM_BW_MIN("BW"),
    WI_PARAM_BW_MAX("BW"),
    LEVEL("rt_", "waxman", "100", "2"),
};

static weir_status finish(weir_diag *diag, wi_finish *how, wi_sketch *sketch, weir_graph_builder *builder)
{
    how->level = WI_LEVEL_BOTH;
    const weir_status st = wi_brite_finish(diag, sketch, how, builder);
    wi_sketch_free(sketch);
    return st;
}

static weir_status make_top_down(weir_diag *diag, const uint64_t *value, uint64_t seed,
                                 weir_graph_builder *builder)
{
    const weir_generator *g = &wi_generator_top_down;
    wi_sketch sketch;
    wi_finish how = {.seed = seed};
    const wi_top_down model = {.engine = (wi_engine)wi_param(g, value, "engine", WI_ENGINE_CPP),
                               .edge_conn = (wi_edge_conn)wi_param(g, value, "edgeConn", WI_CONN_RANDOM),
                               .k = (uint32_t)wi_param(g, value, "k", 1),
                               .as = wi_flat_of(g, value, "as_", WI_FLAT_BA),
                               .router = wi_flat_of(g, value, "rt_", WI_FLAT_WAXMAN)};
    weir_status st = wi_flat_check(diag, &model.as);
    if (st == WEIR_OK)
        st = wi_flat_check(diag, &model.router);
    if (st == WEIR_OK)
        st = wi_bandwidth_of(diag, g, value, "BWInter", &how.inter);
    if (st == WEIR_OK)
        st = wi_bandwidth_of(diag, g, value, "BWIntra", &how.intra);
    if (st == WEIR_OK)
        st = wi_draw_top_down(diag, &model, seed, &sketch);
    return st == WEIR_OK ? finish(diag, &how, &sketch, builder) : st;
}

static weir_status make_bottom_up(weir_diag *diag, const uint64_t *value, uint64_t seed,
                                  weir_graph_builder *builder)
{
    const weir_generator *g = &wi_generator_bottom_up;
    wi_sketch sketch;
    wi_finish how = {.seed = seed};
    const wi_bottom_up model = {.engine = (wi_engine)wi_param(g, value, "engine", WI_ENGINE_CPP),
                                .grouping = (wi_grouping)wi_param(g, value, "Grouping", WI_GROUP_WALK),
                                .assign = (wi_spread)wi_param(g, value, "AssignType", WI_SPREAD_CONSTANT),
                                .n_as = (uint32_t)wi_param(g, value, "NumAS", 10),
                                .router = wi_flat_of(g, value, "rt_", WI_FLAT_WAXMAN)};
    weir_status st = wi_flat_check(diag, &model.router);
    if (st == WEIR_OK)
        st = wi_bandwidth_of(diag, g, value, "BWInter", &how.inter);
    if (st == WEIR_OK)
        st = wi_bandwidth_of(diag, g, value, "BW", &how.intra);
    if (st == WEIR_OK)
        st = wi_draw_bottom_up(diag, &model, seed, &sketch);
    return st == WEIR_OK ? finish(diag, &how, &sketch, builder) : st;
}

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
static double ends_of_top_down(const uint64_t *value)
{
    const weir_generator *g = &wi_generator_top_down;
    return (double)wi_param(g, value, "as_N", 0) * (double)wi_param(g, value, "rt_N", 0);
}

const weir_generator wi_generator_top_down = {
    "top-down",      "a graph of ASes, each a graph of routers (BRITE 5)",
    top_down_params, N_OF(top_down_params),
    make_top_down,   "as1r0, as1r1, ...: AS, router",
    ends_of_top_down};
static double ends_of_bottom_up(const uint64_t *value)
{
    return (double)wi_param(&wi_generator_bottom_up, value, "rt_N", 0);
}

const weir_generator wi_generator_bottom_up = {
    "bottom-up",      "a graph of routers, divided over ASes (BRITE 6)",
    bottom_up_params, N_OF(bottom_up_params),
    make_bottom_up,   "as1r0, as1r1, ...: AS, router",
    ends_of_bottom_up};
