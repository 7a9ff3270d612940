/* The summary of a run for people: the figures of the result, and between them those of what was simulated. */
#include "cli/summary.h"

#include <inttypes.h>
#include <jansson.h>

#include "base/figures.h"
#include "scenario/subjects/tell.h"

void cli_print_summary(FILE *out, const weir_scenario *scenario, const weir_run_result *r)
{
    char number[WI_FIGURE], rate[WI_FIGURE];
    const double reached_s = weir_seconds(r->reached_ps);
    const double wall_s = r->wall_s > 0 ? r->wall_s : 1e-9;
    fprintf(out, "%s: %.6g s simulated in %.3g s, %.3g times real time%s\n", scenario->name, reached_s,
            r->wall_s, reached_s / wall_s, r->partial ? " (partial)" : "");
    json_t *root = r->summary_json ? json_loads(r->summary_json, 0, NULL) : NULL;
    wi_summary_tell(out, root);
    fprintf(out, "  %-13s %s, %s/s\n", "events", wi_figure_si(number, (double)r->events),
            wi_figure_si(rate, (double)r->events / wall_s));
    if (json_object_get(root, "packet_hops"))
        fprintf(out, "  %-13s %s, %s/s\n", "packet hops", wi_figure_si(number, (double)r->packet_hops),
                wi_figure_si(rate, (double)r->packet_hops / wall_s));
    fprintf(out, "  %-13s %016" PRIx64 " events, %016" PRIx64 " state\n", "digests", r->event_digest,
            r->state_digest);
    if (r->output_dir)
        fprintf(out, "  %-13s %s\n", "results", r->output_dir);
    json_decref(root);
}
