/*
 * Ha's and Rhee's HyStart as Linux has it (net/ipv4/tcp_cubic.c, version 2.3), for comparisons with what Linux does. Slow
 * start ends at once, from 16 segments on, where
 *
 *   the round trip is above the least by an eighth of it (4 to 16 ms), by the least of the round after its eighth sample; or
 *   ACKs have come within 2 ms of each other for half the least round trip, for all of it where the flow is paced.
 *
 * After a timeout it begins anew. An ACK opens the window by what it acknowledges. Departure: Linux adds the time that
 * four of its largest packets take at the flow's rate, 1 ms at most, to the second; there are none here.
 */
#ifndef WI_NET_CONGESTION_HYSTART_LINUX_H
#define WI_NET_CONGESTION_HYSTART_LINUX_H

#include "net/congestion/hystart.h"

enum { NET_HYSTART_LOW_WINDOW = 16 };

/* Times are in units of 2^16 ps. */
typedef struct net_hystart_linux {
    uint32_t window_end;            /* sequence number that ends the round */
    uint32_t least, current;        /* round trips: of the flow, of this round */
    uint32_t round_start, last_ack; /* the latter of a train */
    uint8_t found, samples, begun, reserved;
    uint32_t spare;
} net_hystart_linux;

WEIR_FN void net_hystart_linux_init(net_hystart_linux *h)
{
    h->window_end = h->round_start = h->last_ack = h->spare = 0;
    h->least = h->current = NET_HYSTART_NONE;
    h->found = h->samples = h->begun = h->reserved = 0;
}

/* Begin a round. */
WEIR_FN void net_hystart_linux_round(net_hystart_linux *h, const net_tx *tx, uint32_t now)
{
    h->round_start = h->last_ack = now;
    h->window_end = tx->nxt;
    h->current = NET_HYSTART_NONE;
    h->samples = 0;
    h->begun = 1;
}

/* The detectors. Returns whether slow start ends. */
WEIR_FN bool net_hystart_linux_detect(net_hystart_linux *h, const net_tx *tx, const net_class *c,
                                      uint32_t now, uint32_t rtt)
{
    const uint32_t close = (uint32_t)((2 * WEIR_PS_PER_MS) >> 16);
    bool found = false;
    if (!h->begun || net_seq_before(h->window_end, tx->una))
        net_hystart_linux_round(h, tx, now);
    if (now - h->last_ack <= close) {
        h->last_ack = now;
        found = now - h->round_start > (c->flags & NET_CLASS_PACED ? h->least : h->least / 2u);
    }
    h->current = rtt < h->current ? rtt : h->current;
    if (h->samples < NET_HYSTART_SAMPLES)
        h->samples++;
    else
        found = found || h->current > h->least + net_hystart_eighth(h->least);
    return found;
}

/* An ACK with a sample of the round trip. */
WEIR_FN void net_hystart_linux_sample(net_hystart_linux *h, net_tx *tx, const net_class *c,
                                      const net_cc_event *e)
{
    const uint32_t rtt = (uint32_t)((uint64_t)e->rtt_ps >> 16);
    h->least = rtt < h->least ? rtt : h->least;
    if (h->found || tx->cwnd >= tx->ssthresh || tx->cwnd < NET_HYSTART_LOW_WINDOW * c->mss_bytes)
        return;
    if (net_hystart_linux_detect(h, tx, c, (uint32_t)((uint64_t)e->now_ps >> 16), rtt)) {
        h->found = 1;
        tx->ssthresh = tx->cwnd;
    }
}

#endif
