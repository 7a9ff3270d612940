/* The list of a network's flows. */

#include "base/memory.h"
#include "scenario/network/network.h"

weir_status wi_network_add_flow(weir_diag *diag, wi_network *n, const wi_net_flow_plan *flow)
{
    wi_flow_list *f = &n->flows;
    const weir_scenario_class *c = &n->scenario->traffic[flow->cls];
    if (f->n >= WI_FLOWS_MAX)
        return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(c->place), "class '%s': more than %d flows",
                            c->name.text, WI_FLOWS_MAX);
    if (!wi_grow_one(&f->item, f->n, sizeof *f->item))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the flows of class '%s'", c->name.text);
    f->item[f->n++] = *flow;
    return WEIR_OK;
}
