/*
 * DCTCP: RFC 8257. Its receiver echoes each mark as it is (NET_CLASS_ECHO, receiver.h), or counts them (NET_CLASS_ACE), so
 * that the sender knows the share M of the bytes of a window that were marked, and once a window moves its estimate
 *
 *     alpha <- (1 - g) alpha + g M,   g = 1/16, alpha = 1 at first     (section 3.3, steps 6 and 7; section 4.2)
 *
 * A mark, at most once a window, leaves cwnd (1 - alpha / 2) (equation 2 there, step 9). Losses halve as Reno's do, and
 * growth is Reno's by bytes (congestion/aimd.h).
 */
#ifndef WI_NET_CONGESTION_DCTCP_H
#define WI_NET_CONGESTION_DCTCP_H

#include "net/congestion/aimd.h"

#define NET_DCTCP_G 0.0625

typedef struct net_dctcp {
    double alpha;
    uint64_t rest;
    uint32_t window_end, acked, marked; /* bytes of the window so far */
    uint32_t begun;
} net_dctcp;

enum { net_dctcp_traits = NET_CLASS_ECHO };

WEIR_FN void net_dctcp_init(net_dctcp *s, net_tx *tx, const net_class *c)
{
    (void)tx, (void)c;
    s->alpha = 1.0;
    s->rest = 0;
    s->window_end = s->acked = s->marked = s->begun = 0;
}

/* Count what an ACK acknowledges; a window is over when all is that was outstanding as it began. */
WEIR_FN void net_dctcp_watch(net_dctcp *s, const net_tx *tx, const net_cc_event *e)
{
    if (!s->begun) {
        s->begun = 1;
        s->window_end = tx->nxt;
    }
    s->acked += e->acked;
    s->marked += e->marked;
    if (!net_seq_before(s->window_end, tx->una) || s->acked == 0)
        return;
    const double share = net_cc_share(s->marked, s->acked);
    s->alpha = (1.0 - NET_DCTCP_G) * s->alpha + NET_DCTCP_G * share;
    s->window_end = tx->nxt;
    s->acked = s->marked = 0;
}

WEIR_FN void net_dctcp_on_ack(net_dctcp *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    net_dctcp_watch(s, tx, e);
    if (e->grows)
        net_aimd_grow(&s->rest, tx, c, net_cc_opens(e));
}

WEIR_FN uint32_t net_dctcp_on_loss(net_dctcp *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    s->rest = 0;
    if (e->sign != NET_CC_MARKED)
        return net_aimd_half(c, e->flight);
    const uint32_t left = (uint32_t)((1.0 - s->alpha / 2.0) * (double)tx->cwnd), least = 2u * c->mss_bytes;
    return left > least ? left : least;
}

NET_CC_NO_UNDO(dctcp)
NET_CC_NO_IDLE(dctcp)
NET_CC_NO_TIMES(dctcp)
NET_CC_NO_PACE(dctcp)

#endif
