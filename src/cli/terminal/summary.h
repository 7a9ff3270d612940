/* The summary of a run for people. */
#ifndef WI_CLI_TERMINAL_SUMMARY_H
#define WI_CLI_TERMINAL_SUMMARY_H

#include <stdio.h>

#include "weir/run.h"

/* Prints the summary of a run. */
void cli_print_summary(FILE *out, const weir_scenario *scenario, const weir_run_result *result);

#endif
