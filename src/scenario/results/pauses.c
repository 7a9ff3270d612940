/* What priority flow control did: totals of the run, and a deadlock by the names of its ports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "scenario/results/results.h"

/* The ports of a deadlock, and their priority; malloc'ed, null where there is none or no memory. */
static uint32_t *deadlock_of(const wi_results_of_run *r, uint32_t *n, uint32_t *priority)
{
    const wi_net *net = r->network->net;
    uint32_t *ports =
        wi_net_world(net)->pfc_lines ? malloc(((size_t)net->n_ports + 1) * sizeof *ports) : NULL;
    *n = ports ? wi_net_pfc_deadlock(net, r->sim, ports, priority) : 0;
    return ports;
}

void wi_pauses_warn(const wi_results_of_run *r)
{
    uint32_t n, priority;
    uint32_t *ports = deadlock_of(r, &n, &priority);
    char text[700] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        char *name = wi_port_name(r->network, ports[i]);
        const int length = snprintf(text + at, sizeof text - at, "%s%s", i ? ", " : "", name ? name : "");
        free(name);
        at += (size_t)length;
        if (at + 8 >= sizeof text) {
            snprintf(text + sizeof text - 8, 8, ", ...");
            break;
        }
    }
    if (n) {
        const weir_place where = r->network->scenario->topology.shared_buffer.pfc.place;
        weir_warn_at(r->diag, where.file, where.line, where.column,
                     "deadlock of priority %u: each of these ports is paused until the next sends: %s",
                     priority, text);
    }
    free(ports);
}

static json_t *deadlock(const wi_results_of_run *r)
{
    uint32_t n, priority;
    uint32_t *ports = deadlock_of(r, &n, &priority);
    json_t *o = n ? json_object() : json_null();
    if (n) {
        json_t *names = json_array();
        for (uint32_t i = 0; i < n; i++) {
            char *name = wi_port_name(r->network, ports[i]);
            json_array_append_new(names, json_string(name ? name : ""));
            free(name);
        }
        json_object_set_new(o, "priority", wi_json_count(priority));
        json_object_set_new(o, "ports", names);
    }
    free(ports);
    return o;
}

json_t *wi_pauses_summarise(const wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    wi_net_pauses all = {0};
    double used = 0.0;
    uint64_t standing = 0;
    if (!wi_net_world(net)->pfc_lines)
        return NULL;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        const wi_net_pauses p = wi_net_pauses_of(net, r->sim, e);
        all.xoff_sent += p.xoff_sent;
        all.xon_sent += p.xon_sent;
        all.paused_ps += p.paused_ps;
        standing += p.xoff_sent - p.xon_sent;
        if (p.headroom_bytes && (double)p.headroom_most / (double)p.headroom_bytes > used)
            used = (double)p.headroom_most / (double)p.headroom_bytes;
    }
    json_t *o = json_object();
    json_object_set_new(o, "xoff_sent", wi_json_count(all.xoff_sent));
    json_object_set_new(o, "xon_sent", wi_json_count(all.xon_sent));
    json_object_set_new(o, "standing", wi_json_count(standing));
    json_object_set_new(o, "paused_s", wi_json_real(weir_seconds(all.paused_ps)));
    json_object_set_new(o, "headroom_used", wi_json_real(used));
    json_object_set_new(o, "deadlock", deadlock(r));
    return o;
}
