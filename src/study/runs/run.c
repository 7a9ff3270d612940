/* One run of a study: the scenario with the point's settings, a session from start to end, and its figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "scenario/session/session.h"
#include "study/runs/quota.h"
#include "study/runs/run.h"
#include "weir/session.h"

/* Returns the first error; later ones follow from it. */
static char *first_error(const weir_diag *diag, weir_status status)
{
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        const weir_message *m = weir_diag_get(diag, i);
        char text[2000];
        if (m->severity != WEIR_ERROR)
            continue;
        weir_message_format(m, text, sizeof text);
        for (char *c = text; *c; c++)
            *c = (unsigned char)*c < 0x20 ? ' ' : *c;
        return strdup(text);
    }
    return strdup(weir_status_name(status));
}

void wi_run_options(const weir_study *s, const wi_run *run, const volatile int *stop, weir_run_options *out)
{
    weir_run_options_init(out);
    out->no_output = run->folder == NULL;
    out->output_dir = run->folder;
    out->force = true; /* what stands there was begun by a call that was stopped */
    out->keep_series = s->wants_series;
    out->stop = stop;
    out->cores = 1; /* the others have other runs */
    out->cpu_only = true;
}

void wi_run_begin(const weir_study *s, wi_job job, wi_run *run)
{
    *run = (wi_run){.job = job, .diag = weir_diag_new(), .row = wi_row_new(s), .from_s = wi_clock_s()};
    run->status = run->row && run->diag ? wi_run_scenario(s, run->diag, job, &run->scenario) : WEIR_E_NOMEM;
    if (run->status == WEIR_OK)
        run->scenario->shared = s->shared;
    if (run->status == WEIR_OK && s->folder)
        run->status = wi_folder_of_run(s->folder, run->diag, s->wants_tables, job, s->points[job.point].key,
                                       &run->folder);
}

/* The session has reached its end: its figures. */
static weir_status take_figures(const weir_study *s, wi_run *run)
{
    WI_ENDED(weir_run_result_free) weir_run_result result = {0};
    weir_status status = weir_session_finish(run->session, &result);
    if (status == WEIR_OK) {
        run->row->events = result.events;
        run->row->event_digest = result.event_digest;
        run->row->state_digest = result.state_digest;
        status = wi_metrics_take(s, run->diag, run->session, &result, run->row);
    }
    return status;
}

void wi_run_drop(const weir_study *s, wi_run *run)
{
    weir_session_close(run->session);
    if (run->folder)
        wi_folder_run_done(s->folder, run->folder);
    wi_row_free(run->row);
    free(run->error);
    free(run->folder);
    weir_scenario_free(run->scenario);
    weir_diag_free(run->diag);
    *run = (wi_run){0};
}

wi_row *wi_run_end(const weir_study *s, wi_run *run, const volatile int *stop)
{
    wi_row *row = run->row;
    if (run->status == WEIR_OK)
        run->status = take_figures(s, run);
    const bool given_up =
        run->status == WEIR_E_INTERRUPTED || (stop && *stop && run->status != WEIR_OK) || !row;
    if (!given_up) {
        row->wall_s = run->wall_s > 0.0 ? run->wall_s : wi_clock_s() - run->from_s;
        row->status = run->status;
        if (run->status != WEIR_OK)
            row->error = run->error ? run->error : first_error(run->diag, run->status);
        row->messages = run->diag;
        run->error = NULL;
        run->diag = NULL;
        run->row = NULL;
    }
    wi_run_drop(s, run);
    return given_up ? NULL : row;
}

typedef struct place {
    wi_quota *quota;
    const volatile int *stop;
    double counted;
    volatile double *since_s;
} place;

static void admit(void *user, const weir_estimate *needs)
{
    place *p = user;
    const double so_far_s = wi_clock_s() - *p->since_s;
    *p->since_s = (double)INFINITY;
    p->counted = wi_quota_change(p->quota, p->counted, (double)needs->memory_bytes, p->stop);
    *p->since_s = wi_clock_s() - so_far_s;
}

static wi_row *attempt(const weir_study *s, wi_job job, wi_quota *quota, const volatile int *stop, bool alone,
                       volatile double *since_s)
{
    wi_run run;
    weir_run_options options;
    double unused;
    place here = {quota, stop, wi_quota_enter(quota, alone, stop), since_s ? since_s : &unused};
    *here.since_s = wi_clock_s();
    wi_run_begin(s, job, &run);
    wi_run_options(s, &run, stop, &options);
    if (run.status == WEIR_OK)
        run.status = wi_session_open_admitted(run.diag, run.scenario, &options, admit, &here, &run.session);
    if (run.status == WEIR_OK)
        run.status = weir_session_advance(run.session, weir_session_end(run.session));
    wi_row *const row = wi_run_end(s, &run, stop);
    wi_quota_leave(quota, here.counted);
    return row;
}

/* While a run is built it takes more than the estimate by which it is admitted: beside others that may be too much. */
wi_row *wi_run_job(const weir_study *s, wi_job job, wi_quota *quota, const volatile int *stop,
                   volatile double *since_s)
{
    wi_row *row = attempt(s, job, quota, stop, false, since_s);
    if (!row || row->status != WEIR_E_NOMEM || wi_quota_look(quota).most < 2)
        return row;
    wi_row_free(row);
    if (since_s)
        *since_s = (double)INFINITY;
    return attempt(s, job, quota, stop, true, since_s);
}
