/* The tables of a study: runs.csv, aggregate.csv, differences.csv; and its plots. */
#ifndef WI_STUDY_TABLES_TABLES_H
#define WI_STUDY_TABLES_TABLES_H

#include "study/plan/study.h"

/* No two columns of a table have one name; params and metrics are there. */
WEIR_NODISCARD weir_status wi_tables_check(weir_study *s);
/* Write all of them and the plots from the rows that there are, each whole or not at all; those of an earlier plan go. */
WEIR_NODISCARD weir_status wi_tables_put(const weir_study *s, weir_diag *diag, const char *folder);
/* plots.c: plot-METRIC.svg, where a parameter takes several numbers. */
WEIR_NODISCARD weir_status wi_plots_put(const weir_study *s, weir_diag *diag, const char *folder);

/* Every item of study.plots names parameters. */
WEIR_NODISCARD weir_status wi_plots_check(weir_study *s);

/* Values of a metric over the runs of a point that succeeded: [want], how many in *n. Null: no memory. */
double *wi_point_values(const wi_point *p, uint32_t metric, uint32_t *n, uint32_t *failed);

#endif
