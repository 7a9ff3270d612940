/* Statistics of a column: of the tables that a run writes, and of samples. */
#ifndef WI_STUDY_TABLES_COLUMN_H
#define WI_STUDY_TABLES_COLUMN_H

#include "study/study.h"

/* mean, sd, min, max, sum, count, median. */
bool wi_statistic_known(const char *name);

/* Of the values that are numbers; NaN where there are none. Sorts `values`. `name` p...: the quantile. */
double wi_statistic(const char *name, double quantile, double *values, size_t n);

/*
 * Of a column of TABLE.csv in the folder, rows where where_column holds where_text. WEIR_E_ARG, with what there is,
 * where there is no such table or column; no row at all is no error, its value is NaN.
 */
WEIR_NODISCARD weir_status wi_column_statistic(weir_diag *diag, const char *folder, const wi_metric *m,
                                               double *out);

#endif
