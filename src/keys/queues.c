/* The list of queue disciplines as the schema's tables. */
#include "keys/queues.h"

#define WI_QUEUE_WORDS
#include "net/queue/queues.h"

#define KIND(number, name, doc) [NET_QUEUE_##number] = &net_##name##_words,
static const wi_queue_kind *const kinds[NET_QUEUE_TYPES] = {NET_QUEUES(KIND)};

#define WORD(number, name, doc) {#name, NET_QUEUE_##number, doc},
static const wi_word words[] = {NET_QUEUES(WORD)};
const wi_words wi_queue_words = {words, NET_QUEUE_TYPES};

#define SECTION(number, name, doc) [NET_QUEUE_##number] = &net_##name##_words.section,
static const wi_section *const sections[NET_QUEUE_TYPES] = {NET_QUEUES(SECTION)};

static int pick(const void *at)
{
    return ((const weir_scenario_queue *)at)->type;
}

const wi_variants wi_queue_variants = {.item = sections,
                                       .n = NET_QUEUE_TYPES,
                                       .pick = pick,
                                       .offset = offsetof(weir_scenario_queue, asked),
                                       .room = sizeof((weir_scenario_queue *)0)->asked,
                                       .key = "type",
                                       .what = "a %s queue"};

const wi_queue_kind *wi_queue_kind_of(int type)
{
    return kinds[type];
}
