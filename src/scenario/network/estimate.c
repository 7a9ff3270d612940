/* What a network's run would take, without running it: entities, packets, memory. */
#include <math.h>
#include <stdlib.h>

#include "net/host.h"
#include "scenario/fluid/fluid.h"
#include "scenario/network/network.h"
#include "scenario/subjects/subject.h"

/* The way of one flow's data, and of what comes back. */
typedef struct way {
    uint32_t hops;
    double nic_bps, slowest_bps, delay_s;
} way;

/* Calls `visit` for each link's sender on the way from one host to another, by the forwarding table. */
static void walk(const wi_net *net, uint32_t flow, uint32_t src, uint32_t dst,
                 void (*visit)(void *user, uint32_t entity, const net_link *link), void *user)
{
    enum { HOPS_MAX = 256 };
    const net_world *w = wi_net_world(net);
    net_packet probe;
    net_packet_init(&probe, flow, dst, 0, NET_HEADER_TCP, 0, w->ttl);
    uint32_t entity = src;
    const net_link *link = &NET_ARRAY(w, net_host_params, hosts)[src].nic;
    for (uint32_t hops = 0; hops < HOPS_MAX; hops++) {
        visit(user, entity, link);
        if (link->peer_is_host)
            return;
        entity = net_next_port(w, link->peer, &probe, hops);
        if (entity == NET_NONE)
            return;
        link = net_port_link(w, entity);
    }
}

static void measure(void *user, uint32_t entity, const net_link *link)
{
    way *m = user;
    (void)entity;
    if (m->hops++ == 0)
        m->nic_bps = m->slowest_bps = (double)link->rate_bps;
    if ((double)link->rate_bps < m->slowest_bps)
        m->slowest_bps = (double)link->rate_bps;
    m->delay_s += weir_seconds(link->delay_ps);
}

/* The host that a receiving slot belongs to: slots lie host by host. */
static uint32_t host_of_rx(const wi_net *net, uint32_t slot)
{
    const uint32_t *first = net->pool_first[NET_POOL_RX];
    uint32_t low = 0, high = net->n_hosts;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double active_s(const weir_scenario *s, weir_time start_ps, weir_time stop_ps)
{
    const weir_time end_ps = stop_ps && stop_ps < s->duration_ps ? stop_ps : s->duration_ps;
    return end_ps > start_ps ? weir_seconds(end_ps - start_ps) : 0.0;
}

static double acks_of(const net_class *c)
{
    return 1.0 + 1.0 / (c->delayed_ack ? c->delayed_ack : 1);
}

/* What is added up over flows, of which `step` are stood for by one. */
typedef struct sums {
    const wi_network *n;
    double step;
    double *load_bps; /* [entities] that long-lived flows would send if each had its links alone */
    double share;     /* of its rate that a flow gets, by the busiest of its links */
    double about, most;
} sums;

static void add_load(void *user, uint32_t entity, const net_link *link)
{
    sums *s = user;
    (void)link;
    s->load_bps[entity] += s->share;
}

static void take_share(void *user, uint32_t entity, const net_link *link)
{
    sums *s = user;
    const double share = (double)link->rate_bps / s->load_bps[entity];
    if (share < s->share)
        s->share = share;
}

typedef struct ends {
    uint32_t slot, src, dst;
    const net_class *c;
    double time_s;
    way way;
} ends;

static ends ends_of(const wi_network *n, uint32_t i)
{
    const wi_net_flow_plan *f = &n->flows.item[i];
    ends e = {.slot = n->net->flow_tx[i], .c = &n->classes[f->cls].params};
    e.src = NET_ARRAY(wi_net_world(n->net), uint32_t, tx_host)[e.slot];
    e.dst = host_of_rx(n->net, n->net->flow_rx[i]);
    e.time_s = active_s(n->scenario, f->start_ps, e.c->stop_ps);
    walk(n->net, e.slot, e.src, e.dst, measure, &e.way);
    return e;
}

static bool is_long(const net_class *c)
{
    return !(c->flags & NET_CLASS_UDP) && (!(c->flags & NET_CLASS_SIZED) || (c->flags & NET_CLASS_REQUEST));
}

/* A random count is hardly ever further from its mean. */
static double well_above(double mean)
{
    return mean + 10.0 * sqrt(mean) + 10.0;
}

static void add_udp(sums *s, const ends *e, double rate_bps)
{
    const net_class *c = e->c;
    double share = 1.0;
    if (c->udp_pattern == NET_UDP_ONOFF)
        share = weir_dist_mean(&c->on) / (weir_dist_mean(&c->on) + weir_dist_mean(&c->off));
    const double packets = rate_bps * e->time_s / (8.0 * c->udp_mean_bytes);
    s->about += s->step * e->way.hops * packets * share;
    s->most += s->step * e->way.hops * well_above(packets); /* always on */
}

/*
 * At most: what the flow's window lets go in a round trip, twice (with all of it retransmitted), and no more than
 * its host's line carries in full segments, each answered by an acknowledgment. Hosts' lines are shared by their
 * flows, which is left out.
 */
static void add_tcp(sums *s, const ends *e)
{
    const net_class *c = e->c;
    const double segment_bits = 8.0 * (c->mss_bytes + NET_HEADER_TCP);
    way back = {0};
    walk(s->n->net, e->slot, e->dst, e->src, measure, &back);
    s->share = 1.0;
    if (is_long(c)) {
        const double alone_bps = e->way.slowest_bps;
        walk(s->n->net, e->slot, e->src, e->dst, take_share, s);
        s->share = s->share < 1.0 ? s->share * alone_bps : alone_bps;
    }
    double segments = (is_long(c) ? s->share : e->way.slowest_bps) * e->time_s / segment_bits;
    if (!is_long(c) && weir_dist_mean(&c->size) / c->mss_bytes < segments)
        segments = ceil(weir_dist_mean(&c->size) / c->mss_bytes);
    const double rounds = e->time_s / (e->way.delay_s + back.delay_s) + 1.0;
    const double windows = 2.0 * rounds * ((double)c->window_bytes / c->mss_bytes + 1.0);
    const double line = e->way.nic_bps * e->time_s / segment_bits;
    const double most =
        (windows < line ? windows : line) + rounds + 4.0; /* the last segment of a round; opening */
    s->about += s->step * e->way.hops * segments * acks_of(c);
    s->most += s->step * (e->way.hops + back.hops) * (most > segments ? most : segments);
}

/* Flows that come: each of its mean size, over the way from the host to the first of those it sends to. */
static void add_arrivals(sums *s, const wi_net_arrivals_plan *a, weir_estimate *out)
{
    enum { TYPICAL_HOPS = 6, HOPS_MOST = 64 };
    const net_class *c = &s->n->classes[a->cls].params;
    const double time_s = active_s(s->n->scenario, a->start_ps, c->stop_ps),
                 flows = time_s * 1e12 / a->gap_ps;
    const weir_graph *g = s->n->graph;
    const uint64_t nic_bps = g->role[a->src] == WEIR_HOST ? g->rate_bps[g->first[a->src]]
                                                          : s->n->scenario->topology.access.rate_bps;
    const double line = (double)nic_bps * time_s / (8.0 * (c->mss_bytes + NET_HEADER_TCP));
    out->arrivals += flows;
    s->about += flows * TYPICAL_HOPS * acks_of(c) * ceil(weir_dist_mean(&c->size) / c->mss_bytes);
    s->most += 2.0 * HOPS_MOST * (line + 4.0 * well_above(flows));
}

static weir_status count_hops(weir_diag *diag, const wi_network *n, weir_estimate *out)
{
    enum { FLOWS_LOOKED_AT = 100000 };
    const wi_net *net = n->net;
    const uint32_t step = 1 + net->n_flows / FLOWS_LOOKED_AT;
    sums s = {
        .n = n, .step = step, .load_bps = calloc((size_t)net->n_hosts + net->n_ports + 1, sizeof(double))};
    if (!s.load_bps)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for an estimate");
    for (uint32_t i = 0; i < net->n_flows; i += step) {
        const ends e = ends_of(n, i);
        s.share = step * e.way.slowest_bps;
        if (is_long(e.c))
            walk(net, e.slot, e.src, e.dst, add_load, &s);
    }
    for (uint32_t i = 0; i < net->n_flows; i += step) {
        const ends e = ends_of(n, i);
        if (e.c->flags & NET_CLASS_UDP)
            add_udp(&s, &e, (double)n->flows.item[i].rate_bps);
        else
            add_tcp(&s, &e);
    }
    for (uint32_t i = 0; i < n->arrivals.n; i++)
        add_arrivals(&s, &n->arrivals.item[i], out);
    free(s.load_bps);
    out->packet_hops = s.about;
    out->packet_hops_most = s.most;
    return WEIR_OK;
}

static uint64_t state_bytes(const wi_net *net)
{
    const weir_model *m = &net->model.model;
    uint64_t bytes = wi_net_world(net)->bytes + net->n_counters * sizeof(int64_t);
    const uint32_t counts[NET_KINDS] = {net->n_hosts, net->n_ports};
    for (int k = 0; k < NET_KINDS; k++)
        bytes +=
            (uint64_t)counts[k] * (m->kinds[k].state_bytes + sizeof(weir_entity) + 16 + sizeof(weir_time));
    for (int p = 0; p < NET_POOLS; p++)
        bytes += (uint64_t)net->pool_first[p][counts[m->pools[p].kind]] * m->pools[p].slot_bytes;
    return bytes;
}

/* Flows as a user counts them: sessions, clients, streams; those that come are counted apart. */
static void count_flows(const wi_network *n, weir_estimate *out)
{
    out->flows = n->net->n_flows;
    for (uint32_t i = 0; i < n->fluid_flows.n; i++) {
        out->flows += n->fluid_flows.item[i].sessions;
        out->fluid_flows += n->fluid_flows.item[i].sessions;
    }
}

weir_status wi_network_estimate(weir_diag *diag, const wi_network *n, weir_estimate *out)
{
    enum { EVENT_BYTES = 64 };
    const wi_net *net = n->net;
    out->nodes = n->graph->n_nodes;
    out->links = n->graph->n_edges / 2;
    out->hosts = net->n_hosts;
    out->ports = net->n_ports;
    out->entities = (uint64_t)net->n_hosts + net->n_ports;
    count_flows(n, out);
    if (n->fluid) {
        wi_fluid_cost cost;
        wi_fluid_net_cost(n->fluid, &cost);
        out->fluid_steps = cost.steps;
        out->fluid_s = cost.solver_s;
        out->fluid_as_packets_s = cost.packets_s;
        out->fluid_as_packet_hops = cost.packet_hops;
    }
    /* Pending events: a timer and a window's worth of packets a flow, at a guess ten. */
    out->memory_bytes = state_bytes(net) + (uint64_t)net->n_tx * 10 * EVENT_BYTES;
    return count_hops(diag, n, out);
}
