/* What the engine's tests share: cmocka, messages, and building set-ups. */
#ifndef TESTS_ENGINE_HARNESS_H
#define TESTS_ENGINE_HARNESS_H

#include "diag.h"
#include "splitmix.h"
#include "weir/engine.h"

static inline weir_sim *new_sim(weir_diag *diag, const weir_setup *setup)
{
    weir_sim *sim;
    expect_ok(diag, weir_sim_new(diag, setup, &sim));
    assert_non_null(sim);
    return sim;
}

#endif
