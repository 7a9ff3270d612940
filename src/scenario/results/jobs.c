/* Jobs: jobs.csv, ranks.csv, actions.csv and a class's summary. Hosts note when operations end. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/results/times.h"
#include "scenario/results/results.h"

#define RANKS(X)                                                                                             \
    X(TEXT, "job", "", c->name.text, "name of the traffic class, one with `job`"),                           \
        X(U64, "rank", "", k, "number of the rank"),                                                         \
        X(TEXT, "host", "", r->network->graph->name[placed->plan.rank_node[k]], "node where it is"),         \
        X(TEXT, "state", "", over ? "ended" : "under way", "`ended`, or `under way`"),                       \
        X(U64, "iterations", "", rank->iterations, "that it ended"),                                         \
        X(SECONDS, "end_s", "s", over ? rank->end_ps : WI_NO_TIME,                                           \
          "when it ended the last; empty: it has not"),                                                      \
        X(SECONDS, "compute_s", "s", rank->compute_ps, "its computations that ended, summed"),               \
        X(SECONDS, "waited_s", "s", over ? rank->end_ps - rank->start_ps - rank->busy_ps : WI_NO_TIME,       \
          "from its start to its end, without any computation: communication that nothing hides; empty: it " \
          "has not ended")
static const wi_result_column rank_columns[] = {RANKS(WI_COLUMN)};

#define FIGURES(X)                                                                      \
    WI_JOB_FIGURES(X, "flows between hosts, of all ranks and iterations, begun or not", \
                   "of these, without headers")
#define JOBS(X) X(TEXT, "job", "", name, "name of the traffic class, one with `job`"), FIGURES(X)
static const wi_result_column job_columns[] = {JOBS(WI_COLUMN)};
static const wi_result_column summary_columns[] = {FIGURES(WI_COLUMN)};
const wi_result_table wi_job_summary = WI_RESULT(SUMMARY, "classes.NAME.job", summary_columns);

/* ---- when operations started and ended ---- */

/* A class's job as it is now. */
typedef struct placed_times {
    const wi_results_of_run *r;
    const wi_placed_job *placed;
} placed_times;

static weir_time began(const void *of, uint32_t rank, uint32_t iteration)
{
    const placed_times *const t = of;
    return wi_net_rank_began(t->r->network->net, t->r->run->sim, t->placed->first_rank + rank, iteration);
}

static weir_time ended(const void *of, uint32_t op, uint32_t iteration)
{
    const placed_times *const t = of;
    return wi_net_op_ended(t->r->network->net, t->r->run->sim, t->placed->first_op + op, iteration);
}

static placed_times placed_of(const wi_results_of_run *r, uint32_t cls)
{
    return (placed_times){r, r->network->jobs[cls]};
}

static wi_job_times times_of(const placed_times *of)
{
    return (wi_job_times){.job = of->placed->job, .of = of, .began = began, .ended = ended};
}

static weir_status no_memory(const wi_results_of_run *r, uint32_t cls)
{
    return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for the results of class '%s'",
                     r->network->scenario->traffic[cls].name.text);
}

/* Every rank of a class's job, malloc'ed; null when memory is short. */
static wi_job_rank *ranks_of(const wi_results_of_run *r, uint32_t cls, uint64_t *ops_ended)
{
    const placed_times of = placed_of(r, cls);
    wi_job_times t = times_of(&of);
    return wi_job_ranks(&t, (uint32_t)r->network->scenario->traffic[cls].job.ranks.iterations, ops_ended);
}

/* ---- tables ---- */

static bool is_job(const wi_results_of_run *r, size_t cls)
{
    return r->network->scenario->traffic[cls].where == WEIR_SC_JOB;
}

/* The last to end is likely of the last iteration. */
bool wi_job_is_over(const wi_results_of_run *r, uint32_t cls)
{
    if (!is_job(r, cls))
        return true;
    const placed_times t = placed_of(r, cls);
    const uint32_t ops = t.placed->job->n_ops;
    uint64_t i = (uint64_t)ops * r->network->scenario->traffic[cls].job.ranks.iterations;
    while (i > 0 && ended(&t, (uint32_t)((i - 1) % ops), (uint32_t)((i - 1) / ops)) != WEIR_TIME_MAX)
        i--;
    return i == 0;
}

static bool any_job(const void *results)
{
    const wi_results_of_run *r = results;
    size_t cls = 0;
    while (cls < r->network->scenario->n_traffic && !is_job(r, cls))
        cls++;
    return cls < r->network->scenario->n_traffic;
}

static bool any_actions(const void *results)
{
    const wi_results_of_run *r = results;
    size_t cls = 0;
    while (cls < r->network->scenario->n_traffic &&
           !(is_job(r, cls) && r->network->scenario->traffic[cls].job.actions))
        cls++;
    return cls < r->network->scenario->n_traffic;
}

static weir_status put_action_rows(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    for (uint32_t cls = 0; cls < r->network->scenario->n_traffic; cls++) {
        const weir_scenario_class *const c = &r->network->scenario->traffic[cls];
        if (!is_job(r, cls) || !c->job.actions)
            continue;
        const placed_times of = placed_of(r, cls);
        wi_job_times t = times_of(&of);
        if (!wi_job_put_actions(&t, csv, c->name.text, (uint32_t)c->job.ranks.iterations))
            return no_memory(r, cls);
    }
    return WEIR_OK;
}
const wi_result_table wi_job_actions_table = WI_JOB_ACTION_ROWS(put_action_rows, any_actions);

static weir_status put_rank_rows(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    for (uint32_t cls = 0; cls < r->network->scenario->n_traffic; cls++) {
        if (!is_job(r, cls))
            continue;
        const weir_scenario_class *const c = &r->network->scenario->traffic[cls];
        const wi_placed_job *const placed = r->network->jobs[cls];
        WI_FREED wi_job_rank *ranks = ranks_of(r, cls, NULL);
        if (!ranks)
            return no_memory(r, cls);
        for (uint32_t k = 0; k < placed->job->n_ranks; k++) {
            const wi_job_rank *const rank = &ranks[k];
            const bool over = rank->over;
            wi_csv_row(csv, (const wi_cell[]){RANKS(WI_CELL)});
        }
    }
    return WEIR_OK;
}
const wi_result_table wi_job_ranks_table = WI_ROWS("ranks.csv", rank_columns, put_rank_rows, any_job);

/* False when memory is short. */
static bool job_of(const wi_results_of_run *r, uint32_t cls, wi_job_figures *out)
{
    const wi_placed_job *const placed = r->network->jobs[cls];
    const uint32_t iterations = (uint32_t)r->network->scenario->traffic[cls].job.ranks.iterations;
    uint64_t n_ended = 0;
    WI_FREED wi_job_rank *ranks = ranks_of(r, cls, &n_ended);
    if (!ranks)
        return false;
    *out = wi_job_figures_of(placed->job, ranks, iterations, n_ended);
    out->messages = iterations * placed->messages;
    out->bytes = iterations * placed->bytes;
    return true;
}

static weir_status put_job_rows(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    wi_job_figures got, *const figures = &got;
    for (uint32_t cls = 0; cls < r->network->scenario->n_traffic; cls++) {
        const char *const name = r->network->scenario->traffic[cls].name.text;
        if (!is_job(r, cls))
            continue;
        if (!job_of(r, cls, figures))
            return no_memory(r, cls);
        wi_csv_row(csv, (const wi_cell[]){JOBS(WI_CELL)});
    }
    return WEIR_OK;
}
const wi_result_table wi_jobs_table = WI_ROWS("jobs.csv", job_columns, put_job_rows, any_job);

json_t *wi_jobs_summarise(const wi_results_of_run *r, uint32_t cls)
{
    wi_job_figures got, *const figures = &got;
    if (!is_job(r, cls) || !job_of(r, cls, figures))
        return NULL;
    return wi_result_object(&wi_job_summary, (const wi_cell[]){FIGURES(WI_CELL)}, 0);
}
