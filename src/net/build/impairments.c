/* What impairs links: in the world, shared by links that are alike; a number an entity; and counters of copies. */
#include <stdlib.h>

#include "net/build/building.h"

uint32_t wi_build_edge(const wi_building *b, uint32_t entity)
{
    const wi_net *net = b->net;
    if (entity >= net->n_hosts)
        return net->port_edge[entity - net->n_hosts];
    const uint32_t node = net->host_node[entity];
    return b->node_router[node] == NET_NONE ? b->plan->graph->first[node] : UINT32_MAX;
}

static void note_copies(wi_building *b, uint32_t entity, const net_impairment *m)
{
    if (m->duplication > 0.0) {
        b->copies = true;
        b->host_copies = b->host_copies || entity < b->net->n_hosts;
    }
}

/* The offset of a trace in the world; 0 where memory is short, by *status. */
static uint64_t write_trace(wi_building *b, const wi_net_trace_plan *plan, weir_status *status)
{
    net_trace t = {.kind = plan->points ? NET_TRACE_RATES : NET_TRACE_OPPORTUNITIES,
                   .n = plan->n,
                   .period_ps = plan->period_ps,
                   .pass_bytes = plan->pass_bytes,
                   .pass_work = plan->pass_work};
    t.points = plan->points
                   ? wi_build_array(b, plan->points, plan->n, sizeof *plan->points, status)
                   : wi_build_array(b, plan->opportunities, plan->n, sizeof *plan->opportunities, status);
    return wi_build_array(b, &t, 1, sizeof t, status);
}

/* Impairments with their traces' places in the world. */
static weir_status write_impairments(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    weir_status status = WEIR_OK;
    net_impairment *all = malloc(plan->n_impairments * sizeof *all);
    uint64_t *trace = calloc((size_t)plan->n_traces + 1, sizeof *trace);
    if (!all || !trace)
        status = weir_fail(b->diag, WEIR_E_NOMEM, "no memory for %u impairments", plan->n_impairments);
    for (uint32_t i = 0; i < plan->n_traces && status == WEIR_OK; i++)
        trace[i] = write_trace(b, &plan->traces[i], &status);
    for (uint32_t i = 0; i < plan->n_impairments && status == WEIR_OK; i++) {
        all[i] = plan->impairments[i];
        if (all[i].trace)
            all[i].trace = trace[all[i].trace - 1];
    }
    b->head.impairments = wi_build_array(b, all, plan->n_impairments, sizeof *all, &status);
    free(all);
    free(trace);
    return status;
}

weir_status wi_build_impairments(wi_building *b, const net_link *links, const net_host_params *hosts)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t n = b->net->n_hosts + b->net->n_ports;
    weir_status status = WEIR_OK;
    if (plan->n_impairments == 0)
        return WEIR_OK;
    uint32_t *number = calloc((size_t)n + 1, sizeof *number);
    if (!number)
        return weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the impairments of %u links", n);
    for (uint32_t e = 0; e < n; e++) {
        if (!(e < b->net->n_hosts ? hosts[e].nic.impaired : links[e - b->net->n_hosts].impaired))
            continue;
        number[e] = plan->edge_impairment[wi_build_edge(b, e)];
        note_copies(b, e, &plan->impairments[number[e]]);
    }
    status = write_impairments(b);
    b->head.impairment_of = wi_build_array(b, number, n, sizeof *number, &status);
    free(number);
    return status;
}

void wi_build_copies(wi_building *b)
{
    wi_net *net = b->net;
    if (!b->copies)
        return;
    b->head.c_copies = net->n_counters;
    net->n_counters += 2 * (uint64_t)net->n_tx + net->n_hosts + net->n_ports;
    wi_net_model_copies(&net->model, b->host_copies);
}
