/* A simulation on the engine that its set-up asks for, and from there to another. */
#include "weir/engine.h"

#include <stdlib.h>

#include "engine/core/engine.h"
#include "engine/move.h"
#include "engine/parts/partition.h"
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
            return weir_fail(
                diag, WEIR_E_UNSUPPORTED,
                "model '%s' has no device code in this build; use engine 'sequential' or 'conservative'",
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

/* ---- changing the engine ---- */

bool wi_sim_fits_device(const weir_sim *sim)
{
    return sim->setup.gpu && !sim->setup.hook;
}

uint32_t wi_sim_most_threads(const weir_sim *sim)
{
    return wi_partition_most(sim);
}

/* Leave the engine: the main part has the events now, as at a start. */
static weir_status leave(weir_diag *diag, weir_sim *sim, const wi_events *events)
{
    weir_sim_memory use;
    weir_sim_memory_use(sim, &use);
    sim->peak_before = use.pending_peak;
    sim->peak_bytes_before = use.pending_peak_bytes;
    if (sim->ops->free)
        sim->ops->free(sim);
    sim->engine = NULL;
    sim->ops = &wi_engine_sequential;
    sim->why[0] = '\0';
    wi_watch_free(&sim->main.watch);
    sim->main.watch = (wi_watch){0};
    sim->main.events = 0;
    sim->main.now_ps = sim->now_ps;
    sim->events_before += sim->events;
    sim->events = 0;
    if (wi_part_refill(sim, &sim->main, events))
        return WEIR_OK;
    sim->failed = WEIR_E_NOMEM;
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for %zu pending events on their way to another engine",
                     events->n);
}

/* Start the engine that the set-up asks for now. */
static weir_status start_anew(weir_diag *diag, weir_sim *sim, const wi_events *events)
{
    const wi_engine_ops *ops;
    WI_RETURN_IF_FAILED(choose_engine(diag, &sim->setup, &ops) ?: leave(diag, sim, events));
    sim->ops = ops;
    return wi_sim_start(diag, sim);
}

static weir_status go(weir_diag *diag, weir_sim *sim, const wi_move *to, const wi_events *events)
{
    sim->setup.engine = to->engine;
    sim->setup.threads = to->threads;
    sim->setup.gpu_options.device = to->device;
    const weir_status status = start_anew(diag, sim, events);
    if (status == WEIR_OK || sim->failed != WEIR_OK)
        return status;
    sim->setup.engine = WEIR_ENGINE_SEQUENTIAL;
    return start_anew(diag, sim, events) ?: status;
}

weir_status wi_sim_move(weir_diag *diag, weir_sim *sim, const wi_move *to)
{
    wi_events events = {.stride = sizeof(weir_event) + sim->payload_bytes};
    weir_status status = weir_sim_fetch(diag, sim)
            ?: wi_records_flush(diag, sim, &sim->main, sim->now_ps) /* of init, where nothing has run yet */
            ?: weir_sim_pending(diag, sim, wi_events_add, &events);
    if (status == WEIR_OK && events.failed)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for a list of %zu pending events", events.n);
    for (size_t i = 0; i < events.n; i++) /* nothing before a stop point is rolled back */
        wi_events_at(&events, i)->instance = 0, wi_events_at(&events, i)->link = 0;
    status = status ?: go(diag, sim, to, &events);
    free(events.at);
    return status;
}
