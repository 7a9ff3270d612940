/*
 * Topologies in scenarios: every generator makes a network of a scenario; the first experiment of the paper
 * on BRITE in ns-3 ("Simulating Large Topologies in ns-3 using BRITE and CUDA Driven Global Routing", section
 * 5) has every packet arrive; and what cannot be made stops at its place.
 */
#include "scenario/net_run.h"

#include "weir/topology.h"

static void every_generator(void **state)
{
    size_t n;
    (void)state;
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++) {
        weir_graph *g = NULL;
        expect_ok(NULL, weir_topology_generate(NULL, all[i]->name, NULL, 0, 5, &g));
        net_run *r =
            net_run_new(WEIR_1 "seed: 5\ntopology: {generate: {model: %s}}\n"
                               "traffic: [{name: a, udp: {rate: 1Mbps}, from: %s, to: %s, stop: 20ms}]\n",
                        all[i]->name, g->name[0], g->name[g->n_nodes - 1]);
        net_run_until(r, 10 * SEC);
        const wi_net_flow_total f = net_run_flow(r, 0);
        if (f.received_packets == 0)
            fail_msg("%s: nothing arrived", all[i]->name);
        net_run_end(r);
        weir_graph_free(g);
    }
}

/* Each of 10 ASes' first leaf sends one packet of 100 bytes to each other: 9 packets, 900 bytes, at every
 * sink. */
static void first_experiment(void **state)
{
    enum { ASES = 10 };
    static const char *const routings[] = {"metric: hops", "metric: delay",
                                           "metric: hops, forwarding: source",
                                           "metric: delay, forwarding: source"};
    uint64_t event[2] = {0}, state_of[2] = {0};
    static const char topology[] = "{model: top-down, as_N: 10, as_m: 2, rt_N: 100, rt_m: 2}";
    const weir_generator_arg args[] = {{.name = "as_N", .value = "10"}, {.name = "rt_N", .value = "100"}};
    weir_graph *g = NULL;
    const char *leaf[ASES];
    char pairs[6000];
    size_t at = 0;
    (void)state;
    expect_ok(NULL, weir_topology_generate(NULL, "top-down", args, 2, 3, &g));
    for (uint32_t v = g->n_nodes; v-- > 0;)
        if (g->node_class[v] == WEIR_CLASS_LEAF)
            leaf[g->as_number[v] - 1] = g->name[v];
    for (int i = 0; i < ASES; i++)
        for (int j = 0; j < ASES; j++)
            if (i != j)
                at += (size_t)snprintf(pairs + at, sizeof pairs - at, "%s[%s, %s]", at ? ", " : "", leaf[i],
                                       leaf[j]);
    for (int w = 0; w < 4; w++) {
        net_run *r = net_run_new(
            WEIR_1 "seed: 3\ntopology: {generate: %s}\nrouting: {%s}\n"
                   "traffic: [{name: a, udp: {rate: 800bps, packet: 100B}, pairs: [%s], stop: 500ms}]\n",
            topology, routings[w], pairs);
        net_run_until(r, 20 * SEC);
        for (uint32_t i = 0; i < ASES * (ASES - 1); i++) {
            const wi_net_flow_total f = net_run_flow(r, i);
            assert_int_equal(f.received_packets, 1);
            assert_int_equal(f.received_bytes, 100 - NET_HEADER_UDP);
        }
        /* Source routes are the table's: the same events at the same ports. */
        assert_int_equal(wi_net_world(r->net)->paths != 0, w >= 2);
        if (w < 2) {
            event[w] = weir_sim_event_digest(r->sim);
            state_of[w] = weir_sim_state_digest(r->sim);
        } else {
            assert_int_equal(weir_sim_event_digest(r->sim), event[w - 2]);
            assert_int_equal(weir_sim_state_digest(r->sim), state_of[w - 2]);
        }
        net_run_end(r);
    }
    weir_graph_free(g);
}

/* Few pairs of a large graph: `auto` finds their paths alone, and gets the table's events. Where steady states are skipped it keeps
 * the table, by which parts that no flow joins are told apart. */
static void few_pairs_of_many(void **state)
{
    static const struct {
        const char *keys;
        bool by_paths;
    } each[] = {{"routing: {forwarding: table}\n", false},
                {"", true},
                {"routing: {metric: delay, forwarding: table}\n", false},
                {"routing: {metric: delay}\n", true},
                {"steady: {skip: true}\n", false}};
    uint64_t event[5], state_of[5];
    (void)state;
    for (int i = 0; i < 5; i++) {
        net_run *r = net_run_new(
            WEIR_1 "seed: 3\ntopology: {generate: {model: barabasi-albert, nodes: 60000, m: 2}}\n%s"
                   "traffic: [{name: a, tcp: {size: 30kB}, pairs: {random: 40}}]\n",
            each[i].keys);
        net_run_until(r, 500 * WEIR_PS_PER_MS);
        assert_int_equal(wi_net_world(r->net)->paths != 0, each[i].by_paths);
        event[i] = weir_sim_event_digest(r->sim);
        state_of[i] = weir_sim_state_digest(r->sim);
        net_run_end(r);
    }
    for (int i = 0; i < 4; i += 2) {
        assert_int_equal(event[i], event[i + 1]);
        assert_int_equal(state_of[i], state_of[i + 1]);
    }
}

static void impossible(void **state)
{
    static const struct {
        const char *generate, *says;
    } all[] = {{"{model: waxman, N: 5, m: 5}", "m is 5, but 5 nodes have only 4 others"},
               {"{model: barabasi-albert, nodes: 10, n: 4}", "has no parameter 'n'"},
               {"{model: waxman, beta: 2}", "beta: 2 is out of range"},
               {"{model: waxman, growth: fast}", "incremental all pairs"},
               {"{model: star}, brite: {engine: cpp}", "'star' is none"},
               {"{model: glp, engine: java}, brite: {engine: cpp}", "keep one"}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[400];
        weir_scenario *s = NULL;
        wi_network *network = NULL;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1s\ntopology: {generate: %s}\ntraffic: [{name: a, tcp: {}, from: r0, "
                 "to: r1}]\n",
                 all[i].generate);
        expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &s));
        assert_int_equal(wi_network_build(diag, s, &network), WEIR_E_SCENARIO);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!strstr(m->text, all[i].says))
            fail_msg("%s: %d:%d %s", all[i].generate, m->line, m->column, m->text);
        wi_network_free(network);
        weir_scenario_free(s);
        weir_diag_free(diag);
    }
}

static uint32_t links_of(const char *topology, uint32_t *degree_max)
{
    char text[400];
    weir_scenario *s = NULL;
    wi_network *network = NULL;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1s\ntopology: {%s}\ntraffic: [{name: a, tcp: {}, from: r0, to: r1}]\n",
             topology);
    expect_ok(NULL, weir_scenario_parse(NULL, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &s));
    expect_ok(NULL, wi_network_build(NULL, s, &network));
    const weir_graph *g = network->graph;
    const uint32_t links = g->n_edges / 2;
    *degree_max = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        if (g->first[v + 1] - g->first[v] > *degree_max)
            *degree_max = g->first[v + 1] - g->first[v];
    wi_network_free(network);
    weir_scenario_free(s);
    return links;
}

/* topology.brite and the model's own parameter are one thing, for a model and for a configuration; Java's
 * GrowthType 2 is a star. */
static void engines_of_brite(void **state)
{
    static const char *const java[] = {"generate: {model: waxman, N: 50, growth: all, engine: java}",
                                       "generate: {model: waxman, N: 50, growth: all}, brite: {engine: java}",
                                       "file: all-at-once.conf, brite: {engine: java}"};
    uint32_t most;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(links_of(java[i], &most), 49);
        assert_int_equal(most, 49);
    }
    links_of("generate: {model: waxman, N: 50, growth: all}", &most);
    assert_true(most < 25);
    links_of("file: all-at-once.conf, brite: {engine: cpp}", &most);
    assert_true(most < 25);
}

/* 80,000 links whose rates are drawn: each port has a queue of its own settings, and gets it. */
static void a_queue_for_every_rate(void **state)
{
    (void)state;
    net_run *r =
        net_run_new(WEIR_1 "topology: {generate: {model: barabasi-albert, N: 40000, BWDist: uniform}}\n"
                           "traffic: [{name: a, udp: {rate: 1Mbps}, from: r0, to: r1}]\n");
    const net_world *w = wi_net_world(r->net);
    uint32_t most = 0;
    for (uint32_t e = 0; e < r->net->n_hosts + r->net->n_ports; e++) {
        const net_link *link = wi_net_link(r->net, e);
        const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
        most = link->queue > most ? link->queue : most;
        assert_true(q->bytes_per_ps == (double)link->rate_bps / 8e12);
    }
    assert_true(most > 70000);
    assert_int_equal(sizeof(net_link), 32);
    net_run_end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generator),   cmocka_unit_test(first_experiment),
        cmocka_unit_test(few_pairs_of_many), cmocka_unit_test(impossible),
        cmocka_unit_test(engines_of_brite),  cmocka_unit_test(a_queue_for_every_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
