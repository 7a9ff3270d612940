/* What a class with a list of flows may have besides. */
#include "keys/keys.h"

void wi_flow_list_check_class(wi_reader *r, const wi_node *node, const weir_scenario_class *c)
{
    static const char *const of_tcp[] = {"size", "arrivals", "request", "video"};
    const wi_node *tcp = wi_node_child(node, "tcp"), *stop = wi_node_child(node, "stop");
    if (c->is_udp) {
        wi_complain(r, wi_place_of(node, "udp"), "a list of flows needs 'tcp': flows of a size");
        return;
    }
    for (size_t i = 0; i < sizeof of_tcp / sizeof *of_tcp; i++) {
        const wi_node *child = wi_node_child(tcp, of_tcp[i]);
        if (child)
            wi_complain(r, child->key_place,
                        "%s does not go together with flows, whose file says what comes when", of_tcp[i]);
    }
    if (c->tcp.sessions != 1)
        wi_complain(r, wi_place_of(tcp, "sessions"),
                    "sessions does not go together with flows, whose file says what comes when");
    if (stop)
        wi_complain(r, stop->key_place,
                    "stop does not go together with flows, whose file says what comes when");
    if (c->start_last_ps != c->start_ps)
        wi_complain(r, c->start_place, "flows: start is one time, from which those of the file count");
    if (c->fidelity != WEIR_SC_PACKET)
        wi_complain(r, wi_place_of(node, "fidelity"),
                    "class '%s' is a list of flows with a start each: want fidelity: packet", c->name.text);
}
