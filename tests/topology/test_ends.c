/* weir_topology_ends says of every generator, over a grid of its parameters, how many nodes the graph has that traffic goes between. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "generating.h"

static double said(const char *model, const char *text)
{
    weir_generator_arg args[WEIR_GENERATOR_PARAMS_MAX];
    char copy[800];
    weir_diag *diag = weir_diag_new();
    double ends = -1.0;
    snprintf(copy, sizeof copy, "%s", text);
    assert_int_equal(weir_topology_ends(diag, model, args, generator_args(copy, args), &ends), WEIR_OK);
    weir_diag_free(diag);
    return ends;
}

/* As a scenario's `pairs: all` counts them. */
static double counted(const char *model, const char *text)
{
    weir_graph *g = generated(model, text, 3);
    uint32_t n[2] = {0, 0};
    for (uint32_t v = 0; v < g->n_nodes; v++)
        n[g->role[v] == WEIR_HOST] += degree_of(g, v) > 0;
    weir_graph_free(g);
    return n[1] ? n[1] : n[0];
}

static const struct {
    const char *model, *text;
} known[] = {{"dumbbell", "left=7"},
             {"dumbbell", "left=7 right=3"},
             {"parking-lot", "hops=5"},
             {"star", "hosts=9"},
             {"line", "routers=6"},
             {"line", "routers=6 hosts=3"},
             {"ring", "routers=5 hosts=2 one_way=yes"},
             {"grid", "width=4 height=3"},
             {"torus", "width=4 height=3 hosts=2"},
             {"fat-tree", "k=4"},
             {"fat-tree", "k=6"},
             {"leaf-spine", "leaves=3 hosts=5"},
             {"rail", "groups=2 servers=3 rails=4"},
             {"dragonfly", ""},
             {"dragonfly", "a=3 p=0 h=1"},
             {"dragonfly", "a=3 p=2 h=1 groups=3"},
             {"campus", "campuses=3"},
             {"campus", "campuses=2 lan_hosts=5"},
             {"erdos-renyi", "nodes=50 p=0.05"},
             {"random-regular", "nodes=30 degree=4"},
             {"waxman", "N=80"},
             {"waxman", "nodes=60 growth=all"},
             {"barabasi-albert", "N=70 m=3"},
             {"barabasi-albert", "N=70 level=as"},
             {"ba-2", "N=90"},
             {"glp", "N=75"},
             {"top-down", "as_N=5 rt_N=20"},
             {"bottom-up", "rt_N=120"}};
enum { KNOWN = sizeof known / sizeof *known };

static void says_what_there_is(void **state)
{
    (void)state;
    for (int i = 0; i < KNOWN; i++)
        if (said(known[i].model, known[i].text) != counted(known[i].model, known[i].text))
            fail_msg("%s %s: said %g, counted %g", known[i].model, known[i].text,
                     said(known[i].model, known[i].text), counted(known[i].model, known[i].text));
}

static void each_generator_is_known(void **state)
{
    (void)state;
    size_t n = 0;
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (int k = 0; k < KNOWN; k++)
            found |= strcmp(known[k].model, all[i]->name) == 0;
        if (!found)
            fail_msg("no case of %s", all[i]->name);
    }
}

/* Nodes that nothing joins are not counted as ends, and only the graph knows them. */
static void parts_that_are_kept_are_not_known(void **state)
{
    (void)state;
    assert_true(said("erdos-renyi", "nodes=50 p=0.01 parts=keep") == 0.0);
    assert_true(said("waxman", "N=50 parts=keep") == 0.0);
    assert_true(said("ba-2", "N=50 parts=keep") == 0.0);
}

static void errors_are_those_of_the_generator(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    const weir_generator_arg arg = {"hosst", "3", "s.yaml", 4, 2};
    double ends = 1.0;
    assert_int_equal(weir_topology_ends(diag, "star", &arg, 1, &ends), WEIR_E_SCENARIO);
    assert_true(ends == 0.0);
    assert_int_equal(weir_topology_ends(diag, "stra", NULL, 0, &ends), WEIR_E_SCENARIO);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_there_is),
        cmocka_unit_test(each_generator_is_known),
        cmocka_unit_test(parts_that_are_kept_are_not_known),
        cmocka_unit_test(errors_are_those_of_the_generator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
