/*
 * Figures as people read them, in the summary of a run: three digits with a prefix, a duration, a share. A NaN is
 * a dash: there was nothing to measure. Each returns `out`, of WI_FIGURE bytes.
 */
#pragma once

#include <stddef.h>

enum { WI_FIGURE = 24 };

/* "950", "12.3 k", "4.56 M", "7.89 G". */
char *wi_figure_si(char *out, double value);
/* A unit as it stands behind a prefix: "/s", as in 5 M/s, for the "1/s" of tables. */
const char *wi_unit_shown(const char *unit);
/* The same with a unit: "12.3 kbit/s". */
char *wi_figure_unit(char *out, double value, const char *unit);
/* "1.5 s", "20 ms", "30 us". */
char *wi_figure_duration(char *out, double seconds);
/* The same with so many digits; four at least from 1 s on. */
char *wi_figure_time(char *out, double seconds, int digits);
/* So many decimals. */
char *wi_figure_decimals(char *out, double value, int decimals);
/* "12.5 %" of a share of 0.125. */
char *wi_figure_percent(char *out, double share);
/* Columns of a terminal that UTF-8 takes: none for marks that combine, two for East Asian wide characters and emoji. */
size_t wi_text_columns(const char *text);
