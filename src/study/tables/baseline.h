/* The baseline: what other points are compared with, run by run on the same random numbers. */
#ifndef WI_STUDY_TABLES_BASELINE_H
#define WI_STUDY_TABLES_BASELINE_H

#include "study/plan/study.h"

/* Check that every NAME=VALUE of study.baseline names a parameter and a value of its. */
WEIR_NODISCARD weir_status wi_baseline_check(weir_study *s);

/* [n_points], to be freed: for each point, the one of the baseline's values that agrees with it in all other parameters;
 * UINT32_MAX: there is none. Null: memory is short. In time proportional to the points. */
uint32_t *wi_baselines(const weir_study *s);

/* Differences of a metric, replication by replication where both runs are good; `ground`: the baseline's values.
 * Both [p->want]; returns how many. */
uint32_t wi_paired(const wi_point *p, const wi_point *base, uint32_t metric, double *difference,
                   double *ground);

#endif
