/* weir_analyze_parallelism: trace a sequential run, count its rounds, write table and plot. */
#include "weir/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/analysis/parallelism.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/plot.h"
#include "output/results/results.h"
#include "scenario/document/document.h"
#include "scenario/session/session.h"

enum { CHUNKS = 1000, /* looks at whether the trace is full */ DEFAULT_EVENTS = 1000000, LPS_MAX = 64 };

typedef struct analysing {
    weir_diag *diag;
    const weir_scenario *scenario;
    const weir_parallelism_options *options;
    weir_parallelism *result;
    weir_session *session;
    weir_setup setup;
    wi_trace trace;
    int tracing; /* the warm-up is over */
    double began_s;
    wi_results *folder;
} analysing;

void weir_parallelism_options_init(weir_parallelism_options *options)
{
    *options = (weir_parallelism_options){.events = DEFAULT_EVENTS, .seed = 1};
}

void weir_parallelism_free(weir_parallelism *result)
{
    free(result->rows);
    free(result->output_dir);
    *result = (weir_parallelism){0};
}

static void observe(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                    uint32_t n)
{
    analysing *a = user;
    if (a->tracing)
        wi_trace_observe(&a->trace, event, scheduled, stride, n);
}

static void report_progress(const analysing *a, const char *phase)
{
    if (!a->options->progress)
        return;
    const weir_progress progress = {.now_ps = weir_session_now(a->session),
                                    .end_ps = a->scenario->duration_ps,
                                    .events = weir_session_events(a->session),
                                    .wall_s = wi_clock_s() - a->began_s,
                                    .phase = phase};
    a->options->progress(a->options->user, &progress);
}

/* The engine of the scenario does not matter: a trace comes from the sequential one. */
static weir_status make(analysing *a)
{
    weir_run_options options;
    weir_run_options_init(&options);
    options.stop = a->options->stop;
    WI_RETURN_IF_FAILED(wi_session_build(a->diag, a->scenario, &options, false, &a->session)
                            ?: wi_trace_init(a->diag, &a->trace, (uint32_t)a->options->events));
    a->session->subject->setup(a->session->made, &a->setup);
    wi_session_observe(a->session, observe, a);
    return wi_session_begin(a->session);
}

static weir_status run(analysing *a)
{
    const weir_scenario *s = a->scenario;
    const weir_time chunk_ps = s->duration_ps / CHUNKS > 0 ? s->duration_ps / CHUNKS : 1;
    weir_status status = WEIR_OK;
    if (s->output.warmup_ps > 0)
        status = weir_session_advance(a->session, s->output.warmup_ps);
    a->tracing = 1;
    a->result->from_ps = weir_session_now(a->session);
    while (status == WEIR_OK && weir_session_now(a->session) < s->duration_ps && !a->trace.full) {
        const weir_time left_ps = s->duration_ps - weir_session_now(a->session);
        status = weir_session_advance(a->session, weir_session_now(a->session) +
                                                      (left_ps < chunk_ps ? left_ps : chunk_ps));
        report_progress(a, "simulate");
    }
    a->result->to_ps = a->trace.full ? a->trace.time_ps[a->trace.n - 1] : weir_session_now(a->session);
    return status;
}

static weir_time least_lookahead(const analysing *a)
{
    weir_time least_ps = WEIR_TIME_MAX;
    for (uint32_t e = 0; e < a->result->entities; e++)
        least_ps = a->setup.lookahead_ps[e] < least_ps ? a->setup.lookahead_ps[e] : least_ps;
    return least_ps;
}

/* Numbers of LPs to try, rising; how many. */
static size_t choose_lps(const analysing *a, uint32_t *lps)
{
    const uint32_t entities = a->result->entities;
    size_t n = 0;
    if (!a->options->lps) {
        for (uint64_t l = 1; l < entities; l *= 2)
            lps[n++] = (uint32_t)l;
        lps[n++] = entities;
        return n;
    }
    for (; n < a->options->n_lps && n < LPS_MAX; n++)
        lps[n] = a->options->lps[n];
    return n;
}

static weir_status check_options(const analysing *a)
{
    const weir_parallelism_options *o = a->options;
    if (o->events < 1 || o->events > UINT64_C(1) << 31)
        return weir_fail(a->diag, WEIR_E_ARG, "a trace of %llu events; want 1 to 2147483648",
                         (unsigned long long)o->events);
    if (o->lookahead_ps < 0)
        return weir_fail(a->diag, WEIR_E_ARG, "a lookahead of %lld ps; want more than 0",
                         (long long)o->lookahead_ps);
    if (o->n_lps > LPS_MAX)
        return weir_fail(a->diag, WEIR_E_ARG, "%zu numbers of LPs; want at most %d", o->n_lps, (int)LPS_MAX);
    return WEIR_OK;
}

static weir_status check_lps(const analysing *a, const uint32_t *lps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (lps[i] < 1 || lps[i] > a->result->entities)
            return weir_fail(a->diag, WEIR_E_ARG, "%u LPs; the scenario has %u entities, so want 1 to %u",
                             lps[i], a->result->entities, a->result->entities);
    return WEIR_OK;
}

static weir_status count(analysing *a, const uint32_t *lps, size_t n)
{
    weir_parallelism *r = a->result;
    WI_FREED uint32_t *lp = malloc((size_t)r->entities * sizeof *lp);
    r->rows = calloc(n + 1, sizeof *r->rows);
    weir_status status =
        lp && r->rows ? WEIR_OK
                      : weir_fail(a->diag, WEIR_E_NOMEM, "no memory for the LPs of %u entities", r->entities);
    for (size_t i = 0; i < n && status == WEIR_OK; i++) {
        weir_parallelism_row *row = &r->rows[i];
        row->lps = lps[i];
        wi_parallelism_assign(a->options->seed, r->entities, lps[i], lp);
        status = wi_parallelism_rounds(a->diag, &a->trace, lp, lps[i], r->lookahead_ps, &row->rounds);
        row->parallelism = row->rounds ? (double)r->events / (double)row->rounds : 0.0;
        row->utilisation = row->parallelism / lps[i];
        r->n_rows = i + 1;
        report_progress(a, "rounds");
        if (status == WEIR_OK && a->options->stop && *a->options->stop)
            status = WEIR_E_INTERRUPTED;
    }
    return status;
}

#define PARALLELISM(X)                                                     \
    X(U64, "lps", "", row->lps, "LPs that the entities are dealt to"),     \
        X(U64, "rounds", "", row->rounds, "rounds that the events take"),  \
        X(DOUBLE, "parallelism", "1", row->parallelism, "events a round"), \
        X(DOUBLE, "utilisation", "1", row->utilisation, "events a round and LP")
static const wi_result_column columns[] = {PARALLELISM(WI_COLUMN)};
static const wi_result_table parallelism_table = WI_RESULT(CSV, "parallelism.csv", columns);

static weir_status write_table(analysing *a, const char *folder)
{
    wi_csv *csv;
    const weir_status status = wi_csv_table(a->diag, folder, &parallelism_table, &csv);
    for (size_t i = 0; status == WEIR_OK && i < a->result->n_rows; i++) {
        const weir_parallelism_row *row = &a->result->rows[i];
        wi_csv_row(csv, (const wi_cell[]){PARALLELISM(WI_CELL)});
    }
    return status ?: wi_csv_close(a->diag, csv);
}

static weir_status write_plot(analysing *a, const char *folder)
{
    double x[LPS_MAX], parallelism[LPS_MAX], utilisation[LPS_MAX];
    const size_t n = a->result->n_rows;
    for (size_t i = 0; i < n; i++) {
        x[i] = a->result->rows[i].lps;
        parallelism[i] = a->result->rows[i].parallelism;
        utilisation[i] = a->result->rows[i].utilisation;
    }
    const wi_curve curves[2] = {{NULL, x, parallelism, n}, {NULL, x, utilisation, n}};
    const wi_plot plots[2] = {
        {"Parallelism", "LPs", "events a round", .log_x = true, .log_y = true, .curves = &curves[0],
         .n_curves = 1},
        {"Utilisation", "LPs", "events a round and LP", .log_x = true, .curves = &curves[1], .n_curves = 1}};
    return wi_plot_put(a->diag, folder, "parallelism.svg", plots, 2);
}

static weir_status write_summary(analysing *a, const char *folder)
{
    const weir_parallelism *r = a->result;
    json_auto_t *o = json_object();
    json_object_set_new(o, "name", json_string(a->scenario->name));
    json_object_set_new(o, "weir", json_string(WEIR_VERSION));
    json_object_set_new(o, "analysis", json_string("parallelism"));
    json_object_set_new(o, "model", json_string(a->session->subject->section.name));
    json_object_set_new(o, "entities", wi_json_count(r->entities));
    json_object_set_new(o, "events", wi_json_count(r->events));
    json_object_set_new(o, "from_s", wi_json_real(weir_seconds(r->from_ps)));
    json_object_set_new(o, "to_s", wi_json_real(weir_seconds(r->to_ps)));
    json_object_set_new(o, "lookahead_s", wi_json_real(weir_seconds(r->lookahead_ps)));
    json_object_set_new(o, "assignment_seed", wi_json_count(a->options->seed));
    return wi_json_put(a->diag, folder, "summary.json", o);
}

static weir_status write_all(analysing *a)
{
    if (!a->folder)
        return WEIR_OK;
    const char *folder = wi_results_folder(a->folder);
    weir_status status = write_table(a, folder)
            ?: write_plot(a, folder)
            ?: write_summary(a, folder)
            ?: wi_scenario_put(a->diag, a->scenario, folder)
            ?: wi_results_commit(a->diag, a->folder);
    if (status == WEIR_OK)
        a->result->output_dir = strdup(wi_results_path(a->folder));
    return status;
}

static weir_status open_folder(analysing *a)
{
    char path[4096];
    if (a->options->no_output)
        return WEIR_OK;
    if (a->options->output_dir)
        snprintf(path, sizeof path, "%s", a->options->output_dir);
    else
        snprintf(path, sizeof path, "results/%s-parallelism", a->scenario->name);
    return wi_results_open(a->diag, path, a->options->force, &a->folder)
               ?: wi_results_check(a->diag, a->folder);
}

static weir_status analyse(analysing *a)
{
    uint32_t lps[LPS_MAX];
    size_t n = 0;
    WI_RETURN_IF_FAILED(check_options(a) ?: make(a) ?: open_folder(a));
    a->result->entities = weir_sim_entities(a->session->sim);
    a->result->lookahead_ps = a->options->lookahead_ps ? a->options->lookahead_ps : least_lookahead(a);
    n = choose_lps(a, lps);
    weir_status status = check_lps(a, lps, n) ?: run(a) ?: wi_trace_link(a->diag, &a->trace, a->result->entities);
    a->result->events = a->trace.n;
    return status ?: count(a, lps, n) ?: write_all(a);
}

weir_status weir_analyze_parallelism(weir_diag *diag, const weir_scenario *scenario,
                                     const weir_parallelism_options *options, weir_parallelism *result)
{
    weir_parallelism_options usual;
    weir_parallelism_options_init(&usual);
    analysing a = {.diag = diag,
                   .scenario = scenario,
                   .options = options ? options : &usual,
                   .result = result,
                   .began_s = wi_clock_s()};
    *result = (weir_parallelism){0};
    const weir_status status = analyse(&a);
    weir_session_close(a.session);
    wi_trace_free(&a.trace);
    wi_results_free(a.folder);
    return status;
}
