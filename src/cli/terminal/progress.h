/* The progress line of `weir run` and `weir study`, and what a run prints at its end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "weir/run.h"
#include "weir/study.h"

enum { CLI_PROGRESS_TEXT = 160 };

/*
 * One line of progress, without a line break: simulated time, share, events/s, speed against real time, time
 * left. What cannot be known yet is left out. Returns `out`, which holds CLI_PROGRESS_TEXT bytes.
 */
char *cli_progress_text(const weir_progress *progress, char *out);

/* Where and how progress is shown: one line rewritten on a terminal, else a line every ten seconds. */
typedef struct cli_meter {
    FILE *out; /* null: nowhere */
    bool terminal;
    bool shown;     /* a line stands on the terminal now */
    double every_s; /* between lines */
    double last_s;  /* monotonic time of the last line */
} cli_meter;

/* `show` false: a meter that shows nothing. */
void cli_meter_init(cli_meter *meter, FILE *out, bool show);
/* For weir_run_options.progress, with the meter as `user`. */
void cli_meter_update(void *meter, const weir_progress *progress);
/* Is it time for another line? If so, it counts as shown now. */
bool cli_meter_due(cli_meter *meter);
/* Show a line of text, of at most CLI_PROGRESS_TEXT bytes. */
void cli_meter_show(cli_meter *meter, const char *text);
/* One line of a study's progress; returns `out`, which holds CLI_PROGRESS_TEXT bytes. */
char *cli_study_text(const weir_study_progress *progress, char *out);
/* Take the line off the terminal, before other text and at the end. */
void cli_meter_clear(cli_meter *meter);

/* Prints the summary of a run. */
void cli_print_summary(FILE *out, const weir_scenario *scenario, const weir_run_result *result);
