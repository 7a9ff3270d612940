/*
 * What is pinned down: equal-cost ports and whole paths against solutions by hand, ECMP choices that are
 * spread evenly and differ from router to router, hosts that never forward.
 */
#include "graphs.h"

static weir_cost *hops_of(const weir_graph *graph)
{
    weir_cost *cost = NULL;
    assert_int_equal(weir_route_costs(NULL, graph, WEIR_METRIC_HOPS, &cost), WEIR_OK);
    return cost;
}

static void tree(const weir_graph *graph, const weir_cost *cost, uint32_t dst, weir_cost *dist,
                 uint16_t *port)
{
    weir_route_space *const space = weir_route_space_new(graph);
    assert_int_equal(weir_route_tree(NULL, graph, cost, dst, space, dist, port), WEIR_OK);
    weir_route_space_free(space);
}

/*     1
 *   /   \
 * 0 - 2 - 4 - 5     three ways of two hops from 0 to 4, then one; 6 is alone
 *   \   /
 *     3
 */
static const uint32_t fan[][2] = {{0, 3}, {0, 1}, {0, 2}, {1, 4}, {2, 4}, {3, 4}, {4, 5}};

static void equal_ports(void **state)
{
    (void)state;
    weir_graph *const graph = graph_of(7, fan, 7, NULL);
    weir_cost *const cost = hops_of(graph);
    weir_cost dist[7];
    uint16_t port[7], ports[3] = {9, 9, 9};
    tree(graph, cost, 5, dist, port);
    assert_int_equal(dist[0], 3);
    assert_true(dist[6] == WEIR_NO_WAY);
    assert_int_equal(port[0], 0); /* the lowest, though it leads to the highest number */
    assert_int_equal(weir_route_equal_ports(graph, cost, dist, 0, ports, 2), 3);
    assert_int_equal(ports[0], 0);
    assert_int_equal(ports[1], 1);
    assert_int_equal(ports[2], 9);
    assert_int_equal(weir_route_equal_ports(graph, cost, dist, 4, ports, 3), 1);
    assert_int_equal(weir_route_equal_ports(graph, cost, dist, 5, ports, 3), 0);
    assert_int_equal(weir_route_equal_ports(graph, cost, dist, 6, ports, 3), 0);
    cost[0] = WEIR_COST_DOWN; /* 0 to 3 */
    tree(graph, cost, 5, dist, port);
    assert_int_equal(weir_route_equal_ports(graph, cost, dist, 0, ports, 3), 2);
    assert_int_equal(ports[0], 1);
    free(cost);
    weir_graph_free(graph);
}

static void whole_paths(void **state)
{
    (void)state;
    weir_graph *const graph = graph_of(7, fan, 7, NULL);
    weir_cost *const cost = hops_of(graph);
    weir_cost dist[7];
    uint32_t edges[3], same[3];
    uint16_t port[7];
    weir_routes_options options;
    weir_routes *routes = NULL;
    weir_routes_options_init(&options);
    assert_int_equal(weir_routes_compute(NULL, graph, &options, &routes), WEIR_OK);
    tree(graph, cost, 5, dist, port);
    assert_int_equal(weir_routes_path(routes, graph, 0, 5, edges, 3), 3);
    assert_int_equal(weir_route_path(graph, port, 0, 5, same, 3), 3);
    assert_memory_equal(edges, same, sizeof edges);
    const uint32_t want[] = {3, 4, 5};
    for (int k = 0; k < 3; ++k)
        assert_int_equal(graph->target[edges[k]], want[k]);
    assert_int_equal(weir_routes_path(routes, graph, 0, 5, edges, 0), 3);
    assert_int_equal(weir_routes_path(routes, graph, 5, 5, edges, 3), 0);
    assert_int_equal(weir_routes_path(routes, graph, 6, 5, edges, 3), WEIR_UNREACHABLE);
    assert_int_equal(weir_route_path(graph, port, 6, 5, edges, 3), WEIR_UNREACHABLE);
    assert_int_equal(weir_route_path_ecmp(graph, cost, dist, 6, 1, edges, 3), WEIR_UNREACHABLE);
    assert_int_equal(weir_route_path_ecmp(graph, cost, dist, 5, 1, edges, 3), 0);
    weir_routes_free(routes);
    free(cost);
    weir_graph_free(graph);
}

/* 30,000 flows over three ways: 10,000 each, give or take five standard deviations of 82. */
static void ecmp_spreads(void **state)
{
    (void)state;
    weir_graph *const graph = graph_of(7, fan, 7, NULL);
    weir_cost *const cost = hops_of(graph);
    weir_cost dist[7];
    uint32_t edges[3], taken[3] = {0};
    uint16_t port[7];
    tree(graph, cost, 5, dist, port);
    for (uint32_t flow = 0; flow < 30000; ++flow) {
        assert_int_equal(weir_route_path_ecmp(graph, cost, dist, 0, flow, edges, 3), 3);
        assert_int_equal(edges[0], graph->first[0] + weir_ecmp_pick(flow, 0, 3));
        assert_int_equal(graph->target[edges[2]], 5);
        ++taken[edges[0] - graph->first[0]];
    }
    for (int k = 0; k < 3; ++k)
        assert_in_range(taken[k], 9590, 10410);
    free(cost);
    weir_graph_free(graph);
}

/* Flows that chose port 0 of two at one router split evenly at the next: 15,000 of about 30,000, five sigma
 * 433. */
static void ecmp_does_not_polarise(void **state)
{
    (void)state;
    uint32_t first = 0, both = 0;
    for (uint32_t flow = 0; flow < 60000; ++flow) {
        if (weir_ecmp_pick(flow * 2654435761u, 7, 2) != 0)
            continue;
        ++first;
        both += weir_ecmp_pick(flow * 2654435761u, 8, 2) == 0;
    }
    assert_in_range(first, 29380, 30620);
    assert_in_range(both, first / 2 - 433, first / 2 + 433);
    /* The choice is part of what makes a run repeatable; these were worked out by an independent program. */
    assert_int_equal(weir_ecmp_pick(0, 0, 1000), 994);
    assert_int_equal(weir_ecmp_pick(12345, 67, 1000), 440);
    assert_int_equal(weir_ecmp_pick(UINT32_MAX, UINT32_MAX, 1000), 346);
}

/* A host with two links offers the shorter way, 0 - 1 - 2, and it is not taken: 0 - 3 - 4 - 2 is. */
static void hosts_do_not_forward(void **state)
{
    (void)state;
    const uint32_t links[][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {4, 2}};
    const uint8_t role[] = {WEIR_ROUTER, WEIR_HOST, WEIR_ROUTER, WEIR_ROUTER, WEIR_ROUTER};
    weir_graph *const graph = graph_of(5, links, 5, role);
    weir_cost *const cost = hops_of(graph);
    weir_cost dist[5];
    uint16_t port[5];
    tree(graph, cost, 2, dist, port);
    assert_int_equal(dist[0], 3);
    assert_int_equal(port[0], 1);
    assert_int_equal(dist[1], 1); /* from the host itself both links serve */
    assert_int_equal(weir_route_equal_ports(graph, cost, dist, 0, port, 5), 1);
    tree(graph, cost, 1, dist, port);
    assert_int_equal(dist[0], 1); /* and to it */
    assert_int_equal(dist[2], 1);
    weir_routes_options options;
    weir_routes_options_init(&options);
    for (options.algorithm = WEIR_ROUTE_AUTO; options.algorithm <= WEIR_ROUTE_BATCHED; ++options.algorithm) {
        weir_routes *routes = NULL;
        assert_int_equal(weir_routes_compute(NULL, graph, &options, &routes), WEIR_OK);
        assert_int_equal(weir_routes_port(routes, 0, 2), 1);
        assert_int_equal(weir_routes_port(routes, 0, 1), 0);
        assert_int_equal(weir_routes_port(routes, 1, 2), 1);
        weir_routes_free(routes);
    }
    free(cost);
    weir_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ports),          cmocka_unit_test(whole_paths),
        cmocka_unit_test(ecmp_spreads),         cmocka_unit_test(ecmp_does_not_polarise),
        cmocka_unit_test(hosts_do_not_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
