/* Metrics: what they are called, and how they come from a run that is over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/source.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/units/decimal.h"
#include "output/recorder.h"
#include "schema/yaml.h"
#include "scenario/session/session.h"
#include "scenario/document/document.h"
#include "study/tables/column.h"
#include "study/plan/pool.h"
#include "study/plan/study.h"

const char *wi_metric_unit(const wi_metric *m)
{
    static const struct {
        const char *end, *unit;
    } units[] = {{"_per_simulated_s", "1/s"},
                 {"per_s", "1/s"}, /* lookups.per_s too */
                 {"_s", "s"},
                 {"_s.mean", "s"},
                 {"_s.ci95", "s"},
                 {"_s.theory", "s"},
                 {"_bps", "bit/s"},
                 {"_Bps", "B/s"},
                 {"_bytes", "B"}};
    const char *const of = m->kind == WI_METRIC_FIGURE ? m->of : m->column;
    const size_t n = strlen(of);
    if (m->kind != WI_METRIC_FIGURE &&
        (strcmp(m->statistic, "count") == 0 || strcmp(m->statistic, "cut") == 0))
        return "";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t k = strlen(units[i].end);
        if (n > k && strcmp(of + n - k, units[i].end) == 0)
            return units[i].unit;
    }
    return "";
}

static char *take_text(weir_study *s, const char *from, const char *to)
{
    const wi_slice text = wi_trimmed(from, to);
    return wi_text_copy(s->arena, text.text, text.length);
}

/* The statistic in front of the bracket: a word, or p and a number from 0 to 100. */
static bool take_statistic(wi_metric *m)
{
    const char *at = m->statistic + 1, *end = m->statistic + strlen(m->statistic);
    if (m->statistic[0] == 'p' && wi_read_double(&at, end, &m->quantile) && at == end) {
        m->quantile /= 100.0;
        return m->quantile >= 0.0 && m->quantile <= 1.0;
    }
    return wi_statistic_known(m->statistic);
}

/* The last ` and ` of the text from here to `end`, in front of a column; null: none. */
static const char *last_and(const char *from, const char *end)
{
    const char *found = NULL;
    for (const char *at = strstr(from, " and "); at && at < end; at = strstr(at + 1, " and "))
        found = at;
    return found;
}

/* COLUMN = TEXT [and COLUMN = TEXT ...], up to `end`; an `and` without an = behind it is part of a text. */
static bool take_where(weir_study *s, wi_metric *m, const char *from, const char *end)
{
    for (const char *next; from; from = next ? next + sizeof " and " - 1 : NULL) {
        const char *equal = memchr(from, '=', (size_t)(end - from));
        if (!equal || m->n_where == WI_WHERE_MAX)
            return false;
        const char *after = memchr(equal + 1, '=', (size_t)(end - equal - 1));
        wi_where *where = &m->where[m->n_where++];
        next = after ? last_and(equal, after) : NULL;
        where->column = take_text(s, from, equal);
        where->text = take_text(s, equal + 1, next ? next : end);
        if (!where->column || !where->text)
            return false;
    }
    return m->kind != WI_METRIC_SERIES || m->n_where == 1;
}

/* STATISTIC(TABLE.COLUMN [where COLUMN = TEXT [and ...]]) */
static weir_status take_column(weir_study *s, const weir_name *name, wi_metric *m, const char *bracket)
{
    const char *end = m->of + strlen(m->of) - 1, *where = strstr(bracket, " where "),
               *stop = where ? where : end;
    static const char form[] =
        "want STATISTIC(TABLE.COLUMN) or STATISTIC(TABLE.COLUMN where COLUMN = TEXT), as in "
        "p99(flows.completion_s where class = bulk); up to three conditions of a table, by `and`";
    m->kind = WI_METRIC_COLUMN;
    m->statistic = take_text(s, m->of, bracket);
    if (*end != ')' || !m->statistic)
        return WI_STUDY_FAIL(s, name->place, "metric '%s': %s", m->of, form);
    if (!take_statistic(m))
        return WI_STUDY_FAIL(s, name->place,
                             "metric '%s': no statistic '%s'; there are mean, sd, min, max, sum, count, "
                             "median, p0 to p100, pooled; and of time series steady, cut, halfwidth",
                             m->of, m->statistic);
    const char *from = bracket + 1, *dot = memchr(from, '.', (size_t)(stop - from));
    if (dot && (size_t)(dot - from) == 6 && strncmp(from, "series", 6) == 0) {
        m->kind = WI_METRIC_SERIES;
        from = dot + 1;
        dot = memchr(from, '.', (size_t)(stop - from));
    }
    if (!dot || (where && !take_where(s, m, where + sizeof " where " - 1, end)))
        return WI_STUDY_FAIL(s, name->place, "metric '%s': %s", m->of, form);
    m->table = take_text(s, from, dot);
    m->column = take_text(s, dot + 1, stop);
    if (wi_statistic_of_time(m->statistic) && m->kind != WI_METRIC_SERIES)
        return WI_STUDY_FAIL(s, name->place,
                             "metric '%s': %s is of time series: series.GROUP.COLUMN where row = ...", m->of,
                             m->statistic);
    if (wi_statistic_of_time(m->statistic))
        m->quantile = s->scenario->study.confidence;
    if (strcmp(m->statistic, "halfwidth") == 0)
        m->kept = wi_text_format(s->arena, "%s at %.17g", m->of, m->quantile);
    m->pooled = strcmp(m->statistic, "pooled") == 0;
    s->wants_tables = s->wants_tables || m->kind == WI_METRIC_COLUMN;
    s->wants_series = s->wants_series || m->kind == WI_METRIC_SERIES;
    return m->table && m->column && m->kept ? WEIR_OK : wi_study_no_memory(s->diag);
}

weir_status wi_metric_parse(weir_study *s, const weir_name *name, wi_metric *m)
{
    const char *text = name->text, *bracket = strchr(text, '('), *equal = strchr(text, '=');
    if (equal && (!bracket || equal < bracket)) {
        m->name = take_text(s, text, equal);
        m->of = take_text(s, equal + 1, text + strlen(text));
    } else {
        m->name = m->of = take_text(s, text, text + strlen(text));
    }
    if (!m->name || !m->of)
        return wi_study_no_memory(s->diag);
    if (!m->name[0] || !m->of[0])
        return WI_STUDY_FAIL(s, name->place, "metric '%s': want NAME = FIGURE", text);
    m->kept = m->of;
    bracket = strchr(m->of, '(');
    return bracket ? take_column(s, name, m, bracket) : WEIR_OK;
}

/* Whether a parameter may name the classes of its points otherwise than the scenario does. */
static bool varies_classes(const weir_study *s)
{
    for (uint32_t i = 0; i < s->n_params; i++) {
        const char *path = s->params[i].path;
        const size_t n = path ? strlen(path) : 0;
        if (n >= 7 && strncmp(path, "traffic", 7) == 0 &&
            (!path[7] || strcmp(path + n - 5, ".name") == 0 || path[n - 1] == '+'))
            return true;
    }
    return false;
}

/* A class behind `where` that there is none of has no rows, which only the end of a run would tell. */
static weir_status check_classes(weir_study *s, const wi_metric *m)
{
    const weir_scenario *scenario = s->scenario;
    WI_FREED const char **names = calloc(scenario->n_traffic + 1, sizeof *names);
    if (!names)
        return wi_study_no_memory(s->diag);
    for (size_t i = 0; i < scenario->n_traffic; i++)
        names[i] = scenario->traffic[i].name.text;
    for (size_t w = 0; w < m->n_where; w++) {
        bool there =
            scenario->n_traffic == 0 || strcmp(m->where[w].column, "class") != 0 || varies_classes(s);
        for (size_t i = 0; i < scenario->n_traffic && !there; i++)
            there = strcmp(names[i], m->where[w].text) == 0;
        if (!there)
            return WI_STUDY_FAIL(s, m->place, "metric '%s': no class '%s'%s", m->of, m->where[w].text,
                                 WI_HINT(m->where[w].text, names, scenario->n_traffic));
    }
    return WEIR_OK;
}

enum { USUAL_MAX = 8 /* figures of a model */ };

/* What is measured where nobody says it. */
static size_t usual_metrics(weir_study *s, weir_name *out)
{
    const weir_scenario *scenario = s->scenario;
    size_t n = 0;
    for (const char *const *usual = wi_subject_of(scenario)->usual; usual && usual[n] && n < USUAL_MAX; n++)
        out[n].text = usual[n];
    for (size_t i = 0; i < scenario->n_traffic; i++) {
        char text[400];
        snprintf(text, sizeof text, "classes.%s.goodput_bps", scenario->traffic[i].name.text);
        out[n++].text = take_text(s, text, text + strlen(text));
    }
    return n;
}

weir_status wi_metrics_make(weir_study *s)
{
    const weir_names *asked = &s->scenario->study.metrics;
    const size_t most = asked->n + s->scenario->n_traffic + USUAL_MAX;
    weir_name *usual = weir_arena_alloc(s->arena, most, sizeof *usual);
    s->metrics = weir_arena_alloc(s->arena, most, sizeof *s->metrics);
    if (!usual || !s->metrics)
        return wi_study_no_memory(s->diag);
    const weir_name *names = asked->n ? asked->item : usual;
    const size_t n = asked->n ? asked->n : usual_metrics(s, usual);
    weir_status status = WEIR_OK;
    uint32_t pooled = 0;
    for (size_t i = 0; i < n && status == WEIR_OK; i++) {
        if (!names[i].text)
            return wi_study_no_memory(s->diag);
        status = wi_metric_parse(s, &names[i], &s->metrics[i]);
        s->metrics[i].place = names[i].place;
        status = status ?: check_classes(s, &s->metrics[i]);
        pooled += s->metrics[i].pooled;
        if (status == WEIR_OK && pooled > WI_POOL_METRICS)
            status = WI_STUDY_FAIL(s, names[i].place, "metric '%s': no more than %d are pooled",
                                   s->metrics[i].name, WI_POOL_METRICS);
        for (size_t k = 0; k < i && status == WEIR_OK; k++)
            if (strcmp(s->metrics[k].name, s->metrics[i].name) == 0)
                status = WI_STUDY_FAIL(s, names[i].place,
                                       "a second metric '%s'; give one of them another name: NAME = %s",
                                       s->metrics[i].name, s->metrics[i].of);
        s->n_metrics++;
    }
    return status;
}

/* ---- taking ---- */

/* A run without this figure or table has no value of it; wi_metrics_check saw that some run has one. */
static weir_status missing(weir_status status)
{
    return status == WEIR_E_ARG ? WEIR_OK : status;
}

/* Adds the samples of a row. Those of the warm-up stay out, as of all figures. */
static weir_status add_series(weir_diag *diag, weir_session *session, const wi_metric *m, const char *row,
                              double **out, size_t *n)
{
    weir_session_samples samples;
    WI_RETURN_IF_FAILED(weir_session_series(session, m->table, m->column, row, &samples));
    const double warm_s = (double)session->scenario->output.warmup_ps / 1e12; /* as time_s has it */
    size_t from = 0;
    while (from < samples.n && samples.time_s[from] <= warm_s)
        from++;
    double *all = realloc(*out, (*n + samples.n - from + 1) * sizeof *all);
    if (!all)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the samples of %s", m->of);
    if (samples.n > from)
        memcpy(all + *n, samples.value + from, (samples.n - from) * sizeof *all);
    *out = all;
    *n += samples.n - from;
    return WEIR_OK;
}

/* Of the row that is named; else of all rows, one behind the other, but for statistics of time, which are of one row. */
static weir_status series_values(weir_diag *diag, weir_session *session, const wi_metric *m, double **out,
                                 size_t *n)
{
    char *const *rows = NULL;
    const char *const named = m->n_where ? m->where[0].text : NULL;
    const size_t n_rows = named || wi_statistic_of_time(m->statistic)
                              ? 0
                              : wi_recorder_rows(session->recorder, m->table, &rows);
    weir_status status = WEIR_OK;
    if (n_rows == 0)
        return add_series(diag, session, m, named, out, n);
    for (size_t i = 0; i < n_rows && status == WEIR_OK; i++)
        status = add_series(diag, session, m, rows[i], out, n);
    return status;
}

weir_status wi_metric_take(const weir_study *s, weir_diag *diag, const wi_run_results *run, uint32_t i,
                           wi_row *row)
{
    const wi_metric *m = &s->metrics[i];
    double *values = NULL;
    size_t n = 0;
    row->metric[i] = (double)NAN;
    if (m->kind == WI_METRIC_FIGURE)
        return wi_json_number(diag, run->summary, m->of, &row->metric[i]);
    weir_status status = m->kind == WI_METRIC_SERIES ? series_values(diag, run->session, m, &values, &n)
                                                     : wi_column_values(diag, run->folder, m, &values, &n);
    if (status == WEIR_OK && m->pooled) {
        free(row->pool[i]);
        if (!(row->pool[i] = wi_pool_text(values, n)))
            status = weir_fail(diag, WEIR_E_NOMEM, "no memory for the samples of %s", m->of);
    }
    if (status == WEIR_OK)
        row->metric[i] = wi_statistic(m->statistic, m->quantile, values, n);
    free(values);
    return status;
}

weir_status wi_metrics_take(const weir_study *s, weir_diag *diag, weir_session *session,
                            const weir_run_result *result, wi_row *row)
{
    const wi_run_results run = {session, json_loads(result->summary_json, 0, NULL), result->output_dir};
    weir_status status = run.summary ? WEIR_OK : wi_study_no_memory(diag);
    for (uint32_t i = 0; i < s->n_metrics && status == WEIR_OK; i++)
        status = missing(wi_metric_take(s, diag, &run, i, row));
    json_decref(run.summary);
    return status;
}
