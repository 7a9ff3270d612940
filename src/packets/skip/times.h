/*
 * Every absolute time in the state of a network, and in packets that are pending, moved on by one span: the network stands then as it
 * did, that much later. What has happened is not moved (when a flow began, a gate opened), nor what comes from outside
 * (a processor's computing, a client's next request, the clock of LEDBAT's minutes).
 *
 * Many times are kept in units: 2^16 ps is a multiple of all of them, so a span that is a multiple of that moves each exactly.
 */
#pragma once

#include "packets/build/build.h"
#include "weir/engine.h"

#define WI_NET_SPAN_UNIT_PS (INT64_C(1) << 16)

/* Move the states of n entities on, and of all that is theirs. All state has been fetched; over ranks each has its own copy, and all
 * call. A switch with a shared memory: all of its ports. span_ps: a multiple of the unit. */
void wi_net_move_state(const wi_net *net, weir_sim *sim, const uint32_t *entities, uint32_t n,
                       weir_time span_ps);

/* Move what a pending event carries; not the event's own time. */
void wi_net_move_payload(const wi_net *net, weir_event *event, weir_time span_ps);

/*
 * Whether an event is of the network itself: packets, the timers and turns of flows, what ports wait for. The others come from
 * outside at times of their own: starts, arrivals, requests, computing that ends, packets of UDP that come at random or by a trace.
 */
bool wi_net_is_inner(const wi_net *net, const weir_event *event);
