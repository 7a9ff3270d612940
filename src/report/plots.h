/*
 * Pictures of one run, or of several in the same axes, as files: what the report shows, for papers and pages that cannot hold a report. Made from what stands in
 * the results folder alone (report.h), drawn by output/plot.h.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "output/plot.h"
#include "weir/status.h"

enum { WI_PLOTTED_MOST = 8 };

typedef struct wi_plotted {
    const char *folder; /* of results */
    char label[100];    /* beside others */
} wi_plotted;

typedef struct wi_plots {
    weir_diag *diag;
    const wi_plotted *run; /* [n_runs], 1 to WI_PLOTTED_MOST */
    size_t n_runs;
    double since_s, until_s;  /* what is shown of time series; until_s 0: all */
    const char *to;           /* an existing folder, where files of the same names are replaced */
    const char *const *names; /* [n_names] of the pictures to make; 0: all */
    size_t n_names;
    const char *file;   /* in place of a folder, the file of the one picture; null: NAME.FORMAT in `to` */
    const char *format; /* "svg"; "png" and "pdf" are made by rsvg-convert */
    wi_plot_look look;
    FILE *say;     /* a line a picture, and why one is left out; null: nobody is told */
    json_t *files; /* an array that the names of pictures go to; null: none */
    size_t made;
} wi_plots;

/*
 * network (load on the topology, of the first run), series-TABLE-COLUMN, cdf-TABLE-COLUMN, cdf-queue, slowdown: those that a run has data for.
 *
 * Returns: WEIR_OK; WEIR_E_ARG where a run has no summary.json; WEIR_E_UNSUPPORTED where PNG or PDF is asked for and there is no
 * rsvg-convert; WEIR_E_IO; WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_plots_of_run(wi_plots *plots);

/* plot_map.c: the network as SVG, malloc'ed; null when memory is short. `network` as wi_report_network makes it. */
char *wi_plot_map(const json_t *network, const char *title, const wi_plot_look *look, size_t *size);
/* plot_file.c: whether one of this name is wanted; and one, given as SVG, put into its file. */
bool wi_picture_wanted(const wi_plots *plots, const char *name);
WEIR_NODISCARD weir_status wi_picture_put(wi_plots *plots, const char *name, const char *svg, size_t size);
