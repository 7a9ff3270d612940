/* Parameters as a scenario without keys has them; for C and C++. */
#pragma once

#include <string.h>

#include "models/kademlia/kademlia.h"

static inline void usual_kademlia(kad_params *params)
{
    memset(params, 0, sizeof *params);
    params->n_peers = 1024;
    params->k = 8;
    params->alpha = 3;
    params->lookups = 1;
    params->retries = 1;
    params->seed = 1;
    params->think_ps = 10 * WEIR_PS_PER_S;
    params->timeout_ps = WEIR_PS_PER_S;
    params->latency_min_ps = 10 * WEIR_PS_PER_MS;
    params->latency_mean_ps = 60 * WEIR_PS_PER_MS;
    params->latency_shape = KAD_LATENCY_EXPONENTIAL;
    params->session_shape = 1.0;
    params->value_slots = 16;
    params->preload = true;
}
