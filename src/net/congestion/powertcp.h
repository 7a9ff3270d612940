/*
 * PowerTCP: V. Addanki, O. Michel and S. Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI 2022,
 * algorithms 1 and 2. The power of a queue is its current, what comes in a second, times its voltage, what is on the wire and
 * in the queue. With the rate b of a line, its queue q and the base round trip T, as a share of an empty line's:
 *
 *     power = ((dq/dt + sent/dt) / b) (q / (b T) + 1)              powertcp: the largest on the way, as ports tell it
 *     power = (dRTT/dt + 1) RTT / T                                theta_powertcp: by round trips alone
 *     W <- gain (W' / power + beta) + (1 - gain) W         beta = B T / expected_flows, B the rate of the host's line
 *
 * once a round trip, as an ACK comes of what was sent since W last moved. W' is the window until then, with which that was sent of which
 * the round trip's ACKs tell; power is their mean. It is smoothed over T: by ports (port/meter.h), as HPCC's load is here, and for
 * theta_powertcp by senders, which take the last. W is at most B T, with which flows begin, and packets leave at W / T.
 *
 * At rest power is 1 + q / (b T), so that W q / (q + b T) = beta for each flow; and as what is in flight is b T + q, the queue is
 * the sum of the flows' beta, n B T / expected_flows (theorem 1 and its proof), where each has less than B T.
 *
 * As in the authors' simulator (github.com/inet-tub/ns3-datacenter) no current is less than half the line: round trips fall at
 * once where a flow has paused. Departures: algorithm 1 moves W with each ACK of powertcp, which does not settle with ports' means; a
 * packet has no room for a record a hop, and what is lost is mended as TCP does, as for HPCC (hpcc.h).
 */
#ifndef WI_NET_CONGESTION_POWERTCP_H
#define WI_NET_CONGESTION_POWERTCP_H

#include "net/flow/ack.h"
#include "net/flow/line_window.h"
#include "net/port/meter.h"

typedef struct WEIR_OVERLAY net_powertcp_params {
    net_line_params line;
    double gain; /* gamma */
    double flows;
} net_powertcp_params;
typedef net_powertcp_params net_theta_powertcp_params;

typedef struct net_powertcp {
    double window, before; /* bytes: now, and until it last moved */
    double power, bytes;   /* since then: the sum over the bytes that ACKs have told of, and their number */
    weir_time moved_ps;    /* when that was, or the first ACK came; 0: not yet */
} net_powertcp;

typedef struct net_theta_powertcp {
    net_powertcp base;
    double power;             /* smoothed */
    weir_time rtt_ps, now_ps; /* of the last ACK; 0: none yet */
} net_theta_powertcp;

enum {
    net_powertcp_traits =
        NET_CLASS_PACED | NET_CLASS_OWN | NET_CLASS_LINE | NET_CLASS_INT | NET_CLASS_RATE | NET_CLASS_POWER,
    net_theta_powertcp_traits = NET_CLASS_PACED | NET_CLASS_OWN | NET_CLASS_LINE | NET_CLASS_RATE
};

WEIR_FN void net_powertcp_init(net_powertcp *s, net_tx *tx, const net_class *c)
{
    s->window = s->before = net_line_most(&NET_CC_PARAMS(powertcp, c)->line);
    s->power = s->bytes = 0.0;
    s->moved_ps = 0;
    tx->ssthresh = c->window_bytes;
    net_line_set(tx, c, s->window);
}

/* The law, by the power that is told. */
WEIR_FN void net_powertcp_take(net_powertcp *s, net_tx *tx, const net_class *c, double power)
{
    const net_powertcp_params *a = NET_CC_PARAMS(powertcp, c);
    const double most = net_line_most(&a->line), beta = most / a->flows;
    const double window = a->gain * (s->before / power + beta) + (1.0 - a->gain) * s->window;
    s->before = s->window;
    s->window = net_line_bound(&a->line, tx, window);
    net_line_set(tx, c, s->window);
}

/* Whether a round trip is over since the first ACK, or since W last moved. */
WEIR_FN bool net_powertcp_turns(net_powertcp *s, const net_cc_event *e)
{
    const bool known = s->moved_ps > 0;
    return net_line_turns(&s->moved_ps, e) && known;
}

WEIR_FN void net_powertcp_on_ack(net_powertcp *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    net_line_set(tx, c, s->window); /* after a timeout's */
    s->power += net_load_of(e->load) * e->delivered;
    s->bytes += e->delivered;
    if (net_powertcp_turns(s, e) && s->bytes > 0.0) {
        net_powertcp_take(s, tx, c, s->power / s->bytes);
        s->power = s->bytes = 0.0;
    }
}

WEIR_FN uint32_t net_powertcp_on_loss(net_powertcp *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)tx;
    const double window = s->window;
    const uint32_t threshold = net_line_on_loss(&s->window, &s->moved_ps, c, e);
    if (s->window != window) { /* what ACKs tell from now on is of the packet */
        s->before = s->window;
        s->power = s->bytes = 0.0;
    }
    return threshold;
}

WEIR_FN void net_powertcp_on_undo(net_powertcp *s, net_tx *tx, const net_class *c)
{
    s->window = s->before = net_line_of(tx, c);
}

NET_CC_NO_IDLE(powertcp)

/* Its times, moved on. */
WEIR_FN void net_powertcp_move(net_powertcp *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    net_cc_move(&s->moved_ps, by_ps);
}

WEIR_FN uint64_t net_powertcp_pace_bps(const net_powertcp *s, const net_tx *tx, const net_class *c,
                                       weir_time clock_ps)
{
    (void)tx, (void)clock_ps;
    return net_line_pace_bps(&NET_CC_PARAMS(powertcp, c)->line, s->window);
}

/* ---- by round trips ---- */

WEIR_FN void net_theta_powertcp_init(net_theta_powertcp *s, net_tx *tx, const net_class *c)
{
    net_powertcp_init(&s->base, tx, c);
    s->power = 1.0;
    s->rtt_ps = s->now_ps = 0;
}

/* The power of an ACK's round trip, smoothed over T: `current` is its share of what (dRTT/dt + 1) gives. ACKs that come so soon after
 * another that the unit of what they echo (flow/ack.h) would be a part of dRTT/dt are passed over: its least bends up their mean. */
WEIR_FN void net_theta_powertcp_sample(net_theta_powertcp *s, const net_class *c, const net_cc_event *e)
{
    const weir_time base_ps = NET_CC_PARAMS(powertcp, c)->line.base_ps, rtt_ps = e->now_ps - e->sent_ps;
    if (s->now_ps > 0 && e->now_ps - s->now_ps < INT64_C(32) << net_ack_format_of(c).unit)
        return;
    if (s->now_ps > 0) {
        const double base = (double)base_ps, since = (double)(e->now_ps - s->now_ps);
        const double share = since < base ? since / base : 1.0;
        const double current = ((double)(rtt_ps - s->rtt_ps) + since) / (since < base ? base : since),
                     least = NET_LEAST_CURRENT * share;
        s->power = (1.0 - share) * s->power + (current > least ? current : least) * ((double)rtt_ps / base);
    }
    s->rtt_ps = rtt_ps;
    s->now_ps = e->now_ps;
}

WEIR_FN void net_theta_powertcp_on_ack(net_theta_powertcp *s, net_tx *tx, const net_class *c,
                                       const net_cc_event *e)
{
    net_theta_powertcp_sample(s, c, e);
    net_line_set(tx, c, s->base.window); /* after a timeout's */
    if (net_powertcp_turns(&s->base, e))
        net_powertcp_take(&s->base, tx, c, s->power);
}

WEIR_FN uint32_t net_theta_powertcp_on_loss(net_theta_powertcp *s, net_tx *tx, const net_class *c,
                                            const net_cc_event *e)
{
    return net_powertcp_on_loss(&s->base, tx, c, e);
}

WEIR_FN void net_theta_powertcp_on_undo(net_theta_powertcp *s, net_tx *tx, const net_class *c)
{
    net_powertcp_on_undo(&s->base, tx, c);
}

NET_CC_NO_IDLE(theta_powertcp)

WEIR_FN uint64_t net_theta_powertcp_pace_bps(const net_theta_powertcp *s, const net_tx *tx,
                                             const net_class *c, weir_time clock_ps)
{
    return net_powertcp_pace_bps(&s->base, tx, c, clock_ps);
}

/* Its times, moved on. */
WEIR_FN void net_theta_powertcp_move(net_theta_powertcp *s, const net_class *c, weir_time by_ps)
{
    net_powertcp_move(&s->base, c, by_ps);
    net_cc_move(&s->now_ps, by_ps);
}

#endif
