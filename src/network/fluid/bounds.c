/* Where a law of windows does not hold, as its file says (fluid/law/NAME.h), said before a run. */
#include <string.h>

#include "network/fluid/load.h"
#include "network/fluid/warnings.h"

/* Flow i at an edge, its narrowest. */
static weir_fluid_narrow narrow_at(const wi_fluid_net *f, uint32_t i, uint32_t edge)
{
    const double bps = (double)f->network->graph->rate_bps[edge];
    return (weir_fluid_narrow){
        .fluid = f->links[edge].fluid,
        .packets = f->links[edge].packets,
        .rate_bps = bps,
        .round_s = wi_fluid_round_s(f, i),
        .queue_s = 8.0 * (double)f->plan.queues[f->plan.queue_of_edge[edge]].limit_bytes / bps};
}

/* A host's own line is narrowest: its flows of packets take turns there, and wait without a queue (net/transport/turn.h). */
static const char *at_host(const wi_fluid_net *f, uint32_t i, uint32_t edge)
{
    const weir_fluid_class *const c = &f->plan.classes[f->plan.flows[i].cls];
    const bool keeps = !c->udp && (!c->congestion || strcmp(c->congestion, "bbr") != 0);
    return keeps && f->network->plan.turns && wi_fluid_entity_of(f->network, edge) < f->network->net->n_hosts
               ? "it queues and loses at the host, where packets wait for their turns: its round trips are "
                 "longer by the host's queue"
               : NULL;
}

/* A stream that would have less if it took turns with windows at its host's own line. */
static const char *stream_at_host(const wi_fluid_net *f, uint32_t i, uint32_t edge)
{
    const weir_fluid_flow *const flow = &f->plan.flows[i];
    const double windows = f->links[edge].fluid + f->links[edge].packets,
                 turn_bps = (double)f->network->graph->rate_bps[edge] / (windows + 1.0);
    return f->network->plan.turns && wi_fluid_entity_of(f->network, edge) < f->network->net->n_hosts &&
                   windows > 0.0 && flow->sessions * (double)f->plan.classes[flow->cls].rate_bps > turn_bps
               ? "it has its rate at the host, where packets' flows take equal turns: windows there have the "
                 "rest"
               : NULL;
}

/* What is said of a flow; *edge: where. */
static const char *bound_of(const wi_fluid_net *f, uint32_t i, uint32_t *edge)
{
    const weir_fluid_flow *const flow = &f->plan.flows[i];
    const weir_fluid_class *const c = &f->plan.classes[flow->cls];
    *edge = wi_fluid_narrowest(f, i);
    if (*edge == UINT32_MAX)
        return NULL;
    if (c->udp)
        return stream_at_host(f, i, *edge);
    const weir_fluid_narrow at = narrow_at(f, i, *edge);
    return wi_fluid_is_lasting(f, flow) ? weir_fluid_law_bounds(c, &at) ?: at_host(f, i, *edge) : NULL;
}

/* Each class once, at the first of its flows. */
static void warn_of_class(weir_diag *diag, wi_fluid_net *f, uint32_t cls)
{
    const wi_network *const n = f->network;
    const weir_scenario_class *const c = &n->scenario->traffic[cls];
    for (uint32_t d = 0; d < n->fluid_flows.n; d++)
        for (uint32_t i = f->first_way[d]; n->fluid_flows.item[d].cls == cls && i < f->first_way[d + 1];
             i++) {
            uint32_t edge;
            const char *what = bound_of(f, i, &edge);
            if (!what)
                continue;
            weir_warn_at(diag, WEIR_AT(c->fidelity_place.file ? c->fidelity_place : c->place),
                         "class '%s' is fluid over %s->%s, with %.3g sessions of fluid and %.3g of packets: "
                         "%s (docs/fluid.md, Bounds of laws)",
                         c->name.text, n->graph->name[n->graph->target[n->graph->reverse[edge]]],
                         n->graph->name[n->graph->target[edge]], f->links[edge].fluid, f->links[edge].packets,
                         what);
            wi_fluid_keep_law_warning(f, cls, wi_fluid_entity_of(n, edge), what);
            return;
        }
}

void wi_fluid_net_warn_of_bounds(weir_diag *diag, wi_fluid_net *f)
{
    for (uint32_t cls = 0; cls < f->network->scenario->n_traffic; cls++)
        warn_of_class(diag, f, cls);
}
