/* Keys of the items of `events`: links and nodes that fail and come back. */
#include "keys/keys.h"

typedef weir_scenario_event event_t;
typedef weir_scenario_outage outage_t;

static const wi_key outage_keys[] = {
    WI_KEY("link", links, outage_t, link, .also = "links", .unset = "none",
           .doc = "\"A--B\": the link in both directions, and those parallel to it"),
    WI_KEY("node", names, outage_t, node, .also = "nodes router routers", .unset = "none",
           .doc = "a node: all links of it, that to its implicit host included"),
};

static void check_outage(wi_reader *r, const wi_node *node, void *at)
{
    const outage_t *o = at;
    if (o->link.n == 0 && o->node.n == 0)
        wi_complain(r, node->place, "want link or node");
    for (size_t i = 0; i < o->link.n; i++) {
        const weir_link_name *link = &o->link.item[i];
        if (!link->both)
            wi_complain(r, link->place,
                        "'%s': a link fails and comes back in both directions; write \"%s--%s\"", link->text,
                        link->from, link->to);
    }
}

static const wi_section outage_section =
    WI_SECTION("fail, repair", outage_keys, outage_t,
               .doc = "What fails or comes back. What is on a failed link is lost, and what its ports still "
                      "send into it; a link with a failed end has failed too.",
               .place_offset = offsetof(outage_t, place), .check = check_outage,
               .rules = "[{'type': 'object', 'anyOf': [{'required': ['link']}, {'required': ['node']}]}, "
                        "{'properties': {'link': {'not': {'type': 'string', 'pattern': '->'}, 'items': "
                        "{'not': {'type': 'string', 'pattern': '->'}}}}}]");

static const wi_key event_keys[] = {
    WI_KEY("at", time, event_t, at_ps, .required = true, .also = "time when",
           .doc = "simulated time; what comes at `duration` or later is left out, with a warning"),
    WI_KEY("fail", section, event_t, fail, .section = &outage_section, .also = "down failure",
           .unset = "nothing", .doc = "what fails"),
    WI_KEY("repair", section, event_t, repair, .section = &outage_section, .also = "up restore",
           .unset = "nothing", .doc = "what comes back; it has failed before"),
};

static void check_event(wi_reader *r, const wi_node *node, void *at)
{
    const event_t *e = at;
    if (!e->fail.place.file && !e->repair.place.file)
        wi_complain(r, node->place, "this event changes nothing; add fail or repair");
}

const wi_section wi_section_event =
    WI_SECTION("item of events", event_keys, event_t,
               .doc = "Failures and repairs at given times. Routes follow after `routing.convergence`.",
               .place_offset = offsetof(event_t, place), .check = check_event,
               .rules = "[{'anyOf': [{'required': ['fail']}, {'required': ['repair']}]}]");
