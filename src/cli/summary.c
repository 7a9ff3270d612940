/* The summary of a run for people. */
#include "cli/summary.h"

#include <inttypes.h>

#include "cli/progress.h"
#include "weir/scenario.h"

void cli_print_summary(FILE *out, const weir_scenario *scenario, const weir_run_result *r)
{
    char number[24], rate[24];
    const double reached_s = weir_seconds(r->reached_ps);
    const double wall_s = r->wall_s > 0 ? r->wall_s : 1e-9;
    fprintf(out, "%s: %.6g s simulated in %.3g s, %.3g times real time%s\n", scenario->name, reached_s,
            r->wall_s, reached_s / wall_s, r->partial ? " (partial)" : "");
    fprintf(out, "  events       %10s  %s/s\n", cli_si((double)r->events, number),
            cli_si((double)r->events / wall_s, rate));
    fprintf(out, "  packet hops  %10s  %s/s\n", cli_si((double)r->packet_hops, number),
            cli_si((double)r->packet_hops / wall_s, rate));
    fprintf(out, "  digest       %016" PRIx64 " events, %016" PRIx64 " state\n", r->event_digest,
            r->state_digest);
    if (r->output_dir)
        fprintf(out, "  results      %s\n", r->output_dir);
}
