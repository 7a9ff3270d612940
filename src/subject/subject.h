/*
 * What a scenario simulates: the packet network, or a model that brings its own entities.
 *
 * Each is one constant table: its keys below `model: {NAME: ...}`, eight functions, and tables of its results. Reading,
 * running, estimating, analysing and verifying a scenario go through it and know no model by name; a new model is a file
 * subjects/NAME.c with its table and a line of list.h.
 */
#pragma once

#include <jansson.h>

#include "base/file/archiver.h"
#include "output/json.h"
#include "output/series.h"
#include "schema/schema.h"
#include "subject/lines.h"
#include "subject/list.h"
#include "weir/engine.h"
#include "weir/run.h"
#include "weir/scenario.h"

/* When a subject looks at its simulation. */
typedef enum wi_moment {
    WI_AT_OPEN,   /* results begin: where they go is known, and no simulation is made yet */
    WI_AT_START,  /* a simulation is made; again for each that is made of the same subject */
    WI_AT_WARM,   /* the warm-up ends */
    WI_AT_SAMPLE, /* a sample of the time series is due */
    WI_AT_NOW     /* a stop point whose state is fetched: `result` may be called after it */
} wi_moment;

/* Whether all is done; or all but what only the state tells, which is worth fetching then. */
typedef enum wi_doneness { WI_NOT_DONE, WI_DONE, WI_DONE_BY_STATE } wi_doneness;

/* What a result is for. */
typedef enum wi_purpose {
    WI_FOR_FILES,   /* the end: tables are written and closed; `into` is null */
    WI_FOR_SUMMARY, /* figures, for summary.json and for metrics */
    WI_FOR_WATCHERS /* what is of interest while the run is under way, for status.json */
} wi_purpose;

/* What a session shares with its subject. */
typedef struct wi_subject_run {
    weir_diag *diag;
    const weir_scenario *scenario;
    const weir_sim *sim;    /* from WI_AT_START on */
    wi_sinks to;            /* from WI_AT_OPEN on; its folder and recorder stay until the end */
    wi_series *series;      /* series.h5; null: nobody keeps time series */
    wi_series_table *table; /* of the subject's `series` */
    weir_time warm_ps;      /* when the warm-up ended; 0 before that */
    weir_time last_ps;      /* when the last sample was taken */

    /* What few subjects need; they set it at WI_AT_OPEN. */
    weir_sim_want want;               /* what a sample reads, of a subject that says WI_READS_SOME */
    bool warm_reads_all;              /* the end of the warm-up reads all state */
    bool always;                      /* samples are taken though nobody keeps time series */
    const weir_sim_want *watch;       /* what WI_FOR_WATCHERS reads; null: all state */
    bool watched, watched_at_samples; /* there is something for watchers; at samples alone */
    /* A fork: give a pending event the time that it has in this scenario. `first` is the event of its source and number
     * at the start of this scenario, or null. Null: events are as they were. */
    void (*fork)(const void *made, const weir_sim *sim, const weir_event *first, weir_event *event);

    uint64_t packet_hops; /* set at WI_AT_NOW; WI_NO_COUNT: there are no packets */
    weir_status
        late; /* set by WI_FOR_FILES: a failure that keeps the results, such as a deadlocked program */
} wi_subject_run;

/* What a sample reads of the simulation, and the end of the warm-up too. */
typedef enum wi_reads { WI_READS_ALL, WI_READS_NOTHING, WI_READS_COUNTERS, WI_READS_SOME } wi_reads;

typedef struct wi_subject {
    /* The keys of `model: {NAME: ...}`: section.name is the model's name, section.size that of the struct they
     * fill, which build and estimate find with wi_model_params. The network has the sections of the file's top and
     * a name only. Sections below it have names of their own ("NAME latency"). */
    wi_section section;
    size_t size;          /* of the struct `made`, which comes zeroed */
    const char *entities; /* "stations", where the keys alone give the size; else null */

    /* Build all that a simulation needs. `free` is called on every path, and frees what `made` holds. */
    weir_status (*build)(const struct wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                         void *made);
    /* Everything of a set-up that the model decides; the rest is left zero. From WI_AT_OPEN on with takers of results. */
    void (*setup)(void *made, weir_setup *setup);
    /* Figures of `weir check`, without running; `made` is null where the keys alone give them (`entities`). */
    weir_status (*estimate)(const struct wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                            const void *made, weir_estimate *out);
    /* Look at the simulation, and append to the time series what is due. */
    weir_status (*sample)(void *made, wi_subject_run *run, wi_moment moment);
    /* Laws that every run keeps, at its end; WEIR_E_MODEL with a message where one is broken. */
    weir_status (*check)(void *made, const wi_subject_run *run);
    /* Write the tables, or add figures to `into`. */
    weir_status (*result)(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into);
    /* Whether all that has an end is done, of a scenario that runs until then; with the counters as of now, and `state` with all
     * state. Null: never. */
    wi_doneness (*done)(void *made, const wi_subject_run *run, bool state);
    /* Save what is gathered outside of all entities, or read it back, between WI_AT_OPEN and WI_AT_START; and, `attached`, what
     * hangs on the simulation, after it. WEIR_E_UNSUPPORTED with a message: no checkpoints. Null: `kept` is all. */
    weir_status (*save)(void *made, wi_subject_run *run, wi_archiver *archiver, bool attached);
    void (*free)(void *made);

    size_t kept, kept_size; /* where plain data that is gathered stands in `made`, which checkpoints keep */
    const wi_result_table *series; /* a table of series.h5 with one row, run->table; null: none */
    const wi_result_table *const
        *results; /* all tables, up to a null: what docs, metrics and reports know of them */
    wi_reads reads;
    bool always; /* as run->always */
    const char *const
        *usual;           /* metrics of a study that names none, up to a null. Null: goodput of each class */
    const wi_line *lines; /* [n_lines] figures of its summary for people */
    size_t n_lines;
    const void *glue; /* what shared functions know the model by (uniform.h); null: they know none */
} wi_subject;

/* The table of a file whose functions have the usual names, so that a subject's file ends with one statement. */
#define WI_SUBJECT(entities_, type, reads_, section_, ...)                                       \
    {                                                                                            \
        .section = section_, .size = sizeof(type), .entities = (entities_), .reads = (reads_),   \
        .build = build, .setup = set_up, .estimate = estimate, .check = check, .result = result, \
        .free = release, __VA_ARGS__                                                             \
    }
#define WI_KEPT(type, member) .kept = offsetof(type, member), .kept_size = sizeof(((type *)0)->member)
#define WI_LINES(lines_) .lines = (lines_), .n_lines = sizeof(lines_) / sizeof((lines_)[0])

#define WI_SUBJECT_DECLARE(name, doc, also) extern const wi_subject wi_subject_##name;
WI_SUBJECTS(WI_SUBJECT_DECLARE)
#undef WI_SUBJECT_DECLARE
extern const wi_subject wi_subject_network;

/* Make a subject of a scenario. *made is set on every path, for wi_subject_free. */
WEIR_NODISCARD weir_status wi_subject_build(const wi_subject *subject, weir_diag *diag,
                                            const weir_scenario *scenario, void **made);
void wi_subject_free(const wi_subject *subject, void *made);

/* WEIR_E_NOMEM at `place` when a model of `what` needs more memory than the machine has. */
WEIR_NODISCARD weir_status wi_memory_check(weir_diag *diag, const char *what, uint64_t bytes,
                                           weir_place place);

/* Return what the keys of the scenario's model were read into. */
const void *wi_model_params(const weir_scenario *scenario);

/* Append an instant to run->table, where time series are kept. */
WEIR_NODISCARD weir_status wi_subject_append(const wi_subject_run *run, const double *values);
/* Return the seconds since the last sample, and since the end of the warm-up. */
double wi_since_sample_s(const wi_subject_run *run);
double wi_since_warm_s(const wi_subject_run *run);

/* engine.c: what the scenario's engine section comes to in this process; WEIR_E_UNSUPPORTED, with the place,
 * for what does not go together. */
weir_engine wi_engine_of(const weir_scenario *scenario);
const char *wi_engine_name(weir_engine engine);
WEIR_NODISCARD weir_status wi_engine_check_choice(weir_diag *diag, const weir_scenario *scenario);
