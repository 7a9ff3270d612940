/* Which attributes of a GraphML file say what. */
#include "keys/keys.h"

typedef weir_scenario_topology topology_t;

static const wi_key keys[] = {
    WI_KEY("rate", text, topology_t, keys.rate, .also = "bandwidth capacity speed",
           .unset = "`rate`, or `LinkSpeedRaw` and its kin",
           .doc = "an edge's attribute: its rate, with a unit or a number of `rate_unit`"),
    WI_KEY("rate_unit", rate, topology_t, keys.rate_unit_bps, .fallback = "1bps", .with = "rate",
           .above = "0bps", .doc = "what a number without a unit counts"),
    WI_KEY("delay", text, topology_t, keys.delay, .also = "latency", .unset = "`delay`",
           .doc = "an edge's attribute: its delay, with a unit or a number of `delay_unit`"),
    WI_KEY("delay_unit", time, topology_t, keys.delay_unit_ps, .with = "delay", .above = "0s",
           .unset = "a number without a unit is an error", .doc = "what a number without a unit counts"),
    WI_KEY("weight", text, topology_t, keys.weight, .also = "cost metric", .unset = "`weight`",
           .doc = "an edge's attribute: its routing weight"),
    WI_KEY("name", text, topology_t, keys.name, .also = "label id", .unset = "`label` or `name`",
           .doc = "a node's attribute: its name"),
};

const wi_section wi_section_graphml_keys = WI_SECTION(
    "keys", keys, topology_t,
    .doc = "Attributes of a GraphML file by names of one's own (`attr.name`): where one is given, those that "
           "usually say the same are left out. One that the file does not declare is an error.");

void wi_check_graphml_keys(wi_reader *r, const wi_node *node, const topology_t *t)
{
    const wi_node *given = wi_node_child(node, "keys");
    if (!given)
        return;
    if (!t->file.text || (t->format != WEIR_SC_FORMAT_AUTO && t->format != WEIR_SC_FORMAT_GRAPHML))
        wi_complain(r, given->key_place, "keys are for a GraphML file");
}
