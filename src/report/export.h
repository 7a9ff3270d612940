/* Exports of a run for other tools: what their files share. */
#ifndef WI_REPORT_EXPORT_H
#define WI_REPORT_EXPORT_H

#include "output/csv_read.h"
#include "output/out.h"
#include "weir/status.h"

/* A table of a results folder, row by row. */
typedef struct wi_export_table {
    wi_csv_reader *reader; /* null: there is none, or it is over */
    char **name;           /* [n] of the columns */
    size_t n;
    char **field; /* of the row at hand */
} wi_export_table;

/* WEIR_E_IO, WEIR_E_FORMAT, WEIR_E_NOMEM; a table that the run has not is an empty one. */
WEIR_NODISCARD weir_status wi_export_open(weir_diag *diag, const char *run, const char *name,
                                          wi_export_table *out);
bool wi_export_row(wi_export_table *table); /* false: it is over */
/* A field of the row by its column's name; "" where there is no such column. */
const char *wi_export_field(const wi_export_table *table, const char *name);
WEIR_NODISCARD weir_status wi_export_close(weir_diag *diag, wi_export_table *table);

/* export_chrome.c: trace events. */
WEIR_NODISCARD weir_status wi_export_chrome(weir_diag *diag, const char *run, wi_out *file);
/* export_omnet.c: scalars of ports and flows, and vectors of series.h5. */
WEIR_NODISCARD weir_status wi_export_sca(weir_diag *diag, const char *run, wi_out *file);
WEIR_NODISCARD weir_status wi_export_vec(weir_diag *diag, const char *run, wi_out *file);

/* printf's, at most 4,000 bytes. */
void wi_export_put(wi_out *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
