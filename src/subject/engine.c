/* Which engine runs a scenario. */
#include "subject/subject.h"
#include "weir/ranks.h"

weir_engine wi_engine_of(const weir_scenario *scenario)
{
    switch (scenario->engine.type) {
    case WEIR_SC_ENGINE_CHECK:
        return WEIR_ENGINE_CHECK;
    case WEIR_SC_ENGINE_CONSERVATIVE:
        return WEIR_ENGINE_CONSERVATIVE;
    case WEIR_SC_ENGINE_OPTIMISTIC:
        return WEIR_ENGINE_OPTIMISTIC;
    case WEIR_SC_ENGINE_GPU:
        return WEIR_ENGINE_GPU;
    case WEIR_SC_ENGINE_AUTO:
        /* Results do not depend on it; one core is the quickest for what is small, and a run that is not moves. */
        return weir_ranks() > 1 ? WEIR_ENGINE_CONSERVATIVE : WEIR_ENGINE_SEQUENTIAL;
    default:
        return WEIR_ENGINE_SEQUENTIAL;
    }
}

const char *wi_engine_name(weir_engine engine)
{
    static const char *const names[] = {[WEIR_ENGINE_SEQUENTIAL] = "sequential",
                                        [WEIR_ENGINE_CHECK] = "check",
                                        [WEIR_ENGINE_CONSERVATIVE] = "conservative",
                                        [WEIR_ENGINE_GPU] = "gpu",
                                        [WEIR_ENGINE_OPTIMISTIC] = "optimistic"};
    return names[engine];
}

/* Not refused, as `memory` and its like are: a scenario for a device is often held against one core. */
static void warn_of_device_keys(weir_diag *diag, const weir_scenario_engine *e, weir_engine engine)
{
    if (engine != WEIR_ENGINE_GPU && (e->lp_size || e->device || e->host_driven) && weir_rank() == 0)
        weir_warn_at(diag, WEIR_AT(e->place),
                     "engine.lp-size, device and host-driven are for engine 'gpu'; '%s' has no use for them",
                     wi_engine_name(engine));
}

weir_status wi_engine_check_choice(weir_diag *diag, const weir_scenario *s)
{
    const weir_place type = s->engine.type_place, all = s->engine.place;
    const weir_engine engine = wi_engine_of(s);
    const bool threaded = engine == WEIR_ENGINE_CONSERVATIVE || engine == WEIR_ENGINE_OPTIMISTIC;
    const bool tuned =
        s->engine.memory_bytes || s->engine.gvt_events || s->engine.window_ps || s->engine.stress;
    if (tuned && engine != WEIR_ENGINE_OPTIMISTIC)
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(all),
                            "engine.memory, gvt-events, window and stress are for engine 'optimistic', and "
                            "this run takes '%s'; leave them out, or say type: optimistic",
                            wi_engine_name(engine));
    warn_of_device_keys(diag, &s->engine, engine);
    if (!threaded && s->engine.threads > 1 && s->engine.type != WEIR_SC_ENGINE_AUTO)
        return weir_fail_at(
            diag, WEIR_E_UNSUPPORTED, WEIR_AT(all),
            "threads: %u, and engine '%s' uses one; leave threads out, or use engine 'conservative'",
            s->engine.threads, wi_engine_name(engine));
    if (!threaded && weir_ranks() > 1)
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(type),
                            "%u processes were started, and engine '%s' uses one; use engine 'conservative'",
                            weir_ranks(), wi_engine_name(engine));
    return WEIR_OK;
}
