/* What impairs links: in the world, shared by links that are alike; a number an entity; and counters of copies. */
#include <stdlib.h>

#include "net/build/building.h"

/* The edge that an entity sends over; UINT32_MAX: an access link beside the graph. */
static uint32_t edge_of(const wi_building *b, uint32_t entity)
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
        number[e] = plan->edge_impairment[edge_of(b, e)];
        note_copies(b, e, &plan->impairments[number[e]]);
    }
    b->head.impairments =
        wi_build_array(b, plan->impairments, plan->n_impairments, sizeof *plan->impairments, &status);
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
