/*
 * What a run of the packet network did: totals of flows and ports, a snapshot at the end of the warm-up,
 * conservation. Read at stop points only. Values are totals from the run's start unless a snapshot is
 * subtracted.
 */
#pragma once

#include "packets/build/build.h"
#include "net/flow/endpoint.h"
#include "net/switch/port.h"

/* Packets on their way, found among the pending events and in stores. */
typedef struct wi_net_in_flight {
    uint32_t *data, *acks; /* [n_tx] of each flow */
    uint32_t *of_entity;   /* [entities] sent by each, not yet arrived */
    uint32_t *waiting;     /* [entities] at each, not yet sent, where a discipline decides at departure */
    uint64_t total;
} wi_net_in_flight;

/* Totals of a sending slot, both ends: sums, then extremes and what stands for now. */
typedef struct wi_net_flow_total {
    uint64_t packets, retransmissions, timeouts, recoveries, reductions, nacks, trimmed;
    uint64_t acked_bytes, received_packets, received_bytes, dropped, marked, duplicates;
    uint64_t rtt_sum_ns, rtt_n, delay_sum_ns;
    double rtt_min_s, rtt_max_s, delay_min_s, delay_max_s, jitter_s;
} wi_net_flow_total;

/* State of everything that is summed, at one stop point; of ports' backlogs what wi_net_backlog has. */
typedef struct wi_net_snapshot {
    weir_time at_ps;
    net_port *ports;          /* [n_hosts + n_ports]: hosts' own first */
    double *line_bytes;       /* [n_hosts + n_ports] what wi_net_line_bytes had */
    wi_net_flow_total *flows; /* [n_flows] */
} wi_net_snapshot;

/* Whether flows of a class have NACKs. */
static inline bool wi_net_has_nacks(const net_class *c)
{
    return (c->flags & (NET_CLASS_RDMA | NET_CLASS_NDP)) != 0;
}
/* Add to `sums` [n_classes] what slots of each class have sent, got and lost since the start of the run, whichever flows they served;
 * of retransmissions, timeouts, NACKs and round trips those of flows under way, as records tell of the others. */
void wi_net_classes_read(const wi_net *net, const weir_sim *sim, wi_net_flow_total *sums);
/* Packets of a sending slot that queues have cut to their headers. */
uint64_t wi_net_trimmed(const wi_net *net, const weir_sim *sim, uint32_t slot);
/* Of a port of a router with a shared memory: where its state begins in NET_POOL_PORT_WORDS. */
uint32_t wi_net_switch_words(const wi_net *net, uint32_t entity);
/* A port by entity: a host's own, or a router's. */
const net_port *wi_net_port(const wi_net *net, const weir_sim *sim, uint32_t entity);
/* The same, of one that this rank has; null where another has it. Not of switches with shared memory. */
const net_port *wi_net_own_port(const wi_net *net, const weir_sim *sim, uint32_t entity);
/* The link that an entity sends over. */
const net_link *wi_net_link(const wi_net *net, uint32_t entity);
/* The mean rate of that link over a span of time, above 0: of one that follows a trace, what the trace allows. */
double wi_net_line_rate_bps(const wi_net *net, uint32_t entity, weir_time from_ps, weir_time to_ps);
/* How long it was down by a time (failures.c; `events`). */
weir_time wi_net_down_ps(const wi_net *net, uint32_t entity, weir_time to_ps);
/* The settings of its queue. */
const net_queue *wi_net_queue(const wi_net *net, uint32_t entity);
/* Packets that an entity's link lost while it had failed, or that the router at its end had no way for. */
uint64_t wi_net_lost(const wi_net *net, const weir_sim *sim, uint32_t entity, int why);
/* Bytes that the line has yet to send at a time, with what it adds to packets, of what a port which decides at arrival has accepted, by
 * its state; at another port, of the packet being sent. */
double wi_net_line_bytes(const wi_net *net, const weir_sim *sim, uint32_t entity, weir_time at_ps);
/* What of a line's bytes is packets, by all that the port has accepted: the rest is what the line adds. */
double wi_net_packets_share(const wi_net *net, uint32_t entity, const net_port *port);
/* Packets that links have duplicated: of a sending slot, data or ACKs, and at an entity's link. */
uint64_t wi_net_copies(const wi_net *net, const weir_sim *sim, uint32_t slot, bool acks);
uint64_t wi_net_copies_at(const wi_net *net, const weir_sim *sim, uint32_t entity);
/* What waits at a port that decides at departure: slots of its store, free ones with packets of 0 bytes; false at
 * another port. */
typedef struct net_waiting_view {
    const net_queued *slots; /* [used] */
    uint32_t used;
} net_waiting_view;
bool wi_net_waiting(const wi_net *net, const weir_sim *sim, uint32_t entity, net_waiting_view *out);
/* Bytes that wait there, without the packet that is being sent; 0 at another port. */
uint64_t wi_net_waiting_bytes(const wi_net *net, uint32_t entity, const net_port *port);
/* The integral of a port's backlog until now, as net_port.backlog has it of packets in whole: that counts an accepted packet for as
 * long as it will stand, and one that is decided about at departure when it leaves. */
uint64_t wi_net_backlog(const wi_net *net, const weir_sim *sim, uint32_t entity);
/* When the next of the flows that a host (entity) starts at given times is due; it must have one to come. */
weir_time wi_net_next_start(const wi_net *net, const weir_sim *sim, uint32_t host);
/* The sender's and the receiver's slot of flow `i` of the plan. */
const net_tx *wi_net_tx(const wi_net *net, const weir_sim *sim, uint32_t i);
const net_rx *wi_net_rx(const wi_net *net, const weir_sim *sim, uint32_t i);
/* When a rank of a job began an iteration, and an operation ended in one; numbers among those of all jobs of the plan. WEIR_TIME_MAX:
 * not yet. */
weir_time wi_net_rank_began(const wi_net *net, const weir_sim *sim, uint32_t rank, uint32_t iteration);
weir_time wi_net_op_ended(const wi_net *net, const weir_sim *sim, uint32_t op, uint32_t iteration);
/* Add the sums of others to totals, or (sign -1) take them off. */
void wi_net_flow_add(wi_net_flow_total *to, const wi_net_flow_total *others, int sign);
/* Read the totals of flow `i` of the plan. */
void wi_net_flow_read(const wi_net *net, const weir_sim *sim, uint32_t i, wi_net_flow_total *out);
/* Counters of a class (enum in packet.h) and of a delay histogram; null where the class has none. */
int64_t wi_net_class_counter(const wi_net *net, const weir_sim *sim, uint32_t cls, int what);
const int64_t *wi_net_delay_histogram(const wi_net *net, const weir_sim *sim, uint32_t cls);
/* Lower and upper bound of a bin, seconds. */
void wi_net_delay_bin_bounds(uint32_t bin, double *from_s, double *to_s);
/* Quantile by linear interpolation within its bin, of the last bin its beginning, and within the bounds of
 * all delays: {0, INFINITY} where these are not known. NaN for an empty histogram. */
double wi_net_delay_quantile(const int64_t *histogram, double share, double least_s, double most_s);

/* Copy what is summed at this stop point; WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_net_snapshot_take(weir_diag *diag, const wi_net *net, const weir_sim *sim,
                                                wi_net_snapshot *out);
/* Free what a snapshot holds. */
void wi_net_snapshot_free(wi_net_snapshot *snapshot);

/* pfc.c, where switches pause their neighbours. The pauses that an entity's port has sent and received, from the run's start. */
typedef struct wi_net_pauses {
    uint64_t xoff_sent, xon_sent, xoff_got,
        xon_got;         /* priorities paused and released, at this port and by it */
    weir_time paused_ps; /* time in which some priority was paused here */
    uint64_t headroom_bytes,
        headroom_most; /* of a priority: what there is, and the most in use; 0 at hosts */
    uint32_t paused,
        pausing; /* priorities, a bit each: those paused here, and those that it has paused at its neighbour */
} wi_net_pauses;
/* Read the pauses of an entity's port. */
wi_net_pauses wi_net_pauses_of(const wi_net *net, const weir_sim *sim, uint32_t entity);
/* What waits in the memory of a switch, at its first port; false at another. */
bool wi_net_pfc_waiting(const wi_net *net, const weir_sim *sim, uint32_t entity, net_waiting_view *out);
/* The integral of what has been waiting at `entity` to leave until a time, byte seconds. */
double wi_net_pfc_waiting_byte_s(const wi_net *net, const weir_sim *sim, uint32_t entity, weir_time at_ps);
/* Bytes that wait at `entity` to leave and came to its router by the link of the port `from`, of one priority. */
uint64_t wi_net_pfc_held(const wi_net *net, const weir_sim *sim, uint32_t entity, uint32_t from,
                         uint32_t priority);
/* A circle of ports of switches, each paused for good since what it waits for waits at the next: a deadlock. Entities in
 * `ports` (room for all ports of the network), in their order; returns how many, 0: there is none. */
uint32_t wi_net_pfc_deadlock(const wi_net *net, const weir_sim *sim, uint32_t *ports, uint32_t *priority);
/* Every XOFF has its XON, stands, or is on its way, and memory holds what its ports hold; returns the number of violations,
 * which it reports. */
uint32_t wi_net_pfc_check(weir_diag *diag, const wi_net *net, const weir_sim *sim);

/* Packets sent over links so far, a packet over one link being one hop. */
uint64_t wi_net_hops(const wi_net *net, const weir_sim *sim);

/*
 * Conservation, to the packet: per flow, per class and per node, sent = received + dropped + in flight.
 * WEIR_E_CHECK with the first violations; it holds in every run, so a violation is a bug.
 */
WEIR_NODISCARD weir_status wi_net_check(weir_diag *diag, const wi_net *net, const weir_sim *sim);
