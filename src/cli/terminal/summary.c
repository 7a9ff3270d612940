/* The summary of a run for people: the figures of the result, and between them those of what was simulated. */
#include "cli/terminal/progress.h"

#include <inttypes.h>
#include <jansson.h>

#include "base/units/figures.h"
#include "scenario/document/document.h"

static double number_of(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

/* What was taken back; null: another engine. */
static void tell_optimistic(FILE *out, const json_t *o)
{
    char back[WI_FIGURE], primary[WI_FIGURE], secondary[WI_FIGURE], rounds[WI_FIGURE];
    if (!o)
        return;
    fprintf(out, "  %-13s %s events, %s primary, %s secondary; efficiency %.1f %%, %s GVT rounds\n",
            "rollbacks", wi_figure_si(back, number_of(o, "events_rolled_back")),
            wi_figure_si(primary, number_of(o, "rollbacks_primary")),
            wi_figure_si(secondary, number_of(o, "rollbacks_secondary")), 100.0 * number_of(o, "efficiency"),
            wi_figure_si(rounds, number_of(o, "gvt_rounds")));
}

/* Where engine auto has gone on, unless it came back to one core. */
static void tell_move(FILE *out, const json_t *moves)
{
    char before[WI_FIGURE], now[WI_FIGURE];
    json_t *const last = json_array_get(moves, json_array_size(moves) - 1);
    const json_t *const from = json_object_get(last, "from"), *const to = json_object_get(last, "to");
    const json_int_t threads = json_integer_value(json_object_get(to, "threads"));
    if (!last || threads == 1)
        return;
    fprintf(out, "  %-13s %s", "engine", json_string_value(json_object_get(to, "engine")));
    if (threads > 1)
        fprintf(out, ", %d threads", (int)threads);
    fprintf(out, ", from %.3g s of the run on: %s/s, %s/s before\n", number_of(last, "wall_s"),
            wi_figure_si(now, number_of(to, "events_per_s")),
            wi_figure_si(before, number_of(from, "events_per_s")));
}

/* What was simulated, in what time, and from when on figures are. */
static void tell_times(FILE *out, const weir_scenario *scenario, const weir_run_result *r, double warmup_s)
{
    char reached[WI_FIGURE], wall[WI_FIGURE], warmup[WI_FIGURE];
    const double reached_s = weir_seconds(r->reached_ps), times = r->wall_s > 0 ? reached_s / r->wall_s : 0.0;
    fprintf(out,
            times < 100.0 ? "%s: %s simulated in %s, %.3g times real time%s"
                          : "%s: %s simulated in %s, %.0f times real time%s",
            scenario->name, wi_figure_time(reached, reached_s, 6), wi_figure_time(wall, r->wall_s, 3), times,
            r->partial ? " (partial)" : "");
    if (warmup_s > 0.0 && reached_s >= warmup_s)
        fprintf(out, ", figures from %s on", wi_figure_time(warmup, warmup_s, 6));
    fprintf(out, "\n");
}

void cli_print_summary(FILE *out, const weir_scenario *scenario, const weir_run_result *r)
{
    char number[WI_FIGURE], rate[WI_FIGURE];
    const double wall_s = r->wall_s > 0 ? r->wall_s : 1e-9;
    json_t *root = r->summary_json ? json_loads(r->summary_json, 0, NULL) : NULL;
    tell_times(out, scenario, r, number_of(root, "warmup_s"));
    wi_summary_tell(out, root);
    const char *const why = json_string_value(json_object_get(root, "engine_because"));
    if (why && !json_object_get(root, "engine_moves"))
        fprintf(out, "  %-13s %s: %s\n", "engine", json_string_value(json_object_get(root, "engine")), why);
    fprintf(out, "  %-13s %s, %s/s\n", "events", wi_figure_si(number, (double)r->events),
            wi_figure_si(rate, (double)r->events / wall_s));
    if (json_object_get(root, "packet_hops"))
        fprintf(out, "  %-13s %s, %s/s\n", "packet hops", wi_figure_si(number, (double)r->packet_hops),
                wi_figure_si(rate, (double)r->packet_hops / wall_s));
    tell_move(out, json_object_get(root, "engine_moves"));
    tell_optimistic(out, json_object_get(root, "optimistic"));
    fprintf(out, "  %-13s %016" PRIx64 " events, %016" PRIx64 " state\n", "digests", r->event_digest,
            r->state_digest);
    if (r->output_dir)
        fprintf(out, "  %-13s %s\n", "results", r->output_dir);
    json_decref(root);
}
