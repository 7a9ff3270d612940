/* When operations of a job started and ended, on any network, what ranks and the job made of that, and the rows of actions.csv. */
#pragma once

#include "jobs/job.h"
#include "output/csv.h"

/*
 * A job iteration by iteration. The network notes when each rank began an iteration and when operations ended, WEIR_TIME_MAX: not
 * yet; an operation started when the last of what it waits for was there, a computation when its processor turned to it.
 */
typedef struct wi_job_times {
    const wi_job *job;
    const void *of; /* the network's, for the two below */
    weir_time (*began)(const void *of, uint32_t rank, uint32_t iteration);
    weir_time (*ended)(const void *of, uint32_t op, uint32_t iteration);
    weir_time *start, *end; /* [ops] of the iteration at hand; WEIR_TIME_MAX: not yet */
} wi_job_times;

/* Take the lists; false when memory is short. wi_job_times_close on every path. */
bool wi_job_times_open(wi_job_times *times);
void wi_job_times_close(wi_job_times *times);
void wi_job_times_read(wi_job_times *times, uint32_t iteration);

extern const wi_result_column wi_job_action_columns[];
enum { WI_JOB_ACTION_COLUMNS = 10 };
/* A table of these; `rows` and `wanted` as WI_ROWS has them. */
#define WI_JOB_ACTION_ROWS(rows, wanted)                                                         \
    {                                                                                            \
        WI_RESULT_CSV, "actions.csv", wi_job_action_columns, WI_JOB_ACTION_COLUMNS, rows, wanted \
    }

/* The rows of all iterations of a job of that name. `times` without its lists; false when memory is short. */
bool wi_job_put_actions(wi_job_times *times, wi_csv *csv, const char *name, uint32_t iterations);

/* ranks.c: a rank, in all iterations. */
typedef struct wi_job_rank {
    uint32_t iterations;        /* that it ended */
    bool broken;                /* an operation of the iteration at hand has not ended */
    bool over;                  /* all iterations have ended; the network may say of less that it is all */
    weir_time start_ps, end_ps; /* end: of what has ended */
    weir_time compute_ps;       /* its computations that ended, summed */
    weir_time busy_ps;          /* in which any of them was under way */
    weir_time busy_until_ps;
} wi_job_rank;

/* Every rank, malloc'ed; null when memory is short. `times` without its lists; `ops_ended`: grows by how many operations have, where it is not
 * null. */
wi_job_rank *wi_job_ranks(wi_job_times *times, uint32_t iterations, uint64_t *ops_ended);

/* A job; NaN, WI_NO_COUNT: not yet, or not known. Waiting is communication that no computation of the rank hides. */
typedef struct wi_job_figures {
    uint64_t ranks, ranks_ended, iterations; /* iterations: that all ranks ended */
    uint64_t operations, operations_ended;
    uint64_t messages, bytes; /* the network's */
    double start_s, end_s, duration_s, iteration_mean_s, compute_mean_s, waited_mean_s, waited_max_s,
        critical_s;
} wi_job_figures;
/* All but the network's; `ops_ended` as wi_job_ranks counts them. */
wi_job_figures wi_job_figures_of(const wi_job *job, const wi_job_rank *ranks, uint32_t iterations,
                                 uint64_t ops_ended);

/* The columns that they are in jobs.csv of every network, of `figures`; what messages and bytes count is the network's to say. */
#define WI_JOB_FIGURES(X, of_messages, of_bytes)                                                   \
    X(U64, "ranks", "", figures->ranks, "its ranks"),                                              \
        X(U64, "ranks_ended", "", figures->ranks_ended,                                            \
          "ranks that have ended all iterations, or those until `stop`"),                          \
        X(U64, "operations", "", figures->operations, "of all ranks and iterations"),              \
        X(U64, "operations_ended", "", figures->operations_ended, "of these, ended"),              \
        X(U64, "messages", "", figures->messages, of_messages),                                    \
        X(U64, "bytes", "bytes", figures->bytes, of_bytes),                                        \
        X(U64, "iterations", "", figures->iterations, "that all ranks ended"),                     \
        X(DOUBLE, "start_s", "s", figures->start_s, "when its ranks began"),                       \
        X(DOUBLE, "end_s", "s", figures->end_s, "when the last rank ended; empty until all have"), \
        X(DOUBLE, "duration_s", "s", figures->duration_s, "the time between; likewise"),           \
        X(DOUBLE, "iteration_mean_s", "s", figures->iteration_mean_s,                              \
          "`duration_s` over the number of iterations"),                                           \
        X(DOUBLE, "compute_mean_s", "s", figures->compute_mean_s,                                  \
          "of a rank: its computations that ended, summed"),                                       \
        X(DOUBLE, "waited_mean_s", "s", figures->waited_mean_s,                                    \
          "of a rank that ended: communication that nothing hides"),                               \
        X(DOUBLE, "waited_max_s", "s", figures->waited_max_s, "the longest of these"),             \
        X(DOUBLE, "critical_s", "s", figures->critical_s,                                          \
          "of an iteration on a network that takes no time: its longest chain of computations")
