/* The graph of a scenario filled in, and each link's own rate, delay, loss and queue. */
#include <string.h>

#include "keys/queue/queues.h"
#include "network/network.h"
#include "weir/run.h"
#include "weir/units.h"

/* What links were given that the file leaves out, unless the scenario gives it another than the default. */
static void say_assumed(weir_diag *diag, const wi_network *n, const weir_link_defaults *used)
{
    char text[WEIR_UNITS_TEXT];
    weir_link_defaults usual;
    weir_link_defaults_init(&usual);
    const uint32_t links = n->graph->n_edges / 2;
    if (n->filled.rates_filled > 0 && used->rate_bps == usual.rate_bps && !used->override_rate)
        weir_warn(diag, "%u of %u links have no rate in the topology and take topology.link.rate, %s",
                  n->filled.rates_filled, links, weir_format_rate(used->rate_bps, text));
    if (n->filled.delays_filled > 0 && used->delay_ps == usual.delay_ps && !used->override_delay)
        weir_warn(diag,
                  "%u of %u links have no delay in the topology, nor coordinates of both ends, and take "
                  "topology.link.delay, %s",
                  n->filled.delays_filled, links, weir_format_time(used->delay_ps, text));
}

/* And what the scenario gives them in vain, as each has its own. */
static void say_unused(weir_diag *diag, const wi_network *n, const weir_link_defaults *used)
{
    char text[WEIR_UNITS_TEXT];
    weir_link_defaults usual;
    weir_link_defaults_init(&usual);
    if (n->filled.rates_filled == 0 && used->rate_bps != usual.rate_bps && !used->override_rate)
        weir_warn(diag,
                  "no link takes topology.link.rate, %s, as all have a rate of their own; with "
                  "topology.link.override they would",
                  weir_format_rate(used->rate_bps, text));
    if (n->filled.delays_filled == 0 && used->delay_ps != usual.delay_ps && !used->override_delay)
        weir_warn(diag,
                  "no link takes topology.link.delay, %s, as all have a delay or coordinates of their own; "
                  "with topology.link.override they would",
                  weir_format_time(used->delay_ps, text));
    if (n->filled.delays_from_xy == 0 && used->km_per_s != usual.km_per_s)
        weir_warn(diag, "no link's delay comes from coordinates, so topology.signal_speed has no effect");
    if (n->scenario->routing.metric == WEIR_METRIC_WEIGHT && !n->graph->weighted)
        weir_warn(diag,
                  "the topology gives no weights, so routing.metric: weight counts links, as hops does");
}

static weir_status fill_graph(weir_diag *diag, wi_network *n)
{
    const weir_scenario_topology *t = &n->scenario->topology;
    weir_link_defaults defaults;
    weir_link_defaults_init(&defaults);
    defaults.rate_bps = t->link.rate_bps;
    defaults.delay_ps = t->link.delay_ps;
    defaults.km_per_s = t->signal_speed_km_per_s;
    defaults.delay_from_xy = t->link.delay_from_coordinates;
    defaults.override_rate =
        t->link.override == WEIR_SC_OVERRIDE_RATE || t->link.override == WEIR_SC_OVERRIDE_BOTH;
    defaults.override_delay =
        t->link.override == WEIR_SC_OVERRIDE_DELAY || t->link.override == WEIR_SC_OVERRIDE_BOTH;
    const weir_status status = weir_graph_fill(diag, n->graph, &defaults, &n->filled);
    if (status == WEIR_OK) {
        say_assumed(diag, n, &defaults);
        say_unused(diag, n, &defaults);
    }
    return status;
}

/* With the limit that its discipline has by default, where it has one of its own. */
static weir_queue_params with_limit(weir_queue_params q)
{
    if (!q.limit_bytes && !q.limit_packets)
        q.limit_packets = wi_queue_kind_of(q.type)->limit_packets;
    return q;
}

static void override_link(wi_network *n, uint32_t edge, const weir_scenario_link_override *o)
{
    weir_graph_set_edge(n->graph, edge, o->rate_bps, o->delay_ps);
    if (o->loss >= 0.0)
        n->plan.edge_loss[edge] = o->loss;
    if (o->overhead != UINT32_MAX)
        n->plan.edge_overhead[edge] = (uint8_t)o->overhead;
}

static weir_status override_links(weir_diag *diag, wi_network *n, const weir_scenario_link_override *o)
{
    wi_number_list edges = {0};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < o->link.n && status == WEIR_OK; i++)
        status = wi_network_edges(diag, n, &o->link.item[i], &edges);
    for (uint32_t k = 0; k < edges.n; k++)
        override_link(n, edges.item[k], o);
    status = status ?: wi_network_impair(diag, n, o, &edges);
    wi_number_list_free(&edges);
    return status;
}

/* Queues are those of routers' ports: a name that finds hosts' own interfaces alone would change nothing. */
static weir_status override_queue(weir_diag *diag, wi_network *n, const weir_link_name *link, uint32_t number)
{
    const weir_graph *g = n->graph;
    wi_number_list edges = {0};
    bool of_router = false;
    weir_status status = wi_network_edges(diag, n, link, &edges);
    for (uint32_t k = 0; k < edges.n; k++) {
        n->plan.edge_queue[edges.item[k]] = number;
        of_router |= g->role[g->target[g->reverse[edges.item[k]]]] == WEIR_ROUTER;
    }
    wi_number_list_free(&edges);
    if (status == WEIR_OK && !of_router)
        status =
            weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(link->place),
                         "'%s' is a host's own interface, whose queue is topology.host_queue", link->text);
    return status;
}

static void set_losses(weir_diag *diag, wi_network *n)
{
    const weir_graph *g = n->graph;
    bool any = n->scenario->topology.loss == 0.0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (g->role[v] == WEIR_ROUTER && g->role[g->target[e]] == WEIR_ROUTER) {
                n->plan.edge_loss[e] = n->scenario->topology.loss;
                any = true;
            }
    if (!any)
        weir_warn(
            diag,
            "topology.loss: no link is between routers, so that none loses packets; want topology.links: "
            "[{link: \"*\", loss: %g}]",
            n->scenario->topology.loss);
}

static weir_status set_queues(weir_diag *diag, wi_network *n)
{
    const weir_scenario_topology *t = &n->scenario->topology;
    enum { ROUTERS, HOSTS, ACCESS, OVERRIDES };
    n->plan.queues = wi_take(&n->memory, t->n_queues + OVERRIDES, sizeof *n->plan.queues);
    if (!n->plan.queues)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for queues");
    n->plan.queues[ROUTERS] = with_limit(t->queue.params);
    n->plan.queues[HOSTS] = t->host_queue.params;
    n->plan.turns = n->plan.queues[HOSTS].type == WI_QUEUE_ROUND_ROBIN;
    if (n->plan.turns)
        n->plan.queues[HOSTS].type = NET_QUEUE_DROPTAIL;
    if (t->shared_buffer.pfc.place.file && n->plan.queues[HOSTS].type == NET_QUEUE_DROPTAIL) {
        n->plan.queues[HOSTS].type =
            NET_QUEUE_PRIORITY; /* which obeys pauses, and marks nothing unless its keys ask for it */
        memset(n->plan.queues[HOSTS].own, 0, sizeof n->plan.queues[HOSTS].own);
    }
    n->plan.queues[HOSTS] = with_limit(n->plan.queues[HOSTS]);
    n->plan.queues[ACCESS] =
        with_limit(t->access.queue.place.file ? t->access.queue.params : t->queue.params);
    n->plan.n_queues = OVERRIDES;
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < t->n_queues; i++) {
        const uint32_t number = n->plan.n_queues++;
        n->plan.queues[number] = with_limit(t->queues[i].queue.params);
        for (size_t k = 0; k < t->queues[i].link.n; k++) {
            const weir_status one = override_queue(diag, n, &t->queues[i].link.item[k], number);
            status = status ?: one;
        }
    }
    return status;
}

/* The bytes of a packet of the class's data: the smallest that is whole, where that is known, else of a header. */
static uint64_t packet_of(const weir_scenario_class *c)
{
    const weir_scenario_dist *size = c->is_udp ? &c->udp.packet : &c->tcp.size;
    const bool constant = size->kind == WEIR_SC_DIST_CONSTANT;
    if (c->is_udp)
        return constant && !c->udp.trace.text ? (uint64_t)size->low : NET_HEADER_UDP;
    if (size->kind != WEIR_SC_DIST_NONE && !constant)
        return NET_HEADER_TCP;
    const bool is_short = constant && size->low < (double)c->tcp.mss_bytes;
    return (is_short ? (uint64_t)size->low : c->tcp.mss_bytes) + NET_HEADER_TCP;
}

static void check_limit(weir_diag *diag, const weir_scenario_queue *q, uint64_t least)
{
    const weir_place p = q->place;
    if (p.file && q->params.limit_bytes && q->params.limit_bytes < least)
        weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(p),
                     "limit is %llu bytes, and packets have %llu at least, so that none is ever taken",
                     (unsigned long long)q->params.limit_bytes, (unsigned long long)least);
}

/* No limit below one packet of what is sent. */
static void check_limits(weir_diag *diag, wi_network *n)
{
    const weir_scenario *s = n->scenario;
    const weir_scenario_topology *t = &s->topology;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < s->n_traffic; i++) {
        const uint32_t bytes = (uint32_t)packet_of(&s->traffic[i]);
        least = bytes < least ? bytes : least;
    }
    if (least == UINT64_MAX)
        return;
    check_limit(diag, &t->queue, least);
    check_limit(diag, &t->host_queue, least);
    check_limit(diag, &t->access.queue, least);
    for (size_t i = 0; i < t->n_queues; i++)
        check_limit(diag, &t->queues[i].queue, least);
}

weir_status wi_network_links(weir_diag *diag, wi_network *n)
{
    const weir_scenario_topology *t = &n->scenario->topology;
    const size_t errors = weir_diag_errors(diag);
    WI_RETURN_IF_FAILED(wi_network_graph(diag, n) ?: fill_graph(diag, n));
    n->plan.edge_queue = wi_take(&n->memory, n->graph->n_edges, sizeof *n->plan.edge_queue);
    n->plan.edge_loss = wi_take(&n->memory, n->graph->n_edges, sizeof *n->plan.edge_loss);
    n->plan.edge_overhead = wi_take(&n->memory, n->graph->n_edges, sizeof *n->plan.edge_overhead);
    if (!n->plan.edge_queue || !n->plan.edge_loss || !n->plan.edge_overhead)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u links", n->graph->n_edges);
    memset(n->plan.edge_overhead, (int)t->overhead, n->graph->n_edges);
    set_losses(diag, n);
    weir_status status = set_queues(diag, n);
    check_limits(diag, n);
    for (size_t i = 0; i < t->n_links; i++) {
        const weir_status one = override_links(diag, n, &t->links[i]);
        status = status == WEIR_OK ? one : status;
    }
    if (status == WEIR_OK)
        wi_network_follow_traces(n);
    if (status == WEIR_OK && weir_diag_errors(diag) > errors)
        status = WEIR_E_SCENARIO;
    return status;
}

weir_status weir_scenario_graph(weir_diag *diag, const weir_scenario *scenario, weir_graph **out)
{
    weir_scenario alone = *scenario;
    wi_network n = {.scenario = &alone};
    const weir_scenario_topology *t = &scenario->topology;
    alone.shared = NULL; /* the graph is the caller's */
    *out = NULL;
    if (!t->file.text && !t->model.text)
        return weir_fail(diag, WEIR_E_ARG, "this scenario has no topology: its model makes its own entities");
    weir_status status = wi_network_graph(diag, &n) ?: fill_graph(diag, &n);
    if (status == WEIR_OK)
        *out = n.graph;
    else
        weir_graph_free(n.graph);
    return status;
}
