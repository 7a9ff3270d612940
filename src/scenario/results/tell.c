/* A network's figures for people: one line a traffic class. */
#include "scenario/results/results.h"

#include <math.h>

#include "base/units/figures.h"
#include "scenario/subject/tell.h"

/* Flows, clients or arrivals, whichever the class has. */
static double count_of(const json_t *item)
{
    static const char *const keys[] = {"sessions", "flows", "clients", "arrivals"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(item, keys[i]))
            return wi_number_of(item, keys[i]);
    return (double)NAN;
}

static void print_row(FILE *out, const json_t *item, const char *name)
{
    const json_t *completion = json_object_get(item, "completion"), *part = json_object_get(item, "packet");
    char flows[WI_FIGURE], goodput[WI_FIGURE], loss[WI_FIGURE], rtt[WI_FIGURE], p50[WI_FIGURE],
        p99[WI_FIGURE];
    fprintf(out, "  %-16s %9s %13s %9s %10s %10s %10s\n", name, wi_figure_unit(flows, count_of(item), ""),
            wi_figure_unit(goodput, wi_number_of(part ? part : item, "goodput_bps"), "bit/s"),
            wi_figure_percent(loss, wi_number_of(item, "loss")),
            wi_figure_duration(rtt, wi_number_of(item, "rtt_mean_s")),
            wi_figure_duration(p50, wi_number_of(completion, "p50_s")),
            wi_figure_duration(p99, wi_number_of(completion, "p99_s")));
}

/* A mixed class has a row for what of it is packets, and one for what is fluid. */
static void print_class(FILE *out, const json_t *item)
{
    const json_t *fluid = json_object_get(item, "fluid");
    const char *name = json_string_value(json_object_get(item, "name"));
    char half[300];
    snprintf(half, sizeof half, "%s%s", name ? name : "", fluid ? ", packets" : "");
    print_row(out, item, half);
    if (!fluid)
        return;
    snprintf(half, sizeof half, "%s, fluid", name ? name : "");
    print_row(out, fluid, half);
}

/* What those who watch see of classes of adaptive video. */
static void print_video(FILE *out, const json_t *classes)
{
    size_t i, rows = 0;
    const json_t *item;
    json_array_foreach(classes, i, item)
    {
        const json_t *video = json_object_get(item, "video");
        const char *name = json_string_value(json_object_get(item, "name"));
        char rate[WI_FIGURE], start[WI_FIGURE], stall[WI_FIGURE];
        if (!video)
            continue;
        if (rows++ == 0)
            fprintf(out, "  %-16s %9s %13s %9s %10s %10s %10s\n", "video", "players", "mean bitrate",
                    "switches", "start-up", "stalls", "stalled");
        fprintf(
            out, "  %-16s %9.0f %13s %9.0f %10s %10.0f %10s\n", name ? name : "",
            wi_number_of(video, "players"),
            wi_figure_unit(rate, wi_number_of(video, "bitrate_mean_bps"), "bit/s"),
            wi_number_of(video, "switches"), wi_figure_duration(start, wi_number_of(video, "startup_mean_s")),
            wi_number_of(video, "rebuffers"), wi_figure_duration(stall, wi_number_of(video, "rebuffer_s")));
    }
}

void wi_results_tell(FILE *out, const json_t *summary)
{
    const json_t *classes = json_object_get(summary, "classes");
    size_t i;
    const json_t *item;
    if (json_array_size(classes) > 0)
        fprintf(out, "  %-16s %9s %13s %9s %10s %10s %10s\n", "class", "flows", "goodput", "loss", "mean RTT",
                "FCT p50", "FCT p99");
    json_array_foreach(classes, i, item) print_class(out, item);
    print_video(out, classes);
}
