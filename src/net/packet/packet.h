/*
 * What travels: the packet as an event's payload, the event types, and the records of the packet network.
 *
 * A packet names its flow by the sender's endpoint (its slot in the pool NET_POOL_TX, counted over all hosts)
 * and its destination by host entity. A slot may serve one flow after another; the first sequence number
 * distinguishes them. Where paths of equal cost share flows out, both directions need it at every hop: an ACK, whose
 * destination follows from its slot, has it in place of that (net_packet_dst, net_packet_number). One direction of a flow carries data, the other ACKs; a packet is one
 * or the other, so what only data needs shares room with what only ACKs need.
 */
#pragma once

#include <stdint.h>

#include "weir/fn.h"
#include "weir/time.h"

enum {
    NET_HEADER_TCP = 40, /* IPv4 and TCP without options, bytes */
    NET_HEADER_UDP = 28,
    NET_PACKET_LEAST = NET_HEADER_UDP /* no packet is shorter: it bounds the lookahead */
};

enum net_flag {
    NET_ACK = 1, /* travels from the receiver to the sender of the flow */
    NET_SYN = 2, /* opens the flow; no data */
    NET_FIN = 4, /* the flow's last data; in an ACK: all of the flow has arrived */
    NET_UDP = 8,
    NET_REQUEST = 16,       /* asks the flow's sender for the next reply */
    NET_ECT = 32,           /* ECN-capable: may be marked instead of dropped */
    NET_CE = 64,            /* marked; in an ACK: ECE */
    NET_CWR = 128,          /* the sender has reduced its window */
    NET_DSACK = NET_CWR,    /* in an ACK: what caused it had arrived before (RFC 2883) */
    NET_ECT1 = NET_REQUEST, /* in data, beside NET_ECT: ECT(1), of a scalable control (RFC 9331) */
    /* Of NDP (transport/ndp_sender.h): */
    NET_TRIMS = NET_SYN,       /* in data: may be cut to its header, */
    NET_TRIMMED = NET_REQUEST, /* and has been; then without NET_ECT */
    NET_ASKS = NET_CWR,        /* in data: wants an answer at once; trimmed: on its last link */
    NET_NACK = NET_DSACK,      /* in an ACK: a trimmed segment has come; with NET_PULL: on its last link */
    NET_PULL = NET_SYN,        /* in an ACK: more may be sent */
    NET_HOLE = NET_CWR /* of NET_CLASS_RDMA, in an ACK: what came is not what is expected next, a NACK */
};

typedef struct net_packet {
    uint32_t flow;  /* the sender's slot */
    uint32_t dst;   /* host entity; an ACK's, with ECMP: the flow's number */
    uint32_t seq;   /* data: first byte; ACK: next byte expected; UDP: packet number; request: its number */
    uint16_t bytes; /* whole IP packet */
    uint8_t flags;
    uint8_t ttl;
    union {
        struct {
            weir_time
                sent_ps; /* NET_CLASS_TAGS: 48 bits of it, below a load (port/meter.h) or an entropy value */
            uint32_t first;   /* sequence number of the flow's first byte: distinguishes flows of one slot */
            uint32_t rx_hint; /* where the receiver's slot is, or where to look first; and NET_HINT_KNOWN */
        } data;
        uint64_t ack[2]; /* an ACK's echoed time and SACK blocks, as ack.h packs them */
        struct {
            uint32_t client, rx; /* host entity that asks, and its receiving slot */
            uint64_t bytes;      /* of the reply; 0: drawn from the class */
        } ask;
    } u;
} net_packet;
WEIR_STATIC_ASSERT(sizeof(net_packet) == 32, "a pending packet is one cache line");

/* Whether a packet of data has been cut to its header. */
WEIR_FN bool net_is_trimmed(const net_packet *p)
{
    return (p->flags & (NET_ACK | NET_UDP | NET_ECT | NET_TRIMS | NET_TRIMMED)) == (NET_TRIMS | NET_TRIMMED);
}

/* Of sent_ps, where it carries something else besides. */
#define NET_SENT_MASK ((UINT64_C(1) << 48) - 1u)

/* Beside an entropy value: the header was sent alone, to ask for credit (transport/uet.h). */
#define NET_SENT_ALONE (UINT64_C(1) << 63)

/* Whether a header that came without data was sent so. */
WEIR_FN bool net_is_request(const net_packet *p)
{
    return net_is_trimmed(p) && ((uint64_t)p->u.data.sent_ps & NET_SENT_ALONE);
}

/* How long ago a packet of such a class was sent; times come round after 281 s, as those in ACKs do. */
WEIR_FN weir_time net_int_age(weir_time sent_ps, weir_time now_ps)
{
    return (weir_time)(((uint64_t)now_ps - (uint64_t)sent_ps) & NET_SENT_MASK);
}

/* In rx_hint once the receiver has answered: it knows the flow, or has received all of it and forgotten it.
 */
#define NET_HINT_KNOWN 0x80000000u

/* Where flows go by flowlets, rx_hint has the number of the flowlet too, and slots below NET_HINT_SLOTS alone. */
enum { NET_HINT_SLOTS = 1 << 24, NET_HINT_FLOWLETS = 128 };

/* Payload of a host's events to itself. */
typedef struct net_note {
    uint32_t index; /* of a slot, a generator */
    uint32_t arg;
} net_note;

/*
 * What every packet comes to has its calls inline (NET_FAST); what few networks come to is out of line (NET_RARE). Left to
 * itself the host's compiler spends what it may inline on the second, and calls the engine from the first, which cost FIFO
 * ports a tenth of all instructions; on a device each copy is in the instruction cache's way.
 */
#if defined(__CUDACC__)
#define NET_FAST WEIR_FN
#define NET_FAST_APART WEIR_FN_APART
#define NET_RARE WEIR_FN_APART
#else
#define NET_FAST static inline __attribute__((flatten))
#define NET_FAST_APART static __attribute__((noinline, flatten, unused))
#define NET_RARE static __attribute__((noinline, unused))
#endif

/*
 * Event types: X(NAME, kind, handler, payload, most events, most records, flags).
 * From this list come the enum, the host's table and the device's switch.
 * A host sends at most NET_BURST segments in one handling, and continues through NET_EV_SEND.
 */
enum { NET_BURST = 8, NET_STARTS = 4 };

/* A network has the second only by what a scenario asks for: requests, gates, jobs, disciplines that decide at departure, shared
 * memory, pauses, pulls. */
#define NET_COMMON_EVENTS(X)                                                                          \
    X(PORT_PACKET, NET_KIND_PORT, net_port_receive, net_packet, 1, 0, WEIR_EVENT_ORDERED)             \
    X(HOST_PACKET, NET_KIND_HOST, net_host_receive, net_packet, NET_BURST + 5, 2, WEIR_EVENT_ORDERED) \
    X(START, NET_KIND_HOST, net_host_start, net_note, NET_STARTS * 3 + 1, 0, 0)                       \
    X(ARRIVAL, NET_KIND_HOST, net_host_arrival, net_note, NET_BURST + 3, 0, 0)                        \
    X(SEND, NET_KIND_HOST, net_host_send, net_note, NET_BURST + 4, 0, 0)                              \
    X(TX_TIMER, NET_KIND_HOST, net_host_tx_timer, net_note, NET_BURST + 4, 0, 0)                      \
    X(RX_TIMER, NET_KIND_HOST, net_host_rx_timer, net_note, 2, 0, 0)                                  \
    X(UDP_SEND, NET_KIND_HOST, net_host_udp_send, net_note, NET_BURST + 2, 0, 0)                      \
    X(HOST_DEPART, NET_KIND_HOST, net_host_depart, net_note, NET_BURST + 5, 0, 0)
#define NET_RARE_EVENTS(X)                                                                    \
    X(ASK, NET_KIND_HOST, net_host_ask, net_note, 2, 0, 0)                                    \
    X(PORT_DEPART, NET_KIND_PORT, net_port_depart, net_note, 2, 0, 0)                         \
    X(GATE, NET_KIND_HOST, net_host_gate, net_note, NET_STARTS * 3 + 1, 0, 0)                 \
    X(FEED, NET_KIND_HOST, net_host_feed, net_note, 1, 0, 0)                                  \
    X(SWITCH_PACKET, NET_KIND_PORT, net_switch_receive, net_packet, 1, 0, WEIR_EVENT_ORDERED) \
    X(PFC_PACKET, NET_KIND_PORT, net_pfc_receive, net_packet, 4, 0, WEIR_EVENT_ORDERED)       \
    X(PFC_DEPART, NET_KIND_PORT, net_pfc_depart, net_note, 4, 0, 0)                           \
    X(PFC_PAUSE, NET_KIND_PORT, net_pfc_depart, net_note, 4, 0, 0)                            \
    X(HOST_PAUSE, NET_KIND_HOST, net_host_pause, net_note, 2, 0, 0)                           \
    X(PULL, NET_KIND_HOST, net_host_pull, net_note, 2, 0, 0)                                  \
    X(PROGRAM, NET_KIND_HOST, net_host_program, net_note, NET_STARTS * 3 + 1, 0, 0)
#define NET_EVENTS(X) NET_COMMON_EVENTS(X) NET_RARE_EVENTS(X)

enum { NET_KIND_HOST, NET_KIND_PORT, NET_KINDS };

enum net_event {
#define X(name, kind, handler, payload, events, records, flags) NET_EV_##name,
    NET_EVENTS(X)
#undef X
        NET_EVENT_TYPES
};

/* Pools. A port's words: departure times, only where packets are counted; or a store of packets (port/store.h). Behind them a
 * host's pulls (transport/pull.h), gates (transport/gate.h) and programs (transport/program.h). */
enum {
    NET_POOL_TX,
    NET_POOL_RX,
    NET_POOL_GENERATOR,
    NET_POOL_SESSION,
    NET_POOL_HOST_WORDS,
    NET_POOL_PORT_WORDS,
    NET_POOL_WINDOW, /* words of both ends' windows: a bit a segment, of which each end has its own rows */
    NET_POOLS
};

/* Counters of a flow (a slot of NET_POOL_TX): what ports and stray packets add. */
enum { NET_COUNT_DROPPED, NET_COUNT_MARKED, NET_COUNT_ACK_DROPPED, NET_FLOW_COUNTERS };
/* Counters of an entity, where links fail: packets that its link lost, and those that the next router had no
 * way for. */
enum { NET_LOST_LINK_DOWN, NET_LOST_NO_ROUTE, NET_LOST_COUNTERS };
/* Counters of an entity, where switches pause their neighbours: priorities paused and released by frames that its port sent,
 * and that came to it; and picoseconds in which some priority was paused there (port/pfc.h). */
enum {
    NET_PFC_XOFF_SENT,
    NET_PFC_XON_SENT,
    NET_PFC_XOFF_GOT,
    NET_PFC_XON_GOT,
    NET_PFC_TIME,
    NET_PFC_COUNTERS
};
/* Counters of a class: what slots that are used again carried before. */
enum {
    NET_COUNT_OLD_SENT,
    NET_COUNT_OLD_ACKS, /* ACKs received */
    NET_COUNT_OLD_DELIVERED,
    NET_COUNT_OLD_ACK_SENT,
    NET_COUNT_STRAY,    /* data delivered to a host that has no endpoint for it any more */
    NET_COUNT_FLOWS,    /* flows begun by arrivals */
    NET_COUNT_REJECTED, /* arrivals that found no free slot */
    NET_COUNT_REQUESTS, /* requests sent, repetitions included */
    NET_COUNT_REPLIES,
    NET_CLASS_COUNTERS
};

/* Records. */
enum {
    NET_REC_TX_DONE,
    NET_REC_RX_DONE,
    NET_REC_SEGMENT,
    NET_REC_PACKET,
    NET_REC_FLOW,
    NET_REC_RTT,
    NET_REC_PAUSE,
    NET_RECORDS,
    NET_QUIET_RECORDS = 4
};

/* A flow of given size whose last byte has been acknowledged; written by its sender. */
typedef struct net_tx_done {
    uint32_t flow, first, src, dst;
    uint16_t cls, nacks; /* nacks: of a job's messages, 65,535 at most */
    uint32_t retransmissions, timeouts, rtt_n;
    float rtt_min_s, rtt_max_s;
    weir_time start_ps;
    uint64_t bytes, packets, rtt_sum_ns;
} net_tx_done;

/* The same flow as its receiver saw it, at the time at which its last byte arrived in order. */
typedef struct net_rx_done {
    uint32_t flow, first;
    uint64_t packets, delay_sum_ns, jitter_ps;
    float delay_min_s, delay_max_s;
} net_rx_done;

/* A segment of video has come to its player; the rest is as of then. */
typedef struct net_segment_done {
    uint32_t rx, number; /* the player's receiving slot; the segment's, from 0 */
    uint64_t rate_bps, bytes;
    weir_time asked_ps, buffer_ps, stalled_ps;
    uint32_t stalls, pad;
} net_segment_done;

WEIR_STATIC_ASSERT(sizeof(net_tx_done) == 72 && sizeof(net_rx_done) == 40, "records have no padding");
