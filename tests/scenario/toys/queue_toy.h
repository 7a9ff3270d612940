/* A queue that drops every n-th packet. */
#ifndef TESTS_SCENARIO_TOYS_QUEUE_TOY_H
#define TESTS_SCENARIO_TOYS_QUEUE_TOY_H

#include "net/packet/queue.h"

typedef struct net_toy_asked {
    uint32_t every;
} net_toy_asked;

WEIR_FN enum net_verdict net_toy_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                        weir_stream *random)
{
    (void)random;
    if (net_queue_is_full(q, a))
        return NET_DROP_LIMIT;
    return ++state->own[0] % q->own[0] ? NET_ACCEPT : NET_DROP_EARLY;
}

static inline void net_toy_resolve(const void *asked, net_queue *q)
{
    q->own[0] = ((const net_toy_asked *)asked)->every;
}

#ifdef WI_QUEUE_WORDS
static const wi_key net_toy_keys[] = {{.name = "every",
                                       .kind = &wi_kind_count,
                                       .offset = offsetof(net_toy_asked, every),
                                       .fallback = "10",
                                       .low = "2",
                                       .doc = "of so many packets the last is dropped"}};
static const wi_queue_kind net_toy_words = {
    .section = {.name = "toy", .keys = net_toy_keys, .n_keys = 1, .size = sizeof(net_toy_asked)}};
#endif

#endif
