/*
 * Pins down what each reader (that of edge lists: test_edge_lists.c) takes from small samples, and that broken input of
 * every kind is an error of its own with file and line. Every sample is also read cut off at each byte, which must end
 * in a graph or an error.
 */
#include "reading.h"

/* ---- Rocketfuel maps ---- */

static void cch_sample(void **state)
{
    (void)state;
    size_t size;
    char *text = sample("small.cch", &size);
    weir_graph *g = read_as("small.cch", text, size, NULL);
    free(text);
    assert_int_equal(g->n_nodes, 4);
    assert_int_equal(g->n_edges, 6);
    assert_int_equal(g->n_self_loops, 1);
    assert_string_equal(g->name[0], "core.example.net");
    assert_string_equal(g->name[1], "edge.example.net");
    assert_string_equal(g->name[2], "edge.example.net#2");
    assert_string_equal(g->name[3], "8");
    assert_int_equal(g->node_class[0], WEIR_CLASS_BACKBONE);
    assert_int_equal(g->node_class[1], WEIR_CLASS_NONE);
    assert_true(said("2 external addresses and 2 links"));
    assert_true(said("1 neighbours are left out"));
    weir_graph_free(g);
}

static void cch_broken(void **state)
{
    (void)state;
    refuse("x.cch", "", 0, "no routers");
    refuse("x.cch", "# none\n-1 =192.0.2.1 r0\n", 2, "no routers");
    refuse("x.cch", "1 @A -> <2> =a r0\n1 @A -> <2> =a r0\n", 2, "router 1 is listed twice");
    refuse("x.cch", "1 @A -> <2> =a r0\n2 @A (1) <1> =b r0\n", 2, "router 2 has no '->'");
    refuse("x.cch", "1 @A -> <2> <3", 1, "breaks off in '<3'");
    refuse("x.cch", "1 @A -> <2> {-3", 1, "breaks off in '{-3'");
    refuse("x.cch", "1 @A -> <> =a\n", 1, "'' is no router number");
    refuse("x.cch", "1 @A -> <-4> =a\n", 1, "'-4' is no router number");
    refuse("x.cch", "hello world\n", 1, "'hello' is no router number");
    refuse("x.cch", "99999999999 @A -> =a\n", 1, "is no router number");
    refuse_bytes("x.cch",
                 "\x7f"
                 "ELF\x02\0\0",
                 7, WEIR_E_FORMAT, 1, "a NUL byte");
}

/* ---- GraphML ---- */

static void graphml_sample(void **state)
{
    (void)state;
    size_t size;
    char *text = sample("small.graphml", &size);
    weir_graph *g = read_as("small.graphml", text, size, NULL);
    free(text);
    assert_int_equal(g->n_nodes, 4);
    assert_int_equal(g->n_edges, 8);
    assert_int_equal(g->n_parallel, 1);
    assert_int_equal(g->n_self_loops, 1);
    assert_string_equal(g->name[0], "S\xc3\xa3o Paulo & Santos");
    assert_string_equal(g->name[1], "A < B");
    assert_string_equal(g->name[2], "8");
    assert_string_equal(g->name[3], "A < B#2");
    assert_true(
        said("1 nodes are called as others before them, and get a number behind: the first is 'A < B#2'"));
    assert_int_equal(g->role[3], WEIR_HOST);
    assert_true(g->geographic);
    assert_true(g->x[0] == -46.6 && g->y[0] == -23.5);
    assert_true(isnan(g->x[1]));
    uint32_t e = edge(g, "A < B", g->name[0]);
    assert_int_equal(g->link[e], 0);
    assert_int_equal(g->rate_bps[e], 155000000);
    assert_int_equal(g->delay_ps[e], 5 * WEIR_PS_PER_MS / 2);
    e = edge(g, "A < B", "8");
    assert_int_equal(g->rate_bps[e], 2500000000);
    assert_int_equal(g->delay_ps[e], 3 * WEIR_PS_PER_MS);
    assert_int_equal(g->rate_bps[e + 1], 0);
    assert_true(said("1 edges have a LinkSpeed"));
    assert_true(said("1 nodes stand for links"));
    weir_graph_free(g);
}

#define HEAD                                                                          \
    "<graphml>\n<key id='k' for='node' attr.name='Latitude'/><key id='l' for='node' " \
    "attr.name='Longitude'/>\n"
#define TAIL "</graph></graphml>"

static void graphml_directed(void **state)
{
    (void)state;
    const char text[] =
        "<graphml><key id='r' for='edge' attr.name='rate'/><key id='w' for='edge' attr.name='weight'/>"
        "<graph edgedefault='directed'><node id='a'/><node id='b'/>"
        "<edge source='a' target='b'><data key='r'>1Mbps</data><data key='w'>2</data></edge>"
        "<edge source='b' target='a'><data key='r'>3Mbps</data><data key='w'>4</data></edge>"
        "<edge source='a' target='b' directed='false'/>" TAIL;
    weir_graph *g = read_text("x.graphml", text);
    assert_int_equal(g->n_edges, 4);
    assert_int_equal(g->rate_bps[0], 1000000);
    assert_int_equal(g->weight[0], 2);
    assert_int_equal(g->rate_bps[g->reverse[0]], 3000000);
    assert_int_equal(g->weight[g->reverse[0]], 4);
    weir_graph_free(g);
    weir_topology_options o;
    weir_topology_options_init(&o);
    o.duplicates = WEIR_DUPLICATES_KEEP;
    g = read_as("x.graphml", text, strlen(text), &o);
    assert_int_equal(g->n_edges, 6);
    weir_graph_free(g);
}

#define EDGE(from, to, rate) "<edge source='" from "' target='" to "'><data key='r'>" rate "</data></edge>"

/* The i-th edge of a pair is one link with the i-th of the other direction; what is left leads one way. */
static void graphml_pairs(void **state)
{
    (void)state;
    weir_graph *g =
        read_text("x.graphml",
                  "<graphml><key id='r' for='edge' attr.name='rate'/><graph edgedefault='directed'>"
                  "<node id='a'/><node id='b'/><node id='c'/>" EDGE("a", "b", "1Mbps") EDGE("a", "b", "2Mbps")
                      EDGE("b", "a", "3Mbps") EDGE("b", "a", "4Mbps") EDGE("b", "c", "5Mbps") TAIL);
    assert_int_equal(g->n_edges, 6);
    assert_int_equal(g->n_parallel, 1);
    assert_int_equal(g->rate_bps[0], 1000000);
    assert_int_equal(g->rate_bps[g->reverse[0]], 3000000);
    assert_int_equal(g->rate_bps[1], 2000000);
    assert_int_equal(g->rate_bps[g->reverse[1]], 4000000);
    assert_true(said("1 links lead one way only"));
    weir_graph_free(g);
}

/* A rate of 0 is not the default, which may be the fastest of all. */
static void zero_rates(void **state)
{
    (void)state;
    weir_graph *g = read_text("x.graphml", "<graphml><key id='r' for='edge' attr.name='LinkSpeedRaw'/><graph>"
                                           "<node id='a'/><node id='b'/><node id='c'/>" EDGE("a", "b", "0.00")
                                               EDGE("b", "c", "2e6") TAIL);
    assert_int_equal(g->rate_bps[edge(g, "a", "b")], 2000000);
    assert_int_equal(g->rate_bps[edge(g, "b", "a")], 2000000);
    assert_true(
        said("1 links have a rate of 0 where others have one; the least of those, 2Mbps, is assumed"));
    weir_graph_free(g);
    g = read_text("x.native.txt", "?SNDlib native format; type: network; version: 1.0\nNODES (\n a\n b\n)\n"
                                  "LINKS (\n l ( a b ) 0.00 0 0 0 ( )\n)\n");
    assert_int_equal(g->rate_bps[0], 0);
    assert_true(said("all rates are 0 (1 links)"));
    weir_graph_free(g);
}

#define SNDLIB(links) \
    "?SNDlib native format; type: network; version: 1.0\nNODES (\n a\n b\n c\n)\nLINKS (\n" links ")\n"

/* A file that lists directions gives one link a pair; one that lists links keeps them, and says so. */
static void sndlib_directions(void **state)
{
    (void)state;
    weir_graph *g = read_text("x.native.txt", SNDLIB("1 ( a b ) 1 0 7 0 ( )\n2 ( b a ) 2 0 8 0 ( )\n"
                                                     "3 ( c b ) 3 0 0 0 ( )\n4 ( b c ) 4 0 0 0 ( )\n"));
    assert_int_equal(g->n_edges, 4);
    assert_int_equal(g->n_parallel, 0);
    assert_int_equal(g->rate_bps[edge(g, "a", "b")], 1000000);
    assert_int_equal(g->rate_bps[edge(g, "b", "a")], 2000000);
    assert_int_equal(g->weight[edge(g, "b", "a")], 8);
    assert_true(said("2 pairs of opposite links are taken as the two directions"));
    weir_graph_free(g);
    g = read_text("x.native.txt",
                  SNDLIB("1 ( a b ) 1 0 0 0 ( )\n2 ( b a ) 2 0 0 0 ( )\n3 ( c b ) 3 0 0 0 ( )\n"));
    assert_int_equal(g->n_edges, 6);
    assert_int_equal(g->n_parallel, 1);
    assert_true(said("1 links have one in the other direction beside them, 1 have none"));
    weir_graph_free(g);
}

#define OWN                                                                                                \
    "<graphml><key id='c' for='edge' attr.name='capacity'/><key id='d' for='edge' attr.name='ms'/>"        \
    "<key id='r' for='edge' attr.name='rate'/><key id='w' for='edge' attr.name='cost'/>"                   \
    "<key id='n' for='node' attr.name='code'/><key id='l' for='node' attr.name='label'/><graph>"           \
    "<node id='a'><data key='n'>SEA</data><data key='l'>Seattle</data></node><node id='b'/>"               \
    "<edge source='a' target='b'><data key='c'>%s</data><data key='d'>%s</data><data key='r'>7Gbps</data>" \
    "<data key='w'>12</data></edge></graph></graphml>"

static void with_keys(const char *capacity, const char *delay, const weir_topology_keys *keys,
                      weir_status want, weir_graph **g)
{
    char text[1500];
    weir_topology_options o;
    weir_topology_options_init(&o);
    o.keys = *keys;
    snprintf(text, sizeof text, OWN, capacity, delay);
    weir_diag_clear(diag);
    assert_int_equal(weir_topology_read(diag, "x.graphml", text, strlen(text), &o, g), want);
}

/* Attributes by names of one's own: numbers of a unit, texts with one, each instead of what usually says the same; and what is
 * wrong is said with the name that was asked for. */
static void graphml_own_keys(void **state)
{
    (void)state;
    static const struct {
        const char *capacity, *delay;
        weir_topology_keys keys;
        uint64_t rate_bps;
        weir_time delay_ps;
        uint32_t weight;
        const char *name;
    } good[] = {
        {"40", "2.5", {.rate_unit_bps = 1}, 7000000000, -1, 1, "Seattle"},
        {"40", "2.5", {.rate = "capacity", .rate_unit_bps = 1000000}, 40000000, -1, 1, "Seattle"},
        {"0.5", "2.5", {.rate = "capacity", .rate_unit_bps = 1}, 1, -1, 1, "Seattle"},
        {"2Gbps", "2.5", {.rate = "capacity", .rate_unit_bps = 1}, 2000000000, -1, 1, "Seattle"},
        {"40",
         "2.5",
         {.rate_unit_bps = 1, .delay = "ms", .delay_unit_ps = WEIR_PS_PER_MS},
         7000000000,
         2500 * WEIR_PS_PER_US,
         1,
         "Seattle"},
        {"40", "3us", {.rate_unit_bps = 1, .delay = "ms"}, 7000000000, 3 * WEIR_PS_PER_US, 1, "Seattle"},
        {"40", "1", {.rate_unit_bps = 1, .weight = "cost", .name = "code"}, 7000000000, -1, 12, "SEA"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        weir_graph *g;
        with_keys(good[i].capacity, good[i].delay, &good[i].keys, WEIR_OK, &g);
        assert_int_equal(g->rate_bps[0], good[i].rate_bps);
        assert_int_equal(g->delay_ps[0], good[i].delay_ps);
        assert_int_equal(g->weight[0], good[i].weight);
        assert_string_equal(g->name[0], good[i].name);
        assert_string_equal(g->name[1], "b");
        weir_graph_free(g);
    }
    static const struct {
        const char *capacity, *delay;
        weir_topology_keys keys;
        const char *words;
    } bad[] = {
        {"-4", "1", {.rate = "capacity", .rate_unit_bps = 1}, "capacity is '-4'"},
        {"nan", "1", {.rate = "capacity", .rate_unit_bps = 1}, "capacity is 'nan'"},
        {"1e30", "1", {.rate = "capacity", .rate_unit_bps = 1}, "capacity is '1e30'"},
        {"fast", "1", {.rate = "capacity", .rate_unit_bps = 1}, "capacity is 'fast'"},
        {"1", "2.5", {.rate_unit_bps = 1, .delay = "ms"}, "ms is '2.5'"},
        {"1", "-1ms", {.rate_unit_bps = 1, .delay = "ms"}, "ms is '-1ms'"},
        {"1", "1", {.rate_unit_bps = 1, .rate = "speed"}, "no attribute 'speed' of edges is declared"},
        {"1", "1", {.rate_unit_bps = 1, .name = "cost"}, "no attribute 'cost' of nodes is declared"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_graph *g;
        with_keys(bad[i].capacity, bad[i].delay, &bad[i].keys, WEIR_E_FORMAT, &g);
        const char *got = weir_diag_get(diag, weir_diag_count(diag) - 1)->text;
        if (!strstr(got, bad[i].words))
            fail_msg("want %s, got %s", bad[i].words, got);
    }
    weir_topology_options o;
    weir_graph *g;
    weir_topology_options_init(&o);
    o.keys.rate = "capacity";
    assert_int_equal(weir_topology_read(diag, "x.edges", "a b\n", 4, &o, &g), WEIR_E_FORMAT);
    assert_non_null(strstr(weir_diag_get(diag, weir_diag_count(diag) - 1)->text, "this is edges"));
}

static void graphml_odd(void **state)
{
    (void)state;
    weir_graph *g = read_text(
        "x.xml",
        "<!DOCTYPE graphml SYSTEM \"http://127.0.0.1:9/graphml.dtd\">"
        "<graphml><key id='k' for='node' attr.name='label'/><graph>"
        "<node id='a'><data key='k'><y:S xmlns:y='u'>in</y:S>out</data><port name='p'/>"
        "<data key='nokey'>x</data></node><node id='b &amp; &quot;c&quot; &#60;d>'/><hyperedge><endpoint "
        "node='a'/>"
        "</hyperedge></graph><graph><edge source='a' target='b &amp; &quot;c&quot; &lt;d&gt;'/>" TAIL);
    assert_int_equal(g->n_nodes, 2);
    assert_string_equal(g->name[0], "out");
    assert_string_equal(g->name[1], "b & \"c\" <d>");
    assert_true(said("2 graphs are read as one") && said("1 <hyperedge>"));
    assert_false(g->geographic);
    weir_graph_free(g);
    g = read_text("no_ending", "\n  <graphml><graph/></graphml>");
    assert_int_equal(g->n_nodes, 0);
    weir_graph_free(g);
}

static void graphml_broken(void **state)
{
    (void)state;
    refuse("x.graphml", "", 0, "empty");
    refuse("x.graphml", "no xml\n", 1, "");
    refuse("x.graphml", "<svg/>", 1, "the root element is <svg>");
    refuse("x.graphml", "<graphml/>", 1, "no <graph>");
    refuse("x.graphml", HEAD "<graph>\n<node id='a'>", 4, "");
    refuse("x.graphml", HEAD "<graph>\n<node/>" TAIL, 4, "a <node> without id");
    refuse("x.graphml", HEAD "<graph>\n<edge source='a'/>" TAIL, 4, "an <edge> without target");
    refuse("x.graphml", HEAD "<graph><node id='a'/>\n<node id='a'/>" TAIL, 4, "node id 'a' is used twice");
    refuse("x.graphml", HEAD "<graph><node id='a'/>\n<edge source='a' target='b'/>" TAIL, 4,
           "names node 'b'");
    refuse("x.graphml", HEAD "<key id='k' for='node'/><graph>" TAIL, 3, "key 'k' is declared twice");
    refuse("x.graphml", HEAD "<graph><node id='a'><data key='k'>91</data></node>" TAIL, 3,
           "Latitude is '91'");
    refuse("x.graphml", HEAD "<graph><node id='a'><data key='k'>nan</data></node>" TAIL, 3,
           "Latitude is 'nan'");
    refuse("x.graphml", HEAD "<graph><node id='a'><data key='l'>east</data></node>" TAIL, 3,
           "Longitude is 'east'");
    refuse("x.graphml",
           HEAD "<key id='s' for='edge' attr.name='LinkSpeedRaw'/><graph><node id='a'/>"
                "<edge source='a' target='a'><data key='s'>-5</data></edge>" TAIL,
           3, "LinkSpeedRaw is '-5'");
    static const char *const rates[][3] = {
        {"rate", "-1Gbps", "rate is '-1Gbps'"},   {"rate", "nanGbps", "rate is 'nanGbps'"},
        {"rate", "infGbps", "rate is 'infGbps'"}, {"rate", "5", "rate is '5'"},
        {"delay", "-1ms", "delay is '-1ms'"},     {"delay", "nanms", "delay is 'nanms'"},
        {"LinkSpeed", "-3", "LinkSpeed is '-3'"}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 HEAD "<key id='s' for='edge' attr.name='%s'/><graph><node id='a'/><node id='b'/>\n"
                      "<edge source='a' target='b'><data key='s'>%s</data></edge>" TAIL,
                 rates[i][0], rates[i][1]);
        refuse("x.graphml", text, 4, rates[i][2]);
    }
    refuse("x.graphml", HEAD "<graph><node id='a'><graph><node id='b'/></graph></node>" TAIL, 3,
           "a graph within a graph");
    refuse("x.graphml", HEAD "<graph><node id='a'>&nope;</node>" TAIL, 3, "nope");
    refuse_bytes("x.graphml", "<graphml>\0</graphml>", 20, WEIR_E_FORMAT, 1, "");
}

/* Entities: refused where they are declared, so neither a bomb nor a file of this machine gets anywhere. */
static void graphml_entities(void **state)
{
    (void)state;
    refuse("x.graphml",
           "<!DOCTYPE g [\n<!ENTITY a 'aaaaaaaaaa'>\n<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>\n"
           "<graphml><graph><node id='&b;'/></graph></graphml>",
           2, "declares an entity, 'a'");
    refuse(
        "x.graphml",
        "<!DOCTYPE g [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><graphml><graph><node id='1'>&x;</node>" TAIL,
        1, "declares an entity, 'x'");
    refuse("x.graphml", "<!DOCTYPE g [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><graphml/>", 1,
           "declares an entity, 'p'");
    refuse("x.graphml",
           "<!DOCTYPE g SYSTEM 'file:///etc/passwd'><graphml><graph><node id='1'>&x;</node>" TAIL, 1, "x");
}

/* ---- what is common ---- */

static void formats(void **state)
{
    (void)state;
    weir_graph *g;
    weir_topology_options o;
    weir_topology_options_init(&o);
    o.format = "grapml";
    assert_int_equal(weir_topology_read(diag, "x.txt", "a b", 3, &o, &g), WEIR_E_FORMAT);
    assert_true(said("no topology format 'grapml'; did you mean 'graphml'?; known are: graphml, brite,") ||
                said("did you mean 'graphml'"));
    assert_int_equal(weir_topology_read(diag, "x.dat", "a b", 3, NULL, &g), WEIR_E_FORMAT);
    assert_true(
        said("by topology.format: graphml, brite, brite-conf, cch, weights, latencies, as-rel, sndlib, "));
    o.format = "edges";
    assert_int_equal(weir_topology_read(diag, "x.graphml", "a b", 3, &o, &g), WEIR_OK);
    weir_graph_free(g);
    o.max_bytes = 2;
    assert_int_equal(weir_topology_read(diag, "x.txt", "a b", 3, &o, &g), WEIR_E_IO);
    size_t n;
    const weir_topology_format *f = weir_topology_formats(&n);
    for (size_t i = 0; i < n; i++)
        assert_true(f[i].name && f[i].suffixes && f[i].doc);
}

/* Cut anywhere, every sample is a smaller graph or an error; a flipped byte likewise. */
static void cut_and_flipped(void **state)
{
    (void)state;
    const char *const names[] = {"small.cch", "small.graphml"};
    for (size_t f = 0; f < 2; f++) {
        size_t size;
        char *text = sample(names[f], &size);
        for (size_t n = 0; n < 2 * size; n++) {
            char *copy = malloc(size + 1);
            assert_non_null(copy);
            memcpy(copy, text, size);
            if (n >= size)
                copy[n - size] ^= (char)(1 << n % 8);
            weir_graph *g = NULL;
            const weir_status st = weir_topology_read(NULL, names[f], copy, n < size ? n : size, NULL, &g);
            assert_int_equal(st == WEIR_OK, g != NULL);
            weir_graph_free(g);
            free(copy);
        }
        free(text);
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(cch_sample),       CASE(cch_broken),     CASE(graphml_sample),    CASE(graphml_directed),
        CASE(graphml_pairs),    CASE(zero_rates),     CASE(sndlib_directions), CASE(graphml_odd),
        CASE(graphml_own_keys), CASE(graphml_broken), CASE(graphml_entities),  CASE(formats),
        CASE(cut_and_flipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
