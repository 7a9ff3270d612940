/* Where a class's flows are, besides names of nodes: a gravity matrix, a list of flows. */
#ifndef WI_SCENARIO_SCHEMA_SECTIONS_PLACES_H
#define WI_SCENARIO_SCHEMA_SECTIONS_PLACES_H

#include "scenario/schema/schema.h"

extern const wi_section wi_section_gravity;
/* What of a class does not go together with its list of flows. */
void wi_flow_list_check_class(wi_reader *r, const wi_node *node, const weir_scenario_class *c);

/* graphml_keys.c: attributes of a topology file, and where they mean nothing. */
extern const wi_section wi_section_graphml_keys;
void wi_check_graphml_keys(wi_reader *r, const wi_node *topology, const weir_scenario_topology *t);

#endif
