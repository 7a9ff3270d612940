/* Parameters as a scenario without keys has them; for C and C++. */
#pragma once

#include <string.h>

#include "models/interconnect/world/params.h"

static inline void usual_interconnect(ic_params *params)
{
    memset(params, 0, sizeof *params);
    params->wiring = IC_DRAGONFLY;
    params->routing = IC_MINIMAL;
    params->p = 2;
    params->a = 4;
    params->h = 2;
    params->k = 4;
    params->levels = 3;
    params->dimensions = 3;
    params->size[0] = params->size[1] = params->size[2] = 4;
    params->terminal.rate_bps = params->local.rate_bps = params->global.rate_bps =
        UINT64_C(16000000000); /* 2 GB/s */
    params->terminal.delay_ps = params->local.delay_ps = 10 * WEIR_PS_PER_NS;
    params->global.delay_ps = 100 * WEIR_PS_PER_NS;
    params->terminal.buffer_bytes = 32768;
    params->local.buffer_bytes = params->global.buffer_bytes = 16384;
    params->router_ps = 100 * WEIR_PS_PER_NS;
    params->nic_ps = 100 * WEIR_PS_PER_NS;
    params->chunk_bytes = 64;
    params->packet_bytes = 4096;
    params->burst = 1;
    params->arbitration = IC_ARBITRATION_AUTO;
    params->seed = 1;
}
