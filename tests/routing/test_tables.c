/*
 * What is pinned down: every algorithm gives the table that the definition gives (Floyd-Warshall, then the
 * lowest port on a shortest path), to the byte, for any number of threads; and so does a single tree.
 * label: slow
 */
#include "graphs.h"

#include "routing/algorithm/algorithm.h"

#include <stdio.h>

static const weir_route_algorithm algorithms[] = {WEIR_ROUTE_AUTO, WEIR_ROUTE_TREES, WEIR_ROUTE_BIT_PARALLEL,
                                                  WEIR_ROUTE_BATCHED, WEIR_ROUTE_FLOYD};
#define N_ALGORITHMS (sizeof algorithms / sizeof *algorithms)

typedef struct fixture {
    const weir_graph *graph;
    const weir_cost *cost;
    weir_cost *dist;
    uint16_t *port; /* [n * from + to] */
    char label[80];
} fixture;

static bool all_equal(const weir_cost *cost, uint32_t n)
{
    uint32_t seen = 0;
    for (uint32_t e = 0; e < n; ++e) {
        if (cost[e] == WEIR_COST_DOWN)
            continue;
        if (seen && cost[e] != seen)
            return false;
        seen = cost[e];
    }
    return true;
}

static void check_port(const fixture *f, uint32_t i, uint32_t j, uint16_t got, const char *how)
{
    const uint16_t want = f->port[(size_t)i * f->graph->n_nodes + j];
    if (got != want)
        fail_msg("%s, %s: port of %u toward %u is %u, want %u", f->label, how, i, j, got, want);
}

static void check_trees(const fixture *f)
{
    const uint32_t n = f->graph->n_nodes;
    weir_route_space *space = weir_route_space_new(f->graph);
    weir_cost *dist = malloc(n * sizeof *dist);
    uint16_t *port = malloc(n * sizeof *port);
    for (uint32_t j = 0; j < n; ++j) {
        assert_int_equal(weir_route_tree(NULL, f->graph, f->cost, j, space, j % 2 ? NULL : dist, port),
                         WEIR_OK);
        for (uint32_t i = 0; i < n; ++i) {
            check_port(f, i, j, port[i], "tree");
            if (j % 2 == 0 && dist[i] != f->dist[(size_t)i * n + j])
                fail_msg("%s: distance %u to %u is %u, want %u", f->label, i, j, dist[i],
                         f->dist[(size_t)i * n + j]);
        }
    }
    free(dist);
    free(port);
    weir_route_space_free(space);
}

static weir_routes *compute(const fixture *f, weir_route_algorithm algorithm, int threads)
{
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.cost = f->cost;
    options.algorithm = algorithm;
    options.threads = threads;
    weir_routes *routes = NULL;
    weir_diag *diag = weir_diag_new();
    const weir_status status = weir_routes_compute(diag, f->graph, &options, &routes);
    if (status != WEIR_OK)
        fail_msg("%s: %s", f->label,
                 weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : weir_status_name(status));
    weir_diag_free(diag);
    return routes;
}

static void check_tables(const fixture *f)
{
    const uint32_t n = f->graph->n_nodes;
    weir_routes *const plain = compute(f, WEIR_ROUTE_TREES, 1);
    const weir_route_view a = weir_routes_view(plain);
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j)
            check_port(f, i, j, weir_routes_port(plain, i, j), weir_routes_how(plain));
    for (size_t k = 0; k < N_ALGORITHMS; ++k) {
        if (algorithms[k] == WEIR_ROUTE_BIT_PARALLEL && !all_equal(f->cost, f->graph->n_edges))
            continue;
        /* Floyd-Warshall waits for all its threads after each pivot: with more than there are cores, long. */
        const int most = algorithms[k] != WEIR_ROUTE_FLOYD ? 3 : f->graph->n_nodes > 300 ? 2 : 1;
        for (int threads = 1; threads <= most; ++threads) {
            weir_routes *const other = compute(f, algorithms[k], threads);
            const weir_route_view b = weir_routes_view(other);
            assert_int_equal(a.n_bytes, b.n_bytes);
            if (memcmp(a.table, b.table, a.n_bytes) != 0)
                fail_msg("%s: tables differ: %s", f->label, weir_routes_how(other));
            weir_routes_free(other);
        }
    }
    weir_routes_free(plain);
}

static void check(const char *what, const weir_graph *graph, const weir_cost *cost, uint64_t seed)
{
    const size_t n = graph->n_nodes;
    fixture f = {.graph = graph, .cost = cost, .dist = slow_distances(graph, cost)};
    snprintf(f.label, sizeof f.label, "%s, %zu nodes, seed %llu", what, n, (unsigned long long)seed);
    f.port = malloc((n * n + 1) * sizeof *f.port);
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j)
            f.port[n * i + j] = slow_port(graph, cost, f.dist, i, j);
    check_trees(&f);
    check_tables(&f);
    free(f.dist);
    free(f.port);
}

/* Sizes around the widths of words and batches. */
static const uint32_t sizes[] = {1, 2, 3, 4, 7, 20, 63, 64, 65, 130, 300};
#define ALL_SIZES (sizeof sizes / sizeof *sizes)
#define MOST_SIZES (ALL_SIZES - 1)

static void over_graphs(size_t n_sizes, weir_cost max_weight, uint32_t down_in_100)
{
    for (graph_kind kind = TREE; kind < N_GRAPH_KINDS; ++kind) {
        for (size_t k = 0; k < n_sizes; ++k) {
            const uint64_t seed = 1000 * kind + k;
            weir_graph *const graph = random_graph(kind, sizes[k], 1, seed);
            weir_cost *const cost = random_costs(graph, max_weight, down_in_100, seed + 77);
            check(kind_name[kind], graph, cost, seed);
            free(cost);
            weir_graph_free(graph);
        }
    }
}

static void by_hops(void **state)
{
    (void)state;
    over_graphs(ALL_SIZES, 1, 0);
}

static void by_few_weights_with_ties(void **state)
{
    (void)state;
    over_graphs(MOST_SIZES, 3, 0);
}

static void by_weights_of_16_bits(void **state)
{
    (void)state;
    over_graphs(MOST_SIZES, 1000, 0);
}

static void by_weights_of_32_bits(void **state)
{
    (void)state;
    over_graphs(MOST_SIZES, WI_COST32_MAX, 0);
}

/* Past what a search of 32 bits can add up; with few bits below, so that there are ties. */
static void by_weights_of_64_bits(void **state)
{
    (void)state;
    over_graphs(MOST_SIZES, UINT64_C(10000000000000), 0);
    over_graphs(MOST_SIZES, WI_COST32_MAX + 3, 10);
}

static void with_links_out_of_service(void **state)
{
    (void)state;
    over_graphs(MOST_SIZES, 1, 10);
    over_graphs(MOST_SIZES, 9, 10);
}

/* More than 512 core nodes, so that the bit-parallel search has several batches and threads share them. */
static void of_several_batches(void **state)
{
    (void)state;
    weir_graph *const graph = random_graph(DENSE, 540, 1, 5);
    weir_cost *const hops = random_costs(graph, 1, 0, 0);
    check("dense", graph, hops, 5);
    free(hops);
    weir_graph_free(graph);
}

/* A wheel whose hub has 300 ports: rows of one and of two bytes in the same table. */
static void with_wide_rows(void **state)
{
    (void)state;
    enum { RIM = 300 };
    uint32_t links[2 * RIM][2];
    for (uint32_t i = 0; i < RIM; ++i) {
        links[2 * i][0] = 1 + i;
        links[2 * i][1] = 1 + (i + 1) % RIM;
        links[2 * i + 1][0] = 0;
        links[2 * i + 1][1] = 1 + i;
    }
    weir_graph *const graph = graph_of(RIM + 1, links, 2 * RIM, NULL);
    weir_cost *const hops = random_costs(graph, 1, 0, 0);
    weir_cost *const weights = random_costs(graph, 50, 0, 3);
    check("wheel", graph, hops, 0);
    check("wheel", graph, weights, 3);
    free(hops);
    free(weights);
    weir_graph_free(graph);
}

/* Two bytes from 256 links on; a star around them is pruned to one node, and answers all the same. */
static void of_a_star(void **state)
{
    (void)state;
    enum { LEAVES = 299 };
    uint32_t links[LEAVES][2];
    for (uint32_t i = 0; i < LEAVES; ++i) {
        links[i][0] = LEAVES;
        links[i][1] = i;
    }
    weir_graph *const graph = graph_of(LEAVES + 1, links, LEAVES, NULL);
    weir_cost *const hops = random_costs(graph, 1, 0, 0);
    check("star", graph, hops, 0);
    weir_routes_options options;
    weir_routes_options_init(&options);
    weir_routes *routes = NULL;
    assert_int_equal(weir_routes_compute(NULL, graph, &options, &routes), WEIR_OK);
    assert_int_equal(weir_routes_view(routes).n_core, 1);
    assert_in_range(weir_routes_bytes(routes), 1, 300 * 40);
    weir_routes_free(routes);
    free(hops);
    weir_graph_free(graph);
}

static void of_nothing(void **state)
{
    (void)state;
    weir_graph *const graph = graph_of(0, NULL, 0, NULL);
    weir_routes_options options;
    weir_routes_options_init(&options);
    for (size_t k = 0; k < N_ALGORITHMS; ++k) {
        weir_routes *routes = NULL;
        options.algorithm = algorithms[k];
        assert_int_equal(weir_routes_compute(NULL, graph, &options, &routes), WEIR_OK);
        weir_routes_free(routes);
    }
    weir_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hops),
        cmocka_unit_test(by_few_weights_with_ties),
        cmocka_unit_test(by_weights_of_16_bits),
        cmocka_unit_test(by_weights_of_32_bits),
        cmocka_unit_test(by_weights_of_64_bits),
        cmocka_unit_test(with_links_out_of_service),
        cmocka_unit_test(of_several_batches),
        cmocka_unit_test(with_wide_rows),
        cmocka_unit_test(of_a_star),
        cmocka_unit_test(of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
