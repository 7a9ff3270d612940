/* Pins down the builder: port order, reverse edges, names, counts of what is odd; and the filling of rates
 * and delays. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "weir/graph.h"

static weir_graph *build(weir_graph_builder *b)
{
    weir_graph *g = NULL;
    assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
    return g;
}

/* Edges of a node stand in the order in which its links were added, whatever their direction. */
static void port_order(void **state)
{
    (void)state;
    weir_graph_builder *b = weir_graph_builder_new();
    for (int i = 0; i < 4; i++)
        weir_graph_add_node(b, NULL, WEIR_ROUTER);
    const uint32_t pair[][2] = {{3, 0}, {0, 1}, {2, 0}, {0, 1}, {2, 2}};
    for (size_t i = 0; i < 5; i++)
        weir_graph_add_link(b, weir_link_init(pair[i][0], pair[i][1]));
    weir_graph *g = build(b);
    assert_int_equal(g->n_nodes, 4);
    assert_int_equal(g->n_edges, 8);
    assert_int_equal(g->n_self_loops, 1);
    assert_int_equal(g->n_parallel, 1);
    const uint32_t target[] = {3, 1, 2, 1, 0, 0, 0, 0};
    const uint32_t reverse[] = {7, 4, 6, 5, 1, 3, 2, 0};
    const uint32_t link[] = {0, 1, 2, 3, 1, 3, 2, 0};
    assert_memory_equal(g->target, target, sizeof target);
    assert_memory_equal(g->reverse, reverse, sizeof reverse);
    assert_memory_equal(g->link, link, sizeof link);
    weir_graph_free(g);
    weir_graph_builder_free(b);
}

static void names(void **state)
{
    (void)state;
    weir_graph_builder *b = weir_graph_builder_new();
    const char *given[] = {"a", "a", "a#2", NULL, "a", "", "6", "5#2", "5"};
    const char *want[] = {"a", "a#2", "a#2#2", "3", "a#3", "5", "6", "5#2", "5#3"};
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(weir_graph_add_node(b, given[i], i % 2 ? WEIR_HOST : WEIR_ROUTER), i);
    weir_graph *g = build(b);
    for (uint32_t i = 0; i < 9; i++) {
        assert_string_equal(g->name[i], want[i]);
        assert_int_equal(weir_graph_find(g, want[i]), i);
        assert_int_equal(g->role[i], i % 2);
    }
    assert_int_equal(weir_graph_find(g, "A"), UINT32_MAX);
    assert_int_equal(weir_graph_find(g, ""), UINT32_MAX);
    weir_graph_free(g);
    weir_graph_builder_free(b);
}

static void empty_graph(void **state)
{
    (void)state;
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph *g = build(b);
    assert_int_equal(g->n_nodes, 0);
    assert_int_equal(g->first[0], 0);
    assert_int_equal(weir_graph_find(g, "x"), UINT32_MAX);
    weir_link_defaults d;
    weir_link_defaults_init(&d);
    assert_int_equal(weir_graph_fill(NULL, g, &d, NULL), WEIR_OK);
    weir_graph_free(g);
    weir_graph_builder_free(b);
    weir_graph_free(NULL);
    weir_graph_builder_free(NULL);
}

static void link_to_no_node(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph_add_node(b, "only", WEIR_ROUTER);
    weir_graph_set_xy(b, 7, 1, 1);
    weir_graph_set_as(b, UINT32_MAX, 1);
    weir_graph_add_link(b, weir_link_init(0, 1));
    weir_graph *g = (weir_graph *)b;
    assert_int_equal(weir_graph_build(diag, b, &g), WEIR_E_ARG);
    assert_null(g);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "nodes 0 and 1, but there are 1"));
    weir_graph_builder_free(b);
    weir_diag_free(diag);
}

static void attributes_by_direction(void **state)
{
    (void)state;
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph_add_node(b, "a", WEIR_HOST);
    weir_graph_add_node(b, "b", WEIR_ROUTER);
    weir_graph_set_as(b, 1, 65000);
    weir_graph_set_class(b, 1, WEIR_CLASS_BACKBONE);
    weir_graph_set_xy(b, 0, INFINITY, 1);
    weir_graph_set_xy(b, 1, 1, 2);
    weir_link l = weir_link_init(1, 0);
    l.rate_bps = 10;
    l.rate_back_bps = 20;
    l.weight = 3;
    l.weight_back = 4;
    l.delay_ps = 5;
    weir_graph_add_link(b, l);
    weir_graph *g = build(b);
    assert_int_equal(g->rate_bps[0], 20); /* edge 0 is a -> b */
    assert_int_equal(g->rate_bps[1], 10);
    assert_int_equal(g->weight[0], 4);
    assert_int_equal(g->weight[1], 3);
    assert_int_equal(g->delay_ps[0], 5);
    assert_int_equal(g->delay_ps[1], 5);
    assert_true(g->weighted);
    assert_int_equal(g->as_number[1], 65000);
    assert_int_equal(g->node_class[1], WEIR_CLASS_BACKBONE);
    assert_true(isnan(g->x[0]) && isnan(g->y[0]));
    weir_graph_free(g);
    weir_graph_builder_free(b);
}

static uint32_t draw(uint64_t *s, uint32_t n)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*s >> 33) % n;
}

/* What any graph must satisfy, checked on random ones against the list of links they were made from. */
static void random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t s = seed;
        const uint32_t n = 1 + draw(&s, 30), m = draw(&s, 120);
        uint32_t(*pair)[2] = calloc(m + 1, sizeof *pair);
        uint32_t degree[32] = {0}, loops = 0, kept = 0, parallel = 0;
        static uint32_t times[32][32];
        memset(times, 0, sizeof times);
        weir_graph_builder *b = weir_graph_builder_new();
        for (uint32_t i = 0; i < n; i++)
            weir_graph_add_node(b, NULL, WEIR_ROUTER);
        for (uint32_t i = 0; i < m; i++) {
            const uint32_t u = draw(&s, n), v = draw(&s, n);
            weir_graph_add_link(b, weir_link_init(u, v));
            if (u == v) {
                loops++;
                continue;
            }
            pair[kept][0] = u;
            pair[kept++][1] = v;
            degree[u]++;
            degree[v]++;
            parallel += times[u < v ? u : v][u < v ? v : u]++ > 0;
        }
        weir_graph *g = build(b);
        assert_int_equal(g->n_edges, 2 * kept);
        assert_int_equal(g->n_self_loops, loops);
        assert_int_equal(g->n_parallel, parallel);
        assert_int_equal(g->first[0], 0);
        assert_int_equal(g->first[n], g->n_edges);
        for (uint32_t v = 0; v < n; v++) {
            assert_int_equal(g->first[v + 1] - g->first[v], degree[v]);
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
                const uint32_t k = g->link[e];
                assert_int_equal(g->reverse[g->reverse[e]], e);
                assert_int_equal(g->target[g->reverse[e]], v);
                assert_int_equal(g->link[g->reverse[e]], k);
                assert_true((pair[k][0] == v && pair[k][1] == g->target[e]) ||
                            (pair[k][1] == v && pair[k][0] == g->target[e]));
                assert_true(e == g->first[v] || g->link[e - 1] < k);
            }
        }
        weir_graph_free(g);
        weir_graph_builder_free(b);
        free(pair);
    }
}

/* A million links, and as many nodes of one name: neither may be quadratic. */
static void large(void **state)
{
    (void)state;
    const uint32_t n = 1000000;
    const clock_t start = clock();
    weir_graph_builder *b = weir_graph_builder_new();
    for (uint32_t i = 0; i < n; i++)
        weir_graph_add_node(b, "same", WEIR_ROUTER);
    for (uint32_t i = 0; i < n; i++)
        weir_graph_add_link(b, weir_link_init(i / 2, (uint32_t)((uint64_t)i * 7919 % n)));
    weir_graph *g = build(b);
    assert_int_equal(weir_graph_find(g, "same#1000000"), n - 1);
    print_message("1e6 nodes, 1e6 links: %.2f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    weir_graph_free(g);
    weir_graph_builder_free(b);
}

/* London - New York: 5,570 km by the haversine (51.5074 N 0.1278 W, 40.7128 N 74.0060 W), so 27.85 ms in
 * fibre. */
static void fill_geographic(void **state)
{
    (void)state;
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph_set_geographic(b, true);
    weir_graph_add_node(b, "London", WEIR_ROUTER);
    weir_graph_add_node(b, "New York", WEIR_ROUTER);
    weir_graph_add_node(b, "between", WEIR_ROUTER);
    weir_graph_add_node(b, "beyond", WEIR_ROUTER);
    weir_graph_add_node(b, "far beyond", WEIR_ROUTER);
    weir_graph_set_xy(b, 0, -0.1278, 51.5074);
    weir_graph_set_xy(b, 1, -74.0060, 40.7128);
    weir_link l = weir_link_init(0, 1);
    l.rate_back_bps = 5;
    weir_graph_add_link(b, l);
    weir_graph_add_link(b, weir_link_init(0, 2));
    weir_graph_add_link(b, weir_link_init(2, 1));
    weir_graph_add_link(b, weir_link_init(2, 3));
    l = weir_link_init(4, 3);
    l.delay_ps = 7;
    l.rate_bps = 8;
    weir_graph_add_link(b, l);
    weir_graph *g = build(b);
    weir_link_defaults d;
    weir_fill_report r;
    weir_link_defaults_init(&d);
    assert_int_equal(weir_graph_fill(NULL, g, &d, &r), WEIR_OK);
    assert_int_equal(r.rates_filled, 4);
    assert_int_equal(r.delays_from_xy, 1); /* a place is no guess from the neighbours' */
    assert_int_equal(r.delays_filled, 3);
    assert_true(fabs((double)g->delay_ps[0] - 27.851e9) < 0.01e9);
    assert_int_equal(g->delay_ps[0] % WEIR_PS_PER_NS, 0);
    assert_int_equal(g->delay_ps[1], WEIR_PS_PER_MS);
    assert_int_equal(g->delay_ps[3], WEIR_PS_PER_MS);
    assert_true(isnan(g->x[2]));
    assert_int_equal(g->rate_bps[0], 10000000000);
    assert_int_equal(g->rate_bps[g->reverse[0]], 5);
    const uint32_t e = g->first[4];
    assert_int_equal(g->delay_ps[e], 7);
    assert_int_equal(g->rate_bps[e], 8);
    assert_int_equal(weir_graph_fill(NULL, g, NULL, &r), WEIR_OK);
    assert_int_equal(r.rates_filled + r.delays_filled + r.delays_from_xy, 0);
    d.override_rate = d.override_delay = true;
    d.rate_bps = 77;
    d.delay_ps = 0;
    assert_int_equal(weir_graph_fill(NULL, g, &d, &r), WEIR_OK);
    for (uint32_t i = 0; i < g->n_edges; i++) {
        assert_int_equal(g->rate_bps[i], 77);
        assert_int_equal(g->delay_ps[i], 0);
    }
    weir_graph_free(g);
    weir_graph_builder_free(b);
}

/* 3-4-5 triangle of kilometres: 25 us. Same place: 1 us. */
static void fill_plane(void **state)
{
    (void)state;
    weir_graph_builder *b = weir_graph_builder_new();
    for (int i = 0; i < 3; i++)
        weir_graph_add_node(b, NULL, WEIR_ROUTER);
    weir_graph_set_xy(b, 0, 1, 1);
    weir_graph_set_xy(b, 1, 4, 5);
    weir_graph_set_xy(b, 2, 4, 5);
    weir_graph_add_link(b, weir_link_init(0, 1));
    weir_graph_add_link(b, weir_link_init(1, 2));
    weir_graph *g = build(b);
    weir_link_defaults d;
    weir_link_defaults_init(&d);
    assert_int_equal(weir_graph_fill(NULL, g, &d, NULL), WEIR_OK);
    assert_int_equal(g->delay_ps[0], 25 * WEIR_PS_PER_US);
    assert_int_equal(g->delay_ps[2], WEIR_PS_PER_US);
    weir_graph_free(g);
    weir_graph_builder_free(b);
}

static void fill_refuses(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph_add_node(b, "a", WEIR_ROUTER);
    weir_graph_add_node(b, "b", WEIR_ROUTER);
    weir_graph_set_xy(b, 0, 0, 1e300);
    weir_graph_set_xy(b, 1, 0, -1e300);
    weir_graph_add_link(b, weir_link_init(0, 1));
    weir_graph *g = build(b);
    weir_link_defaults d;
    weir_link_defaults_init(&d);
    assert_int_equal(weir_graph_fill(diag, g, &d, NULL), WEIR_E_ARG);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "nodes a and b are"));
    assert_int_equal(g->rate_bps[0], 0);
    d.delay_from_xy = false;
    d.rate_bps = 0;
    assert_int_equal(weir_graph_fill(diag, g, &d, NULL), WEIR_E_ARG);
    d.rate_bps = 1;
    d.delay_ps = -1;
    assert_int_equal(weir_graph_fill(diag, g, &d, NULL), WEIR_E_ARG);
    d.delay_ps = 1;
    d.km_per_s = NAN;
    assert_int_equal(weir_graph_fill(diag, g, &d, NULL), WEIR_E_ARG);
    d.km_per_s = 1;
    assert_int_equal(weir_graph_fill(diag, g, &d, NULL), WEIR_OK);
    weir_graph_free(g);
    weir_graph_builder_free(b);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(port_order),      cmocka_unit_test(names),
        cmocka_unit_test(empty_graph),     cmocka_unit_test(link_to_no_node),
        cmocka_unit_test(random_graphs),   cmocka_unit_test(attributes_by_direction),
        cmocka_unit_test(large),           cmocka_unit_test(fill_plane),
        cmocka_unit_test(fill_geographic), cmocka_unit_test(fill_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
