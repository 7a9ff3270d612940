/*
 * Subjects whose model is of entities that are all alike (models/uniform.h). Their structs begin with a wi_uniform_subject, or with one
 * of the structs below, which begin with it.
 */
#pragma once

#include "models/uniform.h"
#include "subject/subject.h"

typedef struct wi_uniform_subject {
    wi_uniform *model; /* made by `build` */
} wi_uniform_subject;

/* A subject of these: `entities` as wi_subject has it; the file has functions estimate, build, check. */
#define WI_UNIFORM_SUBJECT(entities_, type, section_, ...)                                  \
    {                                                                                       \
        .section = section_, .size = sizeof(type), .entities = (entities_), .build = build, \
        .estimate = estimate, .check = check, .setup = wi_uniform_subject_setup,            \
        .free = wi_uniform_subject_free, __VA_ARGS__                                        \
    }
void wi_uniform_subject_setup(void *made, weir_setup *setup);
void wi_uniform_subject_free(void *made);

/* Estimate n entities of so many bytes of state, and so many pending events each; always WEIR_OK. */
weir_status wi_estimate_entities(weir_estimate *out, uint64_t n, uint64_t state_bytes, uint64_t events);

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

enum { WI_THEORY_MOST = 6 };

typedef struct wi_theory {
    const wi_result_table *summary; /* of the columns below */
    int n_totals, n_figures;        /* at most WI_THEORY_MOST */
    /* Sums over all entities, from the start of the run; the first is what a row counts. */
    void (*totals)(const void *made, const weir_sim *sim, double *sum);
    /* The figures of a span of time, by what the totals have gained. */
    void (*figures)(const void *made, const double *gained, double span_ps, double *out);
    void (*predict)(const void *made, double *out);
} wi_theory;

typedef struct wi_theory_subject {
    wi_uniform_subject subject;
    const wi_theory *theory; /* set by `build`, as is the next */
    uint32_t n_entities;
    struct {
        weir_time last_ps;
        double warm[WI_THEORY_MOST],
            last[WI_THEORY_MOST]; /* totals at the end of the warm-up; at the last sample */
        double sum[WI_THEORY_MOST], squares[WI_THEORY_MOST],
            samples; /* of figures from sample to sample since then */
    } got;
} wi_theory_subject;

/* Columns of a row: who there is, what is counted, and of each figure its mean, interval and theory. */
#define WI_THEORY_ENTITIES(name, doc) WI_COLUMN(U64, name, "", , doc)
#define WI_THEORY_COUNTED(name, doc) WI_COLUMN(DOUBLE, name, "", , doc)
#define WI_THEORY_FIGURE(name, units, doc)                                                          \
    WI_COLUMN(DOUBLE, name "/mean", units, , doc),                                                  \
        WI_COLUMN(DOUBLE, name "/ci95", units, ,                                                    \
                  "half of its 95 % interval, by samples, which should be far longer than a stay"), \
        WI_COLUMN(DOUBLE, name "/theory", units, , "what it is in theory")
/* A line of it for people, and the same figure over time. */
#define WI_THEORY_LINE(name, units, doc)                                                          \
    {                                                                                             \
        "  {=" name ":-13} {" name ".mean:4g} +- {" name ".ci95:2g}, theory {" name ".theory:4g}" \
    }
#define WI_THEORY_SAMPLE(name, units, doc) WI_SAMPLE(name, units, doc)

#define WI_SAMPLES_THEORY                                                   \
    .always = true, .sample = wi_theory_sample, .result = wi_theory_result, \
    .kept = offsetof(wi_theory_subject, got), .kept_size = sizeof(((wi_theory_subject *)0)->got)
weir_status wi_theory_sample(void *made, wi_subject_run *run, wi_moment moment);
weir_status wi_theory_result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into);
