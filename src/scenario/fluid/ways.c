/* The ways of the fluid: edges of each path, and of sessions the share that takes it. */
#include <stdlib.h>

#include "net/stats/stats.h"
#include "scenario/fluid/fluid.h"
#include "weir/units.h"

enum { WAYS_MOST = 1024 }; /* of one pair; a flow each */

typedef struct ways {
    wi_fluid_net *f;
    const wi_fluid_demand *demand;
    uint32_t cls;           /* of the plan */
    weir_fluid_flow *flows; /* growing, with the end of each one's path */
    uint32_t *path_end, n, room;
    uint32_t *edge, used, edge_room;
    weir_time least_delay_ps;
    uint32_t long_way;                    /* routers on the longest way of the demand */
    uint64_t slow_access_bps, beside_bps; /* an access link slower than the link beside it; 0: none */
    uint32_t one_way; /* an edge of the demand's paths that has no way back; UINT32_MAX: none */
    bool short_of_memory;
} ways;

static bool make_room(ways *w, uint32_t hops)
{
    if (w->n == w->room) {
        const uint32_t room = 2 * w->room + 64;
        weir_fluid_flow *flows = realloc(w->flows, room * sizeof *flows);
        w->flows = flows ? flows : w->flows;
        uint32_t *ends = flows ? realloc(w->path_end, (room + 1) * sizeof *ends) : NULL;
        w->path_end = ends ? ends : w->path_end;
        w->short_of_memory |= !ends;
        w->room = ends ? room : w->room;
    }
    if (w->used + hops > w->edge_room) {
        const uint32_t room = 2 * (w->used + hops);
        uint32_t *edge = realloc(w->edge, room * sizeof *edge);
        w->edge = edge ? edge : w->edge;
        w->short_of_memory |= !edge;
        w->edge_room = edge ? room : w->edge_room;
    }
    return !w->short_of_memory;
}

static void add_way(void *user, const uint32_t *entities, uint32_t n, double share)
{
    ways *w = user;
    const wi_network *network = w->f->network;
    const weir_graph *g = network->graph;
    const wi_fluid_demand *d = w->demand;
    const weir_time stop_ps = network->scenario->traffic[d->cls].stop_ps;
    if (!make_room(w, n))
        return;
    weir_time beside_ps = 0;
    w->long_way = n - 1 > w->long_way ? n - 1 : w->long_way;
    for (uint32_t h = 0; h < n; h++) {
        const uint32_t e = wi_net_edge_of(network->net, g, entities[h]);
        if (e ==
            UINT32_MAX) { /* the access link of an implicit host: a delay, as long as it is no bottleneck */
            const net_link *access = wi_net_link(network->net, entities[h]);
            const net_link *next = wi_net_link(network->net, entities[h == 0 ? 1 : h - 1]);
            beside_ps += 2 * access->delay_ps;
            if (access->rate_bps < next->rate_bps) {
                w->slow_access_bps = access->rate_bps;
                w->beside_bps = next->rate_bps;
            }
            continue;
        }
        w->edge[w->used++] = e;
        if (!weir_edge_exists(g, g->reverse[e]))
            w->one_way = e;
        if (g->delay_ps[e] < w->least_delay_ps)
            w->least_delay_ps = g->delay_ps[e];
    }
    w->flows[w->n] = (weir_fluid_flow){.src = d->src,
                                       .dst = d->dst,
                                       .cls = w->cls,
                                       .sessions = d->sessions * share,
                                       .start_ps = d->start_ps,
                                       .beside_ps = beside_ps,
                                       .stop_ps = stop_ps ? stop_ps : WEIR_TIME_MAX};
    w->path_end[++w->n] = w->used;
}

/* What packets would meet on these ways, and fluid does not know. */
static weir_status check_ways(weir_diag *diag, const ways *w, uint32_t found)
{
    const weir_scenario *s = w->f->network->scenario;
    const weir_scenario_class *c = &s->traffic[w->demand->cls];
    const weir_graph *g = w->f->network->graph;
    const char *from = g->name[w->demand->src], *to = g->name[w->demand->dst];
    char access[WEIR_UNITS_TEXT], beside[WEIR_UNITS_TEXT];
    const weir_place at = c->fidelity_place;
    if (found > WAYS_MOST)
        return weir_fail_at(
            diag, WEIR_E_UNSUPPORTED, at.file, at.line, at.column,
            "class '%s': more than %d ways of equal cost from %s to %s, and fluid keeps each; "
            "leave routing.ecmp out, or simulate packets",
            c->name.text, WAYS_MOST, from, to);
    if (w->long_way > s->routing.ttl)
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, at.file, at.line, at.column,
                            "class '%s': %u routers from %s to %s are more than routing.ttl, %u: no packet "
                            "would arrive, and fluid has no such limit; want a ttl of %u",
                            c->name.text, w->long_way, from, to, s->routing.ttl, w->long_way);
    if (w->slow_access_bps == 0)
        return WEIR_OK;
    weir_format_rate(w->slow_access_bps, access);
    weir_format_rate(w->beside_bps, beside);
    return weir_fail_at(
        diag, WEIR_E_UNSUPPORTED, at.file, at.line, at.column,
        "class '%s', %s to %s: fluid takes access links for a delay alone, and topology.access.rate, "
        "%s, is less than the %s of the link beside it; want a rate as high, or hosts with links",
        c->name.text, from, to, access, beside);
}

/* Fluid's ACKs go back over the links that its segments came by. */
static weir_status no_way_back(weir_diag *diag, const ways *w)
{
    const weir_scenario_class *c = &w->f->network->scenario->traffic[w->demand->cls];
    const weir_graph *g = w->f->network->graph;
    return weir_fail_at(
        diag, WEIR_E_UNSUPPORTED, c->fidelity_place.file, c->fidelity_place.line, c->fidelity_place.column,
        "class '%s': the link from %s to %s leads one way, and fluid takes ACKs back over the "
        "links of their segments; simulate packets",
        c->name.text, g->name[g->target[g->reverse[w->one_way]]], g->name[g->target[w->one_way]]);
}

weir_status wi_fluid_net_find_ways(weir_diag *diag, wi_fluid_net *f, const uint32_t *cls,
                                   weir_time *least_delay_ps)
{
    const wi_fluid_list *list = &f->network->fluid_flows;
    const wi_net *net = f->network->net;
    ways w = {.f = f, .least_delay_ps = WEIR_TIME_MAX};
    weir_status status = WEIR_OK;
    f->first_way = calloc((size_t)list->n + 1, sizeof *f->first_way);
    if (make_room(&w, 1))
        w.path_end[0] = 0;
    for (uint32_t i = 0; i < list->n && f->first_way && !w.short_of_memory && status == WEIR_OK; i++) {
        w.demand = &list->item[i];
        w.cls = cls[i];
        w.one_way = UINT32_MAX;
        const uint32_t src = wi_net_host_of(net, w.demand->src), dst = wi_net_host_of(net, w.demand->dst);
        w.long_way = 0;
        const uint32_t found = wi_net_ways(net, src, dst, WAYS_MOST, add_way, &w);
        status = w.short_of_memory ? WEIR_OK : check_ways(diag, &w, found);
        if (status == WEIR_OK && w.one_way != UINT32_MAX &&
            !f->network->scenario->traffic[w.demand->cls].is_udp)
            status = no_way_back(diag, &w);
        f->first_way[i + 1] = w.n;
    }
    f->plan.flows = w.flows;
    f->plan.n_flows = w.n;
    f->plan.path_first = w.path_end;
    f->plan.path_edge = w.edge;
    *least_delay_ps = w.least_delay_ps;
    if (status == WEIR_OK && (!f->first_way || w.short_of_memory))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the paths of %u fluid flows", list->n);
    return status;
}
