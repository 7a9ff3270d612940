/* What subjects share; see subject.h. */
#include "subject/subject.h"

#include <stdlib.h>
#include <unistd.h>

const void *wi_model_params(const weir_scenario *scenario)
{
    return scenario->model.params;
}

weir_status wi_memory_check(weir_diag *diag, const char *what, uint64_t bytes, weir_place place)
{
    const double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if ((double)bytes <= has)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_NOMEM, WEIR_AT(place),
                        "so many %s take about %.3g GB of memory, and this machine has %.3g GB", what,
                        (double)bytes / 1e9, has / 1e9);
}

static weir_status check_size(const wi_subject *subject, weir_diag *diag, const weir_scenario *scenario)
{
    weir_estimate size = {0};
    return subject->estimate(subject, diag, scenario, NULL, &size)
               ?: wi_memory_check(diag, subject->entities, size.memory_bytes, scenario->model.place);
}

weir_status wi_subject_build(const wi_subject *subject, weir_diag *diag, const weir_scenario *scenario,
                             void **made)
{
    *made = calloc(1, subject->size);
    if (!*made)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %s", subject->section.name);
    const weir_status status = subject->entities ? check_size(subject, diag, scenario) : WEIR_OK;
    return status ?: subject->build(subject, diag, scenario, *made);
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
