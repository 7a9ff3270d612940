/* Keys of a class's gravity matrix. */
#include "keys/keys.h"

typedef weir_scenario_class class_t;

static const wi_word weights[] = {
    {"degree", WEIR_SC_GRAVITY_DEGREE, "the number of a node's links"},
    {"capacity", WEIR_SC_GRAVITY_CAPACITY, "the sum of the rates of the links that leave a node"},
};

static const wi_key keys[] = {
    WI_KEY("total", rate, class_t, gravity.total_bps, .required = true, .above = "0bps",
           .also = "rate sum load", .doc = "sum of all demands"),
    WI_KEY("weight", word, class_t, gravity.weight, .fallback = "degree", WI_WORDS(weights),
           .also = "by mass",
           .doc = "of a node: a pair's demand is in proportion to the product of its nodes' weights"),
};

const wi_section wi_section_gravity = WI_SECTION(
    "gravity", keys, class_t,
    .doc = "A gravity matrix: the demand from i to j is total · w_i w_j / sum of w_k w_l over all ordered "
           "pairs of different nodes. It is among the hosts, or among the routers where there are no hosts.",
    .place_offset = offsetof(class_t, gravity.place));
