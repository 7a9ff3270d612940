/*
 * Congestion control behind one interface, and the list of controls from which the engines' switch, the scenario's
 * words and the tables of the host are made: X(NUMBER, name, doc).
 *
 * A control is a file congestion/NAME.h, an #include and a line here; docs/transport.md has an example. The file defines
 *   net_NAME           its private state: plain data, in the flow's slot where it has 16 bytes or less, otherwise in
 *                      words beside the flow's window, which classes of other controls do not have
 *   net_NAME_traits    an enum constant: flags of net_class that come with it (NET_CLASS_PACED ...), or 0
 *   net_NAME_init      a flow begins; cwnd is set to the initial window before
 *   net_NAME_on_ack    an ACK of something new: grow cwnd, where event.grows
 *   net_NAME_on_loss   a loss or a mark: returns the new slow-start threshold, at least two segments
 *   net_NAME_on_undo   a timeout was spurious; cwnd and ssthresh are as before it again
 *   net_NAME_on_idle   a lasting connection (lasting.h) sends again; cwnd may have been set to the restart window
 *   net_NAME_pace_bps  of classes with NET_CLASS_PACED: rate at which packets leave, headers included; 0: by the window. Its clock
 *                      stands while the host is paused (event.clock_ps)
 *   net_NAME_move      every time that it keeps is moved on by a span (skip/times.h)
 *   net_NAME_params    a `struct WEIR_OVERLAY` of at most the words of net_class.cc, if it has parameters; the scenario's
 *                      keys fill it (keys/congestion), and these functions read it by NET_CC_PARAMS
 * What a control has no use for it leaves to NET_CC_NO_ACK, NET_CC_NO_LOSS, ... (flow/congestion_event.h). All sizes are bytes.
 */
#ifndef WI_NET_CONGESTION_CONGESTION_H
#define WI_NET_CONGESTION_CONGESTION_H

#include "net/congestion/bbr.h"
#include "net/congestion/bbr3.h"
#include "net/congestion/cubic.h"
#include "net/congestion/dcqcn.h"
#include "net/congestion/dctcp.h"
#include "net/congestion/hpcc.h"
#include "net/congestion/ledbat.h"
#include "net/congestion/ndp.h"
#include "net/congestion/newreno.h"
#include "net/congestion/nscc.h"
#include "net/congestion/powertcp.h"
#include "net/congestion/prague.h"
#include "net/congestion/swift.h"
#include "net/congestion/timely.h"
#include "net/congestion/vegas.h"
#include "net/flow/segments.h"

#ifdef WEIR_EXTRA_NET /* as in net/queue/queues.h */
#include WEIR_EXTRA_NET
#else
#define NET_CONGESTIONS_EXTRA(X)
#endif

// clang-format off
#define NET_CONGESTIONS(X)                                                                                   \
    X(NEWRENO, newreno, "RFC 5681 with RFC 6582")                                                            \
    X(CUBIC, cubic, "RFC 9438 with HyStart++ (RFC 9406)")                                                    \
    X(DCTCP, dctcp, "RFC 8257; needs queues that mark")                                                       \
    X(PRAGUE, prague, "scalable, for L4S: draft-briscoe-iccrg-prague-congestion-control-04")                 \
    X(VEGAS, vegas, "Brakmo and Peterson, 1995: a few segments in queues")                                   \
    X(LEDBAT, ledbat, "RFC 6817: yields to all other traffic")                                               \
    X(SWIFT, swift, "Kumar and others, 2020: a target of delay in data centres")                             \
    X(BBR, bbr, "version 1: Cardwell and others, 2016")                                                      \
    X(BBR3, bbr3, "version 3: draft-ietf-ccwg-bbr-04")                                                       \
    X(DCQCN, dcqcn, "Zhu and others, 2015: a rate, for RoCE; needs queues that mark")                                 \
    X(HPCC, hpcc, "Li and others, 2019: by the load that ports tell, as PINT has it")                       \
    X(TIMELY, timely, "Mittal and others, 2015: a rate, by the gradient of the round trip")                 \
    X(POWERTCP, powertcp, "Addanki and others, 2022: by the power that ports tell")                         \
    X(THETA_POWERTCP, theta_powertcp, "the same, by round trips alone")                                     \
    X(NDP, ndp, "Handley and others, 2017: receivers pull packets; wants queues that trim")                 \
    X(NSCC, nscc, "Ultra Ethernet's at senders: a window; wants queues that trim and mark")                 \
    X(RCCC, rccc, "Ultra Ethernet's at receivers: credits; wants queues that trim")                         \
    NET_CONGESTIONS_EXTRA(X)
// clang-format on

enum net_congestion {
#define X(number, name, doc) NET_CC_##number,
    NET_CONGESTIONS(X)
#undef X
        NET_CC_TYPES
};

/* Words of a control's state beside the window; 0: it fits into the slot. */
#define NET_CC_WORDS(name) \
    (sizeof(name) <= sizeof(uint64_t[2]) ? 0u : (uint32_t)((sizeof(name) + 7u) / sizeof(uint64_t)))

/* Words of a control's state beside the window. */
WEIR_FN uint32_t net_cc_words(uint32_t congestion)
{
    switch (congestion) {
#define X(number, name, doc) \
    case NET_CC_##number:    \
        return NET_CC_WORDS(net_##name);
        NET_CONGESTIONS(X)
#undef X
    }
    return 0;
}

/* Flags of a class that come with its control. */
WEIR_FN uint32_t net_cc_traits(uint32_t congestion)
{
    switch (congestion) {
#define X(number, name, doc) \
    case NET_CC_##number:    \
        return net_##name##_traits;
        NET_CONGESTIONS(X)
#undef X
    }
    return 0;
}

/* A flow's state of its control, of `words` beside the window; touched, as whoever asks will write. */
WEIR_FN void *net_cc_at(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t words)
{
    if (words == 0)
        return tx->cc.words;
    const uint32_t first = NET_TX_ROWS(c->flags) * c->map_words + NET_TX_WORDS(c->flags);
    void *at = weir_slot(ctx, NET_POOL_WINDOW, tx->map + first, (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, at, words * (uint32_t)sizeof(uint64_t));
    return at;
}

#define NET_CC_OF(name) ((net_##name *)net_cc_at(ctx, tx, c, NET_CC_WORDS(net_##name)))

NET_RARE void net_cc_init(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    switch (c->congestion) {
#define X(number, name, doc)                       \
    case NET_CC_##number:                          \
        net_##name##_init(NET_CC_OF(name), tx, c); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

NET_RARE void net_cc_on_ack_of(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    switch (c->congestion) {
#define X(number, name, doc)                            \
    case NET_CC_##number:                               \
        net_##name##_on_ack(NET_CC_OF(name), tx, c, e); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

WEIR_FN void net_cc_on_ack(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    if (c->congestion == NET_CC_NEWRENO) /* a few instructions: no call */
        net_newreno_on_ack(NET_CC_OF(newreno), tx, c, e);
    else
        net_cc_on_ack_of(ctx, tx, c, e);
    if (e->grows && tx->cwnd > c->window_bytes && tx->cwnd >= tx->ssthresh) /* beyond the receiver's window */
        tx->cwnd = c->window_bytes;
}

NET_RARE uint32_t net_cc_on_loss(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    switch (c->congestion) {
#define X(number, name, doc) \
    case NET_CC_##number:    \
        return net_##name##_on_loss(NET_CC_OF(name), tx, c, e);
        NET_CONGESTIONS(X)
#undef X
    }
    return e->flight / 2;
}

NET_RARE void net_cc_on_undo(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    switch (c->congestion) {
#define X(number, name, doc)                          \
    case NET_CC_##number:                             \
        net_##name##_on_undo(NET_CC_OF(name), tx, c); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

NET_RARE void net_cc_on_idle(weir_ctx *ctx, net_tx *tx, const net_class *c, weir_time idle_ps)
{
    switch (c->congestion) {
#define X(number, name, doc)                                                  \
    case NET_CC_##number:                                                     \
        net_##name##_on_idle(NET_CC_OF(name), tx, c, weir_now(ctx), idle_ps); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

/* Only for classes with NET_CLASS_PACED. Where the control has no rate of its own: as Linux paces, twice the window
 * a round trip in slow start, 1.2 times after it (tcp_pacing_ss_ratio, tcp_pacing_ca_ratio). */
NET_RARE uint64_t net_cc_pace_bps(weir_ctx *ctx, net_tx *tx, const net_class *c, weir_time clock_ps)
{
    uint64_t own = 0;
    switch (c->congestion) {
#define X(number, name, doc)                                           \
    case NET_CC_##number:                                              \
        own = net_##name##_pace_bps(NET_CC_OF(name), tx, c, clock_ps); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
    if (own || !(tx->flags & NET_TX_RTT_KNOWN) || tx->srtt_ps <= 0)
        return own;
    const double gain = tx->cwnd < tx->ssthresh / 2 ? 2.0 : 1.2;
    const double whole = (double)(c->mss_bytes + NET_HEADER_TCP) / (double)c->mss_bytes;
    return (uint64_t)(gain * whole * 8e12 * (double)tx->cwnd / (double)tx->srtt_ps) + 1u;
}

#endif
