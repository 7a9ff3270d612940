/* What impairs links: in the world, shared by links that are alike; a number an entity; and counters of copies. */
#include "packets/build/building.h"

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

/* The offset of a trace in the world. */
static uint64_t write_trace(wi_building *b, const wi_net_trace_plan *plan)
{
    net_trace t = {.kind = plan->points ? NET_TRACE_RATES : NET_TRACE_OPPORTUNITIES,
                   .n = plan->n,
                   .period_ps = plan->period_ps,
                   .pass_bytes = plan->pass_bytes,
                   .pass_work = plan->pass_work};
    t.points = plan->points ? wi_build_array(b, plan->points, plan->n, sizeof *plan->points)
                            : wi_build_array(b, plan->opportunities, plan->n, sizeof *plan->opportunities);
    return wi_build_array(b, &t, 1, sizeof t);
}

/* Impairments with their traces' places in the world. */
static void write_impairments(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    net_impairment *all = wi_build_temp(b, plan->n_impairments, sizeof *all);
    uint64_t *trace = wi_build_temp(b, plan->n_traces, sizeof *trace);
    if (b->status != WEIR_OK)
        return;
    for (uint32_t i = 0; i < plan->n_traces; i++)
        trace[i] = write_trace(b, &plan->traces[i]);
    for (uint32_t i = 0; i < plan->n_impairments; i++) {
        all[i] = plan->impairments[i];
        if (all[i].trace)
            all[i].trace = trace[all[i].trace - 1];
    }
    b->head.impairments = wi_build_array(b, all, plan->n_impairments, sizeof *all);
}

weir_status wi_build_impairments(wi_building *b, const net_link *links, const net_host_params *hosts)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t n = b->net->n_hosts + b->net->n_ports;
    if (plan->n_impairments == 0)
        return WEIR_OK;
    uint32_t *number = wi_build_place(b, n, sizeof *number, &b->head.impairment_of);
    for (uint32_t e = 0; number && e < n; e++) {
        if (!(e < b->net->n_hosts ? hosts[e].nic.impaired : links[e - b->net->n_hosts].impaired))
            continue;
        number[e] = plan->edge_impairment[wi_build_edge(b, e)];
        note_copies(b, e, &plan->impairments[number[e]]);
    }
    write_impairments(b);
    return b->status;
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
