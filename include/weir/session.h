/**
 * A session: one scenario on its way from the first event to its results, for programs that want to look in
 * between. `weir run`, `weir verify` and `weir analyze` stand on it.
 *
 * Life:     open, advance as often as you like, read, then finish (checks conservation, writes the results
 *           folder) and close; or close at any time, which abandons the run and leaves nothing behind.
 * Results:  where a session stops on the way changes no result: digests and files are those of one run
 *           straight through.
 * Threads:  a session belongs to one thread at a time. Several sessions may live side by side, on as many
 *           threads, in one process; each opens what it needs by itself.
 * Ranks:    over MPI every rank opens the same session and makes the same calls; readings are rank 0's.
 */
#ifndef WEIR_SESSION_H
#define WEIR_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "weir/run.h"
#include "weir/scenario.h"
#include "weir/status.h"
#include "weir/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_session weir_session;

/**
 * Check and build a scenario, and stand before its first event.
 *
 * Owner:   scenario and diag are borrowed until weir_session_close; options are copied, their texts and
 *          pointers borrowed likewise. Null options: the defaults, without output. The session is the
 *          caller's.
 * Errors:  what building returns: WEIR_E_ARG, WEIR_E_UNSUPPORTED, WEIR_E_IO, WEIR_E_NOMEM, WEIR_E_DEVICE,
 *          each with a message; *out is null then and nothing is left behind.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_open(weir_diag *diag, const weir_scenario *scenario,
                                                      const weir_run_options *options, weir_session **out);

/**
 * Simulate up to a time: all events before `until_ps` are handled.
 *
 * Samples of the time series and the end of the warm-up are taken on the way. Times at or before the present,
 * and beyond the scenario's duration, are brought into that range.
 * Returns: WEIR_OK; WEIR_E_INTERRUPTED after options.stop (the session may be finished, as a partial run, or
 *          advanced again); otherwise what failed: the session can only be closed then.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_advance(weir_session *session, weir_time until_ps);

/** Simulated time that the session has reached. */
WEIR_API weir_time weir_session_now(const weir_session *session);
/** The scenario's duration: where the session ends. */
WEIR_API weir_time weir_session_end(const weir_session *session);
/** Events handled so far. */
WEIR_API uint64_t weir_session_events(const weir_session *session);

/**
 * A figure of summary.json as it stands now, by its path: keys joined by dots; in a list, the `name` of an
 * element, or its number from 0 where none is called so. Examples: "events", "classes.bulk.goodput_bps", "classes.0.delay.p99_s".
 *
 * Units:   as docs/results.md has them for that figure; true is 1, false 0, null (no value yet) NaN.
 * Returns: WEIR_OK; WEIR_E_ARG, naming the part of the path that leads nowhere and what there is instead, or
 *          saying that it is no number; WEIR_E_NOMEM; what fetching state from a device returns. *value is
 *          NaN then. Costs about as much as writing the summary.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_metric(weir_session *session, const char *path,
                                                        double *value);

/**
 * Write a checkpoint: all that the session needs to go on, later, in another process, on another engine,
 * number of threads or device. The results come out as if it had never been interrupted: digests and every
 * file but summary.json's times, byte for byte.
 *
 * The file is written beside its name and renamed when it is whole: under the name there is always a whole
 * one. Needs a session whose options ask for checkpoints, or that has neither output nor series.
 *
 * Returns: WEIR_OK; WEIR_E_ARG where the session cannot be saved (finished, broken off, not asked for);
 *          WEIR_E_UNSUPPORTED for what this version cannot save (models say what); WEIR_E_IO,
 *          WEIR_E_NOMEM, WEIR_E_DEVICE. The session may go on in any case but the last.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_save(weir_session *session, const char *path);

/**
 * Go on with another engine from where the session stands; results do not depend on it. `engine` is a word of
 * the key engine.type but auto and check, and `threads` is engine.threads, 0 for one a core. Engine auto chooses no more.
 *
 * Returns: WEIR_OK; WEIR_E_ARG for a session that has finished, runs over ranks or is observed, and for an
 *          engine that leaves it no windows; WEIR_E_UNSUPPORTED, WEIR_E_DEVICE or WEIR_E_NOMEM where there is
 *          no such engine, device or memory. In these last cases it goes on with the sequential engine.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_move(weir_session *session, const char *engine,
                                                      uint32_t threads);

/**
 * As weir_session_open, from a checkpoint: the session stands at the time at which it was saved.
 *
 * The scenario must be the one that was saved (get it by weir_checkpoint_scenario), but for `engine`,
 * `device` of `fluid`, and what could have made no difference so far: duration, traffic that has not begun
 * (docs/checkpoint.md). Results are those of that scenario from the start. Errors besides those of
 * weir_session_open: WEIR_E_FORMAT for a file that is none, is cut off or damaged, or is of another version
 * or layout of the model's state, each says which; WEIR_E_ARG where the scenario differs otherwise, with the
 * key.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_restore(weir_diag *diag, const weir_scenario *scenario,
                                                         const weir_run_options *options, const char *path,
                                                         weir_session **out);

/**
 * The scenario inside a checkpoint, with overrides as weir_scenario_load takes them ("engine.threads=4").
 *
 * Owner:  *out is the caller's (weir_scenario_free), null on failure. Errors: those of reading a checkpoint
 *         and of weir_scenario_parse.
 */
WEIR_API WEIR_NODISCARD weir_status weir_checkpoint_scenario(weir_diag *diag, const char *path,
                                                             const char *const *sets, size_t n_sets,
                                                             weir_scenario **out);

/** weir_run from a checkpoint: restore, advance to the end, finish. The same results and errors. */
WEIR_API WEIR_NODISCARD weir_status weir_resume(weir_diag *diag, const weir_scenario *scenario,
                                                const weir_run_options *options, const char *path,
                                                weir_run_result *result);

/** One time series of a session: the samples taken so far. */
typedef struct weir_session_samples {
    size_t n;             /**< samples */
    const double *time_s; /**< [n] */
    const double *value;  /**< [n]; NaN: no value */
    const char *units;    /**< such as "bytes" */
} weir_session_samples;

/**
 * A time series by the name of its table, column and row as series.h5 has them ("ports", "queue_bytes",
 * "r3->r7"). A row is not needed (null) where the table has only one. Needs options.keep_series.
 *
 * Owner:   the arrays are the session's, valid until it advances or is closed.
 * Returns: WEIR_OK; WEIR_E_ARG where there is none of that name, with what there is; or where series are not
 *          kept. *out is empty then.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_series(weir_session *session, const char *table,
                                                        const char *column, const char *row,
                                                        weir_session_samples *out);

/**
 * Check what every run must keep (conservation), and write the results folder unless there is no output. The
 * run counts as partial where the session has not reached its end.
 *
 * Owner:   `result` is the caller's, to be freed with weir_run_result_free; it is set on every path.
 * Returns: WEIR_OK; WEIR_E_CHECK or WEIR_E_MODEL where a law is broken; WEIR_E_IO where results cannot be
 *          written: nothing stands under their name then. A session finishes once; afterwards it can be read,
 *          and closed.
 */
WEIR_API WEIR_NODISCARD weir_status weir_session_finish(weir_session *session, weir_run_result *result);

/** Free; a session that has not finished leaves no files. Accepts null. */
WEIR_API void weir_session_close(weir_session *session);

#ifdef __cplusplus
}
#endif

#endif
