/*
 * Ranges: `1..10 step 2`, `1ms..1s log 7`, `1..1024 times 2`, and by themselves `1..10` of whole numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "study/plan/expr.h"
#include "weir/arena.h"
#include "weir/random.h"

/* Does the text begin as a range: a quantity, two dots? (A file `../x` does not.) */
bool wi_range_is(const char *text);

/* Instead of steps: one value in each of n parts of a range, somewhere in it. */
typedef struct wi_strata {
    uint32_t n;
    weir_stream draws;
} wi_strata;

/*
 * The values of a range, in order, as texts in the arena; both ends are among them where the steps meet them.
 * Steps are added in decimal (twelve digits), factors and log steps rounded to four, and to whole numbers where
 * both ends are whole numbers without unit. `more` is called for each value. WEIR_E_SCENARIO at `place`, WEIR_E_NOMEM.
 * With `strata` (else null) a range that says no steps is cut into parts of one width, or with `log` of one ratio.
 */
WEIR_NODISCARD weir_status wi_range_values(weir_diag *diag, weir_place place, const char *text,
                                           wi_strata *strata, bool (*more)(void *user, const char *value),
                                           void *user);
