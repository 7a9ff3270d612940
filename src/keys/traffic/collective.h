/* Collective operations in a class of traffic. */
#ifndef WI_KEYS_TRAFFIC_COLLECTIVE_H
#define WI_KEYS_TRAFFIC_COLLECTIVE_H

#include "keys/keys.h"

extern const wi_section wi_section_collective;
/* What of a class does not go together with its collective operation. */
void wi_collective_check_class(wi_reader *r, const wi_node *node, const weir_scenario_class *c);

#endif
