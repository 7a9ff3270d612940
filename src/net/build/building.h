/* What the files that build a network share: the plan, the numbering of hosts, routers and slots, and the
 * image. */
#ifndef WI_NET_BUILD_BUILDING_H
#define WI_NET_BUILD_BUILDING_H

#include "base/image.h"
#include "net/build/build.h"

typedef struct wi_building {
    const wi_net_plan *plan;
    wi_net *net;
    weir_diag *diag;
    wi_image image; /* the world, its head first */
    net_world head; /* copied to the image's start at the end */
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
    bool copies, host_copies;  /* some link duplicates packets; a host's own does */
    bool metered;              /* ports measure their load (build/meters.c) */
    /* the table, which stands at the world's end, as other worlds have it too; or null */
    const struct wi_cow *pages;
    net_queue *queues;
    uint32_t n_queues, queues_room;
    uint32_t *queue_table; /* [2 * queues_room] numbers by their settings' hash; NET_NONE: free */
} wi_building;

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

/* build/nodes.c: number hosts, routers and ports. */
WEIR_NODISCARD weir_status wi_build_numbering(wi_building *b);
/* build/links.c: links, queues, rings, destinations, lookahead. */
WEIR_NODISCARD weir_status wi_build_links(wi_building *b);
/* build/impairments.c: what impairs links, and for which entity; and, last, what counts and lets go their copies. */
WEIR_NODISCARD weir_status wi_build_impairments(wi_building *b, const net_link *links,
                                                const net_host_params *hosts);
void wi_build_copies(wi_building *b);
/* The edge that an entity sends over; UINT32_MAX: an access link beside the graph. */
uint32_t wi_build_edge(const wi_building *b, uint32_t entity);
/* build/switches.c: what ports need whose switch shares a memory among them. Words of an entity's pool besides its queue's
 * own; what such a port cannot have, refused by its name; arrays, lookahead and whom it sends to. */
uint64_t wi_build_switch_words(const wi_building *b, uint32_t entity);
/* Words of a host's pulls (transport/pull.h), and where they are. */
uint64_t wi_build_pull_words(const wi_building *b, uint32_t host);
WEIR_NODISCARD weir_status wi_build_pulls(wi_building *b);
uint32_t wi_build_switch_ports(const wi_building *b, uint32_t entity); /* 0: it is not the first port */
WEIR_NODISCARD weir_status wi_build_switch_check(const wi_building *b, uint32_t port, const net_link *link);
WEIR_NODISCARD weir_status wi_build_switches(wi_building *b);
/* build/pfc.c: the largest packet of any class, and the least; what such a switch needs that pauses its neighbours: arrays,
 * slots, words of all, and, last, counters. */
uint32_t wi_build_most_packet(const wi_building *b, uint32_t *least);
WEIR_NODISCARD weir_status wi_build_pfc(wi_building *b, const net_link *links, const net_host_params *hosts);
uint32_t wi_build_pfc_slots(const wi_building *b);
uint64_t wi_build_pfc_words(const wi_building *b, uint32_t ports);
void wi_build_pfc_model(wi_building *b);
/* build/meters.c: do ports measure their load; words of an entity for that; and, last, over which time. */
bool wi_build_is_metered(const wi_net_plan *plan);
uint64_t wi_build_meter_words(const wi_building *b, uint32_t entity);
void wi_build_base_rtt(wi_building *b);
/* build/fitting.c: warns of controls that go by marks or trimmed packets where no queue makes any. */
void wi_build_warn_unfit(const wi_building *b);
/* build/flows.c: slots, classes, starts, generators. */
WEIR_NODISCARD weir_status wi_build_slots(wi_building *b);
WEIR_NODISCARD weir_status wi_build_flows(wi_building *b);
/* build/gates.c: flows that wait for others; their numbers before anything else. */
WEIR_NODISCARD weir_status wi_build_gate_slots(wi_building *b);
WEIR_NODISCARD weir_status wi_build_gates(wi_building *b);
/* The start of a planned flow, at the host that begins it. */
net_start wi_build_start(const wi_building *b, uint32_t flow);
/* build/windows.c: rows of a bit a segment for both ends of all flows; and the words of one row of a class.
 */
WEIR_NODISCARD weir_status wi_build_windows(wi_building *b);
uint32_t wi_window_words(const wi_net_class_plan *c);
/* udp_mean.c: mean of packet sizes as they are sent, within the bounds of a packet. */
double wi_udp_mean_bytes(const weir_dist *packet);
/* build/routes.c: the forwarding table or source routes; after everything else that the image has */
WEIR_NODISCARD weir_status wi_build_routes(wi_building *b);
/* build/world.c: the table at the image's end; and the world from the image. */
WEIR_NODISCARD weir_status wi_build_table(wi_building *b, wi_net_forwarding *f);
WEIR_NODISCARD weir_status wi_build_world(wi_building *b);
/* build/pairs.c: whether the table leads from one host to another. */
bool wi_build_reaches(const wi_building *b, const wi_net_forwarding *f, uint32_t from, uint32_t to);
/* Name the pairs of which `joined` (given `user` and two hosts) says that there is no way. */
WEIR_NODISCARD weir_status wi_build_check_pairs(const wi_building *b,
                                                bool (*joined)(const void *user, uint32_t from, uint32_t to),
                                                const void *user);
/* build/failures.c: which links are out of service, none at first; and failures and repairs, after which `f` is as the last of them leaves it. */
WEIR_NODISCARD weir_status wi_build_outages(wi_building *b);
WEIR_NODISCARD weir_status wi_build_changes(wi_building *b, wi_net_forwarding *f);
/* build/paths.c: source routes instead of a table. */
bool wi_build_prefers_paths(const wi_building *b, const wi_net_forwarding *f);
WEIR_NODISCARD weir_status wi_build_paths(wi_building *b, wi_net_forwarding *f);

/* building.c: an array in the image; 0 with *failed set when memory is short. */
uint64_t wi_build_array(wi_building *b, const void *data, uint64_t n, uint64_t size, weir_status *status);

#endif
