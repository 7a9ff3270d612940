/* What the fluid did, from its samples. */
#include <math.h>

#include "packets/stats/stats.h"
#include "network/fluid/fluid.h"

static const weir_fluid_flow_state *flow_at(const wi_fluid_sample *s, uint32_t i)
{
    static const weir_fluid_flow_state none = {0};
    return s ? &s->flows[i] : &none;
}

double wi_fluid_net_segment(const wi_fluid_net *f, uint32_t i)
{
    if (f->first_way[i] == f->first_way[i + 1])
        return 0.0;
    return (double)f->plan.classes[f->plan.flows[f->first_way[i]].cls].mss_bytes - NET_HEADER_TCP;
}

/* What a class of UDP sends between two times. */
static double offered_bytes(const weir_fluid_class *c, weir_time from_ps, weir_time to_ps)
{
    const weir_fluid_rate always = {0, c->rate_bps}, *const rates = c->schedule ? c->schedule : &always;
    const uint32_t n = c->schedule ? c->n_schedule : 1;
    double bytes = 0.0;
    for (uint32_t i = 0; i < n && rates[i].from_ps < to_ps; i++) {
        const weir_time begin_ps = rates[i].from_ps > from_ps ? rates[i].from_ps : from_ps,
                        end_ps = i + 1 < n && rates[i + 1].from_ps < to_ps ? rates[i + 1].from_ps : to_ps;
        if (begin_ps < end_ps)
            bytes += (double)rates[i].rate_bps / 8.0 * weir_seconds(end_ps - begin_ps);
    }
    return bytes;
}

/* Of a stream, on the wire, for which no router had a way, since the end of the warm-up. */
static double cut_off_bytes(const wi_fluid_net *f, uint32_t i)
{
    const weir_time since_ps = f->warm ? f->warm->step * f->options.step_ps : 0,
                    now_ps = f->now ? f->now->step * f->options.step_ps : 0;
    double bytes = 0.0;
    for (uint32_t k = f->first_cut ? f->first_cut[i] : 0; f->first_cut && k < f->first_cut[i + 1]; k++) {
        const wi_fluid_cut *const cut = &f->cuts[k];
        bytes += offered_bytes(&f->plan.classes[cut->cls], cut->from_ps > since_ps ? cut->from_ps : since_ps,
                               cut->to_ps < now_ps ? cut->to_ps : now_ps);
    }
    return bytes;
}

void wi_fluid_net_total(const wi_fluid_net *f, uint32_t i, wi_fluid_total *out)
{
    const weir_fluid_flow_state *now = flow_at(f->now, i), *then = flow_at(f->warm, i);
    const wi_fluid_flow_means *m = &f->flow_means[i];
    const uint32_t cls = f->network->fluid_flows.item[i].cls;
    const weir_scenario_class *c = &f->network->scenario->traffic[cls];
    const double acked = now->acked_bytes - then->acked_bytes, cut = cut_off_bytes(f, i);
    *out = (wi_fluid_total){.sent_bytes = now->sent_bytes - then->sent_bytes + cut,
                            .lost_bytes = now->lost_bytes - then->lost_bytes + cut,
                            .acked_bytes = acked,
                            .received_bytes = acked * f->payload[cls],
                            .window_mean_bytes = (double)NAN,
                            .rtt_mean_s = (double)NAN,
                            .rtt_min_s = (double)NAN,
                            .rtt_max_s = (double)NAN};
    out->loss = acked + out->lost_bytes > 0.0 ? out->lost_bytes / (acked + out->lost_bytes) : 0.0;
    if (m->n == 0 || c->is_udp)
        return;
    out->window_mean_bytes = m->window_sum / (double)m->n * wi_fluid_net_segment(f, i);
    out->rtt_mean_s = m->rtt_sum / (double)m->n;
    out->in_progress = m->sessions_sum / (double)m->n;
    out->rtt_min_s = m->rtt_min;
    out->rtt_max_s = m->rtt_max;
}

double wi_fluid_net_sent_bytes(const wi_fluid_net *f, uint32_t p, const wi_fluid_sample *at)
{
    const weir_fluid_port_state *s = at ? &at->ports[p] : NULL;
    const uint32_t entity = f->port_entity[p];
    if (!s)
        return 0.0;
    const double fluid = s->arrived_bytes - s->lost_bytes - s->queue_bytes,
                 line = (double)wi_net_link(f->network->net, entity)->rate_bps / 8.0 *
                            weir_seconds(at->step * f->options.step_ps) -
                        s->reduction_bytes;
    /* Packets that were expected, and did not come, are in the reduction, and so is rounding. */
    return f->meeting_of[entity] == UINT32_MAX && line > fluid + 1.0 + 1e-6 * line ? line : fluid;
}

void wi_fluid_net_port_total(const wi_fluid_net *f, uint32_t p, wi_fluid_port_total *out)
{
    static const weir_fluid_port_state none = {0};
    const weir_fluid_port_state *now = f->now ? &f->now->ports[p] : &none;
    const weir_fluid_port_state *then = f->warm ? &f->warm->ports[p] : &none;
    *out = (wi_fluid_port_total){.arrived_bytes = now->arrived_bytes - then->arrived_bytes,
                                 .lost_bytes = now->lost_bytes - then->lost_bytes,
                                 .link_lost_bytes = now->link_lost_bytes + now->failed_bytes -
                                                    then->link_lost_bytes - then->failed_bytes,
                                 .queue_mean_bytes = now->queue_mean_bytes,
                                 .queue_max_bytes = now->queue_max_bytes};
    out->sent_bytes = wi_fluid_net_sent_bytes(f, p, f->now) - wi_fluid_net_sent_bytes(f, p, f->warm);
    if (out->arrived_bytes == 0.0) /* ACKs that packets meet stand in the queue alone */
        out->sent_bytes = fmax(out->sent_bytes, 0.0);
}

double wi_fluid_net_queue(const wi_fluid_net *f, uint32_t port)
{
    const uint32_t meeting = f->meeting_of[f->port_entity[port]];
    if (meeting != UINT32_MAX)
        return wi_coupling_queue_bytes(f->coupling, meeting);
    return f->now ? f->now->ports[port].queue_bytes : 0.0;
}
