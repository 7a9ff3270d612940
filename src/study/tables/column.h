/* Statistics of a column: of the tables that a run writes, and of samples. */
#pragma once

#include "study/plan/study.h"

/* mean, sd, min, max, sum, count, median, pooled; and of time series steady, cut, halfwidth. */
bool wi_statistic_known(const char *name);

/* Is it of samples in the order of time? */
bool wi_statistic_of_time(const char *name);

/* steady.c: how many samples are the warm-up by MSER-5; SIZE_MAX: too few to tell. */
size_t wi_mser5(const double *values, size_t n);
/* Half-width of the interval of their mean, by 20 batches; NaN: too few. */
double wi_batch_means(const double *values, size_t n, double confidence);

/* Of the values that are numbers; NaN where there are none. Sorts `values`. `name` p...: the quantile; halfwidth: its
 * confidence. */
double wi_statistic(const char *name, double quantile, double *values, size_t n);

/*
 * The numbers of a column of TABLE.csv in the folder, in rows that meet all that `where` says: [*n], to be freed.
 * WEIR_E_ARG, with what there is, where there is no such table or column; no row at all is no error.
 */
WEIR_NODISCARD weir_status wi_column_values(weir_diag *diag, const char *folder, const wi_metric *m,
                                            double **out, size_t *n);
