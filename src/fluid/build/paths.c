/* Paths of flows, from routes or as given; whether fluid can take them. */
#include <stdlib.h>
#include <string.h>

#include "fluid/state/internal.h"
#include "weir/units.h"

enum { LONGEST = 1 << 16 }; /* hops; a path that is longer has a loop somewhere */

void wi_fluid_paths_free(wi_fluid_paths *paths)
{
    free(paths->first);
    free(paths->edge);
    memset(paths, 0, sizeof *paths);
}

/* Bounds of one link on a path; tells the smallest delay. */
static weir_status check_edge(weir_diag *diag, const weir_fluid_plan *plan, uint32_t edge,
                              weir_time *smallest)
{
    const weir_graph *const g = plan->graph;
    const uint32_t back = g->reverse[edge];
    const char *const to = g->name[g->target[edge]], *const from = g->name[g->target[back]];
    if (g->rate_bps[edge] == 0)
        return weir_fail(diag, WEIR_E_SCENARIO, "link %s to %s has no rate; fluid wants one", from, to);
    if (g->delay_ps[edge] <= 0 || g->delay_ps[back] <= 0)
        return weir_fail(diag, WEIR_E_SCENARIO,
                         "link %s to %s has a propagation delay of 0; fluid wants more, a step at least",
                         from, to);
    if (plan->loss_of_edge && !(plan->loss_of_edge[edge] >= 0.0 && plan->loss_of_edge[edge] < 1.0))
        return weir_fail(diag, WEIR_E_SCENARIO, "link %s to %s loses a share of %g; want at least 0, below 1",
                         from, to, plan->loss_of_edge[edge]);
    const uint32_t queue = plan->queue_of_edge ? plan->queue_of_edge[edge] : 0;
    if (queue >= plan->n_queues)
        return weir_fail(diag, WEIR_E_ARG, "link %s to %s has queue %u of %u", from, to, queue,
                         plan->n_queues);
    const double seconds = 8.0 * (double)plan->queues[queue].limit_bytes / (double)g->rate_bps[edge];
    if (seconds > WEIR_FLUID_QUEUE_MOST_S)
        return weir_fail(diag, WEIR_E_SCENARIO,
                         "link %s to %s: its queue holds %g s of its rate; fluid keeps that much history, "
                         "want at most %g s",
                         from, to, seconds, WEIR_FLUID_QUEUE_MOST_S);
    if (g->delay_ps[edge] < *smallest)
        *smallest = g->delay_ps[edge];
    return WEIR_OK;
}

static weir_status check_step(weir_diag *diag, const weir_fluid_options *o, weir_time smallest)
{
    char step[WEIR_UNITS_TEXT], delay[WEIR_UNITS_TEXT];
    weir_format_time(o->step_ps, step);
    weir_format_time(smallest, delay);
    if (o->step_ps > smallest)
        return weir_fail(diag, WEIR_E_SCENARIO,
                         "the fluid's step of %s is longer than the smallest propagation delay on a fluid "
                         "path, %s; want a tenth of that",
                         step, delay);
    if (o->step_ps > smallest / 10)
        weir_warn(diag,
                  "the fluid's step of %s is more than a tenth of the smallest propagation delay, %s; "
                  "results may be inaccurate",
                  step, delay);
    return WEIR_OK;
}

/* Whether given edges lead from source to destination. */
static weir_status check_given(weir_diag *diag, const weir_fluid_plan *plan, uint32_t flow)
{
    const weir_graph *const g = plan->graph;
    const weir_fluid_flow *const f = &plan->flows[flow];
    const uint32_t begin = plan->path_first[flow], end = plan->path_first[flow + 1];
    uint32_t at = f->src;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t e = plan->path_edge[i];
        if (e >= g->n_edges || g->target[g->reverse[e]] != at)
            return weir_fail(diag, WEIR_E_ARG, "path of fluid flow %u: edge %u does not leave %s", flow, e,
                             g->name[at]);
        at = g->target[e];
    }
    if (at != f->dst || begin >= end)
        return weir_fail(diag, WEIR_E_ARG, "path of fluid flow %u ends at %s, not at %s", flow, g->name[at],
                         g->name[f->dst]);
    return WEIR_OK;
}

/* Edges of one flow into `hops`. */
static weir_status find_path(weir_diag *diag, const weir_fluid_plan *plan, uint32_t flow, uint32_t *hops,
                             uint32_t *n)
{
    const weir_fluid_flow *const f = &plan->flows[flow];
    if (plan->path_first) {
        WI_RETURN_IF_FAILED(check_given(diag, plan, flow));
        *n = plan->path_first[flow + 1] - plan->path_first[flow];
        if (*n <= LONGEST)
            memcpy(hops, plan->path_edge + plan->path_first[flow], *n * sizeof *hops);
    } else {
        *n = weir_routes_path(plan->routes, plan->graph, f->src, f->dst, hops, LONGEST);
        if (*n == WEIR_UNREACHABLE)
            return weir_fail(diag, WEIR_E_SCENARIO, "fluid flow %u: there is no way from %s to %s", flow,
                             plan->graph->name[f->src], plan->graph->name[f->dst]);
    }
    if (*n > LONGEST)
        return weir_fail(diag, WEIR_E_SCENARIO, "fluid flow %u has a path of %u hops; want at most %d", flow,
                         *n, LONGEST);
    return WEIR_OK;
}

weir_status wi_fluid_paths_find(weir_diag *diag, const weir_fluid_plan *plan,
                                const weir_fluid_options *options, wi_fluid_paths *out)
{
    uint64_t room = 8 * (uint64_t)plan->n_flows, used = 0;
    weir_time smallest = WEIR_TIME_MAX;
    weir_status st = WEIR_OK;
    uint32_t *hops = wi_fluid_array(diag, LONGEST, sizeof *hops, "a path");
    uint8_t *checked = wi_fluid_array(diag, plan->graph->n_edges, 1, "links");
    out->first = wi_fluid_array(diag, (uint64_t)plan->n_flows + 1, sizeof *out->first, "paths");
    out->edge = wi_fluid_array(diag, room, sizeof *out->edge, "paths");
    if (!hops || !checked || !out->first || !out->edge)
        st = WEIR_E_NOMEM;
    for (uint32_t i = 0; i < plan->n_flows && st == WEIR_OK; i++) {
        uint32_t n = 0;
        st = find_path(diag, plan, i, hops, &n);
        for (uint32_t h = 0; h < n && st == WEIR_OK; h++) {
            if (!checked[hops[h]])
                st = check_edge(diag, plan, hops[h], &smallest);
            checked[hops[h]] = 1;
        }
        if (st == WEIR_OK && !wi_grow(&out->edge, &room, used + n, sizeof *out->edge))
            st = wi_fluid_no_memory(diag, (used + n) * sizeof *out->edge, "paths");
        if (st == WEIR_OK) {
            memcpy(out->edge + used, hops, n * sizeof *hops);
            used += n;
            out->first[i + 1] = used;
        }
    }
    st = st
             ?: check_step(diag, options,
                           smallest > options->least_delay_ps ? smallest : options->least_delay_ps);
    free(hops);
    free(checked);
    if (st != WEIR_OK)
        wi_fluid_paths_free(out);
    return st;
}
