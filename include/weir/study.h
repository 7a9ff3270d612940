/**
 * Parameter studies: one scenario for every combination of parameter values and for several replications,
 * answered with means and confidence intervals. What `weir study` does, for programs that embed weir.
 *
 * Model:    a parameter set (a *point*) is a list of settings, as --set has them; its replication r is the
 *           run `run + r` of the scenario, so that all points share their random numbers (common random
 *           numbers), and paired differences between points are narrow. Each run has the digests of that run
 *           alone.
 * Folder:   study.yaml (the scenario with its study section), runs.csv, aggregate.csv, plots, and a journal
 *           of finished runs. Whatever stops a study, kill -9 included, leaves a folder from which the same
 *           call goes on; the tables then are those of a study that was never stopped, byte for byte.
 * Threads:  a study belongs to one thread; it runs its sessions on threads of a process that it starts, so
 *           that one that dies costs its run alone; on a device, on threads of its own.
 * Options:  null for the defaults, in each call.
 * Status:   experimental.
 */
#ifndef WEIR_STUDY_H
#define WEIR_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "weir/status.h"

typedef struct weir_study weir_study;

/** Told when runs are over, at most a few times a second; from any thread, one at a time. */
typedef struct weir_study_progress {
    uint64_t done, total; /**< runs; the total may grow with until-precision */
    uint64_t failed;
    double wall_s; /**< since the first run began */
    double left_s; /**< expected; NaN while nothing is known */
} weir_study_progress;

typedef struct weir_study_options {
    const char *output_dir; /**< null: "results/NAME-study", NAME being the scenario's */
    bool force;     /**< begin anew where the folder holds another study, replace tables of another plan;
                                 default false */
    bool yes;       /**< more than a million runs are meant; default false */
    bool keep_runs; /**< a results folder a run, in runs/; default false */
    bool retry; /**< try runs again that died or took too long, not only those that failed; default false */
    uint32_t jobs;          /**< runs at once; 0: as many as there are cores */
    double run_timeout_s;   /**< a run that takes longer fails (docs/studies.md); 0: as long as it takes */
    const char *device;     /**< "cpu", "auto", "cuda" or "cuda:N"; null: as study.executor says */
    uint32_t shard, shards; /**< of `shards` parts that are run apart, this one, from 1; 0: all */
    void (*progress)(void *user, const weir_study_progress *progress); /**< may be null */
    /** Told once, before a device begins: in how many waves the runs go. May be null. */
    void (*say)(void *user, const char *text);
    void *user;
    const volatile int *stop; /**< non-zero: stop; may be null */
} weir_study_options;
/** Every option at its default; call it before setting any. */
WEIR_API void weir_study_options_init(weir_study_options *options);

/** What came of a study. */
typedef struct weir_study_result {
    uint64_t points, runs; /**< parameter sets; runs that are over, failed ones included */
    uint64_t failed;       /**< runs that failed: named in runs.csv, the rest went on */
    uint64_t reused;       /**< runs that an earlier call had finished */
    uint64_t missing;      /**< runs that are not over: stopped, or of other shards */
    uint64_t shared_made;  /**< topologies and routes that this process's runs had in common */
    uint64_t shared_found; /**< how often a run found one of them made */
    uint64_t shared_most;  /**< most bytes of them that were kept at once */
    double wall_s;         /**< of this call */
    char *output_dir;      /**< to be freed by weir_study_result_free */
} weir_study_result;
/** Free what a result holds, and make it zeros. */
WEIR_API void weir_study_result_free(weir_study_result *result);

/**
 * Read a scenario, or the folder of a study, and make the plan: all points, checked as far as can be without
 * running.
 *
 * Shapes:  sets: [n_sets], as weir_scenario_load has them; `study.vary.+={path: ..., values: ...}` adds a
 *          parameter.
 * Owner:   diag is borrowed until weir_study_free.
 * Errors:  those of weir_scenario_load; WEIR_E_SCENARIO for paths that no key has, values of the wrong unit,
 *          constraints that leave nothing, metrics that cannot be; WEIR_E_ARG for more than a million runs
 *          without options->yes. Null options: the defaults. *out is null then.
 */
WEIR_API WEIR_NODISCARD weir_status weir_study_open(weir_diag *diag, const char *path,
                                                    const char *const *sets, size_t n_sets,
                                                    const weir_study_options *options, weir_study **out);
/** Free; accepts null. */
WEIR_API void weir_study_free(weir_study *study);

/** List the runs, and an estimate of time and memory, as text. WEIR_E_IO where `out` takes no more. */
WEIR_API WEIR_NODISCARD weir_status weir_study_list(weir_study *study, const weir_study_options *options,
                                                    FILE *out);

/** The same as JSON, malloc'ed: a list of objects, one a parameter set, with "point", "parameters", "runs", "run_s" and
 * "memory_bytes" of one run, null where no run of it was begun, and "error" where it would fail. *out is null on errors. */
WEIR_API WEIR_NODISCARD weir_status weir_study_plan(weir_study *study, const weir_study_options *options,
                                                    char **out);

/**
 * List what the runs of the study's scenario have, a line each with its unit and meaning: names for `study.metrics`. Opens
 * up to 16 of the runs, and finishes them at once.
 *
 * Returns: WEIR_OK; WEIR_E_IO where `out` cannot be written; the error of a run where none can be opened; WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_study_list_metrics(weir_study *study, FILE *out);
/** The same as JSON, malloc'ed: a list of objects with the texts "metric", "units" and "meaning". *out is null on errors. */
WEIR_API WEIR_NODISCARD weir_status weir_study_metrics(weir_study *study, char **out);

/**
 * Run what is not finished, and write the tables.
 *
 * Returns: WEIR_OK, also where runs failed (result->failed counts them); WEIR_E_INTERRUPTED after *stop, with
 *          the tables of what is finished; WEIR_E_ARG where the folder holds something else, or a study of
 *          another scenario (the message names the keys that differ), or tables of a plan that would lose runs or
 *          metrics; WEIR_E_UNSUPPORTED where a device is
 *          asked for and there is none; WEIR_E_IO, WEIR_E_NOMEM. `result` is set on every path and may always
 *          be freed.
 */
WEIR_API WEIR_NODISCARD weir_status weir_study_run(weir_study *study, const weir_study_options *options,
                                                   weir_study_result *result);

/**
 * Join studies that were run apart (shards): the rows of all `folders` [n], of one scenario, and their
 * tables, in options->output_dir, which is a study like any other then.
 *
 * Returns: WEIR_OK, also where runs are missing (result->missing); WEIR_E_ARG for a folder of another
 *          scenario (the message names the keys that differ); WEIR_E_IO, also for one that holds no study; WEIR_E_NOMEM.
 *          `result` is set on every path and may always be freed.
 */
WEIR_API WEIR_NODISCARD weir_status weir_study_collect(weir_diag *diag, const char *const *folders, size_t n,
                                                       const weir_study_options *options,
                                                       weir_study_result *result);

#endif
