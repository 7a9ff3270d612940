/* weir study. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/cli.h"
#include "cli/terminal/stop.h"
#include "cli/terminal/progress.h"
#include "weir/ranks.h"
#include "weir/study.h"

enum { JOBS_MAX = 4096 };

/* "3/16" */
static weir_status take_shard(weir_diag *diag, const char *text, weir_study_options *o)
{
    char *slash = NULL, *end = NULL;
    if (!text)
        return WEIR_OK;
    const unsigned long shard = strtoul(text, &slash, 10);
    const unsigned long shards = *slash == '/' ? strtoul(slash + 1, &end, 10) : 0;
    o->shard = (uint32_t)shard;
    o->shards = (uint32_t)shards;
    if (end && end > slash + 1 && !*end && shard >= 1 && shard <= shards && shards <= UINT32_MAX)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_ARG, "--shard wants I/N, such as 3/16, with I from 1 to N, not '%s'", text);
}

static void show(void *user, const weir_study_progress *p)
{
    cli_meter *meter = user;
    char text[CLI_PROGRESS_TEXT];
    if (cli_meter_due(meter))
        cli_meter_show(meter, cli_study_text(p, text));
}

/* A line before the runs begin. */
static void say(void *user, const char *text)
{
    cli_meter *meter = user;
    cli_meter_clear(meter);
    if (weir_rank() == 0)
        fprintf(stderr, "weir: %s\n", text);
}

static weir_status report_json(weir_diag *diag, const weir_study_result *r)
{
    json_t *rows = NULL;
    const weir_status status = cli_aggregate_json(diag, r->output_dir, &rows);
    json_t *const o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:o}", "points", (json_int_t)r->points,
                                "runs", (json_int_t)r->runs, "failed", (json_int_t)r->failed, "reused",
                                (json_int_t)r->reused, "missing", (json_int_t)r->missing, "wall_s", r->wall_s,
                                "output_dir", r->output_dir, "aggregate", rows);
    return status ?: cli_print_json(diag, o);
}

static weir_status report(weir_diag *diag, const cli_args *args, weir_status status,
                          const weir_study_result *r, bool collected)
{
    if (weir_rank() > 0 || (args->verbosity < 0 && !args->json) || !r->output_dir ||
        (status != WEIR_OK && status != WEIR_E_INTERRUPTED))
        return status;
    if (args->json) {
        const weir_status printed = report_json(diag, r);
        return status ?: printed;
    }
    printf("%" PRIu64 " parameter set%s, %" PRIu64 " run%s", r->points, r->points == 1 ? "" : "s", r->runs,
           r->runs == 1 ? "" : "s");
    if (r->reused)
        printf(" (%" PRIu64 " from before)", r->reused);
    if (r->wall_s > 0.0)
        printf(" in %.3g s", r->wall_s);
    printf("\n");
    if (r->failed)
        printf("  %-13s %" PRIu64 "; runs.csv names them and what went wrong\n", "failed", r->failed);
    if (r->missing)
        printf("  %-13s %" PRIu64 "; %s\n", "not run", r->missing,
               collected ? "collect the other parts too, or `weir study` on this folder goes on"
                         : "the same command goes on");
    const weir_status printed = cli_print_aggregate(diag, r->output_dir);
    printf("  %-13s %s\n", "results", r->output_dir);
    if (status == WEIR_E_INTERRUPTED)
        fprintf(stderr, "weir: stopped; what is finished is kept in %s\n", r->output_dir);
    return status ?: printed;
}

/* --list-metrics and --dry-run. */
static weir_status list(const cli_args *args, weir_study *study, const weir_study_options *options)
{
    char *text = NULL;
    if (!args->json)
        return args->list_metrics ? weir_study_list_metrics(study, stdout)
                                  : weir_study_list(study, options, stdout);
    const weir_status status =
        args->list_metrics ? weir_study_metrics(study, &text) : weir_study_plan(study, options, &text);
    if (text)
        fputs(text, stdout);
    free(text);
    return status;
}

static weir_status study_of_rank(weir_diag *diag, const cli_args *args, int *code)
{
    weir_study *study = NULL;
    weir_study_options options;
    weir_study_result result = {0};
    cli_meter meter;
    weir_study_options_init(&options);
    options.output_dir = args->output;
    options.force = args->force;
    options.yes = args->yes;
    options.keep_runs = args->keep_runs;
    options.retry = args->retry;
    options.device = args->device;
    options.jobs = (uint32_t)args->jobs;
    options.run_timeout_s = weir_seconds(args->run_timeout_ps);
    weir_status status = weir_ranks_begin(diag) ?: take_shard(diag, args->shard, &options);
    if (status == WEIR_OK && args->n_operands > 1)
        status = weir_fail(diag, WEIR_E_ARG, "'%s' is one argument too many; see weir study --help",
                           args->operands[1]);
    if (status == WEIR_OK && args->jobs > JOBS_MAX)
        status = weir_fail(diag, WEIR_E_ARG, "--jobs %" PRIu64 ": want at most %d runs at once", args->jobs,
                           (int)JOBS_MAX);
    status = status
                 ?: weir_study_open(diag, args->operands[0], (const char *const *)args->sets, args->n_sets,
                                    &options, &study);
    status = weir_ranks_agree(diag, status);
    cli_print_once(diag, args);
    const bool lists = args->dry_run || args->list_metrics;
    if (status == WEIR_OK && lists && weir_rank() > 0) {
        status = WEIR_OK; /* rank 0 does */
    } else if (status == WEIR_OK && lists) {
        status = list(args, study, &options);
    } else if (status == WEIR_OK) {
        cli_meter_init(&meter, stderr, !args->no_progress && args->verbosity >= 0);
        options.progress = show;
        options.say = args->verbosity >= 0 ? say : NULL;
        options.user = &meter;
        options.stop = cli_stop_on_signals();
        cli_stop_between_runs();
        status = weir_study_run(study, &options, &result);
        cli_meter_clear(&meter);
    }
    cli_print_once(diag, args);
    if (!lists)
        status = report(diag, args, status, &result, false);
    if (status == WEIR_OK && (result.failed || weir_ranks_lost() > 0))
        *code = CLI_FAILED;
    weir_study_result_free(&result);
    weir_study_free(study);
    return status;
}

/* weir study collect STUDY... */
static weir_status collect(weir_diag *diag, const cli_args *args, int *code)
{
    weir_study_options options;
    weir_study_result result;
    weir_study_options_init(&options);
    options.output_dir = args->output;
    options.force = args->force;
    weir_status status =
        weir_study_collect(diag, args->operands + 1, (size_t)args->n_operands - 1, &options, &result);
    cli_print_messages(diag, args->verbosity);
    status = report(diag, args, status, &result, true);
    if (status == WEIR_OK && (result.failed || result.missing))
        *code = CLI_FAILED;
    weir_study_result_free(&result);
    return status;
}

CLI_COMMAND(study)
{
    cli_limit_memory();
    if (strcmp(args->operands[0], "collect") == 0)
        return collect(diag, args, code);
    const weir_status status = study_of_rank(diag, args, code);
    weir_ranks_end();
    return status;
}
