/*
 * Congestion control behind one interface, and the list of controls from which the engines' switch, the scenario's
 * words and the tables of the host are made: X(NUMBER, name, doc).
 *
 * A control is a file congestion_NAME.h, an #include and a line here. The file defines
 *   net_NAME_init      a flow begins; cwnd is set to the initial window before
 *   net_NAME_on_ack    an ACK that tells something new: grow cwnd, where event.grows
 *   net_NAME_on_loss   a loss or a mark: returns the new slow-start threshold, at least two segments
 *   net_NAME_on_undo   a timeout was spurious; cwnd and ssthresh are as before it again
 *   net_NAME_pace_bps  rate at which the flow's packets leave, headers included; 0: as the window lets them
 *   net_NAME_words     under WI_CONGESTION_WORDS, a wi_congestion_kind (scenario/schema/congestions.h): its keys in a
 *                      scenario, the struct that they fill in net_class.cc, and whether fluid has a law of it
 * Its private state is net_cc_state in the flow's slot. All sizes are bytes.
 */
#ifndef WI_NET_TRANSPORT_CONGESTION_H
#define WI_NET_TRANSPORT_CONGESTION_H

#include "net/transport/congestion_newreno.h"

#ifdef WEIR_EXTRA_NET /* as in net/port/queues.h */
#include WEIR_EXTRA_NET
#else
#define NET_CONGESTIONS_EXTRA(X)
#endif

// clang-format off
#define NET_CONGESTIONS(X)                                                                                   \
    X(NEWRENO, newreno, "RFC 5681 with RFC 6582")                                                            \
    NET_CONGESTIONS_EXTRA(X)
// clang-format on

enum net_congestion {
#define X(number, name, doc) NET_CC_##number,
    NET_CONGESTIONS(X)
#undef X
        NET_CC_TYPES
};

WEIR_FN void net_cc_init(net_tx *tx, const net_class *c)
{
    switch (c->congestion) {
#define X(number, name, doc)      \
    case NET_CC_##number:         \
        net_##name##_init(tx, c); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

WEIR_FN void net_cc_on_ack(net_tx *tx, const net_class *c, const net_cc_event *e)
{
    switch (c->congestion) {
#define X(number, name, doc)           \
    case NET_CC_##number:              \
        net_##name##_on_ack(tx, c, e); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
    if (e->grows && tx->cwnd > c->window_bytes) /* beyond the receiver's window it could never be used */
        tx->cwnd = c->window_bytes;
}

WEIR_FN uint32_t net_cc_on_loss(net_tx *tx, const net_class *c, const net_cc_event *e)
{
    switch (c->congestion) {
#define X(number, name, doc) \
    case NET_CC_##number:    \
        return net_##name##_on_loss(tx, c, e);
        NET_CONGESTIONS(X)
#undef X
    }
    return e->flight / 2;
}

WEIR_FN void net_cc_on_undo(net_tx *tx, const net_class *c)
{
    switch (c->congestion) {
#define X(number, name, doc)         \
    case NET_CC_##number:            \
        net_##name##_on_undo(tx, c); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

WEIR_FN uint64_t net_cc_pace_bps(const net_tx *tx, const net_class *c)
{
    switch (c->congestion) {
#define X(number, name, doc) \
    case NET_CC_##number:    \
        return net_##name##_pace_bps(tx, c);
        NET_CONGESTIONS(X)
#undef X
    }
    return 0;
}

#endif
