/* The list of congestion controls as the schema's tables. */
#include "keys/traffic/congestions.h"

#define WI_CONGESTION_WORDS
#include "net/congestion/congestion.h"

#define KIND(number, name, doc) [NET_CC_##number] = &net_##name##_words,
static const wi_congestion_kind *const kinds[NET_CC_TYPES] = {NET_CONGESTIONS(KIND)};

#define WORD(number, name, doc) {#name, NET_CC_##number, doc, false},
static const wi_word words[] = {NET_CONGESTIONS(WORD)};
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

void wi_congestion_needs_ecn(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    if (!tcp->ecn && wi_node_child(node, "ecn"))
        wi_complain(r, wi_place_of(node, "ecn"), "congestion '%s' lives by marks; want ecn: true",
                    wi_congestion_kind_of(tcp->congestion)->section.name);
    tcp->ecn = true;
}

void wi_congestion_needs_sack(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    if (!tcp->sack)
        wi_complain(r, wi_place_of(node, "sack"), "congestion '%s' needs SACK; want sack: true",
                    wi_congestion_kind_of(tcp->congestion)->section.name);
}

void wi_congestion_refuses(wi_reader *r, const wi_node *node, const weir_scenario_tcp *tcp, const char *key,
                           bool asked, const char *want)
{
    if (asked && wi_node_child(node, key))
        wi_complain(r, wi_place_of(node, key), "%s: congestion '%s' has no such thing; want %s", key,
                    wi_congestion_kind_of(tcp->congestion)->section.name, want);
}

const wi_congestion_kind *wi_congestion_kind_of(int number)
{
    return kinds[number];
}
