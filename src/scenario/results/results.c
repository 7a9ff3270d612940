/* Gathering the results of a run; each file has its own source beside this one. */
#include "scenario/results/results.h"

#include "base/memory.h"
#include "network/fluid/fluid.h"

#include <stdlib.h>

#include "weir/ranks.h"

static bool any_sized(const wi_network *n)
{
    for (size_t i = 0; i < n->scenario->n_traffic; i++)
        if (n->plan.classes[i].params.flags & NET_CLASS_SIZED)
            return true;
    return false;
}

/* Have the network record packets, before it is set up: for captures, and for flows that are watched. All ranks do,
 * though rank 0 alone writes of them. */
static weir_status begin_recording(wi_results_of_run *r)
{
    const wi_network *n = r->network;
    WI_FREED uint8_t *what = calloc((size_t)n->net->n_hosts + n->net->n_ports + 1, sizeof *what);
    WI_FREED bool *classes = calloc(n->scenario->n_traffic + 1, sizeof *classes);
    weir_status status =
        what && classes ? WEIR_OK : weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory to record packets");
    status = status
            ?: wi_captures_begin(r->run->diag, n, r->run->to.folder, what, &r->captures)
            ?: wi_monitor_begin(r->run->diag, n, &r->run->to, &r->monitor);
    const bool records =
        status == WEIR_OK && (r->run->to.folder || weir_ranks() > 1) && wi_monitor_asks(n->scenario, classes);
    if (status == WEIR_OK && (r->captures || records))
        status = wi_net_capture(r->run->diag, n->net, what, classes);
    return status;
}

weir_status wi_results_begin(wi_results_of_run *r, const wi_network *network, wi_subject_run *run)
{
    const wi_net *net = network->net;
    *r = (wi_results_of_run){.run = run, .network = network};
    r->flow_of_slot = wi_take(&r->memory, net->n_tx, sizeof *r->flow_of_slot);
    r->completed_ps = wi_take(&r->memory, net->n_flows, sizeof *r->completed_ps);
    r->alone_s = wi_take(&r->memory, net->n_flows, sizeof *r->alone_s);
    r->classes = wi_take(&r->memory, network->scenario->n_traffic, sizeof *r->classes);
    if (any_sized(network))
        r->received = wi_take(&r->memory, net->n_tx, sizeof *r->received);
    if (r->memory.failed)
        return weir_fail(run->diag, WEIR_E_NOMEM, "no memory for the results of %u flows", net->n_tx);
    for (uint32_t i = 0; i < net->n_tx; i++)
        r->flow_of_slot[i] = NET_NONE;
    for (uint32_t i = 0; i < net->n_flows; i++) {
        r->flow_of_slot[net->flow_tx[i]] = i;
        r->classes[network->plan.flows[i].cls].planned++;
    }
    weir_status status = WEIR_OK;
    if (run->to.folder) {
        status = wi_flows_open(r) ?: wi_players_open(r) ?: wi_results_watch(r);
    }
    status = status ?: begin_recording(r);
    return status == WEIR_OK && run->series ? wi_series_begin(r) : status;
}

weir_status wi_results_take(wi_results_of_run *r, const weir_record_head *record)
{
    const void *const what = record + 1;
    weir_status status = WEIR_OK;
    switch (record->type) {
    case NET_REC_RX_DONE:
        r->received[((const net_rx_done *)what)->flow] =
            (wi_received){*(const net_rx_done *)what, record->time_ps};
        break;
    case NET_REC_TX_DONE:
        wi_flows_done(r, what);
        break;
    case NET_REC_SEGMENT:
        wi_players_take(r, what, record->time_ps);
        break;
    case NET_REC_PACKET:
        if (r->captures)
            status = wi_captures_packet(r->captures, what, record->time_ps);
        if (r->monitor && status == WEIR_OK)
            status = wi_monitor_packet(r->monitor, what, record->entity);
        break;
    case NET_REC_FLOW:
        if (r->captures)
            wi_captures_flow(r->captures, what);
        if (r->monitor)
            wi_monitor_flow(r->monitor, what, record->time_ps);
        break;
    case NET_REC_PAUSE:
        if (r->captures)
            wi_captures_pause(r->captures, what, record->time_ps);
        break;
    case NET_REC_RTT:
        if (r->monitor)
            status = wi_monitor_rtt(r->monitor, what, record->time_ps);
        break;
    }
    return status;
}

/* Of those that arrive by themselves: after the last arrival, as many as were taken. */
static bool class_is_done(const wi_results_of_run *r, uint32_t cls)
{
    const net_class *c = &r->network->plan.classes[cls].params;
    const wi_class_result *got = &r->classes[cls];
    if (!(c->flags & NET_CLASS_SIZED) || c->flags & (NET_CLASS_UDP | NET_CLASS_REQUEST | NET_CLASS_VIDEO))
        return true;
    if (c->flags & NET_CLASS_JOB)
        return got->ended >=
               r->network->scenario->traffic[cls].job.ranks.iterations * r->network->jobs[cls]->messages;
    if (!(c->flags & NET_CLASS_DYNAMIC))
        return got->ended >= got->planned;
    if (c->stop_ps == 0)
        return true;
    const int64_t begun = wi_net_class_counter(r->network->net, r->run->sim, cls, NET_COUNT_FLOWS) -
                          wi_net_class_counter(r->network->net, r->run->sim, cls, NET_COUNT_REJECTED);
    return weir_sim_now(r->run->sim) >= c->stop_ps && got->ended >= (uint64_t)begun;
}

wi_doneness wi_results_are_done(const wi_results_of_run *r, bool state)
{
    const weir_scenario *s = r->network->scenario;
    wi_doneness done = WI_DONE;
    for (uint32_t i = 0; i < s->n_traffic; i++) {
        if (!class_is_done(r, i) || (state && !wi_job_is_over(r, i)))
            return WI_NOT_DONE;
        done = s->traffic[i].where == WEIR_SC_JOB && !state ? WI_DONE_BY_STATE : done;
    }
    return done;
}

weir_status wi_results_warm(wi_results_of_run *r)
{
    const size_t n = r->network->scenario->n_traffic;
    WI_FREED wi_net_flow_total *now = calloc(n + 1, sizeof *now);
    if (!now)
        return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory to remember the totals of the warm-up");
    wi_flows_look(r);
    wi_results_served(r, now);
    for (size_t i = 0; i < n; i++) {
        r->classes[i].warm_bytes = r->classes[i].now_bytes;
        r->classes[i].at_warm = now[i];
        for (int what = 0; what < NET_CLASS_COUNTERS; what++)
            r->classes[i].counts_at_warm[what] =
                wi_net_class_counter(r->network->net, r->run->sim, (uint32_t)i, what);
    }
    return WEIR_OK;
}

void wi_results_look(wi_results_of_run *r)
{
    wi_flows_look(r);
    if (r->network->fluid)
        wi_fluid_net_take(r->network->fluid, weir_sim_now(r->run->sim));
}

weir_status wi_results_finish(wi_results_of_run *r)
{
    weir_status status = wi_flows_finish(r);
    if (r->network->fluid) {
        wi_fluid_net_warn_of_acks(r->run->diag, r->network->fluid);
        wi_fluid_net_warn_of_busy(r->run->diag, r->network->fluid);
        wi_fluid_net_warn_of_floors(r->run->diag, r->network->fluid);
    }
    wi_pauses_warn(r);
    if (!r->run->to.folder)
        return status;
    if (status == WEIR_OK && r->captures) {
        r->run->late = wi_captures_finish(r->captures, weir_sim_now(r->run->sim));
        if (r->run->late != WEIR_OK)
            weir_warn(r->run->diag,
                      "captures that could not be written whole are left out; the other results stand");
    }
    status = status ?: wi_csv_close(r->run->diag, r->segments_csv);
    r->segments_csv = NULL;
    status = status ?: wi_csv_write(r->run->diag, r->run->to.folder, wi_network_tables, r);
    if (status == WEIR_OK && r->monitor)
        status = wi_monitor_write(r->monitor);
    return status;
}

void wi_results_end(wi_results_of_run *r)
{
    wi_csv_drop(r->flows_csv);
    wi_csv_drop(r->segments_csv);
    wi_captures_free(r->captures);
    wi_monitor_free(r->monitor);
    wi_net_snapshot_free(&r->warm);
    wi_owned_free(&r->memory);
    *r = (wi_results_of_run){0};
}

const wi_result_table *const wi_network_tables[] = {&wi_topology_table,    &wi_class_table,
                                                    &wi_video_summary,     &wi_rounds_summary,
                                                    &wi_imbalance_table,   &wi_pauses_table,
                                                    &wi_skips_table,       &wi_failures_table,
                                                    &wi_flows_table,       &wi_ports_table,
                                                    &wi_slowdown_table,    &wi_rounds_table,
                                                    &wi_job_summary,       &wi_jobs_table,
                                                    &wi_job_ranks_table,   &wi_job_actions_table,
                                                    &wi_players_table,     &wi_segments_table,
                                                    &wi_port_series_table, &wi_flow_series_table,
                                                    &wi_packets_table,     &wi_packet_flows_table,
                                                    &wi_histograms_table,  &wi_captures_table,
                                                    &wi_addresses_table,   NULL};
