/**
 * Reports: results of runs and studies as one HTML file that opens from disk, without a network: what `weir
 *          report` writes.
 *
 * What is shown stands in the folders' files (docs/results.md, docs/studies.md); long tables and series are
 * made shorter, which the report says where it does. Nothing leaves the file: it holds no address, and its
 * policy forbids the browser any.
 */
#ifndef WEIR_REPORT_H
#define WEIR_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/status.h"

/** Whether this build has the page: it is made with node (nodejs, npm) where weir is built. */
WEIR_API bool weir_report_available(void);

/**
 * Write one report of `n` folders of runs and studies, 1 to 32, beside each other.
 *
 * Shapes:  folders: [n] paths. A file or table in them that cannot be read is left out, with a warning.
 * Order:   the file at `path` gets its name when it is whole; one that stands there is replaced. The same
 *          folders give the same bytes. Where it lies in a results folder of weir's, the folder's manifest
 *          names it.
 * Returns: WEIR_OK; WEIR_E_UNSUPPORTED where the build has no page; WEIR_E_ARG for a folder that is neither a
 *          run nor a study; WEIR_E_IO; WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_report_write(weir_diag *diag, const char *const *folders, size_t n,
                                                      const char *path);

/**
 * The figures of a run as data, which `weir report` and `weir plot` draw: series over time, distributions, slowdowns.
 *
 * Shapes:  *json is an array of groups, one a table: {name, notes, figures, at?}. A figure is {name, title, style, x, y,
 *          series: [{name, x?, y}]}; series without an x are at the group's instants `at`. Axes have label, unit, log.
 * Owner:   *json is the caller's, for free().
 * Returns: WEIR_OK; WEIR_E_ARG for a folder that is no run; WEIR_E_NOMEM. What cannot be read is left out, with a warning.
 */
WEIR_API WEIR_NODISCARD weir_status weir_report_figures(weir_diag *diag, const char *run, char **json);

/**
 * Write a run in a format of other tools.
 *
 * Formats: "chrome": trace events as JSON, for Perfetto and chrome://tracing: a bar a flow, and a bar an operation of jobs,
 *          a row a rank. "paje": the same as SimGrid's tools, ViTE and pajeng read it. "sca", "vec": result files of
 *          OMNeT++ 6: numbers of ports and flows, and time series. "flowmon": the XML of ns-3's FlowMonitor, of runs that
 *          have it (`output.flow_monitor`).
 * Order:   the file at `path` gets its name when it is whole; one that stands there is replaced.
 * Returns: WEIR_OK; WEIR_E_ARG for an unknown format, a folder that is no run, and a run that has nothing of it; WEIR_E_IO;
 *          WEIR_E_FORMAT for tables that are damaged; WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_export(weir_diag *diag, const char *run, const char *format,
                                                const char *path);

#endif
