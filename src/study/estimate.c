/* What a study would take: some runs are begun, for a moment each, and the rest is inferred from them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/ranks/ranks.h"
#include "study/folder/apart.h"
#include "study/plan/study.h"
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
    weir_diag *diag = weir_diag_new();
    char **sets = calloc(s->n_params + 2, sizeof *sets);
    const size_t n = sets && diag ? wi_run_sets(s, (wi_job){point, 0}, sets) : 0;
    weir_scenario *scenario = NULL;
    weir_estimate estimate = {0};
    weir_status status = WEIR_E_NOMEM;
    if (n > 0)
        status = wi_study_scenario(s, diag, (const char *const *)sets, n, &scenario);
    if (status == WEIR_OK)
        status = weir_estimate_scenario(diag, scenario, &estimate);
    if (status == WEIR_OK)
        status = begin_run(diag, scenario, &out->run_s);
    out->memory_bytes = estimate.memory_bytes;
    if (status != WEIR_OK && weir_diag_count(diag) > 0)
        weir_message_format(weir_diag_get(diag, 0), out->error, sizeof out->error);
    weir_scenario_free(scenario);
    if (sets)
        wi_sets_free(sets, n);
    free(sets);
    weir_diag_free(diag);
}

static void duration(double s, char out[32])
{
    if (isnan(s))
        snprintf(out, 32, "?");
    else if (s < 1.0)
        snprintf(out, 32, "%.3g ms", 1e3 * s);
    else if (s < 600.0)
        snprintf(out, 32, "%.3g s", s);
    else if (s < 36000.0)
        snprintf(out, 32, "%.3g min", s / 60.0);
    else
        snprintf(out, 32, "%.3g h", s / 3600.0);
}

static void bytes(double n, char out[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t u = 0;
    for (; n >= 1000.0 && u < 4; u++)
        n /= 1000.0;
    snprintf(out, 32, "%.3g %s", n, units[u]);
}

/* What the device holds, of the point of which it holds fewest, of some. */
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
        if (h->s->n_points > LOOKS && i % (h->s->n_points / LOOKS) != 0)
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

static weir_status list(weir_study *s, const weir_study_options *options, FILE *out)
{
    weir_study_options usual;
    weir_study_options_init(&usual);
    const weir_study_options *o = options ? options : &usual;
    const uint32_t jobs = wi_jobs_at_once(s, o);
    const wi_executor *executor;
    const weir_status status = wi_executor_choose(s, o, &executor);
    if (status != WEIR_OK)
        return status;
    double sum_s = 0.0, runs = 0.0, looked = 0.0, most_bytes = 0.0;
    fprintf(out, "# point  runs   a run takes       memory  parameters\n");
    for (uint32_t i = 0; i < s->n_points && !(o->stop && *o->stop); i++) {
        char text[1000], time[32] = "", memory[32] = "";
        look l = {.run_s = (double)NAN};
        const bool looks = s->n_points <= LOOKS || i % (s->n_points / LOOKS) == 0;
        if (looks) {
            look_at(s, i, &l);
            duration(l.run_s, time);
            bytes((double)l.memory_bytes, memory);
        }
        runs += s->points[i].want;
        if (!isnan(l.run_s)) {
            sum_s += l.run_s;
            looked++;
            most_bytes = fmax(most_bytes, (double)l.memory_bytes);
        }
        fprintf(out, "%7u %5u  %12s %12s  %s\n", i, s->points[i].want, time, memory,
                wi_plan_describe(s, &s->points[i], text, sizeof text));
        if (l.error[0])
            fprintf(out, "#        would fail: %s\n", l.error);
    }
    char all[32], here[32], memory[32];
    const double total_s = looked > 0.0 ? sum_s / looked * runs : (double)NAN;
    duration(total_s, all);
    duration(total_s / jobs, here);
    bytes(most_bytes * jobs, memory);
    fprintf(out, "# %u parameter sets, %.0f runs%s: about %s of a core, %s with %u at once; %s of memory\n",
            s->n_points, runs, s->scenario->study.until_precision > 0.0 ? " at least" : "", all, here, jobs,
            memory);
    if (executor == &wi_executor_device)
        list_device(s, o, runs, out);
    if (fflush(out) != 0 || ferror(out))
        return weir_fail(s->diag, WEIR_E_IO, "the list of runs cannot be written: %s", strerror(errno));
    return WEIR_OK;
}

weir_status weir_study_list(weir_study *s, const weir_study_options *options, FILE *out)
{
    wi_ranks_set_alone(wi_ranks_of_run() != NULL); /* what is begun to be timed is this process's own */
    const weir_status status = list(s, options, out);
    wi_ranks_set_alone(0);
    return status;
}
