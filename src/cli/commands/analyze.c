/* weir analyze parallelism. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units/figures.h"
#include "cli/terminal/cli.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop.h"
#include "weir/analyze.h"
#include "weir/units.h"

enum { LPS_MAX = 64 };

/* "1,2,4" as numbers; how many, 0 with a message where it is no such list. */
static size_t read_lps(weir_diag *diag, const char *text, uint32_t *lps)
{
    size_t n = 0;
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        const unsigned long value = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || errno || value > UINT32_MAX || n == LPS_MAX || (*end && *end != ',')) {
            (void)!weir_fail(diag, WEIR_E_ARG, "--lps wants up to %d numbers such as 1,2,4, not '%s'",
                             (int)LPS_MAX, text);
            return 0;
        }
        lps[n++] = (uint32_t)value;
        if (!*end)
            return n;
        at = end;
    }
}

static weir_status read_options(weir_diag *diag, const cli_args *args, weir_parallelism_options *o,
                                uint32_t *lps)
{
    weir_parallelism_options_init(o);
    o->output_dir = args->output;
    o->force = args->force;
    o->events = args->events ? args->events : o->events;
    o->lookahead_ps = args->lookahead_ps ? args->lookahead_ps : o->lookahead_ps;
    if (!args->lps)
        return WEIR_OK;
    o->lps = lps;
    o->n_lps = read_lps(diag, args->lps, lps);
    return o->n_lps ? WEIR_OK : WEIR_E_ARG;
}

static void print_table(const weir_parallelism *r)
{
    char events[24], lookahead[WEIR_UNITS_TEXT];
    weir_format_time(r->lookahead_ps, lookahead);
    printf("%s events of %" PRIu32 " entities, %.6g s to %.6g s; window %s\n",
           wi_figure_si(events, (double)r->events), r->entities, weir_seconds(r->from_ps),
           weir_seconds(r->to_ps), lookahead);
    printf("%10s %12s %12s %12s\n", "LPs", "rounds", "parallelism", "utilisation");
    for (size_t i = 0; i < r->n_rows; i++)
        printf("%10" PRIu32 " %12" PRIu64 " %12.2f %11.1f%%\n", r->rows[i].lps, r->rows[i].rounds,
               r->rows[i].parallelism, 100.0 * r->rows[i].utilisation);
    if (r->output_dir)
        printf("results: %s\n", r->output_dir);
}

static json_t *to_json(const weir_parallelism *r)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < r->n_rows; i++)
        json_array_append_new(rows, json_pack("{s:I, s:I, s:f, s:f}", "lps", (json_int_t)r->rows[i].lps,
                                              "rounds", (json_int_t)r->rows[i].rounds, "parallelism",
                                              r->rows[i].parallelism, "utilisation", r->rows[i].utilisation));
    return json_pack("{s:I, s:I, s:f, s:f, s:f, s:o, s:s?}", "events", (json_int_t)r->events, "entities",
                     (json_int_t)r->entities, "from_s", weir_seconds(r->from_ps), "to_s",
                     weir_seconds(r->to_ps), "lookahead_s", weir_seconds(r->lookahead_ps), "rows", rows,
                     "output_dir", r->output_dir);
}

CLI_COMMAND(analyze_parallelism)
{
    weir_scenario *scenario = NULL;
    weir_parallelism_options options;
    weir_parallelism result = {0};
    uint32_t lps[LPS_MAX];
    cli_meter meter;
    weir_status st =
        read_options(diag, args, &options, lps) ?: cli_load_scenario(diag, args, code, &scenario);
    if (st == WEIR_OK) {
        cli_meter_init(&meter, stderr, !args->no_progress && args->verbosity >= 0);
        options.progress = cli_meter_update;
        options.user = &meter;
        options.stop = cli_stop_on_signals();
        st = weir_analyze_parallelism(diag, scenario, &options, &result);
        cli_meter_clear(&meter);
    }
    cli_print_messages(diag, args->verbosity);
    if (st == WEIR_OK && args->json)
        st = cli_print_json(diag, to_json(&result));
    else if (st == WEIR_OK)
        print_table(&result);
    weir_parallelism_free(&result);
    weir_scenario_free(scenario);
    return st;
}
