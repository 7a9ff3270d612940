/*
 * Workers: runs of this machine, in a process of its own, so that a run that dies takes no study with it. The process
 * has a thread for each run at once, which share topologies and routes; runs go to it and rows come back by a socket.
 *
 * When it dies, another takes its place. The run whose thread had the fault is made again alone in a process, once; where
 * nobody knows which it was (SIGKILL, as of the out-of-memory killer), each that was under way is, one after another. A
 * run that dies alone, too, has a row that says so. All others go on as if nothing had been, with the results that they
 * have anyway. A run beyond its time is stopped, and killed where it does not stop: its row says so.
 */
#ifndef WI_STUDY_RUNS_WORKERS_H
#define WI_STUDY_RUNS_WORKERS_H

#include "study/plan/study.h"

typedef struct wi_workers wi_workers;

/* For `jobs` runs at once, each stopped after options->run_timeout_s. Null: no memory, or no process. */
wi_workers *wi_workers_new(const weir_study *s, uint32_t jobs, const weir_study_options *options);
/* Ends it; what it still has is given up. Adds to s->in_common, and warns where runs waited for memory. Accepts null. */
void wi_workers_free(wi_workers *workers);

/* How many more runs it takes now, and how many it has. */
uint32_t wi_workers_wants(const wi_workers *workers);
uint32_t wi_workers_has(const wi_workers *workers);
/* At most as many as it wants, and 256 more. */
void wi_workers_give(wi_workers *workers, const wi_job *jobs, uint32_t n);
/* A run that is over, of those that it was given; waits for one so long at most. False: none. *row null: stopped, or no
 * memory. */
bool wi_workers_take(wi_workers *workers, int wait_ms, wi_job *job, wi_row **row);

#endif
