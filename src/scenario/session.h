/*
 * The inside of weir/session.h: what runs, analyses and verifications of a scenario share. Only here is a
 * simulation made from a scenario, advanced from stop point to stop point, sampled and finished.
 */
#ifndef WI_SCENARIO_SESSION_H
#define WI_SCENARIO_SESSION_H

#include "output/recorder.h"
#include "output/results.h"
#include "scenario/subjects/subject.h"
#include "weir/session.h"

struct weir_session {
    weir_diag *diag;
    const weir_scenario *scenario;
    weir_run_options options;
    const wi_subject *subject;
    void *made; /* the subject's */
    weir_sim *sim;
    wi_results *folder;    /* null: nothing is written */
    wi_recorder *recorder; /* null: series are not kept */
    double start_s, setup_s, began_s, wall_s;
    weir_time chunk_ps;              /* from one stop point to the next, at most */
    weir_time sample_ps;             /* the next sample */
    const volatile int *stop_before; /* of the collector of messages, set again when the session is closed */
    bool finished;
    weir_status broken; /* of a call that failed: only closing is left */
};

/* Who looks at every event of a sequential simulation, whatever engine the scenario asks for. */
typedef struct wi_session_observer {
    weir_observer observe;
    void *user;
} wi_session_observer;

/*
 * Check the choice of engine and build the subject: a session without a simulation yet. With `output`, the
 * results folder is opened first.
 */
WEIR_NODISCARD weir_status wi_session_build(weir_diag *diag, const weir_scenario *scenario,
                                            const weir_run_options *options, bool output, weir_session **out);

/* A simulation of what is built, at time 0; the caller's. With an observer it is sequential. A session may
 * make several, one after the other. */
WEIR_NODISCARD weir_status wi_session_make_sim(weir_session *session, const wi_session_observer *observer,
                                               weir_sim **out);

/* Give a session that is built its own simulation, and stand before the first event. */
WEIR_NODISCARD weir_status wi_session_begin(weir_session *session, const wi_session_observer *observer);

/* A result without texts: digests, counts and times as they stand. The state must be fetched. */
void wi_session_measure(const weir_session *session, weir_run_result *result);

/* The content of summary.json, a new reference; null when memory is short. */
json_t *wi_summary_make(const weir_session *session, const weir_run_result *result);

/* A number in JSON by its path, as weir_session_metric has it. */
WEIR_NODISCARD weir_status wi_json_number(weir_diag *diag, json_t *root, const char *path, double *value);

/* Tell the options' progress function; `phase` as weir_progress has it. */
void wi_session_tell(const weir_session *session, const char *phase);

#endif
