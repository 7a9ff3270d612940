/* Distributions of sizes as keys have them. */
#include "keys/traffic/dist.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A size, or {exponential: 100kB} and so on. */
typedef weir_scenario_dist dist_t;

static const wi_key pareto_keys[] = {
    {.name = "mean",
     .kind = &wi_kind_size_real,
     .offset = offsetof(dist_t, mean),
     .required = true,
     .above = "0B",
     .doc = "mean"},
    {.name = "shape",
     .kind = &wi_kind_number,
     .offset = offsetof(dist_t, shape),
     .required = true,
     .above = "1",
     .also = "alpha",
     .doc = "tail exponent; at 1 and below there is no mean"},
};
static const wi_section pareto_section = {.name = "pareto", .keys = pareto_keys, .n_keys = N_OF(pareto_keys)};

static const wi_form dist_forms[] = {
    {.tag = WEIR_SC_DIST_EXPONENTIAL,
     .key = {.name = "exponential",
             .kind = &wi_kind_size_real,
             .offset = offsetof(dist_t, mean),
             .above = "0B"}},
    {.tag = WEIR_SC_DIST_PARETO,
     .key = {.name = "pareto", .kind = &wi_kind_section, .section = &pareto_section}},
    {.tag = WEIR_SC_DIST_UNIFORM,
     .key = {.name = "uniform",
             .kind = &wi_kind_range,
             .of = &wi_kind_size_real,
             .offset = offsetof(dist_t, low),
             .above = "0B"}},
    {.tag = WEIR_SC_DIST_CDF,
     .key = {.name = "cdf", .kind = &wi_kind_path, .offset = offsetof(dist_t, file)}},
};
_Static_assert(offsetof(dist_t, high) == offsetof(dist_t, low) + sizeof(double), "a range");
static const wi_key dist_other = {
    .name = "size", .kind = &wi_kind_size_real, .offset = offsetof(dist_t, low), .above = "0B"};

static int pick_dist(const void *at)
{
    return ((const dist_t *)at)->kind;
}

static void settle_dist(void *at, int tag)
{
    ((dist_t *)at)->kind = (weir_sc_dist)tag;
}

#define DISTRIBUTION(wants_)                                                                 \
    {                                                                                        \
        .forms = dist_forms, .n = N_OF(dist_forms), .other = &dist_other,                    \
        .other_tag = WEIR_SC_DIST_CONSTANT, .other_types = 1u << WI_SCALAR, .wants = wants_, \
        .pick = pick_dist, .settle = settle_dist                                             \
    }
const wi_tagged wi_transfer_sizes =
    DISTRIBUTION("a size such as 100kB, {exponential: 100kB}, {pareto: {mean: 100kB, shape: 1.2}}, "
                 "{uniform: [1kB, 9kB]}, or {cdf: FILE}");
const wi_tagged wi_packet_sizes =
    DISTRIBUTION("a size such as 1000B, {exponential: 500B}, {pareto: {mean: 500B, shape: 1.2}}, "
                 "{uniform: [64B, 1500B]}, or {cdf: FILE}");
