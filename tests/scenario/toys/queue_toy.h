/* A queue that drops every n-th packet. */
#ifndef TESTS_SCENARIO_TOYS_QUEUE_TOY_H
#define TESTS_SCENARIO_TOYS_QUEUE_TOY_H

#include "net/packet/queue.h"

typedef struct WEIR_OVERLAY net_toy_params {
    uint32_t every;
} net_toy_params;

WEIR_FN enum net_verdict net_toy_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                        weir_stream *random)
{
    (void)random;
    if (net_queue_is_full(q, a))
        return NET_DROP_LIMIT;
    return ++state->own[0] % NET_QUEUE_PARAMS(toy, q)->every ? NET_ACCEPT : NET_DROP_EARLY;
}

static inline void net_toy_resolve(net_queue *q)
{
    (void)q; /* ports know all that they must */
}

#endif
