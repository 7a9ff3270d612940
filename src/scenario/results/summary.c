/* The packet network's part of summary.json: what was built, and the totals of every class. */
#include <math.h>
#include <stdlib.h>

#include "output/json.h"
#include "base/memory.h"
#include "scenario/fluid/fluid.h"
#include "scenario/results/results.h"

typedef struct class_total {
    weir_time first_ps, last_ps; /* of flows that the scenario starts: first start, last end */
    bool all_ended;
    uint64_t flows, sent, received, received_bytes, dropped, marked, retransmissions, timeouts, nacks, rtt_n,
        rtt_sum_ns;
} class_total;

static uint64_t counter(const wi_results_of_run *r, uint32_t cls, int what)
{
    return (uint64_t)wi_net_class_counter(r->network->net, r->run->sim, cls, what);
}

/* When the flows of a class began and were all complete: what an incast or a shuffle takes. */
static void add_ends(const wi_results_of_run *r, uint32_t i, class_total *t)
{
    const weir_time start_ps = r->network->flows.item[i].start_ps, end_ps = r->completed_ps[i];
    t->first_ps = t->flows == 0 || start_ps < t->first_ps ? start_ps : t->first_ps;
    t->last_ps = end_ps > t->last_ps ? end_ps : t->last_ps;
    t->all_ended = (t->flows == 0 || t->all_ended) && end_ps > 0;
    t->flows++;
}

/* Totals since the end of the warm-up of the flows that the scenario starts, and of what came by itself from
 * the start. */
static void add_planned(const wi_results_of_run *r, class_total *totals)
{
    const wi_network *n = r->network;
    for (uint32_t i = 0; i < n->net->n_flows; i++) {
        class_total *t = &totals[n->flows.item[i].cls];
        wi_net_flow_total f;
        wi_net_flow_read(n->net, r->run->sim, i, &f);
        const wi_net_flow_total zero = {0}, *b = r->warm.flows ? &r->warm.flows[i] : &zero;
        add_ends(r, i, t);
        if (n->classes[n->flows.item[i].cls].params.flags & NET_CLASS_REQUEST)
            continue;
        t->sent += f.packets - b->packets;
        t->received += f.received_packets - b->received_packets;
        t->received_bytes += f.received_bytes - b->received_bytes;
        t->dropped += f.dropped - b->dropped;
        t->marked += f.marked - b->marked;
        t->retransmissions += f.retransmissions - b->retransmissions;
        t->timeouts += f.timeouts - b->timeouts;
        t->nacks += f.nacks - b->nacks;
        t->rtt_n += f.rtt_n - b->rtt_n;
        t->rtt_sum_ns += f.rtt_sum_ns - b->rtt_sum_ns;
    }
}

/* What a class has, and so which of its columns. */
enum {
    PLANNED = 1, /* its flows start with the scenario */
    DYNAMIC = 2, /* they come by themselves */
    REQUEST = 4, /* they answer requests */
    SIZED = 8,   /* they have a size */
    TCP = 16,
    HISTOGRAM = 32, /* of delays */
    NACKS = 64      /* receivers say what they lack */
};

typedef struct quantiles {
    double mean, p50, p95, p99, p999;
} quantiles;

typedef struct class_row {
    const char *name, *protocol, *fidelity;
    uint64_t flows, arrivals, rejected, requests, replies, completed, unfinished;
    quantiles completion, slowdown, delay;
    double makespan_s;
    uint64_t received_bytes;
    double goodput_bps;
    uint64_t packets_sent, packets_received, packets_dropped, packets_marked;
    double loss;
    uint64_t retransmissions, timeouts, nacks;
    double rtt_mean_s;
} class_row;

#define QUANTILES(name, member, suffix, units, doc, only)                                   \
    WI_COLUMN_AS(name "/p50" suffix, DOUBLE, class_row, member.p50, units, doc, only),      \
        WI_COLUMN_AS(name "/p95" suffix, DOUBLE, class_row, member.p95, units, NULL, only), \
        WI_COLUMN_AS(name "/p99" suffix, DOUBLE, class_row, member.p99, units, NULL, only), \
        WI_COLUMN_AS(name "/p99.9" suffix, DOUBLE, class_row, member.p999, units, NULL, only)
static const wi_result_column class_columns[] = {
    WI_COLUMN(TEXT, class_row, name, "", "name of the traffic class"),
    WI_COLUMN(TEXT, class_row, protocol, "", "`tcp` or `udp`"),
    WI_COLUMN(TEXT, class_row, fidelity, "", "`packet`, `fluid` or `mixed`"),
    WI_COLUMN(U64, class_row, arrivals, "",
              "flows that came by themselves (`arrivals`), from the start of the run", DYNAMIC),
    WI_COLUMN(U64, class_row, rejected, "", "those turned away because `max_flows` were under way", DYNAMIC),
    WI_COLUMN_AS("clients", U64, class_row, flows, "", "who ask (`request`)", REQUEST),
    WI_COLUMN(U64, class_row, flows, "", "flows that the scenario starts", PLANNED),
    WI_COLUMN(U64, class_row, requests, "", "requests sent, from the start of the run", REQUEST),
    WI_COLUMN(U64, class_row, replies, "", "replies sent, from the start of the run", REQUEST),
    WI_COLUMN(U64, class_row, completed, "", "flows of a size that ended", SIZED),
    WI_COLUMN(
        U64, class_row, unfinished, "",
        "flows of a size, begun since the warm-up and not complete: those that the quantiles below lack",
        SIZED),
    QUANTILES("completion", completion, "_s", "s",
              "of their completion times; from 32 bins an octave, within about 3 %", SIZED),
    WI_COLUMN_AS("slowdown/mean", DOUBLE, class_row, slowdown.mean, "1",
                 "of all sizes together, as in `slowdown.csv`", SIZED),
    QUANTILES("slowdown", slowdown, "", "1", "within 0.4 %", SIZED),
    WI_COLUMN(DOUBLE, class_row, makespan_s, "s",
              "from the first flow's start to the last one's end, what an incast or a shuffle takes; null "
              "until all are complete",
              SIZED | PLANNED),
    WI_COLUMN(U64, class_row, received_bytes, "bytes",
              "payload received; of flows that come by themselves what is acknowledged of all of them, "
              "complete or not, begun within the warm-up or not"),
    WI_COLUMN(DOUBLE, class_row, goodput_bps, "bit/s", "`received_bytes` over the time since the warm-up"),
    WI_COLUMN(U64, class_row, packets_sent, "packets",
              "data packets and SYNs of flows that the scenario starts", PLANNED),
    WI_COLUMN(U64, class_row, packets_received, "packets", "of those, arrived", PLANNED),
    WI_COLUMN(U64, class_row, packets_dropped, "packets", "of those, dropped on the way", PLANNED),
    WI_COLUMN(U64, class_row, packets_marked, "packets", "of those, marked (ECN)", PLANNED),
    WI_COLUMN(DOUBLE, class_row, loss, "1", "dropped over sent", PLANNED),
    WI_COLUMN(U64, class_row, retransmissions, "packets", "data segments and SYNs sent again", PLANNED | TCP),
    WI_COLUMN(U64, class_row, timeouts, "", "expiries of retransmission timers", PLANNED | TCP),
    WI_COLUMN(U64, class_row, nacks, "packets", "NACKs that came to senders", PLANNED | TCP | NACKS),
    WI_COLUMN(DOUBLE, class_row, rtt_mean_s, "s", "of the senders' samples", PLANNED | TCP),
    QUANTILES("delay", delay, "_s", "s", "one way, of data packets (`output.histograms`); within about 3 %",
              HISTOGRAM),
};
const wi_result_table wi_class_table = WI_RESULT(SUMMARY, "classes.NAME", class_columns);

static quantiles quantiles_of(const int64_t *histogram)
{
    const double none = (double)NAN;
    return histogram
               ? (quantiles){none, wi_net_delay_quantile(histogram, 0.5),
                             wi_net_delay_quantile(histogram, 0.95), wi_net_delay_quantile(histogram, 0.99),
                             wi_net_delay_quantile(histogram, 0.999)}
               : (quantiles){none, none, none, none, none};
}

static uint64_t unfinished_of(const wi_class_result *c)
{
    uint64_t n = 0;
    for (size_t k = 0; k < WI_SLOWDOWN_SIZES; k++)
        n += c->unfinished[k];
    return n;
}

static quantiles slowdown_of(const wi_slowdowns *s)
{
    WI_FREED wi_slowdown_bucket *all = s ? calloc(1, sizeof *all) : NULL;
    quantiles q = quantiles_of(NULL);
    if (all) {
        wi_slowdown_merge(s, all);
        q = (quantiles){wi_slowdown_mean(all), wi_slowdown_quantile(all, 0.5),
                        wi_slowdown_quantile(all, 0.95), wi_slowdown_quantile(all, 0.99),
                        wi_slowdown_quantile(all, 0.999)};
    }
    return q;
}

/* A class that travels as fluid, all of it, shows its fluid's figures as packets show theirs. */
static json_t *fluid_class(const wi_results_of_run *r, uint32_t cls, double span_s)
{
    const wi_net_class_plan *plan = &r->network->classes[cls];
    json_t *c = json_pack("{s:s, s:s, s:s}", "name", plan->name, "protocol",
                          plan->params.flags & NET_CLASS_UDP ? "udp" : "tcp", "fidelity", "fluid");
    json_auto_t *fluid = wi_fluid_summarise_class(r->network, cls, span_s);
    json_object_set(c, "flows", json_object_get(fluid, "sessions"));
    json_object_update_missing(c, fluid);
    return c;
}

static void put_received(json_t *c, uint64_t bytes, double span_s)
{
    json_object_set_new(c, "received_bytes", wi_json_count(bytes));
    json_object_set_new(c, "goodput_bps",
                        wi_json_real(span_s > 0.0 ? 8.0 * (double)bytes / span_s : (double)NAN));
}

/* Of a mixed class, whose packets have received `bytes`: what it has received counts both parts, and each has its own. */
static void put_parts(const wi_results_of_run *r, uint32_t cls, json_t *c, uint64_t bytes, double span_s)
{
    json_t *fluid = wi_fluid_summarise_class(r->network, cls, span_s), *packet = json_object();
    put_received(packet, bytes, span_s);
    put_received(c, bytes + (uint64_t)json_integer_value(json_object_get(fluid, "received_bytes")), span_s);
    json_object_set_new(c, "packet", packet);
    json_object_set_new(c, "fluid", fluid);
}

static json_t *one_class(const wi_results_of_run *r, uint32_t cls, const class_total *t, double span_s)
{
    const wi_net_class_plan *plan = &r->network->classes[cls];
    const wi_class_result *done = &r->classes[cls];
    const int64_t *delays = wi_net_delay_histogram(r->network->net, r->run->sim, cls);
    const uint32_t flags = plan->params.flags;
    const bool planned = !(flags & (NET_CLASS_DYNAMIC | NET_CLASS_REQUEST));
    const uint64_t bytes = planned ? t->received_bytes : done->now_bytes - done->warm_bytes;
    const double none = (double)NAN;
    const class_row row = {
        .name = plan->name,
        .protocol = flags & NET_CLASS_UDP ? "udp" : "tcp",
        .fidelity = r->network->scenario->traffic[cls].fidelity == WEIR_SC_MIXED ? "mixed" : "packet",
        .flows = t->flows,
        .arrivals = counter(r, cls, NET_COUNT_FLOWS),
        .rejected = counter(r, cls, NET_COUNT_REJECTED),
        .requests = counter(r, cls, NET_COUNT_REQUESTS),
        .replies = counter(r, cls, NET_COUNT_REPLIES),
        .completed = done->completed,
        .unfinished = unfinished_of(done),
        .completion = quantiles_of(done->fct),
        .slowdown = slowdown_of(done->slowdowns),
        .delay = quantiles_of(delays),
        .makespan_s = t->all_ended ? weir_seconds(t->last_ps - t->first_ps) : none,
        .received_bytes = bytes,
        .goodput_bps = span_s > 0.0 ? 8.0 * (double)bytes / span_s : none,
        .packets_sent = t->sent,
        .packets_received = t->received,
        .packets_dropped = t->dropped,
        .packets_marked = t->marked,
        .loss = t->sent ? (double)t->dropped / (double)t->sent : 0.0,
        .retransmissions = t->retransmissions,
        .timeouts = t->timeouts,
        .nacks = t->nacks,
        .rtt_mean_s = t->rtt_n ? (double)t->rtt_sum_ns * 1e-9 / (double)t->rtt_n : none};
    const uint32_t has = (planned ? PLANNED : 0) | (flags & NET_CLASS_DYNAMIC ? DYNAMIC : 0) |
                         (flags & NET_CLASS_REQUEST ? REQUEST : 0) | (flags & NET_CLASS_SIZED ? SIZED : 0) |
                         (flags & NET_CLASS_UDP ? 0 : TCP) | (delays ? HISTOGRAM : 0) |
                         (wi_net_has_nacks(net_class_at(wi_net_world(r->network->net), cls)) ? NACKS : 0);
    json_t *c = wi_result_object(&wi_class_table, &row, has);
    json_object_set_new(c, "video", wi_players_summarise(r, cls)); /* null: no such member */
    json_object_set_new(c, "rounds", wi_rounds_summarise(r, cls));
    json_object_set_new(c, "job", wi_jobs_summarise(r, cls));
    if (r->network->scenario->traffic[cls].fidelity == WEIR_SC_MIXED)
        put_parts(r, cls, c, bytes, span_s);
    return c;
}

static json_t *classes(const wi_results_of_run *r)
{
    const size_t n = r->network->scenario->n_traffic;
    const double span_s = weir_seconds(weir_sim_now(r->run->sim) - (r->warm.ports ? r->warm.at_ps : 0));
    WI_FREED class_total *totals = calloc(n + 1, sizeof *totals);
    json_t *list = json_array();
    if (totals) {
        add_planned(r, totals);
        for (uint32_t i = 0; i < n; i++)
            json_array_append_new(list, r->network->scenario->traffic[i].fidelity == WEIR_SC_FLUID
                                            ? fluid_class(r, i, span_s)
                                            : one_class(r, i, &totals[i], span_s));
    }
    return list;
}

typedef struct topology_row {
    uint64_t nodes, links, hosts, implicit_hosts, ports;
    const char *forwarding;
    uint64_t forwarding_bytes, links_with_default_rate, links_with_default_delay,
        links_with_delay_from_coordinates;
} topology_row;

static const wi_result_column topology_columns[] = {
    WI_COLUMN(U64, topology_row, nodes, "", "nodes of the graph"),
    WI_COLUMN(U64, topology_row, links, "", "links, both directions as one"),
    WI_COLUMN(U64, topology_row, hosts, "", "hosts"),
    WI_COLUMN(U64, topology_row, implicit_hosts, "", "of these, those that stand for routers"),
    WI_COLUMN(U64, topology_row, ports, "", "ports of routers"),
    WI_COLUMN(TEXT, topology_row, forwarding, "", "`table` or `source`"),
    WI_COLUMN(U64, topology_row, forwarding_bytes, "bytes", "of its tables"),
    WI_COLUMN(U64, topology_row, links_with_default_rate, "", "links that took a default rate"),
    WI_COLUMN(U64, topology_row, links_with_default_delay, "", "links that took a default delay"),
    WI_COLUMN(U64, topology_row, links_with_delay_from_coordinates, "",
              "links with a delay from coordinates"),
};
const wi_result_table wi_topology_table = WI_RESULT(SUMMARY, "topology", topology_columns);

static json_t *topology(const wi_network *n)
{
    return wi_result_object(&wi_topology_table,
                            &(topology_row){.nodes = n->graph->n_nodes,
                                            .links = n->graph->n_edges / 2,
                                            .hosts = n->net->n_hosts,
                                            .implicit_hosts = n->net->n_implicit,
                                            .ports = n->net->n_ports,
                                            .forwarding = wi_net_world(n->net)->paths ? "source" : "table",
                                            .forwarding_bytes = n->net->table_bytes,
                                            .links_with_default_rate = n->filled.rates_filled,
                                            .links_with_default_delay = n->filled.delays_filled,
                                            .links_with_delay_from_coordinates = n->filled.delays_from_xy},
                            0);
}

typedef struct failures_row {
    uint64_t events, packets_lost_on_links, packets_without_route;
} failures_row;

static const wi_result_column failure_columns[] = {
    WI_COLUMN(U64, failures_row, events, "", "failures and repairs (`events`)"),
    WI_COLUMN(U64, failures_row, packets_lost_on_links, "packets",
              "lost with failed links, from the start of the run"),
    WI_COLUMN(U64, failures_row, packets_without_route, "packets",
              "that a router had no way for, from the start of the run"),
};
const wi_result_table wi_failures_table = WI_RESULT(SUMMARY, "failures", failure_columns);

static json_t *failures(const wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    failures_row row = {.events = r->network->scenario->n_events};
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        row.packets_lost_on_links += wi_net_lost(net, r->run->sim, e, NET_LOST_LINK_DOWN);
        row.packets_without_route += wi_net_lost(net, r->run->sim, e, NET_LOST_NO_ROUTE);
    }
    return wi_result_object(&wi_failures_table, &row, 0);
}

void wi_results_summarise(const wi_results_of_run *r, json_t *summary)
{
    json_object_set_new(summary, "topology", topology(r->network));
    json_object_set_new(summary, "classes", classes(r));
    json_object_set_new(summary, "imbalance", wi_imbalance_summarise(r)); /* null: no such member */
    json_object_set_new(summary, "pfc", wi_pauses_summarise(r));
    if (r->network->scenario->n_events)
        json_object_set_new(summary, "failures", failures(r));
    if (r->network->fluid)
        json_object_set_new(summary, "fluid", wi_fluid_summarise(r->network->fluid));
}

/* ---- for people ---- */

#define ROW(of) " {" of "goodput_bps:13} {" of "loss:9%} {" of "rtt_mean_s:10}"
const wi_line wi_network_lines[WI_NETWORK_LINES] = {
    {.list = "classes",
     .needs = "fluid", /* a mixed class has a row for what of it is packets, and one for what is fluid */
     .head = "  class                flows       goodput      loss   mean RTT",
     .text = "  {name:-16:, packets} {sessions|flows|clients|arrivals:9} {packet.goodput_bps:13} {loss:9%} "
             "{rtt_mean_s:10}\n"
             "  {name:-16:, fluid} {fluid.sessions|fluid.flows:9}" ROW("fluid."),
     .other = "  {name:-16} {sessions|flows|clients|arrivals:9}" ROW("")},
    {.list = "classes",
     .needs = "completed", /* beside quantiles of completion times, how many flows they are not of */
     .head =
         "  transfers         complete  unfinished  rejected    FCT p50    FCT p99  slowdown p99   makespan",
     .text = "  {name:-16} {completed:9} {unfinished:11} {rejected:9} {completion.p50_s:10} "
             "{completion.p99_s:10} "
             "{slowdown.p99:13} {makespan_s:10}"},
    {.list = "classes",
     .needs = "rounds", /* of collectives and incasts */
     .head = "  rounds            complete       mean    longest",
     .text = "  {name:-16} {rounds.completed:9} {rounds.mean_s:10} {rounds.max_s:10}"},
    {.list = "classes",
     .needs = "video", /* what those who watch see */
     .head = "  video              players  mean bitrate  switches   start-up     stalls    stalled",
     .text = "  {name:-16} {video.players:9.0} {video.bitrate_mean_bps:13} {video.switches:9.0} "
             "{video.startup_mean_s:10} "
             "{video.rebuffers:10.0} {video.rebuffer_s:10}"},
    {.needs = "steady",
     .text = "  steady        {steady.time_s} skipped, {steady.packets} packets, in {steady.skips} skips"},
};
