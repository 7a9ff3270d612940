/* The summary of a run for people: the figures of the result, and one line a traffic class from summary.json.
 */
#include "cli/summary.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/progress.h"
#include "weir/scenario.h"

enum { CELL = 24 };

/* A number of a class: NaN where it has none (other kinds of traffic, nothing measured). */
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* A number with a prefix and a unit; a dash where there is none. */
static const char *cell(char *out, double value, const char *unit)
{
    char number[CELL] = "";
    if (isnan(value)) {
        snprintf(out, CELL, "-");
        return out;
    }
    cli_si(value, number);
    const bool spaced = !unit[0] || strchr(number, ' '); /* "12.3 k" takes its unit without another blank */
    snprintf(out, CELL, "%s%s%s", number, spaced ? "" : " ", unit);
    return out;
}

static const char *duration(char *out, double seconds)
{
    if (isnan(seconds))
        snprintf(out, CELL, "-");
    else if (seconds >= 1)
        snprintf(out, CELL, "%.4g s", seconds);
    else if (seconds >= 1e-3)
        snprintf(out, CELL, "%.3g ms", 1e3 * seconds);
    else
        snprintf(out, CELL, "%.3g us", 1e6 * seconds);
    return out;
}

/* A mean; a dash where there was nothing to take it of. */
static const char *mean(char *out, double value, int digits)
{
    if (isnan(value))
        snprintf(out, CELL, "-");
    else
        snprintf(out, CELL, "%.*f", digits, value);
    return out;
}

static const char *percent(char *out, double share)
{
    if (isnan(share))
        snprintf(out, CELL, "-");
    else
        snprintf(out, CELL, "%.3g %%", 100 * share);
    return out;
}

/* Flows, clients or arrivals, whichever the class has. */
static double count_of(const json_t *item)
{
    static const char *const keys[] = {"sessions", "flows", "clients", "arrivals"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(item, keys[i]))
            return number_of(item, keys[i]);
    return (double)NAN;
}

static void print_row(FILE *out, const json_t *item, const char *name)
{
    const json_t *completion = json_object_get(item, "completion");
    char flows[CELL], goodput[CELL], loss[CELL], rtt[CELL], p50[CELL], p99[CELL];
    fprintf(out, "  %-16s %9s %13s %9s %10s %10s %10s\n", name, cell(flows, count_of(item), ""),
            cell(goodput, number_of(item, "goodput_bps"), "bit/s"), percent(loss, number_of(item, "loss")),
            duration(rtt, number_of(item, "rtt_mean_s")), duration(p50, number_of(completion, "p50_s")),
            duration(p99, number_of(completion, "p99_s")));
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

static void print_classes(FILE *out, const json_t *root)
{
    const json_t *classes = json_object_get(root, "classes");
    size_t i;
    const json_t *item;
    if (json_array_size(classes) > 0)
        fprintf(out, "  %-16s %9s %13s %9s %10s %10s %10s\n", "class", "flows", "goodput", "loss", "mean RTT",
                "FCT p50", "FCT p99");
    json_array_foreach(classes, i, item) print_class(out, item);
}

/* What the lookups of a distributed hash table came to. */
static void print_kademlia(FILE *out, const json_t *root)
{
    const json_t *k = json_object_get(root, "kademlia"), *lookups = json_object_get(k, "lookups");
    const json_t *latency = json_object_get(k, "latency");
    char a[CELL], b[CELL], c[CELL];
    if (!k)
        return;
    fprintf(out, "  %-13s %s of %s peers, %s successful\n", "lookups",
            cell(a, number_of(lookups, "finished"), ""), cell(b, number_of(k, "peers"), ""),
            percent(c, number_of(lookups, "success")));
    fprintf(out, "  %-13s %s hops, %s requests, %s messages a lookup\n", "means",
            mean(a, number_of(json_object_get(k, "hops"), "mean"), 2),
            mean(b, number_of(json_object_get(k, "requests"), "mean"), 1),
            mean(c, number_of(json_object_get(k, "messages"), "per_lookup"), 1));
    fprintf(out, "  %-13s %s p50, %s p90, %s p99\n", "latency", duration(a, number_of(latency, "p50_s")),
            duration(b, number_of(latency, "p90_s")), duration(c, number_of(latency, "p99_s")));
}

void cli_print_summary(FILE *out, const weir_scenario *scenario, const weir_run_result *r)
{
    char number[CELL], rate[CELL];
    const double reached_s = weir_seconds(r->reached_ps);
    const double wall_s = r->wall_s > 0 ? r->wall_s : 1e-9;
    fprintf(out, "%s: %.6g s simulated in %.3g s, %.3g times real time%s\n", scenario->name, reached_s,
            r->wall_s, reached_s / wall_s, r->partial ? " (partial)" : "");
    json_t *root = r->summary_json ? json_loads(r->summary_json, 0, NULL) : NULL;
    print_classes(out, root);
    print_kademlia(out, root);
    fprintf(out, "  %-13s %s, %s/s\n", "events", cli_si((double)r->events, number),
            cli_si((double)r->events / wall_s, rate));
    if (json_object_get(root, "packet_hops"))
        fprintf(out, "  %-13s %s, %s/s\n", "packet hops", cli_si((double)r->packet_hops, number),
                cli_si((double)r->packet_hops / wall_s, rate));
    fprintf(out, "  %-13s %016" PRIx64 " events, %016" PRIx64 " state\n", "digests", r->event_digest,
            r->state_digest);
    if (r->output_dir)
        fprintf(out, "  %-13s %s\n", "results", r->output_dir);
    json_decref(root);
}
