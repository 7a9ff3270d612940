/* Parameters as a scenario without keys has them; for C and C++. */
#pragma once

#include <string.h>

#include "models/phold/phold.h"

static inline void usual_phold(phold_params *params)
{
    memset(params, 0, sizeof *params);
    params->n_entities = 1024;
    params->events_per_entity = 1;
    params->remote_share = 0.5;
    params->lookahead_ps = WEIR_PS_PER_US;
    params->mean_ps = WEIR_PS_PER_US;
}
