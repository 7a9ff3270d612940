/* Looks at some runs before any is made: a metric that none of them has is an error. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "study/folder/apart.h"
#include "base/memory.h"
#include "study/runs/run.h"

weir_status wi_look(const weir_study *s, uint32_t point, const char *folder, uint8_t *found, json_t **summary,
                    weir_diag **messages)
{
    wi_run run;
    weir_run_options options;
    weir_run_result result = {0};
    char *path = NULL;
    wi_run_begin(s, (wi_job){point, 0}, &run);
    wi_run_options(s, &run, NULL, &options);
    if (run.status == WEIR_OK && asprintf(&path, "%s/metrics", folder) < 0)
        run.status = wi_study_no_memory(run.diag);
    options.no_output = !s->wants_tables;
    options.output_dir = path;
    if (run.status == WEIR_OK)
        run.status = weir_session_open(run.diag, run.scenario, &options, &run.session);
    if (run.status == WEIR_OK)
        run.status = weir_session_finish(run.session, &result);
    const weir_status status = run.status;
    const wi_run_results results = {
        run.session, status == WEIR_OK ? json_loads(result.summary_json, 0, NULL) : NULL, path};
    for (uint32_t i = 0; results.summary && i < s->n_metrics; i++)
        found[i] = wi_metric_take(s, run.diag, &results, i, run.row) == WEIR_OK || found[i];
    if (summary)
        *summary = json_incref(results.summary);
    json_decref(results.summary);
    weir_run_result_free(&result);
    free(path);
    *messages = run.diag;
    run.diag = NULL;
    wi_run_drop(s, &run);
    return status;
}

/* What looking at some runs has found. */
typedef struct finding {
    bool lacks; /* no run has this metric; `text`: the first run's message about it, or nothing */
    uint32_t metric;
    weir_status refused; /* no run at all can be opened, for what the first one says; WEIR_OK: some can */
    char file[1000], text[2000];
    int line, column;
} finding;

typedef struct looking {
    const weir_study *s;
    const char *folder;
    finding *found;
} looking;

/* Finds the first metric that no run has, and the first run's message about it. */
static void find_missing(const weir_study *s, const weir_diag *messages, const uint8_t *found, finding *out)
{
    uint32_t k = 0;
    while (found[k])
        k++;
    const char *text = NULL; /* one that names it, else the first */
    for (size_t i = weir_diag_count(messages); i-- > 0;) {
        const weir_message *const message = weir_diag_get(messages, i);
        if (message->severity == WEIR_ERROR && (!text || !strstr(text, s->metrics[k].of)))
            text = message->text;
        if (message->severity == WEIR_ERROR && strstr(message->text, s->metrics[k].of))
            text = message->text;
    }
    out->lacks = true;
    out->metric = k;
    snprintf(out->text, sizeof out->text, "%s", text ? text : "");
}

/* Keeps why a run could not be opened: its first error. */
static void keep_refusal(const weir_diag *messages, weir_status status, finding *out)
{
    for (size_t i = 0; i < weir_diag_count(messages); i++) {
        const weir_message *const message = weir_diag_get(messages, i);
        if (message->severity != WEIR_ERROR)
            continue;
        out->refused = status;
        snprintf(out->file, sizeof out->file, "%s", message->file ? message->file : "");
        snprintf(out->text, sizeof out->text, "%s", message->text);
        out->line = message->line;
        out->column = message->column;
        return;
    }
}

/* Looks at some points over the whole plan, as a class may be in some only; at all, until a run can be opened. */
static void look_at_some(void *user)
{
    enum { LOOKS = 16 };
    const looking *const l = user;
    const weir_study *const s = l->s;
    WI_FREED uint8_t *found = calloc(s->n_metrics + 1, 1);
    weir_diag *first = NULL; /* of the first run that could be opened; others fail later, by name */
    const uint32_t looks = s->n_points <= LOOKS ? s->n_points : LOOKS + s->n_points;
    for (uint32_t k = 0; found && k < looks && !(k >= LOOKS && first); k++) {
        const uint32_t point = s->n_points <= LOOKS ? k
                               : k < LOOKS          ? (uint32_t)((uint64_t)k * s->n_points / LOOKS)
                                                    : k - LOOKS;
        weir_diag *messages = NULL;
        const weir_status status = wi_look(s, point, l->folder, found, NULL, &messages);
        if (status != WEIR_OK && l->found->refused == WEIR_OK)
            keep_refusal(messages, status, l->found);
        if (status == WEIR_OK && !first)
            first = messages;
        else
            weir_diag_free(messages);
        if (!memchr(found, 0, s->n_metrics))
            break;
    }
    if (first)
        l->found->refused = WEIR_OK;
    if (first && memchr(found, 0, s->n_metrics))
        find_missing(s, first, found, l->found);
    weir_diag_free(first);
}

weir_status wi_metrics_check(weir_study *s, const char *folder, const weir_study_options *options)
{
    finding found = {0};
    looking l = {s, folder, &found};
    /* A run that dies or takes too long is not reported here: it fails later, by name. */
    (void)wi_apart(s, look_at_some, &l, &found, sizeof found, options);
    const wi_metric *const m = &s->metrics[found.metric];
    if (found.refused != WEIR_OK && found.refused != WEIR_E_NOMEM)
        return weir_fail_at(s->diag, found.refused, found.file[0] ? found.file : NULL, found.line,
                            found.column, "%s", found.text);
    if (found.lacks && !found.text[0])
        return WI_STUDY_FAIL(s, m->place, "metric '%s': no run has it; --list-metrics lists what they have",
                             m->of);
    return found.lacks ? WI_STUDY_FAIL(s, m->place, "%s; --list-metrics lists what there is", found.text)
                       : WEIR_OK;
}
