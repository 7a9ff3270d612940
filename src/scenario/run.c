/* Running a scenario: build, simulate from stop point to stop point, check, write whole or not at all. */
#include "weir/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "output/json.h"
#include "output/results.h"
#include "scenario/subject.h"
#include "weir/digest.h"
#include "weir/ranks.h"

/* Stop points, so that progress and signals are seen in time; they change no result. At first so many a run;
 * but each has all threads of an engine meet, and a device wait for the host, so they are further apart where
 * the wall's clock allows. */
enum { CHUNKS = 1000 };
static const double chunk_short_s = 0.01, chunk_long_s = 0.04;

typedef struct running {
    weir_diag *diag;
    const weir_scenario *scenario;
    const weir_run_options *options;
    weir_run_result *result;
    wi_results *folder;
    const wi_subject *subject;
    void *made; /* the subject's */
    weir_sim *sim;
    double setup_s, began_s;
    weir_time chunk_ps; /* from one stop point to the next, at most */
} running;

void weir_run_options_init(weir_run_options *options)
{
    *options = (weir_run_options){0};
}

void weir_run_result_free(weir_run_result *result)
{
    free(result->output_dir);
    free(result->summary_json);
    *result = (weir_run_result){0};
}

static void tell(const running *run, const char *phase)
{
    if (!run->options->progress || weir_rank() > 0)
        return;
    const weir_progress progress = {.now_ps = run->sim ? weir_sim_now(run->sim) : 0,
                                    .end_ps = run->scenario->duration_ps,
                                    .events = run->sim ? weir_sim_events(run->sim) : 0,
                                    .wall_s = run->sim ? wi_clock_s() - run->began_s : 0.0,
                                    .phase = phase};
    run->options->progress(run->options->user, &progress);
}

static weir_status open_folder(running *run)
{
    char path[4096];
    if (run->options->no_output || weir_rank() > 0)
        return WEIR_OK;
    if (run->options->output_dir)
        snprintf(path, sizeof path, "%s", run->options->output_dir);
    else
        snprintf(path, sizeof path, "results/%s", run->scenario->name);
    return wi_results_open(run->diag, path, run->options->force, &run->folder);
}

weir_status wi_sim_make(weir_diag *diag, const weir_scenario *scenario, const wi_subject *subject, void *made,
                        weir_sim **out)
{
    weir_setup setup;
    subject->setup(made, &setup);
    setup.seed = scenario->seed;
    setup.run = scenario->run;
    setup.engine = wi_engine_of(scenario);
    setup.threads = scenario->engine.threads;
    setup.lp_size = scenario->engine.lp_size;
    setup.gpu_options.device = (int)scenario->engine.device;
    setup.gpu_options.host_driven = scenario->engine.host_driven;
    return weir_sim_new(diag, &setup, out);
}

/* The next simulated time at which something other than events is due. */
static weir_time next_stop(const running *run, weir_time now, weir_time sample_ps)
{
    const weir_scenario *s = run->scenario;
    weir_time next = run->chunk_ps < s->duration_ps - now ? now + run->chunk_ps : s->duration_ps;
    if (sample_ps < next)
        next = sample_ps;
    if (s->output.warmup_ps > now && s->output.warmup_ps < next)
        next = s->output.warmup_ps;
    return next;
}

static weir_time least_chunk_ps(const running *run)
{
    const weir_time chunk_ps = run->scenario->duration_ps / CHUNKS;
    return chunk_ps > 0 ? chunk_ps : 1;
}

/* The next chunk, when this one took so long. */
static void adapt_chunk(running *run, double took_s)
{
    if (took_s < chunk_short_s && run->chunk_ps < run->scenario->duration_ps / 2)
        run->chunk_ps *= 2;
    else if (took_s > chunk_long_s && run->chunk_ps / 2 >= least_chunk_ps(run))
        run->chunk_ps /= 2;
}

/* What the results need of this stop point. Only rank 0 writes, and what fails there fails everywhere. */
static weir_status look(running *run, weir_time at_ps, bool sample)
{
    weir_sim_want want = {0};
    weir_status status = run->subject->wants(run->made, at_ps == run->scenario->output.warmup_ps, &want)
                             ? weir_sim_fetch_some(run->diag, run->sim, &want)
                             : weir_sim_fetch(run->diag, run->sim);
    if (status == WEIR_OK && at_ps == run->scenario->output.warmup_ps)
        status = run->subject->warm(run->made);
    if (status == WEIR_OK && sample)
        status = run->subject->sample(run->made);
    return weir_ranks_agree(run->diag, status);
}

static weir_status simulate(running *run)
{
    const weir_scenario *s = run->scenario;
    const weir_time interval_ps = s->output.interval_ps > 0 ? s->output.interval_ps : s->duration_ps;
    weir_time sample_ps = interval_ps;
    weir_status status = WEIR_OK;
    run->chunk_ps = least_chunk_ps(run);
    while (status == WEIR_OK && weir_sim_now(run->sim) < s->duration_ps) {
        const weir_time now = weir_sim_now(run->sim), stop_ps = next_stop(run, now, sample_ps);
        const double began_s = wi_clock_s();
        status = weir_sim_run(run->diag, run->sim, stop_ps, run->options->stop);
        adapt_chunk(run, wi_clock_s() - began_s);
        if (status == WEIR_OK && (stop_ps == s->output.warmup_ps || stop_ps == sample_ps))
            status = look(run, stop_ps, stop_ps == sample_ps);
        if (stop_ps == sample_ps)
            sample_ps += interval_ps;
        tell(run, "simulate");
    }
    return status;
}

static weir_status write_results(running *run)
{
    tell(run, "write");
    weir_status status = run->subject->finish(run->made);
    if (status != WEIR_OK)
        return status;
    weir_setup setup;
    run->subject->setup(run->made, &setup);
    json_t *summary = wi_summary_make(run->scenario, run->subject, run->made, run->sim, setup.world_bytes,
                                      run->options, run->result, run->setup_s);
    run->result->summary_json = wi_json_text(summary);
    if (!run->result->summary_json)
        status = weir_fail(run->diag, WEIR_E_NOMEM, "no memory for the summary");
    if (run->folder && status == WEIR_OK)
        status = wi_json_put(run->diag, wi_results_folder(run->folder), "summary.json", summary);
    json_decref(summary);
    if (!run->folder || status != WEIR_OK)
        return status;
    status = wi_scenario_put(run->diag, run->scenario, wi_results_folder(run->folder));
    if (status == WEIR_OK)
        status = wi_results_commit(run->diag, run->folder);
    if (status == WEIR_OK)
        run->result->output_dir = strdup(wi_results_path(run->folder));
    return status;
}

/* What the ranks have built must be the same too: files that they read may differ. */
static weir_status same_on_ranks(running *run)
{
    char text[64];
    weir_setup setup;
    if (weir_ranks() == 1)
        return WEIR_OK;
    run->subject->setup(run->made, &setup);
    snprintf(text, sizeof text, "digest %016llx of %zu bytes",
             (unsigned long long)weir_digest_bytes(0, setup.world, setup.world_bytes), setup.world_bytes);
    return weir_ranks_same(run->diag, "simulation, built of the same scenario and other files,", text);
}

static weir_status run_all(running *run)
{
    const double start_s = wi_clock_s();
    weir_status status = wi_engine_check_choice(run->diag, run->scenario);
    if (status == WEIR_OK)
        status = open_folder(run);
    tell(run, "routes");
    if (status == WEIR_OK)
        status = run->subject->build(run->diag, run->scenario, &run->made);
    if (status == WEIR_OK)
        status =
            run->subject->begin(run->diag, run->made, run->folder ? wi_results_folder(run->folder) : NULL);
    status = weir_ranks_agree(run->diag, status);
    if (status == WEIR_OK)
        status = same_on_ranks(run);
    if (status == WEIR_OK)
        status = wi_sim_make(run->diag, run->scenario, run->subject, run->made, &run->sim);
    if (status != WEIR_OK)
        return status;
    status = run->subject->attach(run->diag, run->made, run->sim);
    if (status != WEIR_OK)
        return status;
    run->began_s = wi_clock_s();
    run->setup_s = run->began_s - start_s;
    status = simulate(run);
    weir_run_result *result = run->result;
    result->wall_s = wi_clock_s() - run->began_s;
    if (status != WEIR_OK && status != WEIR_E_INTERRUPTED)
        return status;
    weir_status after = weir_sim_fetch(run->diag, run->sim);
    if (after != WEIR_OK)
        return after;
    result->partial = status == WEIR_E_INTERRUPTED;
    result->reached_ps = weir_sim_now(run->sim);
    result->events = weir_sim_events(run->sim);
    result->event_digest = weir_sim_event_digest(run->sim);
    result->state_digest = weir_sim_state_digest(run->sim);
    result->packet_hops = run->subject->packet_hops ? run->subject->packet_hops(run->made) : 0;
    after = run->subject->check(run->diag, run->made);
    if (after == WEIR_OK)
        after = write_results(run);
    after = weir_ranks_agree(run->diag, after);
    return after == WEIR_OK ? status : after;
}

weir_status weir_run(weir_diag *diag, const weir_scenario *scenario, const weir_run_options *options,
                     weir_run_result *result)
{
    *result = (weir_run_result){0};
    running run = {.diag = diag,
                   .scenario = scenario,
                   .options = options,
                   .result = result,
                   .subject = wi_subject_of(scenario)};
    const weir_status status = run_all(&run);
    weir_sim_free(run.sim);
    run.subject->free(run.made);
    wi_results_free(run.folder);
    return status;
}
