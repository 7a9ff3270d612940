/* weir run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "weir/ranks.h"
#include "weir/run.h"
#include "weir/scenario.h"
#include "weir/units.h"

/* The command line in one text, for summary.json; malloc'ed, null when memory is short. */
static char *command_line(const cli_args *args)
{
    size_t size = strlen(args->operands[0]) + 16;
    for (size_t i = 0; i < args->n_sets; i++)
        size += strlen(args->sets[i]) + 16;
    char *text = malloc(size);
    if (!text)
        return NULL;
    char *at = text + sprintf(text, "weir run %s", args->operands[0]);
    for (size_t i = 0; i < args->n_sets; i++)
        at += sprintf(at, " --set %s", args->sets[i]);
    return text;
}

static void report(weir_status st, const cli_args *args, const weir_scenario *scenario,
                   const weir_run_result *result)
{
    if ((st != WEIR_OK && st != WEIR_E_INTERRUPTED) || weir_rank() > 0)
        return;
    if (st == WEIR_E_INTERRUPTED && !result->summary_json) {
        fprintf(stderr, "weir: stopped during the set-up; nothing is written\n");
        return;
    }
    if (args->json)
        fputs(result->summary_json ? result->summary_json : "", stdout);
    else if (args->verbosity >= 0)
        cli_print_summary(stdout, scenario, result);
    if (st == WEIR_E_INTERRUPTED)
        fprintf(stderr, "weir: stopped %sat %.6g s of %.6g s; partial results in %s\n",
                result->reached_ps < scenario->output.warmup_ps
                    ? "in its warm-up, so that totals hold all of it, "
                    : "",
                weir_seconds(result->reached_ps), weir_seconds(scenario->duration_ps), result->output_dir);
}

/* Under mpirun all ranks have the same to say. */
static void print_once(weir_diag *diag, const cli_args *args)
{
    if (weir_rank() == 0)
        cli_print_messages(diag, args->verbosity);
}

/* All ranks, or none: they must be the same weir, and run the same. */
static weir_status load(weir_diag *diag, const cli_args *args, weir_scenario **scenario)
{
    weir_status st = weir_ranks_same(diag, "weir", WEIR_VERSION);
    if (st == WEIR_OK)
        st = weir_ranks_agree(diag,
                              weir_scenario_load(diag, args->operands[0], (const char *const *)args->sets,
                                                 args->n_sets, scenario));
    if (st != WEIR_OK || weir_ranks() == 1)
        return st;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    st = out ? weir_scenario_write(diag, *scenario, out)
             : weir_fail(diag, WEIR_E_NOMEM, "no memory for a text");
    if (out)
        fclose(out);
    st = weir_ranks_agree(diag, st);
    if (st == WEIR_OK)
        st = weir_ranks_same(diag, "scenario", text ? text : "");
    free(text);
    return st;
}

static int run_of_rank(const cli_args *args)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_run_result result = {0};
    weir_run_options options;
    cli_meter meter;
    weir_status st = weir_ranks_begin(diag);
    if (st == WEIR_OK)
        st = load(diag, args, &scenario);
    if (st != WEIR_OK) {
        print_once(diag, args);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
        return st == WEIR_E_NOMEM ? CLI_FAILED : CLI_USAGE;
    }
    print_once(diag, args);
    char *line = command_line(args);
    cli_meter_init(&meter, stderr, !args->no_progress && args->verbosity >= 0);
    weir_run_options_init(&options);
    options.output_dir = args->output;
    options.force = args->force;
    options.command = line;
    options.progress = cli_meter_update;
    options.user = &meter;
    options.stop = cli_stop_on_signals();
    st = weir_run(diag, scenario, &options, &result);
    cli_meter_clear(&meter);
    print_once(diag, args);
    report(st, args, scenario, &result);
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    free(line);
    return cli_exit_code(st);
}

int cli_run(const cli_command *command, const cli_args *args)
{
    (void)command;
    const int code = run_of_rank(args);
    weir_ranks_end();
    return code;
}
