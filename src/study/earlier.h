/* What an earlier plan of the same folder has, and this one has not. */
#pragma once

#include "study/plan/study.h"

/* Refuses to begin where tables of another plan of the same scenario would lose runs or metrics; not with options->force.
 * WEIR_E_ARG says what they would lose; WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_earlier_check(weir_study *s, const weir_study_options *options);
