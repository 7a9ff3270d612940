/*
 * What the report's parts share. Each makes a piece of the JSON that the page draws (page/src), from what stands in a results
 * folder alone. Budgets keep a page small; whatever they leave out is said in the piece, in a text `how`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "report/values.h"
#include "weir/status.h"

typedef struct wi_report_budget {
    size_t table_rows;    /* of one table */
    size_t series_values; /* of all time series of a run */
    size_t frame_values;  /* of the map over time */
} wi_report_budget;

/*
 * A CSV table: {name, rows, how?, columns: [{name, number}], data: [[a column's cells], ...], figures: [...]}. Of more rows
 * than the budget, the largest of a telling column and every n-th. Figures are, of known columns, the distributions of all
 * rows by class. Null where the file cannot be read: then there is a message.
 */
json_t *wi_report_table(weir_diag *diag, const char *folder, const char *file, size_t max_rows);
/* All CSV tables of a folder, by name; those that cannot be read are left out, with a message. */
json_t *wi_report_tables(weir_diag *diag, const char *folder, size_t max_rows);

/*
 * series.h5: an array of groups of figures (figures.h), one a table. Longer series than the budget are given by the least and
 * the greatest value of equal stretches. Null on failure.
 */
json_t *wi_report_series(weir_diag *diag, const char *folder, const wi_report_budget *budget);
/*
 * The table `ports` over time for the map: {time, names, utilisation: [[names] a frame], queue, drops}: means, maxima and
 * sums over equal stretches. Null where there is none.
 */
json_t *wi_report_frames(weir_diag *diag, const char *folder, const wi_report_budget *budget);

/* Whether a folder has a file that can be read. */
bool wi_report_has(const char *folder, const char *name);
/* WEIR_E_ARG for a folder that is no run's, or a study's, with what is to be done instead. */
WEIR_NODISCARD weir_status wi_report_of_run(weir_diag *diag, const char *folder);

/*
 * The network: {x, y, names, hosts, links: [[a, b], ...], ports: {column: [a value a directed edge]}, index, how, layout}.
 * From the scenario's topology where it can be had again, else from the names in ports.csv. Null where there is none to
 * draw; *why says so then, if there is something to say.
 */
json_t *wi_report_network(const char *folder, char *why, size_t why_size);

/* Stands in the page once, where the data go. */
#define WI_PAGE_MARK "@weir-data@"

/* The page; null where the build has none. */
const char *wi_page(size_t *size);
