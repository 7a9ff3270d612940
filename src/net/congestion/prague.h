/*
 * Prague, a scalable control for L4S (RFC 9331): draft-briscoe-iccrg-prague-congestion-control-04, as TCP's reference
 * implementation on Linux has it. Packets carry ECT(1), marks are counted by AccECN (NET_CLASS_ACE; with `ecn: true` echoed one
 * by one, NET_CLASS_ECHO), and packets are paced. With R = max(SRTT, 25 ms), the virtual round trip that makes short ones no
 * more aggressive:
 *
 *     alpha <- alpha + g (M - alpha)           once an R, M the share of bytes marked in it, g = 1/16
 *     cwnd  <- (1 - alpha / 2) cwnd            on a mark, once an R
 *     cwnd  += (SRTT / R)^2 MSS acked / cwnd   on what is acknowledged without a mark, reductions notwithstanding
 *
 * The window is a real number of bytes; it does not fall below two segments. The first mark ends slow start with
 * alpha = 1. A loss halves. Left out: the fall-back on a bottleneck with classic ECN, which is off by default there.
 */
#ifndef WI_NET_CONGESTION_PRAGUE_H
#define WI_NET_CONGESTION_PRAGUE_H

#include "net/congestion/aimd.h"

#define NET_PRAGUE_G 0.0625
#define NET_PRAGUE_RTT_PS (25 * WEIR_PS_PER_MS)

typedef struct net_prague {
    double alpha, rest;             /* rest: part of a byte of cwnd */
    weir_time round_ps, reduced_ps; /* when this virtual round trip began; the last reduction */
    uint32_t acked, marked;         /* bytes in it */
} net_prague;

enum { net_prague_traits = NET_CLASS_ECHO | NET_CLASS_L4S | NET_CLASS_PACED };

WEIR_FN void net_prague_init(net_prague *s, net_tx *tx, const net_class *c)
{
    (void)tx, (void)c;
    s->alpha = 1.0;
    s->rest = 0.0;
    s->round_ps = s->reduced_ps = 0;
    s->acked = s->marked = 0;
}

/* R, which is at least 25 ms. */
WEIR_FN weir_time net_prague_rtt(const net_tx *tx)
{
    return tx->srtt_ps > NET_PRAGUE_RTT_PS ? tx->srtt_ps : NET_PRAGUE_RTT_PS;
}

/* Count what an ACK acknowledges; once in R move alpha. */
WEIR_FN void net_prague_watch(net_prague *s, const net_tx *tx, const net_cc_event *e)
{
    if (s->round_ps == 0)
        s->round_ps = e->now_ps;
    s->acked += e->acked;
    s->marked += e->marked;
    if (e->now_ps - s->round_ps < net_prague_rtt(tx) || s->acked == 0)
        return;
    if (tx->ssthresh != UINT32_MAX) /* before the first mark there is nothing to estimate */
        s->alpha += NET_PRAGUE_G * (net_cc_share(s->marked, s->acked) - s->alpha);
    s->round_ps = e->now_ps;
    s->acked = s->marked = 0;
}

WEIR_FN void net_prague_on_ack(net_prague *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    net_prague_watch(s, tx, e);
    if (!e->grows)
        return;
    if (tx->cwnd < tx->ssthresh) {
        net_aimd_slow_start(tx, c, net_cc_opens(e));
        return;
    }
    const double ratio = (double)tx->srtt_ps / (double)net_prague_rtt(tx);
    const double more = ratio * ratio * (double)c->mss_bytes * (double)e->acked / (double)tx->cwnd + s->rest;
    const uint32_t whole = (uint32_t)more;
    s->rest = more - (double)whole;
    tx->cwnd += whole;
}

WEIR_FN uint32_t net_prague_on_loss(net_prague *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    if (e->sign != NET_CC_MARKED)
        return net_aimd_half(c, e->flight);
    if (s->reduced_ps && e->now_ps - s->reduced_ps < net_prague_rtt(tx))
        return tx->cwnd;
    s->reduced_ps = e->now_ps;
    const uint32_t left = (uint32_t)((1.0 - s->alpha / 2.0) * (double)tx->cwnd), least = 2u * c->mss_bytes;
    return left > least ? left : least;
}

NET_CC_NO_UNDO(prague)
NET_CC_NO_IDLE(prague)
NET_CC_NO_PACE(prague)

/* Its times, moved on. */
WEIR_FN void net_prague_move(net_prague *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    net_cc_move(&s->round_ps, by_ps);
    net_cc_move(&s->reduced_ps, by_ps);
}

#endif
