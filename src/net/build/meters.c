/* Ports that measure their load, where a class's packets tell of it (net/port/meter.h): their words, and the base round trip. */
#include "net/build/building.h"
#include "net/switch/port.h"
#include "net/congestion/congestion.h"

bool wi_build_is_metered(const wi_net_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_classes; i++)
        if (!(plan->classes[i].params.flags & NET_CLASS_UDP) &&
            (net_cc_traits(plan->classes[i].params.congestion) & NET_CLASS_INT))
            return true;
    return false;
}

uint64_t wi_build_meter_words(const wi_building *b, uint32_t entity)
{
    if (!b->metered)
        return 0;
    return (uint64_t)NET_METER_WORDS *
           (entity >= b->net->n_hosts && b->plan->shared.bytes ? wi_build_switch_ports(b, entity) : 1u);
}

/* Time of a packet's way from a host to another; 0: there is none. */
static weir_time way_ps(const wi_net *net, uint32_t flow, uint32_t src, uint32_t dst, uint32_t bytes)
{
    enum { HOPS_MAX = 256 };
    const net_world *w = wi_net_world(net);
    const net_host_params *hosts = NET_ARRAY(w, net_host_params, hosts);
    uint32_t entity[HOPS_MAX];
    const uint32_t n = wi_net_path(net, flow, src, dst, entity, HOPS_MAX);
    weir_time sum_ps = 0;
    for (uint32_t i = 0; i < n; i++) {
        const net_link *link = entity[i] < net->n_hosts ? &hosts[entity[i]].nic : net_port_link(w, entity[i]);
        sum_ps += link->delay_ps + net_link_time(link, bytes);
    }
    return sum_ps;
}

/* Source routes are a flow's own, and there is none for its packets from the other end: the same way is taken for it. */
static weir_time round_trip_ps(const wi_net *net, uint32_t flow, uint32_t src, uint32_t dst, uint32_t mss)
{
    const weir_time back_ps = wi_net_world(net)->paths ? way_ps(net, flow, src, dst, NET_HEADER_TCP)
                                                       : way_ps(net, flow, dst, src, NET_HEADER_TCP);
    return way_ps(net, flow, src, dst, mss + NET_HEADER_TCP) + back_ps;
}

static weir_time larger(weir_time a, weir_time b)
{
    return a > b ? a : b;
}

/* The longest of all pairs of classes that ask. */
static weir_time longest_ps(const wi_building *b, const net_class *classes)
{
    const wi_net_plan *plan = b->plan;
    weir_time most_ps = 0;
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        const net_class *c = &classes[plan->flows[i].cls];
        if (c->flags & NET_CLASS_INT)
            most_ps =
                larger(most_ps, round_trip_ps(b->net, b->net->flow_tx[i], wi_flow_sender(b, &plan->flows[i]),
                                              wi_flow_receiver(b, &plan->flows[i]), c->mss_bytes));
    }
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        const wi_net_arrivals_plan *a = &plan->arrivals[i];
        for (uint32_t k = 0; (classes[a->cls].flags & NET_CLASS_INT) && k < a->n_dst; k++)
            most_ps = larger(most_ps, round_trip_ps(b->net, b->arrivals_tx[i], b->node_host[a->src],
                                                    b->node_host[a->dst[k]], classes[a->cls].mss_bytes));
    }
    return most_ps;
}

void wi_build_base_rtt(wi_building *b)
{
    net_world *w = (net_world *)(void *)b->net->world;
    net_class *classes = (net_class *)(void *)(b->net->world + w->classes);
    weir_time base_ps = 0;
    if (!b->metered)
        return;
    for (uint32_t i = 0; i < w->n_classes; i++)
        if (classes[i].flags & NET_CLASS_INT)
            base_ps = larger(base_ps, NET_CC_PARAMS(hpcc, &classes[i])->base_ps);
    if (base_ps == 0)
        base_ps = larger(longest_ps(b, classes), WEIR_PS_PER_US);
    for (uint32_t i = 0; i < w->n_classes; i++)
        if (classes[i].flags & NET_CLASS_INT)
            ((net_hpcc_params *)(void *)classes[i].cc)->base_ps = base_ps;
    w->meter_ps = base_ps;
}
