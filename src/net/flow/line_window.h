/* What controls share that reckon in the rate of the host's line and the base round trip: their first parameters, the product of
 * the two, and a window in the transport's terms. */
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

/* The rate of a window in each base round trip. */
WEIR_FN uint64_t net_line_pace_bps(const net_line_params *a, double window)
{
    return (uint64_t)(window * 8e12 / (double)a->base_ps) + 1u;
}
