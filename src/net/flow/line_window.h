/* What controls share that reckon in the rate of the host's line and the base round trip: their first parameters, the product of
 * the two, a window in the transport's terms, round trips, and what a timeout leaves. */
#pragma once

#include "net/flow/congestion_event.h"

/* The parameters of a control with NET_CLASS_LINE begin with these. 0: filled in as the network is built. */
typedef struct WEIR_OVERLAY net_line_params {
    uint64_t line_bps;
    weir_time base_ps;
} net_line_params;

/* What the line carries in the base round trip, bytes. */
WEIR_FN double net_line_most(const net_line_params *a)
{
    return (double)a->line_bps * (double)a->base_ps / 8e12;
}

/* Set the sender's window, of payload, to one of whole packets: a segment may go while less than `window` is outstanding. */
WEIR_FN void net_line_set(net_tx *tx, const net_class *c, double window)
{
    const double payload = window * (double)c->mss_bytes / (double)(c->mss_bytes + NET_HEADER_TCP);
    const double cwnd = payload + (double)(c->mss_bytes - 1u);
    tx->cwnd = cwnd < (double)c->window_bytes ? (uint32_t)cwnd : c->window_bytes;
}

/* Whether a round trip is over, as the ACK comes of what was sent since the last one was, at *moved_ps; in recoveries too, where no
 * sequence number would tell. What ACKs echo is known to 2^16 ps (flow/ack.h). */
WEIR_FN bool net_line_turns(weir_time *moved_ps, const net_cc_event *e)
{
    if (e->sent_ps + 65536 < *moved_ps)
        return false;
    *moved_ps = e->now_ps;
    return true;
}

/* After a timeout the window is a packet, from which the control's law opens it, until what was lost is mended to half of what was in
 * flight (RFC 5681, section 3.1): the law alone would overflow the same queue each time. An RDMA NIC's stays. Returns the threshold. */
WEIR_FN uint32_t net_line_on_loss(double *window, weir_time *moved_ps, const net_class *c,
                                  const net_cc_event *e)
{
    if (e->sign != NET_CC_TIMEOUT || c->flags & NET_CLASS_RDMA)
        return c->window_bytes;
    *window = (double)(c->mss_bytes + NET_HEADER_TCP);
    *moved_ps = e->now_ps;
    return e->flight / 2u > 2u * c->mss_bytes ? e->flight / 2u : 2u * c->mss_bytes;
}

/* A window, or the most that one may be now: what the line carries, and after a timeout the threshold. */
WEIR_FN double net_line_bound(const net_line_params *a, const net_tx *tx, double window)
{
    const double line = net_line_most(a), threshold = tx->state == NET_TX_LOSS ? (double)tx->ssthresh : line;
    const double most = threshold < line ? threshold : line;
    return window < most ? window : most;
}

/* The inverse of net_line_set, for a timeout that was for nothing; within a packet. */
WEIR_FN double net_line_of(const net_tx *tx, const net_class *c)
{
    const uint32_t more = c->mss_bytes - 1u, payload = tx->cwnd > more ? tx->cwnd - more : tx->cwnd;
    return (double)payload * (double)(c->mss_bytes + NET_HEADER_TCP) / (double)c->mss_bytes;
}

/* The rate of a window in each base round trip. */
WEIR_FN uint64_t net_line_pace_bps(const net_line_params *a, double window)
{
    return (uint64_t)(window * 8e12 / (double)a->base_ps) + 1u;
}
