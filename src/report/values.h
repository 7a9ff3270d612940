/* Numbers and texts as JSON; and numbers that are gathered for quantiles. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "weir/fn.h"

/* A number, short: whole ones exactly, others as doubles (printed with six digits); null for what is not finite. */
json_t *wi_report_number(double value);
/* printf into a JSON string. */
json_t *wi_report_text(const char *fmt, ...) WEIR_PRINTF(1, 2);

typedef struct wi_values {
    double *value; /* [n] */
    size_t n;
} wi_values;

/* False when memory is short; the values are as they were. */
bool wi_values_add(wi_values *values, double value);
/* Frees the values. */
void wi_values_free(wi_values *values);
/* The value with `rank` greater ones, rank < n. Sorts. */
double wi_values_from_top(wi_values *values, size_t rank);
/* "x", and "y", the share at most that, into `out`: the least with 0, then all of up to 400 values, else 400 quantiles, closer at both
 * ends. Sorts. False when memory is short. */
bool wi_values_quantiles(wi_values *values, json_t *out);
