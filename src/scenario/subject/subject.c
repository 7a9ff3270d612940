/* What subjects share; see subject.h. */
#include "scenario/subject/subject.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "scenario/subject/theory.h"

const void *wi_model_params(const weir_scenario *scenario)
{
    return scenario->model.params;
}

weir_status wi_memory_check(weir_diag *diag, const char *what, uint64_t bytes, weir_place place)
{
    const double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if ((double)bytes <= has)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_NOMEM, place.file, place.line, place.column,
                        "so many %s take about %.3g GB of memory, and this machine has %.3g GB", what,
                        (double)bytes / 1e9, has / 1e9);
}

weir_status wi_estimate_entities(weir_estimate *out, uint64_t n, uint64_t state_bytes, uint64_t events)
{
    enum { EVENT_BYTES = 64 };
    out->entities = n;
    out->memory_bytes =
        n * (state_bytes + sizeof(weir_entity) + 2 * sizeof(weir_time) + events * EVENT_BYTES);
    return WEIR_OK;
}

static weir_status check_size(const wi_subject *subject, weir_diag *diag, const weir_scenario *scenario)
{
    const char *params = wi_model_params(scenario);
    weir_estimate size = {0};
    const weir_status status = subject->estimate(diag, scenario, NULL, &size);
    return status == WEIR_OK
               ? wi_memory_check(diag, subject->entities, size.memory_bytes,
                                 *(const weir_place *)(const void *)(params + subject->section.place_offset))
               : status;
}

weir_status wi_subject_build(const wi_subject *subject, weir_diag *diag, const weir_scenario *scenario,
                             void **made)
{
    *made = calloc(1, subject->size);
    if (!*made)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %s", subject->section.name);
    const weir_status status = subject->entities ? check_size(subject, diag, scenario) : WEIR_OK;
    return status == WEIR_OK ? subject->build(diag, scenario, *made) : status;
}

void wi_subject_free(const wi_subject *subject, void *made)
{
    if (made)
        subject->free(made);
    free(made);
}

weir_status wi_subject_append(const wi_subject_run *run, const double *values)
{
    return run->table ? wi_series_append(run->diag, run->table, weir_sim_now(run->sim), values) : WEIR_OK;
}

double wi_since_sample_s(const wi_subject_run *run)
{
    return weir_seconds(weir_sim_now(run->sim) - run->last_ps);
}

double wi_since_warm_s(const wi_subject_run *run)
{
    return weir_seconds(weir_sim_now(run->sim) - run->warm_ps);
}

/* ---- the rate of events ---- */

static const wi_result_column columns[] = {
    WI_SAMPLE("events_per_s", "1/s", "events since the last sample, a second")};
const wi_result_table wi_event_rate_series = WI_RESULT(SERIES, "events", columns);

weir_status wi_event_rate_sample(void *made, wi_subject_run *run, wi_moment moment)
{
    wi_event_rate *const rate = made;
    if (moment == WI_AT_WARM)
        rate->warm_events = weir_sim_events(run->sim);
    if (moment != WI_AT_SAMPLE)
        return WEIR_OK;
    const uint64_t events = weir_sim_events(run->sim);
    const double since = (double)(events - rate->last_events) / wi_since_sample_s(run);
    rate->last_events = events;
    return wi_subject_append(run, &since);
}

double wi_events_per_s(const wi_event_rate *rate, const wi_subject_run *run)
{
    return (double)(weir_sim_events(run->sim) - rate->warm_events) / wi_since_warm_s(run);
}

/* ---- beside theory ---- */

double wi_batches_ci95(const wi_batches *b, int k)
{
    const double n = b->n, mean = b->sum[k] / n;
    const double variance = (b->squares[k] - n * mean * mean) / (n - 1.0);
    return 1.96 * sqrt((variance > 0.0 ? variance : 0.0) / n);
}
