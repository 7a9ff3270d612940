/* rounds.csv: when each round of a collective operation began and ended. */
#include <math.h>
#include <stdlib.h>

#include "output/json.h"
#include "scenario/results/results.h"

static const wi_csv_column columns[] = {
    {"class", WI_CSV_TEXT},      {"round", WI_CSV_U64},     {"flows", WI_CSV_U64},
    {"start_s", WI_CSV_SECONDS}, {"end_s", WI_CSV_SECONDS}, {"duration_s", WI_CSV_SECONDS},
};

typedef struct round_of {
    uint64_t flows, begun, ended;
    weir_time first_ps, last_ps;
} round_of;

/* The rounds of a class, malloc'ed; null when memory is short. */
static round_of *rounds_of(const wi_results_of_run *r, uint32_t cls)
{
    const wi_network *n = r->network;
    round_of *rounds = calloc(n->scenario->traffic[cls].collective.rounds, sizeof *rounds);
    for (uint32_t i = 0; rounds && i < n->flows.n; i++) {
        const wi_net_flow_plan *f = &n->flows.item[i];
        const net_tx *tx = wi_net_tx(n->net, r->sim, i);
        if (f->cls != cls)
            continue;
        round_of *at = &rounds[f->round];
        if (tx->state != NET_TX_FREE) {
            at->first_ps = at->begun == 0 || tx->start_ps < at->first_ps ? tx->start_ps : at->first_ps;
            at->begun++;
        }
        at->last_ps = r->completed_ps[i] > at->last_ps ? r->completed_ps[i] : at->last_ps;
        at->ended += r->completed_ps[i] > 0;
        at->flows++;
    }
    return rounds;
}

static bool is_collective(const wi_results_of_run *r, size_t cls)
{
    return r->network->scenario->traffic[cls].where == WEIR_SC_COLLECTIVE;
}

static void put(wi_csv *csv, const char *name, uint64_t number, const round_of *at)
{
    wi_csv_text(csv, name);
    wi_csv_u64(csv, number);
    wi_csv_u64(csv, at->flows);
    wi_csv_seconds(csv, at->first_ps);
    if (at->ended == at->flows) {
        wi_csv_seconds(csv, at->last_ps);
        wi_csv_seconds(csv, at->last_ps - at->first_ps);
    } else {
        wi_csv_empty(csv);
        wi_csv_empty(csv);
    }
}

weir_status wi_rounds_write(const wi_results_of_run *r)
{
    const weir_scenario *s = r->network->scenario;
    wi_csv *csv = NULL;
    weir_status status = WEIR_OK;
    for (uint32_t cls = 0; cls < s->n_traffic && status == WEIR_OK; cls++) {
        if (!is_collective(r, cls))
            continue;
        if (!csv)
            status = wi_csv_open(r->diag, r->folder, "rounds.csv", columns, sizeof columns / sizeof *columns,
                                 &csv);
        round_of *rounds = rounds_of(r, cls);
        if (!rounds && status == WEIR_OK)
            status = weir_fail(r->diag, WEIR_E_NOMEM, "no memory for the rounds of class '%s'",
                               s->traffic[cls].name.text);
        for (uint32_t k = 0; status == WEIR_OK && k < s->traffic[cls].collective.rounds; k++)
            if (rounds[k].begun > 0)
                put(csv, s->traffic[cls].name.text, k, &rounds[k]);
        free(rounds);
    }
    if (status == WEIR_OK && csv)
        return wi_csv_close(r->diag, csv);
    wi_csv_drop(csv);
    return status;
}

json_t *wi_rounds_summarise(const wi_results_of_run *r, uint32_t cls)
{
    if (!is_collective(r, cls))
        return NULL;
    const uint32_t n = r->network->scenario->traffic[cls].collective.rounds;
    round_of *rounds = rounds_of(r, cls);
    uint64_t completed = 0;
    double sum = 0.0, most = 0.0;
    for (uint32_t k = 0; rounds && k < n; k++) {
        const double took = weir_seconds(rounds[k].last_ps - rounds[k].first_ps);
        if (rounds[k].ended < rounds[k].flows)
            continue;
        completed++;
        sum += took;
        most = took > most ? took : most;
    }
    free(rounds);
    json_t *o = json_object();
    json_object_set_new(o, "completed", wi_json_count(completed));
    json_object_set_new(o, "mean_s", wi_json_real(completed ? sum / (double)completed : (double)NAN));
    json_object_set_new(o, "max_s", wi_json_real(completed ? most : (double)NAN));
    return o;
}
