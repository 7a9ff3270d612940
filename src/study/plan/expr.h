/*
 * Expressions over quantities: dependent values and constraints of a study.
 *
 * Grammar: || && == != < <= > >= + - * / ^ ! ( ) and the functions sqrt, min, max, round, floor, ceil, abs, log2,
 * ln, exp, mod; numbers with units as scenarios have them (5ms, 10Mbps, 64KiB, 30%, 200/s); 'texts' in quotes; names.
 */
#pragma once

#include "study/plan/value.h"
#include "weir/scenario.h"

/* The value of a name; false where there is none. */
typedef bool (*wi_lookup)(void *user, const char *name, size_t length, wi_value *out);

/* Names that an expression may hold. */
typedef struct wi_names {
    wi_lookup lookup;
    void *user;
    const char *const *known; /* [n_known], for the nearest of an unknown one */
    size_t n_known;
} wi_names;

/* Finds the value of an expression. WEIR_E_SCENARIO with the place and what is wrong. */
WEIR_NODISCARD weir_status wi_expr_value(weir_diag *diag, weir_place place, const char *text,
                                         const wi_names *names, wi_value *out);
