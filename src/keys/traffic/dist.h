/* Sizes that are drawn: of transfers, of packets. */
#ifndef WI_KEYS_TRAFFIC_DIST_H
#define WI_KEYS_TRAFFIC_DIST_H

#include "schema/schema.h"
#include "weir/scenario.h"

/* Into a weir_scenario_dist. */
extern const wi_tagged wi_transfer_sizes, wi_packet_sizes;

#endif
