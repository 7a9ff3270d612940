/* Which handlers a network is run by: those of any, or those of plain ones (net/packet/plain.h). */
#include "net/build/building.h"
#include "net/congestion/congestion.h"

/* All flags that handlers of plain networks know: those that NET_MAY does not guard. */
static const uint32_t plain_flags = NET_CLASS_UDP | NET_CLASS_SACK | NET_CLASS_ECN | NET_CLASS_HANDSHAKE |
                                    NET_CLASS_DYNAMIC | NET_CLASS_SIZED | NET_CLASS_RACK;

static bool is_plain_control(uint32_t congestion)
{
    switch (congestion) {
#define X(number, name, doc) case NET_CC_##number:
        NET_PLAIN_CONGESTIONS(X)
#undef X
        return true;
    default:
        return false;
    }
}

static bool has_plain_classes(const net_world *w)
{
    for (uint32_t i = 0; i < w->n_classes; i++) {
        const net_class *c = net_class_at(w, i);
        if ((c->flags & ~plain_flags) || !((c->flags & NET_CLASS_UDP) || is_plain_control(c->congestion)))
            return false;
    }
    return true;
}

static bool has_plain_links(const net_world *w)
{
    for (uint32_t i = 0; i < w->n_hosts; i++)
        if (!NET_ARRAY(w, net_host_params, hosts)[i].nic.plain)
            return false;
    for (uint32_t i = 0; i < w->n_ports; i++)
        if (!NET_ARRAY(w, net_link, links)[i].plain)
            return false;
    return true;
}

bool wi_net_is_plain(const wi_net *net)
{
    const net_world *w = wi_net_world(net);
    return !w->outages && !w->captures && !w->port_router && !w->paths && !w->meter_ps && !w->background &&
           !w->rx_gate && w->ecmp != NET_FLOWLETS && w->n_sessions == 0 && has_plain_classes(w) &&
           has_plain_links(w);
}

void wi_net_choose_handlers(wi_net *net)
{
    wi_net_model_set_plain(&net->model, wi_net_is_plain(net));
}
