/*
 * Time series kept in memory, beside the file or instead of it: what a program that embeds weir reads while
 * the simulation goes on.
 *
 * Tables have the names, columns and rows of the series that feed them (output/series.h). Values of one column
 * and row lie together, so that a reader gets an array and no copy.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "output/series.h"

typedef struct wi_recorder_table wi_recorder_table;

/* Null when memory is short. */
wi_recorder *wi_recorder_new(void);
/* Accepts null. */
void wi_recorder_free(wi_recorder *recorder);

/* A table; texts are copied. Null when memory is short. */
wi_recorder_table *wi_recorder_add(wi_recorder *recorder, const wi_result_table *of, const char *const *rows,
                                   size_t n_rows);
/* One instant; values: [n_rows][n_columns]. False when memory is short: the table is as it was. */
bool wi_recorder_append(wi_recorder_table *table, double time_s, const double *values);

/* What a reader gets. */
typedef struct wi_recorded {
    size_t n;
    const double *time_s, *value; /* [n], the recorder's, until the next append */
    const char *units;
} wi_recorded;

/*
 * By name; a null row means the only one. WEIR_E_ARG, with what there is, where there is none of that name.
 */
WEIR_NODISCARD weir_status wi_recorder_find(weir_diag *diag, const wi_recorder *recorder, const char *table,
                                            const char *column, const char *row, wi_recorded *out);
/* The rows of a table, [n] and the recorder's; returns how many: 0 where there is no such table, or no recorder. */
size_t wi_recorder_rows(const wi_recorder *recorder, const char *table, char *const **rows);
