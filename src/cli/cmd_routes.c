/* weir routes: tables of next ports, or the paths of some pairs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/routes_write.h"
#include "cli/stop.h"
#include "weir/topology.h"

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
    uint32_t *cost;
    weir_routes_options options;
    const char *metric;
} routing;

static weir_status read_options(routing *r)
{
    int metric = 0, algorithm = 0;
    const cli_args *const args = r->args;
    weir_routes_options_init(&r->options);
    weir_status st = find_word(r->diag, "metric", args->metric, metrics, &metric);
    if (st == WEIR_OK)
        st = find_word(r->diag, "algorithm", args->algorithm, algorithms, &algorithm);
    if (st == WEIR_OK)
        st = read_device(r->diag, args->device, &r->options);
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

static weir_status load(routing *r)
{
    weir_fill_report filled = {0};
    weir_link_defaults defaults;
    weir_status st = weir_topology_load(r->diag, r->args->operands[0], NULL, &r->graph);
    weir_link_defaults_init(&defaults);
    if (st == WEIR_OK &&
        (r->options.metric == WEIR_METRIC_DELAY || r->options.metric == WEIR_METRIC_INVERSE_RATE))
        st = weir_graph_fill(r->diag, r->graph, &defaults, &filled);
    if (filled.rates_filled || filled.delays_filled || filled.delays_from_xy)
        weir_note(r->diag,
                  "links without a rate: %u (10Gbps is used); without a delay: %u by distance, %u at 1ms",
                  filled.rates_filled, filled.delays_from_xy, filled.delays_filled);
    if (st == WEIR_OK)
        st = weir_route_costs(r->diag, r->graph, r->options.metric, &r->cost);
    r->options.cost = r->cost;
    return st;
}

/* ---- pairs ---- */

static weir_status find_node(const routing *r, const char *name, size_t length, const char *pair,
                             uint32_t *node)
{
    char *copy = strndup(name, length);
    *node = copy ? weir_graph_find(r->graph, copy) : UINT32_MAX;
    free(copy);
    if (*node != UINT32_MAX)
        return WEIR_OK;
    return weir_fail(r->diag, WEIR_E_ARG, "--pairs %s: no node is named '%.*s'", pair, (int)length, name);
}

static void print_path(const routing *r, uint32_t from, uint32_t to, const uint32_t *dist,
                       const uint16_t *port)
{
    const char *const *const name = r->graph->name;
    printf("%s to %s", name[from], name[to]);
    if (dist[from] == WEIR_UNREACHABLE) {
        printf(": no way\n");
        return;
    }
    const uint32_t hops = weir_route_path(r->graph, port, from, to, NULL, 0);
    printf(": %" PRIu32 " hops, cost %" PRIu32 "\n   %s", hops, dist[from], name[from]);
    for (uint32_t at = from; at != to;) {
        const uint16_t p = port[at];
        at = r->graph->target[r->graph->first[at] + p];
        printf(" -%u-> %s", p, name[at]);
    }
    printf("\n");
}

static weir_status read_pair(const routing *r, const char *pair, size_t length, uint32_t *from, uint32_t *to)
{
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)length, pair);
    const char *const colon = memchr(pair, ':', length);
    if (!colon)
        return weir_fail(r->diag, WEIR_E_ARG, "--pairs wants FROM:TO[,FROM:TO...], not '%s'", text);
    const weir_status st = find_node(r, pair, (size_t)(colon - pair), text, from);
    return st == WEIR_OK ? find_node(r, colon + 1, length - (size_t)(colon + 1 - pair), text, to) : st;
}

/* Twice over the list: all of it is read before any path is printed. */
static weir_status pairs(const routing *r)
{
    const size_t n = (size_t)r->graph->n_nodes + 1;
    weir_route_space *const space = weir_route_space_new(r->graph);
    uint32_t *const dist = malloc(n * sizeof *dist);
    uint16_t *const port = malloc(n * sizeof *port);
    weir_status st = WEIR_OK;
    if (!space || !dist || !port)
        st = weir_fail(r->diag, WEIR_E_NOMEM, "no memory for a tree of %zu nodes", n - 1);
    for (int pass = 0; pass < 2; ++pass) {
        for (const char *at = r->args->pairs; st == WEIR_OK && *at;) {
            const size_t length = strcspn(at, ",");
            uint32_t from = 0, to = 0;
            st = read_pair(r, at, length, &from, &to);
            if (st == WEIR_OK && pass == 1)
                st = weir_route_tree(r->diag, r->graph, r->cost, to, space, dist, port);
            if (st == WEIR_OK && pass == 1)
                print_path(r, from, to, dist, port);
            at += length + (at[length] == ',');
        }
    }
    weir_route_space_free(space);
    free(dist);
    free(port);
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

static int print_json(const routing *r, const weir_routes *routes, const char *against)
{
    const weir_routes_times t = weir_routes_times_of(routes);
    json_t *const root = json_pack(
        "{s:s, s:I, s:I, s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:o}", "topology", r->args->operands[0],
        "nodes", (json_int_t)r->graph->n_nodes, "links", (json_int_t)(r->graph->n_edges / 2), "metric",
        r->metric, "algorithm", weir_routes_how(routes), "core_nodes",
        (json_int_t)weir_routes_view(routes).n_core, "table_bytes", (json_int_t)weir_routes_bytes(routes),
        "prepare_s", t.prepare_s, "distances_s", t.distance_s, "ports_s", t.port_s, "copy_s", t.copy_s,
        "verified_against", against ? json_string(against) : json_null());
    char *const text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (!text) {
        fprintf(stderr, "weir: error: no memory for the text\n");
        return CLI_FAILED;
    }
    puts(text);
    free(text);
    return CLI_OK;
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

static weir_status table(const routing *r, int *code)
{
    weir_routes *routes = NULL;
    const char *against = NULL;
    weir_status st = weir_routes_compute(r->diag, r->graph, &r->options, &routes);
    if (st == WEIR_OK && r->args->verify)
        st = verify(r, routes, &against);
    if (st == WEIR_OK && r->args->output)
        st = cli_routes_write(r->diag, r->graph, r->cost, routes, r->args->output, r->args->force);
    if (st == WEIR_OK && r->args->json)
        *code = print_json(r, routes, against);
    else if (st == WEIR_OK)
        print_text(r, routes, against);
    weir_routes_free(routes);
    return st;
}

int cli_routes(const cli_command *command, const cli_args *args)
{
    (void)command;
    routing r = {.diag = weir_diag_new(), .args = args};
    int code = CLI_OK;
    weir_status st = read_options(&r);
    if (st == WEIR_OK && args->output)
        st = cli_routes_check_path(r.diag, args->output, args->force);
    if (st == WEIR_OK)
        st = load(&r);
    const bool usage = st != WEIR_OK && st != WEIR_E_NOMEM;
    if (st == WEIR_OK)
        st = args->pairs ? pairs(&r) : table(&r, &code);
    if (st != WEIR_OK)
        code = usage || (args->pairs && st == WEIR_E_ARG) ? CLI_USAGE : cli_exit_code(st);
    cli_print_messages(r.diag, args->verbosity);
    free(r.cost);
    weir_graph_free(r.graph);
    weir_diag_free(r.diag);
    return code;
}
