/*
 * What a conversion announces as lost is what is lost: graphs with every property that a graph can have, and
 * a small file of each format that can be read, written in each format and read again. What differs then is
 * compared with what the warning names, both ways.
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

/* ---- graphs ---- */

typedef struct wanted {
    bool odd_names, hosts, geographic, unplaced, isolated, loops, parallel, two_values, one_way, weighted;
} wanted;

static void add(weir_graph_builder *b, uint32_t from, uint32_t to, const wanted *w, uint32_t n)
{
    weir_link l = weir_link_init(from, to);
    l.rate_bps = 1000000 * (n + 1);
    l.delay_ps = 1234567 * (weir_time)(n + 1);
    l.weight = w->weighted ? n + 2 : 0;
    if (w->two_values) {
        l.rate_back_bps = l.rate_bps + 7;
        l.delay_back_ps = l.delay_ps + 11;
        l.weight_back = w->weighted ? n + 30 : 0;
    }
    l.one_way = w->one_way && n % 2 == 1;
    weir_graph_add_link(b, l);
}

static weir_graph *make(const wanted *w)
{
    static const char *const odd[] = {"New York, NY", "a \"b\" | c", "#3",   "x:y",
                                      "\xc3\x85rhus", "%z",          "alone"};
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph *g = NULL;
    for (uint32_t v = 0; v < 6u + w->isolated; v++) {
        weir_graph_add_node(b, w->odd_names ? odd[v] : NULL, w->hosts && v == 2 ? WEIR_HOST : WEIR_ROUTER);
        if (!w->unplaced || v % 2)
            weir_graph_set_xy(b, v, 10.5 + v, 20 + v / 8.0);
        if (w->hosts) {
            weir_graph_set_class(b, v, (weir_node_class)(v % 6));
            weir_graph_set_as(b, v, v == 4 ? 0 : 7 * v + 1);
        }
    }
    weir_graph_set_geographic(b, w->geographic);
    uint32_t n = 0;
    for (uint32_t v = 0; v < 6; v++)
        add(b, v, (v + 1) % 6, w, n++);
    for (uint32_t k = 0; w->parallel && k < 3; k++) {
        add(b, 3, 2, w, n++);
        add(b, 2, 3, w, n++);
    }
    if (w->loops)
        weir_graph_add_link(b, weir_link_init(1, 1));
    assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
    weir_graph_builder_free(b);
    return g;
}

/* ---- what is lost ---- */

/* A direction of a link as a reader may find it, for comparison as a set. */
typedef struct arc {
    uint32_t from, to;
    uint64_t value;
} arc;

typedef enum value { RATE, DELAY, WEIGHT, NOTHING } value;

static uint64_t value_of(const weir_graph *g, uint32_t e, value what)
{
    return what == RATE     ? g->rate_bps[e]
           : what == DELAY  ? (uint64_t)g->delay_ps[e]
           : what == WEIGHT ? g->weighted * g->weight[e]
                            : 0;
}

static int by_arc(const void *a, const void *b)
{
    const arc *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Arcs of a graph in the numbers of another one, sorted; alike ones once. */
static arc *arcs_of(const weir_graph *g, const uint32_t *number, value what, size_t *n)
{
    arc *all = malloc((g->n_edges + 1) * sizeof *all);
    size_t kept = 0;
    *n = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->end[v]; e++)
            all[(*n)++] = (arc){number[v], number[g->target[e]], value_of(g, e, what)};
    qsort(all, *n, sizeof *all, by_arc);
    for (size_t i = 0; i < *n; i++)
        if (i == 0 || by_arc(&all[i], &all[kept - 1]) != 0)
            all[kept++] = all[i];
    *n = kept;
    return all;
}

static bool same_arcs(const weir_graph *a, const weir_graph *b, const uint32_t *of_b, value what)
{
    size_t n, m;
    uint32_t *same = malloc((a->n_nodes + 1) * sizeof *same);
    for (uint32_t v = 0; v < a->n_nodes; v++)
        same[v] = v;
    arc *x = arcs_of(a, same, what, &n), *y = arcs_of(b, of_b, what, &m);
    const bool equal = n == m && memcmp(x, y, n * sizeof *x) == 0;
    free(same);
    free(x);
    free(y);
    return equal;
}

static uint64_t known(const weir_graph *g, value what)
{
    uint64_t n = 0;
    for (uint32_t e = 0; e < g->n_edges; e++)
        n += what == DELAY ? g->delay_ps[e] >= 0 : value_of(g, e, what) > 0;
    return n;
}

enum {
    NAMES,
    HOSTS,
    CLASSES,
    SERVERS,
    ASES,
    PLACES,
    NO_PLACES,
    DEGREES,
    ALONE,
    RATES,
    TWO_RATES,
    DELAYS,
    TWO_DELAYS,
    WEIGHTS,
    TWO_WEIGHTS,
    ONE_WAY,
    PARALLEL,
    LOOPS,
    PROPERTIES
};
static const char *const word[PROPERTIES] = {"names (",
                                             "hosts, which become routers (",
                                             "classes of nodes (",
                                             "servers, which become leaves (",
                                             "AS numbers (",
                                             "coordinates (",
                                             "nodes without coordinates",
                                             "degrees, which become kilometres",
                                             "nodes without links (",
                                             "rates (",
                                             "rates that differ",
                                             "delays (",
                                             "delays that differ",
                                             "weights (",
                                             "weights that differ",
                                             "one-way links",
                                             "parallel links",
                                             "links from a node to itself"};

static void compare_nodes(const weir_graph *a, const weir_graph *b, const uint32_t *of_b, bool *lost)
{
    for (uint32_t v = 0; v < b->n_nodes; v++) {
        const uint32_t u = of_b[v];
        lost[HOSTS] |= a->role[u] != b->role[v];
        lost[SERVERS] |= a->node_class[u] == WEIR_CLASS_SERVER && b->node_class[v] == WEIR_CLASS_LEAF;
        lost[CLASSES] |= a->node_class[u] != WEIR_CLASS_NONE && b->node_class[v] == WEIR_CLASS_NONE;
        lost[ASES] |= a->as_number[u] != b->as_number[v];
        lost[PLACES] |= !isnan(a->x[u]) && !(a->x[u] == b->x[v] && a->y[u] == b->y[v]);
        lost[NO_PLACES] |= isnan(a->x[u]) && !isnan(b->x[v]);
        lost[DEGREES] |= !isnan(a->x[u]) && !isnan(b->x[v]) && a->geographic != b->geographic;
    }
}

static void compare(const weir_graph *a, const weir_graph *b, bool *lost)
{
    uint32_t *of_b = malloc((b->n_nodes + 1) * sizeof *of_b);
    for (uint32_t v = 0; v < a->n_nodes; v++)
        lost[NAMES] |= weir_graph_find(b, a->name[v]) == UINT32_MAX && a->first[v] < a->first[v + 1];
    for (uint32_t v = 0; v < b->n_nodes; v++)
        of_b[v] = lost[NAMES] ? v : weir_graph_find(a, b->name[v]);
    compare_nodes(a, b, of_b, lost);
    lost[ALONE] = a->n_nodes > b->n_nodes;
    lost[ONE_WAY] = a->n_one_way != b->n_one_way;
    lost[PARALLEL] = a->n_edges != b->n_edges;
    lost[LOOPS] = a->n_self_loops != b->n_self_loops;
    const int first[] = {RATES, DELAYS, WEIGHTS};
    for (int k = 0; k < 3; k++) {
        lost[first[k]] = known(a, (value)k) > 0 && known(b, (value)k) == 0;
        lost[first[k] + 1] = !lost[first[k]] && !lost[PARALLEL] && !same_arcs(a, b, of_b, (value)k);
    }
    assert_true(same_arcs(a, b, of_b, NOTHING));
    free(of_b);
}

/* ---- the test ---- */

static void convert(const weir_graph *g, const char *format, const char *what)
{
    char *text, announced[1000] = "";
    size_t size;
    weir_diag *diag = weir_diag_new();
    weir_graph *back = NULL;
    weir_topology_options o;
    bool lost[PROPERTIES] = {false};
    if (weir_topology_print(diag, g, format, &text, &size) != WEIR_OK)
        fail_msg("%s as %s: %s", what, format, weir_diag_get(diag, 0)->text);
    for (size_t i = 0; i < weir_diag_count(diag); i++)
        if (strstr(weir_diag_get(diag, i)->text, "loses: "))
            snprintf(announced, sizeof announced, "%s", strstr(weir_diag_get(diag, i)->text, "loses: ") + 5);
    weir_topology_options_init(&o);
    o.format = strcmp(format, "csv") == 0 ? "edges" : format;
    if (strcmp(format, "dot") == 0) {
        lost[LOOPS] = g->n_self_loops > 0; /* nothing else; dot_holds_all reads it */
    } else {
        if (weir_topology_read(diag, "again", text, size, &o, &back) != WEIR_OK)
            fail_msg("%s as %s: %s", what, format, weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
        compare(g, back, lost);
    }
    for (int p = 0; p < PROPERTIES; p++) {
        char with_blank[100]; /* "names (" is no part of "host names (" */
        snprintf(with_blank, sizeof with_blank, " %s", word[p]);
        if ((strstr(announced, with_blank) != NULL) != lost[p])
            fail_msg("%s as %s: '%s' is %s; announced are%s", what, format, word[p],
                     lost[p] ? "lost" : "not lost", announced);
    }
    weir_graph_free(back);
    free(text);
    weir_diag_free(diag);
}

static void every_property(void **state)
{
    size_t n;
    (void)state;
    const weir_topology_format *formats = weir_topology_write_formats(&n);
    for (unsigned bits = 0; bits < 1024; bits++) {
        const wanted w = {bits & 1,  bits & 2,  bits & 4,   bits & 8,   bits & 16,
                          bits & 32, bits & 64, bits & 128, bits & 256, bits & 512};
        char what[40];
        snprintf(what, sizeof what, "graph %#x", bits);
        weir_graph *g = make(&w);
        for (size_t i = 0; i < n; i++)
            convert(g, formats[i].name, what);
        weir_graph_free(g);
    }
}

static void every_format(void **state)
{
    static const struct {
        const char *format, *text;
    } all[] = {
        {"graphml",
         "<graphml><key id='r' for='edge' attr.name='rate'/><graph edgedefault='directed'>"
         "<node id='a'/><node id='b'/><edge source='a' target='b'><data key='r'>1Mbps</data></edge>"
         "<edge source='b' target='b'/></graph></graphml>"},
        {"brite", "Topology: ( 2 Nodes, 1 Edges )\nModel\n\nNodes: ( 2 )\n0 1 2 1 1 3 RT_LEAF\n"
                  "1 5 6 1 1 4 RT_BORDER\n\nEdges: ( 1 )\n0 0 1 5.6 0.02 10 3 4 E_RT U\n"},
        {"cch", "1 @A bb (1) -> <2> =a r0\n2 @A (1) -> <1> =b r0\n"},
        {"weights", "a b 2\nb a 3\n"},
        {"latencies", "a b 2\nb a 3\n"},
        {"as-rel", "64500|64501|-1\n"},
        {"sndlib", "?SNDlib native format; type: network; version: 1.0\nNODES (\n a ( 1 2 )\n b ( 3 4 )\n)\n"
                   "LINKS (\n l ( a b ) 5 0 6 0 ( )\n)\n"},
        {"sndlib-xml",
         "<network><networkStructure><nodes><node id='a'><coordinates><x>1</x><y>2</y></coordinates></node>"
         "<node id='b'><coordinates><x>3</x><y>4</y></coordinates></node></nodes><links><link id='l'>"
         "<source>a</source><target>b</target><preInstalledModule><capacity>5</capacity></preInstalledModule>"
         "<routingCost>6</routingCost></link></links></networkStructure></network>"},
        {"gml", "graph [ node [ id 0 label \"a\" Latitude 1 Longitude 2 ] node [ id 1 ] edge [ source 0 "
                "target 1 rate \"1Mbps\" "
                "weight 7 ] edge [ source 1 target 1 ] edge [ source 0 target 1 delay \"2ms\" ] ]"},
        {"repetita", "NODES 2\nlabel x y\na 1 2\nb 3 4\nEDGES 2\nlabel src dest weight bw delay\ne 0 1 5 100 "
                     "7\nf 1 0 6 200 8\n"},
        {"inet", "2 1\n0 1 2\n1 3 4\n0 1 9\n"},
        {"orbis", "0 1\n1 2\n"},
        {"edges", "a b 3\nb a 4\n"},
    };
    size_t n;
    (void)state;
    const weir_topology_format *formats = weir_topology_write_formats(&n);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_graph *g = NULL;
        weir_topology_options o;
        weir_topology_options_init(&o);
        o.format = all[i].format;
        assert_int_equal(weir_topology_read(NULL, "x", all[i].text, strlen(all[i].text), &o, &g), WEIR_OK);
        for (size_t k = 0; k < n; k++)
            convert(g, formats[k].name, all[i].format);
        weir_graph_free(g);
    }
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    while ((text = strstr(text, what)) != NULL) {
        n++;
        text += strlen(what);
    }
    return n;
}

static void dot_holds_all(void **state)
{
    const wanted w = {true, true, true, true, true, false, true, true, true, true};
    char *text;
    size_t size;
    (void)state;
    weir_graph *g = make(&w);
    assert_int_equal(weir_topology_print(NULL, g, "dot", &text, &size), WEIR_OK);
    const size_t arcs = g->n_edges - g->n_one_way;
    assert_int_equal(count(text, "->"), arcs);
    assert_int_equal(count(text, "rate="), arcs);
    assert_int_equal(count(text, "delay="), arcs);
    assert_int_equal(count(text, "weight="), arcs);
    assert_int_equal(count(text, "label="), 7);
    assert_int_equal(count(text, "shape=box"), 1);
    assert_int_equal(count(text, "class="), 5);
    assert_int_equal(count(text, " as="), 6);
    assert_int_equal(count(text, "pos="), 3);
    assert_int_equal(count(text, "geographic=true"), 1);
    free(text);
    weir_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_property),
        cmocka_unit_test(every_format),
        cmocka_unit_test(dot_holds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
