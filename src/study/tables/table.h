/* One table of a study: its columns, and what fills it. A new one is a file with its kind. */
#ifndef WI_STUDY_TABLES_TABLE_H
#define WI_STUDY_TABLES_TABLE_H

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
/* WEIR_E_NOMEM, with a message. */
weir_status wi_table_no_memory(weir_diag *diag);

#endif
