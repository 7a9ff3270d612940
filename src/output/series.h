/*
 * Time series in HDF5.
 *
 * A file holds tables; a table is a group with
 *   name          [n_rows]     fixed-length UTF-8 strings: which port, flow, ... a row is
 *   time_s        [T]          doubles, seconds
 *   COLUMN        [T][n_rows]  doubles, one dataset a column, named as in the CSV files
 * and every numeric dataset has the text attribute `units`. Datasets are chunked and compressed (shuffle,
 * deflate 1); the same content gives the same bytes with the same HDF5 and zlib.
 *
 * Threads: HDF5 as Debian builds it is not thread-safe: calls of it wait for each other (h5_file.h). A series
 * belongs to one thread at a time; different series may belong to different threads.
 */
#pragma once

#include "base/file/archiver.h"
#include "output/column.h"
#include "weir/status.h"
#include "weir/time.h"

typedef struct wi_recorder wi_recorder;

/* Where the results of a run go: files of a folder, memory, both, or neither; each may be null. */
typedef struct wi_sinks {
    const char *folder;    /* results folder under its temporary name */
    wi_recorder *recorder; /* keeps time series for whoever reads them while the run goes on */
    bool saves;            /* checkpoints will be written: what was appended is kept for them */
} wi_sinks;

typedef struct wi_series wi_series;
typedef struct wi_series_table wi_series_table;

/*
 * Create `name` in the folder, and keep what is appended in the recorder, where they are given.
 *
 * Returns: WEIR_OK; WEIR_E_IO, WEIR_E_NOMEM; *out is null on failure, and where there is no sink at all.
 */
WEIR_NODISCARD weir_status wi_series_open(weir_diag *diag, const wi_sinks *to, const char *name,
                                          wi_series **out);

/*
 * Begin a table: of its columns, names and units.
 *
 * Shapes:  rows: [n_rows] names, n_rows may be 0.
 * Owner:   the table belongs to the series; texts are copied.
 * Returns: WEIR_OK; WEIR_E_ARG for no columns; WEIR_E_IO, WEIR_E_NOMEM. *out is null on failure.
 */
WEIR_NODISCARD weir_status wi_series_table_add(weir_diag *diag, wi_series *series, const wi_result_table *of,
                                               const char *const *rows, size_t n_rows, wi_series_table **out);

/*
 * Append one instant.
 *
 * Shapes:  values: [n_rows][n_columns], row after row. NaN: no value.
 * Returns: WEIR_OK; WEIR_E_IO when a full block could not be written. Errors of the disk are certain to show
 * only at wi_series_close.
 */
WEIR_NODISCARD weir_status wi_series_append(weir_diag *diag, wi_series_table *table, weir_time now_ps,
                                            const double *values);

/*
 * Save the rows so far, as a section "rows NAME", or append those that were saved: the file comes out as that of a
 * run straight through. Needs sinks with `saves`. Accepts a null series, which has no rows.
 */
void wi_series_archive(wi_series *series, wi_archiver *archiver);

/* Write what is left, sync, close and free, on every path. Accepts null. */
WEIR_NODISCARD weir_status wi_series_close(weir_diag *diag, wi_series *series);
/* Close and free without looking: for a path that has failed already. Accepts null. */
void wi_series_drop(wi_series *series);
