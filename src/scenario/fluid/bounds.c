/* Where a law of windows does not hold, as its file says (fluid/law/NAME.h), said before a run. */
#include <stdlib.h>

#include "scenario/fluid/warnings.h"

enum { WAYS_MOST = 1024 };

typedef struct bounds {
    wi_fluid_net *f;
    double *fluid, *packets; /* [edges]: sessions of TCP */
} bounds;

/* Sessions of fluid that begin on this way; transfers are those of a law that has no bounds. */
static bool is_counted(const bounds *b, const weir_fluid_flow *flow)
{
    return !b->f->plan.classes[flow->cls].udp && flow->transfers_per_s == 0.0 && flow->goes_on == 0;
}

/* wi_net_way_visit: a session of packets takes this way with the chance `share`. */
static void add_way(void *user, const uint32_t *entities, uint32_t n, double share)
{
    const bounds *const b = user;
    for (uint32_t h = 0; h < n; h++) {
        const uint32_t edge = wi_net_edge_of(b->f->network->net, b->f->network->graph, entities[h]);
        if (edge != UINT32_MAX)
            b->packets[edge] += share;
    }
}

static void count(bounds *b)
{
    const weir_fluid_plan *const plan = &b->f->plan;
    const wi_network *const n = b->f->network;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++)
            b->fluid[plan->path_edge[h]] += is_counted(b, &plan->flows[i]) ? plan->flows[i].sessions : 0.0;
    for (uint32_t i = 0; i < n->flows.n; i++)
        if (!n->scenario->traffic[n->flows.item[i].cls].is_udp)
            (void)wi_net_ways(n->net, wi_net_host_of(n->net, n->flows.item[i].src),
                              wi_net_host_of(n->net, n->flows.item[i].dst), WAYS_MOST, add_way, b);
}

/* Of flow i; *edge: that link. */
static weir_fluid_narrow narrowest(const bounds *b, uint32_t i, uint32_t *edge)
{
    const weir_graph *const g = b->f->network->graph;
    const weir_fluid_plan *const plan = &b->f->plan;
    weir_fluid_narrow at = {.rate_bps = weir_inf(), .round_s = weir_seconds(plan->flows[i].beside_ps)};
    double least_bps = weir_inf();
    for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++) {
        const uint32_t e = plan->path_edge[h];
        const double bps = (double)g->rate_bps[e], share_bps = bps / (b->fluid[e] + b->packets[e]);
        at.round_s += weir_seconds(g->delay_ps[e]) + weir_seconds(g->delay_ps[g->reverse[e]]);
        if (share_bps >= least_bps)
            continue;
        least_bps = share_bps;
        *edge = e;
        at.rate_bps = bps;
        at.fluid = b->fluid[e];
        at.packets = b->packets[e];
        at.queue_s = 8.0 * (double)plan->queues[plan->queue_of_edge[e]].limit_bytes / bps;
    }
    return at;
}

/* Each class once, at the first of its flows. */
static void warn_of_class(weir_diag *diag, const bounds *b, uint32_t cls)
{
    const wi_network *const n = b->f->network;
    const weir_fluid_plan *const plan = &b->f->plan;
    const weir_scenario_class *const c = &n->scenario->traffic[cls];
    const weir_place place = c->fidelity_place.file ? c->fidelity_place : c->place;
    for (uint32_t d = 0; d < n->fluid_flows.n; d++)
        for (uint32_t i = b->f->first_way[d]; n->fluid_flows.item[d].cls == cls && i < b->f->first_way[d + 1];
             i++) {
            uint32_t edge = UINT32_MAX;
            const weir_fluid_narrow at = narrowest(b, i, &edge);
            const char *const what = is_counted(b, &plan->flows[i]) && edge != UINT32_MAX
                                         ? weir_fluid_law_bounds(&plan->classes[plan->flows[i].cls], &at)
                                         : NULL;
            if (!what)
                continue;
            weir_warn_at(
                diag, place.file, place.line, place.column,
                "class '%s' is fluid over %s->%s, with %.3g sessions of fluid and %.3g of packets: %s "
                "(docs/fluid.md, Bounds of laws)",
                c->name.text, n->graph->name[n->graph->target[n->graph->reverse[edge]]],
                n->graph->name[n->graph->target[edge]], at.fluid, at.packets, what);
            wi_fluid_keep_law_warning(b->f, cls, wi_fluid_entity_of(n, edge), what);
            return;
        }
}

weir_status wi_fluid_net_warn_of_bounds(weir_diag *diag, wi_fluid_net *f)
{
    const uint32_t n_edges = f->network->graph->n_edges;
    double *const room = calloc(2 * ((size_t)n_edges + 1), sizeof *room);
    if (!room)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to count the sessions of %u links", n_edges);
    bounds b = {.f = f, .fluid = room, .packets = room + n_edges + 1};
    count(&b);
    for (uint32_t cls = 0; cls < f->network->scenario->n_traffic; cls++)
        warn_of_class(diag, &b, cls);
    free(room);
    return WEIR_OK;
}
