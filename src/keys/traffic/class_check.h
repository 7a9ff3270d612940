/* Whether the keys of a traffic class go together. */
#ifndef WI_KEYS_TRAFFIC_CLASS_CHECK_H
#define WI_KEYS_TRAFFIC_CLASS_CHECK_H

#include "schema/schema.h"
#include "weir/scenario.h"

/* Sessions of one fidelity until a class is checked: `rest`. */
#define WI_REST_OF_SESSIONS UINT32_MAX

/* Of a weir_scenario_class: complains, and settles where its flows are and how its sessions are divided. */
void wi_class_check(wi_reader *reader, const wi_node *node, void *at);

#endif
