/*
 * The list of queue disciplines, from which the engines' switch, the scenario's words and the tables of the host
 * are made: X(NUMBER, name, doc).
 *
 * A discipline is a file queue_NAME.h, an #include and a line here. The file defines
 *   net_NAME_arrive   what becomes of a packet that arrives (queue.h);
 *   net_NAME_resolve  its parameters as asked, put into a net_queue whose limits and rate are set: host only;
 *   net_NAME_words    under WI_QUEUE_WORDS, a wi_queue_kind (scenario/schema/queues.h): its keys in a scenario, the
 *                     struct of at most NET_QUEUE_ASKED words that they fill, and the fluid's law of it, if it has one.
 */
#ifndef WI_NET_PORT_QUEUES_H
#define WI_NET_PORT_QUEUES_H

#include "net/port/queue_droptail.h"
#include "net/port/queue_red.h"

#ifdef WEIR_EXTRA_NET /* a header with more of them, for a build of one's own: cmake -DWEIR_EXTRA_NET=FILE */
#include WEIR_EXTRA_NET
#else
#define NET_QUEUES_EXTRA(X)
#endif

// clang-format off
#define NET_QUEUES(X)                                                                                        \
    X(DROPTAIL, droptail, "a packet that does not fit is dropped")                                           \
    X(RED, red, "random early detection (Floyd and Jacobson 1993)")                                          \
    NET_QUEUES_EXTRA(X)
// clang-format on

enum net_queue_type {
#define X(number, name, doc) NET_QUEUE_##number,
    NET_QUEUES(X)
#undef X
        NET_QUEUE_TYPES
};

WEIR_FN enum net_verdict net_queue_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                          weir_stream *random)
{
    switch (q->type) {
#define X(number, name, doc) \
    case NET_QUEUE_##number: \
        return net_##name##_arrive(q, state, a, random);
        NET_QUEUES(X)
#undef X
    }
    return NET_ACCEPT;
}

#endif
