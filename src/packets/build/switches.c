/* Switches with a shared memory: the first port of each is the entity of all (net/switch/switch.h). */

#include "packets/build/building.h"
#include "net/switch/switch.h"

static uint32_t ports_of(const wi_building *b, uint32_t router)
{
    const uint32_t end =
        router + 1 < b->head.n_routers ? b->router_port[router + 1] : b->net->n_hosts + b->net->n_ports;
    return end - b->router_port[router];
}

static uint32_t router_of(const wi_building *b, uint32_t entity)
{
    return b->node_router[b->net->port_node[entity - b->net->n_hosts]];
}

uint32_t wi_build_switch_ports(const wi_building *b, uint32_t entity)
{
    const uint32_t router = router_of(b, entity);
    return b->router_port[router] == entity ? ports_of(b, router) : 0;
}

uint64_t wi_build_switch_words(const wi_building *b, uint32_t entity)
{
    if (!b->plan->shared.bytes || entity < b->net->n_hosts)
        return 0;
    const uint32_t n = wi_build_switch_ports(b, entity);
    if (n == 0)
        return 0;
    return b->plan->shared.pfc.lossless ? wi_build_pfc_words(b, n) : (uint64_t)n * NET_SWITCH_PORT_WORDS;
}

weir_status wi_build_switch_check(const wi_building *b, uint32_t port, const net_link *link)
{
    const net_queue *q = &b->queues[link->queue];
    const wi_net_plan *plan = b->plan;
    const uint32_t e = b->net->port_edge[port];
    const char *const from = plan->graph->name[b->net->port_node[port]],
                      *const to = e == UINT32_MAX ? "its host" : plan->graph->name[plan->graph->target[e]];
    const char *why = NULL;
    if (!plan->shared.bytes)
        return WEIR_OK;
    if (q->departs)
        why = "a discipline that decides at departure";
    else if (q->counts_packets)
        why = "a queue that counts packets";
    else if (q->own_words)
        why = "a discipline with a large state (pie, policer)";
    else if (link->impaired)
        why = "an impaired link (bursts, bit errors, jitter, duplicates, traces)";
    else if (plan->shared.pfc.lossless && q->params.limit_bytes != UINT64_MAX)
        why = "a limit of its own, which what is lossless cannot obey";
    if (!why)
        return WEIR_OK;
    return weir_fail_at(
        b->diag, WEIR_E_UNSUPPORTED, WEIR_AT(plan->shared.place),
        "shared_buffer: the port from '%s' to '%s' has %s; want droptail, red or threshold, in bytes", from,
        to, why);
}

/* The first port of a router sends for all: its lookahead is the least of theirs. */
static void look_ahead(const wi_building *b)
{
    weir_time *lookahead_ps = b->net->lookahead_ps;
    for (uint32_t r = 0; r < b->head.n_routers; r++) {
        const uint32_t first = b->router_port[r], n = ports_of(b, r);
        for (uint32_t e = first + 1; e < first + n; e++)
            if (lookahead_ps[e] < lookahead_ps[first])
                lookahead_ps[first] = lookahead_ps[e];
    }
}

/* Give it the targets of all; arrays hold a target an entity, so that a router's stand together in their order. */
static void merge_targets(const wi_building *b)
{
    uint32_t *first = (uint32_t *)b->net->comm.first;
    for (uint32_t r = 0; r < b->head.n_routers; r++) {
        const uint32_t port = b->router_port[r], n = ports_of(b, r);
        for (uint32_t k = 1; k < n; k++) /* targets of port + 1 .. begin where those of the router end */
            first[port + k] = first[port] + n;
    }
}

weir_status wi_build_switches(wi_building *b)
{
    const size_t n_ports = b->net->n_ports, n_routers = b->head.n_routers;
    if (!b->plan->shared.bytes)
        return WEIR_OK;
    uint32_t least;
    const uint32_t most = wi_build_most_packet(b, &least);
    if (b->plan->shared.bytes < most)
        return weir_fail_at(
            b->diag, WEIR_E_SCENARIO, WEIR_AT(b->plan->shared.place),
            "shared_buffer: size is %llu bytes, and packets have up to %u: none of these would ever be taken",
            (unsigned long long)b->plan->shared.bytes, most);
    uint32_t *router = wi_build_place(b, n_ports, sizeof *router, &b->head.port_router);
    for (uint32_t i = 0; router && i < n_ports; i++)
        router[i] = router_of(b, b->net->n_hosts + i);
    uint32_t *ports = wi_build_place(b, n_routers, sizeof *ports, &b->head.router_ports);
    for (uint32_t r = 0; ports && r < n_routers; r++)
        ports[r] = ports_of(b, r);
    b->head.buffer_bytes = (double)b->plan->shared.bytes;
    b->head.buffer_alpha = b->plan->shared.alpha;
    look_ahead(b);
    merge_targets(b);
    return b->status;
}
