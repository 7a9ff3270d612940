/* Packets that have been sent and have neither come nor been lost, found by what they carry. */
#pragma once

#include <stdbool.h>

#include "base/file/archiver.h"
#include "net/packet/packet.h"

typedef struct wi_on_way {
    net_packet key; /* what no port on the way changes */
    weir_time sent_ps;
    uint32_t flow; /* the user's number */
    uint32_t hops; /* routers that have sent it on */
    bool counted;  /* in statistics */
    bool marked;   /* has left a port with a congestion mark */
    uint32_t next; /* of its bucket, or of the free ones */
} wi_on_way;

/* All zero: empty. */
typedef struct wi_under_way {
    wi_on_way *item; /* from 1 on; 0 is none */
    uint32_t *bucket;
    uint32_t n, room, n_buckets, used, free;
} wi_under_way;

/* Remember a packet, behind those that carry the same; false when memory is short. */
bool wi_under_way_add(wi_under_way *u, const net_packet *packet, weir_time sent_ps, uint32_t flow,
                      bool counted);
/* The first of those that carry what this packet does; null: none. Good until the next addition. */
wi_on_way *wi_under_way_find(wi_under_way *u, const net_packet *packet);
/* Forget what was found. */
void wi_under_way_remove(wi_under_way *u, const wi_on_way *found);
/* Save them, or read them back into an empty one; flows are below n_flows. */
void wi_under_way_archive(wi_under_way *u, uint32_t n_flows, wi_archiver *archiver);
void wi_under_way_free(wi_under_way *u);
