/*
 * The tables of a study: runs.csv, aggregate.csv, differences.csv, effects.csv; and its plots. A new table is a file with its
 * kind.
 */
#pragma once

#include "output/csv.h"
#include "study/plan/study.h"

enum { WI_TABLE_NAME = 64 };

typedef struct wi_table {
    wi_result_column *column;    /* [n] of [room] */
    char (*name)[WI_TABLE_NAME]; /* [names] of those that are made here */
    size_t n, room, names;
    wi_csv *csv;
} wi_table;

/* What tells tables apart. */
typedef struct wi_table_kind {
    const char *name;
    bool (*has)(const weir_study *s); /* whether the study has this table; null: every one */
    void (*columns)(const weir_study *s, wi_table *t);
    weir_status (*rows)(const weir_study *s, weir_diag *diag, wi_csv *csv);
} wi_table_kind;

extern const wi_table_kind wi_table_runs, wi_table_aggregate, wi_table_differences, wi_table_effects;

/* Adds columns; the texts of WI_TABLE_ADD must outlive the table. */
void wi_table_add(wi_table *t, size_t n, const wi_result_column *columns);
#define WI_TABLE_ADD(t, ...)                                                                \
    wi_table_add((t), sizeof((wi_result_column[]){__VA_ARGS__}) / sizeof(wi_result_column), \
                 (const wi_result_column[]){__VA_ARGS__})
/* Adds a column of numbers; the name is copied. */
void wi_table_add_named(wi_table *t, const char *name);
/* Adds a column of texts for each parameter. */
void wi_table_add_params(wi_table *t, const weir_study *s);
/* Writes the cells of those columns. */
void wi_table_put_params(const weir_study *s, wi_csv *csv, const wi_point *p);

/* ---- all of them ---- */

/* Checks that no two columns of a table have one name; params and metrics are there. */
WEIR_NODISCARD weir_status wi_tables_check(weir_study *s);
/* Writes all tables and plots from the rows that there are, each whole or not at all; those of an earlier plan go. */
WEIR_NODISCARD weir_status wi_tables_put(const weir_study *s, weir_diag *diag, const char *folder);
/* plots.c: writes plot-METRIC.svg, where a parameter takes several numbers. */
WEIR_NODISCARD weir_status wi_plots_put(const weir_study *s, weir_diag *diag, const char *folder);
/* Checks that every item of study.plots names parameters. */
WEIR_NODISCARD weir_status wi_plots_check(weir_study *s);

/* ---- the baseline: what other points are compared with, run by run on the same random numbers (baseline.c) ---- */

/* Checks that every NAME=VALUE of study.baseline names a parameter and a value of its, and that sets are compared by it. */
WEIR_NODISCARD weir_status wi_baseline_check(weir_study *s);
/* [n_points], to be freed: for each point, the one of the baseline's values that agrees with it in all other parameters;
 * UINT32_MAX: there is none. Null: memory is short. */
uint32_t *wi_baselines(const weir_study *s);
/* Differences of a metric, replication by replication where both runs are good; `ground`: the baseline's values.
 * Both [p->want]; returns how many. */
uint32_t wi_paired(const wi_point *p, const wi_point *base, uint32_t metric, double *difference,
                   double *ground);
