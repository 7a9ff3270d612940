/*
 * From a graph and a list of flows to a network that an engine can run: hosts, ports, forwarding table,
 * slots.
 *
 * Nothing here knows scenario files; src/scenario translates. All arrays of a wi_net_plan are borrowed for
 * the call.
 */
#pragma once

#include "base/common/common.h"
#include "net/model/model.h"
#include "net/host/player.h"
#include "jobs/job.h"
#include "net/packet/program.h"
#include "net/packet/world.h"
#include "weir/arena.h"
#include "weir/engine.h"
#include "weir/graph.h"
#include "weir/routes.h"

/* A line's trace: points of rates, or opportunities. */
typedef struct wi_net_trace_plan {
    net_trace_point *points;  /* [n], or null; bytes and more_ps are filled in */
    weir_time *opportunities; /* [n], or null */
    uint32_t n;
    weir_time period_ps; /* 0: holds */
    double pass_bytes;   /* in a period */
    uint64_t pass_work;  /* as in net_trace */
} wi_net_trace_plan;

/* A class of traffic: `params` without offsets and udp_mean_bytes, and the points of its empirical sizes: of
 * transfers, or of packets where it is UDP. */
typedef struct wi_net_class_plan {
    net_class params;
    const weir_cdf_point *size_points; /* null unless they are empirical */
    const net_udp_point *points;       /* [n_points] of UDP that replays a trace; or null */
    uint32_t n_points;
    const net_video *video; /* of NET_CLASS_VIDEO; or null */
    bool histogram;         /* count one-way delays */
    const char *name;
    weir_place place; /* for messages; may be of no file */
} wi_net_class_plan;

/* One flow that starts at a given time. Nodes are graph nodes; for request classes src asks dst. */
typedef struct wi_net_flow_plan {
    uint32_t src, dst;
    uint16_t cls;
    weir_time start_ps;
    uint64_t rate_bps;            /* UDP, while sending; 0: only where it changes */
    uint32_t first_rate, n_rates; /* in the plan's list: what it becomes (NET_CLASS_VARIES) */
    /* Flows that wait for others; of TCP without requests. */
    uint64_t size_bytes; /* 0: drawn from the class */
    /* Numbers + 1 of the gates that start the flow, and that its arrival and its last ACK feed; 0: none. */
    uint32_t after, feeds, sent_feeds;
    uint32_t round; /* for results */
} wi_net_flow_plan;

/* A flow's rate from then on; a flow's in order of time, after its start. */
typedef struct wi_net_rate_plan {
    weir_time at_ps;
    uint64_t rate_bps;
} wi_net_rate_plan;

/* Opens when so many flows and gates of its node have fed it (transport/gate.h). */
typedef struct wi_net_gate_plan {
    uint32_t node, needs;
    weir_time pause_ps;           /* from the last of them on; of a gate that needs none: from -1 ps on */
    uint32_t first_feed, n_feeds; /* in the plan's list: gates of the same node that it feeds */
    uint32_t to;        /* number + 1 of a gate, of whatever node, that it feeds reach_ps later; 0: none */
    weir_time reach_ps; /* between nodes also the least time by which one of them knows of the other */
} wi_net_gate_plan;

/* Flow arrivals at one node: to destinations chosen evenly at random, or in turn where periodic. */
typedef struct wi_net_arrivals_plan {
    uint32_t src;
    uint16_t cls;
    bool periodic;
    weir_time start_ps;
    double gap_ps;
    const uint32_t *dst; /* [n_dst] nodes */
    uint32_t n_dst;
    uint32_t slots;            /* flows at once */
    uint32_t rx_slots;         /* of NET_CLASS_JOB: slots that src has for what comes to it, */
    double messages, segments; /* and how many it sends, and of how many segments in all */
} wi_net_arrivals_plan;

/* Nodes of a server, of which one sends to the other. */
typedef struct wi_net_near {
    uint32_t from, to;
} wi_net_near;

/* A job in place. Of each rank, from first_arrivals on, its messages are arrivals of a class of NET_CLASS_JOB, where `dst` are all
 * that it sends to; none come by themselves. */
typedef struct wi_net_job_plan {
    const wi_job *job;                 /* closed */
    uint32_t *rank_node, *rank_server; /* [ranks] */
    uint32_t first_arrivals, iterations;
    uint32_t processors; /* of each rank */
    bool lasts;          /* connections do */
    weir_time start_ps, local_delay_ps;
    uint64_t local_bps, eager_bytes;
    wi_net_near *near; /* [n_near] */
    uint32_t n_near;
    net_collective *collectives; /* [n_collectives] first_op: in job->together; lists: in `lists` */
    uint32_t n_collectives;
    uint32_t *lists; /* [n_lists] */
    uint32_t n_lists;
} wi_net_job_plan;

/* Two nodes between which something other than packets travels. */
typedef struct wi_net_pair_plan {
    uint32_t src, dst;
    uint16_t cls;
} wi_net_pair_plan;

/* A directed edge that fails or comes back; a link is two of them, at one time. Routes follow after the
 * plan's convergence_ps. */
typedef struct wi_net_outage_plan {
    weir_time at_ps;
    uint32_t edge; /* UINT32_MAX: the access link of the implicit host at `node`, where it has one */
    uint32_t node;
    bool down;
    weir_place place; /* for messages; may be of no file */
} wi_net_outage_plan;

typedef enum wi_net_forward {
    WI_NET_FORWARD_AUTO, /* source routes where tables are large and pairs are few */
    WI_NET_FORWARD_TABLE,
    WI_NET_FORWARD_SOURCE
} wi_net_forward;

/* Switches that pause their neighbours (net/switch/pfc.h). */
typedef struct wi_net_pfc_plan {
    uint32_t lossless;                               /* priorities, a bit each; 0: no PFC */
    uint64_t xoff_bytes, xon_offset, headroom_bytes; /* 0: moving; bytes; 0: as much as is needed */
    weir_place place;                                /* for messages */
} wi_net_pfc_plan;

typedef struct wi_net_plan {
    const weir_graph *graph;     /* rates and delays filled in */
    wi_common *in_common;        /* where routes are shared with other networks; null: nowhere */
    wi_common_key graph_key;     /* where they are: of the graph's nodes and links */
    uint32_t *edge_queue;        /* [n_edges] index into queues, for router ports */
    double *edge_loss;           /* [n_edges], or null */
    uint8_t *edge_overhead;      /* [n_edges] bytes that links add to each packet, or null */
    net_impairment *impairments; /* [n_impairments] */
    wi_net_trace_plan *traces;   /* [n_traces] that impairments name */
    uint32_t n_traces;
    uint32_t *edge_impairment; /* [n_edges] index into impairments, UINT32_MAX: none; or null */
    uint32_t n_impairments;
    weir_queue_params *queues; /* [n_queues]; type: enum net_queue_type */
    uint32_t n_queues;
    struct {
        uint64_t bytes; /* of each router's memory; 0: each port has its own limit alone */
        double alpha;
        weir_place place; /* for messages */
        wi_net_pfc_plan pfc;
    } shared;
    uint32_t host_queue, access_queue; /* hosts' own interfaces; router ports toward implicit hosts */
    bool
        turns; /* flows of a host take turns (net/transport/turn.h); host_queue is droptail, with PFC priority */
    uint64_t access_rate_bps;
    weir_time access_delay_ps;
    uint32_t access_overhead;
    bool access_is_asked; /* its rate is somebody's, not the default */
    weir_metric metric;
    bool ecmp, spray;       /* spray: packets share paths out, not flows; with ecmp alone */
    uint32_t path_salt;     /* added to the hashes by which they do */
    weir_time flowlets_ps;  /* with ecmp alone: flowlets do, apart by more than this; 0: they do not */
    wi_net_forward forward; /* SOURCE: no ecmp, no outages, one destination for each source of arrivals */
    uint32_t ttl;
    weir_time warmup_ps, duration_ps;
    wi_net_class_plan *classes; /* [n_classes] */
    uint32_t n_classes;
    wi_net_flow_plan *flows; /* [n_flows] */
    uint32_t n_flows;
    wi_net_rate_plan *rates; /* [n_rates] */
    uint32_t n_rates;
    wi_net_gate_plan *gates; /* [n_gates] */
    uint32_t n_gates;
    uint32_t *gate_feeds; /* [n_gate_feeds] numbers of gates */
    uint32_t n_gate_feeds;
    wi_net_job_plan *jobs; /* [n_jobs] */
    uint32_t n_jobs;
    wi_net_arrivals_plan *arrivals; /* [n_arrivals] */
    uint32_t n_arrivals;
    wi_net_pair_plan *pairs; /* [n_pairs]: of these only the routes are wanted; class for messages */
    uint32_t n_pairs;
    wi_net_outage_plan *outages; /* [n_outages] in order of time */
    uint32_t n_outages;
    weir_time convergence_ps;
} wi_net_plan;

/* An entry of the table that a change of routes gives another value; all ones stand for no way. */
typedef struct wi_net_entry_change {
    uint64_t at;
    uint16_t before, after;
} wi_net_entry_change;
/* What becomes of the world at one time: links and entries of the table, each a slice of the network's list.
 */
typedef struct wi_net_link_change {
    uint32_t entity;
    bool down;
} wi_net_link_change;
typedef struct wi_net_step {
    weir_time at_ps;
    uint32_t first_link, n_links;
    uint64_t first_entry, n_entries;
} wi_net_step;

/* A source route: between routers, by number, from entry `at` of net_world.path_ports on; NET_NONE: there is no way. */
typedef struct wi_net_route {
    uint32_t from, to, at;
} wi_net_route;

/* A network ready to run, and what is needed to read its results. */
typedef struct wi_net {
    unsigned char *world;
    size_t mapped_bytes;     /* of a world whose table is shared (wi_cow_map); 0: malloc'ed */
    wi_common_thing *shared; /* that table; or null */
    uint64_t shared_bytes;   /* of it: memory that is not this network's */
    weir_arena *arena;       /* of the arrays below, but entries */
    wi_net_model model;
    uint32_t n_hosts, n_ports, n_flows, n_tx, n_rx, n_classes;
    uint32_t *pool_first[NET_POOLS];
    weir_time *lookahead_ps;
    weir_comm_graph comm; /* groups: hosts, then routers, each with its ports; arrays are the network's */
    uint64_t n_counters;
    uint32_t *host_node;         /* [n_hosts] graph node */
    uint32_t *port_edge;         /* [n_ports] directed edge; UINT32_MAX: toward an implicit host */
    uint32_t *port_node;         /* [n_ports] graph node that the port belongs to */
    uint32_t *flow_tx, *flow_rx; /* [n_flows] slots of the flows that were planned */
    wi_net_route *routes;        /* [n_routes] of source routes, in order of from and to; each once */
    size_t n_routes;
    uint32_t *job_rank, *job_op; /* of all jobs, one behind the other: their numbers in the world */
    uint32_t n_implicit;         /* hosts that stand for routers */
    uint64_t table_bytes;
    uint32_t n_set_bounds; /* with ECMP: of the world's set_bounds */
    wi_net_step *steps;    /* [n_steps] in order of time; those before next_step are in force */
    uint32_t n_steps, next_step;
    wi_net_link_change *links; /* of all steps */
    wi_net_entry_change *entries;
} wi_net;

/*
 * Build. WEIR_E_SCENARIO where a flow has no route (all such pairs up to ten are named), WEIR_E_NOMEM. `*out`
 * is set on every path and may be given to wi_net_free.
 */
WEIR_NODISCARD weir_status wi_net_build(weir_diag *diag, const wi_net_plan *plan, wi_net **out);
void wi_net_free(wi_net *net);
/* links.c: mark the links that are plain (net_link.plain), and whether ports watch what they receive; once the network is built,
 * and again where fluid or captures come to it later. */
void wi_net_mark_plain(wi_net *net);
/* build.c: the network's world, its own or shared, given back. */
void wi_net_free_world(wi_net *net);
/* Another world, malloc'ed, takes the place of the network's. */
void wi_net_put_world(wi_net *net, unsigned char *world);

/* The network's world. */
static inline const net_world *wi_net_world(const wi_net *net)
{
    return (const net_world *)(const void *)net->world;
}

/* Fill in a set-up for an engine: all but engine, seed, run, sink and hook. A network with steps needs a hook
 * from time 0 on that calls wi_net_change. */
void wi_net_setup(const wi_net *net, weir_setup *setup);

/*
 * failures.c: bring the world to a stop point's time, links and routes; at time 0 of each simulation, which
 * finds the network as it was built. Returns the time of the next step, WEIR_TIME_MAX after the last.
 */
weir_time wi_net_change(wi_net *net, weir_time at_ps);
/* net_next_port with the routes of an earlier time. */
uint32_t wi_net_next_port_then(const wi_net *net, uint32_t router, const net_packet *packet, uint32_t hop,
                               weir_time at_ps);

/* couple.c: the host entity of a node, or UINT32_MAX; and the edge that a port sends over, or UINT32_MAX. */
uint32_t wi_net_host_of(const wi_net *net, uint32_t node);
uint32_t wi_net_edge_of(const wi_net *net, const weir_graph *graph, uint32_t entity);
/* The ways of packets between two hosts, as entities from the sender on, each with the share of flows that
 * take it in the mean: one where routes are single, all of equal cost with ECMP. Returns their number; more
 * than `most` are not looked for, and the number is then most + 1. */
typedef void (*wi_net_way_visit)(void *user, const uint32_t *entities, uint32_t n, double share);
uint32_t wi_net_ways(const wi_net *net, uint32_t src_host, uint32_t dst_host, uint32_t most,
                     wi_net_way_visit visit, void *user);
/* The ports of equal cost from a router to the hosts of a column of its table, counted from its first; one, in *own, where routes
 * are single. Not of source routes. */
uint32_t wi_net_ports_to(const net_world *w, uint32_t router, uint32_t column, const uint16_t **ports,
                         uint16_t *own);
/* paths.c: where the entries of a source route between two routers begin, or NET_NONE; 0 where they are one router, and for those
 * that no traffic asked for. */
uint32_t wi_net_route_at(const wi_net *net, uint32_t from, uint32_t to);
/* Entities of the ports on the way of a flow's packets between two hosts, the sender's own first; at most
 * `max` are written, and their number is returned. */
uint32_t wi_net_path(const wi_net *net, uint32_t flow, uint32_t src_host, uint32_t dst_host,
                     uint32_t *entities, uint32_t max);
/* Rows of fluid: room for so many steps after a start; fixup as net_world.background_fixup has it. */
typedef struct wi_net_rows {
    uint32_t steps;
    weir_time step_ps;
    bool fixup;
} wi_net_rows;
/* Give some ports (entities) a row each for the fluid that shares their queues, in their order. Changes the world: before
 * wi_net_setup. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_net_couple(weir_diag *diag, wi_net *net, const uint32_t *entities, uint32_t n,
                                         wi_net_rows rows);
/* Row of a coupled port, to be written. */
net_background *wi_net_background(const wi_net *net, uint32_t row);
/* Slots of all switches that pause their neighbours, where they take memory only once a packet has been in them. */
uint64_t wi_net_pfc_slots(const wi_net *net);

/* Capture what leaves (NET_CAPTURE_SENT) and comes over (NET_CAPTURE_RECEIVED) the links of entities: a byte each; and trace all
 * packets of some classes: traced is [classes], or null for none. Changes the world and the model: before wi_net_setup.
 * WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_net_capture(weir_diag *diag, wi_net *net, const uint8_t *what,
                                          const bool *traced);
/* A new exchange: rows begin at this time, and packets accepted before it stand in them. */
void wi_net_background_begin(const wi_net *net, uint32_t batch, weir_time from_ps);
