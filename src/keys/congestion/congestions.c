/* The list of congestion controls as the schema's tables. */
#include "keys/congestion/congestions.h"

#define KIND(number, name, doc) [NET_CC_##number] = &wi_congestion_##name,
static const wi_congestion_kind *const kinds[NET_CC_TYPES] = {NET_CONGESTIONS(KIND)};

#define WORD(number, name, doc) {#name, NET_CC_##number, doc, false},
static const wi_word words[] = {NET_CONGESTIONS(WORD)};
const wi_words wi_congestion_words = {words, sizeof words / sizeof words[0]};

#define SECTION(number, name, doc) [NET_CC_##number] = &wi_congestion_##name.section,
static const wi_section *const sections[NET_CC_TYPES] = {NET_CONGESTIONS(SECTION)};

const wi_variants wi_congestion_variants = {.item = sections,
                                            .n = NET_CC_TYPES,
                                            .number_offset = offsetof(weir_scenario_tcp, congestion),
                                            .offset = offsetof(weir_scenario_tcp, congestion_params),
                                            .room = sizeof((weir_scenario_tcp *)0)->congestion_params,
                                            .key = "congestion",
                                            .what = "%s"};

const wi_congestion_kind *wi_congestion_kind_of(int number)
{
    return kinds[number];
}
