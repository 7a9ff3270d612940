/*
 * What a scenario simulates: the packet network, or a model that brings its own entities.
 *
 * Each is one constant table: its keys below `model: {NAME: ...}`, how it is built, its results, its lines of the
 * summary. Reading, running, estimating, analysing and verifying a scenario go through it and know no model by
 * name; a new model is a file subjects/NAME.c with its table and a line of list.h.
 */
#ifndef WI_SCENARIO_SUBJECT_SUBJECT_H
#define WI_SCENARIO_SUBJECT_SUBJECT_H

#include <jansson.h>

#include "base/archiver.h"
#include "output/sinks.h"
#include "schema/schema.h"
#include "scenario/subject/list.h"
#include "scenario/subject/tell.h"
#include "weir/engine.h"
#include "weir/run.h"
#include "weir/scenario.h"

typedef struct wi_subject {
    /* The keys of `model: {NAME: ...}`: section.name is the model's name, section.size that of the struct they
     * fill, which build and estimate find with wi_model_params. The network has the sections of the file's top and
     * a name only. Sections below it have names of their own ("NAME latency"). */
    wi_section section;
    /* File number `i` that its keys name, for the digests of inputs: false past the last; *file null: none there. `*of`
     * is the key, in item number *item of its list. May be null. */
    bool (*input)(const void *params, size_t i, const char **of, size_t *item, const char **file);
    /* Build all that a simulation needs. `*made` is set on every path and may be given to `free`. */
    weir_status (*build)(weir_diag *diag, const weir_scenario *scenario, void **made);
    void (*free)(void *made); /* accepts null */
    /* Everything of a set-up that the model decides, and after `begin` the sink; the rest is left zero. */
    void (*setup)(void *made, weir_setup *setup);
    /* Figures of `weir check`, without running. */
    weir_status (*estimate)(weir_diag *diag, const void *made, weir_estimate *out);
    /* The same of the scenario alone, where that says all (`estimate` is null then): any size in no time. */
    weir_status (*estimate_unbuilt)(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out);

    /* Results, in the order of the calls. `to` holds only during the call; its folder and recorder last. */
    weir_status (*begin)(weir_diag *diag, void *made, const wi_sinks *to); /* before the simulation is made */
    /* Save what the subject gathers and keeps outside of all entities, or read it back: between `begin` and the making
     * of the simulation, which then goes on from there (`setup` with the horizons of its hooks). Null, or a status of
     * WEIR_E_UNSUPPORTED with a message: no checkpoints. */
    weir_status (*keep)(void *made, wi_archiver *archiver);
    /* The same, of what hangs on a simulation: after `attach`. Null: nothing does. */
    weir_status (*keep_attached)(void *made, wi_archiver *archiver);
    /* A fork: give a pending event the time that it has in this scenario. `first` is the event of its source and number
     * at the start of this scenario, or null. Null: events are as they were. */
    void (*fork)(const void *made, const weir_sim *sim, const weir_event *first, weir_event *event);
    /* When it is; again for each simulation that is made of the same. */
    weir_status (*attach)(weir_diag *diag, void *made, const weir_sim *sim);
    /* What `sample` reads of the simulation, or, at its end, `warm` too; false: all of it. Rank 0's counts. */
    bool (*wants)(const void *made, bool warm, weir_sim_want *out);
    weir_status (*warm)(void *made);   /* at the end of the warm-up */
    weir_status (*sample)(void *made); /* at every sample of the time series */
    /* Is `sample` for time series alone, and left out where nobody keeps them? Null: it is not. */
    bool (*samples_are_series)(const void *made);
    /* Laws that every run keeps, at its end; WEIR_E_MODEL with a message where one is broken. */
    weir_status (*check)(weir_diag *diag, void *made);
    void (*look)(void *made);          /* at a stop point, before `summarise`; null: nothing to do */
    weir_status (*finish)(void *made); /* after `look`: files are written and closed */
    /* After the results are whole: what failed that is not worth them, such as a capture or a deadlocked program; null:
     * nothing can. */
    weir_status (*late)(const void *made);
    void (*summarise)(const void *made, json_t *summary); /* adds its own keys */
    /* Add to status.json what is of interest while the run is under way, at a stop point whose state is fetched; false:
     * not at this one. Null: nothing is. */
    bool (*now)(void *made, json_t *status);
    /* Add what that reads to what is wanted, in place of its part of the same kinds; false: all of the state. May be null. */
    bool (*now_wants)(void *made, weir_sim_want *out);
    /* What a study measures where nobody says it: figures of summary.json, up to a null. Null: goodput of each class. */
    const char *const *usual;
    void (*tell)(FILE *out, const json_t *summary); /* says them to people in a few lines; null: none */
    uint64_t (*packet_hops)(const void *made);      /* null where there are no packets */
} wi_subject;

/* The table of a file whose functions have the usual names, so that a subject's file ends with one line;
 * `...` for what only some have. */
#define WI_SUBJECT(...)                                                                                     \
    {                                                                                                       \
        .build = build, .free = release, .setup = set_up, .begin = begin, .attach = attach, .wants = wants, \
        .warm = warm, .sample = sample, .check = check, .finish = finish, .summarise = summarise,           \
        __VA_ARGS__                                                                                         \
    }

#define WI_SUBJECT_DECLARE(name, doc, also) extern const wi_subject wi_subject_##name;
WI_SUBJECTS(WI_SUBJECT_DECLARE)
#undef WI_SUBJECT_DECLARE
extern const wi_subject wi_subject_network;

/* memory.c: WEIR_E_NOMEM at `place` when a model of `what` needs more memory than the machine has. */
WEIR_NODISCARD weir_status wi_memory_check(weir_diag *diag, const char *what, uint64_t bytes,
                                           weir_place place);

/* For samples_are_series: always. */
bool wi_samples_are_series(const void *made);

/* What the keys of the scenario's model were read into. */
const void *wi_model_params(const weir_scenario *scenario);

/* engine.c: what the scenario's engine section comes to in this process; WEIR_E_UNSUPPORTED, with the place,
 * for what does not go together. */
weir_engine wi_engine_of(const weir_scenario *scenario);
const char *wi_engine_name(weir_engine engine);
WEIR_NODISCARD weir_status wi_engine_check_choice(weir_diag *diag, const weir_scenario *scenario);

#endif
