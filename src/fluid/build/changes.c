/* What happens between steps, as a list for the solver: failures, repairs, sessions that go on elsewhere. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "fluid/state/internal.h"

/* The step that begins nearest to a time. */
static int64_t step_at(const weir_fluid_options *o, weir_time at_ps)
{
    return (int64_t)floor((double)at_ps / (double)o->step_ps + 0.5);
}

WI_ORDER_BY(compare_changes, fluid_change, WI_ORDER(x->step, y->step) ?: WI_ORDER(x->what, y->what) ?: WI_ORDER(x->number, y->number))

/* When a flow takes over from another, and before that, when the other's way breaks. */
static void add_relay(const weir_fluid_options *o, const weir_fluid_flow *from, uint32_t flow,
                      uint32_t before, fluid_tables *t)
{
    const bool lost = from->failed_ps > 0;
    const int64_t begins = (int64_t)t->flows[flow].start, broke = step_at(o, from->failed_ps);
    if (t->classes[from->cls].flags & FLUID_UDP)
        return;
    if (lost && broke < begins)
        t->changes[t->n_changes++] =
            (fluid_change){.step = broke, .what = FLUID_FLOW_BREAKS, .number = flow, .from = before};
    t->changes[t->n_changes++] = (fluid_change){.step = begins,
                                                .what = lost ? FLUID_FLOW_TAKES_LOST : FLUID_FLOW_TAKES,
                                                .number = flow,
                                                .from = before};
}

weir_status wi_fluid_build_changes(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *o,
                                   weir_fluid *fluid)
{
    fluid_tables *const t = &fluid->tables;
    uint64_t most = plan->n_outages;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        most += plan->flows[i].goes_on ? 2 : 0;
    t->changes = wi_fluid_array(diag, most, sizeof *t->changes, "failures and repairs");
    if (!t->changes)
        return WEIR_E_NOMEM;
    for (uint32_t i = 0; i < plan->n_outages; i++) {
        const weir_fluid_outage *const from = &plan->outages[i];
        const uint32_t port = fluid->port_of_edge[from->edge];
        if (port != FLUID_NONE)
            t->changes[t->n_changes++] = (fluid_change){.step = step_at(o, from->at_ps),
                                                        .what = from->down ? FLUID_PORT_DOWN : FLUID_PORT_UP,
                                                        .number = port};
    }
    for (uint32_t i = 0; i < plan->n_flows; i++)
        if (plan->flows[i].goes_on)
            add_relay(o, &plan->flows[i], fluid->merged[i], fluid->merged[plan->flows[i].goes_on - 1], t);
    qsort(t->changes, t->n_changes, sizeof *t->changes, compare_changes);
    return WEIR_OK;
}
