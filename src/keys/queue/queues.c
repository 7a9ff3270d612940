/* The list of queue disciplines as the schema's tables. */
#include "keys/queue/queues.h"

#define KIND(number, name, doc) [NET_QUEUE_##number] = &wi_queue_##name,
static const wi_queue_kind *const kinds[NET_QUEUE_TYPES] = {NET_QUEUES(KIND)};

#define WORD(number, name, doc) {#name, NET_QUEUE_##number, doc},
static const wi_word words[] = {NET_QUEUES(WORD)};
const wi_words wi_queue_words = {words, NET_QUEUE_TYPES};

#define SECTION(number, name, doc) [NET_QUEUE_##number] = &wi_queue_##name.section,
static const wi_section *const sections[NET_QUEUE_TYPES] = {NET_QUEUES(SECTION)};

static int pick(const void *at)
{
    return (int)((const weir_scenario_queue *)at)->params.type;
}

const wi_variants wi_queue_variants = {.item = sections,
                                       .n = NET_QUEUE_TYPES,
                                       .pick = pick,
                                       .offset = offsetof(weir_scenario_queue, params.own),
                                       .room = sizeof((weir_scenario_queue *)0)->params.own,
                                       .key = "type",
                                       .what = "a %s queue"};

const wi_queue_kind *wi_queue_kind_of(uint32_t type)
{
    return kinds[type];
}
