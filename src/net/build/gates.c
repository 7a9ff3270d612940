/* Gates: what flows feed them, and the starts that they hold. Numbered host by host, as the engine's pool wants it. */
#include <stdlib.h>
#include <string.h>

#include "net/build/building.h"

/* Bounds of each host's gates, and the number of each. */
weir_status wi_build_gate_slots(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    const size_t hosts = (size_t)b->net->n_hosts;
    if (plan->n_gates == 0)
        return WEIR_OK;
    uint32_t *first = b->gate_first = calloc(hosts + 1, sizeof *first);
    uint32_t *next = calloc(hosts + 1, sizeof *next);
    b->gate_index = malloc(plan->n_gates * sizeof *b->gate_index);
    if (!first || !next || !b->gate_index) {
        free(next);
        return weir_fail(b->diag, WEIR_E_NOMEM, "no memory for %u gates of flows", plan->n_gates);
    }
    for (uint32_t i = 0; i < plan->n_gates; i++)
        first[b->node_host[plan->gates[i].node] + 1]++;
    for (size_t h = 0; h < hosts; h++)
        first[h + 1] += first[h];
    memcpy(next, first, hosts * sizeof *next);
    for (uint32_t i = 0; i < plan->n_gates; i++)
        b->gate_index[i] = next[b->node_host[plan->gates[i].node]]++;
    free(next);
    return WEIR_OK;
}

/* Starts gate by gate, in the order of the plan. */
static void fill_gates(const wi_building *b, net_gate *gates, net_start *starts, uint32_t *rx_gate)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t *word_first = b->net->pool_first[NET_POOL_HOST_WORDS];
    for (uint32_t i = 0; i < plan->n_gates; i++) {
        net_gate *g = &gates[b->gate_index[i]];
        g->needs = plan->gates[i].needs;
        const uint32_t host = b->node_host[plan->gates[i].node];
        g->word = word_first[host + 1] - (b->gate_first[host + 1] - b->gate_index[i]);
        g->pause_ps = plan->gates[i].pause_ps > 0 ? plan->gates[i].pause_ps : 1;
    }
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        if (plan->flows[i].after)
            gates[b->gate_index[plan->flows[i].after - 1]].n_starts++;
        if (plan->flows[i].feeds)
            rx_gate[b->net->flow_rx[i]] = b->gate_index[plan->flows[i].feeds - 1];
    }
    for (uint32_t k = 0, at = 0; k < plan->n_gates; k++) {
        gates[k].first_start = at;
        at += gates[k].n_starts;
        gates[k].n_starts = 0;
    }
    for (uint32_t i = 0; i < plan->n_flows; i++)
        if (plan->flows[i].after) {
            net_gate *g = &gates[b->gate_index[plan->flows[i].after - 1]];
            starts[g->first_start + g->n_starts++] = wi_build_start(b, i);
        }
}

weir_status wi_build_gates(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t n_rx = b->net->n_rx;
    weir_status status = WEIR_OK;
    if (plan->n_gates == 0)
        return WEIR_OK;
    net_gate *gates = calloc(plan->n_gates, sizeof *gates);
    net_start *starts = calloc((size_t)plan->n_flows + 1, sizeof *starts);
    uint32_t *rx_gate = malloc(((size_t)n_rx + 1) * sizeof *rx_gate);
    if (gates && starts && rx_gate) {
        memset(rx_gate, 0xff, (size_t)n_rx * sizeof *rx_gate);
        fill_gates(b, gates, starts, rx_gate);
        b->head.gates = wi_build_array(b, gates, plan->n_gates, sizeof *gates, &status);
        b->head.gate_starts = wi_build_array(b, starts, plan->n_flows, sizeof *starts, &status);
        b->head.rx_gate = wi_build_array(b, rx_gate, n_rx, sizeof *rx_gate, &status);
    } else {
        status = weir_fail(b->diag, WEIR_E_NOMEM, "no memory for %u gates of flows", plan->n_gates);
    }
    free(gates);
    free(starts);
    free(rx_gate);
    return status;
}
