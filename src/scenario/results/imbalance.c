/*
 * How unevenly paths of equal cost are used: of each router's set of ports that share flows out, the largest
 * utilisation over the mean one. Sets that carried nothing say nothing.
 */
#include <math.h>
#include <stdlib.h>

#include "output/json.h"
#include "output/number.h"
#include "scenario/results/results.h"

typedef struct imbalance {
    uint64_t sets;
    double sum, most;
    uint32_t worst; /* entity: the busiest port of the most uneven set */
} imbalance;

/* Accepted since the warm-up, over what the line could have sent. */
static double load_of(const wi_results_of_run *r, uint32_t entity)
{
    const uint64_t before = r->warm.ports ? r->warm.ports[entity].bytes : 0;
    return (double)(wi_net_port(r->network->net, r->sim, entity)->bytes - before) /
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
    json_t *o = json_object();
    json_object_set_new(o, "sets", wi_json_count(all.sets));
    json_object_set_new(o, "mean", wi_json_real(all.sets ? all.sum / (double)all.sets : (double)NAN));
    json_object_set_new(o, "max", wi_json_real(all.sets ? all.most : (double)NAN));
    char *name = all.sets ? wi_port_name(r->network, all.worst) : NULL;
    json_object_set_new(o, "busiest", name ? json_string(name) : json_null());
    free(name);
    return o;
}
