/*
 * BRITE's flat models as generators: waxman, barabasi-albert, ba-2, glp; of routers (r0, r1, ... without an
 * AS number) or of ASes (as1, as2, ..., each its own). Places are plane kilometres; see the models' files for
 * how links come about, finish.c for rates, delays and classes.
 */
#include "base/memory.h"
#include "topology/brite/params.h"

/* What growth "all", pairs and turned links may leave apart. */
#define PARTS                                   \
    WI_PARAM_WORD("parts", "join", "join keep", \
                  "separate parts are joined by a link each, or kept, as BRITE keeps them")

#define COMMON                                                                                \
    {WI_PARAM_N("", "100", "nodes")}, {WI_PARAM_HS("")}, {WI_PARAM_LS("")},                   \
        {WI_PARAM_PLACEMENT("", "placement")},                                                \
        {WI_PARAM_WORD("level", "router", "router as", "what a node is")}, {WI_PARAM_ENGINE}, \
        {WI_PARAM_SPREAD("BWDist", "bandwidth", "distribution of the links' rates")},         \
        {WI_PARAM_BW_MIN("BW")},                                                              \
    {                                                                                         \
        WI_PARAM_BW_MAX("BW")                                                                 \
    }

static const weir_generator_param waxman_params[] = {
    COMMON,
    {WI_PARAM_M("", "2")},
    {WI_PARAM_GROWTH("", "growth")},
    {PARTS},
    {WI_PARAM_ALPHA("")},
    {WI_PARAM_BETA("", "0.2", 1e-6, "reach, as a part of the plane's diagonal")},
};
static const weir_generator_param ba_params[] = {COMMON, {WI_PARAM_M("", "2")}};
static const weir_generator_param ba2_params[] = {
    COMMON,
    {WI_PARAM_M("", "2")},
    {WI_PARAM_P("", "0.3", "probability of adding m links")},
    {WI_PARAM_Q("", "0.2")},
    {PARTS},
};
static const weir_generator_param glp_params[] = {
    COMMON,
    {WI_PARAM_M("", "1")},
    {WI_PARAM_P("", "0.45", "probability of adding m links")},
    {WI_PARAM_BETA("", "0.64", -1000, "taken off the degree in the preference; less than 1")},
};

static wi_flat_model model_of(const weir_generator *g)
{
    return g == &wi_generator_waxman.about            ? WI_FLAT_WAXMAN
           : g == &wi_generator_barabasi_albert.about ? WI_FLAT_BA
           : g == &wi_generator_ba2.about             ? WI_FLAT_BA2
                                                      : WI_FLAT_GLP;
}

static weir_status make(const wi_making *m)
{
    WI_ENDED(wi_sketch_free) wi_sketch sketch = {0};
    wi_flat flat;
    wi_finish finish = {.level = (wi_level)wi_param(m, "level", WI_LEVEL_ROUTER), .seed = m->seed};
    weir_status st = wi_flat_of(m, "", model_of(m->generator), &flat)
            ?: wi_bandwidth_of(m, "BW", &finish.intra)
            ?: wi_flat_draw(m->diag, &flat, m->seed, 0, &sketch);
    for (uint32_t v = 0; v < sketch.n && finish.level == WI_LEVEL_AS; v++)
        sketch.as_number[v] = v + 1;
    return st ?: wi_brite_finish(m->diag, &sketch, &finish, m->builder);
}

/* Parts that are kept may be nodes without a link. */
static double ends(const wi_making *m)
{
    const bool grown = model_of(m->generator) == WI_FLAT_BA || model_of(m->generator) == WI_FLAT_GLP;
    return grown || wi_param(m, "parts", 0) == 1 ? (double)wi_param(m, "N", 0) : 0;
}

#define NAMES "r0, r1, ... (with level: as, as1, as2, ...)"
const wi_generator wi_generator_waxman = {{"waxman",
                                           "nodes joined the likelier, the nearer they are (BRITE 1 and 3)",
                                           waxman_params, WI_N_OF(waxman_params), NAMES},
                                          make,
                                          ends};
const wi_generator wi_generator_barabasi_albert = {{"barabasi-albert",
                                                    "growth with preferential attachment (BRITE 2 and 4)",
                                                    ba_params, WI_N_OF(ba_params), NAMES},
                                                   make,
                                                   ends};
const wi_generator wi_generator_ba2 = {{"ba-2",
                                        "the same, where links are added and turned too (BRITE 9 and 10)",
                                        ba2_params, WI_N_OF(ba2_params), NAMES},
                                       make,
                                       ends};
const wi_generator wi_generator_glp = {
    {"glp", "generalised linear preference (BRITE 11 and 12)", glp_params, WI_N_OF(glp_params), NAMES},
    make,
    ends};
