/* What the files that move times share. */
#pragma once

#include "net/host/host.h"
#include "packets/skip/times.h"

typedef struct wi_moving {
    const wi_net *net;
    const net_world *w;
    weir_sim *sim;
    weir_ctx ctx; /* by it the model's own functions find what is in pools; it notes no changes */
    weir_time by;
} wi_moving;

static inline void wi_move_always(const wi_moving *m, weir_time *at)
{
    *at += m->by;
}

/* Of times where 0 is none. */
static inline void wi_move_if_set(const wi_moving *m, weir_time *at)
{
    if (*at != 0)
        *at += m->by;
}

/* Of times in units of 2^16 ps, which come round. */
static inline void wi_move_units(const wi_moving *m, uint32_t *at)
{
    *at += (uint32_t)((uint64_t)m->by >> NET_RACK_UNIT_BITS);
}

/* packet_times.c: what a packet carries, and when it was sent. */
void wi_net_move_packet(const net_world *w, weir_time by, net_packet *p);
void wi_net_move_sent(weir_time by, weir_time *sent_ps, const net_class *c);
/* Whether a class of UDP sends packets of one size at a constant rate. */
bool wi_net_is_steady_udp(const net_class *c);

/* port_times.c: an entity's port, what waits in it, its link and its meter; of a switch that shares a memory all ports, at the first. */
void wi_net_move_port(wi_moving *m, uint32_t entity);
