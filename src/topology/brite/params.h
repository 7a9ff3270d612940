/*
 * How the generators of BRITE's models take their parameters: by BRITE's names, and by plainer ones besides.
 * Tables are written with WI_FLAT_PARAM_...; wi_flat_of reads the values into a wi_flat.
 */
#ifndef WI_TOPOLOGY_BRITE_PARAMS_H
#define WI_TOPOLOGY_BRITE_PARAMS_H

#include "topology/brite/brite.h"
#include "topology/generator.h"
#include "weir/bits.h"

#define WI_WORDS_ENGINE "cpp java model"
#define WI_WORDS_MODEL "waxman barabasi-albert ba-2 glp"
#define WI_WORDS_LEVEL "router as"
#define WI_WORDS_PLACEMENT "random heavy-tailed"
#define WI_WORDS_GROWTH "incremental all pairs"
/* The numbers are those of BRITE's manual and C++ engine. */
#define WI_WORDS_SPREAD "constant uniform exponential heavy-tailed"

#define WI_PARAM_ENGINE                                                                                  \
    {                                                                                                    \
        .name = "engine", .dimension = WEIR_WORD, .default_text = "cpp", .words = WI_WORDS_ENGINE,       \
        .doc = "which of BRITE's engines is followed where they differ, or neither's mistakes (`model`)" \
    }

/* One level of a hierarchy, or a flat graph with pre "" and also NULL. */
#define WI_PARAM_N(pre, preset, other)                                                                   \
    {                                                                                                    \
        .name = pre "N", .dimension = WEIR_COUNT, .default_text = preset, .min = 1, .max = WI_COUNT_MAX, \
        .also = other, .doc = "nodes"                                                                    \
    }
#define WI_PARAM_M(pre, preset)                                                                          \
    {                                                                                                    \
        .name = pre "m", .dimension = WEIR_COUNT, .default_text = preset, .min = 1, .max = WI_COUNT_MAX, \
        .doc = "links of a new node"                                                                     \
    }
#define WI_PARAM_HS(pre)                                                                                  \
    {                                                                                                     \
        .name = pre "HS", .dimension = WEIR_COUNT, .default_text = "1000", .min = 1, .max = WI_COUNT_MAX, \
        .doc = "side of the plane in which nodes stand on whole points, km"                               \
    }
#define WI_PARAM_LS(pre)                                                                                 \
    {                                                                                                    \
        .name = pre "LS", .dimension = WEIR_COUNT, .default_text = "100", .min = 1, .max = WI_COUNT_MAX, \
        .doc = "side of an inner square, for heavy-tailed placement"                                     \
    }
#define WI_PARAM_PLACEMENT(pre, other)                                                 \
    {                                                                                  \
        .name = pre "NodePlacement", .dimension = WEIR_WORD, .default_text = "random", \
        .words = WI_WORDS_PLACEMENT, .also = other, .doc = "where nodes stand"         \
    }
#define WI_PARAM_GROWTH(pre, other)                                                                          \
    {                                                                                                        \
        .name = pre "GrowthType", .dimension = WEIR_WORD, .default_text = "incremental",                     \
        .words = WI_WORDS_GROWTH, .also = other,                                                             \
        .doc =                                                                                               \
            "Waxman: nodes join earlier ones; or any ones; or each pair is linked by itself (m is not used)" \
    }
#define WI_PARAM_ALPHA(pre)                                                                           \
    {                                                                                                 \
        .name = pre "alpha", .dimension = WEIR_REAL, .default_text = "0.15", .low = 1e-12, .high = 1, \
        .doc = "Waxman: probability at distance 0 (growth `pairs`)"                                   \
    }
#define WI_PARAM_BETA(pre, preset, least, text)                                                      \
    {                                                                                                \
        .name = pre "beta", .dimension = WEIR_REAL, .default_text = preset, .low = least, .high = 1, \
        .doc = text                                                                                  \
    }
#define WI_PARAM_P(pre, preset, text)                                                                     \
    {                                                                                                     \
        .name = pre "p", .dimension = WEIR_REAL, .default_text = preset, .low = 0, .high = 1, .doc = text \
    }
#define WI_PARAM_Q(pre, preset)                                                               \
    {                                                                                         \
        .name = pre "q", .dimension = WEIR_REAL, .default_text = preset, .low = 0, .high = 1, \
        .doc = "BA-2: probability of turning m links"                                         \
    }
#define WI_PARAM_BW(pre, preset, other, text)                                                  \
    {                                                                                          \
        .name = pre, .dimension = WEIR_WORD, .default_text = preset, .words = WI_WORDS_SPREAD, \
        .also = other, .doc = text                                                             \
    }
#define WI_PARAM_BW_MIN(pre)                                                                        \
    {                                                                                               \
        .name = pre "Min", .dimension = WEIR_REAL, .default_text = "10", .low = 1e-6, .high = 1e9,  \
        .doc = "Mb/s: the constant, the mean of exponential, the least of the others (by `engine`)" \
    }
#define WI_PARAM_BW_MAX(pre)                                                                         \
    {                                                                                                \
        .name = pre "Max", .dimension = WEIR_REAL, .default_text = "1024", .low = 1e-6, .high = 1e9, \
        .doc = "Mb/s: the most of uniform and heavy-tailed"                                          \
    }

/* A parameter's value by its name; `fallback` where the generator has none of that name. */
uint64_t wi_param(const weir_generator *g, const uint64_t *value, const char *name, uint64_t fallback);
/* The flat graph of the parameters whose names begin with `prefix`. */
wi_flat wi_flat_of(const weir_generator *g, const uint64_t *value, const char *prefix, wi_flat_model model);
/* The distribution of the parameters NAME (NAME + "Dist" where that is the parameter), NAMEMin and NAMEMax.
 */
weir_status wi_bandwidth_of(weir_diag *diag, const weir_generator *g, const uint64_t *value, const char *name,
                            wi_bandwidth *out);

#endif
