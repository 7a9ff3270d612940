/*
 * Swift: G. Kumar and others, "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM
 * 2020, algorithms 1 and 2. With the delay of each ACK's round trip, and windows in segments that may be less than one,
 *
 *     delay < target: cwnd += ai acked / cwnd   (ai acked, below one segment)                       ai = 1
 *     otherwise:      cwnd *= max(1 - beta (delay - target) / delay, 1 - max_mdf), once a round trip  0.8, 0.5
 *     target = base + links hop + clamp(a / sqrt(cwnd) + b, 0, range)
 *     a = range / (1 / sqrt(0.1) - 1 / sqrt(100)), b = -a / sqrt(100)
 *
 * (section 3.5: topology-based scaling by the links that the ACK has come over, of which its TTL tells, and flow-based scaling
 * between 0.1 and 100 segments). A loss costs max_mdf, once a round trip, and so does a timeout, after
 * which one segment goes until it is acknowledged. Below one segment packets leave a round trip / cwnd apart. Left out: the delay at the
 * hosts, which have none here; and the least window after five timeouts.
 */
#ifndef WI_NET_CONGESTION_SWIFT_H
#define WI_NET_CONGESTION_SWIFT_H

#include "net/flow/congestion_event.h"
#include "weir/math.h"

#define NET_SWIFT_AI 1.0
#define NET_SWIFT_BETA 0.8
#define NET_SWIFT_MDF 0.5
#define NET_SWIFT_LEAST 0.001 /* segments */
#define NET_SWIFT_UNPACED (UINT64_C(1) << 60)

typedef struct WEIR_OVERLAY net_swift_params {
    weir_time target_ps, range_ps;
    weir_time hop_ps; /* 0: filled in as the network is built */
    weir_time
        longest_ps; /* of any pair: links times that; filled in, for fluid, whose classes have one target */
} net_swift_params;

typedef struct net_swift {
    double cwnd; /* segments */
    weir_time decreased_ps;
} net_swift;

enum { net_swift_traits = NET_CLASS_PACED };

WEIR_FN void net_swift_init(net_swift *s, net_tx *tx, const net_class *c)
{
    s->cwnd = (double)tx->cwnd / (double)c->mss_bytes;
    s->decreased_ps = 0;
    tx->ssthresh = tx->cwnd;
}

/* Algorithm 2, of a path whose links add so much. */
WEIR_FN double net_swift_target_ps(const net_swift_params *a, weir_time links_ps, double cwnd)
{
    const double low = 3.1622776601683795, high = 0.1; /* 1 / sqrt(0.1), 1 / sqrt(100) */
    const double range = (double)a->range_ps, slope = range / (low - high);
    double more = range > 0.0 ? slope * weir_pow(cwnd, -0.5) - slope * high : 0.0;
    more = more < 0.0 ? 0.0 : more > range ? range : more;
    return (double)(a->target_ps + links_ps) + more;
}

/* Bound the window, and set the sender's; in a recovery PRR has that, and ends at ssthresh. */
WEIR_FN void net_swift_set(net_swift *s, net_tx *tx, const net_class *c)
{
    const double mss = (double)c->mss_bytes, most = (double)c->window_bytes / mss;
    s->cwnd = s->cwnd < NET_SWIFT_LEAST ? NET_SWIFT_LEAST : s->cwnd > most ? most : s->cwnd;
    tx->ssthresh = (uint32_t)(s->cwnd * mss) + 1u;
    if (tx->state != NET_TX_RECOVERY)
        tx->cwnd = tx->ssthresh;
}

/* In recoveries and after timeouts too: a window that a burst of losses has left below a segment would mend them one by one. */
WEIR_FN void net_swift_on_ack(net_swift *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    if (e->rtt_ps <= 0)
        return;
    const net_swift_params *a = NET_CC_PARAMS(swift, c);
    const double delay = (double)e->rtt_ps, target = net_swift_target_ps(a, e->links * a->hop_ps, s->cwnd);
    const double acked = (double)e->acked / (double)c->mss_bytes;
    if (delay < target) {
        s->cwnd += s->cwnd >= 1.0 ? NET_SWIFT_AI * acked / s->cwnd : NET_SWIFT_AI * acked;
    } else if (e->now_ps - s->decreased_ps >= tx->srtt_ps) {
        const double by = NET_SWIFT_BETA * (delay - target) / delay;
        s->cwnd *= 1.0 - (by < NET_SWIFT_MDF ? by : NET_SWIFT_MDF);
        s->decreased_ps = e->now_ps;
    }
    net_swift_set(s, tx, c);
}

WEIR_FN uint32_t net_swift_on_loss(net_swift *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    if (s->decreased_ps == 0 || e->now_ps - s->decreased_ps >= tx->srtt_ps) {
        s->cwnd *= 1.0 - NET_SWIFT_MDF;
        s->decreased_ps = e->now_ps;
    }
    net_swift_set(s, tx, c);
    return tx->ssthresh;
}

WEIR_FN void net_swift_on_undo(net_swift *s, net_tx *tx, const net_class *c)
{
    s->cwnd = (double)tx->cwnd / (double)c->mss_bytes;
}

WEIR_FN void net_swift_on_idle(net_swift *s, net_tx *tx, const net_class *c, weir_time now_ps,
                               weir_time idle_ps)
{
    const double cwnd = (double)tx->cwnd / (double)c->mss_bytes;
    (void)now_ps, (void)idle_ps;
    s->cwnd = cwnd < s->cwnd ? cwnd : s->cwnd; /* the restart window */
}

WEIR_FN uint64_t net_swift_pace_bps(const net_swift *s, const net_tx *tx, const net_class *c,
                                    weir_time clock_ps)
{
    (void)clock_ps;
    if (s->cwnd >= 1.0 || tx->srtt_ps <= 0)
        return NET_SWIFT_UNPACED;
    return (uint64_t)(s->cwnd * 8e12 * (double)(c->mss_bytes + NET_HEADER_TCP) / (double)tx->srtt_ps) + 1u;
}

/* Its times, moved on. */
WEIR_FN void net_swift_move(net_swift *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    net_cc_move(&s->decreased_ps, by_ps);
}

#endif
