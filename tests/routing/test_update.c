/*
 * What is pinned down: after any sequence of failures, repairs and new costs, an updated table answers as one
 * that is computed from scratch; and what a change cannot affect is left alone.
 */
#include "graphs.h"

#include "routing/algorithm/algorithm.h"

#include <stdio.h>

typedef struct subject {
    weir_graph *graph;
    weir_cost *cost, *first_cost;
    weir_routes *routes;
    weir_routes_options options;
    char label[80];
} subject;

static weir_routes *from_scratch(const subject *s)
{
    weir_routes *routes = NULL;
    weir_routes_options options = s->options;
    options.cost = s->cost;
    assert_int_equal(weir_routes_compute(NULL, s->graph, &options, &routes), WEIR_OK);
    return routes;
}

static subject subject_of(weir_graph *graph, weir_cost *cost)
{
    subject s = {.graph = graph, .cost = cost};
    weir_routes_options_init(&s.options);
    s.options.threads = 1;
    s.first_cost = malloc((graph->n_edges + 1) * sizeof *cost);
    memcpy(s.first_cost, cost, graph->n_edges * sizeof *cost);
    s.routes = from_scratch(&s);
    return s;
}

static void subject_free(subject *s)
{
    weir_routes_free(s->routes);
    weir_graph_free(s->graph);
    free(s->cost);
    free(s->first_cost);
}

static void same_as_scratch(const subject *s, const char *what)
{
    weir_routes *const want = from_scratch(s);
    for (uint32_t i = 0; i < s->graph->n_nodes; ++i)
        for (uint32_t j = 0; j < s->graph->n_nodes; ++j)
            if (weir_routes_port(want, i, j) != weir_routes_port(s->routes, i, j))
                fail_msg("%s, %s: port of %u toward %u is %u, want %u", s->label, what, i, j,
                         weir_routes_port(s->routes, i, j), weir_routes_port(want, i, j));
    weir_routes_free(want);
}

static weir_route_updated change(subject *s, const weir_route_change *changes, uint32_t n)
{
    weir_route_updated updated = {0};
    assert_int_equal(
        weir_routes_update(NULL, s->routes, s->graph, s->cost, changes, n, &s->options, &updated), WEIR_OK);
    return updated;
}

/* A failure, a repair, or a new cost, of one direction or of both. */
static uint32_t random_change(const subject *s, weir_cost max_cost, uint64_t *seed, weir_route_change *out)
{
    uint32_t e = below(seed, s->graph->n_edges);
    e = weir_edge_exists(s->graph, e) ? e : s->graph->reverse[e];
    out[0].edge = e;
    if (s->cost[e] == WEIR_COST_DOWN)
        out[0].cost = s->first_cost[e] == WEIR_COST_DOWN ? 1 : s->first_cost[e];
    else
        out[0].cost = below(seed, 2) ? WEIR_COST_DOWN : 1 + rnd(seed) % max_cost;
    if (below(seed, 3) || !weir_edge_exists(s->graph, s->graph->reverse[e]))
        return 1;
    out[1].edge = s->graph->reverse[e];
    out[1].cost = 1 + rnd(seed) % max_cost;
    return 2;
}

static void sequence(graph_kind kind, uint32_t n, weir_cost max_cost, uint32_t steps)
{
    uint64_t seed = 31 * n + kind;
    weir_graph *const graph = random_graph(kind, n, 1, seed);
    subject s = subject_of(graph, random_costs(graph, max_cost, 10, seed + 1));
    snprintf(s.label, sizeof s.label, "%s of %u nodes, costs to %llu", kind_name[kind], n,
             (unsigned long long)max_cost);
    for (uint32_t step = 0; step < steps && graph->n_edges > 0; ++step) {
        weir_route_change changes[8];
        char what[30];
        uint32_t count = 0;
        for (uint32_t links = 1 + (step % 3 == 2) * below(&seed, 4); links > 0; --links)
            count += random_change(&s, max_cost, &seed, changes + count);
        change(&s, changes, count);
        snprintf(what, sizeof what, "step %u", step);
        same_as_scratch(&s, what);
    }
    subject_free(&s);
}

static void sequences_by_hops(void **state)
{
    (void)state;
    for (graph_kind kind = TREE; kind < N_GRAPH_KINDS; ++kind) {
        sequence(kind, 12, 1, 60);
        sequence(kind, 90, 1, 30);
    }
}

static void sequences_by_cost(void **state)
{
    (void)state;
    for (graph_kind kind = TREE; kind < N_GRAPH_KINDS; ++kind) {
        sequence(kind, 12, 4, 60);
        sequence(kind, 90, 4, 30);
        sequence(kind, 90, WI_COST32_MAX / 128, 15);
        sequence(kind, 90, UINT64_C(1) << 40, 15);
    }
}

/* All links of a node go and come back: its failure and repair. */
static void node_failure(void **state)
{
    (void)state;
    weir_graph *const graph = random_graph(DENSE, 200, 1, 3);
    subject s = subject_of(graph, random_costs(graph, 9, 0, 4));
    weir_route_change changes[200];
    const uint32_t node = 17, first = graph->first[node], n = graph->first[node + 1] - first;
    assert_in_range(n, 2, 200);
    for (int down = 1; down >= 0; --down) {
        for (uint32_t k = 0; k < n; ++k)
            changes[k] = (weir_route_change){first + k, down ? WEIR_COST_DOWN : s.first_cost[first + k]};
        change(&s, changes, n);
        same_as_scratch(&s, down ? "node down" : "node up");
    }
    assert_memory_equal(s.cost, s.first_cost, graph->n_edges * sizeof *s.cost);
    subject_free(&s);
}

/* Two rings that share one node: a failure in one leaves ways within the other alone. */
static void only_where_affected(void **state)
{
    (void)state;
    enum { RING = 40 };
    uint32_t links[2 * RING][2];
    for (uint32_t i = 0; i < RING; ++i) {
        links[i][0] = i;
        links[i][1] = (i + 1) % RING;
        links[RING + i][0] = i ? RING + i - 1 : 0;
        links[RING + i][1] = i + 1 < RING ? RING + i : 0;
    }
    weir_graph *const graph = graph_of(2 * RING - 1, links, 2 * RING, NULL);
    subject s = subject_of(graph, random_costs(graph, 1, 0, 0));
    const uint32_t e = graph->first[20]; /* between 19 and 20, opposite to the shared node */
    assert_int_equal(graph->target[e], 19);
    weir_route_updated done = change(&s, &(weir_route_change){e, WEIR_COST_DOWN}, 1);
    same_as_scratch(&s, "link down");
    /* Over that link lead ways to the first ring's other nodes, and none to the second ring's: node 20 is as
     * far from the shared node by either side, and its port 0 leads there; one entry a destination moves. */
    assert_false(done.whole);
    assert_in_range(done.destinations, 1, RING);
    assert_in_range(done.entries, 1, RING);
    done = change(&s, &(weir_route_change){e, 1}, 1);
    same_as_scratch(&s, "link up");
    assert_in_range(done.destinations, 1, RING);
    /* A cost that stays: nothing happens. */
    done = change(&s, &(weir_route_change){e, 1}, 1);
    assert_int_equal(done.destinations + done.entries, 0);
    subject_free(&s);
}

enum { RING_NODES = 6, HANGING = 60 };

/* A ring with nodes that hang from it or from each other: node i > 5 from parent[i], its first port. */
static subject ring_with_trees(uint32_t *parent, uint32_t *subtree)
{
    enum { N = RING_NODES + HANGING };
    uint32_t links[N][2];
    uint64_t seed = 5;
    for (uint32_t i = 0; i < RING_NODES; ++i) {
        links[i][0] = i;
        links[i][1] = (i + 1) % RING_NODES;
    }
    for (uint32_t i = RING_NODES; i < N; ++i) {
        parent[i] = below(&seed, i);
        links[i][0] = i;
        links[i][1] = parent[i];
        subtree[i] = 1;
    }
    for (uint32_t i = N - 1; i >= RING_NODES; --i)
        if (parent[i] >= RING_NODES)
            subtree[parent[i]] += subtree[i];
    weir_graph *const graph = graph_of(N, links, N, NULL);
    subject s = subject_of(graph, random_costs(graph, 9, 0, 6));
    snprintf(s.label, sizeof s.label, "ring with trees");
    return s;
}

static uint32_t up_of(const subject *s, const uint32_t *parent, uint32_t node)
{
    uint32_t e = s->graph->first[node];
    while (s->graph->target[e] != parent[node])
        ++e;
    return e;
}

/* A link of a hanging tree fails, and another below it; they come back in the order they went. Nothing is
 * computed: just the nodes below move. */
static void links_of_trees(void **state)
{
    (void)state;
    uint32_t parent[RING_NODES + HANGING], subtree[RING_NODES + HANGING];
    subject s = ring_with_trees(parent, subtree);
    for (uint32_t y = RING_NODES; y < RING_NODES + HANGING; ++y) {
        const uint32_t x = parent[y];
        if (x < RING_NODES)
            continue;
        const uint32_t up_x = up_of(&s, parent, x), up_y = up_of(&s, parent, y);
        const weir_route_change steps[] = {{up_x, WEIR_COST_DOWN},
                                           {s.graph->reverse[up_y], WEIR_COST_DOWN},
                                           {up_x, s.first_cost[up_x]},
                                           {s.graph->reverse[up_y], 3}};
        const uint32_t moved[] = {subtree[x], subtree[y], subtree[x] - subtree[y], subtree[y]};
        for (int k = 0; k < 4; ++k) {
            const weir_route_updated done = change(&s, &steps[k], 1);
            same_as_scratch(&s, k < 2 ? "tree link down" : "tree link up");
            assert_false(done.whole);
            assert_int_equal(done.destinations + done.entries, 0);
            assert_int_equal(done.moved, moved[k]);
        }
    }
    subject_free(&s);
}

/* A node in a tree fails with all its links, together with one of the ring, and comes back. */
static void nodes_of_trees(void **state)
{
    (void)state;
    uint32_t parent[RING_NODES + HANGING], subtree[RING_NODES + HANGING];
    subject s = ring_with_trees(parent, subtree);
    for (uint32_t x = RING_NODES; x < RING_NODES + HANGING; ++x) {
        const uint32_t first = s.graph->first[x], n = s.graph->first[x + 1] - first;
        const uint32_t ring = s.graph->first[x % RING_NODES];
        weir_route_change changes[HANGING + 2];
        if (n > 30)
            continue;
        for (int down = 1; down >= 0; --down) {
            for (uint32_t k = 0; k < n; ++k)
                changes[k] = (weir_route_change){first + k, down ? WEIR_COST_DOWN : s.first_cost[first + k]};
            changes[n] = (weir_route_change){ring, down ? WEIR_COST_DOWN : s.first_cost[ring]};
            const weir_route_updated done = change(&s, changes, n + 1);
            same_as_scratch(&s, down ? "node and ring down" : "node and ring up");
            assert_false(done.whole);
            assert_true(done.moved >= subtree[x]);
        }
    }
    subject_free(&s);
}

/* More pieces than a table has numbers for: computed anew, and so are new ways to what was cut off then. */
static void many_pieces(void **state)
{
    (void)state;
    uint32_t parent[RING_NODES + HANGING], subtree[RING_NODES + HANGING];
    weir_route_change changes[HANGING];
    subject s = ring_with_trees(parent, subtree);
    for (int down = 1; down >= 0; --down) {
        for (uint32_t k = 0; k < HANGING; ++k) {
            const uint32_t up = up_of(&s, parent, RING_NODES + k);
            changes[k] = (weir_route_change){up, down ? WEIR_COST_DOWN : s.first_cost[up]};
        }
        assert_true(change(&s, changes, HANGING - 1).whole);
        same_as_scratch(&s, down ? "all down" : "all up");
    }
    for (uint32_t k = 0; k < 32; ++k) { /* as many as are promised */
        changes[k].cost = WEIR_COST_DOWN;
        assert_false(change(&s, &changes[k], 1).whole);
    }
    same_as_scratch(&s, "32 pieces");
    subject_free(&s);
}

static void refuse_nonsense(void **state)
{
    (void)state;
    weir_graph *const graph = random_graph(SPARSE, 20, 1, 1);
    subject s = subject_of(graph, random_costs(graph, 1, 0, 1));
    weir_diag *const diag = weir_diag_new();
    const weir_route_change wrong[] = {{graph->n_edges, 1}, {0, 0}, {0, WEIR_COST_MAX + 1}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
        assert_int_equal(
            weir_routes_update(diag, s.routes, graph, s.cost, &wrong[k], 1, k ? &s.options : NULL, NULL),
            WEIR_E_ARG);
    assert_int_equal(weir_diag_count(diag), 3);
    assert_memory_equal(s.cost, s.first_cost, graph->n_edges * sizeof *s.cost);
    same_as_scratch(&s, "after nonsense");
    weir_diag_free(diag);
    subject_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_by_hops), cmocka_unit_test(sequences_by_cost),
        cmocka_unit_test(node_failure),      cmocka_unit_test(only_where_affected),
        cmocka_unit_test(links_of_trees),    cmocka_unit_test(nodes_of_trees),
        cmocka_unit_test(many_pieces),       cmocka_unit_test(refuse_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
