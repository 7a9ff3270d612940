/*
 * What is pinned down: trees on demand are weir_route_tree's, whatever was forgotten in between; nix-vectors
 * lead along the tables' paths, in the bits that the ports need.
 */
#include "graphs.h"

static void cache_of(uint32_t room, weir_route_cache **out, const weir_graph *graph, const weir_cost *cost)
{
    const uint64_t each = (graph->n_nodes + UINT64_C(1)) * 2 + 12;
    assert_int_equal(weir_route_cache_new(NULL, graph, cost, room * each, out), WEIR_OK);
    assert_int_equal(weir_route_cache_room(*out), room ? room : 1);
}

static void trees_whatever_was_kept(void **state)
{
    (void)state;
    enum { N = 60 };
    uint64_t seed = 5;
    weir_graph *const graph = random_graph(MULTIHOMED, N, 1, 2);
    weir_cost *const cost = random_costs(graph, 9, 5, 3);
    weir_route_space *const space = weir_route_space_new(graph);
    for (uint32_t room = 0; room <= 8; room += 2) {
        weir_route_cache *cache;
        cache_of(room, &cache, graph, cost);
        for (int k = 0; k < 500; ++k) {
            const uint32_t dst = below(&seed, k % 2 ? N : 5);
            const uint16_t *port;
            uint16_t want[N];
            assert_int_equal(weir_route_tree(NULL, graph, cost, dst, space, NULL, want), WEIR_OK);
            assert_int_equal(weir_route_cache_ports(NULL, cache, dst, &port), WEIR_OK);
            assert_memory_equal(port, want, sizeof want);
        }
        weir_route_cache_free(cache);
    }
    weir_route_space_free(space);
    free(cost);
    weir_graph_free(graph);
}

/* Room for three: 1 2 3 are kept; 1 again makes 2 the oldest; 4 takes its place. */
static void least_recently_asked_goes(void **state)
{
    (void)state;
    weir_graph *const graph = random_graph(DENSE, 30, 1, 2);
    weir_cost *const cost = random_costs(graph, 1, 0, 3);
    const uint32_t asked[] = {1, 2, 3, 1, 4, 1, 3, 4, 2};
    const uint64_t computed[] = {1, 2, 3, 3, 4, 4, 4, 4, 5};
    weir_route_cache *cache;
    const uint16_t *port;
    cache_of(3, &cache, graph, cost);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; ++k) {
        assert_int_equal(weir_route_cache_ports(NULL, cache, asked[k], &port), WEIR_OK);
        assert_int_equal(weir_route_cache_computed(cache), computed[k]);
    }
    for (uint32_t e = 0; e < graph->n_edges; ++e)
        cost[e] = WEIR_COST_DOWN;
    weir_route_cache_forget(cache);
    assert_int_equal(weir_route_cache_ports(NULL, cache, 2, &port), WEIR_OK);
    assert_int_equal(port[3], WEIR_NO_PORT);
    assert_int_equal(weir_route_cache_ports(NULL, cache, 30, &port), WEIR_E_ARG);
    assert_int_equal(weir_route_cache_ports(NULL, cache, 2, &port), WEIR_OK);
    weir_route_cache_free(cache);
    free(cost);
    weir_graph_free(graph);
}

static void nix_follows(const weir_graph *graph, const weir_cost *cost, const weir_routes *routes,
                        weir_route_space *space, uint32_t from, uint32_t to)
{
    uint8_t bits[64];
    weir_nix nix;
    uint32_t edges[64], at_bit = 0, at = from;
    memset(bits, 0xaa, sizeof bits);
    assert_int_equal(weir_nix_find(NULL, graph, cost, from, to, space, bits, sizeof bits, &nix), WEIR_OK);
    const uint32_t hops = weir_routes_path(routes, graph, from, to, edges, 64);
    assert_int_equal(nix.n_hops, hops);
    if (hops == WEIR_UNREACHABLE)
        return;
    for (uint32_t k = 0; k < hops; ++k) {
        const uint32_t port = weir_nix_next(bits, graph->first[at + 1] - graph->first[at], &at_bit);
        assert_int_equal(graph->first[at] + port, edges[k]);
        at = graph->target[edges[k]];
    }
    assert_int_equal(at, to);
    assert_int_equal(at_bit, nix.n_bits);
}

/* Of a graph of so many nodes, so many pairs: in turn, or spread where there are more of them. */
static void nix_follows_tables(weir_graph *graph, uint32_t max_cost, uint64_t seed, uint32_t pairs)
{
    weir_cost *const cost = random_costs(graph, max_cost, 5, seed);
    weir_route_space *const space = weir_route_space_new(graph);
    const uint32_t n = graph->n_nodes;
    weir_routes *routes;
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.cost = cost;
    options.threads = 1;
    assert_int_equal(weir_routes_compute(NULL, graph, &options, &routes), WEIR_OK);
    for (uint32_t k = 0; k < pairs; ++k) {
        const uint32_t pair = (uint32_t)((uint64_t)k * n * n / pairs);
        nix_follows(graph, cost, routes, space, pair / n, pair % n);
    }
    weir_routes_free(routes);
    weir_route_space_free(space);
    free(cost);
    weir_graph_free(graph);
}

/* All pairs of small graphs; and of larger ones some, whose paths are longer and many of equal cost: searches from both ends meet
 * anywhere. */
static void nix_vectors_follow_the_tables(void **state)
{
    enum { SMALL = 50, LARGE = 400, PAIRS = 3001 };
    (void)state;
    for (graph_kind kind = TREE; kind < N_GRAPH_KINDS; ++kind) {
        for (uint32_t max_cost = 1; max_cost < 100; max_cost += 40)
            nix_follows_tables(random_graph(kind, SMALL, 1, kind), max_cost, 3, SMALL * SMALL);
        for (uint32_t max_cost = 1; max_cost <= 3; ++max_cost)
            nix_follows_tables(random_graph(kind, LARGE, 2, kind), max_cost, 7, PAIRS);
    }
}

/* 0 - 1 - 2 - 3 with two more links at 1 and one at 2. Node 0 has one port: no bits. Node 1 has four, two
 * bits; its port to 2 is 1. Node 2 has three, two bits; its port to 3 is 1. So 4 bits: 01 01, lowest first:
 * 0b0101. */
static void bits_by_hand(void **state)
{
    (void)state;
    static const uint32_t links[][2] = {{0, 1}, {1, 2}, {2, 3}, {1, 4}, {1, 5}, {2, 6}};
    weir_graph *const graph = graph_of(7, links, 6, NULL);
    weir_cost *const cost = random_costs(graph, 1, 0, 0);
    weir_route_space *const space = weir_route_space_new(graph);
    uint8_t bits[2] = {0xff, 0xff};
    weir_nix nix;
    assert_int_equal(weir_nix_find(NULL, graph, cost, 0, 3, space, bits, 2, &nix), WEIR_OK);
    assert_int_equal(nix.n_hops, 3);
    assert_int_equal(nix.n_bits, 4);
    assert_int_equal(bits[0], 5);
    assert_int_equal(bits[1], 0xff);
    assert_int_equal(weir_nix_find(NULL, graph, cost, 0, 3, space, NULL, 0, &nix), WEIR_OK);
    assert_int_equal(nix.n_bits, 4);
    assert_int_equal(weir_nix_find(NULL, graph, cost, 3, 3, space, bits, 2, &nix), WEIR_OK);
    assert_int_equal(nix.n_hops, 0);
    assert_int_equal(weir_nix_find(NULL, graph, cost, 7, 3, space, bits, 2, &nix), WEIR_E_ARG);
    assert_int_equal(weir_nix_find(NULL, graph, cost, 0, 7, space, bits, 2, &nix), WEIR_E_ARG);
    assert_int_equal(weir_nix_width(1), 0);
    assert_int_equal(weir_nix_width(2), 1);
    assert_int_equal(weir_nix_width(5), 3);
    assert_int_equal(weir_nix_width(65535), 16);
    weir_route_space_free(space);
    free(cost);
    weir_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_whatever_was_kept),
        cmocka_unit_test(least_recently_asked_goes),
        cmocka_unit_test(nix_vectors_follow_the_tables),

        cmocka_unit_test(bits_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
