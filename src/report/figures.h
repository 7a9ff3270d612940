/*
 * Figures as data: what the page (page/src/figure.js) and weir plot (plots.c) draw alike.
 *
 *   figure: {name, title, style, x: axis, y: axis, series: [{name, n?, x: [...], y: [...]}]}
 *   axis:   {label, unit, log}
 *   style:  "line"; "step", the shares of a distribution; "dots"
 *   group:  {name, notes: [text], figures: [figure], at?: [...], flat?: [label]}: of one table. Series without an x of their
 *           own are those of a table over time, at the instants `at`; labels of columns that are zero throughout are `flat`.
 */
#pragma once

#include <stdbool.h>

#include <jansson.h>

enum { WI_FIGURE_TEXT = 256 };

typedef struct wi_axis {
    const char *label, *unit; /* unit: "" where it has none */
    bool log;
} wi_axis;

/* A figure of these series, which it takes. */
json_t *wi_figure_new(const char *name, const char *title, const char *style, const wi_axis *x,
                      const wi_axis *y, json_t *series);
/* The axis of a column whose name tells its unit, "completion_s": "completion" in s. The label is written to `label`. */
wi_axis wi_column_axis(const char *column, char label[WI_FIGURE_TEXT]);
/* An empty group. */
json_t *wi_figure_group(const char *name);

/*
 * All groups of a run: those of its time series (wi_report_series; may be null), which come first, and distributions and
 * slowdowns of its tables (wi_report_table), whose key `figures` goes. Takes `series`.
 */
json_t *wi_report_figures(json_t *series, json_t *tables);

/* Figures of one name in one: add those of another run to `all`, each series under the run's label. `all` begins empty. */
void wi_figures_beside(json_t *all, const json_t *groups, const char *label);
