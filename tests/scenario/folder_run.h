/* Runs that write folders, and what all engines must write alike: files of what a run is watched by, and digests that do not
 * depend on whether it is watched. */
#ifndef TESTS_SCENARIO_FOLDER_RUN_H
#define TESTS_SCENARIO_FOLDER_RUN_H

#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "nightly.h"
#include "output/scratch.h"
#include "scenario/load.h"
#include "weir/run.h"

/* Run into the scratch folder `name`; the caller frees the result. */
static inline weir_run_result run_into(weir_diag *diag, const char *text, const char *name,
                                       const char *const *sets, size_t n_sets)
{
    weir_run_options options;
    weir_run_result result;
    weir_scenario *scenario = good(text, sets, n_sets);
    weir_run_options_init(&options);
    options.output_dir = scratch_path(name);
    options.force = true;
    expect_ok(diag, weir_run(diag, scenario, &options, &result));
    weir_scenario_free(scenario);
    return result;
}

static inline bool same_file(const char *a, const char *b, const char *name)
{
    char command[1500];
    snprintf(command, sizeof command, "cmp -s '%s/%s' '%s/%s'", a, name, b, name);
    return system(command) == 0;
}

/*
 * The scenario with `plain` (null: nothing) set has the digests of the one with `watched`, which on every engine writes the
 * same `files`, [n_files].
 */
static inline void engines_write_alike(const char *text, const char *plain, const char *watched,
                                       const char *const *files, size_t n_files)
{
    static const char *const engines[] = {"engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}", "engine.type=check"};
    weir_diag *diag = weir_diag_new();
    weir_run_result unwatched = run_into(diag, text, "plain", &plain, plain ? 1 : 0),
                    one = run_into(diag, text, "one", &watched, 1);
    assert_int_equal(unwatched.state_digest, one.state_digest);
    assert_int_equal(unwatched.event_digest, one.event_digest);
    for (size_t e = 0; e < sizeof engines / sizeof *engines - OF_THREADS; e++) {
        const char *const sets[] = {watched, engines[e]};
        weir_run_result other = run_into(diag, text, "other", sets, 2);
        assert_int_equal(other.state_digest, one.state_digest);
        for (size_t i = 0; i < n_files; i++)
            if (!same_file(one.output_dir, other.output_dir, files[i]))
                fail_msg("%s differs on %s, of\n%s", files[i], engines[e], text);
        weir_run_result_free(&other);
    }
    weir_run_result_free(&unwatched);
    weir_run_result_free(&one);
    weir_diag_free(diag);
}

#endif
