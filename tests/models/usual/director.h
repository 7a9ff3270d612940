/* Parameters as a scenario without keys has them; for C and C++. */
#pragma once

#include <string.h>

#include "surrogate/director.h"

static inline void usual_director(wi_director_params *params)
{
    memset(params, 0, sizeof *params);
    params->mode = WI_HYBRID;
    params->batch_ps = 100 * WEIR_PS_PER_US;
    params->longest_ps = WEIR_TIME_MAX;
    params->batches = 10;
    params->tolerance = 0.05;
    params->change = 0.2;
}
