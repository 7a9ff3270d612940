/*
 * Tables of results. A column is described once, and that drives the CSV file or HDF5 group or part of summary.json that
 * holds it, the metrics that a study can name, units in reports and in Python, and the page of the documentation.
 *
 * A table is a list, X(type, name, units, value, meaning), of which its columns and its rows are made:
 *
 *     #define QUEUES(X) X(TEXT, "port", "", name, "the port"), X(U64, "bytes", "bytes", q->bytes, "what waits")
 *     static const wi_result_column columns[] = {QUEUES(WI_COLUMN)};
 *     wi_csv_row(csv, (const wi_cell[]){QUEUES(WI_CELL)});    where `name` and `q` are those of the row
 *
 * A value may be missing: a null text, WI_NO_COUNT, WI_NO_TIME, a NaN. In a part of summary.json a `/` of a name leads
 * into an object of its own: "delay/p99_s" is "delay": {"p99_s": ...}.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"
#include "weir/time.h"

typedef enum wi_column_type {
    WI_CSV_TEXT,   /* const char * */
    WI_CSV_U64,    /* uint64_t */
    WI_CSV_DOUBLE, /* the shortest decimal text that reads back as the same double; NaN is an empty cell */
    WI_CSV_SECONDS /* weir_time: from integer picoseconds, exact */
} wi_column_type;

#define WI_NO_COUNT UINT64_MAX
#define WI_NO_TIME INT64_MIN

/* A cell of a row, by the type of its column. */
typedef union wi_cell {
    const char *TEXT;
    uint64_t U64;
    double DOUBLE;
    weir_time SECONDS;
} wi_cell;

typedef struct wi_result_column {
    const char *name; /* with its unit, such as "goodput_bps" */
    wi_column_type type;
    const char *units; /* such as "bytes", "bit/s", "s", "1"; "" or null: none */
    const char *doc;   /* what it means, for the documentation; null: said with the column before */
    uint32_t only;     /* in summary.json: only of rows that have all of these bits */
} wi_result_column;

/* For X of a list: the column, after whose meaning `only` may stand; and its cell. */
#define WI_COLUMN(type_, name_, units_, value_, ...)                                   \
    {                                                                                  \
        .name = (name_), .type = WI_CSV_##type_, .units = (units_), .doc = __VA_ARGS__ \
    }
#define WI_CELL(type_, name_, units_, value_, ...) \
    {                                              \
        .type_ = (value_)                          \
    }
/* A column of time series, whose rows are doubles. */
#define WI_SAMPLE(name_, units_, doc_)                                           \
    {                                                                            \
        .name = (name_), .type = WI_CSV_DOUBLE, .units = (units_), .doc = (doc_) \
    }

typedef enum wi_result_kind {
    WI_RESULT_CSV,
    WI_RESULT_SERIES,  /* of series.h5 */
    WI_RESULT_PACKETS, /* of packets.h5 */
    WI_RESULT_SUMMARY  /* of summary.json */
} wi_result_kind;

struct wi_csv;

typedef struct wi_result_table {
    wi_result_kind kind;
    const char *name; /* "flows.csv"; a group; a path */
    const wi_result_column *columns;
    size_t n_columns;
    /* Of a CSV file that is written at once, at the end: puts its rows, of the results that wi_csv_write is given; and whether
     * there is such a file, null: always. Null: it is written otherwise. */
    weir_status (*rows)(const void *results, struct wi_csv *csv);
    bool (*wanted)(const void *results);
} wi_result_table;

#define WI_RESULT(kind_, name_, columns_)                                  \
    {                                                                      \
        .kind = WI_RESULT_##kind_, .name = (name_), .columns = (columns_), \
        .n_columns = sizeof(columns_) / sizeof((columns_)[0])              \
    }

/* A CSV file with its `rows`, and `wanted` after them. */
#define WI_ROWS(name_, columns_, ...)                                                         \
    {                                                                                         \
        WI_RESULT_CSV, name_, columns_, sizeof(columns_) / sizeof((columns_)[0]), __VA_ARGS__ \
    }

/* Add the columns of a row of a part of summary.json to `into`: those whose bits `has` holds. */
void wi_result_put(json_t *into, const wi_result_table *table, const wi_cell *row, uint32_t has);
/* The same in an object of its own. */
json_t *wi_result_object(const wi_result_table *table, const wi_cell *row, uint32_t has);
