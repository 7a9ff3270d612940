/*
 * Readers of jobs: what other simulators' users have. Which it is, the file tells, not its name.
 *
 *   GOAL, as LogGOPSim reads it: `num_ranks N`, then of each rank `rank R { ... }` with lines
 *     [LABEL:] calc NS [cpu C] | send BYTESb to R [tag T] [cpu C] [nic K] | recv BYTESb from R [tag T] ...
 *     LABEL requires LABEL | LABEL irequires LABEL      the first starts when the second has ended, or has started
 *     or what its txt2bin makes of that
 *   Chakra's execution traces (MLCommons): NAME.RANK.et, a file a rank, of which any stands for all
 *   SimAI's and AICB's workloads (`HYBRID_TRANSFORMER_FWD_IN_BCKWD ...`, `MICRO`): see simai.c for what is done when
 *   SimGrid's time-independent traces: see jobs/read/trace.h
 *   DUMPI's traces of MPI programs, by their NAME.meta: see jobs/read/dumpi.h
 *
 * Files may be compressed by gzip or bzip2.
 */
#pragma once

#include "jobs/job.h"
#include "weir/jobs.h"

typedef struct wi_job_options {
    double flops;      /* a second, of computations that are given in operations; 0: not given */
    double memory_Bps; /* likewise of bytes of memory; 0: not given */
    uint32_t ranks;    /* of workloads that do not say; 0: not given */
    /* Only what the trace holds is wanted: what is not given takes no time, and workloads that do not say how many ranks
     * there are have one group of each kind. */
    bool counting;
    bool may_deadlock;  /* the job's */
    const char *groups; /* Chakra: a JSON object, lists of ranks by process group; null: all ranks */
} wi_job_options;

/*
 * Read a job, and close it.
 *
 * Owner:   *out is the caller's (wi_job_free), on every path.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM; WEIR_E_FORMAT with file, place and what is wrong; WEIR_E_UNSUPPORTED where this
 *          build cannot read it.
 */
WEIR_NODISCARD weir_status wi_job_read(weir_diag *diag, const char *file, const wi_job_options *options,
                                       wi_job *out);

/* The job that a scenario's keys ask for, on any network: a trace's, a model's, or a program's, of one rank on each seat unless it
 * says how many. Closed; of what fails beside wi_job_read: WEIR_E_SCENARIO. */
WEIR_NODISCARD weir_status wi_job_make(weir_diag *diag, const weir_scenario_ranks *ranks, uint64_t seats,
                                       bool may_deadlock, wi_job *out);

/* One format each; text [size] is followed by a zero byte, and is changed. */
WEIR_NODISCARD weir_status wi_job_read_goal(weir_diag *diag, wi_job *job, char *text);
bool wi_job_is_goal_binary(const char *text, size_t size);
WEIR_NODISCARD weir_status wi_job_read_goal_binary(weir_diag *diag, wi_job *job, const char *text,
                                                   size_t size);
bool wi_job_is_dumpi(const char *text);                   /* a meta file */
bool wi_job_is_dumpi_rank(const char *text, size_t size); /* what that stands for */
WEIR_NODISCARD weir_status wi_job_read_dumpi(weir_diag *diag, wi_job *job, const char *text);
WEIR_NODISCARD weir_status wi_job_read_simai(weir_diag *diag, wi_job *job, char *text,
                                             const wi_job_options *options);
WEIR_NODISCARD weir_status wi_job_read_chakra(weir_diag *diag, wi_job *job, const wi_job_options *options);
