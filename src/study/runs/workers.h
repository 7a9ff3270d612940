/*
 * Workers: runs of this machine, in a process of its own, so that a run that dies takes no study with it. The process
 * has a thread for each run at once, which share topologies and routes, or a device, which has many at once; runs go to
 * it and rows come back by a socket.
 *
 * When it dies, another takes its place, and makes the runs again that it may have died of: on cores the one whose thread
 * had the fault, alone; where nobody knows which it was (SIGKILL, as of the out-of-memory killer), each that was under
 * way, one after another. On a device that is all of a wave: it is made again in halves, and a half that dies in halves of
 * its own. A run that dies alone has a row that says so. All others go on as if nothing had been, with the results that
 * they have anyway. A run beyond its time is stopped, and killed where it does not stop: its row says so. A wave beyond
 * that time is killed and made again in halves, too.
 */
#pragma once

#include "study/plan/study.h"
#include "study/runs/station.h"

typedef struct wi_workers wi_workers;

/* Starts a process of this kind, with `jobs` threads; each run is stopped after options->run_timeout_s. Null: no memory,
 * or no process. */
wi_workers *wi_workers_new(const weir_study *s, const wi_station_kind *kind, uint32_t jobs,
                           const weir_study_options *options);
/* Ends it; what it still has is given up. Adds to s->in_common, and warns of runs that waited for memory, or that a device
 * left to the cores. Accepts null. */
void wi_workers_free(wi_workers *workers);

/* Returns how many more runs it takes now. */
uint32_t wi_workers_wants(const wi_workers *workers);
/* Returns how many runs it has. */
uint32_t wi_workers_has(const wi_workers *workers);
/* Gives it runs: at most as many as it wants, and WI_ASK_MAX more. None, where there are none now. */
void wi_workers_give(wi_workers *workers, const wi_job *jobs, uint32_t n);
/* Hands out a run that is over, of those that it was given; waits for one so long at most. False: none, or it wants more
 * first. *row null: stopped, or no memory. */
bool wi_workers_take(wi_workers *workers, int wait_ms, wi_job *job, wi_row **row);
/* Returns why no process can be had any more; null: one can. */
const char *wi_workers_ended(const wi_workers *workers);
