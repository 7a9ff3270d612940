/*
 * Congestion control behind one interface. A control is one file and one line of NET_CONGESTIONS; the flow's
 * slot holds its private state (net_cc_state). All sizes are bytes. init(tx, c)               a flow begins;
 * cwnd is set to the initial window before on_ack(tx, c, acked)      new data was acknowledged outside fast
 * recovery: grow cwnd ssthresh(tx, c, flight)   loss or ECN: the new slow-start threshold, at least two
 * segments
 */
#ifndef WI_NET_TRANSPORT_CONGESTION_H
#define WI_NET_TRANSPORT_CONGESTION_H

#include "net/transport/congestion_newreno.h"

#define NET_CONGESTIONS(X) X(NEWRENO, newreno)

enum net_congestion {
#define X(name, prefix) NET_CC_##name,
    NET_CONGESTIONS(X)
#undef X
        NET_CC_TYPES
};

WEIR_FN void net_cc_init(net_tx *tx, const net_class *c)
{
    switch (c->congestion) {
#define X(name, prefix)             \
    case NET_CC_##name:             \
        net_##prefix##_init(tx, c); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

WEIR_FN void net_cc_on_ack(net_tx *tx, const net_class *c, uint32_t acked)
{
    switch (c->congestion) {
#define X(name, prefix)                      \
    case NET_CC_##name:                      \
        net_##prefix##_on_ack(tx, c, acked); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
    if (tx->cwnd > c->window_bytes) /* beyond the receiver's window it could never be used */
        tx->cwnd = c->window_bytes;
}

WEIR_FN uint32_t net_cc_ssthresh(net_tx *tx, const net_class *c, uint32_t flight)
{
    switch (c->congestion) {
#define X(name, prefix) \
    case NET_CC_##name: \
        return net_##prefix##_ssthresh(tx, c, flight);
        NET_CONGESTIONS(X)
#undef X
    }
    return flight / 2;
}

#endif
