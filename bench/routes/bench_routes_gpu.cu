/* links: routing topology base
 *
 * All-pairs next-port tables on one CUDA device: blocked Floyd-Warshall against the paper's kernel, then the
 * sparse algorithms on large graphs. Barabasi-Albert graphs (m = 2, weights 1 to 100).
 *
 * Answers come first: every table is compared with the CPU's, byte for byte. Then the median of three runs,
 * each waited for; "copy" is fetching the table into fresh host memory. Relaxations/s count n^3; the limits
 * are those measured for the device's min-plus instructions in registers on an H200: 29.4 T/s in 16
 * bits, 13.9 in 32.
 *
 * Arguments, in any order: "quick" leaves out the paper's kernel on 12,288 nodes and all larger graphs;
 * "unchecked" leaves out the comparison with the CPU above 20,000 nodes (minutes, and twice the table's
 * memory).
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "ba_graph.h"
#include "weir/routes.h"
}

#define REPEATS 3
#define LARGE 20000u

static bool quick, unchecked;

struct row {
    const char *name;
    uint32_t nodes;
    weir_metric metric;
    uint32_t scale; /* weights times this: 1,000 makes paths too long for 16 bits */
    weir_route_algorithm algorithm;
    bool slow;
};

static weir_routes *compute(const weir_graph *graph, const row *r, const weir_cost *cost,
                            weir_route_device device)
{
    weir_routes_options options;
    weir_routes *routes = NULL;
    weir_diag *const diag = weir_diag_new();
    weir_routes_options_init(&options);
    options.cost = cost;
    options.algorithm = device == WEIR_ROUTE_ON_CPU ? WEIR_ROUTE_AUTO : r->algorithm;
    options.device = device;
    if (weir_routes_compute(diag, graph, &options, &routes) != WEIR_OK) {
        fprintf(stderr, "bench_routes_gpu: %s, %u nodes: %s\n", r->name, r->nodes,
                weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "failed");
        weir_diag_free(diag);
        return NULL;
    }
    weir_diag_free(diag);
    return routes;
}

static bool check(const weir_graph *graph, const row *r, const weir_cost *cost, const weir_routes *got)
{
    if (unchecked && r->nodes > LARGE)
        return true;
    weir_routes *const want = compute(graph, r, cost, WEIR_ROUTE_ON_CPU);
    if (!want)
        return false;
    const weir_route_view a = weir_routes_view(want), b = weir_routes_view(got);
    const bool same = a.n_bytes == b.n_bytes && memcmp(a.table, b.table, a.n_bytes) == 0;
    if (!same)
        fprintf(stderr, "bench_routes_gpu: %s, %u nodes: the table is not the CPU's\n", r->name, r->nodes);
    weir_routes_free(want);
    return same;
}

static int by_total(const void *a, const void *b)
{
    const weir_routes_times *x = (const weir_routes_times *)a, *y = (const weir_routes_times *)b;
    const double s = x->distance_s + x->port_s, t = y->distance_s + y->port_s;
    return (s > t) - (s < t);
}

/* Seconds of distances and ports; negative: failed. */
static double run(const row *r)
{
    weir_graph *const graph = ba_graph(r->nodes, 1);
    weir_routes_times times[REPEATS];
    weir_cost *cost = NULL;
    char how[200];
    double total = -1;
    if (weir_route_costs(NULL, graph, r->metric, &cost) != WEIR_OK)
        exit(1);
    for (uint32_t e = 0; e < graph->n_edges; ++e)
        cost[e] *= r->scale;
    weir_routes *routes = compute(graph, r, cost, WEIR_ROUTE_ON_CUDA); /* warms up, too */
    if (routes && check(graph, r, cost, routes)) {
        const int repeats = r->slow && r->algorithm == WEIR_ROUTE_FLOYD_PAPER ? 1 : REPEATS;
        const double megabytes = 1e-6 * (double)weir_routes_bytes(routes);
        snprintf(how, sizeof how, "%s", weir_routes_how(routes));
        for (int k = 0; k < repeats; ++k) {
            weir_routes_free(routes);
            routes = compute(graph, r, cost, WEIR_ROUTE_ON_CUDA);
            if (!routes)
                exit(1);
            times[k] = weir_routes_times_of(routes);
        }
        qsort(times, (size_t)repeats, sizeof *times, by_total);
        const weir_routes_times *const t = &times[repeats / 2];
        const double n = r->nodes, rate = n * n * n / t->distance_s * 1e-12;
        const double limit = strstr(how, "16 bits") ? 29.4 : 13.9;
        total = t->distance_s + t->port_s;
        printf("%-26s %8u  %-6s %9.1f %9.4f %9.4f %9.4f %9.4f %9.4f", r->name, r->nodes,
               r->metric == WEIR_METRIC_HOPS ? "hops" : "weight", megabytes, t->prepare_s, t->distance_s,
               t->port_s, total, t->copy_s);
        if (r->algorithm == WEIR_ROUTE_FLOYD || r->algorithm == WEIR_ROUTE_FLOYD_PAPER)
            printf(" %8.3f %6.1f %%", rate, 100 * rate / limit);
        printf("%s\n", unchecked && r->nodes > LARGE ? "  (not checked)" : "");
        fflush(stdout);
    }
    weir_routes_free(routes);
    free(cost);
    weir_graph_free(graph);
    return total;
}

int main(int argc, char **argv)
{
    static const row rows[] = {
        {"Floyd-Warshall, 16 bits", 4096, WEIR_METRIC_WEIGHT, 1, WEIR_ROUTE_FLOYD, false},
        {"the paper's kernel", 4096, WEIR_METRIC_WEIGHT, 1, WEIR_ROUTE_FLOYD_PAPER, false},
        {"Floyd-Warshall, 16 bits", 12288, WEIR_METRIC_WEIGHT, 1, WEIR_ROUTE_FLOYD, false},
        {"Floyd-Warshall, 32 bits", 12288, WEIR_METRIC_WEIGHT, 1000, WEIR_ROUTE_FLOYD, false},
        {"the paper's kernel", 12288, WEIR_METRIC_WEIGHT, 1, WEIR_ROUTE_FLOYD_PAPER, true},
        {"bit-parallel search", 12288, WEIR_METRIC_HOPS, 1, WEIR_ROUTE_BIT_PARALLEL, false},
        {"batched relaxation, 16", 12288, WEIR_METRIC_WEIGHT, 1, WEIR_ROUTE_BATCHED, false},
        {"batched relaxation, 32", 12288, WEIR_METRIC_WEIGHT, 1000, WEIR_ROUTE_BATCHED, false},
        {"Floyd-Warshall, 16 bits", 32768, WEIR_METRIC_WEIGHT, 1, WEIR_ROUTE_FLOYD, true},
        {"Floyd-Warshall, 32 bits", 32768, WEIR_METRIC_WEIGHT, 1000, WEIR_ROUTE_FLOYD, true},
        {"bit-parallel search", 100000, WEIR_METRIC_HOPS, 1, WEIR_ROUTE_BIT_PARALLEL, true},
        {"batched relaxation, 16", 100000, WEIR_METRIC_WEIGHT, 1, WEIR_ROUTE_BATCHED, true},
    };
    double blocked = 0;
    int failed = 0;
    for (int k = 1; k < argc; ++k) {
        quick |= strcmp(argv[k], "quick") == 0;
        unchecked |= strcmp(argv[k], "unchecked") == 0;
    }
    cudaDeviceProp device;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) {
        printf("No CUDA device: nothing was measured.\n");
        return 77;
    }
    int runtime = 0;
    (void)cudaRuntimeGetVersion(&runtime);
    printf("Next-port tables on a CUDA device, seconds (medians of %d; the paper's kernel on 12,288 nodes: "
           "one run)\n",
           REPEATS);
    printf("weir %s, CUDA %d.%d, %s, BA graphs, m = 2; limits: 29.4 T/s (16 bits), 13.9 T/s (32 bits)\n\n",
           WEIR_VERSION, runtime / 1000, runtime % 1000 / 10, device.name);
    printf("%-26s %8s  %-6s %9s %9s %9s %9s %9s %9s %8s %8s\n", "algorithm", "nodes", "metric", "MB",
           "prepare", "distances", "ports", "both", "copy", "T relax/s", "of limit");
    for (const row &r : rows) {
        if (quick && r.slow)
            continue;
        const double seconds = run(&r);
        failed += seconds < 0;
        if (r.algorithm == WEIR_ROUTE_FLOYD && r.scale == 1)
            blocked = seconds;
        if (r.algorithm == WEIR_ROUTE_FLOYD_PAPER && blocked > 0 && seconds > 0)
            printf("%-26s %8u  %.1f times as fast as the paper's kernel\n", "", r.nodes, seconds / blocked);
    }
    return failed ? 1 : 0;
}
