/* Running to stop points: what is the same for every engine. */
#include "engine/core/engine.h"
#include "weir/ranks.h"

/* Ask the hook for its next horizon. */
static weir_status call_hook(weir_diag *diag, weir_sim *sim)
{
    const weir_time at_ps = sim->hook_at_ps;
    const size_t errors = weir_diag_errors(diag);
    const weir_time next_ps = sim->setup.hook(sim->setup.user, at_ps);
    if (next_ps <= at_ps && weir_diag_errors(diag) > errors)
        return WEIR_E_ARG; /* it has left a message */
    if (next_ps <= at_ps)
        return weir_fail(diag, WEIR_E_ARG, "the time hook at %.12f s returned a horizon that is not later",
                         weir_seconds(at_ps));
    sim->hook_at_ps = next_ps;
    return sim->setup.hook_changes_world && sim->ops->update_world ? sim->ops->update_world(diag, sim)
                                                                   : WEIR_OK;
}

/* Up to the next horizon of the hook, or until_ps. */
static weir_status run_part(weir_diag *diag, weir_sim *sim, weir_time until_ps, const volatile int *stop)
{
    const weir_time limit_ps = until_ps < sim->hook_at_ps ? until_ps : sim->hook_at_ps;
    WI_RETURN_IF_FAILED(sim->ops->run_until(diag, sim, limit_ps, stop));
    /* Another rank may have been asked to come less far, and all stop there: the horizon is still ahead. */
    if (sim->now_ps < limit_ps || limit_ps != sim->hook_at_ps || limit_ps == until_ps)
        return WEIR_OK;
    /* Horizons may be so close that no engine looks on the way from one to the next. Ranks ask each other. */
    if (stop && *stop && weir_ranks() == 1)
        return WEIR_E_INTERRUPTED;
    return call_hook(diag, sim);
}

weir_status weir_sim_run(weir_diag *diag, weir_sim *sim, weir_time until_ps, const volatile int *stop)
{
    if (sim->failed != WEIR_OK)
        return weir_fail(diag, sim->failed, "the simulation broke off at %.12f s and cannot go on",
                         weir_seconds(sim->now_ps));
    weir_status status = WEIR_OK;
    sim->partly = 0;
    while (sim->now_ps < until_ps && status == WEIR_OK)
        status = run_part(diag, sim, until_ps, stop);
    if (status != WEIR_OK && status != WEIR_E_INTERRUPTED)
        sim->failed = status;
    return status;
}
