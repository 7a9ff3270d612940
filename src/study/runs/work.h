/*
 * The work of a study: runs that wait, given out to whoever is free, and rows taken back.
 *
 * Order of giving: first one run of each point, so that their costs are known; then the rest, longest first, so that
 * no long one is left when the others are done. Results do not depend on it.
 */
#pragma once

#include "study/folder/folder.h"
#include "study/plan/study.h"

typedef struct wi_work wi_work;

/* Makes the queue of the shard's runs that are not finished. */
WEIR_NODISCARD weir_status wi_work_new(weir_study *s, const weir_study_options *options, wi_work **out);
/* Frees the work; accepts null. */
void wi_work_free(wi_work *work);

/* Takes up to `most` runs, without waiting. None and *more: others may still bring some (until-precision). Any thread. */
size_t wi_work_take(wi_work *work, size_t most, wi_job *out, bool *more);
/* Hands back a run that is over, with its row, which the work keeps; null: stopped, or no memory. Any thread. */
void wi_work_done(wi_work *work, wi_job job, wi_row *row);
/* Queues a run again whose rank is lost. Any thread. */
void wi_work_back(wi_work *work, wi_job job);
/* Whether runs wait that could be taken now. */
bool wi_work_waits(wi_work *work);
/* Ends the study with an error: no more runs are given out. Any thread. */
void wi_work_fail(wi_work *work, weir_status status, const char *text);

/* Returns what stopped the study, or WEIR_OK; and counts. */
weir_status wi_work_end(wi_work *work, weir_study_result *result);

/* An executor runs all that wi_work_take gives, and hands each to wi_work_done. It returns when nothing is
 * left, and reports what it cannot go on from by wi_work_fail. */
typedef void wi_executor(const weir_study *s, const weir_study_options *options, wi_work *work);
wi_executor wi_run_on_cores, wi_run_on_ranks, /* where mpirun started several: cores of all of them */
    wi_run_on_device;                         /* many runs at once on a CUDA device, as s->batch says */
/* Chooses the executor by options and study.executor, and sets s->batch. Where `auto` takes the cores, a note
 * says why. WEIR_E_UNSUPPORTED: a device is asked for, and there is none; WEIR_E_ARG. */
WEIR_NODISCARD weir_status wi_executor_choose(weir_study *s, const weir_study_options *options,
                                              wi_executor **out);
enum { WI_WAVE_MAX = 16384 /* runs of a device at once: what a kill may cost */ };
/* Returns how many runs of a point the device holds at once; 0: none, and `why` says why. */
uint32_t wi_device_holds(const weir_study *s, uint32_t point, char *why, size_t size);
/* Returns how many runs go at once on this machine: as asked for, or one a core. */
uint32_t wi_jobs_at_once(const weir_study *s, const weir_study_options *options);
