/*
 * State of the two ends of a flow: a slot at the sending host, a slot at the receiving host.
 *
 * Sequence numbers are bytes modulo 2^32 and compare by signed difference. A slot that serves one flow after
 * another goes on counting, so that `first` distinguishes packets of an earlier flow from the present one's.
 */
#pragma once

#include "weir/time.h"

/* Whether a sequence number is before another. */
WEIR_FN bool net_seq_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* The later of two sequence numbers. */
WEIR_FN uint32_t net_seq_max(uint32_t a, uint32_t b)
{
    return net_seq_before(a, b) ? b : a;
}

/* Private state of a congestion control, as far as it fits here (congestion.h), and of its pacing. */
typedef struct net_cc_state {
    uint64_t words[2];
    weir_time pace_at_ps; /* before which a paced flow sends no more */
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
    NET_TX_CWR = 1,
    NET_TX_UNBOUNDED = 2,
    NET_TX_SENDING = 4,
    NET_TX_RTT_KNOWN = 8,
    NET_TX_STARTED = 16,
    NET_TX_TIMED_OUT = 32, /* the oldest segment has timed out already */
    NET_TX_PARTIAL = 64,   /* this recovery has had a partial ACK */
    NET_TX_RACK = 128,     /* rack_sent, rack_end and rack_rtt are known */
    NET_TX_REORDERED = 256,
    NET_TX_PROBE = 512,        /* a loss probe is out, */
    NET_TX_PROBE_AGAIN = 1024, /* with data sent before */
    NET_TX_DOUBT = 2048,       /* the alarm is RACK's; else it is the probe's */
    NET_TX_FRTO = 4096,        /* the first ACK after a timeout is awaited, */
    NET_TX_FRTO_NEW = 8192,    /* or the second, and until then only new data goes */
    NET_TX_RUN_NEW = 16384,    /* new data has gone since runs_now */
    NET_TX_DSACKED = 32768     /* a D-SACK has come since dsack_round's round began */
};

/* What a sender of a class with these flags has in NET_POOL_WINDOW: rows of net_class.map_words words each, and
 * words beside them. */
enum { NET_RUNS = 8 };
#define NET_TX_ROWS(flags) ((flags)&NET_CLASS_RACK ? 2u : (flags)&NET_CLASS_SACK ? 1u : 0u)
enum { NET_VALIDATING_WORDS = 13 };
#define NET_LASTING_WORDS(flags) ((flags)&NET_CLASS_VALIDATES ? (uint32_t)NET_VALIDATING_WORDS : 1u)
#define NET_TX_WORDS(flags)                               \
    (((flags)&NET_CLASS_RACK ? (uint32_t)NET_RUNS : 0u) + \
     ((flags)&NET_CLASS_LASTS ? NET_LASTING_WORDS(flags) : 0u))

/*
 * The sending end. TCP and UDP share it; UDP uses the identity, the application's and the statistics part.
 * Segments are counted from `una`: number k is the k-th after the oldest that is not acknowledged. Each has
 * mss bytes, but the flow's last.
 */
typedef struct net_tx {
    /* identity */
    uint32_t dst, rx_hint, first;
    uint16_t cls;
    uint32_t state : 4, backoff : 4;
    uint32_t reo_steps : 8; /* quarters above the first */
    uint16_t flags, dupacks;
    /* window */
    uint32_t una;     /* oldest byte that is not acknowledged */
    uint32_t nxt;     /* next new byte */
    uint32_t recover; /* recovery ends when this is acknowledged (RFC 6582); also paces ECN's reductions;
                         never far behind una, so that signed differences hold */
    uint32_t cwnd, ssthresh; /* bytes */
    /* scoreboard */
    uint32_t map;           /* first word of the slot's rows in NET_POOL_WINDOW */
    uint32_t base;          /* bit of segment 0 in each row; any while all rows are empty */
    uint32_t n_out;         /* segments between una and nxt */
    uint32_t n_sacked : 24; /* of these: SACKed, */
    uint32_t ace : 8;       /* beside it: AccECN's counter in the last ACK that told of something */
    uint32_t n_lost;        /* not SACKed and below lost_to; RACK: lost, and not sent again, */
    union {
        uint32_t n_again;    /* not SACKed and below again_to */
        uint32_t undo_since; /* RACK: when the recovery began whose reduction may be undone; 0: none may */
        uint32_t backed_off; /* NDP: when the timeout was last doubled, in units of 2^16 ps */
    };
    uint32_t lost_to; /* segments below that are not SACKed count as lost; RACK: none below is lost */
    union {
        uint32_t again_to; /* segments below have been sent again in this recovery (HighRxt of RFC 6675) */
        uint32_t last_new; /* RACK: when new data went last */
    };
    uint32_t sack_top; /* one above the highest SACKed segment; 0: none */
    union {
        uint32_t rescue;      /* byte that must be acknowledged before a rescue retransmission (RescueRxt) */
        uint32_t dsack_round; /* RACK: byte that ends the round of the last D-SACK that counted */
    };
    net_cc_state cc;
    /* timing, RFC 6298 */
    weir_time srtt_ps, rttvar_ps;
    weir_time rto_at_ps;   /* deadline; 0: off */
    weir_time timer_at_ps; /* the pending timer event that counts; 0: none */
    /* RFC 8985, 9937, 5682: classes with NET_CLASS_RACK. Times are in units of 2^16 ps. */
    weir_time alarm_at_ps;        /* when a probe goes, or what is in doubt is lost; 0: off */
    uint32_t rack_sent, rack_end; /* what was sent last of all that is delivered: when, and its end */
    uint32_t rack_rtt, min_rtt;   /* its round trip; the least of the flow */
    uint32_t runs_now;            /* the latest run's time */
    uint32_t probe_end;           /* TLP.end_seq */
    uint32_t prr_out;             /* bytes in this recovery */
    union {
        uint32_t prr_delivered; /* in recovery: bytes */
        uint32_t used;          /* outside: the most bytes that have been out, for about a window */
    };
    union {
        uint32_t prr_flight; /* when the recovery began */
        uint32_t used_to;    /* byte that ends that window */
    };
    uint32_t n_runs : 4, runs_again : 8; /* runs, and a bit for each that was sent again */
    uint32_t reo_left : 5;               /* recoveries until reo_steps go */
    uint32_t owed : 15;                  /* of the next turns, in two bytes (transport/turn.h) */
    union {
        uint32_t undo_cwnd; /* before the timeout, or the recovery */
        uint32_t nacks;     /* NET_CLASS_RDMA, NDP: that have come */
    };
    uint32_t undo_ssthresh;
    /* application */
    uint32_t request; /* number of the request being answered */
    uint32_t sent_at; /* with flowlets: when a packet went last, in units of 2^16 ps */
    uint64_t left;    /* bytes not yet handed out; UDP: rate_bps while on */
    weir_time start_ps;
    uint64_t size; /* bytes of the flow; UDP: end of the on period, ps */
    /* statistics of the flow */
    uint64_t packets, acked_bytes, acks, rtt_sum_ns;
    uint32_t retransmissions, timeouts, recoveries, reductions, rtt_n;
    float rtt_min_s, rtt_max_s;
    uint32_t
        next; /* slot + 1 behind it: in its host's ring of turns, 0: it is in none; of a free slot: among these */
} net_tx;
WEIR_STATIC_ASSERT(sizeof(net_tx) <= 288, "memory per flow is a stated goal");

enum { NET_RX_BLOCKS = 3 }; /* SACK blocks that a receiver remembers to repeat */
enum { NET_RX_HAS_FIN = 1, NET_RX_DONE = 2, NET_RX_ECE = 4 };
/* NDP: the slot is in its host's ring of pulls, whichever flow it serves; all of the flow has been sent once. */
enum { NET_RX_PULLING = 32, NET_RX_ALL_SENT = 64 };
/* Ultra Ethernet: the sender has asked for an answer, and segments were missing then. */
enum { NET_RX_ASKED = 8 };

/* NDP: pulls to be sent, and how many have been; Ultra Ethernet: of these, how many beyond what the sender wants. */
typedef struct net_rx_pulls {
    uint32_t owed : 20, idle : 12;
    uint32_t pulled;
} net_rx_pulls;

/* The receiving end. */
typedef struct net_rx {
    uint32_t flow;  /* the sender's slot plus 1; 0: free */
    uint32_t first; /* first byte of the flow that it receives */
    uint32_t rcv_nxt, fin_seq;
    uint16_t cls;
    uint8_t flags;
    uint8_t pending;  /* full segments not yet acknowledged */
    uint32_t session; /* of the request that this answers, plus 1; 0: none */
    uint32_t sender;  /* host entity */
    /* received out of order: a bit a segment, counted from rcv_nxt */
    uint32_t map;        /* the row's first word in NET_POOL_WINDOW */
    uint32_t base;       /* bit of segment 0; any while the row is empty */
    uint32_t n_ooo : 24; /* segments */
    uint32_t ace : 8;    /* beside it: packets that came marked (AccECN) */
    uint32_t block[NET_RX_BLOCKS]
                  [2];   /* runs of them [from, to) that changed last, latest first; equal: none */
    uint32_t last_ack;   /* what the last ACK acknowledged; NDP: where the flow's last segment begins */
    uint32_t duplicates; /* segments received before */
    weir_time echo_ps;   /* TS.Recent of RFC 7323: when what the next ACK echoes was sent */
    union {
        weir_time ack_at_ps;  /* deadline of the delayed ACK; 0: none */
        weir_time nack_at_ps; /* NET_CLASS_GO_BACK: when this hole's next NACK may go; 0: it had none */
        net_rx_pulls pulls;
    };
    weir_time timer_at_ps; /* the pending timer event; 0: none */
    /* statistics */
    uint64_t packets, bytes; /* bytes: delivered in order */
    uint64_t delay_sum_ns, jitter_ps, acks;
    weir_time last_delay_ps;
    float delay_min_s, delay_max_s;
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
