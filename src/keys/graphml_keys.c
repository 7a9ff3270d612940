/* Which attributes of a GraphML file say what. */
#include "keys/keys.h"

typedef weir_scenario_topology topology_t;

static const wi_key keys[] = {
    {.name = "rate",
     .kind = &wi_kind_text,
     .offset = offsetof(topology_t, keys.rate),
     .also = "bandwidth capacity speed",
     .unset = "`rate`, or `LinkSpeedRaw` and its kin",
     .doc = "an edge's attribute: its rate, with a unit or a number of `rate_unit`"},
    {.name = "rate_unit",
     .with = "rate",
     .kind = &wi_kind_rate,
     .offset = offsetof(topology_t, keys.rate_unit_bps),
     .fallback = "1bps",
     .above = "0bps",
     .doc = "what a number without a unit counts"},
    {.name = "delay",
     .kind = &wi_kind_text,
     .offset = offsetof(topology_t, keys.delay),
     .also = "latency",
     .unset = "`delay`",
     .doc = "an edge's attribute: its delay, with a unit or a number of `delay_unit`"},
    {.name = "delay_unit",
     .with = "delay",
     .kind = &wi_kind_time,
     .offset = offsetof(topology_t, keys.delay_unit_ps),
     .above = "0s",
     .unset = "a number without a unit is an error",
     .doc = "what a number without a unit counts"},
    {.name = "weight",
     .kind = &wi_kind_text,
     .offset = offsetof(topology_t, keys.weight),
     .also = "cost metric",
     .unset = "`weight`",
     .doc = "an edge's attribute: its routing weight"},
    {.name = "name",
     .kind = &wi_kind_text,
     .offset = offsetof(topology_t, keys.name),
     .also = "label id",
     .unset = "`label` or `name`",
     .doc = "a node's attribute: its name"},
};

const wi_section wi_section_graphml_keys = {
    .name = "keys",
    .doc = "Attributes of a GraphML file by names of one's own (`attr.name`): where one is given, those that "
           "usually say the "
           "same are left out. One that the file does not declare is an error.",
    .keys = keys,
    .n_keys = sizeof keys / sizeof keys[0],
};

void wi_check_graphml_keys(wi_reader *r, const wi_node *node, const topology_t *t)
{
    const wi_node *given = wi_node_child(node, "keys");
    if (!given)
        return;
    if (!t->file.text || (t->format != WEIR_SC_FORMAT_AUTO && t->format != WEIR_SC_FORMAT_GRAPHML))
        wi_complain(r, given->key_place, "keys are for a GraphML file");
}
