/* Parameters of a study, and what making them and its points share. All memory is the study's arena. */
#pragma once

#include "schema/yaml.h"
#include "study/plan/range.h"
#include "study/plan/study.h"

/* [n_params], for messages that name what is near; null when memory is short. */
const char **wi_param_names(const weir_study *s);

/* s->params and s->n_groups, of the study section. */
WEIR_NODISCARD weir_status wi_params_make(weir_study *s);

/*
 * ---- Latin hypercubes (latin.c) ----
 *
 * Of n parameter sets, each parameter's range is cut into n parts, each of which one set has; which parts meet is drawn at
 * random (McKay, Beckman and Conover, 1979). Draws depend on the scenario's seed and the study's parameters alone.
 * Parameters in step are one.
 */

/* Parts of a parameter's range, and draws of their own; n is 0 where sets are not drawn. */
wi_strata wi_latin_strata(const weir_study *s, uint32_t param);
/*
 * Which value each group of parameters has in each set: [latin_hypercube][n_groups], to be freed; null: no memory. `size`
 * [n_groups] values: of fewer than there are sets each comes up as often as others, or once more.
 */
uint32_t *wi_latin_draw(const weir_study *s, const uint32_t *size);
/* Removes sets that were drawn twice, with a warning: they would be the same runs. */
WEIR_NODISCARD weir_status wi_latin_once(weir_study *s);
