/* Effects of parameters that take two values each: effects.csv. */
#ifndef WI_STUDY_TABLES_EFFECTS_H
#define WI_STUDY_TABLES_EFFECTS_H

#include "output/csv.h"
#include "study/study.h"

/* Do all parameters that vary take two values, and are their sets a full design, or a fraction that is orthogonal? */
bool wi_effects_has(const weir_study *s);
/* A row a metric and effect: metric, effect, what it cannot be told from, n, effect, sd, low, high, p, p_holm. */
WEIR_NODISCARD weir_status wi_effects_put(const weir_study *s, weir_diag *diag, wi_csv *csv);

#endif
