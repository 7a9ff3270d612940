/*
 * The inside of weir/session.h: what runs, analyses and verifications of a scenario share. Only here is a
 * simulation made from a scenario, advanced from stop point to stop point, sampled and finished.
 */
#pragma once

#include "engine/core/lists.h"
#include "output/recorder.h"
#include "output/results/results.h"
#include "scenario/session/fork.h"
#include "scenario/session/moves.h"
#include "subject/subject.h"
#include "weir/session.h"

struct weir_session {
    weir_diag *diag;
    const weir_scenario *scenario;
    weir_run_options options;
    const wi_subject *subject;
    void *made;         /* the subject's */
    wi_subject_run run; /* what it is lent */
    weir_sim *sim;
    bool lent;      /* the simulation belongs to somebody else (wi_session_adopt) */
    wi_lists looks; /* observers: the simulation is sequential then, whatever engine the scenario asks for */
    wi_results *folder;    /* null: nothing is written */
    wi_recorder *recorder; /* null: series are not kept */
    double start_s, setup_s, began_s, wall_s;
    weir_time chunk_ps;              /* from one stop point to the next, at most */
    weir_time sample_ps;             /* the next sample */
    bool done;                       /* the scenario runs until all is done, and it is */
    const volatile int *stop_before; /* of the collector of messages, set again when the session is closed */
    const wi_saved *from;            /* while it begins: the checkpoint that it goes on from; null: none */
    wi_forked forked;                /* ... whose scenario was another */
    uint64_t layout;                 /* of the simulation's state (engine/sim/checkpoint.h) */
    bool saves;                      /* checkpoints are asked for */
    char *checkpoint;                /* their file; null: none */
    double saved_s;                  /* when the last one was written, by the wall's clock */
    bool between;                    /* stopped: events of the present instant may be handled in part */
    bool left;                       /* stopped, and a checkpoint has what is needed to go on */
    double tell_s, told_s; /* status.json: the next, and the last (or the start), by the wall's clock */
    weir_time told_ps;     /* as of that */
    uint64_t told_events;
    bool fetched; /* on several ranks: what status.json reads was brought here at this stop point */
    bool finished;
    wi_moves moves;     /* of engine: auto */
    weir_status broken; /* of a call that failed: only closing is left */
};

/* Called when the subject is built and the simulation is not made yet, with what both will take: a place to wait. */
typedef void wi_session_admit(void *user, const weir_estimate *needs);
/* weir_session_open, which asks for admittance in between; `admit` may be null. */
WEIR_NODISCARD weir_status wi_session_open_admitted(weir_diag *diag, const weir_scenario *scenario,
                                                    const weir_run_options *options, wi_session_admit *admit,
                                                    void *user, weir_session **out);

/*
 * Check the choice of engine and build the subject: a session without a simulation yet. With `output`, the
 * results folder is opened first.
 */
WEIR_NODISCARD weir_status wi_session_build(weir_diag *diag, const weir_scenario *scenario,
                                            const weir_run_options *options, bool output, weir_session **out);

/* Between build and begin: see every event; several may. Results are not gathered then. */
void wi_session_observe(weir_session *session, weir_observer see, void *user);

/* A simulation of what is built, at time 0; the caller's. A session may make several, one after the other. */
WEIR_NODISCARD weir_status wi_session_make_sim(weir_session *session, weir_sim **out);

/*
 * Sessions whose simulations are made and moved on by somebody else, many at once (weir/batch.h). First the set-up of one
 * that is built: results are open then. Later adopt a simulation that was made of it, at time 0: it is lent. From then on
 * whenever it stands at wi_session_stop_ps, the session looks. At the end weir_session_finish as always.
 */
WEIR_NODISCARD weir_status wi_session_prepare(weir_session *session, weir_setup *setup);
WEIR_NODISCARD weir_status wi_session_adopt(weir_session *session, weir_sim *sim);
/* The next time at which something is due: a sample, the end of the warm-up, the end. */
weir_time wi_session_stop_ps(const weir_session *session);
WEIR_NODISCARD weir_status wi_session_look(weir_session *session);

/* Give a session that is built its own simulation, and stand before the first event. */
WEIR_NODISCARD weir_status wi_session_begin(weir_session *session);

/* Look at the simulation as it stands, its state fetched: digests, counts and times, without texts. */
WEIR_NODISCARD weir_status wi_session_measure(weir_session *session, weir_run_result *result);

/* The content of summary.json, a new reference; null when memory is short. */
json_t *wi_summary_make(weir_session *session, const weir_run_result *result);

/* advance.c: call the options' progress function; `phase` as weir_progress has it. */
void wi_session_tell(const weir_session *session, const char *phase);
/* Whether somebody sees every event: then no results are gathered. */
static inline bool wi_session_is_observed(const weir_session *session)
{
    return session->looks.n_observers > 0;
}
/* The first and shortest time from one stop point to the next; and from sample to sample. */
weir_time wi_session_least_chunk_ps(const weir_session *session);
weir_time wi_session_interval_ps(const weir_session *session);

/* checkpoint.c: whether the options ask for any. */
bool wi_checkpoint_wanted(const weir_run_options *options);
/* Refuse at the start what could not be written later. */
WEIR_NODISCARD weir_status wi_checkpoint_try(weir_session *session);
/* Whether it is time for one; and to write one, at a stop point. Both are collective over ranks. */
bool wi_checkpoint_is_due(const weir_session *session);
WEIR_NODISCARD weir_status wi_checkpoint_write(weir_session *session, const char *path);
/* Unless a checkpoint is of this version (WEIR_E_FORMAT) and scenario, or of one that this may go on with (fork.h;
 * WEIR_E_ARG, forked->is); and the scenario in it, malloc'ed. */
WEIR_NODISCARD weir_status wi_checkpoint_fits(weir_diag *diag, const weir_scenario *scenario,
                                              const wi_saved *from, wi_forked *forked);
/* Ranks that go on from files of their own must have the same. Collective. */
WEIR_NODISCARD weir_status wi_checkpoint_same(weir_diag *diag, const wi_saved *from);
WEIR_NODISCARD weir_status wi_checkpoint_text(weir_diag *diag, const wi_saved *from, char **text);
/* At the start, when the subject has begun: read back what is not the simulation's. */
WEIR_NODISCARD weir_status wi_checkpoint_take(weir_session *session);
/* fork_events.c: the simulation of a fork: events of what has not begun are at the times of this scenario. */
WEIR_NODISCARD weir_status wi_fork_restore(weir_session *session, const weir_setup *setup, weir_sim **out);
/* And when the simulation is made, what hangs on it. */
WEIR_NODISCARD weir_status wi_checkpoint_take_attached(weir_session *session);

/* A number in JSON by its path, as weir_session_metric has it. */
WEIR_NODISCARD weir_status wi_json_number(weir_diag *diag, json_t *root, const char *path, double *value);
