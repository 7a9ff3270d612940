/* A store of packets for disciplines that decide at departure, without a network: a test puts packets in at times
 * and takes out what the discipline sends. */
#ifndef TESTS_NET_ROOM_H
#define TESTS_NET_ROOM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/queue/queues.h"

#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US

enum { ROOM_WORDS = 1 << 17, ROOM_FLOWS = 64 };

typedef struct room {
    net_queue q;
    net_port port;
    weir_ctx ctx;
    weir_stream random;
    int64_t counters[ROOM_FLOWS * NET_FLOW_COUNTERS];
    uint64_t words[ROOM_WORDS];
    net_room view;
} room;

/* q: resolved. */
static inline void room_init(room *r, const net_queue *q)
{
    memset(r, 0, sizeof *r);
    r->q = *q;
    r->ctx.counters = r->counters;
    r->ctx.n_counters = ROOM_FLOWS * NET_FLOW_COUNTERS;
    r->random = weir_stream_make(1, 2, 3);
    assert_true(net_store_words(q) <= ROOM_WORDS);
}

static inline net_room *room_at(room *r, weir_time now_ps)
{
    r->ctx.now_ps = now_ps;
    r->view = net_room_of(&r->ctx, &r->q, &r->port, r->words, &r->random);
    return &r->view;
}

/* A packet of a flow comes; its sequence number is the time in microseconds. */
static inline void room_put(room *r, weir_time now_ps, uint32_t flow, uint16_t bytes, uint8_t flags,
                            uint32_t tag)
{
    net_packet p;
    memset(&p, 0, sizeof p);
    p.flow = flow;
    p.bytes = bytes;
    p.flags = flags;
    p.seq = (uint32_t)(now_ps / US);
    net_room *view = room_at(r, now_ps);
    const uint32_t slot = net_room_put(view, &p, 64, tag);
    assert_int_not_equal(slot, 0);
    net_queue_enqueue(view, slot);
}

/* What is sent now; bytes 0: nothing. */
static inline net_packet room_get(room *r, weir_time now_ps)
{
    net_packet p;
    memset(&p, 0, sizeof p);
    net_room *view = room_at(r, now_ps);
    const uint32_t slot = net_queue_depart(view);
    if (slot) {
        p = net_room_slot(view, slot)->packet;
        net_room_free(view, slot);
    }
    return p;
}

/* The discipline's own parameters, as keys fill them. */
#define ROOM_SET(name, q, own_)                         \
    do {                                                \
        memcpy((q)->params.own, &(own_), sizeof(own_)); \
        net_##name##_resolve(q);                        \
    } while (0)

static inline net_queue room_queue(uint32_t type, uint32_t limit_packets)
{
    net_queue q;
    memset(&q, 0, sizeof q);
    q.params.type = type;
    q.params.limit_bytes = UINT64_MAX;
    q.params.limit_packets = limit_packets;
    q.bytes_per_ps = 1e-6; /* 8 Mb/s */
    q.mean_packet_bytes = 1000.0;
    return q;
}

#endif
