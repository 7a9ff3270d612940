/*
 * Leaving slow start before it overshoots: HyStart++, RFC 9406, section 4.
 *
 * A round is the time in which what was outstanding at its start is acknowledged. Where the least round trip of a
 * round is above that of the last one by an eighth (4 to 16 ms), slow start goes on at a quarter of its pace for five
 * rounds (conservative slow start, CSS), and then ends; where the round trip falls again, it was noise. For the first
 * slow start of a flow only. An ACK opens the window by what it acknowledges, at most L = 8 segments (section 4.3),
 * any number where the flow is paced.
 */
#ifndef WI_NET_CONGESTION_HYSTART_H
#define WI_NET_CONGESTION_HYSTART_H

#include "net/flow/congestion_event.h"

/* Round trips are in units of 2^16 ps, as RACK's; NET_HYSTART_NONE: not known. */
#define NET_HYSTART_NONE UINT32_MAX
enum { NET_HYSTART_SLOW, NET_HYSTART_CSS, NET_HYSTART_OFF };
enum { NET_HYSTART_SAMPLES = 8, NET_HYSTART_DIVISOR = 4, NET_HYSTART_ROUNDS = 5, NET_HYSTART_L = 8 };

typedef struct net_hystart {
    uint32_t window_end; /* sequence number that ends the round */
    uint32_t last, current, baseline;
    uint8_t phase, samples, rounds, begun;
    uint32_t quarters; /* bytes that CSS still owes: a remainder of NET_HYSTART_DIVISOR */
} net_hystart;

/* Begin, or leave slow start as it is. */
WEIR_FN void net_hystart_init(net_hystart *h, int on)
{
    h->window_end = h->quarters = 0;
    h->last = h->current = h->baseline = NET_HYSTART_NONE;
    h->phase = on ? NET_HYSTART_SLOW : NET_HYSTART_OFF;
    h->samples = h->rounds = h->begun = 0;
}

/* RttThresh: an eighth of a round trip, within 4 and 16 ms. */
WEIR_FN uint32_t net_hystart_eighth(uint32_t rtt)
{
    const uint32_t least = (uint32_t)((4 * WEIR_PS_PER_MS) >> 16),
                   most = (uint32_t)((16 * WEIR_PS_PER_MS) >> 16);
    const uint32_t eighth = rtt / 8u;
    return eighth < least ? least : eighth > most ? most : eighth;
}

/* Begin a round; after five of CSS slow start ends. */
WEIR_FN void net_hystart_round(net_hystart *h, net_tx *tx)
{
    if (h->phase == NET_HYSTART_CSS && ++h->rounds >= NET_HYSTART_ROUNDS) {
        tx->ssthresh = tx->cwnd;
        h->phase = NET_HYSTART_OFF;
    }
    h->last = h->current;
    h->current = NET_HYSTART_NONE;
    h->samples = 0;
    h->window_end = tx->nxt;
    h->begun = 1;
}

/* An ACK in slow start with a sample of the round trip. */
WEIR_FN void net_hystart_sample(net_hystart *h, net_tx *tx, weir_time rtt_ps)
{
    const uint32_t rtt = (uint32_t)((uint64_t)rtt_ps >> 16);
    if (!h->begun || net_seq_before(h->window_end, tx->una))
        net_hystart_round(h, tx);
    if (h->phase == NET_HYSTART_OFF)
        return;
    if (rtt < h->current)
        h->current = rtt;
    if (h->samples < NET_HYSTART_SAMPLES && ++h->samples < NET_HYSTART_SAMPLES)
        return;
    if (h->phase == NET_HYSTART_CSS) {
        if (h->current < h->baseline) {
            h->baseline = NET_HYSTART_NONE;
            h->phase = NET_HYSTART_SLOW;
        }
    } else if (h->last != NET_HYSTART_NONE && h->current >= h->last + net_hystart_eighth(h->last)) {
        h->baseline = h->current;
        h->phase = NET_HYSTART_CSS;
        h->rounds = 0;
        h->quarters = 0;
    }
}

/* Slow start: grow cwnd, below ssthresh, for an ACK that grows it. */
WEIR_FN void net_hystart_grow(net_hystart *h, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const uint32_t most = NET_HYSTART_L * c->mss_bytes;
    uint32_t more = net_cc_opens(e);
    if (more > most && !(c->flags & NET_CLASS_PACED))
        more = most;
    if (h->phase != NET_HYSTART_OFF && e->rtt_ps > 0)
        net_hystart_sample(h, tx, e->rtt_ps);
    if (h->phase == NET_HYSTART_CSS) {
        h->quarters += more;
        more = h->quarters / NET_HYSTART_DIVISOR;
        h->quarters %= NET_HYSTART_DIVISOR;
    }
    if (tx->cwnd < tx->ssthresh)
        tx->cwnd += more;
}

#endif
