/* Estimates what a study takes: begins some runs for a moment each, and infers the rest from them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/clock.h"
#include "base/units/figures.h"
#include "ranks/ranks.h"
#include "output/json.h"
#include "output/results/remove_tree.h"
#include "study/folder/apart.h"
#include "study/plan/study.h"
#include "study/runs/run.h"
#include "study/runs/work.h"
#include "weir/run.h"
#include "weir/session.h"

enum { LOOKS = 24 };
static const double look_s = 0.2;

typedef struct look {
    double run_s; /* NaN: not looked at, or the run cannot be opened */
    uint64_t memory_bytes;
    char error[300];
} look;

/* Simulates for a moment; a run's beginning (slow start, empty queues) counts as the whole. */
static weir_status begin_run(weir_diag *diag, const weir_scenario *scenario, double *run_s)
{
    weir_session *session = NULL;
    const double from_s = wi_clock_s();
    weir_status status = weir_session_open(diag, scenario, NULL, &session);
    const double open_s = wi_clock_s() - from_s;
    const weir_time end_ps = session ? weir_session_end(session) : 0, step_ps = end_ps / 200 + 1;
    while (status == WEIR_OK && weir_session_now(session) < end_ps && wi_clock_s() - from_s - open_s < look_s)
        status = weir_session_advance(session, weir_session_now(session) + step_ps);
    if (status == WEIR_OK)
        *run_s =
            open_s + (wi_clock_s() - from_s - open_s) * (double)end_ps / (double)weir_session_now(session);
    weir_session_close(session);
    return status;
}

static void look_at(const weir_study *s, uint32_t point, look *out)
{
    wi_run run;
    weir_estimate estimate = {0};
    wi_run_begin(s, (wi_job){point, 0}, &run);
    if (run.status == WEIR_OK)
        run.status = weir_estimate_scenario(run.diag, run.scenario, &estimate);
    if (run.status == WEIR_OK)
        run.status = begin_run(run.diag, run.scenario, &out->run_s);
    out->memory_bytes = estimate.memory_bytes;
    if (run.status != WEIR_OK && weir_diag_count(run.diag) > 0)
        weir_message_format(weir_diag_get(run.diag, 0), out->error, sizeof out->error);
    wi_run_drop(s, &run);
}

/* Is a point one of those that are looked at? */
static bool is_looked_at(const weir_study *s, uint32_t point)
{
    return s->n_points <= LOOKS || point % (s->n_points / LOOKS) == 0;
}

/* How many runs the device holds at once: the least over some points. */
typedef struct holding {
    const weir_study *s;
    const weir_study_options *options;
    uint32_t least;
    char why[300];
} holding;

static void find_holding(void *user)
{
    holding *h = user;
    const volatile int *const stop = h->options->stop;
    h->least = UINT32_MAX;
    for (uint32_t i = 0; i < h->s->n_points && !(stop && *stop); i++) {
        if (!is_looked_at(h->s, i))
            continue;
        const uint32_t holds = wi_device_holds(h->s, i, h->why, sizeof h->why);
        h->least = holds < h->least ? holds : h->least;
    }
}

/* Waves of a device. */
static void list_device(const weir_study *s, const weir_study_options *o, double runs, FILE *out)
{
    holding h = {.s = s, .options = o, .why = "asking it ended the process that did"};
    if (s->device_here)
        find_holding(&h);
    else
        (void)wi_apart(s, find_holding, &h, &h, sizeof h, o);
    if (h.least == 0)
        fprintf(out, "# %s: some runs go to the cores: %s\n", s->device_name, h.why);
    else
        fprintf(out, "# %s: %.0f waves; it holds %u runs at once\n", s->device_name,
                ceil(runs / (h.least < WI_WAVE_MAX ? h.least : WI_WAVE_MAX)), h.least);
}

/* Refuses a metric that no run has, as a study does. The runs looked at write into a folder that is removed. */
static weir_status check_metrics(weir_study *s, const weir_study_options *options)
{
    char folder[] = "/tmp/weir-study-XXXXXX";
    if (!mkdtemp(folder))
        return weir_fail_at(s->diag, WEIR_E_IO, folder, 0, 0, "the folder cannot be made: %s",
                            strerror(errno));
    const weir_status status = wi_metrics_check(s, folder, options);
    (void)wi_remove_tree(folder);
    return status;
}

/* As wi_figure_duration, and in minutes and hours where it is that long. */
static char *duration(char *out, double s)
{
    if (!(s >= 600.0))
        return wi_figure_duration(out, s);
    snprintf(out, WI_FIGURE, "%.3g %s", s / (s < 36000.0 ? 60.0 : 3600.0), s < 36000.0 ? "min" : "h");
    return out;
}

/* Of all points. */
typedef struct total {
    double run_s, runs, looked, most_bytes; /* run_s: of those looked at */
} total;

/* A point as a program reads it. */
static json_t *point_json(const weir_study *s, uint32_t i, const look *l)
{
    const wi_point *p = &s->points[i];
    json_t *o = json_object(), *parameters = json_object();
    for (uint32_t k = 0; k < s->n_params; k++)
        json_object_set_new(parameters, s->params[k].name, json_string(p->value[k]));
    json_object_set_new(o, "point", json_integer(i));
    json_object_set_new(o, "parameters", parameters);
    json_object_set_new(o, "runs", json_integer(p->want));
    json_object_set_new(o, "run_s", wi_json_real(l->run_s));
    json_object_set_new(o, "memory_bytes", isnan(l->run_s) ? json_null() : wi_json_count(l->memory_bytes));
    if (l->error[0])
        json_object_set_new(o, "error", json_string(l->error));
    return o;
}

/* As text to `out`, or where `points` is an array behind that. */
static void list_point(const weir_study *s, uint32_t i, FILE *out, json_t *points, total *sum)
{
    char text[1000], time[WI_FIGURE] = "", memory[WI_FIGURE] = "";
    look l = {.run_s = (double)NAN};
    if (is_looked_at(s, i)) {
        look_at(s, i, &l);
        duration(time, l.run_s);
        wi_figure_unit(memory, (double)l.memory_bytes, "B");
    }
    sum->runs += s->points[i].want;
    if (!isnan(l.run_s)) {
        sum->run_s += l.run_s;
        sum->looked++;
        sum->most_bytes = fmax(sum->most_bytes, (double)l.memory_bytes);
    }
    if (points) {
        json_array_append_new(points, point_json(s, i, &l));
        return;
    }
    fprintf(out, "%7u %5u  %12s %12s  %s\n", i, s->points[i].want, time, memory,
            wi_plan_describe(s, &s->points[i], text, sizeof text));
    if (l.error[0])
        fprintf(out, "#        would fail: %s\n", l.error);
}

static void print_total(const weir_study *s, const total *sum, uint32_t jobs, FILE *out)
{
    char all[WI_FIGURE], here[WI_FIGURE], memory[WI_FIGURE];
    const double total_s = sum->looked > 0.0 ? sum->run_s / sum->looked * sum->runs : (double)NAN;
    fprintf(out, "# %u parameter sets, %.0f runs%s: about %s of a core, %s with %u at once; %s of memory\n",
            s->n_points, sum->runs, s->scenario->study.until_precision > 0.0 ? " at least" : "",
            duration(all, total_s), duration(here, total_s / jobs), jobs,
            wi_figure_unit(memory, sum->most_bytes * jobs, "B"));
}

static weir_status list(weir_study *s, const weir_study_options *o, FILE *out, json_t *points)
{
    const uint32_t jobs = wi_jobs_at_once(s, o);
    wi_executor *executor;
    WI_RETURN_IF_FAILED(wi_executor_choose(s, o, &executor) ?: check_metrics(s, o));
    total sum = {0};
    if (!points)
        fprintf(out, "# point  runs   a run takes       memory  parameters\n");
    for (uint32_t i = 0; i < s->n_points && !(o->stop && *o->stop); i++)
        list_point(s, i, out, points, &sum);
    if (points)
        return WEIR_OK;
    print_total(s, &sum, jobs, out);
    if (executor == wi_run_on_device)
        list_device(s, o, sum.runs, out);
    if (fflush(out) != 0 || ferror(out))
        return weir_fail(s->diag, WEIR_E_IO, "the list of runs cannot be written: %s", strerror(errno));
    return WEIR_OK;
}

static weir_status list_alone(weir_study *s, const weir_study_options *options, FILE *out, json_t *points)
{
    weir_study_options usual;
    weir_study_options_init(&usual);
    wi_ranks_set_alone(wi_ranks_of_run() !=
                       NULL); /* runs that are timed are this process's own, not the ranks' */
    const weir_status status = list(s, options ? options : &usual, out, points);
    wi_ranks_set_alone(0);
    return status;
}

weir_status weir_study_list(weir_study *s, const weir_study_options *options, FILE *out)
{
    return list_alone(s, options, out, NULL);
}

weir_status weir_study_plan(weir_study *s, const weir_study_options *options, char **out)
{
    json_auto_t *points = json_array();
    *out = NULL;
    WI_RETURN_IF_FAILED(list_alone(s, options, NULL, points));
    *out = wi_json_text(points);
    return *out ? WEIR_OK : wi_study_no_memory(s->diag);
}
