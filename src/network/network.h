/*
 * From a checked scenario to a network that an engine can run: the topology with what it lacks filled in,
 * queues and losses of its links, and every class's pairs, flows and arrivals.
 */
#pragma once

#include "base/common/common.h"
#include "base/memory.h"
#include "jobs/job.h"
#include "packets/build/build.h"
#include "network/files/link_trace.h"
#include "weir/cdf.h"
#include "weir/run.h"
#include "weir/scenario.h"

enum { WI_FLOWS_MAX = 100000000 };

/* Sessions of a class, or a stream of UDP, that travel as fluid. */
typedef struct wi_fluid_demand {
    uint32_t src, dst, cls, sessions;
    weir_time start_ps;
    uint64_t rate_bps; /* UDP, on the long run */
    double per_s;      /* TCP: transfers of the class's sizes that come; 0: sessions without end */
} wi_fluid_demand;

typedef struct wi_fluid_list {
    wi_fluid_demand *item;
    uint32_t n;
} wi_fluid_list;

struct wi_fluid_net;

/* Where a scenario gives what fluid has no law of; file null: it does not. */
typedef struct wi_impairment_places {
    weir_place bit_errors, jitter, duplication, trace;
} wi_impairment_places;

typedef struct wi_network {
    wi_owned memory; /* but for lists that grow */
    const weir_scenario *scenario;
    weir_graph *graph;
    struct wi_common_thing *shared_graph; /* what it has in common with other runs; null: nothing */
    weir_fill_report filled;
    /* What the network is built from, as far as it is known: flows, rates, gates, their feeds and arrivals grow as the classes
     * bring them, and arrivals' dst are malloc'ed. */
    wi_net_plan plan;
    struct wi_impairment_places *impairment_places; /* [plan.n_impairments] */
    wi_link_trace **traces;                         /* [plan.n_traces] */
    double *fluid_loss; /* [n_edges] losses in bursts included, as means; null: as plan.edge_loss */
    weir_cdf **cdf;     /* [scenario->n_traffic] points that the classes borrow; null: none */
    net_video *videos;  /* [scenario->n_traffic] that the classes borrow; null: no class is video */
    struct wi_udp_trace **replayed; /* [scenario->n_traffic] points that the classes borrow; null: none */
    struct wi_placed_job **jobs;    /* [scenario->n_traffic]; null: the class has none */
    wi_fluid_list fluid_flows;
    wi_net *net;
    struct wi_fluid_net *fluid; /* fluid.h; null: all classes are packets */
} wi_network;

/* A growing list of nodes or edges; all zero at first, freed on every path. */
typedef struct wi_number_list {
    uint32_t *item;
    uint32_t n;
} wi_number_list;
void wi_number_list_free(wi_number_list *list);

/* network/graph.c: the graph as its source gives it. WEIR_E_SCENARIO and what loading and generating say. */
WEIR_NODISCARD weir_status wi_network_graph(weir_diag *diag, wi_network *network);
void wi_network_free_graph(wi_network *network);

/* network/links.c: the graph, and the queue and loss of each link. */
WEIR_NODISCARD weir_status wi_network_links(weir_diag *diag, wi_network *network);
/* network/impairments.c: what one item of topology.links does to its edges beside rate, delay and loss; whether the
 * engine can; losses for fluid; and where fluid cannot pass. */
WEIR_NODISCARD weir_status wi_network_impair(weir_diag *diag, wi_network *network,
                                             const weir_scenario_link_override *o,
                                             const wi_number_list *edges);
WEIR_NODISCARD weir_status wi_network_check_copies(weir_diag *diag, const wi_network *network);
bool wi_network_fits_device(const wi_network *network);
void wi_network_follow_traces(wi_network *network);
void wi_network_free_impairments(wi_network *network);
WEIR_NODISCARD weir_status wi_network_fluid_loss(weir_diag *diag, wi_network *network);
WEIR_NODISCARD weir_status wi_network_fluid_passes(weir_diag *diag, const wi_network *network, uint32_t edge);

/* network/traffic.c: classes, flows and arrivals. */
WEIR_NODISCARD weir_status wi_network_traffic(weir_diag *diag, wi_network *network);

/* network/flow_list.c: one flow more; WEIR_E_SCENARIO past the most that there may be, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_network_add_flow(weir_diag *diag, wi_network *network,
                                               const wi_net_flow_plan *flow);
/* network/collective.c: the flows of a class of collective operations; `start_ps` of each host's first is drawn
 * by `random`, the class's stream. */
WEIR_NODISCARD weir_status wi_network_collective(weir_diag *diag, wi_network *network, uint32_t cls,
                                                 weir_stream *random);

/* network/job.c: a class's job in place, and what it sends. */
typedef struct wi_placed_job {
    wi_job *job;
    wi_net_job_plan plan;
    uint64_t messages, bytes;      /* between hosts, of an iteration */
    uint32_t first_rank, first_op; /* in the network's lists of all jobs */
} wi_placed_job;
WEIR_NODISCARD weir_status wi_network_job(weir_diag *diag, wi_network *network, uint32_t cls,
                                          weir_stream *random);
void wi_placed_job_free(wi_placed_job *job); /* accepts null */

/* network/listed.c: the flows of a class that a file lists. */
WEIR_NODISCARD weir_status wi_network_listed(weir_diag *diag, wi_network *network, uint32_t cls);

/* network/traffic_udp.c: what a class of UDP sends. */
WEIR_NODISCARD weir_status wi_network_udp(weir_diag *diag, wi_network *network, uint32_t cls);
/* network/traffic_video.c: what the players of a class play. */
WEIR_NODISCARD weir_status wi_network_video(weir_diag *diag, wi_network *network, uint32_t cls);
/* network/dist.c: a distribution of sizes; an empirical one's points are read and kept in `cdf`. */
WEIR_NODISCARD weir_status wi_network_dist(weir_diag *diag, const weir_scenario_dist *d, weir_cdf **cdf,
                                           weir_dist *out);

/* network/events.c: failures and repairs. */
WEIR_NODISCARD weir_status wi_network_events(weir_diag *diag, wi_network *network);

/* network/names.c: node of a name, or an error at its place with the nearest name; UINT32_MAX then. */
uint32_t wi_network_node(weir_diag *diag, const wi_network *network, const char *name, weir_place place);

/* Adds the nodes that a name or pattern (name_pattern.h) means, in their order; WEIR_E_SCENARIO where there
 * is none, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_network_nodes(weir_diag *diag, const wi_network *network, const weir_name *name,
                                            wi_number_list *list);
/* The same of those who send or receive: a pattern that matches hosts means these alone. A warning says which routers it matches
 * too. */
WEIR_NODISCARD weir_status wi_network_ends(weir_diag *diag, const wi_network *network, const weir_name *name,
                                           wi_number_list *list);
/* The same of all names of a list of a class's, which stands at a place: each node once. */
WEIR_NODISCARD weir_status wi_network_once(weir_diag *diag, const wi_network *network,
                                           const weir_scenario_class *c, weir_place at,
                                           const weir_names *names, wi_number_list *list);
/* network/pairs.c: adds the topology's hosts, or all nodes with a link where it has none. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_network_hosts(weir_diag *diag, const wi_network *network, wi_number_list *list);
/* Adds the directed edges that a link name means, its ends names or patterns. Same errors. */
WEIR_NODISCARD weir_status wi_network_edges(weir_diag *diag, const wi_network *network,
                                            const weir_link_name *link, wi_number_list *list);

/* network/ports.c: name of a port, "A->B", with "#2" for the second parallel link; malloc'ed. */
char *wi_port_name(const wi_network *network, uint32_t entity);
/* A host's name: its node's, and "NODE.host" for the implicit host of a router. */
void wi_host_name(const wi_network *network, uint32_t host, char *out, size_t size);
