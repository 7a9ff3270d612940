/*
 * How the generators of BRITE's models take their parameters: by BRITE's names, and by plainer ones besides.
 * Tables are written with WI_PARAM_...; wi_flat_of reads the values into a wi_flat.
 */
#pragma once

#include "topology/brite/brite.h"
#include "topology/generator.h"
#include "weir/bits.h"

/* Parameters, without their braces: of one level of a hierarchy, or of a flat graph with pre "" and `other`
 * null. */
#define WI_PARAM_WORD(is, preset, all, text) \
    .name = is, .dimension = WEIR_WORD, .default_text = preset, .words = all, .doc = text
#define WI_PARAM_COUNT(is, preset, text) \
    .name = is, .dimension = WEIR_COUNT, .default_text = preset, .min = 1, .max = WI_COUNT_MAX, .doc = text
#define WI_PARAM_REAL(is, preset, least, most, text) \
    .name = is, .dimension = WEIR_REAL, .default_text = preset, .low = least, .high = most, .doc = text

#define WI_PARAM_ENGINE                              \
    WI_PARAM_WORD("engine", "cpp", "cpp java model", \
                  "which of BRITE's engines is followed where they differ, or neither's mistakes (`model`)")
#define WI_PARAM_N(pre, preset, other) WI_PARAM_COUNT(pre "N", preset, "nodes"), .also = other
#define WI_PARAM_M(pre, preset) WI_PARAM_COUNT(pre "m", preset, "links of a new node")
#define WI_PARAM_HS(pre) \
    WI_PARAM_COUNT(pre "HS", "1000", "side of the plane in which nodes stand on whole points, km")
#define WI_PARAM_LS(pre) \
    WI_PARAM_COUNT(pre "LS", "100", "side of an inner square, for heavy-tailed placement")
#define WI_PARAM_PLACEMENT(pre, other) \
    WI_PARAM_WORD(pre "NodePlacement", "random", "random heavy-tailed", "where nodes stand"), .also = other
#define WI_PARAM_GROWTH(pre, other)                                                                        \
    WI_PARAM_WORD(                                                                                         \
        pre "GrowthType", "incremental", "incremental all pairs",                                          \
        "Waxman: nodes join earlier ones; or any ones; or each pair is linked by itself (m is not used)"), \
        .also = other
#define WI_PARAM_ALPHA(pre) \
    WI_PARAM_REAL(pre "alpha", "0.15", 1e-12, 1, "Waxman: probability at distance 0 (growth `pairs`)")
#define WI_PARAM_BETA(pre, preset, least, text) WI_PARAM_REAL(pre "beta", preset, least, 1, text)
#define WI_PARAM_P(pre, preset, text) WI_PARAM_REAL(pre "p", preset, 0, 1, text)
#define WI_PARAM_Q(pre, preset) WI_PARAM_REAL(pre "q", preset, 0, 1, "BA-2: probability of turning m links")
/* The numbers of the words are those of BRITE's manual and C++ engine. */
#define WI_PARAM_SPREAD(is, other, text) \
    WI_PARAM_WORD(is, "constant", "constant uniform exponential heavy-tailed", text), .also = other
#define WI_PARAM_BW_MIN(pre)                  \
    WI_PARAM_REAL(pre "Min", "10", 1e-6, 1e9, \
                  "Mb/s: the constant, the mean of exponential, the least of the others (by `engine`)")
#define WI_PARAM_BW_MAX(pre) \
    WI_PARAM_REAL(pre "Max", "1024", 1e-6, 1e9, "Mb/s: the most of uniform and heavy-tailed")

/* A parameter's value by its name; `fallback` where the generator has none of that name. */
uint64_t wi_param(const wi_making *m, const char *name, uint64_t fallback);
/* The flat graph of the parameters whose names begin with `prefix`, checked. */
weir_status wi_flat_of(const wi_making *m, const char *prefix, wi_flat_model model, wi_flat *out);
/* The distribution of the parameters NAME (NAME + "Dist" where that is the parameter), NAMEMin and
 * NAMEMax. */
weir_status wi_bandwidth_of(const wi_making *m, const char *name, wi_bandwidth *out);
