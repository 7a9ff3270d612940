/* Links with their queues, destinations, and the lookahead of each entity. */
#include <stdlib.h>
#include <string.h>

#include "weir/units.h"
#include "packets/build/building.h"
#include "base/order.h"
#include "net/switch/port.h"

/* No queue holds more than its line sends in a million seconds, so that times stay far below their largest.
 */
static void bound_in_time(net_queue *q)
{
    const double most_bytes = 1e18 * q->bytes_per_ps;
    const double asked = q->params.limit_bytes != UINT64_MAX ? (double)q->params.limit_bytes
                                                             : 65535.0 * q->params.limit_packets;
    if (asked > most_bytes)
        q->params.limit_bytes = (uint64_t)most_bytes;
}

#define RESOLVE(number, name, doc) [NET_QUEUE_##number] = net_##name##_resolve,
static void (*const resolve[NET_QUEUE_TYPES])(net_queue *q) = {NET_QUEUES(RESOLVE)};
#undef RESOLVE

#define DEPARTS(number, name, doc) [NET_QUEUE_##number] = true,
static const bool departs[NET_QUEUE_TYPES] = {NET_QUEUES_DEPARTING(DEPARTS)};
#undef DEPARTS

/* Bytes of packets that a line sends in a picosecond. A queue that decides at arrival knows its backlog as time, and takes all of
 * it as full packets'. */
static double packet_rate(const wi_building *b, uint64_t rate_bps, uint32_t overhead)
{
    const double rate = (double)rate_bps / 8e12;
    uint32_t least;
    if (!overhead)
        return rate;
    const double full = wi_build_most_packet(b, &least);
    return rate * (full / (full + overhead));
}

/* least: of a limit that is not given; endless: without a limit unless it has one of its own */
static net_queue resolve_queue(const weir_queue_params *asked, double bytes_per_ps, uint64_t least,
                               bool endless)
{
    net_queue out;
    memset(&out, 0, sizeof out);
    memcpy(&out.params, asked, sizeof out.params);
    if (!asked->limit_bytes || asked->limit_bytes > INT64_MAX)
        out.params.limit_bytes = UINT64_MAX;
    out.bytes_per_ps = bytes_per_ps;
    if (!asked->limit_bytes && !asked->limit_packets && !departs[asked->type] && !endless) {
        const double bytes = (double)NET_LIMIT_PS * out.bytes_per_ps;
        out.params.limit_bytes = bytes > (double)least ? (uint64_t)bytes : least;
    }
    bound_in_time(&out);
    out.mean_packet_bytes = 1000.0;
    out.counts_packets = asked->limit_packets > 0;
    resolve[asked->type](&out);
    return out;
}

/* FNV-1a over the settings' words, its high half mixed in; resolve_queue leaves no byte undefined. */
static uint64_t hash_of(const net_queue *q)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), word;
    for (size_t i = 0; i + sizeof word <= sizeof *q; i += sizeof word) {
        memcpy(&word, (const char *)q + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Where a queue's number stands in the table, or the free place for it. */
static uint32_t *queue_place(const wi_building *b, const net_queue *q)
{
    const uint64_t mask = 2 * (uint64_t)b->queues_room - 1;
    for (uint64_t at = hash_of(q) & mask;; at = (at + 1) & mask) {
        const uint32_t number = b->queue_table[at];
        /* Both are copies of zeroed memory that was filled in, padding included. */
        if (number == NET_NONE ||
            memcmp(&b->queues[number], q, sizeof *q) == 0) /* NOLINT(bugprone-suspicious-memory-comparison) */
            return &b->queue_table[at];
    }
}

static bool grow_queues(wi_building *b)
{
    const uint32_t room = b->queues_room ? 2 * b->queues_room : 64;
    net_queue *queues = room <= NET_QUEUES_MAX ? realloc(b->queues, (size_t)room * sizeof *queues) : NULL;
    if (queues)
        b->queues = queues;
    uint32_t *table = queues ? malloc(2 * (size_t)room * sizeof *table) : NULL;
    if (!table)
        return false;
    memset(table, 0xff, 2 * (size_t)room * sizeof *table);
    free(b->queue_table);
    b->queue_table = table;
    b->queues_room = room;
    for (uint32_t i = 0; i < b->n_queues; i++)
        *queue_place(b, &b->queues[i]) = i;
    return true;
}

static void warn_of_bound(weir_diag *diag, const weir_queue_params *asked, const net_queue *q)
{
    char limit[WEIR_UNITS_TEXT], rate[WEIR_UNITS_TEXT], most[WEIR_UNITS_TEXT];
    if (asked->limit_bytes && asked->limit_bytes <= INT64_MAX && q->params.limit_bytes < asked->limit_bytes)
        weir_warn(diag,
                  "a queue's limit of %s is more than a line of %s sends in a million seconds; it holds %s",
                  weir_format_size(asked->limit_bytes, limit),
                  weir_format_rate((uint64_t)(q->bytes_per_ps * 8e12 + 0.5), rate),
                  weir_format_size(q->params.limit_bytes, most));
}

/* Number of a resolved queue, shared by all links with equal settings and rate; NET_NONE: no memory. */
static uint32_t queue_number(wi_building *b, const weir_queue_params *asked, double bytes_per_ps)
{
    const net_queue q = resolve_queue(asked, bytes_per_ps, b->limit_least, b->plan->shared.pfc.lossless != 0);
    if (b->n_queues == b->queues_room && !grow_queues(b))
        return NET_NONE;
    uint32_t *place = queue_place(b, &q);
    if (*place == NET_NONE) {
        *place = b->n_queues;
        b->queues[b->n_queues++] = q;
        warn_of_bound(b->diag, asked, &q);
    }
    return *place;
}

/* What a link is made from. */
typedef struct line_plan {
    uint64_t rate_bps;
    weir_time delay_ps;
    double loss;
    uint32_t overhead;
} line_plan;

static line_plan access_line(const wi_net_plan *plan)
{
    return (line_plan){.rate_bps = plan->access_rate_bps,
                       .delay_ps = plan->access_delay_ps,
                       .overhead = plan->access_overhead};
}

static line_plan edge_line(const wi_net_plan *plan, uint32_t e)
{
    return (line_plan){.rate_bps = plan->graph->rate_bps[e],
                       .delay_ps = plan->graph->delay_ps[e],
                       .loss = plan->edge_loss ? plan->edge_loss[e] : 0.0,
                       .overhead = plan->edge_overhead ? plan->edge_overhead[e] : 0};
}

static weir_status make_link(wi_building *b, net_link *link, line_plan line, uint32_t queue)
{
    const uint64_t rate_bps = line.rate_bps;
    if (rate_bps > NET_RATE_MAX)
        return weir_fail(b->diag, WEIR_E_SCENARIO, "a link of %llu bps; packets want at most 72 Pb/s",
                         (unsigned long long)rate_bps);
    const uint32_t number = queue_number(b, &b->plan->queues[queue], packet_rate(b, rate_bps, line.overhead));
    if (number == NET_NONE)
        return weir_fail(b->diag, WEIR_E_NOMEM,
                         "no memory for more than %u different queues (settings and rates)", b->n_queues);
    const uint64_t byte_ps = 8 * (uint64_t)WEIR_PS_PER_S;
    memset(link, 0, sizeof *link);
    link->rate_bps = rate_bps & NET_RATE_MAX;
    link->overhead = line.overhead & UINT8_MAX;
    link->delay_ps = line.delay_ps;
    link->loss = line.loss > 0.0 ? (uint32_t)(line.loss * 4294967296.0) : 0;
    link->ps_per_byte =
        byte_ps % rate_bps == 0 && byte_ps / rate_bps <= UINT32_MAX ? (uint32_t)(byte_ps / rate_bps) : 0;
    link->queue = number & (NET_QUEUES_MAX - 1);
    return WEIR_OK;
}

/* An edge's link as the plan impairs it. */
static void set_impaired(const wi_net_plan *plan, net_link *link, uint32_t edge)
{
    link->impaired = plan->edge_impairment && plan->edge_impairment[edge] != UINT32_MAX;
}

static void set_peer(const wi_building *b, net_link *link, uint32_t node)
{
    link->peer_is_host = b->node_router[node] == NET_NONE;
    link->peer = link->peer_is_host ? b->node_host[node] : b->node_router[node];
}

static weir_status make_port(wi_building *b, uint32_t i, net_link *link)
{
    const wi_net_plan *plan = b->plan;
    const weir_graph *g = plan->graph;
    const uint32_t e = b->net->port_edge[i];
    if (e == UINT32_MAX) {
        const weir_status status = make_link(b, link, access_line(plan), plan->access_queue);
        link->peer_is_host = 1;
        link->peer = b->node_host[b->net->port_node[i]];
        return status;
    }
    const weir_status status = make_link(b, link, edge_line(plan, e), plan->edge_queue[e]);
    set_peer(b, link, g->target[e]);
    set_impaired(plan, link, e);
    return status;
}

static weir_status make_nic(wi_building *b, uint32_t host, net_link *link, net_dest *dest)
{
    const wi_net_plan *plan = b->plan;
    const weir_graph *g = plan->graph;
    const uint32_t v = b->net->host_node[host];
    memset(dest, 0, sizeof *dest);
    dest->port = b->host_down[host];
    if (b->node_router[v] != NET_NONE) { /* implicit */
        const weir_status status = make_link(b, link, access_line(plan), plan->host_queue);
        link->peer = dest->router = b->node_router[v];
        return status;
    }
    const uint32_t e = g->first[v];
    const weir_status status = make_link(b, link, edge_line(plan, e), plan->host_queue);
    set_peer(b, link, g->target[e]);
    set_impaired(plan, link, e);
    dest->router = link->peer_is_host ? NET_NONE : link->peer;
    return status;
}

static bool is_traced(const wi_building *b, uint32_t entity, const net_link *link)
{
    return link->impaired && b->plan->impairments[b->plan->edge_impairment[wi_build_edge(b, entity)]].trace;
}

/* A packet that is sent while the run lasts must come before time ends. */
static weir_status check_end(const wi_building *b, uint32_t entity, const net_link *link)
{
    char delay[WEIR_UNITS_TEXT], duration[WEIR_UNITS_TEXT];
    const wi_net *net = b->net;
    if (net->lookahead_ps[entity] < WEIR_TIME_MAX - 1 - b->plan->duration_ps)
        return WEIR_OK;
    return weir_fail(
        b->diag, WEIR_E_SCENARIO,
        "a link of '%s' has a delay of %s, and the duration is %s: both together are past the last time "
        "there "
        "is, 106.75 days; want a smaller delay, or a smaller duration",
        b->plan->graph
            ->name[entity < net->n_hosts ? net->host_node[entity] : net->port_node[entity - net->n_hosts]],
        weir_format_time(link->delay_ps, delay), weir_format_time(b->plan->duration_ps, duration));
}

static weir_status make_lookahead(wi_building *b, const net_link *links, const net_host_params *hosts)
{
    wi_net *net = b->net;
    net->lookahead_ps = wi_build_keep(b, (uint64_t)net->n_hosts + net->n_ports, sizeof *net->lookahead_ps);
    if (b->status != WEIR_OK)
        return b->status;
    for (uint32_t i = 0; i < net->n_hosts + net->n_ports; i++) {
        const net_link *link = i < net->n_hosts ? &hosts[i].nic : &links[i - net->n_hosts];
        /* Over a trace a packet may leave at once. */
        net->lookahead_ps[i] =
            link->delay_ps + (is_traced(b, i, link) ? 0 : net_link_time(link, NET_PACKET_LEAST));
        WI_RETURN_IF_FAILED(check_end(b, i, link));
    }
    return WEIR_OK;
}

/* One host that feeds a gate of another. */
typedef struct reach {
    uint32_t from, to;
} reach;

WI_ORDER_BY(by_hosts, reach, WI_ORDER(x->from, y->from) ?: WI_ORDER(x->to, y->to))

static void add_reach(wi_building *b, reach *all, uint32_t *n, reach one, weir_time reach_ps)
{
    weir_time *const lookahead_ps = &b->net->lookahead_ps[one.from];
    if (one.from == one.to)
        return;
    if (all)
        all[*n] = one;
    ++*n;
    *lookahead_ps = reach_ps < *lookahead_ps ? reach_ps : *lookahead_ps;
}

/* Into `all`, or with null only counted. */
static void list_reaches(wi_building *b, reach *all, uint32_t *n)
{
    const wi_net_plan *plan = b->plan;
    for (uint32_t i = 0; i < plan->n_gates; i++) {
        const wi_net_gate_plan *g = &plan->gates[i];
        const uint32_t from = b->node_host[g->node];
        const uint32_t to = g->to ? b->node_host[plan->gates[g->to - 1].node] : from;
        add_reach(b, all, n, (reach){from, to}, g->reach_ps);
    }
    for (uint32_t i = 0; i < plan->n_jobs; i++) {
        const wi_net_job_plan *p = &plan->jobs[i];
        for (uint32_t k = 0; k < p->n_near; k++)
            add_reach(b, all, n, (reach){b->node_host[p->near[k].from], b->node_host[p->near[k].to]},
                      p->local_delay_ps);
    }
}

/* Pairs of hosts between which gates reach, or ranks of a server, each once; and lookaheads that are no longer than any of
 * these. */
static const reach *find_reaches(wi_building *b, uint32_t *n)
{
    uint32_t found = 0, most = 0;
    list_reaches(b, NULL, &most);
    reach *all = wi_build_temp(b, (uint64_t)most + 1, sizeof *all);
    *n = 0;
    if (!all)
        return NULL;
    list_reaches(b, all, &found);
    if (found)
        qsort(all, found, sizeof *all, by_hosts);
    for (uint32_t i = 0; i < found; i++)
        if (i == 0 || by_hosts(&all[i], &all[*n - 1]) != 0)
            all[(*n)++] = all[i];
    return all;
}

/* Who sends to whom: every entity to whatever is at the other end of its link, and hosts to those whose gates they feed. */
static weir_status make_comm(wi_building *b, const net_link *links, const net_host_params *hosts)
{
    wi_net *net = b->net;
    uint32_t n_reaches = 0, at = 0;
    const reach *reaches = find_reaches(b, &n_reaches);
    const uint32_t n = net->n_hosts + net->n_ports;
    uint32_t *group = wi_build_keep(b, n, sizeof *group),
             *first = wi_build_keep(b, (uint64_t)n + 1, sizeof *first);
    uint32_t *target = wi_build_keep(b, (uint64_t)n + n_reaches, sizeof *target);
    net->comm = (weir_comm_graph){
        .n_groups = net->n_hosts + b->head.n_routers, .group = group, .first = first, .target = target};
    if (b->status != WEIR_OK)
        return b->status;
    for (uint32_t i = 0, k = 0; i < n; i++) {
        const bool host = i < net->n_hosts;
        const net_link *link = host ? &hosts[i].nic : &links[i - net->n_hosts];
        group[i] = host ? i : net->n_hosts + b->node_router[net->port_node[i - net->n_hosts]];
        target[at++] = link->peer_is_host ? link->peer : net->n_hosts + link->peer;
        for (; k < n_reaches && reaches[k].from == i; k++)
            target[at++] = reaches[k].to;
        first[i + 1] = at;
    }
    return WEIR_OK;
}

weir_status wi_build_links(wi_building *b)
{
    wi_net *net = b->net;
    net_link *links = wi_build_temp(b, net->n_ports, sizeof *links);
    net_dest *dests = wi_build_temp(b, net->n_hosts, sizeof *dests);
    net_host_params *hosts = wi_build_temp(b, net->n_hosts, sizeof *hosts);
    weir_status status = b->status;
    for (uint32_t i = 0; i < net->n_ports && status == WEIR_OK; i++) {
        status = make_port(b, i, &links[i]) ?: wi_build_switch_check(b, i, &links[i]);
    }
    for (uint32_t h = 0; h < net->n_hosts && status == WEIR_OK; h++) {
        status = make_nic(b, h, &hosts[h].nic, &dests[h]);
        hosts[h].first_generator = b->generator_first[h];
        hosts[h].n_generators = b->generator_first[h + 1] - b->generator_first[h];
    }
    WI_RETURN_IF_FAILED(status
            ?: wi_build_words(b, links, hosts)
            ?: wi_build_impairments(b, links, hosts)
            ?: make_lookahead(b, links, hosts)
            ?: make_comm(b, links, hosts)
            ?: wi_build_switches(b)
            ?: wi_build_pfc(b, links, hosts));
    b->head.links = wi_build_array(b, links, net->n_ports, sizeof *links);
    b->head.dests = wi_build_array(b, dests, net->n_hosts, sizeof *dests);
    b->head.hosts = wi_build_array(b, hosts, net->n_hosts, sizeof *hosts);
    b->head.queues = wi_build_array(b, b->queues, b->n_queues, sizeof *b->queues);
    return b->status;
}
