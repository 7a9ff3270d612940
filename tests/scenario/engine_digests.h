/* A network's text run by an engine that is named: what must not depend on it. */
#ifndef TESTS_SCENARIO_ENGINE_DIGESTS_H
#define TESTS_SCENARIO_ENGINE_DIGESTS_H

#include <stdio.h>

#include "diag.h"
#include "scenario/run_text.h"

typedef struct outcome {
    uint64_t event, state, hops, events;
} outcome;

/* `text` has no section `engine`; files that it names are the tests' data. */
static inline outcome run_with_engine(const char *text, const char *engine, uint32_t threads)
{
    char all[4096];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(all, sizeof all, "%sengine: {type: %s, threads: %u}\n", text, engine, threads);
    expect_ok(diag, run_text(diag, all, WEIR_TEST_DATA, NULL, 0, &result));
    const outcome out = {result.event_digest, result.state_digest, result.packet_hops, result.events};
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return out;
}

#endif
