/* Results of the packet network under way, in checkpoints. */
#include <stdlib.h>

#include "scenario/results/results.h"

/* Completion times of a class, once there is one. */
static void keep_class(wi_results_of_run *r, wi_class_result *c, wi_archiver *k)
{
    uint64_t has = c->completions != NULL;
    wi_archive(k, &c->completed, sizeof c->completed);
    wi_archive(k, &c->ended, sizeof c->ended);
    wi_archive(k, &c->done_bytes, sizeof c->done_bytes);
    wi_archive(k, &c->warm_bytes, sizeof c->warm_bytes);
    wi_archive(k, &c->of_ended, sizeof c->of_ended);
    wi_archive(k, &c->at_warm, sizeof c->at_warm);
    wi_archive(k, c->counts_at_warm, sizeof c->counts_at_warm);
    wi_archive(k, &c->first_ps, sizeof c->first_ps);
    wi_archive(k, &c->last_ps, sizeof c->last_ps);
    wi_archive(k, &has, sizeof has);
    if (has && !c->completions && !(c->completions = wi_take(&r->memory, 1, sizeof *c->completions)))
        wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for completion times"));
    if (has && c->completions)
        wi_archive(k, c->completions, sizeof *c->completions);
    if (has && !c->slowdowns && !(c->slowdowns = wi_take(&r->memory, 1, sizeof *c->slowdowns)))
        wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for the slowdown of flows"));
    if (has && c->slowdowns)
        wi_archive(k, c->slowdowns, sizeof *c->slowdowns);
}

static void keep_snapshot(wi_net_snapshot *s, const wi_net *net, wi_archiver *k)
{
    const size_t ports = (size_t)net->n_hosts + net->n_ports, flows = net->n_flows;
    uint64_t has = s->ports != NULL;
    wi_archive(k, &has, sizeof has);
    if (!has)
        return;
    if (!s->ports) {
        s->ports = calloc(ports + 1, sizeof *s->ports);
        s->line_bytes = calloc(ports + 1, sizeof *s->line_bytes);
        s->flows = calloc(flows + 1, sizeof *s->flows);
    }
    if (!s->ports || !s->line_bytes || !s->flows) {
        wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for a snapshot of %zu flows", flows));
        return;
    }
    wi_archive(k, &s->at_ps, sizeof s->at_ps);
    wi_archive(k, s->ports, ports * sizeof *s->ports);
    wi_archive(k, s->line_bytes, ports * sizeof *s->line_bytes);
    wi_archive(k, s->flows, flows * sizeof *s->flows);
}

/* What the next sample is held against; only where there are series. */
static void keep_series(wi_results_of_run *r, wi_archiver *k)
{
    const size_t ports = r->n_sampled_ports, flows = r->n_sampled_flows, fluid = r->network->fluid_flows.n;
    wi_archive_section(k, "series");
    wi_archive(k, r->last_bytes, ports * sizeof *r->last_bytes);
    wi_archive(k, r->last_line, ports * sizeof *r->last_line);
    wi_archive(k, r->last_drops, ports * sizeof *r->last_drops);
    wi_archive(k, r->last_fluid_lost, ports * sizeof *r->last_fluid_lost);
    wi_archive(k, r->last_acked, flows * sizeof *r->last_acked);
    wi_archive(k, r->last_fluid, fluid * sizeof *r->last_fluid);
    wi_archive(k, r->last_lost, fluid * sizeof *r->last_lost);
    wi_archive(k, r->last_gone, fluid * sizeof *r->last_gone);
}

void wi_results_archive(wi_results_of_run *r, wi_archiver *k)
{
    const wi_network *n = r->network;
    wi_archive_section(k, "network");
    wi_archive(k, &r->rows, sizeof r->rows);
    wi_archive(k, r->completed_ps, n->net->n_flows * sizeof *r->completed_ps);
    wi_archive(k, r->alone_s, n->net->n_flows * sizeof *r->alone_s);
    if (r->received)
        wi_archive(k, r->received, n->net->n_tx * sizeof *r->received);
    for (size_t i = 0; i < n->scenario->n_traffic; i++)
        keep_class(r, &r->classes[i], k);
    keep_snapshot(&r->warm, n->net, k);
    if (r->run->series)
        keep_series(r, k);
    wi_csv_archive(r->flows_csv, k);
    if (r->network->videos)
        wi_csv_archive(r->segments_csv, k);
    if (r->captures)
        wi_captures_archive(r->captures, k);
    if (r->monitor)
        wi_monitor_archive(r->monitor, k);
}
