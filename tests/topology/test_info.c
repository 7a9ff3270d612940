/*
 * Pins down the measurements: closed forms on graphs small enough to count by hand, a plain all-pairs
 * computation on random graphs, and the bounds that samples of large ones must keep. And each warning once.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "weir/topology.h"

static weir_graph *from_links(uint32_t n, const uint32_t (*pair)[2], size_t m)
{
    weir_graph *g = NULL;
    weir_graph_builder *b = weir_graph_builder_new();
    for (uint32_t i = 0; i < n; i++)
        weir_graph_add_node(b, NULL, WEIR_ROUTER);
    for (size_t i = 0; i < m; i++)
        weir_graph_add_link(b, weir_link_init(pair[i][0], pair[i][1]));
    assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
    weir_graph_builder_free(b);
    return g;
}

/* A triangle 0 1 2 with a tail 2-3, a second link 0-1, a loop at 3, a pair 4-5, and 6 alone. */
static void by_hand(void **state)
{
    static const uint32_t pair[][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {1, 0}, {3, 3}, {4, 5}};
    weir_topology_stats s;
    weir_diag *diag = weir_diag_new();
    weir_graph *g = from_links(7, pair, 7);
    (void)state;
    assert_int_equal(weir_topology_info(diag, g, &s), WEIR_OK);
    assert_int_equal(s.nodes, 7);
    assert_int_equal(s.links, 6);
    assert_int_equal(s.routers, 7);
    assert_int_equal(s.degree_min, 0);
    assert_int_equal(s.degree_max, 3);
    assert_true(fabs(s.degree_mean - 12.0 / 7) < 1e-12);
    const uint32_t degrees[] = {1, 3, 0, 3};
    assert_memory_equal(s.nodes_of_degree, degrees, sizeof degrees);
    assert_int_equal(s.leaves, 3);
    assert_int_equal(s.isolated, 1);
    assert_int_equal(s.components, 3);
    assert_int_equal(s.largest_component, 4);
    assert_int_equal(s.diameter, 2);
    assert_true(s.diameter_exact && s.mean_path_exact);
    /* ordered pairs: of the four 8 at one hop and 4 at two, and 2 at one: 18 hops over 14 pairs */
    assert_true(fabs(s.mean_path - 18.0 / 14) < 1e-12);
    /* local coefficients 1, 1, 1/3; one triangle, wedges 1 + 1 + 3 */
    assert_true(fabs(s.clustering - (1 + 1 + 1.0 / 3) / 7) < 1e-12);
    assert_true(fabs(s.transitivity - 3.0 / 5) < 1e-12);
    assert_int_equal(s.self_loops, 1);
    assert_int_equal(s.parallel, 1);
    assert_int_equal(s.links_without_rate, 6);
    assert_int_equal(s.links_without_delay, 6);
    assert_int_equal(s.nodes_without_xy, 7);
    assert_int_equal(weir_diag_count(diag), 6);
    assert_int_equal(weir_diag_errors(diag), 0);
    weir_topology_stats_free(&s);
    assert_null(s.nodes_of_degree);
    weir_graph_free(g);
    weir_diag_free(diag);
}

static void empty(void **state)
{
    weir_topology_stats s;
    weir_graph *g = from_links(0, NULL, 0);
    (void)state;
    assert_int_equal(weir_topology_info(NULL, g, &s), WEIR_OK);
    assert_int_equal(s.nodes + s.links + s.components + s.diameter + s.degree_min, 0);
    weir_topology_stats_free(&s);
    weir_graph_free(g);
}

static void warnings(void **state)
{
    weir_graph *g = NULL;
    weir_topology_stats s;
    weir_diag *diag = weir_diag_new();
    weir_graph_builder *b = weir_graph_builder_new();
    (void)state;
    for (int i = 0; i < 3; i++)
        weir_graph_set_xy(b, weir_graph_add_node(b, NULL, WEIR_HOST), 0, i);
    for (uint32_t i = 0; i < 2; i++) {
        weir_link l = weir_link_init(i, i + 1);
        l.rate_bps = 1000 * (i + 1);
        l.rate_back_bps = 500;
        l.delay_ps = i == 0 ? 99999 : 5000000;
        weir_graph_add_link(b, l);
    }
    assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
    assert_int_equal(weir_topology_info(diag, g, &s), WEIR_OK);
    assert_int_equal(s.hosts, 3);
    assert_int_equal(s.nodes_at_zero, 1);
    assert_int_equal(s.rate_min_bps, 500);
    assert_int_equal(s.rate_max_bps, 2000);
    assert_int_equal(s.delay_min_ps, 99999);
    assert_int_equal(s.delay_max_ps, 5000000);
    assert_int_equal(weir_diag_count(diag), 2);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "1 node at coordinates 0, 0"));
    assert_non_null(
        strstr(weir_diag_get(diag, 1)->text, "1 link with a delay below 100 ns, the least 99999 ps"));
    weir_topology_stats_free(&s);
    weir_graph_free(g);
    weir_graph_builder_free(b);
    weir_diag_free(diag);
}

static uint32_t draw(uint64_t *s, uint32_t n)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*s >> 33) % n;
}

enum { N = 24, FAR = 1000 };

/* Distances by Floyd and Warshall, triangles by three loops. */
static void compare(const uint32_t (*pair)[2], uint32_t m, const weir_topology_stats *s, uint64_t seed)
{
    static uint32_t d[N][N];
    double hops = 0, pairs = 0, local = 0, closed = 0, wedges = 0;
    uint32_t diameter = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            d[i][j] = i == j ? 0 : FAR;
    for (uint32_t i = 0; i < m; i++)
        if (pair[i][0] != pair[i][1])
            d[pair[i][0]][pair[i][1]] = d[pair[i][1]][pair[i][0]] = 1;
    for (int v = 0; v < N; v++) {
        double degree = 0, triangles = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                triangles += d[v][i] == 1 && d[v][j] == 1 && d[i][j] == 1;
        for (int i = 0; i < N; i++)
            degree += d[v][i] == 1;
        local += degree > 1 ? triangles / (degree * (degree - 1) / 2) : 0;
        closed += triangles;
        wedges += degree * (degree - 1) / 2;
    }
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (d[i][k] + d[k][j] < d[i][j])
                    d[i][j] = d[i][k] + d[k][j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i != j && d[i][j] < FAR) {
                hops += d[i][j];
                pairs++;
                diameter = d[i][j] > diameter ? d[i][j] : diameter;
            }
    const bool same = s->diameter == diameter && fabs(s->mean_path - (pairs > 0 ? hops / pairs : 0)) < 1e-9 &&
                      fabs(s->clustering - local / N) < 1e-9 &&
                      fabs(s->transitivity - (wedges > 0 ? closed / wedges : 0)) < 1e-9;
    if (!same)
        fail_msg("seed %llu: diameter %u, %u; clustering %g, %g", (unsigned long long)seed, s->diameter,
                 diameter, s->clustering, local / N);
}

static void random_graphs(void **state)
{
    static uint32_t pair[200][2];
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t r = seed;
        weir_topology_stats s;
        const uint32_t m = draw(&r, 200);
        for (uint32_t i = 0; i < m; i++) {
            pair[i][0] = draw(&r, N);
            pair[i][1] = draw(&r, N);
        }
        weir_graph *g = from_links(N, (const uint32_t(*)[2])pair, m);
        assert_int_equal(weir_topology_info(NULL, g, &s), WEIR_OK);
        compare((const uint32_t(*)[2])pair, m, &s, seed);
        weir_topology_stats_free(&s);
        weir_graph_free(g);
    }
}

/* Beyond the exact limit: double sweeps find the diameter of a path and of a grid, and samples its mean path
 * nearly. */
static void sampled(void **state)
{
    weir_graph *g = NULL;
    weir_topology_stats s;
    const weir_generator_arg args[] = {{"width", "100", NULL, 0, 0}, {"height", "50", NULL, 0, 0}};
    (void)state;
    assert_int_equal(weir_topology_generate(NULL, "grid", args, 2, 1, &g), WEIR_OK);
    assert_int_equal(weir_topology_info(NULL, g, &s), WEIR_OK);
    assert_false(s.diameter_exact || s.mean_path_exact);
    assert_int_equal(s.diameter, 148);
    assert_int_equal(s.path_sources, 256);
    /* mean over ordered pairs of a w x h grid: (w + h) / 3, for distinct nodes */
    assert_true(fabs(s.mean_path - 50.0) < 1.5);
    assert_true(s.transitivity == 0);
    weir_topology_stats_free(&s);
    weir_graph_free(g);
}

/* Random directed graphs: hops by repeated relaxation, parts in which nodes reach each other by what that
 * gives. */
static void directed(void **state)
{
    (void)state;
    uint64_t x = 7;
    for (int run = 0; run < 300; run++) {
        enum { NODES = 14, NEVER = 1000 };
        uint32_t d[NODES][NODES], links = 4 + run % 30;
        weir_graph_builder *b = weir_graph_builder_new();
        weir_graph *g = NULL;
        weir_topology_stats s;
        for (uint32_t i = 0; i < NODES; i++) {
            weir_graph_add_node(b, NULL, WEIR_ROUTER);
            for (uint32_t j = 0; j < NODES; j++)
                d[i][j] = i == j ? 0 : NEVER;
        }
        uint32_t one_way = 0;
        for (uint32_t k = 0; k < links; k++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const uint32_t u = (uint32_t)(x >> 33) % NODES, v = (uint32_t)(x >> 40) % NODES;
            weir_link l = weir_link_init(u, v);
            l.one_way = x >> 60 & 1;
            weir_graph_add_link(b, l);
            if (u == v)
                continue;
            one_way += l.one_way;
            d[u][v] = 1;
            if (!l.one_way)
                d[v][u] = 1;
        }
        for (uint32_t k = 0; k < NODES; k++)
            for (uint32_t i = 0; i < NODES; i++)
                for (uint32_t j = 0; j < NODES; j++)
                    if (d[i][k] + d[k][j] < d[i][j])
                        d[i][j] = d[i][k] + d[k][j];
        uint32_t diameter = 0, parts = 0, largest = 0, pairs = 0, hops = 0;
        for (uint32_t i = 0; i < NODES; i++) {
            uint32_t size = 0, first = i;
            for (uint32_t j = 0; j < NODES; j++) {
                diameter = d[i][j] < NEVER && d[i][j] > diameter ? d[i][j] : diameter;
                pairs += i != j && d[i][j] < NEVER;
                hops += d[i][j] < NEVER ? d[i][j] : 0;
                if (d[i][j] < NEVER && d[j][i] < NEVER) {
                    size++;
                    first = j < first ? j : first;
                }
            }
            parts += first == i;
            largest = size > largest ? size : largest;
        }
        assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
        assert_int_equal(weir_topology_info(NULL, g, &s), WEIR_OK);
        assert_int_equal(s.one_way, one_way);
        assert_int_equal(s.diameter, diameter);
        assert_int_equal(s.strong_components, parts);
        assert_int_equal(s.largest_strong, largest);
        assert_true(fabs(s.mean_path - (pairs ? (double)hops / pairs : 0)) < 1e-12);
        weir_topology_stats_free(&s);
        weir_graph_free(g);
        weir_graph_builder_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),       cmocka_unit_test(empty),   cmocka_unit_test(warnings),
        cmocka_unit_test(random_graphs), cmocka_unit_test(sampled), cmocka_unit_test(directed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
