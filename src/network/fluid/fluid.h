/*
 * The fluid classes of a network: the solver's plan over the network's own routes and queues, the coupling
 * with its packets, and what is sampled for the results.
 *
 * A session of TCP sends segments of mss + 40 bytes, so that fluid and packets mean the same queue; goodput
 * counts the payload. Implicit hosts and their access links are left out of a fluid's path.
 */
#pragma once

#include <jansson.h>
#include <pthread.h>

#include "fluid/coupling/coupling.h"
#include "base/memory.h"
#include "network/network.h"

/* State of all demands and ports at the end of a step. */
typedef struct wi_fluid_sample {
    struct wi_fluid_sample *next;
    int64_t step;
    weir_fluid_flow_state *flows; /* [demands] of all their ways together */
    weir_fluid_port_state *ports; /* [n_ports] */
} wi_fluid_sample;

/* Over the samples after the warm-up. */
typedef struct wi_fluid_flow_means {
    double window_sum, rtt_sum, rtt_min, rtt_max, sessions_sum;
    uint64_t n;
} wi_fluid_flow_means;

/* A bound that a class meets at an entity's port (warnings.h). */
typedef struct wi_fluid_warned {
    uint32_t cls, entity, bound;
    const char *quantity; /* what is off; borrowed */
} wi_fluid_warned;

/* While routers have no way for a stream, a demand of UDP: what it sends is lost at once. */
typedef struct wi_fluid_cut {
    weir_time from_ps, to_ps;
    uint32_t cls; /* of the plan */
} wi_fluid_cut;

typedef struct wi_fluid_net {
    wi_owned memory; /* of what has its size from the plan */
    wi_network *network;
    weir_fluid_plan plan;
    struct wi_fluid_link *links; /* [edges], load.h */
    uint32_t *first_way; /* [demands + 1]: flows of the plan, one for each way of a demand's sessions */
    uint32_t *first_cut; /* [demands + 1] of cuts; null: no link ever fails */
    wi_fluid_cut *cuts;
    double *payload; /* [classes of traffic] share of the bytes on the wire, of those that are fluid */
    weir_fluid_options options;
    double round_ps;      /* round trip, queues included, mean over sessions */
    weir_fluid_size size; /* of the solver */
    wi_coupling *coupling;
    wi_meeting *meetings;
    uint32_t n_meetings, lookahead;
    uint32_t n_ports;
    uint32_t *port_entity; /* [n_ports] of the packet network */
    uint32_t *meeting_of;  /* [entities] or UINT32_MAX */
    uint32_t *port_of;     /* [entities] or UINT32_MAX */
    bool on_device, attached;
    bool is_udp;             /* all of it */
    wi_fluid_warned *warned; /* [n_warned] */
    uint32_t n_warned;
    /* Samples that the fluid has passed and the packets not yet: written by the solver's thread. */
    pthread_mutex_t lock;
    wi_fluid_sample *first, *last, *spare;
    wi_fluid_sample *now, *warm;     /* taken last; at the end of the warm-up, null: from the start */
    wi_fluid_flow_means *flow_means; /* [demands] */
} wi_fluid_net;

/* Plan, solver and coupling of network->fluid_flows. *out is set on every path and may be freed. */
WEIR_NODISCARD weir_status wi_fluid_net_build(weir_diag *diag, wi_network *network, wi_fluid_net **out);
void wi_fluid_net_free(wi_fluid_net *f);
/* Whether any packets are sent beside the fluid. */
static inline bool wi_fluid_net_has_packets(const wi_fluid_net *f)
{
    return f->network->plan.n_flows > 0 || f->network->plan.n_arrivals > 0;
}
/* What the fluid would take of a processor, alone; and its flows as packets. */
typedef struct wi_fluid_cost {
    double steps, solver_s, packet_hops, packets_s;
    uint64_t bytes; /* of the solver */
} wi_fluid_cost;
void wi_fluid_net_cost(const wi_fluid_net *f, wi_fluid_cost *out);
/* A simulation of the network begins, at time 0; may be called again for the next one. */
WEIR_NODISCARD weir_status wi_fluid_net_attach(weir_diag *diag, wi_fluid_net *f, const weir_sim *sim);

/* fluid/plan.c: plan and options; needs wi_fluid_net_unplan. */
WEIR_NODISCARD weir_status wi_fluid_net_plan(weir_diag *diag, wi_fluid_net *f);
void wi_fluid_net_unplan(wi_fluid_net *f);

/* fluid/reroutes.c: flows and their paths, those that a demand has one after the other too; cls: [demands] of the plan. *least_delay_ps: of all links on them. */
WEIR_NODISCARD weir_status wi_fluid_net_find_ways(weir_diag *diag, wi_fluid_net *f, const uint32_t *cls,
                                                  weir_time *least_delay_ps);
/* fluid/onoff.c: the schedule of a demand's class where it goes on and off; it is the class's to free. */
WEIR_NODISCARD weir_status wi_fluid_net_schedule(weir_diag *diag, const wi_fluid_net *f, uint32_t demand,
                                                 weir_fluid_class *c);

/* fluid/samples.c: what the coupling calls, and reading it at a stop point. */
int64_t wi_fluid_net_next_sample(void *user, int64_t after);
weir_status wi_fluid_net_sample(void *user, weir_diag *diag, weir_fluid *fluid);
/* Bring `now` to a stop point's time, and the means with it. Null `now`: nothing is sampled yet. */
void wi_fluid_net_take(wi_fluid_net *f, weir_time now_ps);
void wi_fluid_net_keep_warm(wi_fluid_net *f);
void wi_fluid_net_drop_samples(wi_fluid_net *f);

/* A sample with room for all demands and ports; null when memory is short. */
wi_fluid_sample *wi_fluid_sample_new(wi_fluid_net *f);
/* fluid/keep.c: all that checkpoints need, attached and at a stop point. */
void wi_fluid_net_archive(wi_fluid_net *f, wi_archiver *archiver);

/* fluid/totals.c: of demand i since the end of the warm-up, as far as samples go. NaN: no value. */
typedef struct wi_fluid_total {
    double sent_bytes, lost_bytes, acked_bytes; /* on the wire */
    double received_bytes;                      /* payload that was acknowledged */
    double loss;                                /* share of what was sent, or marked */
    double window_mean_bytes, rtt_mean_s, rtt_min_s, rtt_max_s;
    double in_progress; /* transfers, mean over samples */
} wi_fluid_total;
void wi_fluid_net_total(const wi_fluid_net *f, uint32_t i, wi_fluid_total *out);
/* Payload of a segment of demand i, TCP; 0 where it never has a way. */
double wi_fluid_net_segment(const wi_fluid_net *f, uint32_t i);
/* Of fluid port p since the end of the warm-up. Where packets meet it, sent_bytes is what the queue of both has taken of fluid less
 * what it has grown by: with all bytes of packets that were accepted what the line sent, and by itself negative where they wait. */
typedef struct wi_fluid_port_total {
    double arrived_bytes, lost_bytes, sent_bytes, queue_mean_bytes, queue_max_bytes;
    double link_lost_bytes; /* of those sent */
} wi_fluid_port_total;
void wi_fluid_net_port_total(const wi_fluid_net *f, uint32_t p, wi_fluid_port_total *out);
/* What fluid and its ACKs sent over a port from the start to a sample (none: 0), whose queue it left; without ACKs where packets meet it. */
double wi_fluid_net_sent_bytes(const wi_fluid_net *f, uint32_t p, const wi_fluid_sample *at);
/* Bytes in a port's queue at a stop point, packets and fluid; port: of the fluid. */
double wi_fluid_net_queue(const wi_fluid_net *f, uint32_t port);

/* fluid/acks.c: warns of each class whose ACKs would wait in queues that its round trips leave out. */
void wi_fluid_net_warn_of_acks(weir_diag *diag, wi_fluid_net *f);
/* fluid/busy.c: and of transfers over busy lines. */
void wi_fluid_net_warn_of_busy(weir_diag *diag, wi_fluid_net *f);
/* And of classes of TCP that lost much, where packets wait for timeouts instead. */
void wi_fluid_net_warn_of_floors(weir_diag *diag, const wi_fluid_net *f);

/* fluid/few.c: warns of each class that meets a bound of warnings.h, before a run. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_fluid_net_warn_of_few(weir_diag *diag, wi_fluid_net *f);

/* fluid/bounds.c: warns of each class with a session whose narrowest link is beyond the bounds of its law; before a run. */
void wi_fluid_net_warn_of_bounds(weir_diag *diag, wi_fluid_net *f);

/* fluid/summary.c: parts of summary.json, new references. */
/* Of a class of the network, which may have no fluid at all. */
json_t *wi_fluid_summarise_class(const wi_network *n, uint32_t cls, double span_s);
json_t *wi_fluid_summarise(const wi_fluid_net *f);

/* fluid/transfers.c: a class's transfers in the mean; and the windows of all that are sent as a density, once their
 * ways are known. */
typedef struct wi_fluid_transfer {
    double bytes, packet_bytes; /* on the wire: of a transfer, and of one of its segments */
    double payload;             /* share of these */
} wi_fluid_transfer;
wi_fluid_transfer wi_fluid_transfer_of(const wi_network *n, uint32_t cls);
void wi_fluid_net_plan_transfers(wi_fluid_net *f);
