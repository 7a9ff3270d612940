/* Subjects of models whose entities are all alike; see uniform.h. */
#include "subject/uniform.h"

#include <math.h>
#include <string.h>

void wi_uniform_subject_setup(void *made, weir_setup *setup)
{
    wi_uniform_setup(((const wi_uniform_subject *)made)->model, setup);
}

void wi_uniform_subject_free(void *made)
{
    wi_uniform_free(((wi_uniform_subject *)made)->model);
}

/* Entities begin empty, and theory is of those that have been full for ever. Of the time that they take to fill, a warm-up leaves
 * out all but exp(-warmup / 1.3 fill): as M/M/1 queues of loads from 0.5 to 0.99 do, counted over runs of 1 to 100 such times. */
static void warn_of_short_runs(weir_diag *diag, const weir_scenario *scenario, double fill_s)
{
    const double warmup_s = weir_seconds(scenario->output.warmup_ps),
                 span_s = weir_seconds(scenario->duration_ps) - warmup_s,
                 unfilled = fill_s * exp(-warmup_s / (1.3 * fill_s)) / span_s,
                 short_of = unfilled / (1.0 + unfilled);
    if (short_of > 0.05)
        weir_warn_at(
            diag, WEIR_AT(scenario->model.place),
            "all begin empty and take about %.3g s to fill, so that means are some %.0f %% below theory; "
            "want output.warmup: %.3gs or more, and a run of %.3gs or more",
            fill_s, 100.0 * short_of, 3.0 * fill_s, 13.0 * fill_s);
}

weir_status wi_uniform_build(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                             void *made)
{
    wi_uniform_subject *const s = made;
    wi_uniform_plan plan = {0};
    s->glue = self->glue;
    s->params = wi_model_params(scenario);
    s->glue->plan(s->params, &plan);
    s->n_entities = plan.n_entities;
    if (s->glue->fill_s)
        warn_of_short_runs(diag, scenario, s->glue->fill_s(s->params));
    return wi_uniform_new(diag, s->glue->plan, s->params, &s->model);
}

weir_status wi_uniform_estimate(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                                const void *made, weir_estimate *out)
{
    enum { EVENT_BYTES = 64 };
    wi_uniform_plan plan = {0};
    (void)diag, (void)made;
    ((const wi_uniform_glue *)self->glue)->plan(wi_model_params(scenario), &plan);
    out->entities = plan.n_entities;
    out->memory_bytes = out->entities * (plan.kind.state_bytes + sizeof(weir_entity) + 2 * sizeof(weir_time) +
                                         (uint64_t)plan.pending * EVENT_BYTES);
    return WEIR_OK;
}

/* ---- the rate of events ---- */

static const wi_result_column columns[] = {
    WI_SAMPLE("events_per_s", "1/s", "events since the last sample, a second")};
const wi_result_table wi_event_rate_series = WI_RESULT(SERIES, "events", columns);

weir_status wi_event_rate_sample(void *made, wi_subject_run *run, wi_moment moment)
{
    wi_event_rate *const rate = made;
    if (moment == WI_AT_WARM)
        rate->got.warm = weir_sim_events(run->sim);
    if (moment != WI_AT_SAMPLE)
        return WEIR_OK;
    const uint64_t events = weir_sim_events(run->sim);
    const double since = (double)(events - rate->got.last) / wi_since_sample_s(run);
    rate->got.last = events;
    return wi_subject_append(run, &since);
}

double wi_events_per_s(const wi_event_rate *rate, const wi_subject_run *run)
{
    return (double)(weir_sim_events(run->sim) - rate->got.warm) / wi_since_warm_s(run);
}

/* ---- beside theory ---- */

static void totals(const wi_theory_subject *s, const weir_sim *sim, double *sum)
{
    memset(sum, 0, WI_THEORY_MOST * sizeof *sum);
    for (uint32_t e = 0; e < s->subject.n_entities; e++)
        s->subject.glue->add(weir_sim_state(sim, e), weir_sim_now(sim), sum);
}

/* Figures between two looks at the totals. */
static void figures_between(const wi_theory_subject *s, const double *from, const double *to,
                            weir_time span_ps, double *out)
{
    double gained[WI_THEORY_MOST];
    for (int i = 0; i < s->subject.glue->n_totals; i++)
        gained[i] = to[i] - from[i];
    s->subject.glue->figures(s->subject.params, gained, (double)span_ps, out);
}

weir_status wi_theory_check(void *made, const wi_subject_run *run)
{
    const wi_uniform_subject *const s = &((const wi_theory_subject *)made)->subject;
    weir_setup setup;
    wi_uniform_setup(s->model, &setup);
    for (uint32_t e = 0; e < s->n_entities; e++)
        if (!s->glue->is_sound(s->params, weir_sim_state(run->sim, e)))
            return weir_fail(run->diag, WEIR_E_MODEL,
                             "%s: %s %u is in a state that no run comes to; this is a fault of weir",
                             setup.model->name, setup.model->kinds[0].name, e);
    return WEIR_OK;
}

weir_status wi_theory_sample(void *made, wi_subject_run *run, wi_moment moment)
{
    wi_theory_subject *const s = made;
    double now[WI_THEORY_MOST], figure[WI_THEORY_MOST];
    if (moment != WI_AT_WARM && moment != WI_AT_SAMPLE)
        return WEIR_OK;
    const weir_time now_ps = weir_sim_now(run->sim), span_ps = now_ps - s->got.last_ps;
    totals(s, run->sim, now);
    if (moment == WI_AT_WARM) {
        memset(&s->got, 0, sizeof s->got);
        memcpy(s->got.warm, now, sizeof now);
    } else if (span_ps > 0) { /* not the end of the warm-up */
        figures_between(s, s->got.last, now, span_ps, figure);
        for (int k = 0; k < s->subject.glue->n_figures; k++) {
            if (isnan(figure[k])) /* of customers, of whom none came */
                continue;
            if (s->got.samples[k]++ == 0.0)
                s->got.first[k] = figure[k];
            else
                s->got.products[k] += figure[k] * s->got.before[k];
            s->got.sum[k] += figure[k];
            s->got.squares[k] += figure[k] * figure[k];
            s->got.before[k] = figure[k];
        }
    }
    memcpy(s->got.last, now, sizeof now);
    s->got.last_ps = now_ps;
    return moment == WI_AT_SAMPLE && span_ps > 0 ? wi_subject_append(run, figure) : WEIR_OK;
}

/* Near full load a sample is much like the one before: n samples whose neighbours correlate by r tell as much as
 * n (1 - r) / (1 + r) that do not. r comes out (1 + 4 r) / n too small (M. G. Kendall, Biometrika 41, 1954). */
static double ci95(const wi_theory_subject *s, int k)
{
    const double n = s->got.samples[k], sum = s->got.sum[k], mean = sum / n,
                 about_mean = s->got.squares[k] - n * mean * mean,
                 lagged = s->got.products[k] - mean * (2.0 * sum - s->got.first[k] - s->got.before[k]) +
                          (n - 1.0) * mean * mean;
    if (n < 2.0)
        return NAN;
    if (!(about_mean > 0.0))
        return 0.0;
    const double r = lagged / about_mean, full = r + (1.0 + 4.0 * r) / n,
                 like = fmin(fmax(full, 0.0), 1.0 - 1.0 / n);
    return 1.96 * sqrt(about_mean / (n - 1.0) / n * (1.0 + like) / (1.0 - like));
}

weir_status wi_theory_result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const wi_theory_subject *const s = made;
    double now[WI_THEORY_MOST], mean[WI_THEORY_MOST], theory[WI_THEORY_MOST];
    if (purpose != WI_FOR_SUMMARY)
        return WEIR_OK;
    totals(s, run->sim, now);
    figures_between(s, s->got.warm, now, weir_sim_now(run->sim) - run->warm_ps, mean);
    s->subject.glue->predict(s->subject.params, theory);
    wi_cell row[2 + 3 * WI_THEORY_MOST] = {{.U64 = s->subject.n_entities},
                                           {.DOUBLE = now[0] - s->got.warm[0]}};
    for (int k = 0; k < s->subject.glue->n_figures; k++) {
        const double figure[] = {mean[k], ci95(s, k), theory[k]};
        memcpy(&row[2 + 3 * k], figure, sizeof figure);
    }
    wi_result_put(into, s->subject.glue->summary, row, 0);
    return WEIR_OK;
}
