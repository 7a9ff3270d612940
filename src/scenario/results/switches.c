/*
 * What switches did: pauses of priority flow control, with a deadlock by the names of its ports; and how unevenly paths of equal
 * cost are used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/json.h"
#include "base/memory.h"
#include "scenario/results/results.h"

/* The ports of a deadlock, and their priority; malloc'ed, null where there is none or no memory. */
static uint32_t *deadlock_of(const wi_results_of_run *r, uint32_t *n, uint32_t *priority)
{
    const wi_net *net = r->network->net;
    uint32_t *ports =
        wi_net_world(net)->pfc_lines ? malloc(((size_t)net->n_ports + 1) * sizeof *ports) : NULL;
    *n = ports ? wi_net_pfc_deadlock(net, r->run->sim, ports, priority) : 0;
    return ports;
}

void wi_pauses_warn(const wi_results_of_run *r)
{
    uint32_t n, priority;
    WI_FREED uint32_t *ports = deadlock_of(r, &n, &priority);
    char text[700] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        WI_FREED char *name = wi_port_name(r->network, ports[i]);
        const int length = snprintf(text + at, sizeof text - at, "%s%s", i ? ", " : "", name ? name : "");
        at += (size_t)length;
        if (at + 8 >= sizeof text) {
            snprintf(text + sizeof text - 8, 8, ", ...");
            break;
        }
    }
    if (n) {
        weir_warn_at(r->run->diag, WEIR_AT(r->network->scenario->topology.shared_buffer.pfc.place),
                     "deadlock of priority %u: each of these ports is paused until the next sends: %s",
                     priority, text);
    }
}

static json_t *deadlock(const wi_results_of_run *r)
{
    uint32_t n, priority;
    WI_FREED uint32_t *ports = deadlock_of(r, &n, &priority);
    json_t *o = n ? json_object() : json_null();
    if (n) {
        json_t *names = json_array();
        for (uint32_t i = 0; i < n; i++) {
            WI_FREED char *name = wi_port_name(r->network, ports[i]);
            json_array_append_new(names, json_string(name ? name : ""));
        }
        json_object_set_new(o, "priority", wi_json_count(priority));
        json_object_set_new(o, "ports", names);
    }
    return o;
}

#define PAUSES(X)                                                                     \
    X(U64, "xoff_sent", "", all.xoff_sent, "priorities paused"),                      \
        X(U64, "xon_sent", "", all.xon_sent, "and released"),                         \
        X(U64, "standing", "", standing, "the difference"),                           \
        X(DOUBLE, "paused_s", "s", weir_seconds(all.paused_ps), "summed over ports"), \
        X(DOUBLE, "headroom_used", "1", used, "the largest share of a port's headroom that was in use")
static const wi_result_column pause_columns[] = {PAUSES(WI_COLUMN)};
const wi_result_table wi_pauses_table = WI_RESULT(SUMMARY, "pfc", pause_columns);

json_t *wi_pauses_summarise(const wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    wi_net_pauses all = {0};
    double used = 0.0;
    uint64_t standing = 0;
    if (!wi_net_world(net)->pfc_lines)
        return NULL;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        const wi_net_pauses p = wi_net_pauses_of(net, r->run->sim, e);
        all.xoff_sent += p.xoff_sent;
        all.xon_sent += p.xon_sent;
        all.paused_ps += p.paused_ps;
        standing += p.xoff_sent - p.xon_sent;
        if (p.headroom_bytes && (double)p.headroom_most / (double)p.headroom_bytes > used)
            used = (double)p.headroom_most / (double)p.headroom_bytes;
    }
    json_t *o = wi_result_object(&wi_pauses_table, (const wi_cell[]){PAUSES(WI_CELL)}, 0);
    json_object_set_new(o, "deadlock", deadlock(r));
    return o;
}

/* ---- paths of equal cost ---- */

/* Of each router's set of ports that share flows out, the largest utilisation over the mean one. Sets that carried nothing say
 * nothing. */
typedef struct imbalance {
    uint64_t sets;
    double sum, most;
    uint32_t worst; /* entity: the busiest port of the most uneven set */
} imbalance;

/* Accepted since the warm-up, over what the line could have sent. */
static double load_of(const wi_results_of_run *r, uint32_t entity)
{
    const uint64_t before = r->warm.ports ? r->warm.ports[entity].bytes : 0;
    return (double)(wi_net_port(r->network->net, r->run->sim, entity)->bytes - before) /
           (double)wi_net_link(r->network->net, entity)->rate_bps;
}

static void add_set(const wi_results_of_run *r, uint32_t first, const uint16_t *ports, uint32_t n,
                    imbalance *out)
{
    double sum = 0.0, most = 0.0;
    uint32_t busiest = first + ports[0];
    for (uint32_t i = 0; i < n; i++) {
        const double load = load_of(r, first + ports[i]);
        sum += load;
        if (load > most) {
            most = load;
            busiest = first + ports[i];
        }
    }
    if (n < 2 || !(sum > 0.0))
        return;
    const double ratio = most * n / sum;
    out->sets++;
    out->sum += ratio;
    if (ratio > out->most) {
        out->most = ratio;
        out->worst = busiest;
    }
}

#define IMBALANCE(X)                                                                                       \
    X(U64, "sets", "", all.sets, "sets of ports over which routers share flows out and that carried any"), \
        X(DOUBLE, "mean", "1", all.sets ? all.sum / (double)all.sets : none,                               \
          "over sets: the largest utilisation over the mean one"),                                         \
        X(DOUBLE, "max", "1", all.sets ? all.most : none, NULL),                                           \
        X(TEXT, "busiest", "", name, "the busiest port of the most uneven set")
static const wi_result_column imbalance_columns[] = {IMBALANCE(WI_COLUMN)};
const wi_result_table wi_imbalance_table = WI_RESULT(SUMMARY, "imbalance", imbalance_columns);

json_t *wi_imbalance_summarise(const wi_results_of_run *r)
{
    const net_world *w = wi_net_world(r->network->net);
    imbalance all = {0};
    if (!w->ecmp || w->paths)
        return NULL;
    const uint32_t *set_first = NET_ARRAY(w, uint32_t, set_first),
                   *bounds = NET_ARRAY(w, uint32_t, set_bounds);
    for (uint32_t router = 0; router < w->n_routers; router++) {
        const uint32_t end =
            router + 1 < w->n_routers ? set_first[router + 1] : r->network->net->n_set_bounds;
        for (uint32_t k = set_first[router]; k + 1 < end; k++)
            add_set(r, NET_ARRAY(w, uint32_t, router_port)[router],
                    NET_ARRAY(w, uint16_t, set_ports) + bounds[k], bounds[k + 1] - bounds[k], &all);
    }
    const double none = (double)NAN;
    WI_FREED char *name = all.sets ? wi_port_name(r->network, all.worst) : NULL;
    return wi_result_object(&wi_imbalance_table, (const wi_cell[]){IMBALANCE(WI_CELL)}, 0);
}
