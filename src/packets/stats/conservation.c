/* Conservation of packets, counted at the end of every run: nothing is sent that is not received, dropped or
 * on its way. */
#include <stdio.h>

#include "net/host/host.h"
#include "packets/stats/stats.h"

enum { REPORTS = 5 };

/* What became of packets of one kind. */
typedef struct fates {
    uint64_t sent, received, dropped, flying;
} fates;

typedef struct audit {
    weir_diag *diag;
    const wi_net *net;
    const weir_sim *sim;
    wi_net_in_flight flying;
    uint64_t *arrived;  /* [n_routers] packets that reached a router's ports */
    fates *data, *acks; /* [n_classes] over slots */
    uint32_t reports;
} audit;

/* The port that sent a packet which is on its way: with a shared memory, the one by which its route leaves the switch. */
static uint32_t sender_of(const net_world *w, uint32_t source, const net_packet *p)
{
    if (source < w->n_hosts || !w->port_router)
        return source;
    return net_next_port(w, NET_ARRAY(w, uint32_t, port_router)[source - w->n_hosts], p, w->ttl - p->ttl - 1);
}

static void in_flight(void *user, const weir_event *event)
{
    audit *a = user;
    if (event->type != NET_EV_PORT_PACKET && event->type != NET_EV_HOST_PACKET &&
        event->type != NET_EV_SWITCH_PACKET && event->type != NET_EV_PFC_PACKET)
        return;
    const net_packet *p = WEIR_PAYLOAD(net_packet, event);
    (p->flags & NET_ACK ? a->flying.acks : a->flying.data)[p->flow]++;
    a->flying.of_entity[sender_of(wi_net_world(a->net), event->source, p)]++;
    a->flying.total++;
}

/* Those that wait at ports that decide at departure: they have not been sent. */
static void count_waiting(audit *a)
{
    const uint32_t n = a->net->n_hosts + a->net->n_ports;
    for (uint32_t e = 0; e < n; e++) {
        net_waiting_view v;
        if (!wi_net_waiting(a->net, a->sim, e, &v))
            continue;
        for (uint32_t i = 0; i < v.used; i++) {
            const net_packet *p = &v.slots[i].packet;
            if (p->bytes == 0)
                continue;
            (p->flags & NET_ACK ? a->flying.acks : a->flying.data)[p->flow]++;
            a->flying.waiting[e]++;
            a->flying.total++;
        }
    }
}

static void report(audit *a, const char *what, const char *name, fates f)
{
    if (a->reports++ < REPORTS)
        weir_fail(a->diag, WEIR_E_CHECK,
                  "conservation of %s, %s: sent %llu, received %llu, dropped %llu, in flight %llu", what,
                  name, (unsigned long long)f.sent, (unsigned long long)f.received,
                  (unsigned long long)f.dropped, (unsigned long long)f.flying);
}

static void check_one(audit *a, const char *what, const char *name, fates f)
{
    if (f.sent != f.received + f.dropped + f.flying)
        report(a, what, name, f);
}

/* Flows with slots of their own, one by one. */
static void check_flows(audit *a)
{
    const net_world *w = wi_net_world(a->net);
    const int64_t *counters = weir_sim_counters(a->sim);
    for (uint32_t i = 0; i < a->net->n_flows; i++) {
        const uint32_t slot = a->net->flow_tx[i];
        if (net_class_of_flow(w, slot)->flags & NET_CLASS_REQUEST)
            continue; /* its slots serve one reply after another: counted with the class */
        const net_tx *tx = wi_net_tx(a->net, a->sim, i);
        const net_rx *rx = wi_net_rx(a->net, a->sim, i);
        const int64_t *count = counters + (uint64_t)slot * NET_FLOW_COUNTERS;
        char name[32];
        snprintf(name, sizeof name, "flow %u", i);
        const uint64_t data = tx->packets + wi_net_copies(a->net, a->sim, slot, false),
                       acks = rx->acks + wi_net_copies(a->net, a->sim, slot, true);
        check_one(a, "data", name,
                  (fates){data, rx->packets, (uint64_t)count[NET_COUNT_DROPPED], a->flying.data[slot]});
        check_one(a, "ACKs", name,
                  (fates){acks, tx->acks, (uint64_t)count[NET_COUNT_ACK_DROPPED], a->flying.acks[slot]});
    }
}

static void check_classes(audit *a)
{
    const net_world *w = wi_net_world(a->net);
    const int64_t *counters = weir_sim_counters(a->sim);
    for (uint32_t c = 0; c < a->net->n_classes; c++) {
        const int64_t *old = counters + w->c_class + (uint64_t)c * NET_CLASS_COUNTERS;
        a->data[c] = (fates){.sent = (uint64_t)old[NET_COUNT_OLD_SENT],
                             .received = (uint64_t)(old[NET_COUNT_OLD_DELIVERED] + old[NET_COUNT_STRAY])};
        a->acks[c] = (fates){.sent = (uint64_t)old[NET_COUNT_OLD_ACK_SENT],
                             .received = (uint64_t)old[NET_COUNT_OLD_ACKS]};
    }
    for (uint32_t i = 0; i < a->net->n_tx; i++) {
        const net_tx *tx = weir_sim_slot(a->sim, NET_POOL_TX, i);
        const int64_t *count = counters + (uint64_t)i * NET_FLOW_COUNTERS;
        const uint32_t c = NET_ARRAY(w, uint16_t, tx_class)[i];
        a->data[c].sent += tx->packets + wi_net_copies(a->net, a->sim, i, false);
        a->acks[c].sent += wi_net_copies(a->net, a->sim, i, true);
        a->acks[c].received += tx->acks;
        a->data[c].dropped += (uint64_t)count[NET_COUNT_DROPPED];
        a->acks[c].dropped += (uint64_t)count[NET_COUNT_ACK_DROPPED];
        a->data[c].flying += a->flying.data[i];
        a->acks[c].flying += a->flying.acks[i];
    }
    for (uint32_t i = 0; i < a->net->n_rx; i++) {
        const net_rx *rx = weir_sim_slot(a->sim, NET_POOL_RX, i);
        a->data[rx->cls].received += rx->packets;
        a->acks[rx->cls].sent += rx->acks;
    }
    for (uint32_t c = 0; c < a->net->n_classes; c++) {
        char name[32];
        snprintf(name, sizeof name, "class %u", c);
        check_one(a, "data", name, a->data[c]);
        check_one(a, "ACKs", name, a->acks[c]);
    }
}

/* At each router: what its neighbours sent and is no longer on its way has come to one of its ports. */
static void check_nodes(audit *a)
{
    const net_world *w = wi_net_world(a->net);
    const uint32_t n = a->net->n_hosts + a->net->n_ports;
    for (uint32_t e = 0; e < n; e++) {
        const net_link *link = wi_net_link(a->net, e);
        const net_port *port = wi_net_port(a->net, a->sim, e);
        if (!link->peer_is_host)
            a->arrived[link->peer] += port->packets + wi_net_copies_at(a->net, a->sim, e) -
                                      port->dropped[NET_DROP_LOSS - NET_DROP_LIMIT] - a->flying.of_entity[e] -
                                      wi_net_lost(a->net, a->sim, e, NET_LOST_LINK_DOWN) -
                                      wi_net_lost(a->net, a->sim, e, NET_LOST_NO_ROUTE);
    }
    for (uint32_t r = 0; r < w->n_routers; r++) {
        const uint32_t first = NET_ARRAY(w, uint32_t, router_port)[r];
        const uint32_t end = r + 1 < w->n_routers ? NET_ARRAY(w, uint32_t, router_port)[r + 1] : n;
        uint64_t taken = 0;
        for (uint32_t e = first; e < end; e++) {
            const net_port *port = wi_net_port(a->net, a->sim, e);
            taken += port->packets + port->dropped[0] + port->dropped[NET_DROP_EARLY - NET_DROP_LIMIT] +
                     port->dropped_ttl + a->flying.waiting[e];
        }
        char name[32];
        snprintf(name, sizeof name, "router %u", r);
        if (taken != a->arrived[r])
            report(a, "packets", name, (fates){.sent = a->arrived[r], .received = taken});
    }
}

weir_status wi_net_check(weir_diag *diag, const wi_net *net, const weir_sim *sim)
{
    const size_t entities = (size_t)net->n_hosts + net->n_ports;
    weir_arena *const arena = weir_arena_new(0);
    audit a = {.diag = diag, .net = net, .sim = sim};
    bool fits = arena != NULL;
    fits = fits && (a.flying.data = weir_arena_alloc(arena, net->n_tx, sizeof(uint32_t)));
    fits = fits && (a.flying.acks = weir_arena_alloc(arena, net->n_tx, sizeof(uint32_t)));
    fits = fits && (a.flying.of_entity = weir_arena_alloc(arena, entities, sizeof(uint32_t)));
    fits = fits && (a.flying.waiting = weir_arena_alloc(arena, entities, sizeof(uint32_t)));
    fits = fits && (a.arrived = weir_arena_alloc(arena, wi_net_world(net)->n_routers, sizeof(uint64_t)));
    fits = fits && (a.data = weir_arena_alloc(arena, net->n_classes, sizeof(fates)));
    fits = fits && (a.acks = weir_arena_alloc(arena, net->n_classes, sizeof(fates)));
    weir_status status = fits ? weir_sim_pending(diag, sim, in_flight, &a)
                              : weir_fail(diag, WEIR_E_NOMEM, "no memory to check conservation");
    if (status == WEIR_OK) {
        weir_sim_suspended(sim, in_flight, &a); /* of a network that is skipped (packets/skip) */
        count_waiting(&a);
        check_flows(&a);
        check_classes(&a);
        check_nodes(&a);
        a.reports += wi_net_pfc_check(diag, net, sim);
        status = a.reports ? WEIR_E_CHECK : WEIR_OK;
    }
    weir_arena_free(arena);
    return status;
}
