/* The ways of the fluid: edges of each path, and of sessions the share that takes it. */
#include <stdlib.h>

#include "packets/stats/stats.h"
#include "network/fluid/ways.h"
#include "weir/units.h"

enum { WAYS_MOST = 1024 }; /* of one pair; a flow each */

bool wi_fluid_ways_room(wi_fluid_ways *w, uint32_t hops)
{
    w->short_of_memory |=
        !wi_grow(&w->flows, &w->room, (size_t)w->n + 1, sizeof *w->flows) ||
        !wi_grow_zeroed(&w->path_end, &w->end_room, (size_t)w->n + 2, sizeof *w->path_end) ||
        !wi_grow(&w->edge, &w->edge_room, (size_t)w->used + hops, sizeof *w->edge);
    return !w->short_of_memory;
}

static void add_way(void *user, const uint32_t *entities, uint32_t n, double share)
{
    wi_fluid_ways *w = user;
    const wi_network *network = w->f->network;
    const weir_graph *g = network->graph;
    const wi_fluid_demand *d = w->demand;
    const weir_time stop_ps = network->scenario->traffic[d->cls].stop_ps;
    if (!wi_fluid_ways_room(w, n))
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
    w->flows[w->n] =
        (weir_fluid_flow){.src = d->src,
                          .dst = d->dst,
                          .cls = w->cls,
                          .sessions = d->sessions * share,
                          .transfers_per_s = d->per_s * share,
                          .mean_bytes = d->per_s > 0.0 ? wi_fluid_transfer_of(network, d->cls).bytes : 0.0,
                          .start_ps = d->start_ps,
                          .beside_ps = beside_ps,
                          .stop_ps = stop_ps ? stop_ps : WEIR_TIME_MAX};
    w->path_end[++w->n] = w->used;
}

/* What packets would meet on these ways, and fluid does not know. */
static weir_status check_ways(weir_diag *diag, const wi_fluid_ways *w, uint32_t found)
{
    const weir_scenario *s = w->f->network->scenario;
    const weir_scenario_class *c = &s->traffic[w->demand->cls];
    const weir_graph *g = w->f->network->graph;
    const char *from = g->name[w->demand->src], *to = g->name[w->demand->dst];
    char access[WEIR_UNITS_TEXT], beside[WEIR_UNITS_TEXT];
    const weir_place at = c->fidelity_place;
    if (found > WAYS_MOST)
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(at),
                            "class '%s': more than %d ways of equal cost from %s to %s, and fluid keeps "
                            "each; leave routing.ecmp out, or simulate packets",
                            c->name.text, WAYS_MOST, from, to);
    if (w->long_way > s->routing.ttl)
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(at),
                            "class '%s': %u routers from %s to %s are more than routing.ttl, %u: no packet "
                            "would arrive, and fluid has no such limit; want a ttl of %u",
                            c->name.text, w->long_way, from, to, s->routing.ttl, w->long_way);
    if (w->slow_access_bps == 0)
        return WEIR_OK;
    weir_format_rate(w->slow_access_bps, access);
    weir_format_rate(w->beside_bps, beside);
    return weir_fail_at(
        diag, WEIR_E_UNSUPPORTED, WEIR_AT(at),
        "class '%s', %s to %s: fluid takes access links for a delay alone, and topology.access.rate, %s, is "
        "less than the %s of the link beside it; want a rate as high, or hosts with links",
        c->name.text, from, to, access, beside);
}

/* Fluid's ACKs go back over the links that its segments came by. */
static weir_status no_way_back(weir_diag *diag, const wi_fluid_ways *w)
{
    const weir_scenario_class *c = &w->f->network->scenario->traffic[w->demand->cls];
    const weir_graph *g = w->f->network->graph;
    return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(c->fidelity_place),
                        "class '%s': the link from %s to %s leads one way, and fluid takes ACKs back over "
                        "the links of their segments; simulate packets",
                        c->name.text, g->name[g->target[g->reverse[w->one_way]]],
                        g->name[g->target[w->one_way]]);
}

void wi_fluid_ways_free(wi_fluid_ways *w)
{
    free(w->flows);
    free(w->path_end);
    free(w->edge);
}

weir_status wi_fluid_ways_look(weir_diag *diag, wi_fluid_ways *w, uint32_t i, uint32_t cls, uint32_t *found)
{
    const wi_net *net = w->f->network->net;
    w->demand = &w->f->network->fluid_flows.item[i];
    w->cls = cls;
    w->one_way = UINT32_MAX;
    w->long_way = 0;
    const uint32_t src = wi_net_host_of(net, w->demand->src), dst = wi_net_host_of(net, w->demand->dst);
    *found = wi_net_ways(net, src, dst, WAYS_MOST, add_way, w);
    if (w->short_of_memory)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the paths of %u fluid flows",
                         w->f->network->fluid_flows.n);
    const weir_status status = check_ways(diag, w, *found);
    if (status == WEIR_OK && w->one_way != UINT32_MAX &&
        !w->f->network->scenario->traffic[w->demand->cls].is_udp)
        return no_way_back(diag, w);
    return status;
}
