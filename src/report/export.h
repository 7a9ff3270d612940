/* Exports of a run for other tools: what their files share. */
#pragma once

#include "output/csv_read.h"
#include "output/out.h"
#include "weir/status.h"

/* Open a table of a results folder; null: the run has none. WEIR_E_IO, WEIR_E_FORMAT, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_export_open(weir_diag *diag, const char *run, const char *name,
                                          wi_csv_reader **out);

/* export_chrome.c: trace events. */
WEIR_NODISCARD weir_status wi_export_chrome(weir_diag *diag, const char *run, wi_out *file);
/* export_omnet.c: scalars of ports and flows, and vectors of series.h5. */
WEIR_NODISCARD weir_status wi_export_sca(weir_diag *diag, const char *run, wi_out *file);
WEIR_NODISCARD weir_status wi_export_vec(weir_diag *diag, const char *run, wi_out *file);

/* printf's, at most 4,000 bytes. */
void wi_export_put(wi_out *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
