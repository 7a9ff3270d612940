/* Who crosses each link: what warnings, costs and the joining of hosts that are alike go by. */
#pragma once

#include "network/fluid/fluid.h"

/* Ways of equal cost that are looked at. */
enum { WI_FLUID_WAYS_MOST = 1024 };

/* Sessions that cross a link. */
typedef struct wi_fluid_link {
    double fluid, packets; /* of TCP, that last and begin on this way */
    double others;         /* besides, of packets: UDP, and sources of transfers */
    bool many;             /* transfers come and go */
} wi_fluid_link;

/* Visits the edges of a way of packets; share: of a session that takes it. Edges of implicit hosts are left out. */
typedef void (*wi_fluid_way_visit)(void *user, const uint32_t *edges, uint32_t n, double share);
void wi_fluid_visit_ways(const wi_network *n, uint32_t src, uint32_t dst, wi_fluid_way_visit visit,
                         void *user);

/* Whether a flow's sessions last, and begin on this way. */
bool wi_fluid_is_lasting(const wi_fluid_net *f, const weir_fluid_flow *flow);
/* Count the sessions of all links, once flows and their paths are planned, into f->links. */
WEIR_NODISCARD weir_status wi_fluid_count_sessions(weir_diag *diag, wi_fluid_net *f);
/* What each session of TCP has of a link. */
double wi_fluid_share_bps(const wi_fluid_net *f, uint32_t edge);
/* The round trip of flow i of the plan through empty queues, and the link that gives its sessions least; UINT32_MAX: it
 * has no link. */
double wi_fluid_round_s(const wi_fluid_net *f, uint32_t i);
uint32_t wi_fluid_narrowest(const wi_fluid_net *f, uint32_t i);
