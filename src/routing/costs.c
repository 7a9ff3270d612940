/* Costs of the edges under a metric. */
#include "weir/routes.h"

#include <inttypes.h>
#include <stdlib.h>

#define DELAY_UNIT_PS (100 * WEIR_PS_PER_NS)
#define REFERENCE_BPS UINT64_C(100000000000)

static const char *const metric_name[] = {
    [WEIR_METRIC_HOPS] = "hops",
    [WEIR_METRIC_DELAY] = "delay",
    [WEIR_METRIC_WEIGHT] = "weight",
    [WEIR_METRIC_INVERSE_RATE] = "inverse rate",
};

/* The node that edge e starts at. */
static uint32_t source_of(const weir_graph *graph, uint32_t e)
{
    return graph->target[graph->reverse[e]];
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static weir_status fail_at(weir_diag *diag, const weir_graph *graph, uint32_t e, const char *what)
{
    return weir_fail(diag, WEIR_E_ARG,
                     "link from %s to %s has no %s; fill it in (weir_graph_fill) or route by hops",
                     graph->name[source_of(graph, e)], graph->name[graph->target[e]], what);
}

static weir_status edge_cost(weir_diag *diag, const weir_graph *graph, weir_metric metric, uint32_t e,
                             uint64_t *cost)
{
    switch (metric) {
    case WEIR_METRIC_HOPS:
        *cost = 1;
        return WEIR_OK;
    case WEIR_METRIC_DELAY:
        if (graph->delay_ps[e] < 0)
            return fail_at(diag, graph, e, "delay");
        *cost = divide_up((uint64_t)graph->delay_ps[e], DELAY_UNIT_PS);
        return WEIR_OK;
    case WEIR_METRIC_WEIGHT:
        *cost = graph->weight[e];
        return WEIR_OK;
    case WEIR_METRIC_INVERSE_RATE:
        if (graph->rate_bps[e] == 0)
            return fail_at(diag, graph, e, "rate");
        *cost = divide_up(REFERENCE_BPS, graph->rate_bps[e]);
        return WEIR_OK;
    }
    return weir_fail(diag, WEIR_E_ARG, "metric %d is none; want a weir_metric", (int)metric);
}

weir_status weir_route_costs(weir_diag *diag, const weir_graph *graph, weir_metric metric, uint32_t **cost)
{
    *cost = NULL;
    uint32_t *out = malloc((graph->n_edges + (size_t)1) * sizeof *out);
    if (!out)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the costs of %" PRIu32 " edges", graph->n_edges);
    uint32_t links_of_zero = 0;
    for (uint32_t e = 0; e < graph->n_edges; ++e) {
        uint64_t c = 0;
        if (!weir_edge_exists(graph, e)) {
            out[e] = WEIR_COST_NONE;
            continue;
        }
        const weir_status status = edge_cost(diag, graph, metric, e, &c);
        if (status != WEIR_OK) {
            free(out);
            return status;
        }
        if (c > WEIR_COST_MAX) {
            free(out);
            return weir_fail(diag, WEIR_E_ARG,
                             "link from %s to %s costs %" PRIu64 " by %s; costs go up to %" PRIu32,
                             graph->name[source_of(graph, e)], graph->name[graph->target[e]], c,
                             metric_name[metric], WEIR_COST_MAX);
        }
        out[e] = c ? (uint32_t)c : 1;
        /* A link of zero cost in both directions counts once, at its second edge. */
        if (c == 0) {
            uint64_t back = 1;
            if (!weir_edge_exists(graph, graph->reverse[e]) ||
                edge_cost(NULL, graph, metric, graph->reverse[e], &back) != WEIR_OK || back != 0 ||
                e > graph->reverse[e])
                ++links_of_zero;
        }
    }
    if (links_of_zero)
        weir_warn(diag,
                  "%" PRIu32
                  " links cost 0 by %s; 1 is used, since paths through zero-cost cycles could loop",
                  links_of_zero, metric_name[metric]);
    *cost = out;
    return WEIR_OK;
}
