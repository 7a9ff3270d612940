/*
 * CSV tables with typed columns, as RFC 4180 quotes them and pandas, R and MATLAB read them.
 *
 * Lines end with a line feed alone. Numbers do not depend on the locale. A last row that is not finished is a caller's
 * mistake, which wi_csv_close returns as WEIR_E_ARG.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/file/archiver.h"
#include "output/column.h"
#include "weir/status.h"

typedef struct wi_csv wi_csv;

/* Create `name` in `folder` and write the header line. `columns` [n_columns] is copied. *out is null on
 * failure. */
WEIR_NODISCARD weir_status wi_csv_open(weir_diag *diag, const char *folder, const char *name,
                                       const wi_result_column *columns, size_t n_columns, wi_csv **out);

/* The same in an open file, which the table owns from then on, on failure too. */
struct wi_out;
WEIR_NODISCARD weir_status wi_csv_begin(weir_diag *diag, struct wi_out *file, const wi_result_column *columns,
                                        size_t n_columns, wi_csv **out);

/* The same of a table of results. */
WEIR_NODISCARD weir_status wi_csv_table(weir_diag *diag, const char *folder, const wi_result_table *table,
                                        wi_csv **out);
/* Write those of the tables, up to a null, that have `rows` and are wanted. */
WEIR_NODISCARD weir_status wi_csv_write(weir_diag *diag, const char *folder,
                                        const wi_result_table *const *tables, const void *results);
/* Write a whole row, a value a column. */
void wi_csv_row(wi_csv *csv, const wi_cell *row);
/* Write the next n cells; the last one of a row ends it. */
void wi_csv_cells(wi_csv *csv, size_t n, const wi_cell *cells);
#define WI_CSV_PUT(csv, ...) \
    wi_csv_cells((csv), sizeof((wi_cell[]){__VA_ARGS__}) / sizeof(wi_cell), (const wi_cell[]){__VA_ARGS__})

/* Save the table so far, as a section of its file's name, or make it what was saved. Between rows. Accepts a null table,
 * which has none. */
void wi_csv_archive(wi_csv *csv, wi_archiver *archiver);

/* Sync, close and free, on every path. WEIR_E_IO when anything could not be written. Accepts null. */
WEIR_NODISCARD weir_status wi_csv_close(weir_diag *diag, wi_csv *csv);
/* Close and free without looking: for a path that has failed already. Accepts null. */
void wi_csv_drop(wi_csv *csv);
