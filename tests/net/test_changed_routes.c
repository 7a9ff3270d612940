/*
 * A run's forwarding table after failures and repairs.
 *
 * What is pinned down: after any sequence of changes of cost, the table that follows the routes of all pairs is the one that
 * trees computed anew give, whichever routers are rows and whichever nodes columns; and the log of changed entries, laid over
 * the first table, gives the last one, each entry found as the log says that it was. That is all that a run applies.
 */
#include "../routing/graphs.h"

#include <stdio.h>

#include "packets/build/forwarding.h"

enum { NODES = 150, STEPS = 25 };

typedef struct subject {
    weir_graph *graph;
    wi_net_forwarding f;
    uint32_t router[NODES], column[NODES];
    unsigned char *first;
    size_t bytes;
    char label[80];
} subject;

static void subject_init(subject *s, graph_kind kind, uint32_t max_cost, bool all, uint64_t seed)
{
    weir_graph *const graph = random_graph(kind, NODES, 1, seed);
    weir_cost *const cost = random_costs(graph, max_cost, 5, seed + 1);
    *s = (subject){.graph = graph};
    s->f = (wi_net_forwarding){.graph = graph,
                               .will_change = true,
                               .router_node = s->router,
                               .column_node = s->column,
                               .entry_bytes = 1,
                               .cost = cost};
    for (uint32_t v = 0; v < NODES; v++) {
        if (graph->role[v] == WEIR_ROUTER && (all || below(&seed, 3)))
            s->router[s->f.n_routers++] = v;
        if (all || below(&seed, 5))
            s->column[s->f.n_columns++] = v;
    }
    assert_true(wi_net_forwarding_by_pairs(&s->f));
    assert_int_equal(wi_net_forwarding_compute(NULL, &s->f), WEIR_OK);
    s->bytes = (size_t)s->f.n_routers * s->f.n_columns * s->f.entry_bytes;
    s->first = malloc(s->bytes);
    assert_non_null(s->first);
    memcpy(s->first, s->f.table, s->bytes);
    snprintf(s->label, sizeof s->label, "%s, costs to %u, %s nodes", kind_name[kind], max_cost,
             all ? "all" : "some");
}

static void subject_free(subject *s)
{
    wi_net_forwarding_free(&s->f);
    weir_graph_free(s->graph);
    free(s->first);
}

static void same_as_trees(const subject *s, uint32_t step)
{
    weir_route_space *const space = weir_route_space_new(s->graph);
    uint16_t port[NODES];
    for (uint32_t c = 0; c < s->f.n_columns; c++) {
        assert_int_equal(weir_route_tree(NULL, s->graph, s->f.cost, s->column[c], space, NULL, port),
                         WEIR_OK);
        for (uint32_t r = 0; r < s->f.n_routers; r++)
            if (wi_net_forwarding_get(&s->f, r, c) != port[s->router[r]])
                fail_msg("%s, step %u: from %u to %u by port %u, want %u", s->label, step, s->router[r],
                         s->column[c], wi_net_forwarding_get(&s->f, r, c), port[s->router[r]]);
    }
    weir_route_space_free(space);
}

static void log_gives_table(const subject *s)
{
    for (uint64_t k = 0; k < s->f.n_changed; k++) {
        const wi_net_entry_change *const e = &s->f.changed[k];
        assert_int_equal(s->first[e->at], e->before);
        assert_int_not_equal(e->before, e->after);
        s->first[e->at] = (unsigned char)e->after;
    }
    assert_memory_equal(s->first, s->f.table, s->bytes);
}

/* One to four links: each fails, comes back, or costs something else. */
static uint32_t draw(const subject *s, uint32_t max_cost, uint64_t *seed, weir_route_change *out)
{
    const weir_graph *const g = s->graph;
    const uint32_t n = 1 + (below(seed, 3) == 0) * below(seed, 4);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t e = below(seed, g->n_edges);
        e = weir_edge_exists(g, e) ? e : g->reverse[e];
        const bool up = s->f.cost[e] == WEIR_COST_DOWN;
        out[k].edge = e;
        out[k].cost =
            up ? 1 + below(seed, max_cost) : (below(seed, 3) ? WEIR_COST_DOWN : 1 + below(seed, max_cost));
    }
    return n;
}

static void sequence(graph_kind kind, uint32_t max_cost, bool all)
{
    static subject s;
    uint64_t seed = 71 * kind + max_cost + all;
    subject_init(&s, kind, max_cost, all, seed);
    for (uint32_t step = 0; step < STEPS; step++) {
        weir_route_change changes[4];
        const uint32_t n = draw(&s, max_cost, &seed, changes);
        assert_int_equal(wi_net_forwarding_change(NULL, &s.f, changes, n), WEIR_OK);
        same_as_trees(&s, step);
    }
    assert_true(s.f.n_changed > 0);
    log_gives_table(&s);
    subject_free(&s);
}

static void any_sequence_gives_the_routes_computed_anew(void **state)
{
    (void)state;
    for (graph_kind kind = TREE; kind < N_GRAPH_KINDS; kind++)
        for (uint32_t k = 0; k < 4; k++)
            sequence(kind, k & 1 ? 7 : 1, k & 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_sequence_gives_the_routes_computed_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
