/* Flows of the same path, class, times and size have the same window trajectory: they become one. */
#include <stdlib.h>
#include <string.h>

#include "fluid/state/internal.h"

typedef struct subject {
    const weir_fluid_plan *plan;
    const wi_fluid_paths *paths;
} subject;

static int by_number(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Last link first: sources look at the last port's past, which those of one destination share (with sources
 * first, a step of the campus network takes a quarter longer). */
static int compare(const void *left, const void *right, void *user)
{
    const subject *const s = user;
    const uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const weir_fluid_flow *const a = &s->plan->flows[i], *const b = &s->plan->flows[j];
    const uint64_t *const first = s->paths->first;
    int r = by_number(s->paths->edge[first[i + 1] - 1], s->paths->edge[first[j + 1] - 1]);
    r = r ? r : by_number(a->apart ? i + 1 : 0, b->apart ? j + 1 : 0);
    r = r ? r : by_number(s->paths->edge[first[i]], s->paths->edge[first[j]]);
    r = r ? r : by_number(a->cls, b->cls);
    r = r ? r : (a->transfers_per_s > 0.0) - (b->transfers_per_s > 0.0);
    r = r ? r : (a->mean_bytes > b->mean_bytes) - (a->mean_bytes < b->mean_bytes);
    r = r ? r : by_number((uint64_t)a->start_ps, (uint64_t)b->start_ps);
    r = r ? r : by_number((uint64_t)a->stop_ps, (uint64_t)b->stop_ps);
    r = r ? r : by_number(a->size_bytes, b->size_bytes);
    r = r ? r : by_number((uint64_t)a->beside_ps, (uint64_t)b->beside_ps);
    r = r ? r : by_number(first[i + 1] - first[i], first[j + 1] - first[j]);
    return r ? r
             : memcmp(s->paths->edge + first[i], s->paths->edge + first[j], (first[i + 1] - first[i]) * 4);
}

static int compare_with_number(const void *left, const void *right, void *user)
{
    const int r = compare(left, right, user);
    return r ? r : by_number(*(const uint32_t *)left, *(const uint32_t *)right);
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
