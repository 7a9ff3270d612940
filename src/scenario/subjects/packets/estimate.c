/* What a network's run would take, without running it: entities, packets, memory. */
#include <math.h>
#include <stdlib.h>

#include "base/owner.h"
#include "net/host/host.h"
#include "network/fluid/fluid.h"
#include "scenario/subjects/packets/packets.h"
#include "subject/subject.h"
#include "weir/ranks.h"

/* The way of one flow's data, and of what comes back. */
typedef struct way {
    uint32_t hops, slowest; /* the entity that sends into the slowest link */
    uint32_t impaired;      /* of the hops */
    double nic_bps, slowest_bps, delay_s;
} way;

/* A packet's trip from one host to another: of a flow's data, or of its ACKs (flags: NET_ACK). */
typedef struct trip {
    uint32_t flow, src, dst;
    uint8_t flags;
} trip;

/* Call `visit` for each link's sender on a trip, as the forwarding has it. */
static void walk(const wi_net *net, const trip *t,
                 void (*visit)(void *user, uint32_t entity, const net_link *link), void *user)
{
    enum { HOPS_MAX = 256 };
    const net_world *w = wi_net_world(net);
    net_packet probe;
    net_packet_init(&probe, t->flow, t->dst, 0, NET_HEADER_TCP, t->flags);
    uint32_t entity = t->src;
    const net_link *link = &NET_ARRAY(w, net_host_params, hosts)[t->src].nic;
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
    if (m->hops++ == 0)
        m->nic_bps = m->slowest_bps = HUGE_VAL;
    if (m->hops == 1)
        m->nic_bps = (double)link->rate_bps;
    if ((double)link->rate_bps < m->slowest_bps) {
        m->slowest_bps = (double)link->rate_bps;
        m->slowest = entity;
    }
    m->delay_s += weir_seconds(link->delay_ps);
    m->impaired += link->impaired;
}

/* The host that a receiving slot belongs to: slots lie host by host. */
static uint32_t host_of_rx(const wi_net *net, uint32_t slot)
{
    return wi_owner_of(net->pool_first[NET_POOL_RX], net->n_hosts, slot);
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
/* Long flows whose slowest link is the same: what they send over all hops, each by its own bound; what the link
 * carries at most, in segments; and what they send beside three times that. */
typedef struct shared {
    double alone, segments, hops, beside;
} shared;

typedef struct sums {
    const wi_network *n;
    double step;
    uint64_t *class_flows; /* [classes] */
    shared *shared;        /* [entities] */
    double *load_bps;      /* [entities] that long-lived flows would send if each had its links alone */
    double share;          /* of its rate that a flow gets, by the busiest of its links */
    double twins;          /* what comes of a packet over a link that duplicates, at most */
    double about, most;
    double on_way; /* packets at once, each counted at all its hops: windows full of them; UDP has no bound */
} sums;

/* Twice the mean: few draws may be far above theirs. */
static double twins_most(const wi_network *n)
{
    double most = 0.0;
    for (uint32_t i = 0; i < n->plan.n_impairments; i++)
        most = fmax(most, n->plan.impairments[i].duplication);
    return 1.0 + fmin(1.0, 2.0 * most);
}

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
    uint16_t cls;
    double time_s, left_s; /* in which it may begin to send; until the end */
    way way;
} ends;

static ends ends_of(const wi_network *n, uint32_t i)
{
    const wi_net_flow_plan *f = &n->plan.flows[i];
    ends e = {.slot = n->net->flow_tx[i], .c = &n->plan.classes[f->cls].params, .cls = f->cls};
    e.src = NET_ARRAY(wi_net_world(n->net), uint32_t, tx_host)[e.slot];
    e.dst = host_of_rx(n->net, n->net->flow_rx[i]);
    e.time_s = active_s(n->scenario, f->start_ps, e.c->stop_ps);
    e.left_s = active_s(n->scenario, f->start_ps, 0);
    walk(n->net, &(trip){e.slot, e.src, e.dst, 0}, measure, &e.way);
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

/* Packets of a trace in a time. */
static double replayed(const wi_net_class_plan *c, double time_s)
{
    const double period_s = weir_seconds(c->params.own_period_ps);
    const double passes = period_s > 0.0 ? floor(time_s / period_s) : 0.0;
    uint32_t n = 0;
    while (n < c->n_points && weir_seconds(c->points[n].at_ps) < time_s - passes * period_s)
        n++;
    return passes * c->n_points + n;
}

/* Bits that a flow sends whose rate changes. */
static double changing_bits(const sums *s, const wi_net_flow_plan *f, weir_time stop_ps)
{
    double bits = 0.0, rate_bps = (double)f->rate_bps;
    weir_time from_ps = f->start_ps;
    for (uint32_t i = 0; i <= f->n_rates; i++) {
        const wi_net_rate_plan *to = i < f->n_rates ? &s->n->plan.rates[f->first_rate + i] : NULL;
        const weir_time until_ps = to && (!stop_ps || to->at_ps < stop_ps) ? to->at_ps : stop_ps;
        bits += rate_bps * active_s(s->n->scenario, from_ps, until_ps);
        from_ps = until_ps;
        if (!to || from_ps == stop_ps)
            break;
        rate_bps = (double)to->rate_bps;
    }
    return bits;
}

static void add_udp(sums *s, const ends *e, uint32_t flow)
{
    const net_class *c = e->c;
    const double copies = pow(s->twins, e->way.impaired);
    s->on_way = INFINITY;
    const wi_net_flow_plan *f = &s->n->plan.flows[flow];
    if (c->udp_pattern == NET_UDP_TRACE) {
        const double packets = replayed(&s->n->plan.classes[e->cls], e->time_s);
        s->about += s->step * e->way.hops * packets;
        s->most += s->step * copies * e->way.hops * packets;
        return;
    }
    const double rate_bps =
        f->n_rates && e->time_s > 0.0 ? changing_bits(s, f, c->stop_ps) / e->time_s : (double)f->rate_bps;
    double share = 1.0;
    if (c->udp_pattern == NET_UDP_ONOFF)
        share = weir_dist_mean(&c->on) / (weir_dist_mean(&c->on) + weir_dist_mean(&c->off));
    const double packets = rate_bps * e->time_s / (8.0 * c->udp_mean_bytes);
    s->about += s->step * e->way.hops * packets * share;
    s->most += s->step * copies * e->way.hops * well_above(packets); /* always on */
}

/* Segments that can arrive: those of the transfer, or what the slowest link on the way carries. */
static double arriving_most(const sums *s, const ends *e, double segment_bits)
{
    /* A failure may lead over faster links. */
    const double bps = s->n->scenario->n_events > 0 ? e->way.nic_bps : e->way.slowest_bps;
    const double line = bps * e->left_s / segment_bits;
    return is_long(e->c) ? line : fmin(line, wi_tcp_segments_most(e->c, s->class_flows[e->cls]));
}

static void add_shared(sums *s, const ends *e, double hops, double most, double segments, double sends)
{
    shared *at = &s->shared[e->way.slowest];
    at->alone += s->step * hops * most;
    at->segments = fmax(at->segments, segments);
    at->hops = fmax(at->hops, hops);
    at->beside += s->step * hops * (sends - 3.0 * segments);
}

/* Of the flows that share a link, and of all links. */
static double shared_most(const sums *s, size_t n_entities)
{
    double most = 0.0;
    for (size_t i = 0; i < n_entities; i++)
        most +=
            fmin(s->shared[i].alone, 3.0 * s->shared[i].segments * s->shared[i].hops + s->shared[i].beside);
    return most;
}

/*
 * At most, each answered by an acknowledgment: what most.h says (a transfer with its answers may restart from
 * idle any number of times: not that); what the flow's window lets go in a round trip, twice, with all of it
 * retransmitted; what its host's line carries in full segments. Long flows with the same slowest link share
 * it, see add_shared; that they share their hosts' lines too is left out.
 */
static void add_tcp(sums *s, const ends *e, uint32_t flow)
{
    const net_class *c = e->c;
    const uint64_t own_bytes = s->n->plan.flows[flow].size_bytes;
    const double mean_bytes = own_bytes ? (double)own_bytes : weir_dist_mean(&c->size);
    const double segment_bits = 8.0 * (c->mss_bytes + NET_HEADER_TCP);
    way back = {0};
    walk(s->n->net, &(trip){e->slot, e->dst, e->src, NET_ACK}, measure, &back);
    s->share = 1.0;
    if (is_long(c)) {
        const double alone_bps = e->way.slowest_bps;
        walk(s->n->net, &(trip){e->slot, e->src, e->dst, 0}, take_share, s);
        s->share = s->share < 1.0 ? s->share * alone_bps : alone_bps;
    }
    double segments = (is_long(c) ? s->share : e->way.slowest_bps) * e->time_s / segment_bits;
    if (!is_long(c) && mean_bytes / c->mss_bytes < segments)
        segments = ceil(mean_bytes / c->mss_bytes);
    const double rtt_s = e->way.delay_s + back.delay_s, rounds = e->left_s / rtt_s + 1.0;
    const double windows = 2.0 * rounds * ((double)c->window_bytes / c->mss_bytes + 1.0);
    s->on_way += s->step * e->way.hops * ((double)c->window_bytes / c->mss_bytes + 1.0);
    const double line = e->way.nic_bps * e->left_s / segment_bits;
    /* Each copy of a segment is acknowledged. */
    const double hops = (e->way.hops + back.hops) * pow(s->twins, e->way.impaired + back.impaired);
    double most = fmin(windows, line) + rounds + 4.0; /* the last segment of a round; opening */
    s->about += s->step * e->way.hops * segments * acks_of(c);
    if (!(c->flags & NET_CLASS_REQUEST)) {
        const double arriving = arriving_most(s, e, segment_bits),
                     sends = wi_tcp_sends_most(c, arriving, e->left_s, rtt_s);
        most = fmin(most, sends);
        if (is_long(c) && isfinite(sends) && s->n->scenario->n_events == 0) {
            add_shared(s, e, hops, fmax(most, segments), arriving, sends);
            return;
        }
    }
    s->most += s->step * hops * fmax(most, segments);
}

/* Links of a flow that comes by itself, those of implicit hosts included. */
typedef struct link_counts {
    double most, usual;
} link_counts;

/* Those of the ways from a node to the hosts, or where there are none to the routers' implicit ones: twice the longest is the most. */
static link_counts links_from(const weir_graph *g, uint32_t from, uint32_t *depth, uint32_t *list)
{
    uint32_t found = 1;
    double sum = 0.0, hosts = 0.0;
    list[0] = from;
    depth[from] = 1;
    for (uint32_t i = 0; i < found; i++)
        for (uint32_t e = g->first[list[i]]; e < g->first[list[i] + 1]; e++)
            if (!depth[g->target[e]]) {
                depth[g->target[e]] = depth[list[i]] + 1;
                list[found++] = g->target[e];
            }
    for (uint32_t i = 1; i < found; i++) {
        const bool host = g->role[list[i]] == WEIR_HOST, any = g->role[from] != WEIR_HOST;
        sum += host || any ? depth[list[i]] - 1.0 + 2.0 * (any && !host) : 0.0;
        hosts += host || any;
    }
    return (link_counts){found == g->n_nodes ? 2.0 * depth[list[found - 1]] : INFINITY,
                         hosts > 0.0 ? sum / hosts : INFINITY};
}

/* Where ways are shortest in links, those from one sender; else what packets live for, and what is usual. */
static weir_status hops_of_arrivals(weir_diag *diag, const wi_network *n, link_counts *out)
{
    enum { USUAL = 6 };
    const weir_graph *g = n->graph;
    const weir_scenario *scenario = n->scenario;
    *out = (link_counts){scenario->routing.ttl, fmin(scenario->routing.ttl, USUAL)};
    if (n->plan.n_arrivals == 0 || scenario->routing.metric != WEIR_METRIC_HOPS || scenario->n_events > 0 ||
        g->n_one_way > 0 || g->n_nodes == 0)
        return WEIR_OK;
    WI_FREED uint32_t *depth = calloc(g->n_nodes, sizeof *depth), *list = calloc(g->n_nodes, sizeof *list);
    if (!depth || !list)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for an estimate");
    const link_counts h = links_from(g, n->plan.arrivals[0].src, depth, list);
    *out = (link_counts){fmin(out->most, h.most), isfinite(h.usual) ? h.usual : out->usual};
    return WEIR_OK;
}

/* Flows that come: at most what their host's line carries, and what each may send. */
static void add_arrivals(sums *s, const wi_net_arrivals_plan *a, link_counts hops, weir_estimate *out)
{
    const net_class *c = &s->n->plan.classes[a->cls].params;
    const bool job = (c->flags & NET_CLASS_JOB) != 0;
    const double time_s = active_s(s->n->scenario, a->start_ps, c->stop_ps),
                 left_s = active_s(s->n->scenario, a->start_ps, 0),
                 flows = job ? a->messages : time_s * 1e12 / a->gap_ps,
                 flows_most = job           ? flows
                              : a->periodic ? flows + 1.0
                                            : well_above(flows);
    const weir_graph *g = s->n->graph;
    const uint64_t nic_bps = g->role[a->src] == WEIR_HOST ? g->rate_bps[g->first[a->src]]
                                                          : s->n->scenario->topology.access.rate_bps;
    const double line = (double)nic_bps * left_s / (8.0 * (c->mss_bytes + NET_HEADER_TCP));
    const double segments = flows_most * wi_tcp_segments_most(c, (uint64_t)ceil(flows_most));
    const double sends = flows_most * wi_tcp_sends_most(c, segments / flows_most, left_s, 0.0);
    out->arrivals += job ? 0.0 : flows;
    if (flows_most <= 0.0)
        return;
    s->on_way = INFINITY;
    const double usual =
        fmin(line, job ? a->segments : flows * ceil(weir_dist_mean(&c->size) / c->mss_bytes));
    s->about += hops.usual * acks_of(c) * usual;
    s->most += 2.0 * hops.most * pow(s->twins, 2.0 * hops.most) * fmin(line + 4.0 * flows_most, sends);
}

static void free_sums(sums *s)
{
    free(s->load_bps);
    free(s->class_flows);
    free(s->shared);
}

static weir_status count_hops(weir_diag *diag, const wi_network *n, weir_estimate *out)
{
    enum { FLOWS_LOOKED_AT = 100000 };
    const wi_net *net = n->net;
    const uint32_t step = 1 + net->n_flows / FLOWS_LOOKED_AT;
    const size_t n_entities = (size_t)net->n_hosts + net->n_ports + 1;
    sums s = {.n = n,
              .step = step,
              .twins = twins_most(n),
              .class_flows = calloc(n->scenario->n_traffic + 1, sizeof(uint64_t)),
              .shared = calloc(n_entities, sizeof(shared)),
              .load_bps = calloc(n_entities, sizeof(double))};
    if (!s.load_bps || !s.class_flows || !s.shared) {
        free_sums(&s);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for an estimate");
    }
    for (uint32_t i = 0; i < net->n_flows; i++)
        s.class_flows[n->plan.flows[i].cls]++;
    for (uint32_t i = 0; i < net->n_flows; i += step) {
        const ends e = ends_of(n, i);
        s.share = step * e.way.slowest_bps;
        if (is_long(e.c))
            walk(net, &(trip){e.slot, e.src, e.dst, 0}, add_load, &s);
    }
    for (uint32_t i = 0; i < net->n_flows; i += step) {
        const ends e = ends_of(n, i);
        if (e.c->flags & NET_CLASS_UDP)
            add_udp(&s, &e, i);
        else
            add_tcp(&s, &e, i);
    }
    link_counts hops;
    const weir_status status = hops_of_arrivals(diag, n, &hops);
    for (uint32_t i = 0; status == WEIR_OK && i < n->plan.n_arrivals; i++)
        add_arrivals(&s, &n->plan.arrivals[i], hops, out);
    out->packet_hops = s.about;
    out->packet_hops_most = s.most + shared_most(&s, n_entities);
    const double slots = fmin(fmin(s.on_way, out->packet_hops_most), (double)wi_net_pfc_slots(net));
    out->memory_bytes += (uint64_t)slots * sizeof(net_queued);
    free_sums(&s);
    return status;
}

/* Without the slots of switches that pause: of these only what packets have been in takes memory. */
static uint64_t state_bytes(const wi_net *net)
{
    const weir_model *m = &net->model.model;
    uint64_t bytes = wi_net_world(net)->bytes - net->shared_bytes + net->n_counters * sizeof(int64_t);
    const uint32_t counts[NET_KINDS] = {net->n_hosts, net->n_ports};
    for (int k = 0; k < NET_KINDS; k++)
        bytes +=
            (uint64_t)counts[k] * (m->kinds[k].state_bytes + sizeof(weir_entity) + 16 + sizeof(weir_time));
    for (int p = 0; p < NET_POOLS; p++)
        bytes += (uint64_t)net->pool_first[p][counts[m->pools[p].kind]] * m->pools[p].slot_bytes;
    return bytes - wi_net_pfc_slots(net) * sizeof(net_queued);
}

weir_status wi_network_fits(weir_diag *diag, const wi_network *n)
{
    const weir_place nowhere = {0};
    const weir_place at = n->scenario->n_traffic > 0 ? n->scenario->traffic[0].where_place : nowhere;
    return wi_memory_check(diag, "flows and ports", state_bytes(n->net) / (uint64_t)weir_ranks(), at);
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
        out->memory_bytes = cost.bytes;
    }
    /* Pending events: a timer and a window's worth of packets a flow, at a guess ten. */
    out->memory_bytes += state_bytes(net) + (uint64_t)net->n_tx * 10 * EVENT_BYTES;
    return count_hops(diag, n, out);
}
