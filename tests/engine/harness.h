/* What the engine's tests share: cmocka, messages, and building set-ups. */
#ifndef TEST_ENGINE_HARNESS_H
#define TEST_ENGINE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "weir/engine.h"

/* splitmix64: a generator for test inputs that has nothing to do with weir's own. */
static inline uint64_t rnd(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint32_t rnd_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(rnd(state) >> 33) % n;
}

/* The last message must hold `text`. */
static inline void expect_message(const weir_diag *diag, const char *text)
{
    const size_t n = weir_diag_count(diag);
    assert_true(n > 0);
    const char *got = weir_diag_get(diag, n - 1)->text;
    if (!strstr(got, text))
        fail_msg("message '%s' does not hold '%s'", got, text);
}

/* The call must succeed; else its message is shown. */
static inline void expect_ok(const weir_diag *diag, weir_status status)
{
    const size_t n = weir_diag_count(diag);
    if (status != WEIR_OK)
        fail_msg("%s: %s", weir_status_name(status), n ? weir_diag_get(diag, n - 1)->text : "no message");
}

static inline weir_sim *new_sim(weir_diag *diag, const weir_setup *setup)
{
    weir_sim *sim;
    expect_ok(diag, weir_sim_new(diag, setup, &sim));
    assert_non_null(sim);
    return sim;
}

#endif
