/* A scenario's text, run from start to end, with nothing written. Also valid as C++. */
#ifndef TESTS_SCENARIO_RUN_TEXT_H
#define TESTS_SCENARIO_RUN_TEXT_H

#include <string.h>

#include "weir/run.h"

/* What parsing or running returns, with their messages; `result` may be freed in any case. `folder`, for
 * files that the text names, may be null; `sets`: [n_sets] "path=value". */
static inline weir_status run_text(weir_diag *diag, const char *text, const char *folder,
                                   const char *const *sets, size_t n_sets, weir_run_result *result)
{
    weir_scenario *scenario = NULL;
    weir_run_options options;
    memset(result, 0, sizeof *result);
    weir_run_options_init(&options);
    options.no_output = true;
    weir_status status =
        weir_scenario_parse(diag, "s.yaml", text, strlen(text), folder, sets, n_sets, &scenario);
    if (status == WEIR_OK)
        status = weir_run(diag, scenario, &options, result);
    weir_scenario_free(scenario);
    return status;
}

#endif
