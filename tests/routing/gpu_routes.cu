/*
 * Tables computed on a CUDA device are, to the byte, those of the CPU: every algorithm, graphs of 1 to 2,000
 * nodes (connected and not, with trees, parallel links, hosts, links out of service; by hops, with ties, with
 * weights of 16 and of 32 bits). Ways that just fit and just do not fit the narrow lanes; a table that the
 * device cannot hold.
 *
 * Prints a line a set. Exit 0: all passed; 1: something did not; 77: no device.
 */
#include <cstdio>
#include <cstring>

extern "C" {
#include "random_graphs.h"
#include "routing/algorithm/algorithm.h"
#include "routing/choose.h"
}

static int failures;

/* An emulated device (tests/emulator) is thousands of times slower: it gets sizes about a warp, a tile and a
 * batch, and of the methods that take a step for every three nodes no large ones. */
#ifdef WEIR_EMULATED
static const uint32_t sizes[] = {1, 2, 33, 131, 257, 1030}, largest_of_all_kinds = 131, rim_ports = 260;
static const uint32_t largest_tiled = 300, largest_paper = 40;
#else
static const uint32_t sizes[] = {1, 2, 3, 7, 64, 127, 128, 129, 255, 300, 513, 1000, 1025, 2000};
static const uint32_t largest_of_all_kinds = 2000, rim_ports = 1500;
static const uint32_t largest_tiled = UINT32_MAX, largest_paper = UINT32_MAX;
#endif

static const struct {
    weir_route_algorithm algorithm;
    const char *name;
} methods[] = {{WEIR_ROUTE_FLOYD, "Floyd-Warshall"},
               {WEIR_ROUTE_FLOYD_PAPER, "Floyd-Warshall of the paper"},
               {WEIR_ROUTE_BIT_PARALLEL, "bit-parallel search"},
               {WEIR_ROUTE_BATCHED, "batched relaxation"},
               {WEIR_ROUTE_AUTO, "automatic"}};

static weir_status compute(const weir_graph *graph, const weir_cost *cost, weir_route_algorithm algorithm,
                           weir_route_device device, weir_routes **out, char *message, size_t size)
{
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.cost = cost;
    options.algorithm = algorithm;
    options.device = device;
    options.memory_limit_bytes = UINT64_MAX;
    weir_diag *const diag = weir_diag_new();
    const weir_status status = weir_routes_compute(diag, graph, &options, out);
    snprintf(message, size, "%s", weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "");
    weir_diag_free(diag);
    return status;
}

static void fail(const char *set, const char *method, const char *what)
{
    ++failures;
    printf("FAIL  %s, %s: %s\n", set, method, what);
}

static void compare(const char *set, const weir_graph *graph, const weir_cost *cost, bool by_hops)
{
    char message[512];
    weir_routes *want = NULL;
    if (compute(graph, cost, WEIR_ROUTE_TREES, WEIR_ROUTE_ON_CPU, &want, message, sizeof message) !=
        WEIR_OK) {
        fail(set, "single trees", message);
        return;
    }
    const weir_route_view a = weir_routes_view(want);
    for (const auto &m : methods) {
        weir_routes *got = NULL;
        if (m.algorithm == WEIR_ROUTE_BIT_PARALLEL && !by_hops)
            continue;
        if ((m.algorithm == WEIR_ROUTE_FLOYD_PAPER && graph->n_nodes > largest_paper) ||
            ((m.algorithm == WEIR_ROUTE_FLOYD || m.algorithm == WEIR_ROUTE_AUTO) &&
             graph->n_nodes > largest_tiled))
            continue;
        if (compute(graph, cost, m.algorithm, WEIR_ROUTE_ON_CUDA, &got, message, sizeof message) != WEIR_OK) {
            fail(set, m.name, message);
            continue;
        }
        const weir_route_view b = weir_routes_view(got);
        if (a.n_bytes != b.n_bytes || memcmp(a.table, b.table, a.n_bytes) != 0) {
            uint64_t differ = 0;
            for (uint64_t k = 0; a.n_bytes == b.n_bytes && k < a.n_bytes; ++k)
                differ += a.table[k] != b.table[k];
            snprintf(message, sizeof message, "%llu of %llu bytes differ; it was %s",
                     (unsigned long long)differ, (unsigned long long)a.n_bytes, weir_routes_how(got));
            fail(set, m.name, message);
        }
        weir_routes_free(got);
    }
    weir_routes_free(want);
}

static void over_graphs(const char *what, uint32_t max_cost, uint32_t down_in_100)
{
    const int before = failures;
    for (int kind = TREE; kind < N_GRAPH_KINDS; ++kind) {
        for (uint32_t n : sizes) {
            char set[100];
            if (n > largest_of_all_kinds && kind != (n > largest_tiled ? DENSE : MULTIHOMED))
                continue;
            weir_graph *const graph = random_graph((graph_kind)kind, n, 1, n + (uint64_t)kind);
            weir_cost *const cost = random_costs(graph, max_cost, down_in_100, n);
            snprintf(set, sizeof set, "%s, %s of %u nodes", what, kind_name[kind], n);
            compare(set, graph, cost, max_cost == 1);
            free(cost);
            weir_graph_free(graph);
        }
    }
    printf("%s  %s: %d kinds of graphs, 1 to %u nodes, all algorithms\n",
           failures == before ? "PASS" : "FAIL", what, (int)N_GRAPH_KINDS,
           sizes[sizeof sizes / sizeof *sizes - 1]);
    fflush(stdout);
}

static weir_graph *ring(uint32_t n)
{
    weir_graph_builder *const b = weir_graph_builder_new();
    weir_graph *graph = NULL;
    for (uint32_t i = 0; i < n; ++i)
        weir_graph_add_node(b, NULL, WEIR_ROUTER);
    for (uint32_t i = 0; i < n; ++i)
        weir_graph_add_link(b, weir_link_init(i, (i + 1) % n));
    if (weir_graph_build(NULL, b, &graph) != WEIR_OK)
        abort();
    weir_graph_builder_free(b);
    return graph;
}

/* Far sides of a ring of 100 on both sides of what 15 and 16 bits hold, and one cost that differs. */
static void around_the_narrow_lanes(void)
{
    const int before = failures;
    const uint32_t each[] = {655, 656, 1284, 1285, 1310, 1311, 100000};
    weir_graph *const graph = ring(100);
    weir_cost *const cost = random_costs(graph, 1, 0, 0);
    for (uint32_t c : each) {
        for (uint32_t e = 0; e < graph->n_edges; ++e)
            cost[e] = c;
        cost[0] = c - 1;
        compare("ring of 100", graph, cost, false);
    }
    printf("%s  paths that just fit narrow lanes, and just do not\n", failures == before ? "PASS" : "FAIL");
    free(cost);
    weir_graph_free(graph);
}

/* A hub of many ports: rows of two bytes, and of one, in the same table. */
static void of_a_wheel(void)
{
    const int before = failures;
    const uint32_t rim = rim_ports;
    weir_graph_builder *const b = weir_graph_builder_new();
    weir_graph *graph = NULL;
    for (uint32_t i = 0; i <= rim; ++i)
        weir_graph_add_node(b, NULL, WEIR_ROUTER);
    for (uint32_t i = 0; i < rim; ++i) {
        weir_graph_add_link(b, weir_link_init(1 + i, 1 + (i + 1) % rim));
        weir_graph_add_link(b, weir_link_init(0, 1 + i));
    }
    if (weir_graph_build(NULL, b, &graph) != WEIR_OK)
        abort();
    for (uint32_t max : {1u, 50u}) {
        weir_cost *const cost = random_costs(graph, max, 0, 3);
        compare("wheel", graph, cost, max == 1);
        free(cost);
    }
    printf("%s  a hub of %u ports\n", failures == before ? "PASS" : "FAIL", rim);
    weir_graph_free(graph);
    weir_graph_builder_free(b);
}

#ifndef WEIR_EMULATED
static void too_large_for_the_device(void)
{
    char message[512];
    weir_routes *got = NULL;
    weir_graph *const graph = ring(200000);
    const weir_status status =
        compute(graph, NULL, WEIR_ROUTE_FLOYD_PAPER, WEIR_ROUTE_ON_CUDA, &got, message, sizeof message);
    const bool good = status == WEIR_E_NOMEM && strstr(message, "bytes") && strstr(message, "needs");
    failures += !good;
    printf("%s  a table that is too large is refused: %s\n", good ? "PASS" : "FAIL", message);
    weir_routes_free(got);
    weir_graph_free(graph);
}
#endif

int main(void)
{
    const char *why = "";
    if (!wi_cuda_ready(&why)) {
        printf("SKIP  %s\n", why);
        return 77;
    }
    over_graphs("by hops", 1, 0);
    over_graphs("few weights, ties, links out of service", 3, 8);
    over_graphs("weights of 16 bits", 1000, 0);
    over_graphs("weights of 32 bits", WI_COST32_MAX / 64, 0);
    around_the_narrow_lanes();
    of_a_wheel();
#ifndef WEIR_EMULATED /* whose memory is the host's, which lacks it first */
    too_large_for_the_device();
#endif
    printf(failures ? "%d failed\n" : "all passed\n", failures);
    return failures ? 1 : 0;
}
