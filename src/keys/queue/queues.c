/* The list of queue disciplines as the schema's tables. */
#include "keys/queue/queues.h"

#define KIND(number, name, doc) [NET_QUEUE_##number] = &wi_queue_##name,
static const wi_queue_kind *const kinds[WI_QUEUE_TYPES] = {NET_QUEUES(KIND)[WI_QUEUE_ROUND_ROBIN] =
                                                               &wi_queue_droptail};

#define WORD(number, name, doc) {#name, NET_QUEUE_##number, doc},
static const wi_word words[] = {{"round-robin", WI_QUEUE_ROUND_ROBIN,
                                 "flows take turns, by bytes, and hold back what the line does not take yet"},
                                NET_QUEUES(WORD)};
const wi_words wi_queue_words = {words + 1, NET_QUEUE_TYPES}, wi_host_queue_words = {words, WI_QUEUE_TYPES};

#define SECTION(number, name, doc) [NET_QUEUE_##number] = &wi_queue_##name.section,
static const wi_section round_robin = {.name = "round-robin"};
static const wi_section *const sections[WI_QUEUE_TYPES] = {NET_QUEUES(SECTION)[WI_QUEUE_ROUND_ROBIN] =
                                                               &round_robin};

const wi_variants wi_queue_variants = {.item = sections,
                                       .n = WI_QUEUE_TYPES,
                                       .number_offset = offsetof(weir_scenario_queue, params.type),
                                       .offset = offsetof(weir_scenario_queue, params.own),
                                       .room = sizeof((weir_scenario_queue *)0)->params.own,
                                       .key = "type",
                                       .what = "a %s queue"};

const wi_queue_kind *wi_queue_kind_of(uint32_t type)
{
    return kinds[type];
}
