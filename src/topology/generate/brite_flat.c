/*
 * BRITE's flat models as generators: waxman, barabasi-albert, ba-2, glp; of routers (r0, r1, ... without an
 * AS number) or of ASes (as1, as2, ..., each its own). Places are plane kilometres; see the models' files for
 * how links come about, finish.c for rates, delays and classes.
 */
#include "topology/brite/params.h"

/* What growth "all", pairs and turned links may leave apart. */
#define PARTS                                                                                  \
    {                                                                                          \
        .name = "parts", .dimension = WEIR_WORD, .default_text = "join", .words = "join keep", \
        .doc = "separate parts are joined by a link each, or kept, as BRITE keeps them"        \
    }

#define COMMON                                                                                               \
    WI_PARAM_N("", "100", "nodes"), WI_PARAM_HS(""), WI_PARAM_LS(""), WI_PARAM_PLACEMENT("", "placement"),   \
        {.name = "level",                                                                                    \
         .dimension = WEIR_WORD,                                                                             \
         .default_text = "router",                                                                           \
         .words = WI_WORDS_LEVEL,                                                                            \
         .doc = "what a node is"},                                                                           \
        WI_PARAM_ENGINE, WI_PARAM_BW("BWDist", "constant", "bandwidth", "distribution of the links' rates"), \
        WI_PARAM_BW_MIN("BW"), WI_PARAM_BW_MAX("BW")

static const weir_generator_param waxman_params[] = {
    COMMON, WI_PARAM_M("", "2"), WI_PARAM_GROWTH("", "growth"),
    PARTS,  WI_PARAM_ALPHA(""),  WI_PARAM_BETA("", "0.2", 1e-6, "reach, as a part of the plane's diagonal"),
};
static const weir_generator_param ba_params[] = {COMMON, WI_PARAM_M("", "2")};
static const weir_generator_param ba2_params[] = {
    COMMON,
    WI_PARAM_M("", "2"),
    WI_PARAM_P("", "0.3", "probability of adding m links"),
    WI_PARAM_Q("", "0.2"),
    PARTS,
};
static const weir_generator_param glp_params[] = {
    COMMON,
    WI_PARAM_M("", "1"),
    WI_PARAM_P("", "0.45", "probability of adding m links"),
    WI_PARAM_BETA("", "0.64", -1000, "taken off the degree in the preference; less than 1"),
};

static weir_status make(weir_diag *diag, const weir_generator *g, const uint64_t *value, uint64_t seed,
                        wi_flat_model model, weir_graph_builder *builder)
{
    wi_sketch sketch = {0};
    const wi_flat flat = wi_flat_of(g, value, "", model);
    wi_finish finish = {.level = (wi_level)wi_param(g, value, "level", WI_LEVEL_ROUTER), .seed = seed};
    weir_status st = wi_flat_check(diag, &flat);
    if (st == WEIR_OK)
        st = wi_bandwidth_of(diag, g, value, "BW", &finish.intra);
    if (st == WEIR_OK)
        st = wi_flat_draw(diag, &flat, seed, 0, &sketch);
    for (uint32_t v = 0; v < sketch.n && finish.level == WI_LEVEL_AS; v++)
        sketch.as_number[v] = v + 1;
    if (st == WEIR_OK)
        st = wi_brite_finish(diag, &sketch, &finish, builder);
    wi_sketch_free(&sketch);
    return st;
}

static weir_status make_waxman(weir_diag *diag, const uint64_t *value, uint64_t seed,
                               weir_graph_builder *builder)
{
    return make(diag, &wi_generator_waxman, value, seed, WI_FLAT_WAXMAN, builder);
}

static weir_status make_ba(weir_diag *diag, const uint64_t *value, uint64_t seed, weir_graph_builder *builder)
{
    return make(diag, &wi_generator_barabasi_albert, value, seed, WI_FLAT_BA, builder);
}

static weir_status make_ba2(weir_diag *diag, const uint64_t *value, uint64_t seed,
                            weir_graph_builder *builder)
{
    return make(diag, &wi_generator_ba2, value, seed, WI_FLAT_BA2, builder);
}

static weir_status make_glp(weir_diag *diag, const uint64_t *value, uint64_t seed,
                            weir_graph_builder *builder)
{
    return make(diag, &wi_generator_glp, value, seed, WI_FLAT_GLP, builder);
}

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
/* Parts that are kept may be nodes without a link. */
static double ends_of_waxman(const uint64_t *value)
{
    const weir_generator *g = &wi_generator_waxman;
    return wi_param(g, value, "parts", 0) == 1 ? (double)wi_param(g, value, "N", 0) : 0;
}

static double ends_of_ba2(const uint64_t *value)
{
    const weir_generator *g = &wi_generator_ba2;
    return wi_param(g, value, "parts", 0) == 1 ? (double)wi_param(g, value, "N", 0) : 0;
}

static double ends_of_growth(const uint64_t *value)
{
    return (double)wi_param(&wi_generator_barabasi_albert, value, "N", 0);
}

static double ends_of_glp(const uint64_t *value)
{
    return (double)wi_param(&wi_generator_glp, value, "N", 0);
}

const weir_generator wi_generator_waxman = {
    "waxman",      "nodes joined the likelier, the nearer they are (BRITE 1 and 3)",
    waxman_params, N_OF(waxman_params),
    make_waxman,   "r0, r1, ... (with level: as, as1, as2, ...)",
    ends_of_waxman};
const weir_generator wi_generator_barabasi_albert = {
    "barabasi-albert", "growth with preferential attachment (BRITE 2 and 4)", ba_params,     N_OF(ba_params),
    make_ba,           "r0, r1, ... (with level: as, as1, as2, ...)",         ends_of_growth};
const weir_generator wi_generator_ba2 = {
    "ba-2",     "the same, where links are added and turned too (BRITE 9 and 10)",
    ba2_params, N_OF(ba2_params),
    make_ba2,   "r0, r1, ... (with level: as, as1, as2, ...)",
    ends_of_ba2};
const weir_generator wi_generator_glp = {
    "glp",    "generalised linear preference (BRITE 11 and 12)", glp_params, N_OF(glp_params),
    make_glp, "r0, r1, ... (with level: as, as1, as2, ...)",     ends_of_glp};
