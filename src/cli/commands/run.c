/* weir run and weir resume. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/cli.h"
#include "base/memory.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop.h"
#include "weir/ranks.h"
#include "weir/report.h"
#include "weir/run.h"
#include "weir/scenario.h"
#include "weir/session.h"

/* The command line in one text, for summary.json; malloc'ed, null when memory is short. */
static char *command_line(const char *verb, const cli_args *args)
{
    size_t size = strlen(args->operands[0]) + 24;
    for (size_t i = 0; i < args->n_sets; i++)
        size += strlen(args->sets[i]) + 16;
    char *text = malloc(size);
    if (!text)
        return NULL;
    char *at = text + sprintf(text, "weir %s %s", verb, args->operands[0]);
    for (size_t i = 0; i < args->n_sets; i++)
        at += sprintf(at, " --set %s", args->sets[i]);
    return text;
}

/* Whether there are results: whole, partial, or of programs in a deadlock. */
static bool has_results(weir_status st)
{
    return st == WEIR_OK || st == WEIR_E_INTERRUPTED || st == WEIR_E_DEADLOCK;
}

static void report(weir_status st, const cli_args *args, const weir_scenario *scenario,
                   const weir_run_result *result)
{
    if (!has_results(st) || weir_rank() > 0)
        return;
    if (st == WEIR_E_INTERRUPTED && result->checkpoint) {
        fprintf(stderr, "weir: stopped at %.6g s of %.6g s; to go on: weir resume %s\n",
                weir_seconds(result->reached_ps), weir_seconds(scenario->duration_ps), result->checkpoint);
        return;
    }
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

/* Loads the scenario on all ranks, or on none: they must be the same weir, and run the same. `file`: the
 * checkpoint whose scenario it is; null: the command line names it. */
static weir_status load(weir_diag *diag, const cli_args *args, const char *file, weir_scenario **scenario)
{
    const char *const *const sets = (const char *const *)args->sets;
    weir_status st = weir_ranks_same(diag, "weir", WEIR_VERSION);
    if (st == WEIR_OK && file)
        st = weir_ranks_agree(diag, weir_checkpoint_scenario(diag, file, sets, args->n_sets, scenario));
    else if (st == WEIR_OK)
        st =
            weir_ranks_agree(diag, weir_scenario_load(diag, args->operands[0], sets, args->n_sets, scenario));
    if (st != WEIR_OK || weir_ranks() == 1)
        return st;
    WI_FREED char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    st = out ? weir_scenario_write(diag, *scenario, out)
             : weir_fail(diag, WEIR_E_NOMEM, "no memory for a text");
    if (out)
        fclose(out);
    st = weir_ranks_agree(diag, st) ?: weir_ranks_same(diag, "scenario", text ? text : "");
    return st;
}

/* ---- checkpoints ---- */

static const char ending[] = ".checkpoint";

static bool is_checkpoint(const char *path)
{
    const size_t n = strlen(path), m = sizeof ending - 1;
    return n > m && strcmp(path + n - m, ending) == 0;
}

/* Of `weir resume RUN`: RUN itself where it is a file, or what stands beside it; malloc'ed. */
static char *file_of(const char *run)
{
    struct stat about;
    char *file = NULL;
    size_t n = strlen(run);
    if (is_checkpoint(run) || (stat(run, &about) == 0 && S_ISREG(about.st_mode)))
        return strdup(run);
    while (n > 1 && run[n - 1] == '/')
        n--;
    return asprintf(&file, "%.*s%s", (int)n, run, ending) < 0 ? NULL : file;
}

/* Whether the command line asks for another scenario than the one that was saved: a fork. */
static bool is_fork(const cli_args *args)
{
    for (size_t i = 0; i < args->n_sets; i++)
        if (strncmp(args->sets[i], "engine", 6) != 0 && strncmp(args->sets[i], "fluid.device", 12) != 0)
            return true;
    return false;
}

/* Where its results go unless --output says so: null for the scenario's name. A fork leaves those of the run, and its
 * checkpoint, alone. */
static char *folder_of(const char *file, const cli_args *args)
{
    char *folder = NULL;
    if (!file || (!is_checkpoint(file) && !is_fork(args)))
        return NULL;
    const size_t n = strlen(file) - (is_checkpoint(file) ? sizeof ending - 1 : 0);
    return asprintf(&folder, "%.*s%s", (int)n, file, is_fork(args) ? "-fork" : "") < 0 ? NULL : folder;
}

static weir_status set_checkpoints(weir_diag *diag, const cli_args *args, const weir_scenario *scenario,
                                   weir_run_options *options)
{
    options->checkpoint_every_s = weir_seconds(args->checkpoint_ps);
    options->checkpoint_at_ps = args->checkpoint_at_ps;
    if (args->checkpoint_at_ps <= scenario->duration_ps)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_ARG, "--checkpoint-at %.12g s: the run ends at %.12g s",
                     weir_seconds(args->checkpoint_at_ps), weir_seconds(scenario->duration_ps));
}

/* --report: results/NAME/report.html, among the files of the run. */
static weir_status write_report(weir_diag *diag, const cli_args *args, const weir_run_result *result)
{
    char path[4096];
    if (!args->report || weir_rank() > 0 || !result->output_dir)
        return WEIR_OK;
    snprintf(path, sizeof path, "%s/report.html", result->output_dir);
    const char *const folder = result->output_dir;
    const weir_status st = weir_report_write(diag, &folder, 1, path);
    cli_print_messages(diag, args->verbosity);
    if (st == WEIR_OK && args->verbosity >= 0 && !args->json)
        printf("  %-13s %s\n", "report", path);
    return st;
}

static weir_status run_of_rank(weir_diag *diag, const cli_args *args, int *code, const char *file)
{
    weir_scenario *scenario = NULL;
    weir_run_result result = {0};
    weir_run_options options;
    cli_meter meter;
    weir_status st = weir_ranks_begin(diag);
    if (st == WEIR_OK && args->report && !weir_report_available()) /* before the run, not after it */
        st = weir_fail(diag, WEIR_E_UNSUPPORTED,
                       "--report: this build has no reports; weir info says what they need");
    st = st ?: load(diag, args, file, &scenario);
    weir_run_options_init(&options);
    st = st ?: set_checkpoints(diag, args, scenario, &options);
    cli_print_once(diag, args);
    if (st != WEIR_OK) {
        *code = st == WEIR_E_NOMEM ? CLI_FAILED : CLI_USAGE;
        weir_scenario_free(scenario);
        return st;
    }
    char *line = command_line(file ? "resume" : "run", args);
    WI_FREED char *folder = folder_of(file, args);
    cli_meter_init(&meter, stderr, !args->no_progress && args->verbosity >= 0 && weir_rank() == 0);
    options.output_dir = args->output ? args->output : folder;
    options.force = args->force;
    options.command = line;
    options.cpu_only = args->device && strcmp(args->device, "cpu") == 0;
    options.progress = cli_meter_update;
    options.user = &meter;
    options.stop = cli_stop_on_signals();
    st = file ? weir_resume(diag, scenario, &options, file, &result)
              : weir_run(diag, scenario, &options, &result);
    cli_meter_clear(&meter);
    cli_print_once(diag, args);
    report(st, args, scenario, &result);
    if (has_results(st)) {
        const weir_status written = write_report(diag, args, &result);
        st = written == WEIR_OK ? st : written;
    }
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    free(line);
    return st;
}

CLI_COMMAND(run)
{
    const weir_status st = run_of_rank(diag, args, code, NULL);
    weir_ranks_end();
    return st;
}

CLI_COMMAND(resume)
{
    WI_FREED char *file = file_of(args->operands[0]);
    const weir_status st =
        file ? run_of_rank(diag, args, code, file) : weir_fail(diag, WEIR_E_NOMEM, "no memory for a path");
    weir_ranks_end();
    return st;
}
