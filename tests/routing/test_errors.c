/*
 * What is pinned down: costs by hand for each metric, and every documented error of the calls, with a message
 * that names the link, node or number at fault.
 */
#include "graphs.h"

static weir_diag *diag;

static int new_diag(void **state)
{
    (void)state;
    diag = weir_diag_new();
    return diag ? 0 : -1;
}

static int free_diag(void **state)
{
    (void)state;
    weir_diag_free(diag);
    return 0;
}

static void says(const char *what)
{
    for (size_t k = 0; k < weir_diag_count(diag); ++k)
        if (strstr(weir_diag_get(diag, k)->text, what))
            return;
    fail_msg("no message says \"%s\"; the first is \"%s\"", what,
             weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "");
}

/* One link from "here" to "there". */
static weir_graph *one_link(weir_link link)
{
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph *graph = NULL;
    weir_graph_add_node(b, "here", WEIR_ROUTER);
    weir_graph_add_node(b, "there", WEIR_ROUTER);
    weir_graph_add_link(b, link);
    assert_int_equal(weir_graph_build(diag, b, &graph), WEIR_OK);
    weir_graph_builder_free(b);
    return graph;
}

static void expect_costs(weir_link link, weir_metric metric, weir_cost there, weir_cost back)
{
    weir_graph *const graph = one_link(link);
    weir_cost *cost = NULL;
    assert_int_equal(weir_route_costs(diag, graph, metric, &cost), WEIR_OK);
    assert_int_equal(cost[0], there);
    assert_int_equal(cost[1], back);
    free(cost);
    weir_graph_free(graph);
}

static void expect_refusal(weir_link link, weir_metric metric, const char *what)
{
    weir_graph *const graph = one_link(link);
    weir_cost *cost = (weir_cost *)diag;
    assert_int_equal(weir_route_costs(diag, graph, metric, &cost), WEIR_E_ARG);
    assert_null(cost);
    says("here");
    says("there");
    says(what);
    weir_diag_clear(diag);
    weir_graph_free(graph);
}

static weir_link link_of(uint64_t rate_bps, uint64_t back_bps, weir_time delay_ps, uint32_t weight)
{
    weir_link link = weir_link_init(0, 1);
    link.rate_bps = rate_bps;
    link.rate_back_bps = back_bps;
    link.delay_ps = delay_ps;
    link.weight = weight;
    return link;
}

static void costs(void **state)
{
    (void)state;
    const uint64_t gbps = 1000000000;
    expect_costs(link_of(0, 0, -1, 0), WEIR_METRIC_HOPS, 1, 1);
    expect_costs(link_of(0, 0, -1, 7), WEIR_METRIC_WEIGHT, 7, 7);
    expect_costs(link_of(0, 0, WEIR_PS_PER_MS, 0), WEIR_METRIC_DELAY, 1, 1);
    weir_link uneven = link_of(0, 0, 60 * WEIR_PS_PER_NS, 0);
    uneven.delay_back_ps = 10 * WEIR_PS_PER_S + 150 * WEIR_PS_PER_NS; /* whole times 10 ns */
    expect_costs(uneven, WEIR_METRIC_DELAY, 6, 1000000015);
    uneven.delay_ps++;
    expect_costs(uneven, WEIR_METRIC_DELAY, 60001, 10000000150000);
    uneven.delay_ps = 0; /* of two edges, one that costs 1: a cost of the other is 2 a unit */
    expect_costs(uneven, WEIR_METRIC_DELAY, 1, 2);
    weir_diag_clear(diag);
    expect_costs(link_of(10 * gbps, 3 * gbps, -1, 0), WEIR_METRIC_INVERSE_RATE, 30, 100); /* of 300 Gb/s */
    expect_costs(link_of(400 * gbps, 100 * gbps, -1, 0), WEIR_METRIC_INVERSE_RATE, 1, 4);
    expect_costs(link_of(400 * gbps, 7 * gbps + 1, -1, 0), WEIR_METRIC_INVERSE_RATE, 250, 14286);
    assert_int_equal(weir_diag_count(diag), 0);
    expect_costs(link_of(0, 0, 0, 0), WEIR_METRIC_DELAY, 1, 1);
    assert_int_equal(weir_diag_errors(diag), 0);
    says("1 links cost 0");
}

static void costs_refused(void **state)
{
    (void)state;
    expect_refusal(link_of(0, 0, -1, 0), WEIR_METRIC_DELAY, "no delay");
    expect_refusal(link_of(0, 0, -1, 0), WEIR_METRIC_INVERSE_RATE, "no rate");
    weir_link twenty_hours = link_of(0, 0, (weir_time)WEIR_COST_MAX + 1, 0);
    twenty_hours.delay_back_ps = 1;
    expect_refusal(twenty_hours, WEIR_METRIC_DELAY, "72057594037927937");
    weir_graph *const graph = one_link(link_of(0, 0, -1, 0));
    weir_cost *cost;
    assert_int_equal(weir_route_costs(diag, graph, (weir_metric)9, &cost), WEIR_E_ARG);
    weir_graph_free(graph);
}

static void tree_refused(void **state)
{
    (void)state;
    weir_graph *const small = one_link(link_of(0, 0, -1, 0));
    weir_graph *const large = random_graph(TREE, 5, 1, 1);
    weir_route_space *const space = weir_route_space_new(small);
    weir_cost cost[8] = {1, 1, 1, 1, 1, 1, 1, 1}, dist[5];
    assert_int_equal(weir_route_tree(diag, small, cost, 2, space, dist, NULL), WEIR_E_ARG);
    says("destination 2");
    assert_int_equal(weir_route_tree(diag, large, cost, 0, space, dist, NULL), WEIR_E_ARG);
    says("work space is for 2");
    assert_int_equal(weir_route_tree(diag, small, cost, 0, NULL, dist, NULL), WEIR_E_ARG);
    cost[1] = 0;
    assert_int_equal(weir_route_tree(diag, small, cost, 0, space, dist, NULL), WEIR_E_ARG);
    says("costs 0");
    weir_route_space_free(space);
    weir_graph_free(small);
    weir_graph_free(large);
}

/* A ring of 260 links of 2^56: the way around to the far side, 130 of them, is past 2^62. Half as long it fits. */
static void paths_too_long(void **state)
{
    (void)state;
    enum { N = 260 };
    weir_graph *const graph = ring_of(N);
    weir_route_space *const space = weir_route_space_new(graph);
    weir_cost cost[2 * N], dist[N];
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.cost = cost;
    for (int variant = 0; variant < 2; ++variant) {
        for (uint32_t e = 0; e < 2 * N; ++e)
            cost[e] = WEIR_COST_MAX - (e == 0 ? (weir_cost)variant : 0); /* all equal, and not */
        assert_int_equal(weir_route_tree(diag, graph, cost, 0, space, dist, NULL), WEIR_E_ARG);
        says("scale the costs down");
        weir_diag_clear(diag);
        for (options.algorithm = WEIR_ROUTE_TREES; options.algorithm <= WEIR_ROUTE_BATCHED;
             ++options.algorithm) {
            weir_routes *routes = NULL;
            if (options.algorithm == WEIR_ROUTE_BIT_PARALLEL && variant == 1)
                continue;
            assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_E_ARG);
            says("scale the costs down");
            weir_diag_clear(diag);
        }
    }
    for (uint32_t e = 0; e < 2 * N; ++e)
        cost[e] = WEIR_COST_MAX / 130 * 60;
    assert_int_equal(weir_route_tree(diag, graph, cost, 0, space, dist, NULL), WEIR_OK);
    weir_route_space_free(space);
    weir_graph_free(graph);
}

static void tables_refused(void **state)
{
    (void)state;
    weir_graph *const graph = random_graph(DENSE, 100, 1, 1);
    weir_cost *const cost = random_costs(graph, 9, 0, 1);
    weir_routes_options options;
    weir_routes *routes = (weir_routes *)diag;
    weir_routes_options_init(&options);
    options.memory_limit_bytes = 5000;
    assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_E_NOMEM);
    assert_null(routes);
    says("the limit is 5000");
    says("weir routes --pairs");
    says("weir_route_tree");
    options.memory_limit_bytes = 0;
    options.cost = cost;
    options.algorithm = WEIR_ROUTE_BIT_PARALLEL;
    assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_E_ARG);
    says("equal costs only");
    options.algorithm = (weir_route_algorithm)99;
    assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_E_ARG);
    options.algorithm = WEIR_ROUTE_AUTO;
    cost[3] = WEIR_COST_MAX + 1;
    assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_E_ARG);
    says("edge 3 costs 72057594037927937");
    assert_null(routes);
    free(cost);
    weir_graph_free(graph);
}

/* A star of 65,536 rays has a port too many. */
static void too_many_ports(void **state)
{
    (void)state;
    enum { RAYS = 65536 };
    uint32_t(*links)[2] = malloc(RAYS * sizeof *links);
    for (uint32_t i = 0; i < RAYS; ++i) {
        links[i][0] = RAYS;
        links[i][1] = i;
    }
    weir_graph *const graph = graph_of(RAYS + 1, links, RAYS, NULL);
    weir_cost *cost = NULL;
    uint16_t *port = malloc((RAYS + 1) * sizeof *port);
    weir_route_space *const space = weir_route_space_new(graph);
    weir_routes_options options;
    weir_routes *routes = NULL;
    weir_routes_options_init(&options);
    assert_int_equal(weir_route_costs(diag, graph, WEIR_METRIC_HOPS, &cost), WEIR_OK);
    assert_int_equal(weir_route_tree(diag, graph, cost, 0, space, NULL, port), WEIR_E_UNSUPPORTED);
    assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_E_UNSUPPORTED);
    says("65536");
    free(cost);
    free(port);
    free(links);
    weir_route_space_free(space);
    weir_graph_free(graph);
}

typedef struct watch {
    uint64_t done, total;
    volatile int stop;
} watch;

static void note(void *user, uint64_t done, uint64_t total)
{
    watch *const w = user;
    w->done = done;
    w->total = total;
    if (done > 200)
        w->stop = 1;
}

static void progress_and_stop(void **state)
{
    (void)state;
    weir_graph *const graph = random_graph(DENSE, 1000, 1, 1);
    weir_routes_options options;
    weir_routes *routes = NULL;
    watch w = {0};
    weir_routes_options_init(&options);
    options.algorithm = WEIR_ROUTE_TREES;
    options.threads = 1;
    options.progress = note;
    options.user = &w;
    assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_OK);
    assert_int_equal(w.done, weir_routes_view(routes).n_core);
    assert_int_equal(w.done, w.total);
    assert_non_null(strstr(weir_routes_how(routes), "trees (as asked), 1 thread;"));
    weir_routes_free(routes);
    w.stop = 0;
    options.stop = &w.stop;
    assert_int_equal(weir_routes_compute(diag, graph, &options, &routes), WEIR_E_INTERRUPTED);
    assert_in_range(w.done, 201, 300);
    assert_null(routes);
    assert_int_equal(weir_routes_compute(diag, graph, NULL, &routes), WEIR_OK); /* by the defaults */
    weir_routes_free(routes);
    weir_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(costs, new_diag, free_diag),
        cmocka_unit_test_setup_teardown(costs_refused, new_diag, free_diag),
        cmocka_unit_test_setup_teardown(tree_refused, new_diag, free_diag),
        cmocka_unit_test_setup_teardown(paths_too_long, new_diag, free_diag),
        cmocka_unit_test_setup_teardown(tables_refused, new_diag, free_diag),
        cmocka_unit_test_setup_teardown(too_many_ports, new_diag, free_diag),
        cmocka_unit_test_setup_teardown(progress_and_stop, new_diag, free_diag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
