/* What the files that build a network share: the plan, the numbering of hosts, routers and slots, and the
 * image. */
#pragma once

#include "base/image.h"
#include "net/packet/program.h"
#include "weir/arena.h"
#include "packets/build/forwarding.h"

/* Programs of jobs, on their way to the image. */
typedef struct wi_programs {
    net_job *jobs;
    net_rank *ranks; /* [n_ranks + 1] */
    net_op *ops;
    net_collective *collectives;
    uint32_t *lists;
    uint32_t *arrivals;       /* [n_ranks] number in the plan of those whose slots are the rank's */
    uint32_t *host_rank;      /* [n_hosts + 1] */
    uint64_t *words, *inlets; /* [n_hosts] how many; null: there are no jobs */
    uint32_t n_ranks, n_ops, n_collectives, n_lists;
} wi_programs;

typedef struct wi_building {
    const wi_net_plan *plan;
    wi_net *net;
    weir_diag *diag;
    weir_status status; /* WEIR_E_NOMEM once memory has been short */
    weir_arena *arena;  /* what is needed until the network is built */
    wi_image image;     /* the world, its head first */
    net_world head;     /* copied to the image's start at the end */
    /* numbering, by graph node */
    uint32_t *node_host, *node_router; /* NET_NONE: none */
    uint32_t *router_node;             /* [n_routers] */
    uint32_t *router_port;             /* [n_routers] entity of the first port */
    uint32_t *host_down; /* [n_hosts] entity of the router's port toward the host, or NET_NONE */
    /* slots */
    uint32_t *session_first;   /* [n_hosts + 1] */
    uint32_t *generator_first; /* [n_hosts + 1] */
    uint32_t *rx_dynamic;      /* [n_hosts] */
    uint32_t *arrivals_tx;     /* [n_arrivals] first sending slot */
    uint32_t *arrivals_index;  /* [n_arrivals] generator number */
    uint32_t *flow_session;    /* [n_flows] session slot of request flows */
    uint32_t *gate_index;      /* [n_gates] number of a gate of the plan, host by host */
    uint32_t *gate_first;      /* [n_hosts + 1] numbers of each host's; null where there are no gates */
    wi_programs programs;
    bool copies, host_copies; /* some link duplicates packets; a host's own does */
    bool metered;             /* ports measure their load (net/port/meter.h) */
    /* the table, which stands at the world's end, as other worlds have it too; or null */
    const struct wi_cow *pages;
    net_queue *queues;
    uint32_t n_queues, queues_room;
    uint32_t limit_least;  /* bytes: of a queue without a limit of its own, which takes any packet */
    uint32_t *queue_table; /* [2 * queues_room] numbers by their settings' hash; NET_NONE: free */
} wi_building;

/* Whether a class is of requests. */
static inline bool wi_is_request(const wi_building *b, uint32_t cls)
{
    return (b->plan->classes[cls].params.flags & NET_CLASS_REQUEST) != 0;
}

/* Nodes that send and receive a planned flow's data: a request's data flow from dst to src. */
static inline uint32_t wi_flow_sender(const wi_building *b, const wi_net_flow_plan *f)
{
    return b->node_host[wi_is_request(b, f->cls) ? f->dst : f->src];
}

static inline uint32_t wi_flow_receiver(const wi_building *b, const wi_net_flow_plan *f)
{
    return b->node_host[wi_is_request(b, f->cls) ? f->src : f->dst];
}

/* nodes.c. Number hosts, routers and ports. */
WEIR_NODISCARD weir_status wi_build_numbering(wi_building *b);
/* links.c. Make links, queues, destinations and lookaheads. */
WEIR_NODISCARD weir_status wi_build_links(wi_building *b);
/* words.c. Lay out what each entity has in its pool of words; and, once flows are, say where hosts have their pulls. */
WEIR_NODISCARD weir_status wi_build_words(wi_building *b, const net_link *links,
                                          const net_host_params *hosts);
WEIR_NODISCARD weir_status wi_build_pulls(wi_building *b);
/* A host's last words: programs, pulls and gates. */
uint64_t wi_build_last_words(const wi_building *b, uint32_t host);
/* impairments.c. Say what impairs links; and, last, count the packets that they duplicate. */
WEIR_NODISCARD weir_status wi_build_impairments(wi_building *b, const net_link *links,
                                                const net_host_params *hosts);
void wi_build_copies(wi_building *b);
/* The edge that an entity sends over; UINT32_MAX: an access link beside the graph. */
uint32_t wi_build_edge(const wi_building *b, uint32_t entity);
/* switches.c, of switches whose ports share a memory. The words of an entity besides its queue's own; the ports of whose switch it
 * is the first, or 0; an error where a port cannot be one of them; and their arrays, lookahead and targets. */
uint64_t wi_build_switch_words(const wi_building *b, uint32_t entity);
uint32_t wi_build_switch_ports(const wi_building *b, uint32_t entity);
WEIR_NODISCARD weir_status wi_build_switch_check(const wi_building *b, uint32_t port, const net_link *link);
WEIR_NODISCARD weir_status wi_build_switches(wi_building *b);
/* pfc.c, of switches that pause their neighbours. The largest packet of any class, and the least; a turn at a host; arrays; slots; words of all; and,
 * last, counters. */
uint32_t wi_build_most_packet(const wi_building *b, uint32_t *least);
uint32_t wi_build_turn_bytes(const wi_building *b);
WEIR_NODISCARD weir_status wi_build_pfc(wi_building *b, const net_link *links, const net_host_params *hosts);
uint32_t wi_build_pfc_slots(const wi_building *b);
uint64_t wi_build_pfc_words(const wi_building *b, uint32_t ports);
void wi_build_pfc_model(wi_building *b);
/* flows.c. Number slots and gates; make slots' owners, starts, gates and generators. */
WEIR_NODISCARD weir_status wi_build_slots(wi_building *b);
WEIR_NODISCARD weir_status wi_build_gate_slots(wi_building *b);
WEIR_NODISCARD weir_status wi_build_flows(wi_building *b);
WEIR_NODISCARD weir_status wi_build_gates(wi_building *b);
/* programs.c. Lay out programs of jobs; and make them, once hosts have their words. */
WEIR_NODISCARD weir_status wi_build_programs(wi_building *b);
WEIR_NODISCARD weir_status wi_build_program_world(wi_building *b);
/* classes.c. Whether a class's control has a trait (NET_CLASS_...); make classes and the rows of windows; words of one row of a
 * class; and, last, idle round trips, for controls that go by measured loads or have a target by link. */
bool wi_build_any(const wi_net_plan *plan, uint32_t trait);
WEIR_NODISCARD weir_status wi_build_classes(wi_building *b);
WEIR_NODISCARD weir_status wi_build_windows(wi_building *b);
uint32_t wi_window_words(const wi_net_class_plan *c);
WEIR_NODISCARD weir_status wi_build_base_rtt(wi_building *b);
/* Every so many of the pairs of all classes, once the world is made; returns how many there are. Hosts; the
 * flow's number is for ECMP. */
typedef struct wi_build_pair {
    uint32_t cls, flow, src, dst;
} wi_build_pair;
uint64_t wi_build_each_pair(const wi_building *b, uint64_t every,
                            void (*visit)(void *user, const wi_build_pair *), void *user);
/* ways.c. Whether ways have too many links, a warning, or take longer than ACKs tell of. */
WEIR_NODISCARD weir_status wi_build_check_ways(wi_building *b);
/* The mean of UDP's packet sizes as they are sent, within the bounds of a packet. */
double wi_udp_mean_bytes(const weir_dist *packet);
/* routes.c. Make the forwarding table or source routes; after everything else that the image has. */
WEIR_NODISCARD weir_status wi_build_routes(wi_building *b);
/* build.c. Put the table at the image's end. */
WEIR_NODISCARD weir_status wi_build_table(wi_building *b, wi_net_forwarding *f);
/* checks.c. Whether the table leads from one host to another; an error that names the pairs that `joined` (given `user` and two
 * hosts) does not join; warnings of controls that go by what no queue does. */
bool wi_build_reaches(const wi_building *b, const wi_net_forwarding *f, uint32_t from, uint32_t to);
WEIR_NODISCARD weir_status wi_build_check_pairs(const wi_building *b,
                                                bool (*joined)(const void *user, uint32_t from, uint32_t to),
                                                const void *user);
void wi_build_warn_unfit(const wi_building *b);
/* failures.c. Make the array of outages; and work out failures and repairs, after which `f` is as the last of them leaves it. */
WEIR_NODISCARD weir_status wi_build_outages(wi_building *b);
WEIR_NODISCARD weir_status wi_build_changes(wi_building *b, wi_net_forwarding *f);
/* paths.c. Whether source routes are better than a table; and make them. */
bool wi_build_prefers_paths(const wi_building *b, const wi_net_forwarding *f);
WEIR_NODISCARD weir_status wi_build_paths(wi_building *b, wi_net_forwarding *f);

/* build.c. Zeroed memory for n items until the network is built, or for as long as it is there; or a place of them in the image,
 * which moves when that grows. Or append a copy of n items to the image, and return its offset. Where memory is short they
 * return null or 0 and set b->status. */
void *wi_build_temp(wi_building *b, uint64_t n, size_t size);
void *wi_build_keep(wi_building *b, uint64_t n, size_t size);
void *wi_build_place(wi_building *b, uint64_t n, size_t size, uint64_t *offset);
uint64_t wi_build_array(wi_building *b, const void *data, uint64_t n, size_t size);
