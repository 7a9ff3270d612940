/*
 * Topologies of htsim and of ns-3's RDMA fork: our samples link by link, each error with its line; and of the
 * published files the counts that a fat-tree of k ports (5k²/4 switches, 3k³/4 links) and the files' own
 * headers give.
 */
#include <string.h>

#include "../diag.h"
#include "../skip.h"
#include "weir/topology.h"

static weir_graph *load(const char *path)
{
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    expect_ok(diag, weir_topology_load(diag, path, NULL, &g));
    weir_diag_free(diag);
    return g;
}

/* All directions from one node to another have this rate and delay; returns how many they are. */
static int links(const weir_graph *g, const char *from, const char *to, uint64_t gbps, weir_time delay_ns)
{
    const uint32_t a = weir_graph_find(g, from), b = weir_graph_find(g, to);
    int n = 0;
    assert_true(a != UINT32_MAX && b != UINT32_MAX);
    for (uint32_t e = g->first[a]; e < g->end[a]; e++) {
        if (g->target[e] != b)
            continue;
        assert_int_equal(g->rate_bps[e], gbps * 1000000000);
        assert_int_equal(g->delay_ps[e], delay_ns * 1000);
        n++;
    }
    return n;
}

static uint32_t degree(const weir_graph *g, uint32_t node)
{
    return g->end[node] - g->first[node];
}

/* Hosts come first. */
static weir_graph *sample(const char *path, uint32_t hosts, uint32_t nodes, uint64_t edges)
{
    weir_graph *g = load(path);
    assert_int_equal(g->n_nodes, nodes);
    assert_int_equal(g->n_edges, edges);
    for (uint32_t v = 0; v < nodes; v++)
        assert_int_equal(g->role[v], v < hosts ? WEIR_HOST : WEIR_ROUTER);
    return g;
}

static void an_ns3_sample(void **state)
{
    (void)state;
    weir_graph *g = sample(WEIR_SOURCE_DIR "/tests/topology/fuzz/corpus_ns3_rdma/small.txt", 3, 5, 10);
    assert_int_equal(links(g, "0", "3", 10, 1000), 1);
    assert_int_equal(links(g, "3", "1", 25, 1000), 1);
    assert_int_equal(links(g, "3", "4", 100, 2000), 2);
    weir_graph_free(g);
}

/* Two servers of two GPUs: NVSwitches are switches too. */
static void a_simai_sample(void **state)
{
    (void)state;
    weir_graph *g = sample(WEIR_SOURCE_DIR "/tests/topology/fuzz/corpus_ns3_rdma/simai.txt", 4, 7, 16);
    assert_int_equal(links(g, "1", "4", 2400, 25), 1);
    assert_int_equal(links(g, "6", "3", 200, 500), 1);
    weir_graph_free(g);
}

/* A switch's latency is paid on the way into it, once in each direction. */
static void an_htsim_sample(void **state)
{
    (void)state;
    weir_graph *g = load(WEIR_SOURCE_DIR "/tests/topology/fuzz/corpus_htsim/small.topo");
    assert_int_equal(g->n_nodes, 8 + 4 + 4 + 4);
    assert_int_equal(g->n_edges, 2 * (8 + 8 + 16));
    assert_int_equal(links(g, "h3", "tor1", 200, 600), 1);
    assert_int_equal(links(g, "tor1", "h3", 200, 500), 1);
    assert_int_equal(links(g, "tor2", "agg3", 200, 800), 1);
    assert_int_equal(links(g, "agg3", "tor2", 200, 700), 1);
    assert_int_equal(links(g, "tor2", "agg1", 200, 0), 0);
    assert_int_equal(links(g, "agg3", "core1", 100, 1000), 2);
    assert_int_equal(links(g, "core3", "agg1", 100, 900), 2);
    assert_int_equal(links(g, "agg3", "core0", 100, 0), 0);
    weir_graph_free(g);
}

#define TOR "Tier 0\nRadix_Down 2\nRadix_Up 2\n"
#define HEAD "Nodes 4\nTiers 2\nPodsize 4\n"

static const struct {
    const char *format, *text, *says;
} bad[] = {
    {"ns3-rdma", "", "the numbers of nodes, switches and links is missing"},
    {"ns3-rdma", "1 2 3 4\n", ":1: error: 4 fields; want the numbers"},
    {"ns3-rdma", "4 2 3 2 9 A100\n",
     ":1:5: error: the number of NVSwitches is '3'; want a whole number from 0 to 2"},
    {"ns3-rdma", "0 0 0\n", ":1:1: error: a network without nodes"},
    {"ns3-rdma", "2 3 1\n", ":1:3: error: the number of switches is '3'"},
    {"ns3-rdma", "2 1 1\n", "breaks off after 0 of 1 switches"},
    {"ns3-rdma", "2 1 1\n2\n", ":2:1: error: the number of a switch is '2'; want a whole number from 0 to 1"},
    {"ns3-rdma", "3 1 1\n0 1\n", ":2:3: error: more than the 1 switches"},
    {"ns3-rdma", "3 2 1\n0 0\n0 1 1Gbps 1us 0\n", "switch 0 is listed twice"},
    {"ns3-rdma", "2 1 1\n0\n0 2 1Gbps 1us 0\n", ":3:3: error: the number of a node is '2'"},
    {"ns3-rdma", "2 1 1\n0\n0 1 1Gb 1us 0\n", ":3:5: error: rate: "},
    {"ns3-rdma", "2 1 1\n0\n0 1 1Gbps 1 0\n", ":3:11: error: delay: "},
    {"ns3-rdma", "2 1 1\n0\n0 1 1Gbps 1us 0.1\n", ":3:15: error: an error rate above 0"},
    {"ns3-rdma", "2 1 1\n0\n0 1 1Gbps 1us\n", ":3: error: 4 fields; want 5"},
    {"ns3-rdma", "9 1 1\n0\n0 1 1Gbps 1us 0\n", ":1: error: 9 nodes, of which 1 links join 2 at most"},
    {"htsim", "", "Nodes is missing"},
    {"htsim", "Nodes 4\nNodes 4\n", ":2:1: error: Nodes is given twice"},
    {"htsim", "Nodes 4\nTiers 4\n", ":2:7: error: Tiers is '4'; want a whole number from 2 to 3"},
    {"htsim", "Nodes 4\nTiers\n", ":2: error: 1 fields; want 2"},
    {"htsim", HEAD "Bundle 1\n", ":4:1: error: Bundle before any tier"},
    {"htsim", HEAD "Tier 0\nQueue_up 5\n", ":5:1: error: Queue_up is not taken from a file"},
    {"htsim", HEAD "Tier 0\nColour 5\n", ":5:1: error: no key 'Colour'"},
    {"htsim", HEAD "Tier 0\nTier 0\n", ":5:6: error: tier 0 is given twice, first at line 4"},
    {"htsim", HEAD "Tier 0\nBundle 1\nBundle 1\n", ":6:1: error: Bundle is given twice"},
    {"htsim", HEAD TOR, "2 tiers are stated, and tier 1 is missing"},
    {"htsim", HEAD TOR "Tier 1\nRadix_Down 2\nTier 2\n",
     ":9: error: 2 tiers are stated, and tier 2 is given"},
    {"htsim", HEAD "Tier 0\nRadix_Down 2\nTier 1\nRadix_Down 2\n", ":4: error: tier 0: Radix_Up is missing"},
    {"htsim", HEAD TOR "Tier 1\nRadix_Down 3\n", ":7: error: tier 1: Radix_Down is not a bundle to each"},
    {"htsim", HEAD TOR "Oversubscribed 2\nTier 1\nRadix_Down 2\n",
     ":4: error: tier 0: Oversubscribed is not"},
    {"htsim", HEAD TOR "Tier 1\nRadix_Down 2\nSwitch_Latency_ns 5\n", "Switch_Latency_ns without Downlink"},
    {"htsim", "Nodes 8\nTiers 2\nPodsize 4\n" TOR "Tier 1\nRadix_Down 2\n", "two tiers are one pod"},
};

static void errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char got[2100] = "";
        weir_graph *g = NULL;
        weir_topology_options options;
        weir_diag *diag = weir_diag_new();
        weir_topology_options_init(&options);
        options.format = bad[i].format;
        assert_int_not_equal(weir_topology_read(diag, "x", bad[i].text, strlen(bad[i].text), &options, &g),
                             WEIR_OK);
        assert_null(g);
        weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
        if (!strstr(got, bad[i].says))
            fail_msg("%zu: want %s, got %s", i, bad[i].says, got);
        weir_diag_free(diag);
    }
}

/* As one published file has them. */
static void links_beyond_the_count(void **state)
{
    (void)state;
    static const char text[] = "3 1 1\n0\n0 1 1Gbps 1us 0\n0 2 1Gbps 1us 0\n";
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    expect_ok(diag, weir_topology_read(diag, "x.txt", text, sizeof text - 1, NULL, &g));
    expect_message(diag, "1 links below the 1 that the first line states are passed over");
    assert_int_equal(g->n_edges, 2);
    weir_graph_free(g);
    weir_diag_free(diag);
}

static void published(void **state)
{
    (void)state;
    static const char htsim[] = "peers/uet-htsim/htsim/sim/datacenter/topologies/";
    static const char hpcc[] = "peers/hpcc-ns3/simulation/mix/";
    static const struct {
        const char *folder, *name;
        uint32_t hosts, switches, links, host_degree, switch_degree; /* 0: not the same for all */
    } all[] = {
        {htsim, "fat_tree_1024_1os.topo", 1024, 320, 3072, 1, 16},
        {htsim, "fat_tree_8192_1os.topo", 8192, 1280, 24576, 1, 32},
        {htsim, "leaf_spine_1024.topo", 1024, 64, 2048, 1, 0},
        {htsim, "leaf_spine_tiny.topo", 32, 6, 40, 1, 0},
        {hpcc, "topology.txt", 65, 1, 65, 1, 65},
        {hpcc, "fat.txt", 320, 56, 480, 1, 0},
        {hpcc, "ali_32host_10rack.txt", 320, 28, 800, 2, 0},
        {"peers/ns3-rdma/mix_7/", "topo-pl-7.txt", 7, 5, 11, 1, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s%s", all[i].folder, all[i].name);
        weir_graph *g = load(data_path(name));
        assert_int_equal(g->n_nodes, all[i].hosts + all[i].switches);
        assert_int_equal(g->n_edges, 2 * all[i].links);
        for (uint32_t v = 0; v < g->n_nodes; v++) {
            const uint32_t want = g->role[v] == WEIR_HOST ? all[i].host_degree : all[i].switch_degree;
            if (want > 0)
                assert_int_equal(degree(g, v), want);
        }
        weir_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_simai_sample),         cmocka_unit_test(an_ns3_sample),
        cmocka_unit_test(an_htsim_sample),        cmocka_unit_test(errors),
        cmocka_unit_test(links_beyond_the_count), cmocka_unit_test(published),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
