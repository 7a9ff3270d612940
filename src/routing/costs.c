/* Costs of the edges under a metric. */
#include "weir/routes.h"

#include <inttypes.h>
#include <stdlib.h>

#define REFERENCE_BPS UINT64_C(100000000000)
enum { REFERENCES_EXACT = 100000, REFERENCES_ROUNDED = 1000 };

static const char *const metric_name[] = {
    [WEIR_METRIC_HOPS] = "hops",
    [WEIR_METRIC_DELAY] = "delay",
    [WEIR_METRIC_WEIGHT] = "weight",
    [WEIR_METRIC_INVERSE_RATE] = "inverse rate",
};

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

weir_delay_unit weir_route_delay_unit(const weir_graph *graph)
{
    uint64_t ps = 0, none = 0;
    for (uint32_t e = 0; e < graph->n_edges; ++e) {
        if (!weir_edge_exists(graph, e) || graph->delay_ps[e] < 0)
            continue;
        ps = ps == 1 ? 1 : greatest_divisor((uint64_t)graph->delay_ps[e], ps);
        none += graph->delay_ps[e] == 0;
    }
    /* A path visits a node once. */
    const uint64_t on_a_path = none < graph->n_nodes ? none : graph->n_nodes;
    return (weir_delay_unit){ps ? ps : 1, on_a_path + 1};
}

uint64_t weir_route_reference_bps(const weir_graph *graph)
{
    uint64_t times = 1;
    for (uint32_t e = 0; e < graph->n_edges; ++e) {
        const uint64_t rate = graph->rate_bps[e];
        if (!weir_edge_exists(graph, e) || rate == 0)
            continue;
        const uint64_t more = rate / greatest_divisor(rate, times * REFERENCE_BPS);
        if (more > REFERENCES_EXACT / times)
            return REFERENCES_ROUNDED * REFERENCE_BPS;
        times *= more;
    }
    return times * REFERENCE_BPS;
}

/* What the costs of a metric are counted in. */
typedef struct cost_unit {
    weir_delay_unit delay;
    uint64_t reference_bps;
} cost_unit;

/* The cost of edge e, 0 where the metric says so. */
static weir_status edge_cost(weir_diag *diag, const weir_graph *graph, weir_metric metric,
                             const cost_unit *unit, uint32_t e, weir_cost *cost)
{
    const uint64_t rate = graph->rate_bps[e];
    const char *const from = graph->name[graph->target[graph->reverse[e]]],
                      *to = graph->name[graph->target[e]];
    if (metric == WEIR_METRIC_DELAY ? graph->delay_ps[e] < 0
                                    : metric == WEIR_METRIC_INVERSE_RATE && rate == 0)
        return weir_fail(diag, WEIR_E_ARG,
                         "link from %s to %s has no %s; fill it in (weir_graph_fill) or route by hops", from,
                         to, metric == WEIR_METRIC_DELAY ? "delay" : "rate");
    if (metric == WEIR_METRIC_HOPS)
        *cost = 1;
    else if (metric == WEIR_METRIC_WEIGHT)
        *cost = graph->weight[e];
    else if (metric == WEIR_METRIC_INVERSE_RATE)
        *cost = unit->reference_bps / rate + (unit->reference_bps % rate != 0);
    else if (__builtin_mul_overflow((uint64_t)graph->delay_ps[e] / unit->delay.ps, unit->delay.per, cost))
        *cost = UINT64_MAX;
    if (*cost <= WEIR_COST_MAX)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_ARG, "link from %s to %s costs %" PRIu64 " by %s; costs go up to %" PRIu64,
                     from, to, *cost, metric_name[metric], WEIR_COST_MAX);
}

/* Replace costs of 0 by 1. Returns of how many links: one of zero cost in both directions counts at its
 * second edge. */
static uint32_t lift_zeros(const weir_graph *graph, weir_cost *cost)
{
    uint32_t links = 0;
    for (uint32_t e = 0; e < graph->n_edges; ++e) {
        if (cost[e] != 0)
            continue;
        links += graph->reverse[e] < e || cost[graph->reverse[e]] != 0;
        cost[e] = 1;
    }
    return links;
}

weir_status weir_route_costs(weir_diag *diag, const weir_graph *graph, weir_metric metric, weir_cost **cost)
{
    *cost = NULL;
    if ((unsigned)metric > WEIR_METRIC_INVERSE_RATE)
        return weir_fail(diag, WEIR_E_ARG, "metric %d is none; want a weir_metric", (int)metric);
    weir_cost *const out = malloc((graph->n_edges + (size_t)1) * sizeof *out);
    if (!out)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the costs of %" PRIu32 " edges", graph->n_edges);
    const cost_unit unit = {
        .delay = metric == WEIR_METRIC_DELAY ? weir_route_delay_unit(graph) : (weir_delay_unit){1, 1},
        .reference_bps = metric == WEIR_METRIC_INVERSE_RATE ? weir_route_reference_bps(graph) : 1};
    weir_status status = WEIR_OK;
    for (uint32_t e = 0; e < graph->n_edges && status == WEIR_OK; ++e) {
        out[e] = WEIR_COST_NONE;
        if (weir_edge_exists(graph, e))
            status = edge_cost(diag, graph, metric, &unit, e, &out[e]);
    }
    if (status != WEIR_OK) {
        free(out);
        return status;
    }
    const uint32_t zeros = lift_zeros(graph, out);
    if (zeros > 0)
        weir_warn(diag,
                  "%" PRIu32
                  " links cost 0 by %s; 1 is used, since paths through zero-cost cycles could loop",
                  zeros, metric_name[metric]);
    *cost = out;
    return WEIR_OK;
}
