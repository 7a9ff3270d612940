/*
 * Source routes: the path of each flow, there and back, instead of a table. A path is found as a nix-vector,
 * by a search that ends at the flow's router, and kept as a port a hop, because a packet knows from its TTL
 * how many routers it has passed and has no room for the number of bits that those took.
 */
#include <stdlib.h>

#include "packets/build/building.h"
#include "base/order.h"

/* No packet passes more routers. */
enum { PATH_MAX_HOPS = 255 };
/* A table of more bytes gives way to source routes where these take less; one of trees already where it is of some size and there
 * are about as few paths as trees, since a path is found without most of the graph. */
#define TABLE_IS_LARGE (UINT64_C(1) << 30)
#define TREES_ARE_LARGE (UINT64_C(1) << 22)

typedef struct pathing {
    wi_building *b;
    const wi_net_forwarding *f;
    wi_net_route *paths; /* [n] sorted, each once; the network's */
    size_t n;
    weir_route_space *space;
    uint8_t *bits;
    size_t bits_bytes;
    unsigned char *entries; /* all paths, entry_bytes each */
    uint64_t n_entries;
    size_t capacity;
} pathing;

static const net_dest *dests_of(const wi_building *b)
{
    return wi_image_at(&b->image, b->head.dests);
}

WI_ORDER_BY(in_order, wi_net_route, WI_ORDER(x->from, y->from) ?: WI_ORDER(x->to, y->to))

static void add_pair(pathing *p, uint32_t src, uint32_t dst)
{
    const net_dest *dests = dests_of(p->b);
    const uint32_t a = dests[p->b->node_host[src]].router, z = dests[p->b->node_host[dst]].router;
    if (a == z || a == NET_NONE || z == NET_NONE)
        return; /* no router is on the path */
    p->paths[p->n++] = (wi_net_route){a, z, 0};
    p->paths[p->n++] = (wi_net_route){z, a, 0};
}

/* There and back, of all whose ends are known. */
static uint64_t n_paths(const wi_net_plan *plan)
{
    return 2 * ((uint64_t)plan->n_flows + plan->n_arrivals + plan->n_pairs);
}

static weir_status collect(pathing *p)
{
    const wi_net_plan *plan = p->b->plan;
    p->paths = wi_build_keep(p->b, n_paths(plan), sizeof *p->paths);
    if (!p->paths)
        return p->b->status;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        add_pair(p, plan->flows[i].src, plan->flows[i].dst);
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].n_dst; k++) /* one, or of a rank that only receives none */
            add_pair(p, plan->arrivals[i].src, plan->arrivals[i].dst[k]);
    for (uint32_t i = 0; i < plan->n_pairs; i++)
        add_pair(p, plan->pairs[i].src, plan->pairs[i].dst);
    qsort(p->paths, p->n, sizeof *p->paths, in_order);
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (n == 0 || in_order(&p->paths[n - 1], &p->paths[i]) != 0)
            p->paths[n++] = p->paths[i];
    p->n = n;
    p->b->net->routes = p->paths;
    p->b->net->n_routes = n;
    return WEIR_OK;
}

/* The nix-vector from one router to another, in p->bits. */
static weir_status find(pathing *p, const wi_net_route *one, weir_nix *nix)
{
    const uint32_t from = p->f->router_node[one->from], to = p->f->router_node[one->to];
    for (;;) {
        const weir_status status = weir_nix_find(p->b->diag, p->f->graph, p->f->cost, from, to, p->space,
                                                 p->bits, p->bits_bytes, nix);
        if (status != WEIR_OK || nix->n_hops == WEIR_UNREACHABLE || nix->n_bits <= 8 * p->bits_bytes)
            return status;
        free(p->bits);
        p->bits_bytes = nix->n_bits / 4 + 1; /* twice that */
        p->bits = malloc(p->bits_bytes);
        if (!p->bits)
            return weir_fail(p->b->diag, WEIR_E_NOMEM, "no memory for a path of %u bits", nix->n_bits);
    }
}

static weir_status add_path(pathing *p, wi_net_route *one)
{
    const weir_graph *g = p->f->graph;
    weir_nix nix;
    WI_RETURN_IF_FAILED(find(p, one, &nix));
    if (nix.n_hops == WEIR_UNREACHABLE) {
        one->at = NET_NONE;
        return WEIR_OK;
    }
    const uint32_t hops = nix.n_hops < PATH_MAX_HOPS ? nix.n_hops : PATH_MAX_HOPS;
    if (!wi_grow(&p->entries, &p->capacity, p->n_entries + hops, p->f->entry_bytes) ||
        p->n_entries + hops >= NET_NONE)
        return weir_fail(p->b->diag, WEIR_E_NOMEM, "no memory for %zu paths", p->n);
    one->at = (uint32_t)p->n_entries;
    uint32_t node = p->f->router_node[one->from], bit = 0;
    for (uint32_t i = 0; i < hops; i++) {
        const uint32_t port = weir_nix_next(p->bits, g->first[node + 1] - g->first[node], &bit);
        if (p->f->entry_bytes == 1)
            p->entries[p->n_entries++] = (unsigned char)port;
        else
            ((uint16_t *)(void *)p->entries)[p->n_entries++] = (uint16_t)port;
        node = g->target[g->first[node] + port];
    }
    return WEIR_OK;
}

uint32_t wi_net_route_at(const wi_net *net, uint32_t from, uint32_t to)
{
    const wi_net_route wanted = {from, to, 0};
    const wi_net_route *hit = bsearch(&wanted, net->routes, net->n_routes, sizeof wanted, in_order);
    return hit ? hit->at : 0;
}

static uint32_t path_of(const pathing *p, uint32_t from, uint32_t to)
{
    const net_dest *dests = dests_of(p->b);
    return wi_net_route_at(p->b->net, dests[from].router, dests[to].router);
}

static bool pair_is_joined(const void *user, uint32_t from, uint32_t to)
{
    const pathing *p = user;
    const net_host_params *hosts = wi_image_at(&p->b->image, p->b->head.hosts);
    if (dests_of(p->b)[from].router == NET_NONE)
        return hosts[from].nic.peer == to;
    return dests_of(p->b)[to].router != NET_NONE && path_of(p, from, to) != NET_NONE;
}

/* Where a slot's two paths are. */
static void put_paths(const pathing *p, uint32_t at[2], uint32_t from, uint32_t to)
{
    at[0] = path_of(p, from, to);
    at[1] = path_of(p, to, from);
}

/* Where the paths of each sending slot are, to the receiver and back. */
static weir_status write_slots(const pathing *p)
{
    wi_building *b = p->b;
    const wi_net_plan *plan = b->plan;
    uint32_t *at = wi_build_temp(b, 2 * (uint64_t)b->net->n_tx, sizeof *at);
    if (!at)
        return b->status;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        put_paths(p, &at[2 * (size_t)b->net->flow_tx[i]], wi_flow_sender(b, &plan->flows[i]),
                  wi_flow_receiver(b, &plan->flows[i]));
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].slots; k++)
            put_paths(p, &at[2 * ((size_t)b->arrivals_tx[i] + k)], b->node_host[plan->arrivals[i].src],
                      b->node_host[plan->arrivals[i].dst[0]]);
    b->head.paths = wi_build_array(b, at, 2 * (uint64_t)b->net->n_tx, sizeof *at);
    return b->status;
}

bool wi_build_prefers_paths(const wi_building *b, const wi_net_forwarding *f)
{
    enum { TYPICAL_HOPS = 32 };
    const wi_net_plan *plan = b->plan;
    const uint64_t table_bytes = (uint64_t)f->n_routers * f->n_columns;
    const bool few = !wi_net_forwarding_by_pairs(f) && n_paths(plan) <= 2 * (uint64_t)f->n_columns;
    if (plan->forward != WI_NET_FORWARD_AUTO)
        return plan->forward == WI_NET_FORWARD_SOURCE;
    if (plan->ecmp || plan->n_outages || table_bytes < (few ? TREES_ARE_LARGE : TABLE_IS_LARGE))
        return false;
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        if (plan->arrivals[i].n_dst > 1)
            return false;
    return n_paths(plan) * TYPICAL_HOPS < table_bytes;
}

weir_status wi_build_paths(wi_building *b, wi_net_forwarding *f)
{
    pathing p = {.b = b, .f = f, .space = weir_route_space_new(f->graph)};
    weir_status status = p.space ? wi_net_forwarding_costs(b->diag, f)
                                 : weir_fail(b->diag, WEIR_E_NOMEM, "no memory for paths");
    status = status ?: collect(&p);
    for (size_t i = 0; i < p.n && status == WEIR_OK; i++)
        status = add_path(&p, &p.paths[i]);
    status = status ?: wi_build_check_pairs(b, pair_is_joined, &p) ?: write_slots(&p);
    b->net->table_bytes = p.n_entries * f->entry_bytes + 2 * sizeof(uint32_t) * (uint64_t)b->net->n_tx;
    if (status == WEIR_OK) {
        b->head.path_ports = wi_build_array(b, p.entries, p.n_entries, f->entry_bytes);
        status = b->status;
    }
    weir_route_space_free(p.space);
    free(p.bits);
    free(p.entries);
    return status;
}
