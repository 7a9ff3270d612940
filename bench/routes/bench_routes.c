/* links: routing topology base igraph
 *
 * All-pairs next-port tables against igraph's all-pairs distances, one core.
 *
 * igraph gives distances only, and gives them in blocks of sources here, so that memory stays small; weir's
 * time is for whole tables of next ports, pruning included, and "with loading" adds reading the file. Answers
 * come first: distances summed along the table's paths equal igraph's for random pairs. Before that, how long
 * it takes to update a table when one link fails or comes back. Arguments: folder of the shared data (default
 * $WEIR_DATA, then ../shared/data), then, optionally, "quick" to leave out the graphs that take igraph
 * minutes.
 */
#include <igraph/igraph.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ba_graph.h"
#include "../bench.h"
#include "weir/routes.h"
#include "weir/topology.h"

#define BLOCK 256
#define PAIRS 2000
#define REPEATS 3

typedef struct subject {
    const char *name;
    weir_graph *graph;
    double load_s;
    bool by_weight;
    bool slow; /* minutes of igraph: once only, and left out of a quick run */
} subject;

static weir_graph *load(const char *folder, const char *path, double *load_s)
{
    char full[4096];
    weir_graph *graph = NULL;
    weir_diag *diag = weir_diag_new();
    snprintf(full, sizeof full, "%s/%s", folder, path);
    const double start = bench_cpu_s();
    const weir_status status = weir_topology_load(diag, full, NULL, &graph);
    *load_s = bench_cpu_s() - start;
    if (status != WEIR_OK)
        fprintf(stderr, "bench_routes: left out %s: %s\n", full,
                weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : weir_status_name(status));
    weir_diag_free(diag);
    return graph;
}

typedef struct oracle {
    igraph_t graph;
    igraph_vector_t weight;
    bool by_weight;
} oracle;

static void oracle_init(oracle *o, const weir_graph *graph, bool by_weight)
{
    igraph_vector_int_t ends;
    const igraph_integer_t n_links = graph->n_edges / 2;
    igraph_vector_int_init(&ends, 2 * n_links);
    igraph_vector_init(&o->weight, n_links);
    o->by_weight = by_weight;
    for (uint32_t i = 0; i < graph->n_nodes; ++i) {
        for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; ++e) {
            if (e > graph->reverse[e])
                continue;
            VECTOR(ends)[2 * graph->link[e]] = i;
            VECTOR(ends)[2 * graph->link[e] + 1] = graph->target[e];
            VECTOR(o->weight)[graph->link[e]] = graph->weight[e];
        }
    }
    igraph_create(&o->graph, &ends, graph->n_nodes, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&ends);
}

static void oracle_free(oracle *o)
{
    igraph_destroy(&o->graph);
    igraph_vector_destroy(&o->weight);
}

static void oracle_block(const oracle *o, igraph_matrix_t *out, igraph_integer_t from, igraph_integer_t to)
{
    igraph_vs_t sources;
    igraph_vs_range(&sources, from, to);
    if (o->by_weight)
        igraph_distances_dijkstra(&o->graph, out, sources, igraph_vss_all(), &o->weight, IGRAPH_OUT);
    else
        igraph_distances(&o->graph, out, sources, igraph_vss_all(), IGRAPH_OUT);
    igraph_vs_destroy(&sources);
}

static double oracle_seconds(const oracle *o)
{
    const igraph_integer_t n = igraph_vcount(&o->graph);
    igraph_matrix_t block;
    igraph_matrix_init(&block, 0, 0);
    const double start = bench_cpu_s();
    for (igraph_integer_t from = 0; from < n; from += BLOCK)
        oracle_block(o, &block, from, from + BLOCK < n ? from + BLOCK : n);
    const double end = bench_cpu_s();
    igraph_matrix_destroy(&block);
    return end - start;
}

static uint64_t path_cost(const weir_graph *graph, const weir_routes *routes, bool by_weight, uint32_t from,
                          uint32_t to)
{
    uint64_t sum = 0;
    while (from != to) {
        const uint16_t port = weir_routes_port(routes, from, to);
        if (port == WEIR_NO_PORT)
            return UINT64_MAX;
        sum += by_weight ? graph->weight[graph->first[from] + port] : 1;
        from = graph->target[graph->first[from] + port];
    }
    return sum;
}

/* Distances along the table's paths from a few sources to random nodes, against igraph's. */
static void check(const subject *s, const oracle *o, const weir_routes *routes)
{
    igraph_matrix_t row;
    uint64_t seed = 1;
    igraph_matrix_init(&row, 0, 0);
    for (int k = 0; k < PAIRS; ++k) {
        static uint32_t from;
        if (k % 100 == 0) {
            from = (uint32_t)(rnd(&seed) % s->graph->n_nodes);
            oracle_block(o, &row, from, from + 1);
        }
        const uint32_t to = (uint32_t)(rnd(&seed) % s->graph->n_nodes);
        const uint64_t got = path_cost(s->graph, routes, s->by_weight, from, to);
        const igraph_real_t want = MATRIX(row, 0, to);
        if (got == UINT64_MAX ? isfinite(want) : (igraph_real_t)got != want) {
            bench_fail("%s: %" PRIu32 " to %" PRIu32 ": %" PRIu64 ", igraph has %g", s->name, from, to, got,
                       want);
        }
    }
    igraph_matrix_destroy(&row);
}

static weir_routes *tables(const subject *s, weir_route_algorithm algorithm, double *seconds)
{
    weir_routes_options options;
    weir_routes *routes = NULL;
    weir_diag *diag = weir_diag_new();
    weir_routes_options_init(&options);
    options.metric = s->by_weight ? WEIR_METRIC_WEIGHT : WEIR_METRIC_HOPS;
    options.algorithm = algorithm;
    options.threads = 1;
    const double start = bench_cpu_s();
    if (weir_routes_compute(diag, s->graph, &options, &routes) != WEIR_OK)
        bench_fail("%s: %s", s->name, weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "failed");
    *seconds = bench_cpu_s() - start;
    weir_diag_free(diag);
    return routes;
}

static void row(const subject *s, const oracle *o, weir_route_algorithm algorithm, double igraph_s)
{
    double seconds[REPEATS], warm = 0;
    char how[200] = "";
    weir_routes *routes = tables(s, algorithm, &warm);
    check(s, o, routes);
    snprintf(how, sizeof how, "%s", weir_routes_how(routes));
    *strchr(how, '(') = '\0';
    const double megabytes = 1e-6 * (double)weir_routes_bytes(routes);
    weir_routes_free(routes);
    const int repeats = s->slow && algorithm == WEIR_ROUTE_TREES ? 1 : REPEATS;
    for (int k = 0; k < repeats; ++k)
        weir_routes_free(tables(s, algorithm, &seconds[k]));
    const double weir_s = bench_median(seconds, repeats) + s->load_s;
    printf("%-24s %7" PRIu32 " %7" PRIu32 "  %-7s %-28s %8.1f %9.3f %9.3f%s %7.1f\n", s->name,
           s->graph->n_nodes, s->graph->n_edges / 2, s->by_weight ? "weight" : "hops", how, megabytes, weir_s,
           igraph_s, s->slow ? "*" : " ", igraph_s / weir_s);
    fflush(stdout);
}

static void run(const subject *s)
{
    static const weir_route_algorithm by_hops[] = {WEIR_ROUTE_BIT_PARALLEL, WEIR_ROUTE_BATCHED,
                                                   WEIR_ROUTE_TREES};
    oracle o;
    oracle_init(&o, s->graph, s->by_weight);
    double seconds[REPEATS];
    const int repeats = s->slow ? 1 : REPEATS;
    for (int k = 0; k < repeats; ++k)
        seconds[k] = oracle_seconds(&o);
    const double igraph_s = bench_median(seconds, repeats);
    for (int k = s->by_weight ? 1 : 0; k < 3; ++k)
        row(s, &o, by_hops[k], igraph_s);
    oracle_free(&o);
}

/* ---- failures and repairs ---- */

typedef struct updating {
    const weir_graph *graph;
    weir_routes *routes;
    weir_cost *cost;
    weir_routes_options options;
} updating;

/* One link to another cost; then some rows are those of a table computed anew. */
static double update_seconds(updating *u, uint32_t edge, weir_cost cost)
{
    weir_routes *anew = NULL;
    uint64_t seed = edge;
    const weir_route_change change = {edge, cost};
    const double start = bench_cpu_s();
    if (weir_routes_update(NULL, u->routes, u->graph, u->cost, &change, 1, &u->options, NULL) != WEIR_OK)
        bench_fail("an update failed");
    const double seconds = bench_cpu_s() - start;
    u->options.cost = u->cost;
    if (weir_routes_compute(NULL, u->graph, &u->options, &anew) != WEIR_OK)
        bench_fail("no table");
    for (int k = 0; k < 20; ++k) {
        const uint32_t from = k ? (uint32_t)(rnd(&seed) % u->graph->n_nodes) : u->graph->target[edge];
        for (uint32_t to = 0; to < u->graph->n_nodes; ++to)
            if (weir_routes_port(anew, from, to) != weir_routes_port(u->routes, from, to))
                bench_fail("an updated table is not the one computed anew");
    }
    weir_routes_free(anew);
    return seconds;
}

/* The least and the greatest time of links of a kind that fail and come back: those of nodes of one link, or
 * others. */
static void update_row(updating *u, const char *what, bool leaf)
{
    uint64_t seed = 1;
    double least = INFINITY, most = 0;
    for (int k = 0; k < 8; ++k) {
        uint32_t v;
        do
            v = (uint32_t)(rnd(&seed) % u->graph->n_nodes);
        while ((u->graph->first[v + 1] - u->graph->first[v] == 1) != leaf);
        const uint32_t edge = u->graph->first[v];
        for (int up = 0; up < 2; ++up) {
            const double seconds = update_seconds(u, edge, up ? 1 : WEIR_COST_DOWN);
            least = seconds < least ? seconds : least;
            most = seconds > most ? seconds : most;
        }
    }
    printf("  %-40s %9.5f to %.5f s\n", what, least, most);
}

static void updates(const subject *s)
{
    updating u = {.graph = s->graph, .cost = malloc(s->graph->n_edges * sizeof *u.cost)};
    if (!u.cost)
        bench_fail("no memory");
    for (uint32_t e = 0; e < s->graph->n_edges; ++e)
        u.cost[e] = 1;
    weir_routes_options_init(&u.options);
    u.options.cost = u.cost;
    u.options.threads = 1;
    const double start = bench_cpu_s();
    if (weir_routes_compute(NULL, s->graph, &u.options, &u.routes) != WEIR_OK)
        bench_fail("no table");
    printf("One link fails or comes back, seconds of one core, hops, %" PRIu32
           " nodes; the whole table takes %.3f s\n",
           s->graph->n_nodes, bench_cpu_s() - start);
    update_row(&u, "the only link of a node", true);
    update_row(&u, "another link, the first of its node", false);
    printf("\n");
    weir_routes_free(u.routes);
    free(u.cost);
}

/* The processor as Linux names it. */
static const char *cpu_name(char *out, size_t size)
{
    FILE *const f = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(out, size, "unknown processor");
    while (f && fgets(line, sizeof line, f)) {
        const char *const name = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && name) {
            snprintf(out, size, "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
            break;
        }
    }
    if (f)
        fclose(f);
    return out;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : getenv("WEIR_DATA") ? getenv("WEIR_DATA") : "../shared/data";
    const bool quick = argc > 2 && strcmp(argv[2], "quick") == 0;
    double as_load_s = 0, cch_load_s = 0;
    subject subjects[] = {
        {"as-caida, with loading", load(folder, "as-graph/as-caida20071105.txt.gz", &as_load_s), 0, false,
         false},
        {"AS 7018, with loading", load(folder, "rocketfuel/7018.cch.gz", &cch_load_s), 0, false, false},
        {"BA, m = 2", ba_graph(5000, 1), 0, false, false},
        {"BA, m = 2", ba_graph(5000, 1), 0, true, false},
        {"BA, m = 2", ba_graph(20000, 1), 0, false, true},
        {"BA, m = 2", ba_graph(20000, 1), 0, true, true},
    };
    subjects[0].load_s = as_load_s;
    subjects[1].load_s = cch_load_s;
    char cpu[128];
    if (subjects[0].graph)
        updates(&subjects[0]);
    printf("All pairs, seconds of one core: weir's tables of next ports, igraph's distances (medians; *: one "
           "run)\n");
    printf("weir %s, igraph %s, gcc %s, %s\n\n", WEIR_VERSION, IGRAPH_VERSION, __VERSION__,
           cpu_name(cpu, sizeof cpu));
    printf("%-24s %7s %7s  %-7s %-28s %8s %9s %9s %8s\n", "graph", "nodes", "links", "metric", "algorithm",
           "MB", "weir s", "igraph s", "ratio");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; ++k) {
        if (subjects[k].graph && !(quick && subjects[k].slow))
            run(&subjects[k]);
    }
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; ++k)
        weir_graph_free(subjects[k].graph);
    return 0;
}
