/*
 * What is pinned down: distances equal those of igraph, an independent library, by hops, by weight and by
 * delays of 1 ns to 10 s, on random graphs and on a real one. Skips, and says so, where igraph is not installed.
 */
#include "graphs.h"
#include "skip.h"

#if __has_include(<igraph.h>)
#include <igraph.h>
#define HAVE_IGRAPH 1
#else
#define HAVE_IGRAPH 0
#endif

#if HAVE_IGRAPH
#include <stdio.h>

#include "weir/topology.h"

typedef struct oracle {
    igraph_t graph;
    igraph_vector_t weight;
    igraph_matrix_t dist;
} oracle;

/* Distances from every n-th node: by delay in picoseconds, or by costs. */
static void oracle_init(oracle *o, const weir_graph *graph, weir_metric metric, const weir_cost *cost,
                        uint32_t step)
{
    igraph_vector_int_t ends, sources;
    igraph_vector_int_init(&ends, graph->n_edges);
    igraph_vector_int_init(&sources, 0);
    igraph_vector_init(&o->weight, graph->n_edges / 2);
    igraph_matrix_init(&o->dist, 0, 0);
    for (uint32_t e = 0; e < graph->n_edges; ++e) {
        if (e > graph->reverse[e])
            continue;
        VECTOR(ends)[2 * graph->link[e]] = graph->target[graph->reverse[e]];
        VECTOR(ends)[2 * graph->link[e] + 1] = graph->target[e];
        VECTOR(o->weight)
        [graph->link[e]] = metric == WEIR_METRIC_DELAY ? (double)graph->delay_ps[e] : (double)cost[e];
    }
    for (uint32_t i = 0; i < graph->n_nodes; i += step)
        igraph_vector_int_push_back(&sources, i);
    assert_int_equal(igraph_create(&o->graph, &ends, graph->n_nodes, IGRAPH_UNDIRECTED), IGRAPH_SUCCESS);
    assert_int_equal(igraph_distances_dijkstra(&o->graph, &o->dist, igraph_vss_vector(&sources),
                                               igraph_vss_all(), &o->weight, IGRAPH_ALL),
                     IGRAPH_SUCCESS);
    igraph_vector_int_destroy(&ends);
    igraph_vector_int_destroy(&sources);
}

static void oracle_free(oracle *o)
{
    igraph_destroy(&o->graph);
    igraph_vector_destroy(&o->weight);
    igraph_matrix_destroy(&o->dist);
}

static void compare(const weir_graph *graph, weir_metric metric, uint32_t step, const char *what)
{
    oracle o;
    weir_cost *cost = NULL, *const dist = malloc(graph->n_nodes * sizeof *dist);
    weir_route_space *const space = weir_route_space_new(graph);
    weir_routes *routes = NULL;
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.metric = metric;
    assert_int_equal(weir_routes_compute(NULL, graph, &options, &routes), WEIR_OK);
    assert_int_equal(weir_route_costs(NULL, graph, metric, &cost), WEIR_OK);
    const weir_delay_unit unit =
        metric == WEIR_METRIC_DELAY ? weir_route_delay_unit(graph) : (weir_delay_unit){1, 1};
    oracle_init(&o, graph, metric, cost, step);
    for (uint32_t j = 0; j < graph->n_nodes; j += step) {
        assert_int_equal(weir_route_tree(NULL, graph, cost, j, space, dist, NULL), WEIR_OK);
        for (uint32_t i = 0; i < graph->n_nodes; ++i) {
            const double want = MATRIX(o.dist, j / step, i);
            const bool ways = dist[i] != WEIR_NO_WAY;
            const double have = (double)(dist[i] / unit.per * unit.ps);
            if (ways ? have != want : want < 1e300)
                fail_msg("%s: %u to %u is %.17g, igraph has %.17g", what, i, j, have, want);
            /* And the table's port leads to a node that is nearer by just the cost of the link. */
            const uint16_t port = weir_routes_port(routes, i, j);
            if ((port != WEIR_NO_PORT) != (ways && i != j))
                fail_msg("%s: port of %u toward %u is %u", what, i, j, port);
            const uint32_t e = graph->first[i] + port;
            if (port != WEIR_NO_PORT && cost[e] + dist[graph->target[e]] != dist[i])
                fail_msg("%s: port %u of %u is not toward %u", what, port, i, j);
        }
    }
    oracle_free(&o);
    weir_routes_free(routes);
    weir_route_space_free(space);
    free(cost);
    free(dist);
}

/* Delays of 1 ns to 10 s, as many of each magnitude: whole nanoseconds, or whole picoseconds, and now and then none. */
static void draw_delays(weir_graph *graph, weir_time grain_ps, uint64_t seed)
{
    for (uint32_t e = 0; e < graph->n_edges; ++e) {
        if (graph->reverse[e] < e)
            continue;
        uint64_t most = 10;
        for (uint32_t k = below(&seed, 10); k > 0; --k)
            most *= 10;
        const uint64_t ps = (1 + rnd(&seed) % most) * 1000;
        const weir_time delay =
            below(&seed, 20) ? (weir_time)(ps + rnd(&seed) % 1000) / grain_ps * grain_ps : 0;
        weir_graph_set_edge(graph, e, 0, delay);
        weir_graph_set_edge(graph, graph->reverse[e], 0, delay);
    }
}

static void on_random_graphs(void **state)
{
    (void)state;
    const graph_kind kinds[] = {TREE, SPARSE, DENSE, BROKEN, DOUBLED};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        for (uint32_t n = 1; n <= 400; n = 2 * n + 13) {
            char what[64];
            weir_graph *const graph = random_graph(kinds[k], n, 100, n + k);
            snprintf(what, sizeof what, "kind %d, %u nodes, seed %zu", kinds[k], n, n + k);
            compare(graph, WEIR_METRIC_HOPS, 1, what);
            compare(graph, WEIR_METRIC_WEIGHT, 1, what);
            for (weir_time grain_ps = 1; grain_ps <= 1000000; grain_ps *= 1000) {
                draw_delays(graph, grain_ps, n + k);
                compare(graph, WEIR_METRIC_DELAY, 1, what);
            }
            weir_graph_free(graph);
        }
    }
}

static void on_a_real_graph(void **state)
{
    (void)state;
    const char *const path = data_path("rocketfuel/7018.cch.gz");
    weir_graph *graph = NULL;
    assert_int_equal(weir_topology_load(NULL, path, NULL, &graph), WEIR_OK);
    compare(graph, WEIR_METRIC_HOPS, 400, "AS 7018");
    weir_graph_free(graph);
}
#else
static void on_random_graphs(void **state)
{
    (void)state;
    skip_aloud("this build has no igraph (libigraph-dev)");
}

static void on_a_real_graph(void **state)
{
    on_random_graphs(state);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_random_graphs),
        cmocka_unit_test(on_a_real_graph),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
