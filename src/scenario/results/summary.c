/* The packet network's part of summary.json: what was built, and the totals of every class. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "scenario/fluid/fluid.h"
#include "scenario/results/results.h"

typedef struct class_total {
    weir_time first_ps, last_ps; /* of flows that the scenario starts: first start, last end */
    bool all_ended;
    uint64_t flows, sent, received, received_bytes, dropped, marked, retransmissions, timeouts, rtt_n,
        rtt_sum_ns;
} class_total;

static uint64_t counter(const wi_results_of_run *r, uint32_t cls, int what)
{
    return (uint64_t)wi_net_class_counter(r->network->net, r->sim, cls, what);
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
        wi_net_flow_read(n->net, r->sim, i, &f);
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
        t->rtt_n += f.rtt_n - b->rtt_n;
        t->rtt_sum_ns += f.rtt_sum_ns - b->rtt_sum_ns;
    }
}

/* Of no histogram all are null, so that studies find them. */
static json_t *quantiles(const int64_t *histogram)
{
    static const struct {
        const char *name;
        double q;
    } shown[] = {{"p50_s", 0.5}, {"p99_s", 0.99}, {"p99.9_s", 0.999}};
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        json_object_set_new(
            o, shown[i].name,
            wi_json_real(histogram ? wi_net_delay_quantile(histogram, shown[i].q) : (double)NAN));
    return o;
}

/* Without a flow yet its figures are null, so that studies find them. */
static json_t *slowdown(const wi_slowdowns *s)
{
    wi_slowdown_bucket *all = calloc(1, sizeof *all);
    json_t *o = json_object();
    if (!all)
        return o;
    if (s)
        wi_slowdown_merge(s, all);
    json_object_set_new(o, "mean", wi_json_real(wi_slowdown_mean(all)));
    json_object_set_new(o, "p50", wi_json_real(wi_slowdown_quantile(all, 0.5)));
    json_object_set_new(o, "p99", wi_json_real(wi_slowdown_quantile(all, 0.99)));
    json_object_set_new(o, "p99.9", wi_json_real(wi_slowdown_quantile(all, 0.999)));
    free(all);
    return o;
}

/* Completion of flows with a size. */
static void put_completion(json_t *c, uint32_t flags, const wi_class_result *done, const class_total *t)
{
    json_object_set_new(c, "completed", wi_json_count(done->completed));
    json_object_set_new(c, "completion", quantiles(done->fct));
    json_object_set_new(c, "slowdown", slowdown(done->slowdowns));
    if (!(flags & (NET_CLASS_DYNAMIC | NET_CLASS_REQUEST)))
        json_object_set_new(
            c, "makespan_s",
            wi_json_real(t->all_ended ? weir_seconds(t->last_ps - t->first_ps) : (double)NAN));
}

/* A class that travels as fluid, all of it, shows its fluid's figures as packets show theirs. */
static json_t *fluid_class(const wi_results_of_run *r, uint32_t cls, json_t *c, double span_s)
{
    json_t *fluid = wi_fluid_summarise_class(r->network, cls, span_s), *value = NULL;
    const char *key = NULL;
    json_object_set(c, "flows", json_object_get(fluid, "sessions"));
    json_object_foreach(fluid, key, value)
    {
        if (strcmp(key, "flows") != 0)
            json_object_set(c, key, value);
    }
    json_decref(fluid);
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
    const weir_sc_fidelity fidelity = r->network->scenario->traffic[cls].fidelity;
    const uint32_t flags = plan->params.flags;
    const bool comes_and_goes = flags & (NET_CLASS_DYNAMIC | NET_CLASS_REQUEST);
    json_t *c = json_object();
    json_object_set_new(c, "name", json_string(plan->name));
    json_object_set_new(c, "protocol", json_string(flags & NET_CLASS_UDP ? "udp" : "tcp"));
    json_object_set_new(c, "fidelity",
                        json_string(fidelity == WEIR_SC_FLUID   ? "fluid"
                                    : fidelity == WEIR_SC_MIXED ? "mixed"
                                                                : "packet"));
    if (fidelity == WEIR_SC_FLUID)
        return fluid_class(r, cls, c, span_s);
    if (flags & NET_CLASS_DYNAMIC) {
        json_object_set_new(c, "arrivals", wi_json_count(counter(r, cls, NET_COUNT_FLOWS)));
        json_object_set_new(c, "rejected", wi_json_count(counter(r, cls, NET_COUNT_REJECTED)));
    } else {
        json_object_set_new(c, flags & NET_CLASS_REQUEST ? "clients" : "flows", wi_json_count(t->flows));
    }
    if (flags & NET_CLASS_REQUEST) {
        json_object_set_new(c, "requests", wi_json_count(counter(r, cls, NET_COUNT_REQUESTS)));
        json_object_set_new(c, "replies", wi_json_count(counter(r, cls, NET_COUNT_REPLIES)));
    }
    if (flags & NET_CLASS_SIZED)
        put_completion(c, flags, done, t);
    json_t *video = wi_players_summarise(r, cls);
    if (video)
        json_object_set_new(c, "video", video);
    json_t *rounds = wi_rounds_summarise(r, cls);
    if (rounds)
        json_object_set_new(c, "rounds", rounds);
    const uint64_t bytes = comes_and_goes ? done->now_bytes - done->warm_bytes : t->received_bytes;
    put_received(c, bytes, span_s);
    if (fidelity == WEIR_SC_MIXED)
        put_parts(r, cls, c, bytes, span_s);
    if (!comes_and_goes) {
        json_object_set_new(c, "packets_sent", wi_json_count(t->sent));
        json_object_set_new(c, "packets_received", wi_json_count(t->received));
        json_object_set_new(c, "packets_dropped", wi_json_count(t->dropped));
        json_object_set_new(c, "packets_marked", wi_json_count(t->marked));
        json_object_set_new(c, "loss", wi_json_real(t->sent ? (double)t->dropped / (double)t->sent : 0.0));
        if (!(flags & NET_CLASS_UDP)) {
            json_object_set_new(c, "retransmissions", wi_json_count(t->retransmissions));
            json_object_set_new(c, "timeouts", wi_json_count(t->timeouts));
            json_object_set_new(
                c, "rtt_mean_s",
                wi_json_real(t->rtt_n ? (double)t->rtt_sum_ns * 1e-9 / (double)t->rtt_n : (double)NAN));
        }
    }
    const int64_t *delays = wi_net_delay_histogram(r->network->net, r->sim, cls);
    if (delays)
        json_object_set_new(c, "delay", quantiles(delays));
    return c;
}

static json_t *classes(const wi_results_of_run *r)
{
    const size_t n = r->network->scenario->n_traffic;
    const double span_s = weir_seconds(weir_sim_now(r->sim) - (r->warm.ports ? r->warm.at_ps : 0));
    class_total *totals = calloc(n + 1, sizeof *totals);
    json_t *list = json_array();
    if (totals) {
        add_planned(r, totals);
        for (uint32_t i = 0; i < n; i++)
            json_array_append_new(list, one_class(r, i, &totals[i], span_s));
    }
    free(totals);
    return list;
}

static json_t *topology(const wi_network *n)
{
    json_t *t = json_object();
    json_object_set_new(t, "nodes", wi_json_count(n->graph->n_nodes));
    json_object_set_new(t, "links", wi_json_count(n->graph->n_edges / 2));
    json_object_set_new(t, "hosts", wi_json_count(n->net->n_hosts));
    json_object_set_new(t, "implicit_hosts", wi_json_count(n->net->n_implicit));
    json_object_set_new(t, "ports", wi_json_count(n->net->n_ports));
    json_object_set_new(t, "forwarding", json_string(wi_net_world(n->net)->paths ? "source" : "table"));
    json_object_set_new(t, "forwarding_bytes", wi_json_count(n->net->table_bytes));
    json_object_set_new(t, "links_with_default_rate", wi_json_count(n->filled.rates_filled));
    json_object_set_new(t, "links_with_default_delay", wi_json_count(n->filled.delays_filled));
    json_object_set_new(t, "links_with_delay_from_coordinates", wi_json_count(n->filled.delays_from_xy));
    return t;
}

/* Packets lost with failed links, and those that a router had no way for; from the run's start. */
static json_t *failures(const wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    uint64_t link_down = 0, no_route = 0;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        link_down += wi_net_lost(net, r->sim, e, NET_LOST_LINK_DOWN);
        no_route += wi_net_lost(net, r->sim, e, NET_LOST_NO_ROUTE);
    }
    json_t *f = json_object();
    json_object_set_new(f, "events", wi_json_count(r->network->scenario->n_events));
    json_object_set_new(f, "packets_lost_on_links", wi_json_count(link_down));
    json_object_set_new(f, "packets_without_route", wi_json_count(no_route));
    return f;
}

void wi_results_summarise(const wi_results_of_run *r, json_t *summary)
{
    json_object_set_new(summary, "topology", topology(r->network));
    json_object_set_new(summary, "classes", classes(r));
    json_t *imbalance = wi_imbalance_summarise(r);
    if (imbalance)
        json_object_set_new(summary, "imbalance", imbalance);
    json_t *pauses = wi_pauses_summarise(r);
    if (pauses)
        json_object_set_new(summary, "pfc", pauses);
    if (r->network->scenario->n_events)
        json_object_set_new(summary, "failures", failures(r));
    if (r->network->fluid)
        json_object_set_new(summary, "fluid", wi_fluid_summarise(r->network->fluid));
}
