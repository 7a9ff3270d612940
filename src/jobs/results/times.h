/* When operations of a job started and ended, on any network, and the rows of actions.csv that say so. */
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
