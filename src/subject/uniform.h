/*
 * Subjects whose model is of entities that are all alike (models/uniform.h). Their structs begin with a wi_uniform_subject, or with one
 * of the structs below, which begin with it.
 */
#pragma once

#include "models/uniform.h"
#include "subject/subject.h"

/* What sets one such model apart, `glue` of its subject; all but the planner is of models that theory knows figures of. */
enum { WI_THEORY_MOST = 6 };
typedef struct wi_uniform_glue {
    wi_uniform_planner *plan; /* of the struct that the keys fill */
    const wi_result_table *summary;
    int n_totals, n_figures; /* at most WI_THEORY_MOST */
    /* Add an entity's totals from the start of the run until now; the first is what a row counts. */
    void (*add)(const void *state, weir_time now_ps, double *sum);
    /* The figures of a span of time, by what the totals have gained; and what theory says they are. */
    void (*figures)(const void *params, const double *gained, double span_ps, double *out);
    void (*predict)(const void *params, double *out);
    /* About how long entities that begin empty take to fill, in seconds; null in models without theory. */
    double (*fill_s)(const void *params);
    /* An entity's state is one that a run comes to. */
    bool (*is_sound)(const void *params, const void *state);
} wi_uniform_glue;

typedef struct wi_uniform_subject {
    wi_uniform *model;
    const void *params; /* what the keys were read into */
    uint32_t n_entities;
    const wi_uniform_glue *glue;
} wi_uniform_subject;

/* A subject of these, with wi_uniform_build or a builder of its own. */
#define WI_UNIFORM_SUBJECT(entities_, type, glue_, build_, check_, section_, ...)            \
    {                                                                                        \
        .section = section_, .size = sizeof(type), .entities = (entities_), .glue = (glue_), \
        .build = build_, .check = check_, .estimate = wi_uniform_estimate,                   \
        .setup = wi_uniform_subject_setup, .free = wi_uniform_subject_free, __VA_ARGS__      \
    }
weir_status wi_uniform_build(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                             void *made);
weir_status wi_uniform_estimate(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                                const void *made, weir_estimate *out);
void wi_uniform_subject_setup(void *made, weir_setup *setup);
void wi_uniform_subject_free(void *made);

/* ---- models that have nothing to sample but the rate of their events ---- */

typedef struct wi_event_rate {
    wi_uniform_subject subject;
    struct {
        uint64_t last, warm; /* events at the last sample; at the end of the warm-up */
    } got;
} wi_event_rate;

#define WI_SAMPLES_EVENTS                                                                       \
    .reads = WI_READS_NOTHING, .sample = wi_event_rate_sample, .series = &wi_event_rate_series, \
    .kept = offsetof(wi_event_rate, got), .kept_size = sizeof(((wi_event_rate *)0)->got)
extern const wi_result_table wi_event_rate_series;
weir_status wi_event_rate_sample(void *made, wi_subject_run *run, wi_moment moment);
/* Return the mean rate since the end of the warm-up. */
double wi_events_per_s(const wi_event_rate *rate, const wi_subject_run *run);

/* ---- models of which theory knows figures: each has its mean, half of its 95 % interval, and what theory says ---- */

typedef struct wi_theory_subject {
    wi_uniform_subject subject;
    struct {
        weir_time last_ps;
        double warm[WI_THEORY_MOST],
            last[WI_THEORY_MOST]; /* totals at the end of the warm-up; at the last sample */
        /* Of figures from sample to sample since then, but where there is none: how many, sums of them, of their
         * squares, and of each times the one before; the first and the last. */
        double samples[WI_THEORY_MOST], sum[WI_THEORY_MOST], squares[WI_THEORY_MOST],
            products[WI_THEORY_MOST], first[WI_THEORY_MOST], before[WI_THEORY_MOST];
    } got;
} wi_theory_subject;

/* Each entity's state is sound. */
weir_status wi_theory_check(void *made, const wi_subject_run *run);
weir_status wi_theory_sample(void *made, wi_subject_run *run, wi_moment moment);
weir_status wi_theory_result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into);

/*
 * Define wi_subject_NAME, whose section is NAME, with the tables of its results and lines for people. FIGURES(X) lists X(name, unit,
 * meaning) with commas between; a row of the summary says of how many ENTITIES it is, and counts COUNTED. The file has functions
 * add, figures, predict, fill_s and is_sound, `keys` of NAME_params, totals up to TOTALS, and `usual` metrics.
 */
#define WI_THEORY_SUBJECT(NAME, ENTITIES, COUNTED, COUNTED_DOC, FIGURES, DOC)                               \
    static const wi_result_column series_columns[] = {FIGURES(WI_SAMPLE)};                                  \
    static const wi_result_column columns[] = {WI_COLUMN(U64, ENTITIES, "", , ENTITIES),                    \
                                               WI_COLUMN(DOUBLE, COUNTED, "", , COUNTED_DOC),               \
                                               FIGURES(WI_THEORY_FIGURE)};                                  \
    static const wi_result_table series = WI_RESULT(SERIES, ENTITIES, series_columns),                      \
                                 summary = WI_RESULT(SUMMARY, #NAME, columns);                              \
    static const wi_result_table *const results[] = {&summary, &series, NULL};                              \
    static const wi_line lines[] = {FIGURES(WI_THEORY_LINE)};                                               \
    static const wi_uniform_glue glue = {wi_##NAME##_plan, &summary, TOTALS, WI_N_OF(lines), add,           \
                                         figures,          predict,  fill_s, is_sound};                     \
    const wi_subject wi_subject_##NAME = WI_UNIFORM_SUBJECT(                                                \
        ENTITIES, wi_theory_subject, &glue, wi_uniform_build, wi_theory_check,                              \
        WI_SECTION(#NAME, keys, NAME##_params, .doc = DOC), .always = true, .sample = wi_theory_sample,     \
        .result = wi_theory_result, WI_KEPT(wi_theory_subject, got), .series = &series, .results = results, \
        .usual = usual, WI_LINES(lines))
/* A figure's mean, its interval and theory; and a line of it for people. */
#define WI_THEORY_FIGURE(name, units, doc)                                                           \
    WI_COLUMN(DOUBLE, name "/mean", units, , doc),                                                   \
        WI_COLUMN(DOUBLE, name "/ci95", units, ,                                                     \
                  "half of its 95 % interval, by samples and how much each is like the one before"), \
        WI_COLUMN(DOUBLE, name "/theory", units, , "what it is in theory")
#define WI_THEORY_LINE(name, units, doc)                                                          \
    {                                                                                             \
        "  {=" name ":-13} {" name ".mean:4g} +- {" name ".ci95:2g}, theory {" name ".theory:4g}" \
    }
