/* Fluid beside packets, in checkpoints: the coupling, samples that the fluid is ahead by, and means of flows. */
#include "network/fluid/fluid.h"

static void keep_sample(const wi_fluid_net *f, wi_fluid_sample *s, wi_archiver *k)
{
    wi_archive(k, &s->step, sizeof s->step);
    wi_archive(k, s->flows, f->network->fluid_flows.n * sizeof *s->flows);
    wi_archive(k, s->ports, f->n_ports * sizeof *s->ports);
}

/* One that there may be; null: there is none. */
static wi_fluid_sample *keep_one(wi_fluid_net *f, wi_fluid_sample *s, wi_archiver *k)
{
    uint64_t has = s != NULL;
    wi_archive(k, &has, sizeof has);
    if (has && !s)
        s = wi_fluid_sample_new(f);
    if (has && !s)
        wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for a sample of the fluid"));
    if (has && s)
        keep_sample(f, s, k);
    return s;
}

static void keep_list(wi_fluid_net *f, wi_archiver *k)
{
    uint64_t n = 0;
    for (const wi_fluid_sample *s = f->first; s; s = s->next)
        n++;
    wi_archive(k, &n, sizeof n);
    if (!wi_archiver_reads(k)) {
        for (wi_fluid_sample *s = f->first; s; s = s->next)
            (void)keep_one(f, s, k);
        return;
    }
    for (uint64_t i = 0; i < n && k->status == WEIR_OK && k->part.left > 0; i++) {
        wi_fluid_sample *const s = keep_one(f, NULL, k);
        if (!s)
            return;
        if (f->last)
            f->last->next = s;
        else
            f->first = s;
        f->last = s;
    }
}

void wi_fluid_net_archive(wi_fluid_net *f, wi_archiver *k)
{
    wi_coupling_archive(f->coupling, k); /* whose thread rests then */
    wi_archive_section(k, "fluid samples");
    if (wi_archiver_reads(k))
        wi_fluid_net_drop_samples(f);
    const size_t demands = f->network->fluid_flows.n;
    keep_list(f, k);
    uint64_t same = f->now && f->now == f->warm;
    f->now = keep_one(f, f->now, k);
    wi_archive(k, &same, sizeof same);
    f->warm = same ? f->now : keep_one(f, f->warm, k);
    wi_archive(k, f->flow_means, demands * sizeof *f->flow_means);
}
