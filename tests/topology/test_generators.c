/*
 * Pins down each generator by what its definition implies: counts, degrees, connectedness, diameter, port
 * order, rates; and the parameters by every kind of wrong one.
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

#include "weir/topology.h"

enum { ARGS_MAX = 8 };

/* "width=3 height=4" as arguments; texts live in `copy`. */
static size_t split(char *copy, weir_generator_arg *args)
{
    size_t n = 0;
    for (char *at = strtok(copy, " "); at; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        *value = '\0';
        args[n++] = (weir_generator_arg){at, value + 1, "s.yaml", 7, (int)n};
    }
    return n;
}

static weir_status generate(weir_diag *diag, const char *model, const char *text, weir_graph **g)
{
    char copy[200];
    weir_generator_arg args[ARGS_MAX];
    snprintf(copy, sizeof copy, "%s", text);
    const size_t n = split(copy, args);
    return weir_topology_generate(diag, model, args, n, 1, g);
}

static weir_graph *make(const char *model, const char *text)
{
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    const weir_status st = generate(diag, model, text, &g);
    if (st != WEIR_OK)
        fail_msg("%s %s: %s", model, text, weir_diag_get(diag, 0)->text);
    weir_diag_free(diag);
    return g;
}

typedef struct expected {
    const char *model, *text;
    uint32_t hosts, routers, links, degree_max, diameter;
} expected;

static void sizes(void **state)
{
    static const expected all[] = {
        {"dumbbell", "left=3 right=5", 8, 2, 9, 6, 3},
        {"dumbbell", "", 2, 2, 3, 2, 3},
        {"line", "routers=5 hosts=0", 0, 5, 4, 2, 4},
        {"line", "routers=1 hosts=2", 2, 1, 2, 2, 2},
        {"line", "routers=4 hosts=3", 12, 4, 15, 5, 5},
        {"ring", "routers=6 hosts=0", 0, 6, 6, 2, 3},
        {"ring", "routers=7 hosts=1", 7, 7, 14, 3, 5},
        {"star", "hosts=9", 9, 1, 9, 9, 2},
        {"grid", "width=3 height=4", 0, 12, 17, 4, 5},
        {"grid", "width=1 height=1 hosts=2", 2, 1, 2, 2, 2},
        {"torus", "width=4 height=5 hosts=1", 20, 20, 60, 5, 6},
        {"fat-tree", "k=2", 2, 5, 6, 2, 6},
        {"fat-tree", "k=4", 16, 20, 48, 4, 6},
        {"fat-tree", "k=8", 128, 80, 384, 8, 6},
        {"fat-tree", "k=16", 1024, 320, 3072, 16, 6},
        {"leaf-spine", "", 32, 6, 40, 10, 4},
        {"leaf-spine", "leaves=3 spines=4 hosts=5", 15, 7, 15 + 12, 9, 4},
        {"leaf-spine", "leaves=1 spines=1 hosts=1", 1, 2, 2, 2, 2},
        {"rail", "", 64, 18, 64 + 32, 16, 4},
        {"rail", "groups=3 servers=2 rails=4 spines=1", 24, 13, 24 + 12, 12, 4},
        {"parking-lot", "hops=3", 8, 4, 11, 4, 5}, /* long_src r0 r1 r2 r3 long_dst */
        {"parking-lot", "hops=1", 4, 2, 5, 3, 3},
        {"dragonfly", "a=4 p=2 h=2", 72, 36, 72 + 9 * 6 + 36, 7, 5}, /* h r r r r h: l g l at most */
        {"dragonfly", "a=8 p=0 h=4 groups=33", 0, 264, 33 * 28 + 528, 11, 3},
        {"dragonfly", "a=4 p=1 h=2 groups=5", 20, 20, 20 + 5 * 6 + 2 * 10, 6,
         5}, /* two links a pair of groups */
        {"dragonfly", "a=3 p=0 h=1 groups=1", 0, 3, 3, 2, 1},
        {"campus", "campuses=1", 508, 30, 543, 43, 11}, /* h gw m6 m5 m3 m1 b4 b1 b2 s0 s1 server */
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_topology_stats s;
        weir_graph *g = make(all[i].model, all[i].text);
        assert_int_equal(weir_topology_info(NULL, g, &s), WEIR_OK);
        const expected got = {all[i].model, all[i].text,  s.hosts,   s.routers,
                              s.links,      s.degree_max, s.diameter};
        if (memcmp(&got.hosts, &all[i].hosts, offsetof(expected, diameter) - offsetof(expected, hosts)) !=
                0 ||
            got.diameter != all[i].diameter)
            fail_msg("%s %s: %u hosts, %u routers, %u links, degree %u, diameter %u", got.model, got.text,
                     got.hosts, got.routers, got.links, got.degree_max, got.diameter);
        assert_int_equal(s.components, 1);
        assert_int_equal(s.parallel + s.self_loops + s.links_without_rate + s.links_without_delay, 0);
        for (uint32_t v = 0; v < s.hosts && strcmp(all[i].model, "campus") != 0; v++)
            assert_true(g->role[v] == WEIR_HOST && g->first[v + 1] - g->first[v] == 1);
        weir_topology_stats_free(&s);
        weir_graph_free(g);
    }
}

static uint32_t at(const weir_graph *g, const char *name)
{
    const uint32_t v = weir_graph_find(g, name);
    if (v == UINT32_MAX)
        fail_msg("no node %s", name);
    return v;
}

static const char *neighbour(const weir_graph *g, const char *name, uint32_t port)
{
    const uint32_t v = at(g, name);
    assert_true(g->first[v] + port < g->first[v + 1]);
    return g->name[g->target[g->first[v] + port]];
}

/* The edge from one named node to another. */
static uint32_t edge(const weir_graph *g, const char *from, const char *to)
{
    const uint32_t u = at(g, from), v = at(g, to);
    for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++)
        if (g->target[e] == v)
            return e;
    fail_msg("no link %s - %s", from, to);
    return 0;
}

static void ports(void **state)
{
    (void)state;
    weir_graph *g = make("dumbbell", "left=2 right=1");
    assert_string_equal(neighbour(g, "left", 1), "l1");
    assert_string_equal(neighbour(g, "left", 2), "right");
    assert_string_equal(neighbour(g, "right", 0), "r0");
    weir_graph_free(g);
    g = make("line", "routers=3 hosts=1");
    assert_string_equal(neighbour(g, "r1", 0), "h1");
    assert_string_equal(neighbour(g, "r1", 1), "r0");
    assert_string_equal(neighbour(g, "r1", 2), "r2");
    weir_graph_free(g);
    g = make("grid", "width=3 height=3 hosts=2");
    assert_string_equal(neighbour(g, "r1_1", 0), "h8");
    const char *const around[] = {"r0_1", "r1_0", "r2_1", "r1_2"};
    for (uint32_t p = 0; p < 4; p++) {
        bool found = false;
        for (uint32_t q = 2; q < 6; q++)
            found |= strcmp(neighbour(g, "r1_1", q), around[p]) == 0;
        assert_true(found);
    }
    weir_graph_free(g);
    g = make("fat-tree", "k=4");
    assert_string_equal(neighbour(g, "e1_0", 0), "h4");
    assert_string_equal(neighbour(g, "e1_0", 3), "a1_1");
    assert_string_equal(neighbour(g, "a1_1", 1), "e1_1");
    assert_string_equal(neighbour(g, "a1_1", 2), "c2");
    assert_string_equal(neighbour(g, "c2", 3), "a3_1");
    weir_graph_free(g);
}

/* Every switch of a fat-tree has k ports, and every core switch reaches every pod by the port of its number.
 */
static void fat_tree_structure(void **state)
{
    (void)state;
    weir_graph *g = make("fat-tree", "k=6");
    for (uint32_t v = 0; v < g->n_nodes; v++)
        assert_int_equal(g->first[v + 1] - g->first[v], g->role[v] == WEIR_HOST ? 1 : 6);
    for (uint32_t c = 0; c < 9; c++)
        for (uint32_t pod = 0; pod < 6; pod++) {
            char core[16], aggregation[16];
            snprintf(core, sizeof core, "c%u", c);
            snprintf(aggregation, sizeof aggregation, "a%u_%u", pod, c / 3);
            assert_string_equal(neighbour(g, core, pod), aggregation);
        }
    weir_graph_free(g);
}

/* Oversubscription is what a leaf takes from its hosts over what it can send up; a rail's leaf has interface g of every
 * server of its group; a rate besides is refused. */
static void leaf_spines_and_rails(void **state)
{
    (void)state;
    weir_graph *g = make("leaf-spine", "hosts=12 spines=3 uplinks=2 access_rate=10Gbps oversubscription=2.5");
    uint32_t ups = 0;
    uint64_t up_bps = 0, down_bps = 0;
    for (uint32_t e = g->first[at(g, "leaf1")]; e < g->first[at(g, "leaf1") + 1]; e++) {
        const bool up = g->role[g->target[e]] == WEIR_ROUTER;
        ups += up;
        *(up ? &up_bps : &down_bps) += g->rate_bps[e];
    }
    assert_int_equal(ups, 6);
    assert_int_equal(up_bps * 5 / 2, down_bps);
    assert_string_equal(neighbour(g, "leaf1", 0), "h12");
    weir_graph_free(g);
    g = make("rail", "groups=2 servers=3 rails=4 spines=2");
    for (uint32_t n = 0; n < 6; n++)
        for (uint32_t rail = 0; rail < 4; rail++) {
            char host[16], leaf[16];
            snprintf(host, sizeof host, "n%ug%u", n, rail);
            snprintf(leaf, sizeof leaf, "leaf%u_%u", n / 3, rail);
            assert_string_equal(neighbour(g, host, 0), leaf);
            assert_string_equal(neighbour(g, leaf, n % 3), host);
        }
    assert_string_equal(neighbour(g, "spine1", 7), "leaf1_3");
    weir_graph_free(g);
    weir_diag *diag = weir_diag_new();
    assert_int_equal(generate(diag, "leaf-spine", "oversubscription=2 rate=40Gbps", &g), WEIR_E_SCENARIO);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "leave out rate"));
    assert_int_equal(generate(diag, "leaf-spine", "oversubscription=-1", &g), WEIR_E_SCENARIO);
    assert_int_equal(generate(diag, "leaf-spine", "hosts=0", &g), WEIR_E_SCENARIO);
    assert_int_equal(generate(diag, "rail", "groups=65536 servers=65536 rails=64", &g), WEIR_E_SCENARIO);
    weir_diag_free(diag);
}

static void rates_and_delays(void **state)
{
    (void)state;
    weir_graph *g = make(
        "dumbbell", "bottleneck_rate=3Mbps bottleneck_delay=7ms access_rate=1.5Gbps access_delay=0ms left=2");
    uint32_t e = edge(g, "left", "right");
    assert_int_equal(g->rate_bps[e], 3000000);
    assert_int_equal(g->delay_ps[e], 7 * WEIR_PS_PER_MS);
    e = edge(g, "right", "r1");
    assert_int_equal(g->rate_bps[e], 1500000000);
    assert_int_equal(g->delay_ps[e], 0);
    weir_graph_free(g);
}

/* Hosts' links that nobody gives a rate are no bottleneck, whatever the rate of the others. */
static void access_follows(void **state)
{
    static const struct {
        const char *model, *args, *from, *to;
        uint64_t rate_bps;
    } cases[] = {{"dumbbell", "", "left", "l0", 100000000},
                 {"dumbbell", "bottleneck_rate=5Mbps", "right", "r0", 100000000},
                 {"dumbbell", "bottleneck_rate=1Gbps", "left", "l0", 10000000000},
                 {"dumbbell", "bottleneck_rate=1Gbps access_rate=50Mbps", "left", "l0", 50000000},
                 {"parking-lot", "", "r0", "long_src", 10000000000},
                 {"parking-lot", "rate=100Gbps", "r1", "dst1", 1000000000000},
                 {"fat-tree", "rate=1Gbps", "e0_0", "h0", 10000000000},
                 {"fat-tree", "rate=400Gbps", "e0_0", "h0", 400000000000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = make(cases[i].model, cases[i].args);
        assert_int_equal(g->rate_bps[edge(g, cases[i].from, cases[i].to)], cases[i].rate_bps);
        weir_graph_free(g);
    }
}

static void check_link(const weir_graph *g, const char *from, const char *to, uint64_t rate_bps,
                       weir_time delay_ps)
{
    const uint32_t e = edge(g, from, to);
    assert_int_equal(g->rate_bps[e], rate_bps);
    assert_int_equal(g->rate_bps[g->reverse[e]], rate_bps);
    assert_int_equal(g->delay_ps[e], delay_ps);
}

/* The facts of the paper: 504 hosts, 12 LANs of 42, 18 routers besides the gateways, 4 servers; rates and
 * delays. */
static void campus_facts(void **state)
{
    (void)state;
    const uint64_t mbps = 1000000;
    const weir_time ms = WEIR_PS_PER_MS;
    weir_graph *g = make("campus", "campuses=4");
    assert_int_equal(g->n_nodes, 4 * 538);
    uint32_t hosts = 0, servers = 0, gateways = 0, routers = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        if (g->as_number[v] != 3)
            continue;
        servers += g->node_class[v] == WEIR_CLASS_SERVER;
        hosts += g->role[v] == WEIR_HOST && g->node_class[v] != WEIR_CLASS_SERVER;
        gateways += g->node_class[v] == WEIR_CLASS_LEAF;
        routers += g->role[v] == WEIR_ROUTER && g->node_class[v] != WEIR_CLASS_LEAF;
    }
    assert_int_equal(hosts, 504);
    assert_int_equal(servers, 4);
    assert_int_equal(gateways, 12);
    assert_int_equal(routers, 18);
    for (uint32_t l = 0; l < 12; l++) {
        char gateway[32];
        snprintf(gateway, sizeof gateway, "c2.lan%u.gw", l);
        const uint32_t v = at(g, gateway);
        assert_int_equal(g->first[v + 1] - g->first[v], 43);
        for (uint32_t p = 0; p < 42; p++) {
            assert_int_equal(g->rate_bps[g->first[v] + p], 10 * mbps);
            assert_int_equal(g->delay_ps[g->first[v] + p], ms);
        }
        assert_int_equal(g->rate_bps[g->first[v] + 42], 100 * mbps);
        assert_int_equal(g->delay_ps[g->first[v] + 42], 10 * ms);
    }
    check_link(g, "c1.b0", "c1.b1", 1000 * mbps, 10 * ms);
    check_link(g, "c1.b2", "c1.s0", 1000 * mbps, 10 * ms);
    check_link(g, "c1.s1", "c1.server3", 1000 * mbps, 10 * ms);
    check_link(g, "c1.b4", "c1.n1", 100 * mbps, 10 * ms);
    check_link(g, "c1.m3", "c1.m5", 100 * mbps, 10 * ms);
    check_link(g, "c1.lan11.h41", "c1.lan11.gw", 10 * mbps, ms);
    check_link(g, "c3.b0", "c0.b0", 1000 * mbps, 10 * ms);
    weir_graph_free(g);
}

/* Links between campuses against the rule, spelled out: the ring, and i to i + 2^j where 2^j divides i. */
static void campus_ring(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 33; n++) {
        static bool want[33][33];
        char text[40];
        uint32_t links = 0, found = 0;
        memset(want, 0, sizeof want);
        for (uint32_t i = 0; i < n && n > 1; i++) {
            want[i][(i + 1) % n] = want[(i + 1) % n][i] = true;
            for (uint32_t s = 2; s <= n / 2; s *= 2)
                if (i % s == 0)
                    want[i][(i + s) % n] = want[(i + s) % n][i] = true;
        }
        snprintf(text, sizeof text, "campuses=%u lan_hosts=1", n);
        weir_graph *g = make("campus", text);
        for (uint32_t e = 0; e < g->n_edges; e++) {
            const uint32_t a = g->as_number[g->target[e]] - 1, b = g->as_number[g->target[g->reverse[e]]] - 1;
            if (a == b)
                continue;
            assert_true(want[a][b]);
            links++;
        }
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                found += want[i][j];
        assert_int_equal(links, found);
        assert_int_equal(g->n_parallel, 0);
        weir_graph_free(g);
    }
}

/* Numbers of links against their law: p n (n - 1) / 2 with the deviation of independent draws; exactly
 * `links`. */
static void erdos_renyi(void **state)
{
    (void)state;
    weir_graph *g = make("erdos-renyi", "nodes=3000 p=0.004");
    const double mean = 0.004 * 3000 * 2999 / 2;
    assert_true(fabs(g->n_edges / 2.0 - mean) < 4 * sqrt(mean));
    assert_int_equal(g->n_parallel + g->n_self_loops, 0);
    weir_graph_free(g);
    g = make("erdos-renyi", "nodes=500 links=2000 parts=keep");
    assert_int_equal(g->n_edges, 4000);
    assert_int_equal(g->n_parallel + g->n_self_loops, 0);
    weir_graph_free(g);
    g = make("erdos-renyi", "nodes=20 p=1");
    assert_int_equal(g->n_edges, 20 * 19);
    weir_graph_free(g);
    g = make("erdos-renyi", "nodes=50 p=0 parts=keep");
    assert_int_equal(g->n_edges, 0);
    weir_graph_free(g);
}

static void random_regular(void **state)
{
    static const uint32_t all[][2] = {{2, 1},   {3, 2},   {10, 3},  {50, 2},   {50, 3},   {50, 24},
                                      {50, 25}, {50, 48}, {50, 49}, {2000, 2}, {2000, 7}, {999, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[60];
        weir_topology_stats s;
        snprintf(text, sizeof text, "nodes=%u degree=%u", all[i][0], all[i][1]);
        weir_graph *g = make("random-regular", text);
        assert_int_equal(weir_topology_info(NULL, g, &s), WEIR_OK);
        if (s.degree_min != all[i][1] || s.degree_max != all[i][1] || s.components != 1 ||
            s.parallel + s.self_loops > 0)
            fail_msg("%s: degrees %u to %u, %u components, %u parallel", text, s.degree_min, s.degree_max,
                     s.components, s.parallel);
        weir_topology_stats_free(&s);
        weir_graph_free(g);
    }
}

static void refuse(const char *model, const char *text, int column, const char *words)
{
    weir_diag *diag = weir_diag_new();
    weir_graph *g = (weir_graph *)diag;
    assert_int_equal(generate(diag, model, text, &g), WEIR_E_SCENARIO);
    assert_null(g);
    const weir_message *m = weir_diag_get(diag, 0);
    if (!strstr(m->text, words) || m->column != column)
        fail_msg("%s %s: column %d, %s; want %d, %s", model, text, m->column, m->text, column, words);
    if (column)
        assert_true(strcmp(m->file, "s.yaml") == 0 && m->line == 7);
    weir_diag_free(diag);
}

static void wrong_parameters(void **state)
{
    (void)state;
    refuse("dumbell", "", 0, "no topology model 'dumbell' (did you mean 'dumbbell'?)");
    refuse("moebius", "", 0, "known are ba-2, barabasi-albert, bottom-up, campus, dragonfly,");
    refuse("grid", "widht=4", 1, "grid has no parameter 'widht' (did you mean 'width'?)");
    refuse("star", "hosts=2 spokes=3", 2, "known are hosts, ");
    refuse("star", "hosts=2 hosts=3", 2, "hosts: given twice");
    refuse("star", "hosts=0", 1, "hosts: 0 is out of range; want 1 to 16777215");
    refuse("star", "hosts=-2", 1, "hosts: ");
    refuse("star", "hosts=many", 1, "hosts: ");
    refuse("star", "access_rate=0bps", 1, "access_rate: ");
    refuse("star", "access_rate=5ms", 1, "access_rate: ");
    refuse("star", "access_delay=-1ms", 1, "access_delay: ");
    refuse("fat-tree", "k=5", 1, "k: 5 is no multiple of 2");
    refuse("fat-tree", "k=402", 1, "k: 402 is out of range; want 2 to 400");
    refuse("ring", "routers=2", 1, "routers: 2 is out of range; want 3");
    refuse("grid", "width=16777216 height=16777216 hosts=16777216", 0, "a grid of these parameters has");
    refuse("campus", "campuses=40000", 0, "a campus of these parameters has 21520000 nodes");
}

/* The table is what the scenario layer lists and checks: sorted, complete, with defaults that hold. */
static void table(void **state)
{
    size_t n;
    (void)state;
    const weir_generator *const *all = weir_generators(&n);
    assert_int_equal(n, 20);
    for (size_t i = 0; i < n; i++) {
        assert_true(i == 0 || strcmp(all[i - 1]->name, all[i]->name) < 0);
        assert_ptr_equal(weir_generator_find(all[i]->name), all[i]);
        assert_true(all[i]->n_params <= WEIR_GENERATOR_PARAMS_MAX);
        for (size_t p = 0; p < all[i]->n_params; p++)
            assert_true(all[i]->params[p].name && all[i]->params[p].default_text && all[i]->params[p].doc);
        for (size_t p = 0; p < all[i]->n_params; p++)
            for (size_t q = 0; q < p; q++) {
                const weir_generator_param *a = &all[i]->params[p], *b = &all[i]->params[q];
                assert_true(strcmp(a->name, b->name) != 0 && (!a->also || strcmp(a->also, b->name) != 0) &&
                            (!b->also || strcmp(a->name, b->also) != 0));
            }
        weir_graph_free(make(all[i]->name, ""));
    }
    assert_null(weir_generator_find("Grid"));
}

/* Every model and every parameter, with its default, stands in docs/topologies.md. */
static void documented(void **state)
{
    enum { ROOM = 1 << 17 };
    size_t n;
    char *text = calloc(1, ROOM);
    FILE *f = fopen(WEIR_SOURCE_DIR "/docs/topologies.md", "r");
    (void)state;
    assert_non_null(f);
    assert_true(fread(text, 1, ROOM - 1, f) > 0);
    fclose(f);
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++) {
        char line[400];
        snprintf(line, sizeof line, "\n### %s\n", all[i]->name);
        const char *at = strstr(text, line);
        if (!at)
            fail_msg("docs/topologies.md has no part '%s'", all[i]->name);
        for (size_t p = 0; p < all[i]->n_params; p++) {
            const weir_generator_param *param = &all[i]->params[p];
            snprintf(line, sizeof line, "\n| `%s`%s%s%s | %s | %s", param->name, param->also ? ", `" : "",
                     param->also ? param->also : "", param->also ? "`" : "", param->default_text, param->doc);
            const char *next = strstr(at + 1, "\n### "), *found = strstr(at, line);
            if (!found || (next && found > next))
                fail_msg("docs/topologies.md: under %s want a line that begins with%s", all[i]->name, line);
        }
    }
    free(text);
}

/* Generated where wanted: a ring one way round, and a share of Erdős-Rényi's links, the same links as without. */
static void one_way(void **state)
{
    (void)state;
    weir_graph *g = make("ring", "routers=5 hosts=0 one_way=yes");
    assert_int_equal(g->n_one_way, 5);
    for (uint32_t v = 0; v < 5; v++)
        assert_true(g->end[v] - g->first[v] == 1 && g->target[g->first[v]] == (v + 1) % 5);
    weir_graph_free(g);
    g = make("ring", "routers=5 hosts=0 one_way=true"); /* as YAML has it */
    assert_int_equal(g->n_one_way, 5);
    weir_graph_free(g);
    g = make("ring", "routers=5 hosts=0 one_way=false");
    assert_int_equal(g->n_one_way, 0);
    weir_graph_free(g);
    g = make("erdos-renyi", "nodes=400 p=0.05 one_way=0.3");
    weir_graph *both = make("erdos-renyi", "nodes=400 p=0.05");
    assert_int_equal(g->n_edges, both->n_edges);
    assert_int_equal(both->n_one_way, 0);
    const double links = g->n_edges / 2.0, off = g->n_one_way - 0.3 * links;
    assert_true(off * off < 16 * links * 0.3 * 0.7); /* four deviations */
    uint32_t rising = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->end[v]; e++)
            rising += !weir_edge_exists(g, g->reverse[e]) && g->target[e] > v;
    const double half = rising - g->n_one_way / 2.0;
    assert_true(half * half < 16 * g->n_one_way / 4.0);
    weir_graph_free(both);
    weir_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(ports),
        cmocka_unit_test(fat_tree_structure),
        cmocka_unit_test(leaf_spines_and_rails),
        cmocka_unit_test(campus_facts),
        cmocka_unit_test(campus_ring),
        cmocka_unit_test(rates_and_delays),
        cmocka_unit_test(access_follows),
        cmocka_unit_test(erdos_renyi),
        cmocka_unit_test(random_regular),
        cmocka_unit_test(table),
        cmocka_unit_test(wrong_parameters),
        cmocka_unit_test(documented),
        cmocka_unit_test(one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
