/* What a class of UDP sends: packets of drawn sizes, or those of a trace. */
#include <math.h>

#include "net/transport/udp.h"
#include "network/files/udp_trace.h"
#include "network/network.h"

static weir_dist period(const weir_scenario_udp *u, weir_time mean_ps)
{
    return u->on_off == WEIR_SC_DIST_PARETO ? weir_dist_pareto_mean((double)mean_ps, u->shape)
                                            : weir_dist_exponential((double)mean_ps);
}

/* Packets of an empirical size hold their headers, and fit into an IP packet: what a file says besides is an
 * error, since it would be cut off in silence. */
static weir_status check_packet_points(weir_diag *diag, const weir_scenario_udp *u, const weir_cdf *cdf)
{
    const double least = cdf->points[0].x, most = cdf->points[cdf->n - 1].x;
    if (least >= NET_HEADER_UDP && most <= UINT16_MAX)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(u->packet.place),
                        "packet: %s has sizes from %.9g to %.9g B; want %d B (headers alone) to 65535 B",
                        u->packet.file, least, most, NET_HEADER_UDP);
}

/* Bursts may be shorter than the gap between their packets, but not so short that net_udp_pause gives up counting them. */
static weir_status check_bursts(weir_diag *diag, const weir_scenario_class *c, double packet_bytes)
{
    const weir_scenario_udp *u = &c->udp;
    char text[WEIR_UNITS_TEXT];
    const double packet_ps = u->rate_bps ? 8e12 * packet_bytes / (double)u->rate_bps : 0.0,
                 least_ps = 2.0 * packet_ps / NET_UDP_PAUSES;
    if ((double)u->on_ps + (double)u->off_ps >= least_ps)
        return WEIR_OK;
    return weir_fail_at(
        diag, WEIR_E_SCENARIO, WEIR_AT(c->place),
        "class '%s': so short bursts and pauses are as good as none between its packets; want "
        "on_time and off_time of %s or more together, or pattern: cbr",
        c->name.text, weir_format_time((weir_time)ceil(least_ps), text));
}

/* A trace whose times are of a clock, or longer than the run, sends less than its reader thinks. */
static void warn_of_late(weir_diag *diag, const wi_network *n, const weir_scenario_class *c,
                         const wi_udp_trace *t)
{
    uint32_t late = t->n;
    while (late > 0 && c->start_ps + t->points[late - 1].at_ps >= n->scenario->duration_ps)
        late--;
    late = t->n - late;
    if (late > 0 && c->start_ps < n->scenario->duration_ps)
        weir_warn_at(diag, WEIR_AT(c->udp.trace.place),
                     "class '%s': %u of %u packets of %s are due when the run is over, and are left out",
                     c->name.text, late, t->n, c->udp.trace.text);
}

static weir_status replay(weir_diag *diag, wi_network *n, uint32_t cls)
{
    const weir_scenario_udp *u = &n->scenario->traffic[cls].udp;
    wi_net_class_plan *plan = &n->plan.classes[cls];
    const weir_place at = u->trace.place;
    char text[2][WEIR_UNITS_TEXT];
    wi_udp_trace *t = NULL;
    weir_status status = wi_udp_trace_read(wi_source_file(diag, u->trace.text), &t);
    n->replayed[cls] = t;
    if (status != WEIR_OK)
        return status;
    if (u->repeat_ps > 0 && u->repeat_ps <= t->points[t->n - 1].at_ps)
        status = weir_fail_at(
            diag, WEIR_E_SCENARIO, WEIR_AT(at), "repeat: %s is not after the trace's last packet, at %s",
            weir_format_time(u->repeat_ps, text[0]), weir_format_time(t->points[t->n - 1].at_ps, text[1]));
    warn_of_late(diag, n, &n->scenario->traffic[cls], t);
    plan->points = t->points;
    plan->n_points = t->n;
    plan->params.own_period_ps = u->repeat_ps;
    plan->params.udp_pattern = NET_UDP_TRACE;
    plan->params.packet = weir_dist_uniform((double)t->least, (double)t->most); /* for what bounds packets */
    return status;
}

weir_status wi_network_udp(weir_diag *diag, wi_network *n, uint32_t cls)
{
    const weir_scenario_class *c = &n->scenario->traffic[cls];
    const weir_scenario_udp *u = &c->udp;
    wi_net_class_plan *plan = &n->plan.classes[cls];
    net_class *p = &plan->params;
    p->flags = NET_CLASS_UDP | (c->demands.step_ps > 0 ? NET_CLASS_VARIES : 0);
    if (u->trace.text)
        return replay(diag, n, cls);
    weir_status status = wi_network_dist(diag, &u->packet, &n->cdf[cls], &p->packet);
    if (status != WEIR_OK)
        return status;
    if (n->cdf[cls]) {
        plan->size_points = n->cdf[cls]->points;
        status = check_packet_points(diag, u, n->cdf[cls]);
    }
    p->udp_mean_bytes = weir_dist_mean(&p->packet);
    p->udp_pattern = u->pattern == WEIR_SC_UDP_POISSON ? NET_UDP_POISSON
                     : u->pattern == WEIR_SC_UDP_ONOFF ? NET_UDP_ONOFF
                                                       : NET_UDP_CBR;
    p->jitter = u->jitter;
    if (u->pattern == WEIR_SC_UDP_ONOFF) {
        p->on = period(u, u->on_ps);
        p->off = period(u, u->off_ps);
        status = status ?: check_bursts(diag, c, p->udp_mean_bytes);
    }
    return status;
}
