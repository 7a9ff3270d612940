/* Exports of a run for other tools: what their files share. */
#pragma once

#include "output/csv_read.h"
#include "base/file/out.h"
#include "weir/status.h"

/* Open a table of a results folder; null: the run has none. WEIR_E_IO, WEIR_E_FORMAT, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_export_open(weir_diag *diag, const char *run, const char *name,
                                          wi_csv_reader **out);

/* Something of a run that lasts: an operation of a job, or a flow. */
typedef struct wi_export_bar {
    const char *owner;    /* "job ring", "class web" */
    const char *category; /* the kind of operation; "flow" */
    const char *text;
    long long row; /* rank; 0 of a flow */
    double from_s, to_s;
} wi_export_bar;

/* Call `each` for the bars of actions.csv, then those of flows.csv; what is under way at the end lasts until then. What it returns ends the walk, if it is not WEIR_OK.
 * WEIR_E_ARG where there is none. */
WEIR_NODISCARD weir_status wi_export_bars(weir_diag *diag, const char *run,
                                          weir_status (*each)(void *ctx, const wi_export_bar *bar),
                                          void *ctx);

/* export_paje.c: states of containers, as SimGrid and ViTE have them. */
WEIR_NODISCARD weir_status wi_export_paje(weir_diag *diag, const char *run, wi_out *file);
/* export_chrome.c: trace events. */
WEIR_NODISCARD weir_status wi_export_chrome(weir_diag *diag, const char *run, wi_out *file);
/* export_flowmon.c: what ns-3's FlowMonitor writes, of a run whose flows were watched packet by packet. */
WEIR_NODISCARD weir_status wi_export_flowmon(weir_diag *diag, const char *run, wi_out *file);
/* export_omnet.c: scalars of ports and flows, and vectors of series.h5. */
WEIR_NODISCARD weir_status wi_export_sca(weir_diag *diag, const char *run, wi_out *file);
WEIR_NODISCARD weir_status wi_export_vec(weir_diag *diag, const char *run, wi_out *file);

/* printf's, at most 4,000 bytes. */
void wi_export_put(wi_out *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
