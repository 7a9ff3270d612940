/* Flows of the same path, class, times and size have the same window trajectory: they become one. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "fluid/state/internal.h"

typedef struct subject {
    const weir_fluid_plan *plan;
    const wi_fluid_paths *paths;
} subject;

/* Last link first: sources look at the last port's past, which those of one destination share (with sources
 * first, a step of the campus network takes a quarter longer). */
static int compare(const void *left, const void *right, void *user)
{
    const subject *const s = user;
    const uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const weir_fluid_flow *const a = &s->plan->flows[i], *const b = &s->plan->flows[j];
    const uint64_t *const first = s->paths->first;
    const uint32_t *const edge = s->paths->edge;
    const uint64_t n = first[i + 1] - first[i], m = first[j + 1] - first[j];
    return WI_ORDER(edge[first[i + 1] - 1], edge[first[j + 1] - 1])
            ?: WI_ORDER(a->apart ? i + 1 : 0, b->apart ? j + 1 : 0)
            ?: WI_ORDER(edge[first[i]], edge[first[j]])
            ?: WI_ORDER(a->cls, b->cls)
            ?: WI_ORDER(a->transfers_per_s > 0.0, b->transfers_per_s > 0.0)
            ?: WI_ORDER(a->mean_bytes, b->mean_bytes)
            ?: WI_ORDER((uint64_t)a->start_ps, (uint64_t)b->start_ps)
            ?: WI_ORDER((uint64_t)a->stop_ps, (uint64_t)b->stop_ps)
            ?: WI_ORDER(a->size_bytes, b->size_bytes)
            ?: WI_ORDER((uint64_t)a->beside_ps, (uint64_t)b->beside_ps)
            ?: WI_ORDER(n, m)
            ?: memcmp(edge + first[i], edge + first[j], n * sizeof *edge);
}

static int compare_with_number(const void *left, const void *right, void *user)
{
    return compare(left, right, user) ?: wi_order_u32(left, right);
}

weir_status wi_fluid_merge(weir_diag *diag, const weir_fluid_plan *plan, const wi_fluid_paths *paths,
                           uint32_t *order, uint32_t *merged, uint32_t *n_merged)
{
    subject s = {plan, paths};
    double sessions = 0.0;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        order[i] = i;
    qsort_r(order, plan->n_flows, sizeof *order, compare_with_number, &s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        if (i > 0 && compare(&order[i - 1], &order[i], &s) != 0)
            n++;
        merged[order[i]] = n;
        sessions += plan->flows[order[i]].sessions;
    }
    *n_merged = n + 1;
    if (sessions > 0x1p52)
        return weir_fail(diag, WEIR_E_SCENARIO, "more sessions than can be counted: %g", sessions);
    return WEIR_OK;
}
