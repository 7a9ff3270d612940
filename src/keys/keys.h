/* The sections of a scenario file, each a table of keys (schema/schema.h). */
#pragma once

#include "schema/schema.h"
#include "weir/scenario.h"

extern const wi_section wi_section_topology, wi_section_routing, wi_section_event, wi_section_class,
    wi_section_tcp, wi_section_udp, wi_section_engine, wi_section_fluid, wi_section_output, wi_section_study,
    wi_section_steady, wi_section_link_override, wi_section_monitor, wi_section_gravity;

/* Keys of topology.shared_buffer, topology.brite and the attributes of a topology file, which share the topology's
 * struct; and what goes together with the last two. */
extern const wi_section wi_section_shared_buffer, wi_section_brite, wi_section_graphml_keys;
void wi_check_brite(wi_reader *r, const weir_scenario_topology *topology);
void wi_check_graphml_keys(wi_reader *r, const wi_node *node, const weir_scenario_topology *topology);
extern const wi_kind wi_kind_generate; /* of topology.generate */

/* Of `duration`, which stands in a weir_scenario: duration.c. And whether anything has an end, where the run is to go on until
 * all is done. */
extern const wi_kind wi_kind_duration;
void wi_check_until_done(wi_reader *r, const wi_node *node, const weir_scenario *scenario);

/* Lists of study.c: values of any form (weir_scenario_value[]), and shares (double[]). */
extern const wi_kind wi_kind_values, wi_kind_shares;

/* Of a key `overhead`: what Ethernet adds to a packet (IEEE 802.3), header 14, FCS 4, preamble and delimiter 8, gap 12. */
#define WI_ETHERNET .word = "ethernet", .word_value = 38
