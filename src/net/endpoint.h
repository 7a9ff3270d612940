/*
 * State of the two ends of a flow: a slot at the sending host, a slot at the receiving host.
 *
 * Sequence numbers are bytes modulo 2^32 and compare by signed difference. A slot that serves one flow after
 * another goes on counting, so that packets of an earlier flow are told from the present one's by `first`.
 */
#ifndef WI_NET_ENDPOINT_H
#define WI_NET_ENDPOINT_H

#include "weir/time.h"

enum { NET_RANGES = 8 }; /* disjoint runs of bytes that a scoreboard remembers */

WEIR_FN int net_seq_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

WEIR_FN uint32_t net_seq_max(uint32_t a, uint32_t b)
{
    return net_seq_before(a, b) ? b : a;
}

WEIR_FN uint32_t net_seq_min(uint32_t a, uint32_t b)
{
    return net_seq_before(a, b) ? a : b;
}

/* Sorted, disjoint, not touching: from[i] < to[i] < from[i + 1]. */
typedef struct net_ranges {
    uint32_t from[NET_RANGES], to[NET_RANGES];
} net_ranges;

/* Private state of a congestion control. */
typedef union net_cc_state {
    struct {
        uint32_t remainder; /* of the additive increase, so that no byte of it is lost to rounding */
    } newreno;
    uint64_t words[3];
} net_cc_state;

enum net_tx_state {
    NET_TX_FREE,
    NET_TX_SYN_SENT,
    NET_TX_OPEN,
    NET_TX_RECOVERY,
    NET_TX_LOSS,
    NET_TX_UDP,
    NET_TX_DONE
};
enum {
    NET_TX_TIMING = 1,
    NET_TX_CWR = 2,
    NET_TX_UNBOUNDED = 4,
    NET_TX_SENDING = 8,
    NET_TX_RTT_KNOWN = 16,
    NET_TX_STARTED = 32,
    NET_TX_TIMED_OUT = 64 /* the oldest segment has timed out already */
};

/* The sending end. TCP and UDP share it; UDP uses the identity, the application's and the statistics part. */
typedef struct net_tx {
    /* identity */
    uint32_t dst, rx_hint, first;
    uint16_t cls;
    uint8_t state, flags;
    /* window */
    uint32_t una;      /* oldest byte that is not acknowledged */
    uint32_t nxt;      /* next new byte */
    uint32_t recover;  /* recovery ends when this is acknowledged (RFC 6582); also paces ECN's reductions;
                          never far behind una, so that signed differences hold */
    uint32_t high_rtx; /* bytes below have been retransmitted in this recovery (HighRxt of RFC 6675) */
    uint32_t lost_to;  /* bytes below that no SACK covers count as lost */
    uint32_t cwnd, ssthresh; /* bytes */
    uint16_t dupacks;
    uint8_t backoff, n_ranges;
    net_ranges sacked;
    net_cc_state cc;
    /* timing, RFC 6298 */
    weir_time srtt_ps, rttvar_ps, timed_at_ps;
    weir_time rto_at_ps;   /* deadline; 0: off */
    weir_time timer_at_ps; /* the pending timer event that counts; 0: none */
    uint32_t timed_seq;
    /* application */
    uint32_t request; /* number of the request being answered */
    uint64_t left;    /* bytes not yet handed out; UDP: rate_bps while on */
    weir_time start_ps;
    uint64_t size; /* bytes of the flow; UDP: end of the on period, ps */
    /* statistics of the flow */
    uint64_t packets, acked_bytes, acks, rtt_sum_ns;
    uint32_t retransmissions, timeouts, recoveries, reductions, rtt_n;
    float rtt_min_s, rtt_max_s;
    uint32_t next_free;
} net_tx;
WEIR_STATIC_ASSERT(sizeof(net_tx) <= 272, "memory per flow is a stated goal");

enum { NET_RX_HAS_FIN = 1, NET_RX_DONE = 2, NET_RX_ECE = 4, NET_RX_LAST_CE = 8, NET_RX_DELAYED = 16 };

/* The receiving end. */
typedef struct net_rx {
    uint32_t flow;  /* the sender's slot plus 1; 0: free */
    uint32_t first; /* first byte of the flow that it receives */
    uint32_t rcv_nxt, fin_seq;
    uint16_t cls;
    uint8_t flags, n_ranges;
    uint8_t pending; /* full segments not yet acknowledged */
    uint8_t rotate;  /* which range the next ACK reports second */
    uint16_t reserved;
    uint32_t session;                 /* of the request that this answers, plus 1; 0: none */
    uint32_t sender;                  /* host entity */
    net_ranges ooo;                   /* received out of order */
    weir_time ack_at_ps, timer_at_ps; /* deadline of the delayed ACK, and the pending timer event; 0: none */
    /* statistics */
    uint64_t packets, bytes; /* bytes: delivered in order */
    uint64_t delay_sum_ns, jitter_ps, acks;
    weir_time last_delay_ps;
    float delay_min_s, delay_max_s;
    uint32_t duplicates, discarded; /* segments: received before; no room to remember */
} net_rx;
WEIR_STATIC_ASSERT(sizeof(net_rx) <= 176, "memory per flow is a stated goal");

/* A client that asks a server for replies, one after another. */
typedef struct net_session {
    uint32_t server, server_tx; /* host entity, and the server's sending slot for it */
    uint32_t number, tries;
    weir_time asked_at_ps, ask_at_ps; /* the pending ask or repetition that counts; 0: none */
    uint32_t rx;
    uint16_t cls, reserved;
    uint64_t replies, reply_time_ns;
} net_session;

/* A generator's changing side. */
typedef struct net_generator_state {
    uint32_t free_head; /* slot plus 1; 0: none */
    uint32_t next_dst;
    uint64_t arrivals, rejected;
} net_generator_state;

/* Add [from, to) to ranges, joining what touches. Returns 0 where there is no room for another range. */
WEIR_FN int net_ranges_add(net_ranges *r, uint8_t *n, uint32_t from, uint32_t to)
{
    uint32_t i = 0;
    while (i < *n && net_seq_before(r->to[i], from))
        i++;
    uint32_t k = i; /* ranges i .. k - 1 join the new one */
    while (k < *n && !net_seq_before(to, r->from[k])) {
        from = net_seq_min(from, r->from[k]);
        to = net_seq_max(to, r->to[k]);
        k++;
    }
    if (k == i) {
        if (*n == NET_RANGES)
            return 0;
        for (uint32_t j = *n; j > i; j--) {
            r->from[j] = r->from[j - 1];
            r->to[j] = r->to[j - 1];
        }
        (*n)++;
    } else {
        const uint32_t gone = k - i - 1;
        for (uint32_t j = k; gone > 0 && j < *n; j++) {
            r->from[j - gone] = r->from[j];
            r->to[j - gone] = r->to[j];
        }
        *n = (uint8_t)(*n - gone);
    }
    r->from[i] = from;
    r->to[i] = to;
    return 1;
}

/* Forget bytes below `seq`. */
WEIR_FN void net_ranges_trim(net_ranges *r, uint8_t *n, uint32_t seq)
{
    uint32_t gone = 0;
    while (gone < *n && !net_seq_before(seq, r->to[gone]))
        gone++;
    for (uint32_t i = gone; gone > 0 && i < *n; i++) {
        r->from[i - gone] = r->from[i];
        r->to[i - gone] = r->to[i];
    }
    *n = (uint8_t)(*n - gone);
    if (*n > 0 && net_seq_before(r->from[0], seq))
        r->from[0] = seq;
}

/* Bytes of [from, to) that ranges cover. */
WEIR_FN uint32_t net_ranges_covered(const net_ranges *r, uint8_t n, uint32_t from, uint32_t to)
{
    uint32_t covered = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = net_seq_max(r->from[i], from), b = net_seq_min(r->to[i], to);
        if (net_seq_before(a, b))
            covered += b - a;
    }
    return covered;
}

#endif
