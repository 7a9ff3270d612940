/*
 * Vegas: L. Brakmo and L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13(8),
 * 1995. Once a round trip, with the least round trip of that round and the least ever (base),
 *
 *     diff = cwnd (RTT - base) / RTT     segments that the flow has in queues
 *
 * is held between alpha = 2 and beta = 4 by a segment a round trip. Slow start doubles the window every other round trip; after
 * the one between, in which it stays, it ends above gamma = 1, with the window that the path alone would need (section IV.C).
 * Losses are Reno's. alpha, beta and gamma are as Linux's tcp_vegas has them.
 */
#ifndef WI_NET_CONGESTION_VEGAS_H
#define WI_NET_CONGESTION_VEGAS_H

#include "net/congestion/aimd.h"

typedef struct net_vegas {
    weir_time base_ps, least_ps; /* least round trips: ever, and of this round; 0: none yet */
    uint64_t rest;
    uint32_t round_end;
    uint32_t samples : 31, stays : 1; /* in this round of slow start */
} net_vegas;

enum { net_vegas_traits = 0, NET_VEGAS_ALPHA = 2, NET_VEGAS_BETA = 4, NET_VEGAS_GAMMA = 1 };

WEIR_FN void net_vegas_init(net_vegas *s, net_tx *tx, const net_class *c)
{
    (void)c;
    s->base_ps = s->least_ps = 0;
    s->rest = 0;
    s->round_end = tx->una;
    s->samples = s->stays = 0;
}

/* A round is over. With fewer than three samples a delayed ACK could be all that was seen: Reno's growth goes on. */
WEIR_FN void net_vegas_round(net_vegas *s, net_tx *tx, const net_class *c)
{
    const uint32_t mss = c->mss_bytes;
    const double queued = (double)tx->cwnd * (double)(s->least_ps - s->base_ps) / (double)s->least_ps;
    const double segments = queued / (double)mss;
    if (tx->cwnd < tx->ssthresh) {
        if (s->stays && segments > NET_VEGAS_GAMMA) {
            const uint32_t needs = tx->cwnd - (uint32_t)queued + mss;
            tx->cwnd = needs < tx->cwnd ? needs : tx->cwnd;
            tx->ssthresh = tx->cwnd > 2 * mss ? tx->cwnd : 2 * mss;
        }
    } else if (segments > NET_VEGAS_BETA) {
        tx->cwnd = tx->cwnd > 3 * mss ? tx->cwnd - mss : 2 * mss;
        tx->ssthresh = tx->cwnd < tx->ssthresh ? tx->cwnd : tx->ssthresh;
    } else if (segments < NET_VEGAS_ALPHA) {
        tx->cwnd += mss;
    }
}

WEIR_FN void net_vegas_on_ack(net_vegas *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    if (e->rtt_ps > 0) {
        s->base_ps = s->base_ps == 0 || e->rtt_ps < s->base_ps ? e->rtt_ps : s->base_ps;
        s->least_ps = s->samples == 0 || e->rtt_ps < s->least_ps ? e->rtt_ps : s->least_ps;
        s->samples++;
    }
    if (!e->grows)
        return;
    const int slow = tx->cwnd < tx->ssthresh;
    if (net_seq_before(s->round_end, tx->una)) {
        const uint32_t samples = s->samples;
        if (samples > 2)
            net_vegas_round(s, tx, c);
        s->round_end = tx->nxt;
        s->samples = 0;
        s->stays = slow && !s->stays;
        if (samples <= 2)
            net_aimd_grow(&s->rest, tx, c, net_cc_opens(e));
    } else if (slow && !s->stays) {
        net_aimd_slow_start(tx, c, net_cc_opens(e));
    }
}

WEIR_FN uint32_t net_vegas_on_loss(net_vegas *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    s->samples = 0;
    s->rest = 0;
    s->round_end = tx->nxt;
    return net_aimd_half(c, e->flight);
}

NET_CC_NO_UNDO(vegas)
NET_CC_NO_IDLE(vegas)
NET_CC_NO_TIMES(vegas)
NET_CC_NO_PACE(vegas)

#endif
