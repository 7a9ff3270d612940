/* Parameters of a study, and what making them and its points share. All memory is the study's arena. */
#ifndef WI_STUDY_PLAN_PARAMS_H
#define WI_STUDY_PLAN_PARAMS_H

#include "study/plan/study.h"

/* WEIR_E_NOMEM, with a message. */
weir_status wi_plan_no_memory(weir_study *s);
/* A copy; null when memory is short. */
char *wi_plan_text(weir_study *s, const char *text);
/* [n_params], for messages that name what is near; null when memory is short. */
const char **wi_param_names(const weir_study *s);

/* s->params and s->n_groups, of the study section. */
WEIR_NODISCARD weir_status wi_params_make(weir_study *s);

#endif
