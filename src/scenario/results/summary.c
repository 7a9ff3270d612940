/* The packet network's part of summary.json: what was built, and the totals of every class. */
#include <math.h>
#include <stdlib.h>

#include "output/json.h"
#include "base/memory.h"
#include "network/fluid/fluid.h"
#include "scenario/results/results.h"

typedef struct class_total {
    weir_time first_ps, last_ps; /* of flows that the scenario starts: first start, last end */
    bool all_ended;
    uint64_t flows;
    double delay_least_s, delay_most_s; /* of flows that the scenario starts; most 0: of none */
    wi_net_flow_total sum;
} class_total;

/* When the flows of a class began and were all complete: what an incast or a shuffle takes. */
static void add_ends(const wi_results_of_run *r, uint32_t i, class_total *t)
{
    const weir_time start_ps = r->network->plan.flows[i].start_ps, end_ps = r->completed_ps[i];
    t->first_ps = t->flows == 0 || start_ps < t->first_ps ? start_ps : t->first_ps;
    t->last_ps = end_ps > t->last_ps ? end_ps : t->last_ps;
    t->all_ended = (t->flows == 0 || t->all_ended) && end_ps > 0;
    t->flows++;
}

static void add_delays(const wi_net_flow_total *f, class_total *t)
{
    if (f->delay_max_s <= 0.0)
        return;
    t->delay_least_s = t->delay_most_s > 0.0 ? fmin(f->delay_min_s, t->delay_least_s) : f->delay_min_s;
    t->delay_most_s = fmax(f->delay_max_s, t->delay_most_s);
}

/* Totals since the end of the warm-up of the flows that the scenario starts. */
static void add_planned(const wi_results_of_run *r, class_total *totals)
{
    const wi_network *n = r->network;
    for (uint32_t i = 0; i < n->net->n_flows; i++) {
        class_total *t = &totals[n->plan.flows[i].cls];
        wi_net_flow_total f;
        wi_net_flow_read(n->net, r->run->sim, i, &f);
        add_ends(r, i, t);
        if (n->plan.classes[n->plan.flows[i].cls].params.flags & NET_CLASS_REQUEST)
            continue;
        add_delays(&f, t);
        wi_net_flow_add(&t->sum, &f, 1);
        if (r->warm.flows)
            wi_net_flow_add(&t->sum, &r->warm.flows[i], -1);
    }
}

void wi_results_served(const wi_results_of_run *r, wi_net_flow_total *sums)
{
    wi_net_classes_read(r->network->net, r->run->sim, sums);
    for (size_t i = 0; i < r->network->scenario->n_traffic; i++)
        wi_net_flow_add(&sums[i], &r->classes[i].of_ended, 1);
}

/* The same of classes whose slots serve one flow after another: arrivals, requests, jobs. */
static void add_served(const wi_results_of_run *r, class_total *totals)
{
    const size_t n = r->network->scenario->n_traffic;
    WI_FREED wi_net_flow_total *now = calloc(n + 1, sizeof *now);
    if (!now)
        return;
    wi_results_served(r, now);
    for (uint32_t i = 0; i < n; i++) {
        const wi_class_result *c = &r->classes[i];
        if (!(r->network->plan.classes[i].params.flags & (NET_CLASS_DYNAMIC | NET_CLASS_REQUEST)))
            continue;
        totals[i].sum = now[i];
        wi_net_flow_add(&totals[i].sum, &c->at_warm, -1);
        if (!r->network->jobs[i])
            continue;
        totals[i].flows =
            r->network->jobs[i]->messages * r->network->scenario->traffic[i].job.ranks.iterations;
        totals[i].first_ps = c->first_ps;
        totals[i].last_ps = c->last_ps;
        totals[i].all_ended = totals[i].flows > 0 && c->ended >= totals[i].flows;
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
    NACKS = 64,     /* receivers say what they lack */
    TRIMS = 128     /* queues may cut its packets */
};

typedef struct quantiles {
    double mean, p50, p95, p99, p999, most;
} quantiles;

#define QUANTILES(X, name, q, suffix, units, doc, only)          \
    X(DOUBLE, name "/p50" suffix, units, q.p50, doc, only),      \
        X(DOUBLE, name "/p95" suffix, units, q.p95, NULL, only), \
        X(DOUBLE, name "/p99" suffix, units, q.p99, NULL, only), \
        X(DOUBLE, name "/p99.9" suffix, units, q.p999, NULL, only)
#define CLASSES(X)                                                                                           \
    X(TEXT, "name", "", plan->name, "name of the traffic class"),                                            \
        X(TEXT, "protocol", "", (flags & NET_CLASS_UDP) ? "udp" : "tcp", "`tcp` or `udp`"),                  \
        X(TEXT, "fidelity", "",                                                                              \
          r->network->scenario->traffic[cls].fidelity == WEIR_SC_MIXED ? "mixed" : "packet",                 \
          "`packet`, `fluid` or `mixed`"),                                                                   \
        X(U64, "arrivals", "", wi_results_counter(r, cls, NET_COUNT_FLOWS),                                  \
          "flows that came by themselves (`arrivals`)", DYNAMIC),                                            \
        X(U64, "rejected", "", wi_results_counter(r, cls, NET_COUNT_REJECTED),                               \
          "those turned away because `max_flows` were under way", DYNAMIC),                                  \
        X(U64, "clients", "", t->flows, "who ask (`request`)", REQUEST),                                     \
        X(U64, "flows", "", t->flows, "flows that the scenario starts", PLANNED),                            \
        X(U64, "requests", "", wi_results_counter(r, cls, NET_COUNT_REQUESTS), "requests sent", REQUEST),    \
        X(U64, "replies", "", wi_results_counter(r, cls, NET_COUNT_REPLIES), "replies sent", REQUEST),       \
        X(U64, "completed", "", done->completed, "flows of a size, begun since the warm-up, that ended",     \
          SIZED),                                                                                            \
        X(U64, "unfinished", "", unfinished_of(done),                                                        \
          "flows of a size, begun since the warm-up and not complete: those that the quantiles below lack",  \
          SIZED),                                                                                            \
        X(DOUBLE, "completion/mean_s", "s", completion.mean, "of their completion times, exact", SIZED),     \
        QUANTILES(X, "completion", completion, "_s", "s", "of the flow of that rank, within 0.4 %", SIZED),  \
        X(DOUBLE, "completion/max_s", "s", completion.most, "exact", SIZED),                                 \
        X(DOUBLE, "slowdown/mean", "1", slowdown.mean, "of all sizes together, as in `slowdown.csv`",        \
          SIZED),                                                                                            \
        QUANTILES(X, "slowdown", slowdown, "", "1", "within 0.4 %", SIZED),                                  \
        X(DOUBLE, "slowdown/max", "1", slowdown.most, "exact", SIZED),                                       \
        X(DOUBLE, "makespan_s", "s", t->all_ended ? weir_seconds(t->last_ps - t->first_ps) : none,           \
          "from the first flow's start to the last one's end, what an incast or a shuffle takes; null "      \
          "until all are complete",                                                                          \
          SIZED | PLANNED),                                                                                  \
        X(U64, "received_bytes", "bytes", bytes,                                                             \
          "payload received; of flows that come by themselves what is acknowledged of all of them, "         \
          "complete or not, begun within the warm-up or not"),                                               \
        X(DOUBLE, "goodput_bps", "bit/s", span_s > 0.0 ? 8.0 * (double)bytes / span_s : none,                \
          "`received_bytes` over the time since the warm-up"),                                               \
        X(U64, "packets_sent", "packets", t->sum.packets, "data packets and SYNs, since the warm-up"),       \
        X(U64, "packets_received", "packets", t->sum.received_packets,                                       \
          "data packets and SYNs that arrived"),                                                             \
        X(U64, "packets_dropped", "packets", t->sum.dropped, "those that were dropped on the way"),          \
        X(U64, "packets_marked", "packets", t->sum.marked, "those that were marked (ECN)"),                  \
        X(DOUBLE, "loss", "1",                                                                               \
          t->sum.packets ? (double)t->sum.dropped / (double)t->sum.packets : (double)NAN,                    \
          "dropped over sent"),                                                                              \
        X(U64, "retransmissions", "packets", t->sum.retransmissions, "data segments and SYNs sent again",    \
          TCP),                                                                                              \
        X(U64, "timeouts", "", t->sum.timeouts, "expiries of retransmission timers", TCP),                   \
        X(U64, "nacks", "packets", t->sum.nacks, "NACKs that came to senders", TCP | NACKS),                 \
        X(U64, "packets_trimmed", "packets", t->sum.trimmed,                                                 \
          "data packets that queues cut to their headers, whether these arrived or not", TCP | TRIMS),       \
        X(DOUBLE, "rtt_mean_s", "s",                                                                         \
          t->sum.rtt_n ? (double)t->sum.rtt_sum_ns * 1e-9 / (double)t->sum.rtt_n : none,                     \
          "of the senders' samples", TCP),                                                                   \
        QUANTILES(                                                                                           \
            X, "delay", delay, "_s", "s",                                                                    \
            "one way, of data packets (`output.histograms`); within about 3 %, 1 ns below 32 ns, up to 4.8 " \
            "h; of flows that the scenario starts never outside of their `delay_min_s` and `delay_max_s`",   \
            HISTOGRAM)
static const wi_result_column class_columns[] = {CLASSES(WI_COLUMN)};
const wi_result_table wi_class_table = WI_RESULT(SUMMARY, "classes.NAME", class_columns);

/* None of them: NaN each. */
static const quantiles no_quantiles = {(double)NAN, (double)NAN, (double)NAN,
                                       (double)NAN, (double)NAN, (double)NAN};

static quantiles quantiles_of(const wi_spread *s, const uint64_t *bins, size_t n_bins)
{
    return (quantiles){.mean = wi_spread_mean(s),
                       .p50 = wi_spread_quantile(s, bins, n_bins, 0.5),
                       .p95 = wi_spread_quantile(s, bins, n_bins, 0.95),
                       .p99 = wi_spread_quantile(s, bins, n_bins, 0.99),
                       .p999 = wi_spread_quantile(s, bins, n_bins, 0.999),
                       .most = wi_spread_most(s)};
}

static quantiles delays_of(const int64_t *histogram, const class_total *t)
{
    if (!histogram)
        return no_quantiles;
    const double least = t->delay_least_s, most = t->delay_most_s > 0.0 ? t->delay_most_s : (double)INFINITY;
    return (quantiles){.p50 = wi_net_delay_quantile(histogram, 0.5, least, most),
                       .p95 = wi_net_delay_quantile(histogram, 0.95, least, most),
                       .p99 = wi_net_delay_quantile(histogram, 0.99, least, most),
                       .p999 = wi_net_delay_quantile(histogram, 0.999, least, most)};
}

static quantiles completions_of(const wi_completions *c)
{
    if (!c)
        return no_quantiles;
    const quantiles ns = quantiles_of(&c->all, c->bins, WI_COMPLETION_BINS);
    return (quantiles){1e-9 * ns.mean, 1e-9 * ns.p50,  1e-9 * ns.p95,
                       1e-9 * ns.p99,  1e-9 * ns.p999, 1e-9 * ns.most};
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
    if (!all)
        return no_quantiles;
    wi_slowdown_merge(s, all);
    return quantiles_of(&all->all, all->bins, WI_SLOWDOWN_BINS);
}

/* A class that travels as fluid, all of it, shows its fluid's figures as packets show theirs. */
static json_t *fluid_class(const wi_results_of_run *r, uint32_t cls, double span_s)
{
    const wi_net_class_plan *plan = &r->network->plan.classes[cls];
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
    const wi_net_class_plan *plan = &r->network->plan.classes[cls];
    const wi_class_result *done = &r->classes[cls];
    const int64_t *delays = wi_net_delay_histogram(r->network->net, r->run->sim, cls);
    const uint32_t flags = plan->params.flags;
    const bool planned = !(flags & (NET_CLASS_DYNAMIC | NET_CLASS_REQUEST));
    const uint64_t bytes = planned ? t->sum.received_bytes : done->now_bytes - done->warm_bytes;
    const double none = (double)NAN;
    const quantiles completion = completions_of(done->completions), slowdown = slowdown_of(done->slowdowns),
                    delay = delays_of(delays, t);
    const bool job = (flags & NET_CLASS_JOB) != 0;
    const uint32_t has =
        (planned || job ? PLANNED : 0) | (flags & NET_CLASS_DYNAMIC && !job ? DYNAMIC : 0) |
        (flags & NET_CLASS_REQUEST ? REQUEST : 0) | (flags & NET_CLASS_SIZED ? SIZED : 0) |
        (flags & NET_CLASS_UDP ? 0 : TCP) | (delays ? HISTOGRAM : 0) |
        (wi_net_has_nacks(net_class_at(wi_net_world(r->network->net), cls)) ? NACKS : 0) |
        (net_class_at(wi_net_world(r->network->net), cls)->flags & NET_CLASS_NDP ? TRIMS : 0);
    json_t *c = wi_result_object(&wi_class_table, (const wi_cell[]){CLASSES(WI_CELL)}, has);
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
        add_served(r, totals);
        for (uint32_t i = 0; i < n; i++)
            json_array_append_new(list, r->network->scenario->traffic[i].fidelity == WEIR_SC_FLUID
                                            ? fluid_class(r, i, span_s)
                                            : one_class(r, i, &totals[i], span_s));
    }
    return list;
}

#define TOPOLOGY(X)                                                                                         \
    X(U64, "nodes", "", n->graph->n_nodes, "nodes of the graph"),                                           \
        X(U64, "links", "", n->graph->n_edges / 2, "links, both directions as one"),                        \
        X(U64, "hosts", "", n->net->n_hosts, "hosts"),                                                      \
        X(U64, "implicit_hosts", "", n->net->n_implicit, "of these, those that stand for routers"),         \
        X(U64, "ports", "", n->net->n_ports, "ports of routers"),                                           \
        X(TEXT, "forwarding", "", wi_net_world(n->net)->paths ? "source" : "table", "`table` or `source`"), \
        X(U64, "forwarding_bytes", "bytes", n->net->table_bytes, "of its tables"),                          \
        X(U64, "links_with_default_rate", "", n->filled.rates_filled, "links that took a default rate"),    \
        X(U64, "links_with_default_delay", "", n->filled.delays_filled, "links that took a default delay"), \
        X(U64, "links_with_delay_from_coordinates", "", n->filled.delays_from_xy,                           \
          "links with a delay from coordinates")
static const wi_result_column topology_columns[] = {TOPOLOGY(WI_COLUMN)};
const wi_result_table wi_topology_table = WI_RESULT(SUMMARY, "topology", topology_columns);

static json_t *topology(const wi_network *n)
{
    return wi_result_object(&wi_topology_table, (const wi_cell[]){TOPOLOGY(WI_CELL)}, 0);
}

#define FAILURES(X)                                                                          \
    X(U64, "events", "", r->network->scenario->n_events, "failures and repairs (`events`)"), \
        X(U64, "packets_lost_on_links", "packets", lost,                                     \
          "lost with failed links, from the start of the run"),                              \
        X(U64, "packets_without_route", "packets", no_route,                                 \
          "that a router had no way for, from the start of the run")
static const wi_result_column failure_columns[] = {FAILURES(WI_COLUMN)};
const wi_result_table wi_failures_table = WI_RESULT(SUMMARY, "failures", failure_columns);

static json_t *failures(const wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    uint64_t lost = 0, no_route = 0;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        lost += wi_net_lost(net, r->run->sim, e, NET_LOST_LINK_DOWN);
        no_route += wi_net_lost(net, r->run->sim, e, NET_LOST_NO_ROUTE);
    }
    return wi_result_object(&wi_failures_table, (const wi_cell[]){FAILURES(WI_CELL)}, 0);
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
             "{completion.p99_s:10} {slowdown.p99:13.2} {makespan_s:10}"},
    {.list = "classes",
     .needs = "rounds", /* of collectives and incasts */
     .head = "  rounds            complete       mean    longest",
     .text = "  {name:-16} {rounds.completed:9} {rounds.mean_s:10} {rounds.max_s:10}"},
    {.list = "classes",
     .needs = "video", /* what those who watch see */
     .head = "  video              players  mean bitrate  switches   start-up     stalls    stalled",
     .text = "  {name:-16} {video.players:9.0} {video.bitrate_mean_bps:13} {video.switches:9.0} "
             "{video.startup_mean_s:10} {video.rebuffers:10.0} {video.rebuffer_s:10}"},
    {.needs = "steady",
     .text = "  steady        {steady.time_s} skipped, {steady.packets} packets, in {steady.skips} skips"},
    {.needs = "steady.iterations>", .text = "  iterations    {steady.iterations} from memory"},
};
