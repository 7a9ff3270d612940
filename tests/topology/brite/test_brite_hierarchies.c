/*
 * BRITE's hierarchies: ASes are connected, links between them are those of the AS graph and end where the
 * parameters say, routers are shared out as asked, and classes follow from where links lead.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "topology/generating.h"

/* Links between ASes are those of the AS graph, which the flat model of the same seed draws; each once. */
static void as_graph_matches(void **state)
{
    static const char *const conns[] = {"random", "smallest-degree", "smallest-nonleaf", "smallest-k"};
    (void)state;
    weir_graph *top = generated("barabasi-albert", "N=40 m=2 level=as", 9);
    for (size_t c = 0; c < 4; c++) {
        char text[200];
        uint32_t between = 0;
        snprintf(text, sizeof text, "as_N=40 as_m=2 rt_N=20 rt_m=2 k=3 edgeConn=%s", conns[c]);
        weir_graph *g = generated("top-down", text, 9);
        assert_int_equal(components_of(g, within_as), 40); /* every AS is connected */
        for (uint32_t u = 0; u < g->n_nodes; u++)
            for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++) {
                const uint32_t a = g->as_number[u] - 1, b = g->as_number[g->target[e]] - 1;
                bool found = false;
                if (a >= b)
                    continue;
                between++;
                assert_true(g->node_class[u] == WEIR_CLASS_BORDER);
                for (uint32_t f = top->first[a]; f < top->first[a + 1]; f++)
                    found |= top->target[f] == b;
                assert_true(found);
            }
        assert_int_equal(between, top->n_edges / 2);
        weir_graph_free(g);
    }
    weir_graph_free(top);
}

/* A star of ASes: AS 1 takes a link to each other one. By smallest degree its routers take turns; with a
 * degree above 2 demanded, routers of degree 2 take none. */
static void edge_connection(void **state)
{
    (void)state;
    weir_graph *g = generated("top-down", "edgeConn=smallest-degree as_N=12 as_m=1 rt_N=6 rt_m=2", 4);
    for (uint32_t a = 0; a < 12; a++) {
        uint32_t most = 0, least = UINT32_MAX, borders = 0;
        for (uint32_t v = 6 * a; v < 6 * a + 6; v++) {
            uint32_t inside = 0;
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
                inside += within_as(g, v, g->target[e]);
            borders += inside < degree_of(g, v);
            if (inside < degree_of(g, v))
                most = most > inside ? most : inside;
            else
                least = least < inside ? least : inside;
        }
        assert_true(borders > 0 && most <= least + degree_of(g, 6 * a)); /* borders begin at the low end */
    }
    weir_graph_free(g);
    g = generated("top-down",
                  "edgeConn=smallest-k k=2 as_N=12 as_m=2 rt_N=30 rt_m=2 rt_model=barabasi-albert", 4);
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        uint32_t inside = 0;
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            inside += within_as(g, v, g->target[e]);
        assert_true(inside == degree_of(g, v) || inside > 2);
    }
    weir_graph_free(g);
}

static void bottom_up(void **state)
{
    static const char *const assigns[] = {"constant", "uniform", "exponential", "heavy-tailed"};
    (void)state;
    for (size_t a = 0; a < 4; a++)
        for (int pick = 0; pick < 2; pick++) {
            char text[200];
            uint32_t size[26] = {0};
            snprintf(text, sizeof text, "engine=model rt_N=1000 rt_m=2 NumAS=25 Grouping=%s AssignType=%s",
                     pick ? "pick" : "walk", assigns[a]);
            weir_graph *g = generated("bottom-up", text, 6);
            for (uint32_t v = 0; v < 1000; v++) {
                assert_true(g->as_number[v] >= 1 && g->as_number[v] <= 25);
                size[g->as_number[v]]++;
            }
            for (uint32_t i = 1; i <= 25; i++)
                assert_true(size[i] >= 1 && (a > 0 || !pick || size[i] == 40));
            if (!pick)
                assert_int_equal(components_of(g, within_as), 25);
            weir_graph_free(g);
        }
}

static void classes(void **state)
{
    uint32_t count[WEIR_CLASS_SERVER] = {0};
    (void)state;
    weir_graph *g = generated("top-down", "as_N=10 rt_N=100", 1);
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        bool border = false;
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            border |= !within_as(g, v, g->target[e]);
        assert_int_equal(border, g->node_class[v] == WEIR_CLASS_BORDER);
        count[g->node_class[v]]++;
    }
    assert_true(count[WEIR_CLASS_NONE] == 0 && count[WEIR_CLASS_LEAF] >= 10 && count[WEIR_CLASS_STUB] > 0 &&
                count[WEIR_CLASS_BACKBONE] > 0);
    weir_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_graph_matches),
        cmocka_unit_test(edge_connection),
        cmocka_unit_test(bottom_up),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
