/* Putting a network together; and what this build cannot do yet is refused here, by name. */
#include "network/files/udp_trace.h"
#include "scenario/subjects/packets/packets.h"

#include <stdlib.h>
#include <string.h>

#include "net/queue/queues.h"
#include "net/congestion/congestion.h"
#include "scenario/fluid/fluid.h"
#include "keys/congestion/congestions.h"
#include "weir/ranks.h"

static void refuse(weir_diag *diag, weir_place place, const char *what)
{
    weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(place), "%s is not available in this version", what);
}

/* Fluid has a law of some controls only. */
static void check_fluid_congestion(weir_diag *diag, const weir_scenario_class *c)
{
    const weir_place place = c->tcp.congestion_place.file ? c->tcp.congestion_place : c->fidelity_place;
    const wi_congestion_kind *const kind = wi_congestion_kind_of(c->tcp.congestion);
    const bool known = weir_fluid_has_law(kind->section.name);
    char names[200] = "";
    for (int i = 0, at = 0; i < NET_CC_TYPES && !known; i++)
        if (weir_fluid_has_law(wi_congestion_kind_of(i)->section.name))
            at += snprintf(names + at, sizeof names - (size_t)at, "%s%s", at ? ", " : "",
                           wi_congestion_kind_of(i)->section.name);
    if (!known)
        weir_fail_at(
            diag, WEIR_E_UNSUPPORTED, WEIR_AT(place),
            "class '%s': there is no fluid law of congestion '%s'; use fidelity: packet, or one of %s",
            c->name.text, kind->section.name, names);
}

/* What this version cannot run. */
static weir_status check_supported(weir_diag *diag, const weir_scenario *s)
{
    const size_t before = weir_diag_errors(diag);
    for (size_t i = 0; i < s->n_traffic; i++) {
        const weir_scenario_class *c = &s->traffic[i];
        if (c->fidelity != WEIR_SC_PACKET && weir_ranks() > 1 && s->engine.stress)
            refuse(diag, c->fidelity_place, "fluid in several processes beside engine.stress");
        if (c->fidelity != WEIR_SC_PACKET && !c->is_udp)
            check_fluid_congestion(diag, c);
    }
    return weir_diag_errors(diag) > before ? WEIR_E_UNSUPPORTED : WEIR_OK;
}

/* Routes of a path each are for pairs that are known before. */
static weir_status check_source_routes(weir_diag *diag, const wi_network *n)
{
    const weir_scenario *s = n->scenario;
    for (uint32_t i = 0; s->routing.forwarding == WEIR_SC_FORWARD_SOURCE && i < n->arrivals.n; i++) {
        const weir_scenario_class *c = &s->traffic[n->arrivals.item[i].cls];
        if (n->arrivals.item[i].n_dst < 2)
            continue;
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(c->where_place),
                            "class '%s' draws a destination for each flow, and forwarding 'source' is for "
                            "pairs that are known before; use 'table'",
                            c->name.text);
    }
    return WEIR_OK;
}

/* Pairs of nodes that fluid needs routes between; malloc'ed, null when memory is short. */
static wi_net_pair_plan *fluid_pairs(const wi_network *n)
{
    const wi_fluid_list *f = &n->fluid_flows;
    wi_net_pair_plan *pairs = malloc(((size_t)f->n + 1) * sizeof *pairs);
    for (uint32_t i = 0; pairs && i < f->n; i++)
        pairs[i] = (wi_net_pair_plan){f->item[i].src, f->item[i].dst, (uint16_t)f->item[i].cls};
    return pairs;
}

/* Traces as the network takes them; malloc'ed, null when memory is short. */
static wi_net_trace_plan *plan_traces(const wi_network *n)
{
    wi_net_trace_plan *plans = malloc(((size_t)n->n_traces + 1) * sizeof *plans);
    for (uint32_t i = 0; plans && i < n->n_traces; i++)
        plans[i] = (wi_net_trace_plan){.points = n->traces[i]->points,
                                       .opportunities = n->traces[i]->opportunities,
                                       .n = n->traces[i]->n,
                                       .period_ps = n->traces[i]->period_ps,
                                       .pass_bytes = n->traces[i]->pass_bytes,
                                       .pass_work = n->traces[i]->pass_work};
    return plans;
}

static wi_net_pfc_plan pfc_plan(const weir_scenario_topology *t)
{
    enum { ALL = 255 };
    const weir_place at = t->shared_buffer.pfc.place;
    if (!at.file)
        return (wi_net_pfc_plan){0};
    return (wi_net_pfc_plan){.lossless = t->shared_buffer.pfc.lossless ? t->shared_buffer.pfc.lossless : ALL,
                             .xoff_bytes = t->shared_buffer.pfc.xoff_bytes,
                             .xon_offset = t->shared_buffer.pfc.xon_offset,
                             .headroom_bytes = t->shared_buffer.pfc.headroom_bytes,
                             .place = at};
}

static weir_status build_net(weir_diag *diag, wi_network *n)
{
    static const wi_net_forward forward[] = {[WEIR_SC_FORWARD_AUTO] = WI_NET_FORWARD_AUTO,
                                             [WEIR_SC_FORWARD_TABLE] = WI_NET_FORWARD_TABLE,
                                             [WEIR_SC_FORWARD_SOURCE] = WI_NET_FORWARD_SOURCE};
    const weir_scenario *s = n->scenario;
    wi_net_pair_plan *pairs = fluid_pairs(n);
    wi_net_trace_plan *traces = plan_traces(n);
    uint32_t n_jobs = 0;
    wi_net_job_plan *jobs = wi_network_job_plans(n, &n_jobs);
    if (!pairs || !traces || !jobs) {
        free(pairs);
        free(traces);
        free(jobs);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u fluid flows", n->fluid_flows.n);
    }
    const wi_net_plan plan = {.graph = n->graph,
                              .in_common = s->shared,
                              .graph_key = n->graph_key,
                              .edge_queue = n->edge_queue,
                              .edge_loss = n->edge_loss,
                              .edge_overhead = n->edge_overhead,
                              .impairments = n->impairments,
                              .edge_impairment = n->edge_impairment,
                              .n_impairments = n->n_impairments,
                              .traces = traces,
                              .n_traces = n->n_traces,
                              .queues = n->queues,
                              .n_queues = n->n_queues,
                              .shared = {.bytes = s->topology.shared_buffer.bytes,
                                         .alpha = s->topology.shared_buffer.alpha,
                                         .place = s->topology.shared_buffer.place,
                                         .pfc = pfc_plan(&s->topology)},
                              .host_queue = 1,
                              .turns = n->turns,
                              .access_queue = 2,
                              .access_rate_bps = s->topology.access.rate_bps,
                              .access_delay_ps = s->topology.access.delay_ps,
                              .access_overhead = s->topology.overhead,
                              .metric = s->routing.metric,
                              .ecmp = s->routing.ecmp,
                              .spray = s->routing.spray,
                              .flowlets_ps = s->routing.flowlets_ps,
                              .forward = forward[s->routing.forwarding],
                              .ttl = s->routing.ttl,
                              .warmup_ps = s->output.warmup_ps,
                              .classes = n->classes,
                              .n_classes = (uint32_t)s->n_traffic,
                              .flows = n->flows.item,
                              .n_flows = n->flows.n,
                              .rates = n->rates.item,
                              .n_rates = n->rates.n,
                              .gates = n->gates,
                              .n_gates = n->n_gates,
                              .gate_feeds = n->gate_feeds,
                              .n_gate_feeds = n->n_gate_feeds,
                              .jobs = jobs,
                              .n_jobs = n_jobs,
                              .arrivals = n->arrivals.item,
                              .n_arrivals = n->arrivals.n,
                              .outages = n->outages,
                              .n_outages = n->n_outages,
                              .convergence_ps = s->routing.convergence_ps,
                              .pairs = pairs,
                              .n_pairs = n->fluid_flows.n};
    const weir_status status = wi_net_build(diag, &plan, &n->net);
    for (uint32_t i = 0; status == WEIR_OK && i < plan.n_classes;
         i++) /* with what follows from the network */
        memcpy(n->classes[i].params.cc, net_class_at(wi_net_world(n->net), i)->cc,
               sizeof n->classes[i].params.cc);
    free(pairs);
    free(traces);
    free(jobs);
    return status;
}

static void warn_of_access(weir_diag *diag, const wi_network *n)
{
    const weir_place at = n->scenario->topology.access.place;
    if (at.file && n->net->n_implicit == 0)
        weir_warn_at(diag, WEIR_AT(at),
                     "topology.access has no effect: all traffic is between hosts of the topology, whose "
                     "links are its own");
}

/* Check that the ports to be sampled exist, before anything runs and in `weir check` too. */
static weir_status check_output(weir_diag *diag, const wi_network *n)
{
    wi_number_list edges = {0};
    const weir_scenario_output *o = &n->scenario->output;
    weir_status status = WEIR_OK;
    for (size_t i = 0; o->ports == WEIR_SC_PORTS_LIST && i < o->port.n; i++) {
        const weir_status found = wi_network_edges(diag, n, &o->port.item[i], &edges);
        status = found == WEIR_OK ? status : found;
    }
    wi_number_list_free(&edges);
    return status;
}

weir_status wi_network_build(weir_diag *diag, const weir_scenario *scenario, wi_network **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a network");
    (*out)->scenario = scenario;
    weir_status status = check_supported(diag, scenario)
            ?: wi_network_links(diag, *out)
            ?: wi_network_traffic(diag, *out)
            ?: check_output(diag, *out)
            ?: check_source_routes(diag, *out)
            ?: wi_network_check_copies(diag, *out)
            ?: wi_network_check_traces(diag, *out)
            ?: wi_network_events(diag, *out)
            ?: build_net(diag, *out);
    if (status == WEIR_OK)
        warn_of_access(diag, *out);
    status = status ?: wi_network_fits(diag, *out);
    if (status == WEIR_OK && (*out)->fluid_flows.n > 0)
        status = wi_network_fluid_loss(diag, *out);
    if (status == WEIR_OK && (*out)->fluid_flows.n > 0)
        status = wi_fluid_net_build(diag, *out, &(*out)->fluid);
    return status;
}

void wi_network_free(wi_network *n)
{
    if (!n)
        return;
    wi_fluid_net_free(n->fluid);
    wi_net_free(n->net);
    for (size_t i = 0; n->cdf && i < n->scenario->n_traffic; i++)
        weir_cdf_free(n->cdf[i]);
    for (size_t i = 0; n->replayed && i < n->scenario->n_traffic; i++)
        wi_udp_trace_free(n->replayed[i]);
    for (size_t i = 0; n->jobs && i < n->scenario->n_traffic; i++)
        wi_placed_job_free(n->jobs[i]);
    free(n->rates.item);
    for (uint32_t i = 0; i < n->arrivals.n; i++)
        free((void *)n->arrivals.item[i].dst);
    free(n->flows.item);
    free(n->gates);
    free(n->gate_feeds);
    free(n->arrivals.item);
    free(n->fluid_flows.item);
    wi_network_free_impairments(n);
    free(n->outages);
    wi_network_free_graph(n);
    wi_owned_free(&n->memory);
    free(n);
}
