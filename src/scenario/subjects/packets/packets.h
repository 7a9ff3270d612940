/* The packet network as a scenario's subject: put together, estimated, freed. */
#pragma once

#include "network/network.h"

/* Build all of it. `*out` is set on every path and may be given to wi_network_free. */
WEIR_NODISCARD weir_status wi_network_build(weir_diag *diag, const weir_scenario *scenario, wi_network **out);
void wi_network_free(wi_network *network);

/* estimate.c: entities, packets and memory of a network that is built. */
WEIR_NODISCARD weir_status wi_network_estimate(weir_diag *diag, const wi_network *network,
                                               weir_estimate *out);
/* estimate.c: WEIR_E_NOMEM, at the first class, where the state of a network that is built does not fit this machine. */
WEIR_NODISCARD weir_status wi_network_fits(weir_diag *diag, const wi_network *network);

/*
 * most.c: segments that a connection sends at most, retransmissions included, when `segments` different ones can
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
