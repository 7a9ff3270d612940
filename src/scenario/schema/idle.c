/* Keys that are given and, beside the others, change nothing: warned of, as someone meant something by them. */
#include <string.h>

#include "scenario/schema/schema.h"

/* 200ms and 0.2s are the same. */
static bool same_value(const wi_key *key, const char *text)
{
    long double a, b;
    if (strcmp(text, key->fallback) == 0)
        return true;
    return key->kind->parse && key->kind->parse(text, &a, NULL, 0) &&
           key->kind->parse(key->fallback, &b, NULL, 0) && a == b;
}

bool wi_is_fallback(const wi_section *section, const wi_node *value)
{
    for (size_t i = 0; i < section->n_keys; i++)
        if (strcmp(section->keys[i].name, value->key) == 0)
            return section->keys[i].fallback && value->text && same_value(&section->keys[i], value->text);
    return false;
}

/* A key of `mapping` that is not what it would be anyhow, or null. A resolved scenario gives all keys. */
static const wi_node *given(const wi_section *section, const wi_node *mapping, const char *name)
{
    const wi_node *value = mapping ? wi_node_child(mapping, name) : NULL;
    return value && !wi_is_fallback(section, value) ? value : NULL;
}

static void say(wi_reader *r, const wi_node *value, const char *why)
{
    if (value)
        weir_warn_at(r->diag, value->key_place.file, value->key_place.line, value->key_place.column,
                     "%s has no effect: %s", value->key, why);
}

void wi_warn_idle_tcp(wi_reader *r, const wi_node *node, const weir_scenario_tcp *tcp)
{
    if (tcp->arrivals.kind == WEIR_SC_ARRIVALS_SESSIONS || tcp->arrivals.kind == WEIR_SC_ARRIVALS_ALL)
        say(r, given(&wi_section_tcp, node, "max_flows"), "it bounds transfers that come by 'arrivals'");
    if (tcp->delayed_ack == 1)
        say(r, given(&wi_section_tcp, node, "delayed_ack_timeout"), "with delayed_ack: 1 no ACK waits");
}

void wi_warn_idle(wi_reader *r, const wi_node *node, const weir_scenario *s)
{
    bool fluid = s->model.place.file != NULL; /* those that need none have refused it */
    for (size_t i = 0; i < s->n_traffic; i++)
        fluid |= s->traffic[i].fidelity != WEIR_SC_PACKET;
    if (!fluid)
        say(r, wi_node_child(node, "fluid"), "no class has fidelity: fluid, nor a part that has");
    if (s->n_events == 0)
        say(r, given(&wi_section_routing, wi_node_child(node, "routing"), "convergence"),
            "no link fails (events)");
}
