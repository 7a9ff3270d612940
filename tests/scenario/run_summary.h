/* A scenario's text, run from start to end, and numbers out of its summary. */
#ifndef TESTS_SCENARIO_RUN_SUMMARY_H
#define TESTS_SCENARIO_RUN_SUMMARY_H

#include <jansson.h>
#include <math.h>

#include "diag.h"
#include "scenario/run_text.h"

/* The summary of a run that must succeed; `result`, if not null, gets its digests. */
static inline json_t *summary_of(const char *text, const char *const *sets, size_t n_sets,
                                 weir_run_result *digests)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, sets, n_sets, &result));
    json_t *summary = json_loads(result.summary_json, 0, NULL);
    assert_non_null(summary);
    if (digests) {
        *digests = result;
        digests->summary_json = digests->output_dir = NULL;
    }
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return summary;
}

/* Whether a run that must succeed has a message with `part`. */
static inline bool run_says(const char *text, const char *part)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    bool says = false;
    expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result));
    for (size_t i = 0; i < weir_diag_count(diag); i++)
        says |= strstr(weir_diag_get(diag, i)->text, part) != NULL;
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return says;
}

/* Of class number `cls`; `part` may be "fluid", the half of a mixed class that is fluid, or null. */
static inline double class_number(const json_t *summary, size_t cls, const char *part, const char *key)
{
    const json_t *c = json_array_get(json_object_get(summary, "classes"), cls);
    const json_t *value = json_object_get(part ? json_object_get(c, part) : c, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* A run for one number of its first class. */
static inline double run_for(const char *text, const char *const *sets, size_t n_sets, const char *key)
{
    json_t *summary = summary_of(text, sets, n_sets, NULL);
    const double value = class_number(summary, 0, NULL, key);
    json_decref(summary);
    return value;
}

#endif
