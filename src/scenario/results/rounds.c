/* rounds.csv: when each round of a collective operation began and ended. */
#include <math.h>
#include <stdlib.h>

#include "scenario/results/results.h"
#include "base/memory.h"

#define ROUNDS(X)                                                                      \
    X(TEXT, "class", "", name, "name of the traffic class, one with `collective`"),    \
        X(U64, "round", "", number, "from 0; those that have begun"),                  \
        X(U64, "flows", "", at->flows, "of the round"),                                \
        X(SECONDS, "start_s", "s", at->first_ps, "when its first flow began"),         \
        X(SECONDS, "end_s", "s", ended ? at->last_ps : WI_NO_TIME,                     \
          "when the last byte of its last flow arrived; empty of a round under way"),  \
        X(SECONDS, "duration_s", "s", ended ? at->last_ps - at->first_ps : WI_NO_TIME, \
          "the time between; likewise")
static const wi_result_column columns[] = {ROUNDS(WI_COLUMN)};

#define SUMMARY(X)                                                                                   \
    X(U64, "completed", "", completed, "rounds that began since the warm-up, and ended"),            \
        X(DOUBLE, "mean_s", "s", any ? sum / (double)completed : (double)NAN, "of their durations"), \
        X(DOUBLE, "max_s", "s", any ? most : (double)NAN, "the longest")
static const wi_result_column summary_columns[] = {SUMMARY(WI_COLUMN)};
const wi_result_table wi_rounds_summary = WI_RESULT(SUMMARY, "classes.NAME.rounds", summary_columns);

typedef struct round_of {
    uint64_t flows, begun, ended;
    weir_time first_ps, last_ps;
} round_of;

/* The rounds of a class, malloc'ed; null when memory is short. */
static round_of *rounds_of(const wi_results_of_run *r, uint32_t cls)
{
    const wi_network *n = r->network;
    round_of *rounds = calloc(n->scenario->traffic[cls].collective.rounds, sizeof *rounds);
    for (uint32_t i = 0; rounds && i < n->plan.n_flows; i++) {
        const wi_net_flow_plan *f = &n->plan.flows[i];
        const net_tx *tx = wi_net_tx(n->net, r->run->sim, i);
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
    const bool ended = at->ended == at->flows;
    wi_csv_row(csv, (const wi_cell[]){ROUNDS(WI_CELL)});
}

static bool any_collective(const void *results)
{
    const wi_results_of_run *r = results;
    uint32_t cls = 0;
    while (cls < r->network->scenario->n_traffic && !is_collective(r, cls))
        cls++;
    return cls < r->network->scenario->n_traffic;
}

static weir_status put_rows(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    const weir_scenario *s = r->network->scenario;
    for (uint32_t cls = 0; cls < s->n_traffic; cls++) {
        if (!is_collective(r, cls))
            continue;
        WI_FREED round_of *rounds = rounds_of(r, cls);
        if (!rounds)
            return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for the rounds of class '%s'",
                             s->traffic[cls].name.text);
        for (uint32_t k = 0; k < s->traffic[cls].collective.rounds; k++)
            if (rounds[k].begun > 0)
                put(csv, s->traffic[cls].name.text, k, &rounds[k]);
    }
    return WEIR_OK;
}
const wi_result_table wi_rounds_table = WI_ROWS("rounds.csv", columns, put_rows, any_collective);

json_t *wi_rounds_summarise(const wi_results_of_run *r, uint32_t cls)
{
    if (!is_collective(r, cls))
        return NULL;
    const uint32_t n = r->network->scenario->traffic[cls].collective.rounds;
    WI_FREED round_of *rounds = rounds_of(r, cls);
    uint64_t completed = 0;
    double sum = 0.0, most = 0.0;
    for (uint32_t k = 0; rounds && k < n; k++) {
        const double took = weir_seconds(rounds[k].last_ps - rounds[k].first_ps);
        if (rounds[k].ended < rounds[k].flows || rounds[k].first_ps < r->run->warm_ps)
            continue;
        completed++;
        sum += took;
        most = took > most ? took : most;
    }
    const bool any = completed > 0;
    return wi_result_object(&wi_rounds_summary, (const wi_cell[]){SUMMARY(WI_CELL)}, 0);
}
