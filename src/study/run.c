/* One run of a study: the scenario with the point's settings, a session from start to end, and its figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "output/remove_tree.h"
#include "study/folder.h"
#include "study/study.h"
#include "weir/session.h"

/* The first error; what came after it follows from it. */
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

static weir_status simulate(const weir_study *s, weir_diag *diag, const weir_scenario *scenario,
                            const char *folder, const volatile int *stop, wi_row *row)
{
    weir_session *session = NULL;
    weir_run_options options;
    weir_run_result result = {0};
    weir_run_options_init(&options);
    options.no_output = folder == NULL;
    options.output_dir = folder;
    options.force = true; /* what stands there was begun by a call that was stopped */
    options.keep_series = s->wants_series;
    options.stop = stop;
    weir_status status = weir_session_open(diag, scenario, &options, &session);
    if (status == WEIR_OK)
        status = weir_session_advance(session, weir_session_end(session));
    if (status == WEIR_OK)
        status = weir_session_finish(session, &result);
    if (status == WEIR_OK) {
        row->events = result.events;
        row->event_digest = result.event_digest;
        row->state_digest = result.state_digest;
        status = wi_metrics_take(s, diag, session, result.summary_json, result.output_dir, row->metric);
    }
    weir_run_result_free(&result);
    weir_session_close(session);
    return status;
}

wi_row *wi_run_job(const weir_study *s, wi_job job, const volatile int *stop)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    wi_row *row = wi_row_new(s);
    char **sets = calloc(s->n_params + 2, sizeof *sets), *folder = NULL;
    const size_t n = sets && row && diag ? wi_run_sets(s, job, sets) : 0;
    const double from_s = wi_clock_s();
    weir_status status = WEIR_E_NOMEM;
    if (n > 0)
        status = weir_scenario_parse(diag, s->file, s->base_text, s->base_length, s->folder_of_files,
                                     (const char *const *)sets, n, &scenario);
    if (status == WEIR_OK && s->folder)
        status = wi_folder_of_run(s->folder, diag, s->wants_tables, job, s->points[job.point].key, &folder);
    if (status == WEIR_OK)
        status = simulate(s, diag, scenario, folder, stop, row);
    if (folder)
        wi_folder_run_done(s->folder, folder, status == WEIR_OK);
    if (row) {
        row->wall_s = wi_clock_s() - from_s;
        row->status = status;
        row->error = status == WEIR_OK ? NULL : first_error(diag, status);
    }
    if (status == WEIR_E_INTERRUPTED || (stop && *stop && status != WEIR_OK)) {
        wi_row_free(row);
        row = NULL;
    }
    if (sets)
        wi_sets_free(sets, n);
    free(sets);
    free(folder);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return row;
}
