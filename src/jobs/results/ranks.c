/* Ranks of jobs and their jobs, from when operations started and ended; see times.h. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/results/times.h"

static weir_time later(weir_time a, weir_time b)
{
    return a > b ? a : b;
}

typedef struct span {
    uint32_t rank;
    weir_time from_ps, to_ps;
} span;

WI_ORDER_BY(by_rank_and_time, span, WI_ORDER(x->rank, y->rank) ?: WI_ORDER(x->from_ps, y->from_ps))

/* An iteration's ends, and the time in which each rank computed on any processor. A rank without operations ends an iteration
 * as it begins. */
static void add_iteration(const wi_job_times *t, uint32_t iteration, wi_job_rank *ranks, span *spans)
{
    const wi_job *const job = t->job;
    uint32_t n = 0;
    for (uint32_t k = 0; k < job->n_ranks; k++) {
        const weir_time begin_ps = t->began(t->of, k, iteration);
        ranks[k].broken = ranks[k].broken || begin_ps == WEIR_TIME_MAX;
        ranks[k].end_ps = ranks[k].broken ? ranks[k].end_ps : later(ranks[k].end_ps, begin_ps);
    }
    for (uint32_t i = 0; i < job->n_ops; i++) {
        wi_job_rank *const rank = &ranks[job->op[i].rank];
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
        wi_job_rank *const rank = &ranks[spans[i].rank];
        const weir_time from_ps = later(spans[i].from_ps, rank->busy_until_ps);
        rank->busy_ps += spans[i].to_ps > from_ps ? spans[i].to_ps - from_ps : 0;
        rank->busy_until_ps = later(rank->busy_until_ps, spans[i].to_ps);
    }
    for (uint32_t k = 0; k < job->n_ranks; k++)
        ranks[k].iterations += !ranks[k].broken;
}

wi_job_rank *wi_job_ranks(wi_job_times *t, uint32_t iterations, uint64_t *ops_ended)
{
    const bool good = wi_job_times_open(t);
    const wi_job *const job = t->job;
    wi_job_rank *ranks = calloc((size_t)job->n_ranks + 1, sizeof *ranks);
    WI_FREED span *spans = malloc(((size_t)job->n_ops + 1) * sizeof *spans);
    if (!good || !ranks || !spans) {
        free(ranks);
        ranks = NULL;
    }
    for (uint32_t k = 0; ranks && k < job->n_ranks; k++)
        ranks[k].start_ps = t->began(t->of, k, 0);
    for (uint32_t k = 0; ranks && k < iterations; k++) {
        wi_job_times_read(t, k);
        add_iteration(t, k, ranks, spans);
        for (uint32_t i = 0; ops_ended && i < job->n_ops; i++)
            *ops_ended += t->end[i] != WEIR_TIME_MAX;
    }
    for (uint32_t k = 0; ranks && k < job->n_ranks; k++)
        ranks[k].over = ranks[k].iterations == iterations;
    wi_job_times_close(t);
    return ranks;
}

wi_job_figures wi_job_figures_of(const wi_job *job, const wi_job_rank *ranks, uint32_t iterations,
                                 uint64_t ops_ended)
{
    wi_job_figures f = {.ranks = job->n_ranks,
                        .iterations = iterations,
                        .operations = (uint64_t)job->n_ops * iterations,
                        .operations_ended = ops_ended};
    weir_time start_ps = WEIR_TIME_MAX, end_ps = 0, most_ps = 0;
    double compute_ps = 0.0, waited_ps = 0.0; /* of many ranks more than a weir_time holds */
    for (uint32_t k = 0; k < job->n_ranks; k++) {
        const weir_time wait_ps = ranks[k].end_ps - ranks[k].start_ps - ranks[k].busy_ps;
        const bool over = ranks[k].over;
        f.ranks_ended += over;
        f.iterations = ranks[k].iterations < f.iterations ? ranks[k].iterations : f.iterations;
        start_ps = ranks[k].start_ps < start_ps ? ranks[k].start_ps : start_ps;
        end_ps = later(end_ps, ranks[k].end_ps);
        compute_ps += (double)ranks[k].compute_ps;
        waited_ps += over ? (double)wait_ps : 0.0;
        most_ps = over ? later(most_ps, wait_ps) : most_ps;
    }
    const bool all = f.ranks_ended == job->n_ranks, any = f.ranks_ended > 0;
    const double duration_ps = (double)(end_ps - start_ps), none = (double)NAN;
    f.start_s = start_ps == WEIR_TIME_MAX ? none : weir_seconds(start_ps);
    f.end_s = all ? weir_seconds(end_ps) : none;
    f.duration_s = all ? duration_ps / 1e12 : none;
    f.iteration_mean_s = all ? duration_ps / (1e12 * (double)f.iterations) : none;
    f.compute_mean_s = compute_ps / (1e12 * (double)job->n_ranks);
    f.waited_mean_s = any ? waited_ps / (1e12 * (double)f.ranks_ended) : none;
    f.waited_max_s = any ? weir_seconds(most_ps) : none;
    f.critical_s = job->sums.critical_ps < 0 ? none : weir_seconds(job->sums.critical_ps);
    return f;
}
