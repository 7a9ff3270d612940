/*
 * Transfers over busy lines, at the end of a run. Fluid below a load of one has no queue, so that its transfers last as on an
 * idle path and lose nothing; packets' wait for each other.
 */
#include <stdio.h>

#include "packets/stats/stats.h"
#include "network/fluid/warnings.h"

enum { PATH_MOST = 256 };
static const double busy = 0.5; /* of a line, from where times are a quarter and more below packets' */

/* What fluid used of a port's line since the end of the warm-up. */
static double used(const wi_fluid_net *f, uint32_t port)
{
    const int64_t steps = (f->now ? f->now->step : 0) - (f->warm ? f->warm->step : 0);
    const double line_bytes = (double)wi_net_link(f->network->net, f->port_entity[port])->rate_bps / 8.0 *
                              weir_seconds(steps * f->options.step_ps);
    wi_fluid_port_total t;
    wi_fluid_net_port_total(f, port, &t);
    return line_bytes > 0.0 ? t.sent_bytes / line_bytes : 0.0;
}

/* The busiest port on a demand's way, if it is busier than *most. */
static void look(const wi_fluid_net *f, const wi_fluid_demand *d, double *most, uint32_t *entity)
{
    const wi_net *net = f->network->net;
    uint32_t hops[PATH_MOST];
    const uint32_t n =
        wi_net_path(net, 0, wi_net_host_of(net, d->src), wi_net_host_of(net, d->dst), hops, PATH_MOST);
    for (uint32_t h = 0; h < n; h++) {
        const uint32_t port = f->port_of[hops[h]];
        const double share = port == UINT32_MAX ? 0.0 : used(f, port);
        if (share > *most) {
            *most = share;
            *entity = hops[h];
        }
    }
}

void wi_fluid_net_warn_of_busy(weir_diag *diag, wi_fluid_net *f)
{
    const wi_fluid_list *list = &f->network->fluid_flows;
    for (uint32_t cls = 0; cls < f->network->scenario->n_traffic; cls++) {
        double most = 0.0;
        uint32_t entity = 0;
        char found[60];
        for (uint32_t i = 0; i < list->n; i++)
            if (list->item[i].cls == cls && list->item[i].per_s > 0.0)
                look(f, &list->item[i], &most, &entity);
        snprintf(found, sizeof found, "of whose line fluid used %.2g", most);
        if (most >= busy)
            wi_fluid_warn(diag, f, cls, entity, WI_BOUND_BUSY, found);
    }
}
