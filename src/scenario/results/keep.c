/* Results of the packet network under way, in checkpoints. */
#include <stdlib.h>

#include "scenario/results/results.h"

/* Completion times of a class: a histogram, once there is one. */
static void keep_class(wi_class_result *c, wi_keeper *k)
{
    uint64_t has = c->fct != NULL;
    wi_keep(k, &c->completed, sizeof c->completed);
    wi_keep(k, &c->done_bytes, sizeof c->done_bytes);
    wi_keep(k, &c->warm_bytes, sizeof c->warm_bytes);
    wi_keep(k, &has, sizeof has);
    if (has && !c->fct && !(c->fct = calloc(NET_DELAY_BINS, sizeof *c->fct)))
        wi_keeper_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for completion times"));
    if (has && c->fct)
        wi_keep(k, c->fct, NET_DELAY_BINS * sizeof *c->fct);
    if (has && !c->slowdowns && !(c->slowdowns = calloc(1, sizeof *c->slowdowns)))
        wi_keeper_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for the slowdown of flows"));
    if (has && c->slowdowns)
        wi_keep(k, c->slowdowns, sizeof *c->slowdowns);
}

static void keep_snapshot(wi_net_snapshot *s, const wi_net *net, wi_keeper *k)
{
    const size_t ports = (size_t)net->n_hosts + net->n_ports, flows = net->n_flows;
    uint64_t has = s->ports != NULL;
    wi_keep(k, &has, sizeof has);
    if (!has)
        return;
    if (!s->ports) {
        s->ports = calloc(ports + 1, sizeof *s->ports);
        s->flows = calloc(flows + 1, sizeof *s->flows);
    }
    if (!s->ports || !s->flows) {
        wi_keeper_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for a snapshot of %zu flows", flows));
        return;
    }
    wi_keep(k, &s->at_ps, sizeof s->at_ps);
    if (wi_keep_size(k, ports) == ports)
        wi_keep(k, s->ports, ports * sizeof *s->ports);
    if (wi_keep_size(k, flows) == flows)
        wi_keep(k, s->flows, flows * sizeof *s->flows);
}

/* What the next sample is held against; only where there are series. */
static void keep_series(wi_results_of_run *r, wi_keeper *k)
{
    const size_t ports = r->n_sampled_ports, flows = r->n_sampled_flows;
    wi_keep_section(k, "series");
    if (wi_keep_size(k, ports) == ports) {
        wi_keep(k, r->last_bytes, ports * sizeof *r->last_bytes);
        wi_keep(k, r->last_drops, ports * sizeof *r->last_drops);
        wi_keep(k, r->last_fluid_lost, ports * sizeof *r->last_fluid_lost);
    }
    if (wi_keep_size(k, flows) == flows)
        wi_keep(k, r->last_acked, flows * sizeof *r->last_acked);
    const size_t fluid = r->network->fluid_flows.n;
    if (wi_keep_size(k, fluid) == fluid) {
        wi_keep(k, r->last_fluid, fluid * sizeof *r->last_fluid);
        wi_keep(k, r->last_lost, fluid * sizeof *r->last_lost);
        wi_keep(k, r->last_gone, fluid * sizeof *r->last_gone);
    }
    wi_series_keep(r->series, k);
}

void wi_results_keep(wi_results_of_run *r, wi_keeper *k)
{
    const wi_network *n = r->network;
    wi_keep_section(k, "results");
    wi_keep(k, &r->rows, sizeof r->rows);
    wi_keep(k, &r->last_sample_ps, sizeof r->last_sample_ps);
    if (wi_keep_size(k, n->net->n_flows) == n->net->n_flows)
        wi_keep(k, r->completed_ps, n->net->n_flows * sizeof *r->completed_ps);
    if (r->received && wi_keep_size(k, n->net->n_tx) == n->net->n_tx)
        wi_keep(k, r->received, n->net->n_tx * sizeof *r->received);
    for (size_t i = 0; i < n->scenario->n_traffic; i++)
        keep_class(&r->classes[i], k);
    keep_snapshot(&r->warm, n->net, k);
    if (r->series)
        keep_series(r, k);
    wi_csv_keep(r->flows_csv, k);
    if (r->network->videos)
        wi_csv_keep(r->segments_csv, k);
}
