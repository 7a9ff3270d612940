/* What a fluid needs of a network that is built: the ways of its flows, and a place at each port that packets
 * share with it. */
#include <stdlib.h>
#include <string.h>

#include "packets/build/build.h"
#include "net/transport/flow.h"
#include "net/switch/port.h"
#include "base/order.h"

uint32_t wi_net_host_of(const wi_net *net, uint32_t node)
{
    /* Hosts are numbered in the order of their nodes. */
    const size_t at = WI_FIRST(i, net->n_hosts, net->host_node[i] >= node);
    return at < net->n_hosts && net->host_node[at] == node ? (uint32_t)at : UINT32_MAX;
}

/* Whether a host stands for a router, which it is joined to by an access link. */
static bool is_implicit(const wi_net *net, uint32_t host)
{
    const net_dest *dest = NET_ARRAY(wi_net_world(net), net_dest, dests) + host;
    return dest->router != NET_NONE && net->port_edge[dest->port - net->n_hosts] == UINT32_MAX;
}

uint32_t wi_net_edge_of(const wi_net *net, const weir_graph *graph, uint32_t entity)
{
    if (entity >= net->n_hosts)
        return net->port_edge[entity - net->n_hosts];
    return is_implicit(net, entity) ? UINT32_MAX : graph->first[net->host_node[entity]];
}

/* Where a source route begins, behind its sender's link; NET_NONE: there is none. */
static uint32_t route_from(const wi_net *net, const net_link *link, uint32_t dst_host)
{
    const net_world *w = wi_net_world(net);
    return w->paths && !link->peer_is_host
               ? wi_net_route_at(net, link->peer, NET_ARRAY(w, net_dest, dests)[dst_host].router)
               : NET_NONE;
}

/* Entity of the port through which a source route leaves its router number `hop`, before that of its receiver. */
static uint32_t route_port(const net_world *w, uint32_t router, size_t route, uint32_t hop)
{
    if (route == NET_NONE)
        return NET_NONE;
    return NET_ARRAY(w, uint32_t, router_port)[router] +
           (w->entry_bytes == 1 ? NET_ARRAY(w, uint8_t, path_ports)[route + hop]
                                : NET_ARRAY(w, uint16_t, path_ports)[route + hop]);
}

uint32_t wi_net_path(const wi_net *net, uint32_t flow, uint32_t src_host, uint32_t dst_host,
                     uint32_t *entities, uint32_t max)
{
    const net_world *w = wi_net_world(net);
    net_packet probe;
    net_packet_init(&probe, flow, dst_host, 0, NET_HEADER_TCP, 0);
    const net_link *link = &NET_ARRAY(w, net_host_params, hosts)[src_host].nic;
    uint32_t n = 0;
    entities[n++] = src_host;
    const uint32_t route = route_from(net, link, dst_host),
                   last = NET_ARRAY(w, net_dest, dests)[dst_host].router;
    while (!link->peer_is_host && n < max) {
        entities[n] = w->paths && link->peer != last ? route_port(w, link->peer, route, n - 1)
                                                     : net_next_port(w, link->peer, &probe, n - 1);
        if (entities[n] == NET_NONE) /* failures have cut it off */
            return n;
        link = net_port_link(w, entities[n++]);
    }
    return n;
}

enum { WAY_MOST = 256 }; /* hops, as packets live for no more */

typedef struct walk {
    const net_world *w;
    uint32_t dst, route, ways, most;
    wi_net_way_visit visit;
    void *user;
    uint32_t entity[WAY_MOST];
} walk;

uint32_t wi_net_ports_to(const net_world *w, uint32_t router, uint32_t column, const uint16_t **ports,
                         uint16_t *own)
{
    const size_t at = (size_t)router * w->n_columns + column;
    const uint32_t entry =
        w->entry_bytes == 1 ? NET_ARRAY(w, uint8_t, table)[at] : NET_ARRAY(w, uint16_t, table)[at];
    *own = (uint16_t)entry;
    *ports = own;
    if (entry == (w->entry_bytes == 1 ? UINT8_MAX : WEIR_NO_PORT))
        return 0;
    if (!w->ecmp)
        return 1;
    const uint32_t *bounds =
        NET_ARRAY(w, uint32_t, set_bounds) + NET_ARRAY(w, uint32_t, set_first)[router] + entry;
    *ports = NET_ARRAY(w, uint16_t, set_ports) + bounds[0];
    return bounds[1] - bounds[0];
}

/* From the link that entity number n - 1 of the way sends over. */
static void go(walk *t, const net_link *link, uint32_t n, double share)
{
    if (link->peer_is_host) {
        if (++t->ways <= t->most)
            t->visit(t->user, t->entity, n, share);
        return;
    }
    const uint32_t router = link->peer;
    const net_dest *dest = NET_ARRAY(t->w, net_dest, dests) + t->dst;
    if (n == WAY_MOST || t->ways > t->most)
        return;
    if (dest->router == router) {
        t->entity[n] = dest->port;
        go(t, net_port_link(t->w, dest->port), n + 1, share);
        return;
    }
    if (t->w->paths) {
        t->entity[n] = route_port(t->w, router, t->route, n - 1);
        if (t->entity[n] != NET_NONE)
            go(t, net_port_link(t->w, t->entity[n]), n + 1, share);
        return;
    }
    const uint16_t *ports;
    uint16_t own;
    const uint32_t n_ports = wi_net_ports_to(t->w, router, dest->column, &ports, &own);
    for (uint32_t i = 0; i < n_ports; i++) {
        t->entity[n] = NET_ARRAY(t->w, uint32_t, router_port)[router] + ports[i];
        go(t, net_port_link(t->w, t->entity[n]), n + 1, share / n_ports);
    }
}

uint32_t wi_net_ways(const wi_net *net, uint32_t src_host, uint32_t dst_host, uint32_t most,
                     wi_net_way_visit visit, void *user)
{
    const net_world *w = wi_net_world(net);
    walk t = {.w = w, .dst = dst_host, .most = most, .visit = visit, .user = user};
    const net_link *const link = &NET_ARRAY(w, net_host_params, hosts)[src_host].nic;
    t.entity[0] = src_host;
    t.route = route_from(net, link, dst_host);
    go(&t, link, 1, 1.0);
    return t.ways;
}

/* Rows have pages of their own: a device that writes them has these locked. */
enum { PAGE = 4096 };

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

weir_status wi_net_couple(weir_diag *diag, wi_net *net, const uint32_t *entities, uint32_t n,
                          wi_net_rows rows)
{
    const uint64_t old_bytes = wi_net_world(net)->bytes;
    const uint64_t all = (uint64_t)net->n_hosts + net->n_ports, stride = (uint64_t)rows.steps + 1;
    const uint64_t rows_at = whole_pages(old_bytes + all * sizeof(uint32_t));
    const uint64_t bytes = whole_pages(rows_at + n * stride * sizeof(net_background));
    unsigned char *world = aligned_alloc(PAGE, bytes);
    if (!world)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u steps of fluid at %u ports", rows.steps, n);
    memcpy(world, net->world, old_bytes);
    memset(world + old_bytes, 0, bytes - old_bytes);
    wi_net_put_world(net, world);
    net_world *w = (net_world *)(void *)world;
    w->bytes = bytes;
    w->background = old_bytes;
    w->background_rows = rows_at;
    w->background_stride = (uint32_t)stride;
    w->background_step_ps = rows.step_ps;
    w->background_fixup = rows.fixup;
    uint32_t *row = (uint32_t *)(void *)(world + w->background);
    for (uint64_t e = 0; e < all; e++)
        row[e] = NET_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t e = entities[i];
        row[e] = i;
    }
    wi_net_mark_plain(net);
    return WEIR_OK;
}

net_background *wi_net_background(const wi_net *net, uint32_t row)
{
    const net_world *w = wi_net_world(net);
    return (net_background *)(void *)(net->world + w->background_rows) + (size_t)row * w->background_stride;
}

void wi_net_background_begin(const wi_net *net, uint32_t batch, weir_time from_ps)
{
    net_world *w = (net_world *)(void *)net->world;
    w->background_batch = batch;
    w->background_from_ps = from_ps;
}

/* A lone flow of UDP needs no turns. */
static bool takes_turns(const net_world *w, uint32_t host)
{
    const uint32_t *first = NET_ARRAY(w, uint32_t, tx_first) + host;
    return w->turn_bytes && !net_background_row(w, host) && first[1] > first[0] &&
           !(first[1] - first[0] == 1 && net_class_of_flow(w, first[0])->flags & NET_CLASS_UDP);
}

void wi_net_mark_plain(wi_net *net)
{
    net_world *w = (net_world *)(void *)net->world;
    net_host_params *hosts = (net_host_params *)(void *)(net->world + w->hosts);
    net_link *links = (net_link *)(void *)(net->world + w->links);
    w->watched = w->outages || w->captures;
    const bool none = w->watched || w->port_router || w->meter_ps;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        net_link *link = e < net->n_hosts ? &hosts[e].nic : &links[e - net->n_hosts];
        const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
        link->plain = !none &&
                      (q->params.type == NET_QUEUE_DROPTAIL || q->params.type == NET_QUEUE_THRESHOLD) &&
                      !q->counts_packets && link->loss == 0 && !link->impaired && !net_background_row(w, e);
        link->turns = e < net->n_hosts && takes_turns(w, e);
    }
}
