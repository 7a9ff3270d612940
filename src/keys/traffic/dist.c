/* Distributions of sizes as keys have them. */
#include "keys/traffic/traffic.h"

/* A size, or {exponential: 100kB} and so on. */
typedef weir_scenario_dist dist_t;

static const wi_key pareto_keys[] = {
    WI_KEY("mean", size_real, dist_t, mean, .required = true, .above = "0B", .high = "1024TiB",
           .doc = "mean"),
    WI_KEY("shape", number, dist_t, shape, .required = true, .above = "1", .also = "alpha",
           .doc = "tail exponent; at 1 and below there is no mean"),
};
static const wi_section pareto_section = WI_SECTION("pareto", pareto_keys, dist_t);

static const wi_form dist_forms[] = {
    {.tag = WEIR_SC_DIST_EXPONENTIAL,
     .key = WI_KEY("exponential", size_real, dist_t, mean, .above = "0B", .high = "1024TiB")},
    {.tag = WEIR_SC_DIST_PARETO, .key = WI_PART("pareto", pareto_section)},
    {.tag = WEIR_SC_DIST_UNIFORM,
     .key =
         WI_KEY("uniform", range, dist_t, low, .of = &wi_kind_size_real, .above = "0B", .high = "1024TiB")},
    {.tag = WEIR_SC_DIST_CDF, .key = WI_KEY("cdf", path, dist_t, file)},
};
_Static_assert(offsetof(dist_t, high) == offsetof(dist_t, low) + sizeof(double), "a range");
static const wi_key dist_other = WI_KEY("size", size_real, dist_t, low, .above = "0B", .high = "1024TiB");

#define DISTRIBUTION(wants_)                                                                 \
    {                                                                                        \
        .forms = dist_forms, .n = WI_N_OF(dist_forms), .other = &dist_other,                 \
        .other_tag = WEIR_SC_DIST_CONSTANT, .other_types = 1u << WI_SCALAR, .wants = wants_, \
        .tag_offset = offsetof(dist_t, kind)                                                 \
    }
const wi_tagged wi_transfer_sizes =
    DISTRIBUTION("a size such as 100kB, {exponential: 100kB}, {pareto: {mean: 100kB, shape: 1.2}}, {uniform: "
                 "[1kB, 9kB]}, or {cdf: FILE}");
const wi_tagged wi_packet_sizes = DISTRIBUTION("a size such as 1000B, {exponential: 500B}, {pareto: {mean: "
                                               "500B, shape: 1.2}}, {uniform: [64B, 1500B]}, or {cdf: FILE}");
