/* Parameters as a scenario without keys has them; for C and C++. */
#pragma once

#include <string.h>

#include "models/lcg/lcg.h"

static inline void usual_lcg(lcg_params *params)
{
    memset(params, 0, sizeof *params);
    params->n_modules = 1;
    params->ways = 1;
    params->events = 300;
    params->iterations = 20000;
    params->state_bytes = 72;
}
