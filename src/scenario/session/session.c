/* A session's life: build and begin, finish or abandon; advance.c has what lies between. */
#include "scenario/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/sim/checkpoint.h"
#include "output/json.h"
#include "scenario/document/document.h"
#include "scenario/session/status.h"
#include "weir/digest.h"
#include "weir/ranks.h"
#include "weir/run.h"

/* ---- building ---- */

static weir_status open_folder(weir_session *s)
{
    char path[4096];
    if (s->options.no_output || weir_rank() > 0)
        return WEIR_OK;
    if (s->options.output_dir)
        snprintf(path, sizeof path, "%s", s->options.output_dir);
    else
        snprintf(path, sizeof path, "results/%s", s->scenario->name);
    char checkpoint[4096 + sizeof ".checkpoint"];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", path);
    wi_saver_clean(s->diag, checkpoint);
    return wi_results_open(s->diag, path, s->options.force, &s->folder);
}

weir_status wi_session_build(weir_diag *diag, const weir_scenario *scenario, const weir_run_options *options,
                             bool output, weir_session **out)
{
    weir_session *const s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a session");
    s->diag = diag;
    s->scenario = scenario;
    s->run = (wi_subject_run){.diag = diag, .scenario = scenario, .packet_hops = WI_NO_COUNT};
    s->options = *options;
    s->subject = wi_subject_of(scenario);
    s->start_s = s->saved_s = wi_clock_s();
    s->saves = wi_checkpoint_wanted(options);
    s->stop_before = weir_diag_stop(diag);
    if (options->stop)
        weir_diag_set_stop(diag, options->stop);
    weir_status status = wi_engine_check_choice(diag, scenario);
    wi_session_tell(s, "routes");
    /* What is wrong with the scenario is said ahead of results that exist already, and a set-up that is killed leaves no folder. */
    status = status ?: wi_subject_build(s->subject, diag, scenario, &s->made);
    return status == WEIR_OK && output ? open_folder(s) : status;
}

void wi_session_observe(weir_session *s, weir_observer see, void *user)
{
    wi_add_observer(&s->looks, see, user);
}

static weir_setup set_up(weir_session *s)
{
    const weir_scenario *const scenario = s->scenario;
    weir_setup setup;
    s->subject->setup(s->made, &setup);
    setup.seed = scenario->seed;
    setup.run = scenario->run;
    setup.end_ps = scenario->duration_ps;
    setup.engine = wi_engine_of(scenario);
    setup.optimistic_instead = scenario->engine.type == WEIR_SC_ENGINE_AUTO;
    setup.threads = scenario->engine.threads;
    setup.lp_size = scenario->engine.lp_size;
    setup.optimistic.memory_bytes = scenario->engine.memory_bytes;
    setup.optimistic.memory_place = scenario->engine.memory_place;
    setup.optimistic.gvt_events = scenario->engine.gvt_events;
    setup.optimistic.window_ps = scenario->engine.window_ps;
    setup.optimistic.stress = scenario->engine.stress;
    setup.gpu_options.device = (int)scenario->engine.device;
    setup.gpu_options.host_driven = scenario->engine.host_driven;
    if (wi_session_is_observed(s))
        setup.engine = WEIR_ENGINE_SEQUENTIAL;
    wi_lists_put_observers(&s->looks, &setup);
    return setup;
}

/* The subject of a simulation that was made of it. */
static weir_status start(weir_session *s, const weir_sim *sim)
{
    s->run.sim = sim;
    return s->subject->sample(s->made, &s->run, WI_AT_START);
}

weir_status wi_session_make_sim(weir_session *s, weir_sim **out)
{
    const weir_setup setup = set_up(s);
    s->layout = wi_sim_layout(&setup);
    const weir_status status = s->from && s->forked.is && s->run.fork
                                   ? wi_fork_restore(s, &setup, out)
                                   : wi_sim_restore(s->diag, &setup, s->from, out);
    return status ?: start(s, *out);
}

/* What the ranks have built must be the same too: files that they read may differ. */
static weir_status same_on_ranks(weir_session *s)
{
    char text[64];
    weir_setup setup;
    if (weir_ranks() == 1)
        return WEIR_OK;
    s->subject->setup(s->made, &setup);
    snprintf(text, sizeof text, "digest %016llx of %zu bytes",
             (unsigned long long)weir_digest_bytes(0, setup.world, setup.world_bytes), setup.world_bytes);
    return weir_ranks_same(s->diag, "simulation, built of the same scenario and other files,", text);
}

/* Those that nobody keeps need not be taken. */
static bool takes_samples(const weir_session *s)
{
    /* What rank 0 keeps, all gather. */
    return !wi_session_is_observed(s) && (s->folder || s->recorder || s->saves || s->from ||
                                          weir_ranks() > 1 || s->subject->always || s->run.always);
}

/* Begin the time series, and the subject's own results. */
static weir_status open_results(weir_session *s)
{
    static const char *const all = "all";
    weir_status status = wi_series_open(s->diag, &s->run.to, "series.h5", &s->run.series);
    if (status == WEIR_OK && s->run.series && s->subject->series)
        status = wi_series_table_add(s->diag, s->run.series, s->subject->series, &all, 1, &s->run.table);
    return status ?: s->subject->sample(s->made, &s->run, WI_AT_OPEN);
}

/* Where results go. */
static weir_status begin_results(weir_session *s)
{
    weir_status status = WEIR_OK;
    if (s->options.keep_series && !(s->recorder = wi_recorder_new()))
        status = weir_fail(s->diag, WEIR_E_NOMEM, "no memory to keep time series");
    s->run.to = (wi_sinks){s->folder ? wi_results_folder(s->folder) : NULL, s->recorder,
                           s->saves && weir_rank() == 0};
    if (status == WEIR_OK && !wi_session_is_observed(s))
        status = open_results(s);
    if (status == WEIR_OK && s->folder)
        status = wi_results_check(s->diag, s->folder);
    s->sample_ps = takes_samples(s) ? wi_session_interval_ps(s) : WEIR_TIME_MAX;
    if (status == WEIR_OK && s->from) {
        const weir_setup setup = set_up(s);
        s->layout = wi_sim_layout(&setup);
        status = wi_checkpoint_take(s);
    }
    if (status == WEIR_OK && s->saves)
        status = wi_checkpoint_try(s);
    return status;
}

static void begin_clock(weir_session *s)
{
    s->began_s = wi_clock_s();
    s->setup_s = s->began_s - s->start_s;
    s->chunk_ps = wi_session_least_chunk_ps(s);
}

weir_status wi_session_prepare(weir_session *s, weir_setup *setup)
{
    const weir_status status = begin_results(s);
    if (status == WEIR_OK) {
        *setup = set_up(s);
        setup->threads = 0;
    }
    return status;
}

weir_status wi_session_adopt(weir_session *s, weir_sim *sim)
{
    s->sim = sim;
    s->lent = true;
    begin_clock(s);
    return start(s, sim);
}

weir_status wi_session_begin(weir_session *s)
{
    weir_status status = weir_ranks_agree(s->diag, begin_results(s))
            ?: same_on_ranks(s)
            ?: wi_session_make_sim(s, &s->sim);
    if (status == WEIR_OK && s->from)
        status = wi_checkpoint_take_attached(s);
    begin_clock(s);
    if (status == WEIR_OK)
        wi_moves_begin(s);
    wi_session_tell(s, "simulate");
    return status;
}

static void ask(const weir_session *s, wi_session_admit *admit, void *user)
{
    weir_estimate needs = {0};
    const weir_status status = s->subject->estimate(s->subject, NULL, s->scenario, s->made, &needs);
    if (status != WEIR_OK)
        needs = (weir_estimate){0};
    admit(user, &needs);
}

weir_status wi_session_open_admitted(weir_diag *diag, const weir_scenario *scenario,
                                     const weir_run_options *options, wi_session_admit *admit, void *user,
                                     weir_session **out)
{
    weir_run_options quiet;
    weir_run_options_init(&quiet);
    quiet.no_output = true;
    weir_status status = wi_session_build(diag, scenario, options ? options : &quiet, true, out);
    if (*out)
        status = weir_ranks_agree(diag, status);
    if (status == WEIR_OK && admit)
        ask(*out, admit, user);
    status = status ?: wi_session_begin(*out);
    if (status != WEIR_OK) {
        weir_session_close(*out);
        *out = NULL;
    }
    return status;
}

weir_status weir_session_open(weir_diag *diag, const weir_scenario *scenario, const weir_run_options *options,
                              weir_session **out)
{
    return wi_session_open_admitted(diag, scenario, options, NULL, NULL, out);
}

void weir_session_close(weir_session *s)
{
    if (!s)
        return;
    weir_diag_set_stop(s->diag, s->stop_before);
    if (!s->lent)
        weir_sim_free(s->sim);
    wi_series_drop(s->run.series);
    wi_subject_free(s->subject, s->made);
    wi_results_free(s->folder);
    wi_recorder_free(s->recorder);
    free(s->checkpoint);
    free(s);
}

weir_time weir_session_now(const weir_session *s)
{
    return weir_sim_now(s->sim);
}

uint64_t weir_session_events(const weir_session *s)
{
    return weir_sim_events(s->sim);
}

/* ---- finishing ---- */

/* The bound of a run that was to go on until all is done. */
static void warn_of_bound(const weir_session *s)
{
    if (s->scenario->until_done && !s->done && weir_sim_now(s->sim) >= s->scenario->duration_ps)
        weir_warn(s->diag,
                  "duration: the bound of until-done, %.6g s, came before all was done; `unfinished` of each "
                  "class says how many flows are not complete",
                  weir_seconds(s->scenario->duration_ps));
}

static weir_status write_results(weir_session *s, weir_run_result *result)
{
    wi_session_tell(s, "write");
    weir_status status = s->subject->result(s->made, &s->run, WI_FOR_FILES, NULL);
    if (status == WEIR_OK) {
        status = wi_series_close(s->diag, s->run.series);
        s->run.series = NULL;
        s->run.table = NULL;
    }
    if (status != WEIR_OK)
        return status;
    json_t *summary = wi_summary_make(s, result);
    result->summary_json = wi_json_text(summary);
    if (!result->summary_json)
        status = weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the summary");
    if (s->folder && status == WEIR_OK)
        status = wi_json_put(s->diag, wi_results_folder(s->folder), "summary.json", summary);
    json_decref(summary);
    if (!s->folder || status != WEIR_OK)
        return status;
    status = wi_scenario_put(s->diag, s->scenario, wi_results_folder(s->folder));
    wi_status_end(s);
    status = status ?: wi_results_commit(s->diag, s->folder);
    if (status == WEIR_OK && !(result->output_dir = strdup(wi_results_path(s->folder))))
        status = weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the name of the results folder");
    return status;
}

weir_status wi_session_measure(weir_session *s, weir_run_result *result)
{
    const weir_status status = s->finished ? WEIR_OK : s->subject->sample(s->made, &s->run, WI_AT_NOW);
    *result = (weir_run_result){.wall_s = s->wall_s,
                                .partial = weir_sim_now(s->sim) < weir_session_end(s),
                                .reached_ps = weir_sim_now(s->sim),
                                .events = weir_sim_events(s->sim),
                                .event_digest = weir_sim_event_digest(s->sim),
                                .state_digest = weir_sim_state_digest(s->sim),
                                .packet_hops = s->run.packet_hops == WI_NO_COUNT ? 0 : s->run.packet_hops};
    return status;
}

weir_status weir_session_finish(weir_session *s, weir_run_result *result)
{
    *result = (weir_run_result){0};
    if (s->finished || s->broken != WEIR_OK)
        return weir_fail(s->diag, s->finished ? WEIR_E_ARG : s->broken,
                         s->finished ? "a session finishes once" : "a session that broke off has no results");
    weir_status status = weir_sim_fetch(s->diag, s->sim);
    if (status != WEIR_OK)
        return s->broken = status;
    status = wi_session_measure(s, result);
    s->finished = true;
    warn_of_bound(s);
    status = status ?: s->subject->check(s->made, &s->run) ?: write_results(s, result) ?: s->run.late;
    return weir_ranks_agree(s->diag, status);
}

/* ---- options ---- */

void weir_run_options_init(weir_run_options *options)
{
    *options = (weir_run_options){0};
}

void weir_run_result_free(weir_run_result *result)
{
    free(result->output_dir);
    free(result->checkpoint);
    free(result->summary_json);
    *result = (weir_run_result){0};
}
