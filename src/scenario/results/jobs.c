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

typedef struct job_row {
    const char *job;
    uint64_t ranks, ranks_ended, operations, operations_ended, messages, bytes, iterations;
    double start_s, end_s, duration_s, iteration_mean_s, compute_mean_s, waited_mean_s, waited_max_s,
        critical_s;
} job_row;

#define FIGURES(X)                                                                             \
    X(U64, "ranks", "", row->ranks, "its ranks"),                                              \
        X(U64, "ranks_ended", "", row->ranks_ended, "ranks that have ended all iterations"),   \
        X(U64, "operations", "", row->operations, "of all ranks and iterations"),              \
        X(U64, "operations_ended", "", row->operations_ended, "of these, ended"),              \
        X(U64, "messages", "", row->messages, "flows between hosts"),                          \
        X(U64, "bytes", "bytes", row->bytes, "of these, without headers"),                     \
        X(U64, "iterations", "", row->iterations, "that all ranks ended"),                     \
        X(DOUBLE, "start_s", "s", row->start_s, "when its ranks began"),                       \
        X(DOUBLE, "end_s", "s", row->end_s, "when the last rank ended; empty until all have"), \
        X(DOUBLE, "duration_s", "s", row->duration_s, "the time between; likewise"),           \
        X(DOUBLE, "iteration_mean_s", "s", row->iteration_mean_s,                              \
          "`duration_s` over the number of iterations"),                                       \
        X(DOUBLE, "compute_mean_s", "s", row->compute_mean_s,                                  \
          "of a rank: its computations that ended, summed"),                                   \
        X(DOUBLE, "waited_mean_s", "s", row->waited_mean_s,                                    \
          "of a rank that ended: communication that nothing hides"),                           \
        X(DOUBLE, "waited_max_s", "s", row->waited_max_s, "the longest of these"),             \
        X(DOUBLE, "critical_s", "s", row->critical_s,                                          \
          "of an iteration on a network that takes no time: its longest chain of computations")
#define JOBS(X) X(TEXT, "job", "", row->job, "name of the traffic class, one with `job`"), FIGURES(X)
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

static weir_time later(weir_time a, weir_time b)
{
    return a > b ? a : b;
}

static weir_status no_memory(const wi_results_of_run *r, uint32_t cls)
{
    return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for the results of class '%s'",
                     r->network->scenario->traffic[cls].name.text);
}

/* ---- ranks ---- */

typedef struct rank_of {
    uint32_t iterations;
    bool broken; /* an operation of the iteration at hand has not ended */
    weir_time start_ps, end_ps, compute_ps, busy_ps, busy_until_ps;
} rank_of;

typedef struct span {
    uint32_t rank;
    weir_time from_ps, to_ps;
} span;

WI_ORDER_BY(by_rank_and_time, span, WI_ORDER(x->rank, y->rank) ?: WI_ORDER(x->from_ps, y->from_ps))

/* An iteration's ends, and the time in which each rank computed on any processor. A rank without operations ends an iteration
 * as it begins. */
static void add_iteration(const wi_job_times *t, uint32_t iteration, rank_of *ranks, span *spans)
{
    const wi_job *const job = t->job;
    uint32_t n = 0;
    for (uint32_t k = 0; k < job->n_ranks; k++) {
        const weir_time begin_ps = began(t->of, k, iteration);
        ranks[k].broken = ranks[k].broken || begin_ps == WEIR_TIME_MAX;
        ranks[k].end_ps = ranks[k].broken ? ranks[k].end_ps : later(ranks[k].end_ps, begin_ps);
    }
    for (uint32_t i = 0; i < job->n_ops; i++) {
        rank_of *const rank = &ranks[job->op[i].rank];
        rank->broken = rank->broken || t->end[i] == WEIR_TIME_MAX;
        if (t->end[i] == WEIR_TIME_MAX)
            continue;
        rank->end_ps = later(rank->end_ps, t->end[i]);
        if (job->op[i].kind == WI_JOB_COMPUTE && job->op[i].time_ps > 0) {
            rank->compute_ps += job->op[i].time_ps;
            spans[n++] = (span){job->op[i].rank, t->start[i], t->end[i]};
        }
    }
    if (n)
        qsort(spans, n, sizeof *spans, by_rank_and_time);
    for (uint32_t i = 0; i < n; i++) {
        rank_of *const rank = &ranks[spans[i].rank];
        const weir_time from_ps = later(spans[i].from_ps, rank->busy_until_ps);
        rank->busy_ps += spans[i].to_ps > from_ps ? spans[i].to_ps - from_ps : 0;
        rank->busy_until_ps = later(rank->busy_until_ps, spans[i].to_ps);
    }
    for (uint32_t k = 0; k < job->n_ranks; k++)
        ranks[k].iterations += !ranks[k].broken;
}

/* Every rank of a class's job, malloc'ed; null when memory is short. `ops_ended`: how many operations have, where it is not null. */
static rank_of *ranks_of(const wi_results_of_run *r, uint32_t cls, uint64_t *ops_ended)
{
    const placed_times of = placed_of(r, cls);
    wi_job_times t = times_of(&of);
    const bool good = wi_job_times_open(&t);
    const wi_job *const job = t.job;
    rank_of *ranks = calloc((size_t)job->n_ranks + 1, sizeof *ranks);
    WI_FREED span *spans = malloc(((size_t)job->n_ops + 1) * sizeof *spans);
    if (!good || !ranks || !spans) {
        free(ranks);
        ranks = NULL;
    }
    for (uint32_t k = 0; ranks && k < job->n_ranks; k++)
        ranks[k].start_ps = began(&of, k, 0);
    for (uint32_t k = 0; ranks && k < r->network->scenario->traffic[cls].job.ranks.iterations; k++) {
        wi_job_times_read(&t, k);
        add_iteration(&t, k, ranks, spans);
        for (uint32_t i = 0; ops_ended && i < job->n_ops; i++)
            *ops_ended += t.end[i] != WEIR_TIME_MAX;
    }
    wi_job_times_close(&t);
    return ranks;
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
        WI_FREED rank_of *ranks = ranks_of(r, cls, NULL);
        if (!ranks)
            return no_memory(r, cls);
        for (uint32_t k = 0; k < placed->job->n_ranks; k++) {
            const rank_of *const rank = &ranks[k];
            const bool over = rank->iterations == c->job.ranks.iterations;
            wi_csv_row(csv, (const wi_cell[]){RANKS(WI_CELL)});
        }
    }
    return WEIR_OK;
}
const wi_result_table wi_job_ranks_table = WI_ROWS("ranks.csv", rank_columns, put_rank_rows, any_job);

/* False when memory is short. */
static bool job_of(const wi_results_of_run *r, uint32_t cls, job_row *row)
{
    const weir_scenario_class *const c = &r->network->scenario->traffic[cls];
    const wi_job *const job = r->network->jobs[cls]->job;
    uint64_t n_ended = 0;
    WI_FREED rank_of *ranks = ranks_of(r, cls, &n_ended);
    if (!ranks)
        return false;
    weir_time start_ps = WEIR_TIME_MAX, end_ps = 0, compute_ps = 0;
    double waited = 0.0, most = 0.0;
    *row = (job_row){.job = c->name.text,
                     .ranks = job->n_ranks,
                     .operations = (uint64_t)job->n_ops * c->job.ranks.iterations,
                     .operations_ended = n_ended,
                     .iterations = c->job.ranks.iterations};
    for (uint32_t k = 0; k < job->n_ranks; k++) {
        const double wait = weir_seconds(ranks[k].end_ps - ranks[k].start_ps - ranks[k].busy_ps);
        const bool over = ranks[k].iterations == c->job.ranks.iterations;
        row->ranks_ended += over;
        row->iterations = ranks[k].iterations < row->iterations ? ranks[k].iterations : row->iterations;
        start_ps = ranks[k].start_ps < start_ps ? ranks[k].start_ps : start_ps;
        end_ps = later(end_ps, ranks[k].end_ps);
        compute_ps += ranks[k].compute_ps;
        waited += over ? wait : 0.0;
        most = over && wait > most ? wait : most;
    }
    const bool all = row->ranks_ended == job->n_ranks, any = row->ranks_ended > 0;
    const double duration_s = weir_seconds(end_ps - start_ps), none = (double)NAN;
    row->start_s = start_ps == WEIR_TIME_MAX ? none : weir_seconds(start_ps);
    row->end_s = all ? weir_seconds(end_ps) : none;
    row->duration_s = all ? duration_s : none;
    row->iteration_mean_s = all ? duration_s / (double)c->job.ranks.iterations : none;
    row->compute_mean_s = weir_seconds(compute_ps) / (double)job->n_ranks;
    row->waited_mean_s = any ? waited / (double)row->ranks_ended : none;
    row->waited_max_s = any ? most : none;
    row->critical_s = weir_seconds(job->sums.critical_ps);
    row->messages = c->job.ranks.iterations * r->network->jobs[cls]->messages;
    row->bytes = c->job.ranks.iterations * r->network->jobs[cls]->bytes;
    return true;
}

static weir_status put_job_rows(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    job_row got, *const row = &got;
    for (uint32_t cls = 0; cls < r->network->scenario->n_traffic; cls++) {
        if (!is_job(r, cls))
            continue;
        if (!job_of(r, cls, row))
            return no_memory(r, cls);
        wi_csv_row(csv, (const wi_cell[]){JOBS(WI_CELL)});
    }
    return WEIR_OK;
}
const wi_result_table wi_jobs_table = WI_ROWS("jobs.csv", job_columns, put_job_rows, any_job);

json_t *wi_jobs_summarise(const wi_results_of_run *r, uint32_t cls)
{
    job_row got, *const row = &got;
    if (!is_job(r, cls) || !job_of(r, cls, row))
        return NULL;
    return wi_result_object(&wi_job_summary, (const wi_cell[]){FIGURES(WI_CELL)}, 0);
}
