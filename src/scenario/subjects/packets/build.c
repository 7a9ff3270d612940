/* Putting a network together; and what this build cannot do yet is refused here, by name. */
#include "network/files/udp_trace.h"
#include "scenario/subjects/packets/packets.h"

#include <stdlib.h>
#include <string.h>

#include "net/queue/queues.h"
#include "net/congestion/congestion.h"
#include "network/fluid/fluid.h"
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
    for (uint32_t i = 0; s->routing.forwarding == WEIR_SC_FORWARD_SOURCE && i < n->plan.n_arrivals; i++) {
        const weir_scenario_class *c = &s->traffic[n->plan.arrivals[i].cls];
        if (n->plan.arrivals[i].n_dst < 2)
            continue;
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(c->where_place),
                            "class '%s' has senders of several destinations, and forwarding 'source' is for "
                            "pairs that are known before; use 'table'",
                            c->name.text);
    }
    return WEIR_OK;
}

/* Plan what the lists of fluid, traces and jobs come to: fluid needs routes between pairs. */
static weir_status plan_lists(weir_diag *diag, wi_network *n)
{
    const wi_fluid_list *f = &n->fluid_flows;
    wi_net_plan *const plan = &n->plan;
    plan->pairs = wi_take(&n->memory, f->n, sizeof *plan->pairs);
    plan->traces = wi_take(&n->memory, plan->n_traces, sizeof *plan->traces);
    plan->jobs = wi_take(&n->memory, n->scenario->n_traffic, sizeof *plan->jobs);
    if (n->memory.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u fluid flows", f->n);
    for (plan->n_pairs = 0; plan->n_pairs < f->n; plan->n_pairs++) {
        const wi_fluid_demand *d = &f->item[plan->n_pairs];
        plan->pairs[plan->n_pairs] = (wi_net_pair_plan){d->src, d->dst, (uint16_t)d->cls};
    }
    for (uint32_t i = 0; i < plan->n_traces; i++)
        plan->traces[i] = n->traces[i]->plan;
    for (uint32_t i = 0; i < n->scenario->n_traffic; i++)
        if (n->jobs[i])
            plan->jobs[plan->n_jobs++] = n->jobs[i]->plan;
    return WEIR_OK;
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

/* Which of equal paths flows take is chance, another in each replication. Streams of entities begin at 0, those of classes and
 * sources of fluid lie above half of all numbers. */
static uint32_t path_salt_of(const weir_scenario *s)
{
    weir_stream stream = weir_stream_make(s->seed, UINT32_MAX / 2, s->run);
    uint32_t drawn[4];
    weir_draw128(&stream, drawn);
    return s->routing.ecmp ? drawn[0] : 0;
}

static weir_status build_net(weir_diag *diag, wi_network *n)
{
    static const wi_net_forward forward[] = {[WEIR_SC_FORWARD_AUTO] = WI_NET_FORWARD_AUTO,
                                             [WEIR_SC_FORWARD_TABLE] = WI_NET_FORWARD_TABLE,
                                             [WEIR_SC_FORWARD_SOURCE] = WI_NET_FORWARD_SOURCE};
    const weir_scenario *s = n->scenario;
    WI_RETURN_IF_FAILED(plan_lists(diag, n));
    /* The rest of it stands there already. */
    wi_net_plan *const plan = &n->plan;
    plan->graph = n->graph;
    plan->in_common = s->shared;
    plan->shared.bytes = s->topology.shared_buffer.bytes;
    plan->shared.alpha = s->topology.shared_buffer.alpha;
    plan->shared.place = s->topology.shared_buffer.place;
    plan->shared.pfc = pfc_plan(&s->topology);
    plan->host_queue = 1;
    plan->access_queue = 2;
    plan->access_rate_bps = s->topology.access.rate_bps;
    plan->access_delay_ps = s->topology.access.delay_ps;
    plan->access_overhead = s->topology.overhead;
    plan->access_is_asked = s->topology.access.place.file != NULL;
    plan->metric = s->routing.metric;
    plan->ecmp = s->routing.ecmp;
    plan->spray = s->routing.spray;
    plan->path_salt = path_salt_of(s);
    plan->flowlets_ps = s->routing.flowlets_ps;
    plan->forward = forward[s->routing.forwarding];
    if (s->steady.skip && plan->forward == WI_NET_FORWARD_AUTO)
        plan->forward = WI_NET_FORWARD_TABLE; /* it tells which parts no flow joins */
    plan->ttl = s->routing.ttl;
    plan->warmup_ps = s->output.warmup_ps;
    plan->duration_ps = s->duration_ps;
    plan->n_classes = (uint32_t)s->n_traffic;
    plan->convergence_ps = s->routing.convergence_ps;
    const weir_status status = wi_net_build(diag, plan, &n->net);
    for (uint32_t i = 0; status == WEIR_OK && i < plan->n_classes;
         i++) /* with what follows from the network */
        memcpy(n->plan.classes[i].params.cc, net_class_at(wi_net_world(n->net), i)->cc,
               sizeof n->plan.classes[i].params.cc);
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
    free(n->plan.rates);
    for (uint32_t i = 0; i < n->plan.n_arrivals; i++)
        free((void *)n->plan.arrivals[i].dst);
    free(n->plan.flows);
    free(n->plan.gates);
    free(n->plan.gate_feeds);
    free(n->plan.arrivals);
    free(n->fluid_flows.item);
    wi_network_free_impairments(n);
    free(n->plan.outages);
    wi_network_free_graph(n);
    wi_owned_free(&n->memory);
    free(n);
}
