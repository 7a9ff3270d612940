/* How much one TCP connection can send, whatever becomes of its packets. */
#ifndef WI_SCENARIO_NETWORK_MOST_H
#define WI_SCENARIO_NETWORK_MOST_H

#include <stdint.h>

#include "net/packet/world.h"

/*
 * Segments that a connection sends at most, retransmissions included, when `segments` different ones can
 * arrive within time_s, and a round trip takes rtt_s or more. Infinite without SACK, where each duplicate
 * that arrives lets another packet go.
 *
 * With SACK every segment sent was let go by one that arrived for the first time (self-clocking), by the
 * window's growth (at most one for each of those), by the half of the window that a recovery keeps (which has
 * grown before), by the initial window, or by a timer. Timeouts are rto_min apart, and double until something
 * new arrives; a tail-loss probe goes when nothing has arrived for two round trips.
 */
double wi_tcp_sends_most(const net_class *c, double segments, double time_s, double rtt_s);

/* Segments of all `flows` transfers of a class together, over their number: what they hardly ever exceed.
 * Infinite where the size's tail is a power law or a table's. */
double wi_tcp_segments_most(const net_class *c, uint64_t flows);

#endif
