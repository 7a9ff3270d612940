/* The list of congestion controls as the schema's tables. */
#include "scenario/schema/congestions.h"

#define WI_CONGESTION_WORDS
#include "net/transport/congestion.h"

#define KIND(number, name, doc) [NET_CC_##number] = &net_##name##_words,
static const wi_congestion_kind *const kinds[NET_CC_TYPES] = {NET_CONGESTIONS(KIND)};

#define WORD(number, name, doc) {#name, NET_CC_##number, doc, WI_LACK_NONE},
static const wi_word words[] = {
    NET_CONGESTIONS(WORD) /* and what is still to come: */
    {"reno", -1, "RFC 5681", WI_LACK_VERSION},
    {"cubic", -1, "RFC 9438", WI_LACK_VERSION},
    {"dctcp", -1, "RFC 8257", WI_LACK_VERSION},
};
const wi_words wi_congestion_words = {words, sizeof words / sizeof words[0]};

#define SECTION(number, name, doc) [NET_CC_##number] = &net_##name##_words.section,
static const wi_section *const sections[NET_CC_TYPES] = {NET_CONGESTIONS(SECTION)};

static int pick(const void *at)
{
    return ((const weir_scenario_tcp *)at)->congestion;
}

const wi_variants wi_congestion_variants = {.item = sections,
                                            .n = NET_CC_TYPES,
                                            .pick = pick,
                                            .offset = offsetof(weir_scenario_tcp, congestion_asked),
                                            .room = sizeof((weir_scenario_tcp *)0)->congestion_asked,
                                            .key = "congestion",
                                            .what = "%s"};

const wi_congestion_kind *wi_congestion_kind_of(int number)
{
    return kinds[number];
}
