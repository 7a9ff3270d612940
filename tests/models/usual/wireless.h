/* Parameters as a scenario without keys has them; for C and C++. */
#pragma once

#include <string.h>

#include "models/wireless/params.h"

static inline void usual_wireless(wireless_params *params)
{
    memset(params, 0, sizeof *params);
    params->n_nodes = 5;
    params->placement = WIRELESS_CIRCLE;
    params->size_m = 60.0;
    params->placement_seed = 1;
    params->packets_per_s = 1.0;
    params->packet_bytes = 1000;
    params->end_ps = WEIR_TIME_MAX;
    params->speed_m_s = 1.0;
    params->carrier_hz = 2.4e9;
    params->tx_dbm = 15.0;
    params->noise_figure_db = 7.0;
    params->path_loss_exponent = 3.0;
    params->delay_spread_s = 50e-9;
    params->n_sinusoids = 16;
    params->rate_mbps = 24;
    params->reply_mbps = 6;
    params->replies = WIRELESS_REPLIES_AT_ONCE;
    params->window = 16;
    params->stack_ps = 10 * WEIR_PS_PER_US;
}
