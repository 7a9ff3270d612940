/* weir routes: tables of next ports, or the paths of some pairs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/cli.h"
#include "base/memory.h"
#include "cli/commands/graphs.h"
#include "cli/terminal/stop.h"
#include "weir/units.h"

/* A word of the command line and what it stands for. */
typedef struct word {
    const char *name;
    int value;
} word;

static const word metrics[] = {{"hops", WEIR_METRIC_HOPS},
                               {"delay", WEIR_METRIC_DELAY},
                               {"weight", WEIR_METRIC_WEIGHT},
                               {"inverse-rate", WEIR_METRIC_INVERSE_RATE},
                               {NULL, 0}};
static const word algorithms[] = {{"auto", WEIR_ROUTE_AUTO},
                                  {"trees", WEIR_ROUTE_TREES},
                                  {"bit-parallel", WEIR_ROUTE_BIT_PARALLEL},
                                  {"batched", WEIR_ROUTE_BATCHED},
                                  {"floyd-warshall", WEIR_ROUTE_FLOYD},
                                  {"fw-paper", WEIR_ROUTE_FLOYD_PAPER},
                                  {NULL, 0}};
static const word devices[] = {
    {"auto", WEIR_ROUTE_ON_ANY}, {"cpu", WEIR_ROUTE_ON_CPU}, {"cuda", WEIR_ROUTE_ON_CUDA}, {NULL, 0}};

static weir_status find_word(weir_diag *diag, const char *option, const char *text, const word *words,
                             int *value)
{
    char known[120] = "";
    if (!text) {
        *value = words[0].value;
        return WEIR_OK;
    }
    for (const word *w = words; w->name; ++w) {
        if (strcmp(w->name, text) == 0) {
            *value = w->value;
            return WEIR_OK;
        }
        strncat(known, known[0] ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, w->name, sizeof known - strlen(known) - 1);
    }
    return weir_fail(diag, WEIR_E_ARG, "--%s wants one of %s, not '%s'", option, known, text);
}

/* auto, cpu, cuda, or cuda:N. */
static weir_status read_device(weir_diag *diag, const char *text, weir_routes_options *options)
{
    int device = 0;
    char *end = NULL;
    if (text && strncmp(text, "cuda:", 5) == 0) {
        const long number = text[5] >= '0' && text[5] <= '9' ? strtol(text + 5, &end, 10) : -1;
        if (number < 0 || number > INT32_MAX || *end)
            return weir_fail(diag, WEIR_E_ARG, "--device wants a number after cuda:, not '%s'", text + 5);
        options->device = WEIR_ROUTE_ON_CUDA;
        options->cuda_device = (int)number;
        return WEIR_OK;
    }
    const weir_status status = find_word(diag, "device", text, devices, &device);
    options->device = (weir_route_device)device;
    return status;
}

/* One call of the command. */
typedef struct routing {
    weir_diag *diag;
    const cli_args *args;
    weir_graph *graph;
    weir_cost *cost;
    weir_routes_options options;
    const char *metric;
    uint32_t scale; /* how many of the costs are one of the metric's unit */
} routing;

static weir_status read_options(routing *r)
{
    int metric = 0, algorithm = 0;
    const cli_args *const args = r->args;
    weir_routes_options_init(&r->options);
    weir_status st = find_word(r->diag, "metric", args->metric, metrics, &metric)
            ?: find_word(r->diag, "algorithm", args->algorithm, algorithms, &algorithm)
            ?: read_device(r->diag, args->device, &r->options);
    r->metric = args->metric ? args->metric : metrics[0].name;
    r->options.metric = (weir_metric)metric;
    r->options.algorithm = (weir_route_algorithm)algorithm;
    r->options.stop = cli_stop_on_signals();
    /* --threads comes as for a scenario. */
    for (size_t i = 0; i < args->n_sets; ++i)
        if (strncmp(args->sets[i], "engine.threads=", 15) == 0)
            r->options.threads = (int)strtol(args->sets[i] + 15, NULL, 10); /* auto: 0 */
    return st;
}

/* What routes follow that the file does not say. */
static void say_assumed(const routing *r, const weir_fill_report *filled)
{
    if (r->options.metric == WEIR_METRIC_INVERSE_RATE && filled->rates_filled > 0)
        weir_warn(r->diag, "%" PRIu32 " of %" PRIu32 " links have no rate; 10Gbps is assumed",
                  filled->rates_filled, r->graph->n_edges / 2);
    if (r->options.metric == WEIR_METRIC_DELAY && filled->delays_filled > 0)
        weir_warn(r->diag,
                  "%" PRIu32 " of %" PRIu32 " links have no delay, nor places of both ends; 1ms is assumed",
                  filled->delays_filled, r->graph->n_edges / 2);
    if (r->options.metric == WEIR_METRIC_DELAY && filled->delays_from_xy > 0)
        weir_note(r->diag, "%" PRIu32 " links have no delay; it follows from distance, at 200,000 km/s",
                  filled->delays_from_xy);
    if (r->options.metric == WEIR_METRIC_WEIGHT && !r->graph->weighted)
        weir_warn(r->diag, "the topology has no weights: all links cost 1");
}

static uint32_t scale_of(const routing *r)
{
    return r->options.metric == WEIR_METRIC_WEIGHT ? r->graph->weight_scale
           : r->options.metric == WEIR_METRIC_INVERSE_RATE
               ? (uint32_t)(weir_route_reference_bps(r->graph) / 100000000000)
               : 1;
}

static weir_status load(routing *r)
{
    weir_fill_report filled = {0};
    weir_link_defaults defaults;
    weir_status st = cli_load_topology(r->diag, r->args, &r->graph);
    weir_link_defaults_init(&defaults);
    if (st == WEIR_OK &&
        (r->options.metric == WEIR_METRIC_DELAY || r->options.metric == WEIR_METRIC_INVERSE_RATE))
        st = weir_graph_fill(r->diag, r->graph, &defaults, &filled);
    if (st == WEIR_OK)
        say_assumed(r, &filled);
    st = st ?: weir_route_costs(r->diag, r->graph, r->options.metric, &r->cost);
    r->options.cost = r->cost;
    if (st == WEIR_OK)
        r->scale = scale_of(r);
    return st;
}

/* ---- pairs ---- */

static weir_time path_delay(const routing *r, uint32_t from, uint32_t to, const uint16_t *port)
{
    weir_time delay_ps = 0;
    for (uint32_t at = from; at != to;) {
        const uint32_t e = r->graph->first[at] + port[at];
        delay_ps += r->graph->delay_ps[e] > 0 ? r->graph->delay_ps[e] : 0;
        at = r->graph->target[e];
    }
    return delay_ps;
}

/* Prints the cost of a path in the metric's unit; hops are printed before. */
static void print_cost(const routing *r, uint32_t from, uint32_t to, weir_cost cost, const uint16_t *port)
{
    char text[WEIR_UNITS_TEXT];
    if (r->options.metric == WEIR_METRIC_DELAY)
        printf(", delay %s", weir_format_time(path_delay(r, from, to, port), text));
    else if (r->options.metric == WEIR_METRIC_WEIGHT)
        printf(", weight %.15g", (double)cost / r->scale);
    else if (r->options.metric == WEIR_METRIC_INVERSE_RATE)
        printf(", cost %.6g (100 Gb/s over each rate, added up)", (double)cost / r->scale);
}

static void print_path(const routing *r, uint32_t from, uint32_t to, const weir_cost *dist,
                       const uint16_t *port)
{
    const char *const *const name = r->graph->name;
    printf("%s to %s", name[from], name[to]);
    if (dist[from] == WEIR_NO_WAY) {
        printf(": no way\n");
        return;
    }
    const uint32_t hops = weir_route_path(r->graph, port, from, to, NULL, 0);
    printf(": %" PRIu32 " hop%s", hops, hops == 1 ? "" : "s");
    print_cost(r, from, to, dist[from], port);
    printf("\n   %s", name[from]);
    for (uint32_t at = from; at != to;) {
        const uint16_t p = port[at];
        at = r->graph->target[r->graph->first[at] + p];
        printf(" -%u-> %s", p, name[at]);
    }
    printf("\n");
}

/* The same for a program; hops, and what they add up to, are null where there is no way. */
static json_t *path_json(const routing *r, uint32_t from, uint32_t to, const weir_cost *dist,
                         const uint16_t *port)
{
    const char *const *const name = r->graph->name;
    const bool found = dist[from] != WEIR_NO_WAY;
    json_t *const nodes = json_array(), *const ports = json_array();
    for (uint32_t at = from; found && at != to; at = r->graph->target[r->graph->first[at] + port[at]]) {
        json_array_append_new(nodes, json_string(name[at]));
        json_array_append_new(ports, json_integer(port[at]));
    }
    if (found)
        json_array_append_new(nodes, json_string(name[to]));
    json_t *const hops = found ? json_integer((json_int_t)json_array_size(ports)) : json_null();
    const weir_metric metric = r->options.metric;
    json_t *const cost = !found ? json_null()
                         : metric == WEIR_METRIC_DELAY
                             ? json_real(weir_seconds(path_delay(r, from, to, port)))
                         : r->scale > 1 ? json_real((double)dist[from] / r->scale)
                                        : json_integer((json_int_t)dist[from]);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "from", name[from], "to", name[to], "hops", hops,
                     metric == WEIR_METRIC_DELAY ? "delay_s" : "cost", cost, "nodes", nodes, "ports", ports);
}

/* Of a table alone, which pairs do without. */
static weir_status refuse_of_tables(const routing *r)
{
    const char *const what = r->args->output ? "--output" : r->args->verify ? "--verify" : NULL;
    return what ? weir_fail(r->diag, WEIR_E_ARG,
                            "%s is for the whole table, which --pairs and --pair do without", what)
                : WEIR_OK;
}

/* All of the list is read before any path is printed. */
static weir_status pairs(const routing *r)
{
    const size_t nodes = (size_t)r->graph->n_nodes + 1;
    cli_node_pair *list = NULL;
    size_t n = 0;
    weir_status st = refuse_of_tables(r) ?: cli_read_pairs(r->diag, r->graph, r->args, &list, &n);
    if (st != WEIR_OK)
        return st;
    json_t *const paths = r->args->json ? json_array() : NULL;
    weir_route_space *const space = weir_route_space_new(r->graph);
    WI_FREED weir_cost *const dist = malloc(nodes * sizeof *dist);
    WI_FREED uint16_t *const port = malloc(nodes * sizeof *port);
    if (!space || !dist || !port)
        st = weir_fail(r->diag, WEIR_E_NOMEM, "no memory for a tree of %zu nodes", nodes - 1);
    for (size_t i = 0; st == WEIR_OK && i < n; ++i) {
        st = weir_route_tree(r->diag, r->graph, r->cost, list[i].to, space, dist, port);
        if (st == WEIR_OK && paths)
            json_array_append_new(paths, path_json(r, list[i].from, list[i].to, dist, port));
        else if (st == WEIR_OK)
            print_path(r, list[i].from, list[i].to, dist, port);
    }
    if (st == WEIR_OK && paths)
        st = cli_print_json(r->diag, paths);
    else
        json_decref(paths);
    weir_route_space_free(space);
    free(list);
    return st;
}

/* ---- tables ---- */

static weir_status verify(const routing *r, const weir_routes *routes, const char **against)
{
    weir_routes_options options = r->options;
    weir_routes *second = NULL;
    options.device = WEIR_ROUTE_ON_CPU;
    options.algorithm = r->options.algorithm == WEIR_ROUTE_TREES ? WEIR_ROUTE_BATCHED : WEIR_ROUTE_TREES;
    *against = options.algorithm == WEIR_ROUTE_TREES ? "single trees" : "batched relaxation";
    weir_status st = weir_routes_compute(r->diag, r->graph, &options, &second);
    if (st != WEIR_OK)
        return st;
    const weir_route_view a = weir_routes_view(routes), b = weir_routes_view(second);
    if (a.n_bytes != b.n_bytes || memcmp(a.table, b.table, a.n_bytes) != 0)
        st = weir_fail(r->diag, WEIR_E_CHECK,
                       "the table differs from that of %s: a fault in weir; please report it", *against);
    weir_routes_free(second);
    return st;
}

static weir_status print_json(const routing *r, const weir_routes *routes, const char *against)
{
    const weir_routes_times t = weir_routes_times_of(routes);
    return cli_print_json(
        r->diag, json_pack("{s:s, s:I, s:I, s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:o}", "topology",
                           r->args->operands[0], "nodes", (json_int_t)r->graph->n_nodes, "links",
                           (json_int_t)(r->graph->n_edges / 2), "metric", r->metric, "algorithm",
                           weir_routes_how(routes), "core_nodes", (json_int_t)weir_routes_view(routes).n_core,
                           "table_bytes", (json_int_t)weir_routes_bytes(routes), "prepare_s", t.prepare_s,
                           "distances_s", t.distance_s, "ports_s", t.port_s, "copy_s", t.copy_s,
                           "verified_against", against ? json_string(against) : json_null()));
}

static void print_text(const routing *r, const weir_routes *routes, const char *against)
{
    const weir_routes_times t = weir_routes_times_of(routes);
    printf("%s\n", r->args->operands[0]);
    printf("graph         %u nodes, %u links, by %s\n", r->graph->n_nodes, r->graph->n_edges / 2, r->metric);
    printf("algorithm     %s\n", weir_routes_how(routes));
    printf("table         %" PRIu64 " bytes\n", weir_routes_bytes(routes));
    printf("time          %.6f s to prepare, %.6f s for distances", t.prepare_s, t.distance_s);
    printf(t.port_s > 0 ? ", %.6f s for ports" : " and ports", t.port_s);
    if (t.copy_s > 0)
        printf(", %.6f s to fetch", t.copy_s);
    printf("\n");
    if (against)
        printf("verified      equal to the table of %s\n", against);
    if (r->args->output)
        printf("written       %s\n", r->args->output);
}

static weir_status table(const routing *r)
{
    weir_routes *routes = NULL;
    const char *against = NULL;
    weir_status st = weir_routes_compute(r->diag, r->graph, &r->options, &routes);
    if (st == WEIR_OK && r->args->verify)
        st = verify(r, routes, &against);
    if (st == WEIR_OK && r->args->output)
        st = cli_routes_write(r->diag, r->graph, r->cost, r->scale, routes, r->args->output, r->args->force);
    if (st == WEIR_OK && r->args->json)
        st = print_json(r, routes, against);
    else if (st == WEIR_OK)
        print_text(r, routes, against);
    weir_routes_free(routes);
    return st;
}

CLI_COMMAND(routes)
{
    routing r = {.diag = diag, .args = args};
    weir_status st = read_options(&r);
    if (st == WEIR_OK && args->output)
        st = cli_routes_check_path(r.diag, args->output, args->force);
    st = st ?: load(&r);
    if (st != WEIR_OK && st != WEIR_E_NOMEM)
        *code = CLI_USAGE;
    if (st == WEIR_OK)
        st = args->pairs || args->n_pair > 0 ? pairs(&r) : table(&r);
    free(r.cost);
    weir_graph_free(r.graph);
    return st;
}
