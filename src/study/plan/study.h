/*
 * Inside a study: what its files share.
 *
 * A study is a plan (parameters, points, metrics: fixed once made), rows (what came of each run), and a folder
 * with a journal. Executors take runs from the work queue and hand rows back; nothing else is shared by threads.
 *
 * Order: points stand in the order of the cross product, the last parameter changing fastest; runs of a point in
 * the order of their replication. Tables follow that order, so that they do not depend on who ran what when.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "weir/arena.h"
#include "weir/batch.h"
#include "weir/scenario.h"
#include "weir/study.h"

/* An error at a place of the scenario; of the file, where nobody wrote it. */
#define WI_STUDY_FAIL(s, p, ...)                                                                    \
    weir_fail_at((s)->diag, WEIR_E_SCENARIO, (p).file ? (p).file : (s)->file, (p).line, (p).column, \
                 __VA_ARGS__)

/* rows.c: WEIR_E_NOMEM, with a message. */
weir_status wi_study_no_memory(weir_diag *diag);

/* ---- the plan ---- */

typedef struct wi_param {
    const char *name, *path; /* path null: for expressions alone */
    const char **value;      /* [n] texts as behind --set PATH= */
    weir_place *value_place; /* [n] where they are written */
    uint32_t n, capacity;    /* 0: `is` */
    const char *is;
    uint32_t group; /* parameters in step share one */
    weir_place place, is_place;
} wi_param;

/* How a metric comes from a run. */
typedef enum wi_metric_kind {
    WI_METRIC_FIGURE, /* of summary.json */
    WI_METRIC_COLUMN, /* of a table of the results */
    WI_METRIC_SERIES  /* of a time series */
} wi_metric_kind;

/* Rows whose field in that column is this text. */
typedef struct wi_where {
    const char *column, *text;
} wi_where;
enum { WI_WHERE_MAX = 3 };

typedef struct wi_metric {
    const char *name; /* of the column */
    const char *of;   /* as written */
    const char *kept; /* what rows call it: as written, with what its value depends on besides */
    weir_place place; /* where; file null: nobody wrote it */
    wi_metric_kind kind;
    bool pooled;                  /* all samples of all replications; a run's own figure is their mean */
    const char *statistic;        /* "mean", "p99", ... of columns */
    double quantile;              /* of a percentile */
    const char *table, *column;   /* "flows", "completion_s" */
    wi_where where[WI_WHERE_MAX]; /* n_where of them, which rows meet together */
    size_t n_where;
} wi_metric;

/* A run that is over. */
typedef struct wi_row {
    weir_status status;
    uint64_t events, event_digest, state_digest;
    double wall_s;  /* of no table: it is never the same twice */
    double *metric; /* [n_metrics]; NaN: no value */
    char **pool;    /* [n_metrics] samples of those that are pooled (pool.h); null: none */
    uint32_t n_pools;
    char *error; /* what went wrong; null with WEIR_OK */
    bool died;   /* its process did, or it took too long: not tried again unless asked for */
    /* the run's own, until its warnings are passed on; null: none, or another rank's */
    weir_diag *messages;
} wi_row;

/* A parameter set. */
typedef struct wi_point {
    const char **value; /* [n_params] */
    uint64_t key;       /* of its settings, and of files that are not the base scenario's; 64 bits */
    uint64_t values;    /* of paths and values alone: where `random-numbers: independent` counts runs from */
    uint32_t want;      /* replications asked for so far */
    uint32_t given;     /* replications given to executors, or found finished */
    uint32_t done;      /* rows that are there, of those asked for: an earlier plan may have left more */
    uint32_t rooms;     /* of row */
    double wall_s;      /* of these; for order and time left */
    double cost_s;      /* expected of a run; NaN: not known */
    wi_row **row;       /* [rooms] by replication; null: not there */
} wi_point;

struct weir_study {
    weir_arena *arena;
    weir_diag *diag;
    const char *file;       /* as the user named it */
    char *own_folder;       /* the folder of the study that was opened; null: a scenario was */
    char *text, *base_text; /* the scenario with all --set; and without its study section */
    size_t base_length;
    char *read_text; /* the file as it was read, and the --set's */
    size_t read_length;
    const char **sets; /* [n_sets] */
    size_t n_sets;
    char *folder_of_files;   /* where relative file names start from */
    weir_scenario *scenario; /* the file as it is, checked */
    uint64_t base_key;       /* of the base text, the inputs' contents and weir's version */
    wi_param *params;
    uint32_t n_params, n_groups;
    wi_point *points;
    uint32_t n_points;
    wi_metric *metrics;
    uint32_t n_metrics;
    bool wants_tables, wants_series; /* of metrics */
    /* what runs */
    struct wi_folder *folder;
    struct wi_common *shared;        /* what runs of a process have in common */
    struct wi_common_use *in_common; /* of processes that have ended; null: not counted */
    const struct wi_ranks *ranks;    /* null: this process is alone */
    weir_batch_options batch;        /* of the executor on a device */
    bool device_here; /* CUDA is open in this process, so that none that it starts may open it */
    char device_name[200];
};

/* plan.c: parameters and points of the study section. */
WEIR_NODISCARD weir_status wi_plan_make(weir_study *s, bool yes);
/* Adds to a key what the files of a scenario hold. */
uint64_t wi_plan_inputs(uint64_t key, const weir_scenario *scenario);
/* The value of a point's parameter by name; for baseline and plots. UINT32_MAX: no such parameter. */
uint32_t wi_plan_param(const weir_study *s, const char *name, size_t length);
/* "a=1, b=2ms" of a point's parameters; cut to size. */
const char *wi_plan_describe(const weir_study *s, const wi_point *p, char *out, size_t size);

/* metric.c: from the study section, or the model's own. */
WEIR_NODISCARD weir_status wi_metrics_make(weir_study *s);
/* Reads one of them into *m, whose texts are the study's. */
WEIR_NODISCARD weir_status wi_metric_parse(weir_study *s, const weir_name *name, wi_metric *m);
/* "s", "bit/s", "B", "B/s", "1/s": by the end of the name of what it is of; "" where that says none, and of counts
 * and shares. */
const char *wi_metric_unit(const wi_metric *m);
/* Where the metrics of a run that is over come from. */
typedef struct wi_run_results {
    struct weir_session *session;
    struct json_t *summary; /* summary.json */
    const char *folder;     /* with its tables, where wants_tables */
} wi_run_results;
/* Takes metric i of a run into its row. WEIR_E_ARG: the run has no such figure or table. */
WEIR_NODISCARD weir_status wi_metric_take(const weir_study *s, weir_diag *diag, const wi_run_results *run,
                                          uint32_t i, wi_row *row);
/* Takes all metrics of a run into its row; those that it does not have are NaN. */
struct weir_run_result;
WEIR_NODISCARD weir_status wi_metrics_take(const weir_study *s, weir_diag *diag, struct weir_session *session,
                                           const struct weir_run_result *result, wi_row *row);

/* look.c: opens a run of a point and finishes it at once. Marks those of found[n_metrics] that it has; its summary (null where
 * it has none, and `summary` may be null) and its messages are the caller's. */
WEIR_NODISCARD weir_status wi_look(const weir_study *s, uint32_t point, const char *folder, uint8_t *found,
                                   struct json_t **summary, weir_diag **messages);
/* look.c: a metric that no run has is an error before anything runs. Opens some runs, in a process of their own; their
 * tables go below `folder`. */
WEIR_NODISCARD weir_status wi_metrics_check(weir_study *s, const char *folder,
                                            const weir_study_options *options);

/* ---- runs ---- */

typedef struct wi_job {
    uint32_t point, replication;
} wi_job;

/* run.c: one run from start to end, in the calling thread, when the quota lets it in. Null: no memory, or stopped.
 * *since_s (may be null): when it began, by wi_clock_s, less what it waited for memory; infinite while it waits. */
struct wi_quota;
wi_row *wi_run_job(const weir_study *s, wi_job job, struct wi_quota *quota, const volatile int *stop,
                   volatile double *since_s);

/* ---- rows (rows.c) ---- */

/* Without values; null when memory is short. */
wi_row *wi_row_new(const weir_study *s);
/* Frees a row; accepts null. */
void wi_row_free(wi_row *row);
/* Put a finished row where it belongs; takes it. False when memory is short. */
bool wi_point_put(wi_point *point, uint32_t replication, wi_row *row);
/* Asks for replications up to `want`. */
void wi_point_ask(wi_point *point, uint32_t want);
/* The row of a replication that is asked for; null: not there, or not asked for. */
const wi_row *wi_point_row(const wi_point *point, uint32_t replication);
/* Which run of the scenario it is: the key `run`. */
uint32_t wi_run_number(const weir_study *s, wi_job job);
/* What a run simulates: the study's file with what the command line, its point and its replication set. */
WEIR_NODISCARD weir_status wi_run_scenario(const weir_study *s, weir_diag *diag, wi_job job,
                                           weir_scenario **out);

/* Values of a metric over the runs of a point that succeeded: [want], how many in *n. Null: no memory. */
double *wi_point_values(const wi_point *p, uint32_t metric, uint32_t *n, uint32_t *failed);

/* A point by some key of it. */
typedef struct wi_keyed {
    uint64_t key;
    uint32_t point;
} wi_keyed;
/* Sorts by key, and points of one key by their order. */
void wi_keyed_sort(wi_keyed *list, uint32_t n);
/* All points so, [n_points], malloc'ed; null, with a message: no memory. */
wi_keyed *wi_points_by_key(const weir_study *s);
/* Returns the first point of a key; UINT32_MAX: there is none. */
uint32_t wi_keyed_find(const wi_keyed *list, uint32_t n, uint64_t key);

/* ---- statistics (statistics.c) ---- */

/* Quantile of Student's t: P(T <= t) = p, 0.5 <= p < 1, with `freedom` >= 1 degrees; to about 1e-10. */
double wi_student_quantile(double p, uint32_t freedom);
/* Ranks (from 1) of the order statistics that hold the q-quantile with at least this confidence, by the binomial
 * law; 0: so few values hold it on no such side. */
void wi_order_interval(uint32_t n, double q, double confidence, uint32_t *low, uint32_t *high);

typedef struct wi_summary {
    uint32_t n;       /* values that are numbers */
    double mean, sd;  /* NaN: too few */
    double low, high; /* Student-t interval of the mean */
} wi_summary;
/* Finds mean, spread and interval of those of n values that are numbers. */
void wi_summarise(const double *values, uint32_t n, double confidence, wi_summary *out);
/* How often a mean as far from 0 as this comes by chance where the true one is 0; NaN: too few values, or no spread. */
double wi_summary_p(const wi_summary *sum);
/* Of p[n], of which some may be NaN: each such that to call those below alpha real errs in no more than alpha of studies
 * (Holm's step-down). False: no memory. */
WEIR_NODISCARD bool wi_holm(const double *p, uint32_t n, double *out);
/* Sorts numbers, the least first. */
void wi_sort(double *values, size_t n);
/* Of n sorted values: the q-quantile (R's type 7, as numpy). */
double wi_quantile(const double *sorted, uint32_t n, double q);
