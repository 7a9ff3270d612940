/*
 * The immutable world of the packet network: one contiguous image, reached by offsets, so that the same bytes
 * serve the host and the device. Host entities come first (0 .. n_hosts - 1), then router ports, router by
 * router in the order of the graph's edges, with the port toward an implicit host last.
 */
#pragma once

#include "net/link/impairment.h"
#include "net/link/trace.h"
#include "net/packet/packet.h"
#include "net/packet/queue.h"
#include "weir/dist.h"
#include "weir/model.h"
#include "weir/routes.h"

#define NET_NONE UINT32_MAX
#define NET_QUEUES_MAX (UINT32_C(1) << 28)

/* The default limit of a queue: what its line sends in so long, and so many bytes at least. */
#define NET_LIMIT_PS (100 * WEIR_PS_PER_MS)
enum { NET_LIMIT_BYTES = 64000 };

enum {
    NET_CLASS_UDP = 1,
    NET_CLASS_SACK = 2,
    NET_CLASS_ECN = 4,
    NET_CLASS_HANDSHAKE = 8,
    NET_CLASS_DYNAMIC = 16,
    NET_CLASS_SIZED = 32,
    NET_CLASS_REQUEST = 64,
    NET_CLASS_STEADY = 128, /* without SACK, every partial ACK restarts the timer */
    NET_CLASS_RACK = 256,   /* with SACK: RACK-TLP, PRR and F-RTO */
    NET_CLASS_PACED = 512,  /* packets leave at a rate: the control's own, or that of its window */
    NET_CLASS_ECHO = 1024,  /* each mark is echoed as it is (RFC 8257, section 3.2), not until CWR */
    NET_CLASS_L4S = 2048,   /* packets carry ECT(1) (RFC 9331) */
    NET_CLASS_OWN = 4096, /* the window is the control's own in recoveries too, without PRR; with SACK only */
    NET_CLASS_TRACED = 8192, /* its packets are captured at every port (port/capture.h) */
    NET_CLASS_VARIES =
        16384,             /* UDP, constant or Poisson: later starts of a slot give its flow another rate */
    NET_CLASS_NDP = 32768, /* receivers ask for packets, senders send these (transport/ndp_sender.h) */
    NET_CLASS_INT = 65536, /* packets carry how loaded lines are (port/meter.h) */
    NET_CLASS_LASTS = 131072,   /* of requests: a connection serves one reply after another (tcp_sender.h), */
    NET_CLASS_RESTART = 262144, /* and after a pause its window is at most the initial one */
    NET_CLASS_VALIDATES = 1048576, /* or it is validated (transport/lasting.h) */
    NET_CLASS_CAPPED = 2097152,    /* no flow is faster than most_bps */
    NET_CLASS_LINE = 4194304, /* the control's parameters begin with a net_line_params (flow/line_window.h) */
    NET_CLASS_POWER = 8388608,      /* with NET_CLASS_INT: packets carry power in place of load */
    NET_CLASS_NO_PROBES = 16777216, /* RACK without probes for the loss of the last segments */
    NET_CLASS_GO_BACK = 33554432,   /* without SACK: go-back-N as RDMA NICs have it (transport/rdma.h) */
    NET_CLASS_IRN = 67108864,       /* with SACK: IRN (the same) */
    NET_CLASS_RDMA = NET_CLASS_GO_BACK | NET_CLASS_IRN,
    NET_CLASS_UET =
        134217728, /* with NET_CLASS_NDP: Ultra Ethernet's (congestion/nscc.h); packets carry entropy values */
    NET_CLASS_RATE =
        1073741824, /* ACKs tell when what caused them was sent, also where una does not move (flow/delivery_rate.h) */
    NET_CLASS_ACE = 536870912, /* ACKs count marked packets in three bits (AccECN, RFC 9768) */
    NET_CLASS_JOB = 268435456, /* messages of a job's ranks (transport/program.h); their hints are inlets */
    NET_CLASS_VIDEO = 524288 /* of requests: the client is a player (player.h), net_video in net_class.own */
};

/* Of net_link.rate_bps: 72 Pb/s. */
#define NET_RATE_MAX ((UINT64_C(1) << 56) - 1)

/* A port's fixed side: one direction of a link. 32 bytes. */
typedef struct net_link {
    uint64_t rate_bps : 56;
    uint64_t overhead : 8; /* bytes that the line sends besides with each packet; no queue's bytes */
    weir_time delay_ps;
    uint32_t peer;        /* host entity, or router number */
    uint32_t loss;        /* chance of losing a packet, times 2^32 */
    uint32_t ps_per_byte; /* where the rate makes that exact; otherwise 0 */
    uint32_t queue : 28;  /* a topology has up to as many settings as links, where rates are drawn */
    uint32_t impaired : 1;
    uint32_t peer_is_host : 1;
    uint32_t turns : 1; /* of a host's interface: flows take turns (transport/turn.h) */
    /* Nothing but a limit and a threshold in bytes decides about packets, nothing happens to them, and nobody watches:
     * wi_net_mark_plain in build/couple.c has the list. What comes here later may not be, and ports test this one bit for all of it. */
    uint32_t plain : 1;
} net_link;

/* A port that pauses its neighbour: entity of the neighbour's port toward it, and the headroom of a priority. */
typedef struct net_pfc_line {
    uint32_t reverse, reserved;
    uint64_t headroom_bytes;
} net_pfc_line;

/* How to reach a host. 12 bytes, read for each packet at each hop. */
typedef struct net_dest {
    uint32_t router; /* NET_NONE: another host, directly */
    uint32_t column; /* of the forwarding table */
    uint32_t port;   /* entity of the last port: its router's port toward it */
} net_dest;

typedef struct net_host_params {
    net_link nic;
    uint32_t first_start, n_starts;
    uint32_t first_generator, n_generators;
} net_host_params;

/* One class of traffic, as its flows need it. */
typedef struct net_class {
    uint32_t flags;
    uint32_t mss_bytes, initial_window_bytes, window_bytes;
    uint32_t delayed_ack;
    uint32_t map_words; /* of a row of one bit a segment of the window; filled in by the builder */
    uint32_t dscp;      /* of its packets, both ways */
    uint16_t congestion;
    uint16_t udp_pattern;
    weir_time delayed_ack_ps, rto_min_ps, rto_initial_ps, stop_ps;
    weir_time rto_low_ps,
        nack_ps;               /* IRN: of few segments in flight; go-back-N: between two NACKs of a hole */
    uint32_t rto_low_segments; /* IRN: how many are few */
    uint32_t bdp_bytes;        /* IRN: most that is in flight; 0: filled in as the network is built */
    uint64_t most_bps;         /* NET_CLASS_CAPPED */
    weir_time think_ps;        /* mean pause between reply and next request */
    uint32_t request_bytes;
    uint32_t first_delay_bin; /* counter of the delay histogram's first bin; NET_NONE: none */
    weir_dist size;           /* bytes of a flow or reply */
    weir_dist packet;         /* UDP: bytes of an IP packet */
    weir_dist on, off;        /* UDP on/off: picoseconds */
    double jitter;            /* UDP, constant rate: share by which gaps vary */
    double udp_mean_bytes;    /* of an IP packet */
    uint64_t own; /* offset of what its sources read: net_udp_point[own_n], net_video; 0: nothing */
    uint32_t own_n, own_reserved;
    weir_time own_period_ps; /* after which it begins again; 0: never */
    uint64_t cc[10];         /* the congestion control's own parameters, a net_NAME_params */
} net_class;

/* A control's own parameters: the struct that its keys have filled. */
#define NET_CC_PARAMS(name, c) ((const net_##name##_params *)(const void *)(c)->cc)

/* A packet of a UDP class that replays a trace: times count from the flow's start. */
typedef struct net_udp_point {
    weir_time at_ps;
    uint32_t bytes, reserved;
} net_udp_point;

/* A flow that the scenario starts at a given time; each host's in order of time. */
typedef struct net_start {
    weir_time start_ps;
    uint32_t tx;      /* sending slot; for a request class: the client's session slot */
    uint32_t dst;     /* host; for a request class: the server */
    uint32_t rx_hint; /* receiving slot; for a request class: the server's sending slot */
    uint16_t cls, reserved;
    union {
        uint64_t rate_bps; /* UDP, while sending */
        uint64_t rx;       /* request class: the client's receiving slot */
        uint64_t size;     /* another TCP flow's bytes; 0: drawn from the class */
    } u;
} net_start;

/* What a host does when so many others are done (transport/gate.h): flows to start, and gates to feed. */
typedef struct net_gate {
    uint32_t needs;                 /* 0: nothing; its pause begins at -1 ps */
    uint32_t first_start, n_starts; /* in world->gate_starts */
    uint32_t first_feed, n_feeds;   /* in world->gate_feeds */
    uint32_t
        word;    /* in NET_POOL_HOST_WORDS: how many have come, and once it is open NET_GATE_OPEN and when */
    uint32_t to; /* the gate, of whatever host, that it feeds reach_ps later; NET_NONE: none */
    uint32_t host;
    weir_time pause_ps, reach_ps; /* at least 1 */
} net_gate;
#define NET_GATE_OPEN (UINT64_C(1) << 63)

/* A source of flow arrivals at one host. */
typedef struct net_generator {
    double gap_ps; /* mean */
    weir_time start_ps;
    uint32_t first_dst, n_dst; /* in world->dsts */
    uint32_t first_tx, n_tx;
    uint16_t cls;
    uint16_t periodic;
    uint32_t rank; /* NET_CLASS_JOB: whose slots these are, in job_ranks; no flow comes by itself */
} net_generator;

enum { NET_DELAY_BINS = 1280, NET_DELAY_SUB_BITS = 5 };

/* What stands in a port's queue besides the packets since the last exchange, at the end of a step of time, as
 * the fluid's solver gives it; the first of a row is at the row's start. 32 bytes. */
typedef struct net_background {
    double queue_ps;     /* time to send it: fluid, and packets that the fluid's queue has taken in */
    double reduction_ps; /* time that the line could have sent something besides, summed from the start */
    double expected_ps;  /* time to send the packets that the fluid reckoned with, summed from the start */
    uint32_t drop;       /* chance of an early drop or mark in the step, times 2^32 */
    uint32_t full;       /* share that a full queue loses, times 2^32; NET_ALL_LOST, NET_FULL_OF_UDP */
} net_background;

enum { NET_SPRAY = 2, NET_FLOWLETS, NET_ENTROPY };

/* Classes whose packets and ACKs have 16 bits of their own above the time that they carry. */
#define NET_CLASS_TAGS (NET_CLASS_INT | NET_CLASS_UET)

typedef struct net_world {
    uint64_t bytes; /* of the whole image */
    uint32_t n_hosts, n_ports, n_routers, n_columns, n_classes, n_tx, n_rx, n_generators, n_sessions;
    uint32_t ttl;
    uint32_t entry_bytes; /* of the forwarding table: 1 or 2 */
    uint32_t ecmp;    /* entries number equal-cost sets instead of ports; NET_SPRAY: each packet picks anew;
                      NET_FLOWLETS: what a sender sends after a pause does (transport/flowlet.h); NET_ENTROPY: by the
                      sender's values, where a class has them (flow/entropy.h) */
    uint32_t flowlet; /* that pause, in units of 2^16 ps */
    uint32_t turn_bytes; /* where flows of a host take turns (transport/turn.h): of a turn; 0: they don't */
    uint32_t path_salt;  /* with ecmp: what seed and run make of the hash of paths */
    weir_time warmup_ps; /* extremes and histograms leave out what is before */
    uint64_t c_class;    /* first counter of the classes; flows' counters come first */
    /* Offsets from the image's start; 0: none. */
    uint64_t links;              /* net_link[n_ports] */
    uint64_t dests;              /* net_dest[n_hosts] */
    uint64_t hosts;              /* net_host_params[n_hosts] */
    uint64_t queues;             /* net_queue[] */
    uint64_t classes;            /* net_class[n_classes] */
    uint64_t starts;             /* net_start[] */
    uint64_t generators;         /* net_generator[n_generators] */
    uint64_t dsts;               /* uint32_t[] */
    uint64_t tx_host;            /* uint32_t[n_tx] */
    uint64_t tx_class;           /* uint16_t[n_tx] */
    uint64_t tx_generator;       /* uint32_t[n_tx]; 0 where no class has arrivals */
    uint64_t tx_first, rx_first; /* uint32_t[n_hosts + 1]: slices of the pools */
    uint64_t tx_map, rx_map;     /* uint32_t[n_tx], uint32_t[n_rx]: first words of slots in NET_POOL_WINDOW */
    /* uint32_t[n_rx]: gate that a slot's flow feeds when it has arrived, or NET_NONE; 0: no gates */
    uint64_t rx_gate;
    uint64_t tx_gate;     /* uint32_t[n_tx]: likewise the gate of the sender's host that its last ACK feeds */
    uint64_t gates;       /* net_gate[] host by host */
    uint64_t gate_first;  /* uint32_t[n_hosts + 1]: bounds of each one's */
    uint64_t gate_starts; /* net_start[] gate by gate; their time is the gate's */
    uint64_t gate_feeds;  /* uint32_t[]: gates of the same host */
    /* Programs (packet/program.h): net_job[], net_rank[], net_op[], net_collective[], uint32_t[]; 0: no jobs */
    uint64_t jobs, job_ranks, job_ops, job_collectives, job_lists;
    uint64_t host_ranks;  /* uint32_t[n_hosts + 1]: bounds of each one's in job_ranks */
    uint64_t host_inlets; /* uint32_t[n_hosts]: how many inlets each one has */
    uint64_t op_inlets;   /* uint32_t[operations]: the first of each, close together for those who look */
    /* uint32_t[n_hosts]: first word of each one's pulls in NET_POOL_HOST_WORDS; 0: nobody pulls */
    uint64_t pulls;
    uint64_t rx_dynamic; /* uint32_t[n_hosts]: first slot of a host's slice that is nobody's from the start */
    uint64_t port_router;  /* uint32_t[n_ports]: router of each; 0: no memory is shared (port/switch.h) */
    uint64_t router_ports; /* uint32_t[n_routers], with it: number of ports */
    double buffer_bytes, buffer_alpha;
    /* Where such switches pause their neighbours (port/pfc.h). */
    uint64_t pfc_lines;                /* net_pfc_line[n_ports]; 0: none do */
    uint64_t pfc_pools;                /* double[n_routers]: bytes of the memory without headroom */
    uint64_t pfc_xoff, pfc_xon_offset; /* bytes; xoff 0: the threshold moves */
    uint32_t pfc_lossless;             /* priorities, a bit each */
    uint32_t pfc_slots;                /* for packets, of each switch */
    uint64_t c_pfc;                    /* first of NET_PFC_COUNTERS counters an entity */
    uint64_t router_port;              /* uint32_t[n_routers]: entity of each router's first port */
    uint64_t table; /* entries [n_routers][n_columns], all ones: no way; changed at stop points only, where
                       links fail */
    uint64_t set_first;  /* uint32_t[n_routers]: first set of each router in set_bounds */
    uint64_t set_bounds; /* uint32_t[]: bounds in set_ports */
    uint64_t set_ports;  /* uint16_t[] */
    uint64_t rings; /* uint32_t[entities][2]: bounds of each ring in its kind's pool; 0 where nobody counts
                       packets */
    uint64_t background; /* uint32_t[entities]: row of a port that carries fluid, or NET_NONE; 0: no fluid */
    /* net_background[rows][background_stride], from background_from_ps on. Between two stop points what lies
     * before the next one does not change; what lies behind it may be written meanwhile. */
    uint64_t background_rows;
    uint32_t background_stride;
    uint32_t background_batch; /* number of the exchange, from 1: packets before it are in queue_ps */
    uint32_t background_fixup; /* subtract the projected reduction from what packets left */
    uint32_t background_reserved;
    weir_time background_from_ps, background_step_ps;
    uint64_t outages;  /* weir_time[entities], changed at stop points only; 0 where no link ever fails */
    uint64_t captures; /* uint8_t[entities]: what captures want of each one's link; 0: nothing is captured */
    uint64_t watched;  /* what is received may have been lost with its link, or is captured */
    uint64_t c_lost;   /* where links fail: first of NET_LOST_COUNTERS counters an entity */
    uint64_t impairments;   /* net_impairment[]; 0 where no link has any */
    uint64_t impairment_of; /* uint32_t[entities]: number of an impaired link's */
    /* where links duplicate packets: first of the copies' counters: 2 a slot of NET_POOL_TX, data and
     * ACKs, then one an entity; 0: none do */
    uint64_t c_copies;
    uint64_t
        c_trimmed; /* first of the counters of packets that queues cut, one a slot of NET_POOL_TX; 0: none do */
    uint64_t paths;      /* source routes: uint32_t[n_tx][2], in path_ports: to the receiver, to the sender */
    uint64_t path_ports; /* entries, a router each */
    weir_time meter_ps;  /* over which ports measure their load (port/meter.h); 0: none does */
} net_world;

/* The world of a handler. */
WEIR_FN const net_world *net_world_of(const weir_ctx *ctx)
{
    return (const net_world *)(const void *)ctx->world;
}

/* What stands at an offset. */
WEIR_FN const void *net_at(const net_world *w, uint64_t offset)
{
    return (const unsigned char *)w + offset;
}

#define NET_ARRAY(w, type, field) ((const type *)net_at((w), (w)->field))

/* The link of a router's port. */
WEIR_FN const net_link *net_port_link(const net_world *w, uint32_t entity)
{
    return NET_ARRAY(w, net_link, links) + (entity - w->n_hosts);
}

/* The link over which an entity sends, a host or a router's port. */
WEIR_FN const net_link *net_link_of(const net_world *w, uint32_t entity)
{
    return entity < w->n_hosts ? &NET_ARRAY(w, net_host_params, hosts)[entity].nic : net_port_link(w, entity);
}

/* A class by number. */
WEIR_FN const net_class *net_class_at(const net_world *w, uint32_t cls)
{
    return NET_ARRAY(w, net_class, classes) + cls;
}

/* The class of a flow. */
WEIR_FN const net_class *net_class_of_flow(const net_world *w, uint32_t flow)
{
    return net_class_at(w, NET_ARRAY(w, uint16_t, tx_class)[flow]);
}

/* Host entity that a packet goes to. */
WEIR_FN uint32_t net_packet_dst(const net_world *w, const net_packet *p)
{
    return w->ecmp && (p->flags & NET_ACK) ? NET_ARRAY(w, uint32_t, tx_host)[p->flow] : p->dst;
}

/* What distinguishes the flows of one slot, the same in all packets of a flow's direction: for requests, which
 * come before the flow, their own number. With ECMP only. */
WEIR_FN uint32_t net_packet_number(const net_packet *p)
{
    return p->flags & NET_ACK ? p->dst : p->u.data.first;
}

/* For net_packet.dst of what travels to the sender of a flow, host entity `sender`; `number` as above. */
WEIR_FN uint32_t net_dst_of_ack(const net_world *w, uint32_t sender, uint32_t number)
{
    return w->ecmp ? number : sender;
}

/* Count one more of a flow (NET_COUNT_DROPPED ...). */
WEIR_FN void net_count_flow(weir_ctx *ctx, uint32_t flow, int what)
{
    weir_count(ctx, (uint64_t)flow * NET_FLOW_COUNTERS + (uint64_t)what, 1);
}

/* Add to a counter of a class (NET_COUNT_OLD_SENT ...). */
WEIR_FN void net_count_class(weir_ctx *ctx, const net_world *w, uint32_t cls, int what, int64_t delta)
{
    weir_count(ctx, w->c_class + (uint64_t)cls * NET_CLASS_COUNTERS + (uint64_t)what, delta);
}

/* What a packet's rx_hint names. */
WEIR_FN uint32_t net_hint_slot(const net_world *w, uint32_t hint)
{
    hint &= ~NET_HINT_KNOWN;
    return WEIR_UNLIKELY(w->ecmp == NET_FLOWLETS) ? hint % NET_HINT_SLOTS : hint;
}

/* Number of the highest bit of x, which is above 0. */
WEIR_FN int net_top_bit(uint64_t x)
{
#if WEIR_ON_DEVICE
    return 63 - __clzll((long long)x);
#else
    return 63 - __builtin_clzll(x);
#endif
}

/* A number of 32 bits that goes evenly over packets, whenever they come: multiples of the golden section. */
WEIR_FN uint32_t net_fraction(const net_packet *packet)
{
    const uint64_t number = packet->seq + (uint64_t)packet->flow * 0x85ebca6bu;
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* A span of a packet in whole nanoseconds: rounded up as often as its fraction is long, so that sums of spans of few nanoseconds,
 * as fast lines have them, are right. */
WEIR_FN uint64_t net_whole_ns(weir_time span_ps, const net_packet *packet)
{
    return ((uint64_t)span_ps + ((uint64_t)net_fraction(packet) * 1000u >> 32)) / 1000u;
}

/* Bin of the log-linear delay histogram: exact below 2^5 ns, then 32 bins an octave, of nanoseconds. */
WEIR_FN uint32_t net_delay_bin(weir_time delay_ps)
{
    const uint64_t ns = (uint64_t)delay_ps / 1000u;
    if (ns < (1u << NET_DELAY_SUB_BITS))
        return (uint32_t)ns;
    const int top = net_top_bit(ns);
    const uint32_t sub = (uint32_t)(ns >> (top - NET_DELAY_SUB_BITS)) & ((1u << NET_DELAY_SUB_BITS) - 1u);
    const uint32_t bin = ((uint32_t)(top - NET_DELAY_SUB_BITS + 1) << NET_DELAY_SUB_BITS) + sub;
    return bin < NET_DELAY_BINS ? bin : NET_DELAY_BINS - 1;
}
