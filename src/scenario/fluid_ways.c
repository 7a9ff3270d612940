/* The ways of the fluid: edges of each path, and of sessions the share that takes it. */
#include <stdlib.h>

#include "scenario/fluid.h"

enum { WAYS_MOST = 1024 }; /* of one pair; a flow each */

typedef struct ways {
    wi_fluid_net *f;
    const wi_fluid_demand *demand;
    uint32_t cls;           /* of the plan */
    weir_fluid_flow *flows; /* growing, with the end of each one's path */
    uint32_t *path_end, n, room;
    uint32_t *edge, used, edge_room;
    weir_time least_delay_ps;
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
    for (uint32_t h = 0; h < n; h++) {
        const uint32_t e = wi_net_edge_of(network->net, g, entities[h]);
        if (e == UINT32_MAX)
            continue; /* the access link of an implicit host */
        w->edge[w->used++] = e;
        if (g->delay_ps[e] < w->least_delay_ps)
            w->least_delay_ps = g->delay_ps[e];
    }
    w->flows[w->n] = (weir_fluid_flow){.src = d->src,
                                       .dst = d->dst,
                                       .cls = w->cls,
                                       .sessions = d->sessions * share,
                                       .start_ps = d->start_ps,
                                       .stop_ps = stop_ps ? stop_ps : WEIR_TIME_MAX};
    w->path_end[++w->n] = w->used;
}

static weir_status too_many(weir_diag *diag, const wi_fluid_net *f, const wi_fluid_demand *d)
{
    const weir_scenario_class *c = &f->network->scenario->traffic[d->cls];
    const weir_graph *g = f->network->graph;
    return weir_fail_at(diag, WEIR_E_UNSUPPORTED, c->fidelity_place.file, c->fidelity_place.line,
                        c->fidelity_place.column,
                        "class '%s': more than %d ways of equal cost from %s to %s, and fluid keeps each; "
                        "leave routing.ecmp out, or simulate packets",
                        c->name.text, WAYS_MOST, g->name[d->src], g->name[d->dst]);
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
        const uint32_t src = wi_net_host_of(net, w.demand->src), dst = wi_net_host_of(net, w.demand->dst);
        if (wi_net_ways(net, src, dst, WAYS_MOST, add_way, &w) > WAYS_MOST)
            status = too_many(diag, f, w.demand);
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
