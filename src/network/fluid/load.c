/* Counts the sessions on each link, fluid's and packets'. */
#include "network/fluid/load.h"

#include <math.h>
#include <stdlib.h>

typedef struct visitor {
    const wi_network *network;
    wi_fluid_way_visit visit;
    void *user;
    uint32_t *edges;
    size_t room;
} visitor;

/* wi_net_way_visit: entities to edges. */
static void visit_entities(void *user, const uint32_t *entities, uint32_t n, double share)
{
    visitor *const v = user;
    uint32_t used = 0;
    if (!wi_grow(&v->edges, &v->room, n, sizeof *v->edges))
        return;
    for (uint32_t h = 0; h < n; h++) {
        const uint32_t edge = wi_net_edge_of(v->network->net, v->network->graph, entities[h]);
        if (edge != UINT32_MAX)
            v->edges[used++] = edge;
    }
    v->visit(v->user, v->edges, used, share);
}

void wi_fluid_visit_ways(const wi_network *n, uint32_t src, uint32_t dst, wi_fluid_way_visit visit,
                         void *user)
{
    visitor v = {.network = n, .visit = visit, .user = user};
    (void)wi_net_ways(n->net, wi_net_host_of(n->net, src), wi_net_host_of(n->net, dst), WI_FLUID_WAYS_MOST,
                      visit_entities, &v);
    free(v.edges);
}

bool wi_fluid_is_lasting(const wi_fluid_net *f, const weir_fluid_flow *flow)
{
    return !f->plan.classes[flow->cls].udp && flow->transfers_per_s == 0.0 && flow->goes_on == 0;
}

static void count_fluid(wi_fluid_net *f)
{
    const weir_fluid_plan *plan = &f->plan;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++) {
            wi_fluid_link *const l = &f->links[plan->path_edge[h]];
            if (wi_fluid_is_lasting(f, &plan->flows[i]))
                l->fluid += plan->flows[i].sessions;
            l->many |= plan->flows[i].transfers_per_s > 0.0;
        }
}

/* Packets of a class, which come and go or last. */
typedef struct crossing {
    wi_fluid_link *links;
    bool udp, many;
} crossing;

static void cross(void *user, const uint32_t *edges, uint32_t n, double share)
{
    const crossing *const c = user;
    for (uint32_t h = 0; h < n; h++) {
        wi_fluid_link *const l = &c->links[edges[h]];
        *(c->udp || c->many ? &l->others : &l->packets) += share;
        l->many |= c->many && !c->udp;
    }
}

static void count_packets(wi_fluid_net *f)
{
    const wi_network *n = f->network;
    for (uint32_t i = 0; i < n->plan.n_flows; i++) {
        crossing c = {f->links, n->scenario->traffic[n->plan.flows[i].cls].is_udp, false};
        wi_fluid_visit_ways(n, n->plan.flows[i].src, n->plan.flows[i].dst, cross, &c);
    }
    for (uint32_t i = 0; i < n->plan.n_arrivals; i++) {
        crossing c = {f->links, n->scenario->traffic[n->plan.arrivals[i].cls].is_udp, true};
        for (uint32_t k = 0; k < n->plan.arrivals[i].n_dst; k++)
            wi_fluid_visit_ways(n, n->plan.arrivals[i].src, n->plan.arrivals[i].dst[k], cross, &c);
    }
}

weir_status wi_fluid_count_sessions(weir_diag *diag, wi_fluid_net *f)
{
    const uint32_t n_edges = f->network->graph->n_edges;
    f->links = wi_take(&f->memory, n_edges, sizeof *f->links);
    double *const packets = wi_take(&f->memory, n_edges, sizeof *packets);
    f->plan.packets_of_edge = packets;
    if (f->memory.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to count the sessions of %u links", n_edges);
    count_fluid(f);
    count_packets(f);
    for (uint32_t e = 0; e < n_edges; e++)
        packets[e] = f->links[e].others > 0.0 ? (double)INFINITY : f->links[e].packets;
    return WEIR_OK;
}

double wi_fluid_share_bps(const wi_fluid_net *f, uint32_t edge)
{
    return (double)f->network->graph->rate_bps[edge] / (f->links[edge].fluid + f->links[edge].packets);
}

double wi_fluid_round_s(const wi_fluid_net *f, uint32_t i)
{
    const weir_graph *const g = f->network->graph;
    double round_s = weir_seconds(f->plan.flows[i].beside_ps);
    for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1]; h++) {
        const uint32_t e = f->plan.path_edge[h];
        round_s += weir_seconds(g->delay_ps[e] + g->delay_ps[g->reverse[e]]);
    }
    return round_s;
}

uint32_t wi_fluid_narrowest(const wi_fluid_net *f, uint32_t i)
{
    uint32_t edge = UINT32_MAX;
    double least_bps = INFINITY;
    for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1]; h++) {
        const double bps = wi_fluid_share_bps(f, f->plan.path_edge[h]);
        if (bps < least_bps) {
            least_bps = bps;
            edge = f->plan.path_edge[h];
        }
    }
    return edge;
}
