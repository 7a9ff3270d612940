/* What links do to packets, as a scenario has it: item by item of topology.links, of which later ones add to earlier ones. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/queue/queues.h"
#include "network/network.h"
#include "weir/dist.h"

static bool impairs(const weir_scenario_link_override *o)
{
    return o->bursts.place.file || o->bit_errors >= 0.0 || o->jitter.place.file || o->duplication >= 0.0 ||
           o->trace.place.file;
}

static weir_dist jitter_of(const weir_scenario_jitter *j)
{
    const double mean = (double)j->mean_ps;
    if (j->distribution == WEIR_SC_JITTER_EXPONENTIAL)
        return weir_dist_exponential(mean);
    if (j->distribution == WEIR_SC_JITTER_PARETO)
        return weir_dist_pareto_mean(mean, j->shape);
    return weir_dist_uniform(0.0, 2.0 * mean);
}

/* What an item says, put over what stood before. */
static void put_over(const wi_network *n, net_impairment *m, wi_impairment_places *p,
                     const weir_scenario_link_override *o)
{
    if (o->trace.place.file) { /* the one read last */
        const wi_link_trace *t = n->traces[n->plan.n_traces - 1];
        m->trace = n->plan.n_traces;
        m->flags = (m->flags & ~(uint32_t)NET_IMPAIR_DELAYS) | (t->delay_ps ? NET_IMPAIR_DELAYS : 0);
        p->trace = o->trace.place;
    }
    if (o->bursts.place.file) {
        m->flags |= NET_IMPAIR_BURSTS;
        m->enter = o->bursts.enter;
        m->exit = o->bursts.exit;
        m->good = o->bursts.good;
        m->bad = o->bursts.bad;
    }
    if (o->bit_errors >= 0.0) {
        m->log_bit_arrives = -o->bit_errors * weir_log1p_ratio(-o->bit_errors);
        p->bit_errors = o->bit_errors > 0.0 ? o->bit_errors_place : (weir_place){0};
    }
    if (o->jitter.place.file) {
        m->flags = (m->flags & ~(uint32_t)NET_IMPAIR_REORDER) | NET_IMPAIR_JITTER |
                   (o->jitter.reorder ? NET_IMPAIR_REORDER : 0);
        m->jitter = jitter_of(&o->jitter);
        p->jitter = o->jitter.place;
    }
    if (o->duplication >= 0.0) {
        m->duplication = o->duplication;
        p->duplication = o->duplication > 0.0 ? o->duplication_place : (weir_place){0};
    }
}

static weir_status no_memory(weir_diag *diag, const wi_network *n)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for the impairments of %u links", n->graph->n_edges);
}

/* Room for twice as many as there are and one, and a number for every edge. */
static weir_status make_room(weir_diag *diag, wi_network *n)
{
    const size_t most = 2 * (size_t)n->plan.n_impairments + 1, edges = (size_t)n->graph->n_edges + 1;
    size_t room = n->plan.n_impairments, room_beside = room;
    if (!wi_grow(&n->plan.impairments, &room, most, sizeof *n->plan.impairments) ||
        !wi_grow(&n->impairment_places, &room_beside, most, sizeof *n->impairment_places))
        return no_memory(diag, n);
    if (n->plan.edge_impairment)
        return WEIR_OK;
    n->plan.edge_impairment = wi_take(&n->memory, edges, sizeof *n->plan.edge_impairment);
    if (!n->plan.edge_impairment)
        return no_memory(diag, n);
    memset(n->plan.edge_impairment, 0xff, edges * sizeof *n->plan.edge_impairment);
    return WEIR_OK;
}

/* The number of what an item makes of `before`, which may be none. */
static uint32_t add(wi_network *n, const weir_scenario_link_override *o, uint32_t before)
{
    net_impairment *m = &n->plan.impairments[n->plan.n_impairments];
    wi_impairment_places *p = &n->impairment_places[n->plan.n_impairments];
    memset(m, 0, sizeof *m);
    memset(p, 0, sizeof *p);
    if (before != UINT32_MAX) {
        *m = n->plan.impairments[before];
        *p = n->impairment_places[before];
    }
    put_over(n, m, p, o);
    return n->plan.n_impairments++;
}

static weir_status read_trace(weir_diag *diag, wi_network *n, const weir_scenario_link_trace *t)
{
    if (!wi_grow_one(&n->traces, n->plan.n_traces, sizeof *n->traces))
        return no_memory(diag, n);
    n->traces[n->plan.n_traces] = NULL;
    const weir_status status =
        wi_link_trace_read(wi_source_file(diag, t->file.text), t->format, t->end == WEIR_SC_TRACE_REPEAT,
                           &n->traces[n->plan.n_traces]);
    n->plan.n_traces += status == WEIR_OK;
    return status;
}

weir_status wi_network_impair(weir_diag *diag, wi_network *n, const weir_scenario_link_override *o,
                              const wi_number_list *edges)
{
    if (!impairs(o))
        return WEIR_OK;
    weir_status status = make_room(diag, n);
    if (status == WEIR_OK && o->trace.place.file)
        status = read_trace(diag, n, &o->trace);
    if (status != WEIR_OK)
        return status;
    /* What becomes of each that there was, and (last) of none; an edge named twice has become one of the new ones. */
    const uint32_t n_before = n->plan.n_impairments;
    WI_FREED uint32_t *becomes = malloc(((size_t)n_before + 1) * sizeof *becomes);
    if (!becomes)
        return no_memory(diag, n);
    memset(becomes, 0xff, ((size_t)n_before + 1) * sizeof *becomes);
    for (uint32_t k = 0; k < edges->n; k++) {
        uint32_t *number = &n->plan.edge_impairment[edges->item[k]];
        if (*number != UINT32_MAX && *number >= n_before)
            continue;
        uint32_t *to = &becomes[*number == UINT32_MAX ? n_before : *number];
        if (*to == UINT32_MAX)
            *to = add(n, o, *number);
        *number = *to;
    }
    return WEIR_OK;
}

/* The first host whose own link duplicates; n_nodes: none. */
static uint32_t duplicating_host(const wi_network *n)
{
    const weir_graph *g = n->graph;
    for (uint32_t v = 0; v < g->n_nodes && n->plan.edge_impairment; v++) {
        const uint32_t number = g->role[v] == WEIR_HOST ? n->plan.edge_impairment[g->first[v]] : UINT32_MAX;
        if (number != UINT32_MAX && n->impairment_places[number].duplication.file)
            return v;
    }
    return g->n_nodes;
}

bool wi_network_fits_device(const wi_network *n)
{
    return duplicating_host(n) == n->graph->n_nodes;
}

weir_status wi_network_check_copies(weir_diag *diag, const wi_network *n)
{
    const weir_graph *g = n->graph;
    const uint32_t v = n->scenario->engine.type == WEIR_SC_ENGINE_GPU ? duplicating_host(n) : g->n_nodes;
    if (v == g->n_nodes)
        return WEIR_OK;
    const wi_impairment_places *const at = &n->impairment_places[n->plan.edge_impairment[g->first[v]]];
    return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(at->duplication),
                        "duplication on a host's own link, %s->%s, is not for engine 'gpu'; take another "
                        "engine, or a link between routers",
                        g->name[v], g->name[g->target[g->first[v]]]);
}

/* A link's rate is its trace's mean, its delay the least, whatever items after it say. */
void wi_network_follow_traces(wi_network *n)
{
    for (uint32_t e = 0; n->plan.n_traces && e < n->graph->n_edges; e++) {
        const uint32_t number = n->plan.edge_impairment[e];
        const uint64_t trace = number == UINT32_MAX ? 0 : n->plan.impairments[number].trace;
        const wi_link_trace *t = trace ? n->traces[trace - 1] : NULL;
        if (t)
            weir_graph_set_edge(n->graph, e, t->rate_bps, t->delay_ps ? t->delay_ps : -1);
    }
}

void wi_network_free_impairments(wi_network *n)
{
    for (uint32_t i = 0; i < n->plan.n_traces; i++)
        wi_link_trace_free(n->traces[i]);
    free(n->traces);
    free(n->plan.impairments);
    free(n->impairment_places);
}

/* Share of packets that bursts lose on the long run. */
static double burst_mean(const net_impairment *m)
{
    if (!(m->flags & NET_IMPAIR_BURSTS))
        return 0.0;
    return (m->enter * m->bad + m->exit * m->good) / (m->enter + m->exit);
}

weir_status wi_network_fluid_loss(weir_diag *diag, wi_network *n)
{
    if (!n->plan.edge_impairment)
        return WEIR_OK;
    n->fluid_loss = wi_take(&n->memory, n->graph->n_edges, sizeof *n->fluid_loss);
    if (!n->fluid_loss)
        return no_memory(diag, n);
    for (uint32_t e = 0; e < n->graph->n_edges; e++) {
        const uint32_t number = n->plan.edge_impairment[e];
        const double bursts = number == UINT32_MAX ? 0.0 : burst_mean(&n->plan.impairments[number]);
        n->fluid_loss[e] = 1.0 - (1.0 - n->plan.edge_loss[e]) * (1.0 - bursts);
    }
    return WEIR_OK;
}

weir_status wi_network_fluid_passes(weir_diag *diag, const wi_network *n, uint32_t edge)
{
    const uint32_t number = n->plan.edge_impairment ? n->plan.edge_impairment[edge] : UINT32_MAX;
    if (number == UINT32_MAX)
        return WEIR_OK;
    const wi_impairment_places *p = &n->impairment_places[number];
    const weir_place place = p->bit_errors.file ? p->bit_errors
                             : p->jitter.file   ? p->jitter
                             : p->trace.file    ? p->trace
                                                : p->duplication;
    if (!place.file)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(place),
                        "there is no fluid law of %s on a link, and fluid traffic passes one; use fidelity: "
                        "packet, or leave it out there",
                        p->bit_errors.file ? "bit_errors"
                        : p->jitter.file   ? "jitter"
                        : p->trace.file    ? "trace"
                                           : "duplication");
}
