/* One run of a study in steps, for executors that have many of them open at once. */
#pragma once

#include "study/plan/study.h"
#include "study/folder/folder.h"
#include "weir/session.h"

typedef struct wi_run {
    wi_job job;
    weir_diag *diag; /* its own */
    weir_scenario *scenario;
    weir_session *session; /* who opens it says so here */
    wi_row *row;
    char *folder;          /* of its results; null: none */
    char *error;           /* what went wrong, malloc'ed, where the diag does not have it */
    double from_s, wall_s; /* wall_s: what it took; 0: since from_s */
    weir_status status;
} wi_run;

/* Reads the scenario of a run, and finds its folder. run->status says whether it may go on; end or drop it in
 * any case. */
void wi_run_begin(const weir_study *s, wi_job job, wi_run *run);
/* Sets the options of a run that a session is opened with. */
void wi_run_options(const weir_study *s, const wi_run *run, const volatile int *stop, weir_run_options *out);
/* Frees all of it: its figures are not wanted. */
void wi_run_drop(const weir_study *s, wi_run *run);
/* Makes the row of a run whose session is at its end, or that went wrong, and frees all but the row. Null: no
 * memory, or stopped. */
wi_row *wi_run_end(const weir_study *s, wi_run *run, const volatile int *stop);
