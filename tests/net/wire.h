/*
 * Two hosts and a wire between them, whose losses the test chooses.
 *
 * The network is built as always; its events are handled here one by one, in time order, so that a test sees
 * every packet and says which are lost. Host 0 sends, host 1 receives; no router is between them.
 */
#ifndef TESTS_NET_WIRE_H
#define TESTS_NET_WIRE_H

#include <math.h>

#include "diag.h"
#include "packets/build/build.h"
#include "net/host/host.h"
#include "weir/graph.h"

#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US
#define SEC WEIR_PS_PER_S

/* Fail unless a number is another, within a share of it. */
#define near_to(got, want, bound)                                                 \
    do {                                                                          \
        const double g_ = (got), w_ = (want);                                     \
        if (!(fabs(g_ - w_) <= (bound)*fabs(w_)))                                 \
            fail_msg("line %d: %s is %.12g, want %.12g", __LINE__, #got, g_, w_); \
    } while (0)

enum { WIRE_EVENTS = 4096, WIRE_OUT = 64 };

typedef struct wire_event {
    weir_event head;
    unsigned char payload[sizeof(net_packet)];
} wire_event;

typedef struct wire {
    weir_diag *diag;
    weir_graph *graph;
    wi_net *net;
    net_class *cls; /* class 0, which a test may change before it begins */
    net_host host[2];
    net_tx *tx; /* all slots; tx[0] is the first flow's */
    net_rx *rx;
    uint64_t *windows; /* all rows */
    uint64_t *words;   /* of hosts */
    weir_entity entity[2];
    weir_ctx ctx;
    weir_setup setup;
    unsigned char out[(WIRE_OUT + 1) * sizeof(wire_event)];
    unsigned char records[8 * (sizeof(weir_record_head) + sizeof(net_tx_done))];
    wire_event pending[WIRE_EVENTS];
    uint32_t n_pending;
    weir_time now;
    /* Called for each packet as it is sent; may change it. Returns whether it is lost. */
    bool (*lose)(struct wire *w, net_packet *p);
    void *user;
    net_packet last_ack; /* and how many there were: of wire_keep_acks */
    uint32_t n_kept;
    double finished_s;                    /* when the last flow was done at its sender */
    uint64_t n_data, n_acks, n_completed; /* sent, lost ones included; flows done at the sender */
} wire;

/* For `lose`: keep the last ACK, and let nothing through. */
static inline bool wire_keep_acks(wire *w, net_packet *p)
{
    if (p->flags & NET_ACK) {
        w->last_ack = *p;
        w->n_kept++;
    }
    return true;
}

/* A TCP class without surprises: 1000-byte segments, an ACK each, no handshake, a window of 100 segments. */
static inline net_class plain_tcp(void)
{
    net_class c;
    memset(&c, 0, sizeof c);
    c.flags = NET_CLASS_SACK;
    c.mss_bytes = 1000;
    c.initial_window_bytes = 10 * 1000;
    c.window_bytes = 100 * 1000;
    c.delayed_ack = 1;
    c.delayed_ack_ps = 40 * MS;
    c.rto_min_ps = 200 * MS;
    c.rto_initial_ps = SEC;
    c.size = weir_dist_constant(1.0);
    return c;
}

static inline net_class sized_tcp(uint64_t bytes)
{
    net_class c = plain_tcp();
    c.flags |= NET_CLASS_SIZED;
    c.size = weir_dist_constant((double)bytes);
    return c;
}

static inline weir_graph *two_hosts(weir_diag *diag, uint64_t rate_bps, weir_time delay_ps)
{
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph_add_node(b, "a", WEIR_HOST);
    weir_graph_add_node(b, "b", WEIR_HOST);
    weir_link link = weir_link_init(0, 1);
    link.rate_bps = rate_bps;
    link.delay_ps = delay_ps;
    weir_graph_add_link(b, link);
    weir_graph *graph = NULL;
    expect_ok(diag, weir_graph_build(diag, b, &graph));
    weir_graph_builder_free(b);
    return graph;
}

static inline void wire_take_out(wire *w)
{
    for (uint32_t i = 0; i < w->ctx.out_count; i++) {
        wire_event e;
        memcpy(&e, w->out + (size_t)i * w->ctx.stride, sizeof e);
        if (e.head.type == NET_EV_HOST_PACKET) {
            net_packet *p = (net_packet *)(void *)e.payload;
            *(p->flags & NET_ACK ? &w->n_acks : &w->n_data) += 1;
            if (w->lose && w->lose(w, p))
                continue;
        }
        assert_true(w->n_pending < WIRE_EVENTS);
        w->pending[w->n_pending++] = e;
    }
    for (uint32_t i = 0; i < w->ctx.rec_count; i++) {
        const unsigned char *at = w->records + (size_t)i * w->ctx.rec_stride;
        if (((const weir_record_head *)(const void *)at)->type == NET_REC_TX_DONE) {
            w->n_completed++;
            w->finished_s = weir_seconds(w->now);
        }
    }
}

static inline void wire_enter(wire *w, uint32_t entity, weir_time now, uint32_t max_events)
{
    w->now = w->ctx.now_ps = now;
    w->ctx.entity = entity;
    w->ctx.self = &w->entity[entity];
    w->ctx.out_count = w->ctx.rec_count = 0;
    w->ctx.out_capacity = max_events;
}

/* `n_flows` flows of `cls` from host 0 to host 1, all starting at 0. */
static inline wire *wire_new(net_class cls, uint32_t n_flows, uint64_t rate_bps, weir_time delay_ps)
{
    wire *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->diag = weir_diag_new();
    w->graph = two_hosts(w->diag, rate_bps, delay_ps);
    wi_net_class_plan classes[1] = {{.params = cls, .name = "a"}};
    wi_net_flow_plan *flows = calloc(n_flows, sizeof *flows);
    for (uint32_t i = 0; i < n_flows; i++)
        flows[i] = (wi_net_flow_plan){.src = 0, .dst = 1, .rate_bps = 1000000};
    uint32_t edge_queue[2] = {0, 0};
    weir_queue_params queue = {.limit_bytes = UINT64_C(1) << 40};
    const wi_net_plan plan = {.graph = w->graph,
                              .edge_queue = edge_queue,
                              .queues = &queue,
                              .n_queues = 1,
                              .access_rate_bps = rate_bps,
                              .ttl = 64,
                              .classes = classes,
                              .n_classes = 1,
                              .flows = flows,
                              .n_flows = n_flows};
    expect_ok(w->diag, wi_net_build(w->diag, &plan, &w->net));
    free(flows);
    wi_net_setup(w->net, &w->setup);
    const net_world *world = wi_net_world(w->net);
    w->cls = (net_class *)(void *)(w->net->world + world->classes);
    w->tx = calloc(n_flows, sizeof *w->tx);
    w->rx = calloc(n_flows, sizeof *w->rx);
    w->windows = calloc(w->setup.pool_first[NET_POOL_WINDOW][2] + 1, sizeof *w->windows);
    w->words = calloc(w->setup.pool_first[NET_POOL_HOST_WORDS][2] + 1, sizeof *w->words);
    w->ctx = (weir_ctx){.world = w->net->world,
                        .n_entities = 2,
                        .out = w->out,
                        .stride = sizeof(wire_event),
                        .seed = 1,
                        .rec_stride = sizeof(weir_record_head) + sizeof(net_tx_done),
                        .rec = w->records,
                        .rec_capacity = 4,
                        .counters = calloc(w->setup.n_counters + 1, sizeof(int64_t)),
                        .n_counters = w->setup.n_counters};
    w->ctx.pool[NET_POOL_TX] = (unsigned char *)w->tx;
    w->ctx.pool[NET_POOL_RX] = (unsigned char *)w->rx;
    w->ctx.pool[NET_POOL_WINDOW] = (unsigned char *)w->windows;
    w->ctx.pool[NET_POOL_HOST_WORDS] = (unsigned char *)w->words;
    for (uint32_t h = 0; h < 2; h++) {
        w->entity[h].lookahead_ps = w->setup.lookahead_ps[h];
        wire_enter(w, h, -1, 4);
        net_host_init(&w->ctx, &w->host[h]);
        wire_take_out(w);
    }
    return w;
}

static inline void wire_free(wire *w)
{
    free(w->tx);
    free(w->rx);
    free(w->windows);
    free(w->words);
    free(w->ctx.counters);
    wi_net_free(w->net);
    weir_graph_free(w->graph);
    weir_diag_free(w->diag);
    free(w);
}

static inline void wire_handle(wire *w, const wire_event *e)
{
    const weir_event_type *type = &w->setup.model->types[e->head.type];
    wire_enter(w, e->head.target, e->head.time_ps, type->max_events);
    type->handle(&w->ctx, &w->host[e->head.target], &e->head);
    if (w->ctx.fault != WEIR_FAULT_NONE)
        fail_msg("fault %u of event %s at %lld ps", w->ctx.fault, type->name, (long long)w->now);
    wire_take_out(w);
}

/* When the next event comes; INT64_MAX: there is none. */
static inline weir_time wire_next(const wire *w)
{
    weir_time first = INT64_MAX;
    for (uint32_t i = 0; i < w->n_pending; i++)
        if (w->pending[i].head.time_ps < first)
            first = w->pending[i].head.time_ps;
    return first;
}

/* Handle what is before `until`. Events of one time go in the order in which they were scheduled. */
static inline void wire_run(wire *w, weir_time until)
{
    for (;;) {
        uint32_t first = 0;
        for (uint32_t i = 1; i < w->n_pending; i++)
            if (w->pending[i].head.time_ps < w->pending[first].head.time_ps)
                first = i;
        if (w->n_pending == 0 || w->pending[first].head.time_ps >= until)
            return;
        const wire_event e = w->pending[first];
        memmove(&w->pending[first], &w->pending[first + 1], (w->n_pending - first - 1) * sizeof e);
        w->n_pending--;
        wire_handle(w, &e);
    }
}

/* Hand a packet to a host at a time of the test's choosing, out of order with the rest. */
static inline void wire_deliver(wire *w, uint32_t host, const net_packet *p, weir_time at)
{
    wire_event e;
    memset(&e, 0, sizeof e);
    e.head.type = NET_EV_HOST_PACKET;
    e.head.target = host;
    e.head.time_ps = at;
    memcpy(e.payload, p, sizeof *p);
    wire_handle(w, &e);
}

/* A segment of flow 0, as its sender would make it. */
static inline net_packet wire_segment(const wire *w, uint32_t seq, uint32_t length, uint8_t flags)
{
    net_packet p;
    net_packet_init(&p, 0, 1, seq, length + NET_HEADER_TCP, flags);
    p.u.data.sent_ps = w->now;
    p.u.data.first = w->tx[0].first;
    p.u.data.rx_hint = w->tx[0].rx_hint;
    return p;
}

/* Block `i` of an ACK as sequence numbers; equal: none. */
static inline uint32_t wire_sack_from(const wire *w, const net_packet *ack, uint32_t i)
{
    const net_ack_block b = net_ack_block_at(ack, w->cls, i);
    return b.from == b.to ? 0 : ack->seq + b.from * w->cls->mss_bytes;
}

static inline uint32_t wire_sack_to(const wire *w, const net_packet *ack, uint32_t i)
{
    const net_ack_block b = net_ack_block_at(ack, w->cls, i);
    return b.from == b.to ? 0 : ack->seq + b.to * w->cls->mss_bytes;
}

#endif
