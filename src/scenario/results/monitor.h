/*
 * Flows watched packet by packet (output.flow_monitor): flowmon.xml and histograms.csv; and the trace of packets
 * (output.packets), which goes by the same flows.
 *
 * Meaning and file are those of ns-3's FlowMonitor: each direction of a connection is a flow; a packet is sent when its host
 * hands it to the interface, and received when it comes to the other host; a delay is what lies between. The network
 * records each (net/port/capture.h), and a packet that comes is found by what it carries among those that are on their way.
 */
#pragma once

#include "net/port/capture.h"
#include "network/network.h"
#include "output/series.h"
#include "weir/engine.h"

/* A histogram of bins of one width, from 0 on, of which those that hold anything are kept. */
typedef struct wi_bin {
    uint64_t index, count; /* values from index * width to before (index + 1) * width */
} wi_bin;

/* All zero: empty. */
typedef struct wi_histogram {
    wi_bin *bin; /* [n] by index */
    size_t n, last;
} wi_histogram;

/* Count a value of bin `index` once more; false when memory is short. */
bool wi_histogram_add(wi_histogram *h, uint64_t index);
void wi_histogram_archive(wi_histogram *h, wi_archiver *archiver);
void wi_histogram_free(wi_histogram *h);

/* Why packets were lost, as ns-3's Ipv4FlowProbe numbers it. */
enum wi_drop_reason {
    WI_DROP_NO_ROUTE = 0,
    WI_DROP_TTL = 1,
    WI_DROP_QUEUE = 3,      /* it was full */
    WI_DROP_QUEUE_DISC = 4, /* its discipline dropped before that */
    WI_DROP_LINK_DOWN = 5,
    WI_DROP_REASONS
};

/* A sum of times without a bound that matters. */
typedef struct wi_time_sum {
    uint64_t ns;
    uint32_t ps; /* below 1000 */
} wi_time_sum;

/* One direction of a flow. */
typedef struct wi_watched {
    uint32_t slot, src, dst; /* hosts */
    uint32_t partner;        /* of data: the other direction, or NET_NONE */
    uint32_t id;             /* from 1, in the order of first packets; 0: it has sent none */
    uint32_t first;          /* sequence number of its first byte */
    uint32_t trace;          /* from 1, in the trace of packets; 0: none there */
    bool acks;
    weir_time began_ps;
    weir_time first_sent_ps, last_sent_ps, first_come_ps, last_come_ps, last_delay_ps;
    wi_time_sum delay, jitter;
    uint64_t sent, sent_bytes, come, come_bytes, lost, forwarded;
    uint64_t dropped[WI_DROP_REASONS], dropped_bytes[WI_DROP_REASONS];
    wi_histogram delays, jitters, sizes, interruptions, round_trips;
} wi_watched;

typedef struct wi_monitor wi_monitor;

/* Whether a scenario watches or traces any flow; classes[i]: whether the network is to record the packets of class i
 * (wi_net_capture). */
bool wi_monitor_asks(const weir_scenario *scenario, bool *classes);
/* Begin. *out is null where the scenario watches none, or this process writes no results (no folder). WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_monitor_begin(weir_diag *diag, const wi_network *network, const wi_sinks *to,
                                            wi_monitor **out);
/* Records of the run in order: of a packet at an entity, a flow that begins, a round trip. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_monitor_packet(wi_monitor *m, const net_packet_record *s, uint32_t entity);
void wi_monitor_flow(wi_monitor *m, const net_flow_record *f, weir_time now_ps);
WEIR_NODISCARD weir_status wi_monitor_rtt(wi_monitor *m, const net_rtt_record *s, weir_time now_ps);
/* The flow that a slot began at this time is row `row` of flows.csv. */
void wi_monitor_name(wi_monitor *m, uint32_t slot, weir_time start_ps, uint64_t row);
/* The files. */
WEIR_NODISCARD weir_status wi_monitor_write(wi_monitor *m);
/* Save what it has seen, or read it back into one that has just begun. */
void wi_monitor_archive(wi_monitor *m, wi_archiver *archiver);
void wi_monitor_free(wi_monitor *m);

/* What monitor_write.c writes. */
typedef struct wi_monitor_view {
    const wi_network *network;
    const wi_watched *flow; /* [n], those without an id too */
    const uint64_t *row;    /* [n] of flows.csv; UINT64_MAX: none */
    const uint32_t *by_id;  /* [n_ids] flow of each id, from 1 on */
    uint32_t n, n_ids;
} wi_monitor_view;
WEIR_NODISCARD weir_status wi_monitor_write_xml(weir_diag *diag, const char *folder,
                                                const wi_monitor_view *v);
WEIR_NODISCARD weir_status wi_monitor_write_csv(weir_diag *diag, const char *folder,
                                                const wi_monitor_view *v);

/*
 * What becomes of each packet of chosen classes at each port (output.packets): packets.h5.
 *
 * Tables as in series.h5: `packets`, an instant for each packet at each port, `flows`, whose rows are the flows that
 * `packets/flow` numbers, and `ports`, whose rows are the ports that `packets/port` numbers.
 */
/* Column `fate`. */
typedef enum wi_fate {
    WI_FATE_SENT,
    WI_FATE_MARKED,    /* sent, with a congestion mark that it got here */
    WI_FATE_FULL,      /* dropped: the queue was full */
    WI_FATE_EARLY,     /* dropped by the discipline before that */
    WI_FATE_LOST,      /* sent, and lost at random on the link */
    WI_FATE_TTL,       /* dropped: it had travelled too far */
    WI_FATE_LINK_DOWN, /* lost with the link, which failed */
    WI_FATE_NO_ROUTE,  /* lost: the router at the link's end has no way for it */
    WI_FATE_RECEIVED   /* come to the host at the link's end */
} wi_fate;

/* A packet at a port. */
typedef struct wi_traced {
    uint32_t flow, port,
        seq; /* flow: number in `flows`; port: entity that sends over the link; seq: from 0 */
    uint32_t bytes;
    bool marked;  /* leaves with a congestion mark, whoever made it */
    bool on_line; /* it was sent: sent_ps is known */
    weir_time came_ps, wait_ps, sent_ps;
    wi_fate fate;
} wi_traced;

/* A row of `flows`. */
typedef struct wi_traced_flow {
    char *name;   /* "CLASS FROM->TO data" */
    uint64_t row; /* of flows.csv; UINT64_MAX: none */
} wi_traced_flow;

typedef struct wi_packet_trace wi_packet_trace;

/* Begin the file. WEIR_E_IO, WEIR_E_NOMEM; *out is null then. */
WEIR_NODISCARD weir_status wi_packet_trace_begin(weir_diag *diag, const wi_network *network,
                                                 const wi_sinks *to, wi_packet_trace **out);
WEIR_NODISCARD weir_status wi_packet_trace_put(wi_packet_trace *t, const wi_traced *packet);
/* The tables of flows [n] and ports; closes the file. */
WEIR_NODISCARD weir_status wi_packet_trace_write(wi_packet_trace *t, const wi_traced_flow *flows, uint32_t n);
void wi_packet_trace_archive(wi_packet_trace *t, wi_archiver *archiver);
void wi_packet_trace_free(wi_packet_trace *t);
