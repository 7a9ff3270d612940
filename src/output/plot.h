/*
 * Plots of a few curves as SVG, for results that are easier to see than to read. Anything more is for a
 * plotting program, which finds the same numbers in the CSV file beside it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "weir/status.h"

typedef struct wi_curve {
    const char *name;    /* for the legend; null where there is none */
    const double *x, *y; /* [n]; a point with a value that is not finite is left out */
    size_t n;
    const double *low, *high; /* [n] ends of intervals, drawn as bars where both are finite; null: none */
} wi_curve;

/* How a picture is to look in a paper. All zero: of a page of documentation. */
typedef struct wi_plot_look {
    unsigned width_mm, font_pt; /* 0: by pixels; of a width alone, 9 points */
    bool grey;                  /* black, curves told apart by dashes */
} wi_plot_look;

typedef struct wi_plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y; /* logarithmic: values that are not positive are left out */
    const wi_curve *curves;
    size_t n_curves; /* colours repeat after eight */
    const char *const
        *names; /* [n_names] of the x axis: x is then a number of these, from 0; null: numbers */
    size_t n_names;
    bool lines;   /* points are many: no dots */
    bool steps;   /* a value holds until the next point */
    bool decimal; /* logarithmic ticks at 1, 2 and 5, or 1 and 3, never at powers of two */
    const char *x_unit,
        *y_unit;       /* of the values, such as "s" and "B": linear axes are told in kB or ms; null: none */
    wi_plot_look look; /* of the first of several side by side */
    double from_x;     /* where a linear x axis begins */
} wi_plot;

/* Plots side by side as SVG, malloc'ed; null when memory is short. */
char *wi_plot_text(const wi_plot *plots, size_t n_plots, size_t *size);
/* Makes a name one that a file may have, in place; returns it. */
char *wi_plot_file(char *name);
/* Write plots side by side as one file, which appears whole. WEIR_E_IO, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_plot_put(weir_diag *diag, const char *folder, const char *name,
                                       const wi_plot *plots, size_t n_plots);

/* The width and height of an SVG's root element, which is `width` by `height` units, ten of them a pixel. */
void wi_svg_size(FILE *out, const wi_plot_look *look, int width, int height);
/* Units of 120-unit text that fill the look's width, at least `least`; `otherwise` where it has none. */
int wi_look_units(const wi_plot_look *look, int otherwise, int least);
/* A text element, whatever is in the text: `anchor` is start, middle or end, `more` further attributes. What XML cannot hold
 * (control characters, broken UTF-8) is shown as a question mark. */
void wi_svg_text(FILE *out, int x, int y, const char *anchor, const char *more, const char *text);
