/*
 * Who is an entity. A node of role host with one link, that leads both ways, is a host; every other node is a router, and where
 * traffic begins or ends at a router, an implicit host hangs on it by an access link.
 */
#include "packets/build/building.h"

static void mark_traffic(const wi_net_plan *plan, unsigned char *has_traffic)
{
    for (uint32_t i = 0; i < plan->n_flows; i++)
        has_traffic[plan->flows[i].src] = has_traffic[plan->flows[i].dst] = 1;
    for (uint32_t i = 0; i < plan->n_gates; i++) /* ranks that talk to nobody elsewhere have no flow */
        has_traffic[plan->gates[i].node] = 1;
    for (uint32_t i = 0; i < plan->n_pairs; i++)
        has_traffic[plan->pairs[i].src] = has_traffic[plan->pairs[i].dst] = 1;
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        has_traffic[plan->arrivals[i].src] = 1;
        for (uint32_t k = 0; k < plan->arrivals[i].n_dst; k++)
            has_traffic[plan->arrivals[i].dst[k]] = 1;
    }
}

static void number_nodes(wi_building *b, const unsigned char *has_traffic)
{
    const weir_graph *g = b->plan->graph;
    wi_net *net = b->net;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        const bool host = g->role[v] == WEIR_HOST && weir_node_is_single(g, v);
        b->node_host[v] = b->node_router[v] = NET_NONE;
        if (host || has_traffic[v]) {
            net->n_implicit += !host;
            net->host_node[net->n_hosts] = v;
            b->node_host[v] = net->n_hosts++;
        }
        if (!host) {
            b->router_node[b->head.n_routers] = v;
            b->node_router[v] = b->head.n_routers++;
        }
    }
}

/* Ports in the order of routers and of the graph's edges, the one toward an implicit host last. */
static void number_ports(wi_building *b)
{
    const weir_graph *g = b->plan->graph;
    wi_net *net = b->net;
    for (uint32_t h = 0; h < net->n_hosts; h++)
        b->host_down[h] = NET_NONE;
    for (uint32_t r = 0; r < b->head.n_routers; r++) {
        const uint32_t v = b->router_node[r];
        b->router_port[r] = net->n_hosts + net->n_ports;
        for (uint32_t e = g->first[v]; e < g->end[v]; e++) {
            const uint32_t far = g->target[e];
            if (b->node_router[far] == NET_NONE)
                b->host_down[b->node_host[far]] = net->n_hosts + net->n_ports;
            net->port_node[net->n_ports] = v;
            net->port_edge[net->n_ports++] = e;
        }
        if (b->node_host[v] != NET_NONE) {
            b->host_down[b->node_host[v]] = net->n_hosts + net->n_ports;
            net->port_node[net->n_ports] = v;
            net->port_edge[net->n_ports++] = UINT32_MAX;
        }
    }
}

weir_status wi_build_numbering(wi_building *b)
{
    const weir_graph *g = b->plan->graph;
    wi_net *net = b->net;
    const size_t n = g->n_nodes ? g->n_nodes : 1, ports = (size_t)g->n_edges + n;
    unsigned char *has_traffic = wi_build_temp(b, n, 1);
    b->node_host = wi_build_temp(b, n, sizeof *b->node_host);
    b->node_router = wi_build_temp(b, n, sizeof *b->node_router);
    b->router_node = wi_build_temp(b, n, sizeof *b->router_node);
    b->router_port = wi_build_temp(b, n, sizeof *b->router_port);
    b->host_down = wi_build_temp(b, n, sizeof *b->host_down);
    net->host_node = wi_build_keep(b, n, sizeof *net->host_node);
    net->port_edge = wi_build_keep(b, ports, sizeof *net->port_edge);
    net->port_node = wi_build_keep(b, ports, sizeof *net->port_node);
    if (b->status != WEIR_OK)
        return b->status;
    mark_traffic(b->plan, has_traffic);
    number_nodes(b, has_traffic);
    number_ports(b);
    b->head.n_hosts = net->n_hosts;
    b->head.n_ports = net->n_ports;
    b->head.router_port = wi_build_array(b, b->router_port, b->head.n_routers, sizeof *b->router_port);
    return b->status;
}
