/* Effects of parameters that take two values each: effects.csv. */
#ifndef WI_STUDY_TABLES_EFFECTS_H
#define WI_STUDY_TABLES_EFFECTS_H

#include "study/plan/study.h"

/* Do all parameters that vary take two values, and are their sets a full design, or a fraction that is orthogonal? */
bool wi_effects_has(const weir_study *s);

#endif
