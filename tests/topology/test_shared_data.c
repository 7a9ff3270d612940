/*
 * Real topologies, read whole: sizes as the data's own documentation states them; diameters, mean paths and
 * clustering of the Topology Zoo files as networkx computes them; those of three SNAP graphs as SNAP
 * publishes them. The data is found by WEIR_DATA, by default ../shared/data beside the source; where it is
 * not, this test skips and says so.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "skip.h"
#include "weir/topology.h"

typedef struct known {
    const char *path;
    uint32_t nodes, links, loops, parallel, components, placed, rated;
    uint32_t diameter; /* 0: not compared */
    double mean_path, clustering;
} known;

static const known all[] = {
    {"topology-zoo/Abilene.graphml", 11, 14, 0, 0, 1, 11, 0, 5, 2.418182, 0.151515},
    {"topology-zoo/AttMpls.graphml", 25, 57, 0, 1, 1, 25, 0, 5, 2.383333, 0.556127},
    {"topology-zoo/Bics.graphml", 33, 48, 0, 0, 1, 33, 0, 8, 3.606061, 0.141558},
    {"topology-zoo/Cogentco.graphml", 197, 245, 0, 2, 1, 186, 0, 28, 10.510411, 0.012086},
    {"topology-zoo/Colt.graphml", 153, 191, 0, 14, 1, 149, 0, 20, 8.345029, 0.039636},
    {"topology-zoo/Geant2012.graphml", 40, 61, 0, 0, 1, 37, 39, 8, 3.528205, 0.154405},
    {"topology-zoo/Kdl.graphml", 754, 899, 0, 4, 1, 726, 0, 58, 22.726544, 0.028338},
    {"topology-zoo/Uninett2010.graphml", 74, 101, 0, 0, 1, 74, 98, 9, 4.583117, 0.030180},
    {"topology-zoo/UsCarrier.graphml", 158, 189, 0, 0, 1, 152, 0, 35, 12.090301, 0.058228},
    {"topology-zoo/Zamren.graphml", 36, 34, 0, 0, 2, 14, 3, 10, 5.310924, 0},
    {"as-graph/20150201.as-rel.every40th.txt", 4758, 4746, 0, 0, 736, 0, 0, 0, 0, -1},
    {"as-graph/as-caida20071105.txt.gz", 26475, 53381, 0, 0, 1, 0, 0, 17, 0, 0.2082},
    {"as-graph/as20000102.txt.gz", 6474, 12572, 1323, 0, 1, 0, 0, 9, 0, 0.2522},
    {"as-graph/p2p-Gnutella08.txt.gz", 6301, 20777, 0, 0, 2, 0, 0, 9, 0, 0.0109},
    {"rocketfuel/1755.cch", 300, 548, 1, 0, 1, 0, 0, 0, 0, -1},
    {"rocketfuel/1755.r0.cch", 172, 381, 1, 0, 1, 0, 0, 0, 0, -1},
    {"rocketfuel/1755.r1.cch", 295, 543, 1, 0, 1, 0, 0, 0, 0, -1},
    {"rocketfuel/3967.r0.cch", 215, 443, 0, 0, 9, 0, 0, 0, 0, -1},
    {"rocketfuel/4755.cch", 291, 334, 1, 0, 18, 0, 0, 0, 0, -1},
    {"rocketfuel/7018.cch.gz", 11800, 14293, 6, 0, 24, 0, 0, 0, 0, -1},
    {"rocketfuel/7018.r0.cch", 656, 2078, 0, 0, 26, 0, 0, 0, 0, -1},
    {"rocketfuel/7018.r1.cch.gz", 9430, 11678, 4, 0, 5, 0, 0, 0, 0, -1},
    {"brite/found/RTBarabasi20CONS.brite", 20, 37, 0, 0, 1, 20, 37, 0, 0, -1},
    {"brite/found/RTWaxman20UNI.brite", 20, 40, 0, 0, 1, 20, 40, 0, 0, -1},
    {"brite/found/scion-topo1.java.brite", 50, 150, 0, 0, 1, 50, 150, 0, 0, -1},
    {"brite/made/asbarabasi_60.cpp.brite", 60, 117, 0, 0, 1, 60, 117, 0, 0, -1},
    {"brite/made/asbarabasi_60.java.brite", 60, 117, 0, 0, 1, 60, 117, 0, 0, -1},
    {"brite/made/bu_100.cpp.brite", 100, 200, 0, 0, 1, 100, 200, 0, 0, -1},
    {"brite/made/bu_100.java.brite", 100, 200, 0, 0, 1, 100, 200, 0, 0, -1},
    {"brite/made/rtba2_200.cpp.brite", 200, 607, 0, 89, 1, 200, 607, 0, 0, -1}, /* its header says 691 */
    {"brite/made/rtba2_200.java.brite", 200, 619, 0, 0, 1, 200, 619, 0, 0, -1},
    {"brite/made/rtbarabasi_100.cpp.brite", 100, 197, 0, 0, 1, 100, 197, 0, 0, -1},
    {"brite/made/rtglp_200.cpp.brite", 200, 353, 0, 0, 1, 200, 353, 0, 0, -1},
    {"brite/made/rtglp_200.java.brite", 200, 350, 0, 0, 1, 200, 350, 0, 0, -1},
    {"brite/made/rtwaxman_100.cpp.brite", 100, 200, 0, 0, 1, 100, 200, 0, 0, -1},
    {"brite/made/rtwaxman_100.java.brite", 100, 200, 0, 0, 1, 100, 200, 0, 0, -1},
    {"brite/made/td_10x100.cpp.brite.gz", 1000, 2017, 0, 0, 1, 1000, 2017, 0, 0, -1},
    {"brite/made/td_10x100.java.brite.gz", 1000, 2017, 0, 0, 1, 1000, 17, 0, 0, -1},
    {"brite/made/td_4x15.cpp.brite", 60, 125, 0, 0, 1, 60, 125, 0, 0, -1},
    {"brite/made/td_4x15.java.brite", 60, 125, 0, 0, 1, 60, 5, 0, 0, -1},
    {"ns3-topology-read/RocketFuel_sample_4755.r0.cch_maps.txt", 12, 12, 0, 0, 2, 0, 0, 0, 0, -1},
    {"ns3-topology-read/Orbis_toposample.txt", 1423, 2769, 0, 0, 1, 0, 0, 0, 0, -1},
    {"sndlib/abilene.native.txt", 12, 15, 0, 0, 1, 12, 15, 0, 0, -1},
    {"sndlib/geant.native.txt", 22, 36, 0, 0, 1, 22, 0, 0, 0, -1},
    {"sndlib/germany50.native.txt", 50, 88, 0, 0, 1, 50, 0, 0, 0, -1},
    {"sndlib/polska.native.txt", 12, 18, 0, 0, 1, 12, 0, 0, 0, -1},
    {"sndlib/abilene.xml", 12, 15, 0, 0, 1, 12, 15, 0, 0, -1},
    {"sndlib/polska.xml", 12, 18, 0, 0, 1, 12, 0, 0, 0, -1},
    {"rocketfuel/1221.latencies.intra", 108, 153, 0, 0, 3, 0, 0, 0, 0, -1},
    {"rocketfuel/1221.weights.intra", 108, 153, 0, 0, 3, 0, 0, 0, 0, -1},
    {"rocketfuel/1755.latencies.intra", 87, 161, 0, 0, 1, 0, 0, 0, 0, -1},
    {"rocketfuel/1755.weights.intra", 87, 161, 0, 0, 1, 0, 0, 0, 0, -1},
    {"rocketfuel/3967.latencies.intra", 79, 147, 0, 0, 1, 0, 0, 0, 0, -1},
    {"rocketfuel/3967.weights.intra", 79, 147, 0, 0, 1, 0, 0, 0, 0, -1},
};

static weir_graph *load(const char *path)
{
    const char *const full = data_path(path);
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    if (weir_topology_load(diag, full, NULL, &g) != WEIR_OK)
        fail_msg("%s: %s", full, weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    weir_diag_free(diag);
    return g;
}

static void check(const known *k, const weir_topology_stats *s)
{
    const known got = {k->path,
                       s->nodes,
                       s->links,
                       s->self_loops,
                       s->parallel,
                       s->components,
                       s->nodes - s->nodes_without_xy,
                       s->links - s->links_without_rate,
                       k->diameter ? s->diameter : 0,
                       0,
                       0};
    const bool same =
        memcmp(&got.nodes, &k->nodes, offsetof(known, mean_path) - offsetof(known, nodes)) == 0 &&
        (k->mean_path == 0 || fabs(s->mean_path - k->mean_path) < 1e-6) &&
        (k->clustering < 0 || fabs(s->clustering - k->clustering) < 5e-5);
    if (!same)
        fail_msg("%s: %u nodes, %u links, %u loops, %u parallel, %u components, %u placed, %u rated, "
                 "diameter %u, mean "
                 "path %.6f, clustering %.6f",
                 k->path, got.nodes, got.links, got.loops, got.parallel, got.components, got.placed,
                 got.rated, s->diameter, s->mean_path, s->clustering);
}

static void sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_graph *g = load(all[i].path);
        weir_topology_stats s;
        assert_int_equal(weir_topology_info(NULL, g, &s), WEIR_OK);
        check(&all[i], &s);
        weir_topology_stats_free(&s);
        weir_graph_free(g);
    }
}

static void backbone_of_att(void **state)
{
    weir_graph *g = load("rocketfuel/7018.cch.gz");
    uint32_t backbone = 0;
    (void)state;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        backbone += g->node_class[v] == WEIR_CLASS_BACKBONE;
    assert_int_equal(backbone, 530);
    weir_graph_free(g);
}

/* New York - Chicago is 1,145 km apart: 5.7 ms in fibre. */
static void delays_of_abilene(void **state)
{
    weir_graph *g = load("topology-zoo/Abilene.graphml");
    weir_link_defaults d;
    weir_fill_report r;
    (void)state;
    weir_link_defaults_init(&d);
    assert_int_equal(weir_graph_fill(NULL, g, &d, &r), WEIR_OK);
    assert_int_equal(r.rates_filled, 14);
    assert_int_equal(r.delays_from_xy, 14);
    assert_int_equal(r.delays_filled, 0);
    const uint32_t u = weir_graph_find(g, "New York"), v = weir_graph_find(g, "Chicago");
    assert_true(u != UINT32_MAX && v != UINT32_MAX);
    uint32_t joined = 0;
    for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++)
        if (g->target[e] == v) {
            assert_true(llabs(g->delay_ps[e] - 5725 * WEIR_PS_PER_US) < 30 * WEIR_PS_PER_US);
            joined++;
        }
    assert_int_equal(joined, 1);
    weir_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(backbone_of_att),
        cmocka_unit_test(delays_of_abilene),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
