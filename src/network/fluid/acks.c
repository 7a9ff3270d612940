/*
 * ACK paths, at the end of a run. Fluid's ACKs wait in the queues of other fluid, or with the paper's TCP for
 * nothing. Behind a drop-tail queue ACKs of packets come in bursts, so that few sessions keep it half as full as
 * fluid does; either is said where it matters.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "packets/stats/stats.h"
#include "network/fluid/warnings.h"

enum { PATH_MOST = 256 };
static const double little_s = 0.001, much = 0.1; /* a wait, and its share of the round trip, that matter */

/* Whether a port has a queue for which there is nothing to say. */
static bool is_spared(const wi_fluid_net *f, uint32_t port)
{
    const weir_fluid_queue *q = &f->plan.queues[wi_net_link(f->network->net, f->port_entity[port])->queue];
    return f->network->scenario->fluid.tcp != WEIR_SC_FLUID_TCP_PAPER && q->type != WEIR_FLUID_DROPTAIL;
}

/* Mean wait in the queues of fluid on the way back of a demand; *worst: the port with the longest. */
static double wait_back_s(const wi_fluid_net *f, const double *wait_s, const wi_fluid_demand *d,
                          uint32_t *worst)
{
    const wi_net *net = f->network->net;
    uint32_t hops[PATH_MOST];
    const uint32_t n =
        wi_net_path(net, 0, wi_net_host_of(net, d->dst), wi_net_host_of(net, d->src), hops, PATH_MOST);
    double sum = 0.0, most = 0.0;
    for (uint32_t h = 0; h < n; h++) {
        const uint32_t port = f->port_of[hops[h]];
        if (port == UINT32_MAX || is_spared(f, port))
            continue;
        sum += wait_s[port];
        if (wait_s[port] > most) {
            most = wait_s[port];
            *worst = hops[h];
        }
    }
    return sum;
}

/* The demand of a class whose way back is longest, against its round trip. */
static void warn_of_class(weir_diag *diag, wi_fluid_net *f, const double *wait_s, uint32_t cls)
{
    const wi_fluid_list *list = &f->network->fluid_flows;
    double longest_s = 0.0, rtt_s = 0.0;
    uint32_t demand = 0, port = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        wi_fluid_total t;
        uint32_t worst = 0;
        if (list->item[i].cls != cls)
            continue;
        const double back_s = wait_back_s(f, wait_s, &list->item[i], &worst);
        if (back_s <= longest_s)
            continue;
        wi_fluid_net_total(f, i, &t);
        if (isnan(t.rtt_mean_s) || back_s < much * t.rtt_mean_s)
            continue;
        longest_s = back_s;
        rtt_s = t.rtt_mean_s;
        demand = i;
        port = worst;
    }
    if (longest_s < little_s)
        return;
    const weir_graph *g = f->network->graph;
    const bool paper = f->network->scenario->fluid.tcp == WEIR_SC_FLUID_TCP_PAPER;
    char found[300];
    snprintf(found, sizeof found,
             "where ACKs from %.60s to %.60s wait longest, for %.3g ms in all%s (the round trip has %.3g ms)",
             g->name[list->item[demand].dst], g->name[list->item[demand].src], 1e3 * longest_s,
             paper ? ", which fluid: tcp: paper leaves out" : "", 1e3 * rtt_s);
    wi_fluid_warn(diag, f, cls, port, WI_BOUND_ACKS, found);
}

void wi_fluid_net_warn_of_acks(weir_diag *diag, wi_fluid_net *f)
{
    double *wait_s = calloc((size_t)f->n_ports + 1, sizeof *wait_s), most_s = 0.0;
    for (uint32_t p = 0; wait_s && p < f->n_ports; p++) {
        wi_fluid_port_total t;
        wi_fluid_net_port_total(f, p, &t);
        wait_s[p] =
            8.0 * t.queue_mean_bytes / (double)wi_net_link(f->network->net, f->port_entity[p])->rate_bps;
        most_s = wait_s[p] > most_s ? wait_s[p] : most_s;
    }
    for (uint32_t cls = 0; most_s >= little_s && cls < f->network->scenario->n_traffic; cls++)
        if (!f->network->scenario->traffic[cls].is_udp)
            warn_of_class(diag, f, wait_s, cls);
    free(wait_s);
}
