/* What a run would take, without running it: entities, packets, memory. */
#include "net/host.h"
#include "scenario/network.h"
#include "scenario/subject.h"

/* Links from one host to another, by the forwarding table; and the rate of the slowest. */
static uint32_t path_hops(const wi_net *net, uint32_t flow, uint32_t src, uint32_t dst, double *slowest_bps)
{
    enum { HOPS_MAX = 256 };
    const net_world *w = wi_net_world(net);
    net_packet probe;
    net_packet_init(&probe, flow, dst, 0, NET_HEADER_TCP, 0, w->ttl);
    const net_link *link = &NET_ARRAY(w, net_host_params, hosts)[src].nic;
    *slowest_bps = (double)link->rate_bps;
    for (uint32_t hops = 1; hops < HOPS_MAX; hops++) {
        if ((double)link->rate_bps < *slowest_bps)
            *slowest_bps = (double)link->rate_bps;
        if (link->peer_is_host)
            return hops;
        link = net_port_link(w, net_next_port(w, link->peer, &probe, hops - 1));
    }
    return HOPS_MAX;
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

/* Hops of the scenario's own flows. A long-lived TCP flow is counted as if its slowest link were all its own.
 */
static double flow_hops(const wi_network *n, uint32_t i)
{
    const wi_net_flow_plan *f = &n->flows.item[i];
    const net_class *c = &n->classes[f->cls].params;
    const net_world *w = wi_net_world(n->net);
    const uint32_t slot = n->net->flow_tx[i], src = NET_ARRAY(w, uint32_t, tx_host)[slot];
    double slowest_bps = 0.0;
    const uint32_t hops = path_hops(n->net, slot, src, host_of_rx(n->net, n->net->flow_rx[i]), &slowest_bps);
    const double time_s = active_s(n->scenario, f->start_ps, c->stop_ps);
    if (c->flags & NET_CLASS_UDP) {
        double rate = (double)f->rate_bps;
        if (c->udp_pattern == NET_UDP_ONOFF)
            rate *= weir_dist_mean(&c->on) / (weir_dist_mean(&c->on) + weir_dist_mean(&c->off));
        return hops * rate * time_s / (8.0 * c->udp_mean_bytes);
    }
    const double acks = 1.0 + 1.0 / (c->delayed_ack ? c->delayed_ack : 1);
    double segments = slowest_bps * time_s / (8.0 * (c->mss_bytes + NET_HEADER_TCP));
    if ((c->flags & NET_CLASS_SIZED) && !(c->flags & NET_CLASS_REQUEST) &&
        weir_dist_mean(&c->size) / c->mss_bytes < segments)
        segments = weir_dist_mean(&c->size) / c->mss_bytes + 1.0;
    return hops * segments * acks;
}

static double arrival_hops(const wi_network *n, const wi_net_arrivals_plan *a)
{
    const net_class *c = &n->classes[a->cls].params;
    const double flows = active_s(n->scenario, a->start_ps, c->stop_ps) * 1e12 / a->gap_ps;
    const double acks = 1.0 + 1.0 / (c->delayed_ack ? c->delayed_ack : 1);
    enum { TYPICAL_HOPS = 6 };
    return flows * TYPICAL_HOPS * acks * (weir_dist_mean(&c->size) / c->mss_bytes + 1.0);
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

void wi_network_estimate(const wi_network *n, weir_estimate *out)
{
    enum { FLOWS_LOOKED_AT = 100000, EVENT_BYTES = 64 };
    const wi_net *net = n->net;
    out->nodes = n->graph->n_nodes;
    out->links = n->graph->n_edges / 2;
    out->hosts = net->n_hosts;
    out->ports = net->n_ports;
    out->entities = (uint64_t)net->n_hosts + net->n_ports;
    out->flows = net->n_tx;
    const uint32_t step = 1 + net->n_flows / FLOWS_LOOKED_AT;
    for (uint32_t i = 0; i < net->n_flows; i += step)
        out->packet_hops += step * flow_hops(n, i);
    for (uint32_t i = 0; i < n->arrivals.n; i++)
        out->packet_hops += arrival_hops(n, &n->arrivals.item[i]);
    /* Pending events: a timer and a window's worth of packets a flow, at a guess ten. */
    out->memory_bytes = state_bytes(net) + (uint64_t)net->n_tx * 10 * EVENT_BYTES;
}

weir_status weir_estimate_scenario(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    const wi_subject *subject = wi_subject_of(scenario);
    void *made = NULL;
    *out = (weir_estimate){0};
    const weir_status status = subject->build(diag, scenario, &made);
    if (status == WEIR_OK)
        subject->estimate(made, out);
    subject->free(made);
    return status;
}
