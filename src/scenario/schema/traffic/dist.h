/* Sizes that are drawn: of transfers, of packets. */
#ifndef WI_SCENARIO_SCHEMA_TRAFFIC_DIST_H
#define WI_SCENARIO_SCHEMA_TRAFFIC_DIST_H

#include "scenario/schema/schema.h"

/* Into a weir_scenario_dist. */
extern const wi_tagged wi_transfer_sizes, wi_packet_sizes;

#endif
