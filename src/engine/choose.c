/* A simulation on the engine that its set-up asks for. */
#include "weir/engine.h"

#include "engine/core/engine.h"
#include "engine/sim/checkpoint.h"

static weir_status choose_engine(weir_diag *diag, const weir_setup *setup, const wi_engine_ops **out)
{
    switch (setup->engine) {
    case WEIR_ENGINE_CHECK:
        *out = &wi_engine_check;
        return WEIR_OK;
    case WEIR_ENGINE_GPU:
        *out = wi_engine_gpu();
        if (!*out)
            return weir_fail(diag, WEIR_E_UNSUPPORTED,
                             "this build has no GPU engine (it needs CUDA when weir is built); use engine "
                             "'sequential' or 'conservative'");
        if (!setup->gpu)
            return weir_fail(diag, WEIR_E_UNSUPPORTED,
                             "model '%s' has no device code in this build; use engine 'sequential' or "
                             "'conservative'",
                             setup->model->name);
        return WEIR_OK;
    case WEIR_ENGINE_CONSERVATIVE:
        *out = &wi_engine_conservative;
        return WEIR_OK;
    case WEIR_ENGINE_OPTIMISTIC:
        *out = &wi_engine_optimistic;
        return WEIR_OK;
    default:
        *out = setup->observer ? &wi_engine_observed : &wi_engine_sequential;
        return WEIR_OK;
    }
}

weir_status wi_sim_restore_edited(weir_diag *diag, const weir_setup *setup, const wi_saved *from,
                                  const wi_sim_edit *edit, weir_sim **out)
{
    *out = NULL;
    const wi_engine_ops *ops = NULL;
    return wi_setup_check(diag, setup)
            ?: choose_engine(diag, setup, &ops)
            ?: wi_sim_make(diag, setup, ops, from, edit, out);
}

weir_status wi_sim_restore(weir_diag *diag, const weir_setup *setup, const wi_saved *from, weir_sim **out)
{
    return wi_sim_restore_edited(diag, setup, from, NULL, out);
}

weir_status weir_sim_new(weir_diag *diag, const weir_setup *setup, weir_sim **out)
{
    return wi_sim_restore(diag, setup, NULL, out);
}
