/* What happens between steps, as a list for the solver: failures, repairs, sessions that go on elsewhere. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
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

/* Of a step a port's failures come before its repairs (compare_changes). One that fails again in the step in which it came back
 * was down all along, so that its repair is left out. last: [n_ports] 1 + its change before. */
static void add_outage(fluid_tables *t, uint32_t *last, fluid_change c)
{
    const uint32_t before = last[c.number];
    if (c.what == FLUID_PORT_DOWN && before > 0 && t->changes[before - 1].what == FLUID_PORT_UP &&
        t->changes[before - 1].step == c.step) {
        t->changes[before - 1].number = FLUID_NONE;
        last[c.number] = 0;
        return;
    }
    t->changes[t->n_changes++] = c;
    last[c.number] = t->n_changes;
}

static void drop_left_out(fluid_tables *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_changes; i++)
        if (t->changes[i].number != FLUID_NONE)
            t->changes[n++] = t->changes[i];
    t->n_changes = n;
}

weir_status wi_fluid_build_changes(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *o,
                                   weir_fluid *fluid)
{
    fluid_tables *const t = &fluid->tables;
    uint64_t most = plan->n_outages;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        most += plan->flows[i].goes_on ? 2 : 0;
    t->changes = wi_fluid_array(diag, most, sizeof *t->changes, "failures and repairs");
    WI_FREED uint32_t *const last = calloc((size_t)t->n_ports + 1, sizeof *last);
    if (!t->changes || !last)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for failures and repairs of a fluid");
    for (uint32_t i = 0; i < plan->n_outages; i++) {
        const weir_fluid_outage *const from = &plan->outages[i];
        const uint32_t port = fluid->port_of_edge[from->edge];
        if (port != FLUID_NONE)
            add_outage(t, last,
                       (fluid_change){.step = step_at(o, from->at_ps),
                                      .what = from->down ? FLUID_PORT_DOWN : FLUID_PORT_UP,
                                      .number = port});
    }
    drop_left_out(t);
    for (uint32_t i = 0; i < plan->n_flows; i++)
        if (plan->flows[i].goes_on)
            add_relay(o, &plan->flows[i], fluid->merged[i], fluid->merged[plan->flows[i].goes_on - 1], t);
    qsort(t->changes, t->n_changes, sizeof *t->changes, compare_changes);
    return WEIR_OK;
}
