/*
 * Expressions over quantities: dependent values and constraints of a study.
 *
 * A value is a number with a dimension, or a text. Dimensions are exponents of seconds and bits, so that
 * `rtt * rate` of a time and a rate is an amount of data, and comparing a time with a size is an error.
 *
 * Grammar: || && == != < <= > >= + - * / ^ ! ( ) and the functions sqrt, min, max, round, floor, ceil, abs, log2,
 * ln, exp, mod; numbers with units as scenarios have them (5ms, 10Mbps, 64KiB, 30%, 200/s); 'texts' in quotes; names.
 */
#ifndef WI_STUDY_EXPR_H
#define WI_STUDY_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/scenario.h"

enum { WI_VALUE_TEXT = 64 };

typedef struct wi_value {
    const char *text; /* null: a number. [length], the expression's or the caller's */
    size_t length;
    double number;
    double seconds, bits; /* exponents of the dimension */
} wi_value;

/* The value of a name; false where there is none. */
typedef bool (*wi_lookup)(void *user, const char *name, size_t length, wi_value *out);

/* WEIR_E_SCENARIO with the place and what is wrong, and with the nearest of `known` for an unknown name. */
WEIR_NODISCARD weir_status wi_expr_value(weir_diag *diag, weir_place place, const char *text,
                                         wi_lookup lookup, void *user, const char *const *known,
                                         size_t n_known, wi_value *out);

/* A value as scenarios write it: a number with or without unit, else a text (without its quotes). */
wi_value wi_value_of(const char *text);

/* A number in the unit that a key of its dimension takes; false where no key has such a dimension. */
bool wi_value_format(const wi_value *value, char out[WI_VALUE_TEXT]);

/* Numbers of one dimension that are equal, or equal texts. */
bool wi_value_equal(const wi_value *a, const wi_value *b);

/* "a time", "a number", "a text": for messages. */
const char *wi_value_what(const wi_value *value);

#endif
