/*
 * The lists of queue disciplines, from which the engines' switches, the scenario's words and the tables of the host
 * are made: X(NUMBER, name, doc).
 *
 * A discipline is a file NAME.h, an #include and a line here, in one of two lists. Those of NET_QUEUES_ARRIVING
 * decide when a packet arrives, and so need one event a hop. The file defines
 *   net_NAME_arrive   what becomes of a packet that arrives (queue.h);
 * Those of NET_QUEUES_DEPARTING decide when the line is free; their packets wait in a store (store.h), and only ports
 * with them pay for it. The file defines
 *   net_NAME_enqueue  puts the packet that has come in a list, or drops it, or another;
 *   net_NAME_depart   the packet to be sent now, in no list any more, and drops those that must go; 0: none, and where
 *                     packets wait all the same, net_room.again_ps says when to ask again.
 * Both kinds define
 *   net_NAME_params   a `struct WEIR_OVERLAY` of at most the words of weir_queue_params.own, if it has parameters; the
 *                     scenario's keys fill it (keys/queue), and these functions read it by NET_QUEUE_PARAMS;
 *   net_NAME_resolve  of a net_queue whose parameters, limits and rate are set: what ports must know of it; host only.
 * Times that one keeps are moved on in packets/skip/port_times.c (steady states).
 */
#pragma once

#include "net/queue/codel.h"
#include "net/queue/droptail.h"
#include "net/queue/drr.h"
#include "net/queue/dualpi2.h"
#include "net/queue/fq_codel.h"
#include "net/queue/pie.h"
#include "net/queue/policer.h"
#include "net/queue/priority.h"
#include "net/queue/red.h"
#include "net/queue/shaper.h"
#include "net/queue/threshold.h"
#include "net/queue/trim.h"

#ifdef WEIR_EXTRA_NET /* a header with more of them, for a build of one's own: cmake -DWEIR_EXTRA_NET=FILE */
#include WEIR_EXTRA_NET
#else
#define NET_QUEUES_EXTRA(X)
#endif
#ifndef NET_DEPARTING_EXTRA
#define NET_DEPARTING_EXTRA(X)
#endif

// clang-format off
#define NET_QUEUES_ARRIVING(X)                                                                               \
    X(DROPTAIL, droptail, "a packet that does not fit is dropped")                                           \
    X(RED, red, "random early detection (Floyd and Jacobson 1993)")                                          \
    X(PIE, pie, "proportional-integral control of the delay (RFC 8033)")                                     \
    X(THRESHOLD, threshold, "marks above a fixed backlog, as DCTCP wants it")                                \
    X(POLICER, policer, "drops what a token bucket does not cover")                                          \
    NET_QUEUES_EXTRA(X)
#define NET_QUEUES_DEPARTING(X)                                                                              \
    X(CODEL, codel, "controlled delay (RFC 8289)")                                                           \
    X(FQ_CODEL, fq_codel, "flow queues with CoDel (RFC 8290)")                                               \
    X(SHAPER, shaper, "a token bucket before the line")                                                      \
    X(PRIORITY, priority, "strict priority by class selector")                                               \
    X(DRR, drr, "deficit round robin with weights by class selector")                                        \
    X(DUALPI2, dualpi2, "coupled queues for L4S and classic flows (RFC 9332)")                               \
    X(TRIM, trim, "cuts packets of NDP to their headers where they do not fit (Handley and others, 2017)")   \
    NET_DEPARTING_EXTRA(X)
// clang-format on
#define NET_QUEUES(X) NET_QUEUES_ARRIVING(X) NET_QUEUES_DEPARTING(X)

enum net_queue_type {
#define X(number, name, doc) NET_QUEUE_##number,
    NET_QUEUES(X)
#undef X
        NET_QUEUE_TYPES
};

WEIR_FN enum net_verdict net_queue_arrive(const net_queue *q, net_queue_state *state, const net_arrival *a,
                                          weir_stream *random)
{
    switch (q->params.type) {
#define X(number, name, doc) \
    case NET_QUEUE_##number: \
        return net_##name##_arrive(q, state, a, random);
        NET_QUEUES_ARRIVING(X)
#undef X
    }
    return NET_ACCEPT;
}

WEIR_FN void net_queue_enqueue(net_room *room, uint32_t slot)
{
    switch (room->q->params.type) {
#define X(number, name, doc)              \
    case NET_QUEUE_##number:              \
        net_##name##_enqueue(room, slot); \
        break;
        NET_QUEUES_DEPARTING(X)
#undef X
    }
}

WEIR_FN uint32_t net_queue_depart(net_room *room)
{
    switch (room->q->params.type) {
#define X(number, name, doc) \
    case NET_QUEUE_##number: \
        return net_##name##_depart(room);
        NET_QUEUES_DEPARTING(X)
#undef X
    }
    return 0;
}
