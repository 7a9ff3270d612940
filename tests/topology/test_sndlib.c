/*
 * SNDlib's networks: the same graph from both formats, for published files and for one by hand; rates by pre-installed
 * capacities and by modules, in any unit; and what a document may be wrong in, by its line.
 */
#include <unistd.h>

#include "diag.h"
#include "skip.h"
#include "weir/topology.h"

static weir_graph *read_as(const char *format, const char *text, weir_modules modules)
{
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    weir_topology_options o;
    weir_topology_options_init(&o);
    o.format = format;
    o.modules = modules;
    expect_ok(diag, weir_topology_read(diag, "x", text, strlen(text), &o, &g));
    weir_diag_free(diag);
    return g;
}

static void expect_same(const weir_graph *a, const weir_graph *b)
{
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_edges, b->n_edges);
    for (uint32_t v = 0; v < a->n_nodes; v++) {
        assert_string_equal(a->name[v], b->name[v]);
        assert_true(a->x[v] == b->x[v] && a->y[v] == b->y[v]);
    }
    for (uint32_t e = 0; e < a->n_edges; e++) {
        assert_int_equal(a->target[e], b->target[e]);
        assert_int_equal(a->rate_bps[e], b->rate_bps[e]);
        assert_int_equal(a->weight[e], b->weight[e]);
    }
}

static const char native[] = "?SNDlib native format; type: network; version: 1.0\n"
                             "META (\n unit = GBITPERSEC\n)\n"
                             "NODES (\n a ( 1.5 2 )\n \"b & c\" ( 3 4 )\n d ( -5 60 )\n)\n"
                             "LINKS (\n l ( a \"b & c\" ) 2.5 0 7.5 1 ( 10 3 )\n"
                             " m ( \"b & c\" a ) 0 0 0 0 ( 40 9 10 3 )\n"
                             " n ( a d ) 0 0 0 0 ( )\n)\n";
static const char xml[] =
    "<?xml version='1.0'?>\n<!-- by hand, <network> -->\n<network><meta><unit> GBITPERSEC </unit></meta>"
    "<networkStructure><nodes coordinatesType='geographical'>"
    "<node id='a'><coordinates><x>1.5</x><y>2</y></coordinates></node>"
    "<node id='b &amp; c'><coordinates><x>3</x><y>4</y></coordinates></node>"
    "<node id='d'><coordinates><x>-5</x><y>60</y></coordinates></node></nodes><links>"
    "<link id='l'><source>a</source><target>b &amp; "
    "c</target><preInstalledModule><capacity>2.5</capacity><cost>1</cost>"
    "</preInstalledModule><routingCost>7.5</routingCost><additionalModules><addModule><capacity>10</"
    "capacity><cost>3</cost>"
    "</addModule></additionalModules></link>"
    "<link id='m'><source>b &amp; "
    "c</source><target>a</target><additionalModules><addModule><cost>9</cost><capacity>40"
    "</capacity></addModule><addModule><capacity>10</capacity></addModule></additionalModules></link>"
    "<link id='n'><source>a</source><target>d</target></link></links></networkStructure>"
    "<demands><demand "
    "id='q'><source>a</source><target>nowhere</target><capacity>x</capacity></demand></demands></network>";

static void both_formats_are_one_graph(void **state)
{
    (void)state;
    static const weir_modules all[] = {WEIR_MODULES_NONE, WEIR_MODULES_LEAST, WEIR_MODULES_MOST};
    static const uint64_t of_m[] = {2500000000, 10000000000, 40000000000};
    for (size_t i = 0; i < 3; i++) {
        weir_graph *a = read_as("sndlib", native, all[i]), *b = read_as("sndlib-xml", xml, all[i]),
                   *told = read_as(NULL, xml, all[i]);
        expect_same(a, b);
        expect_same(a, told);
        /* Edges of a: to b & c twice, and to d. No rate is stated for n, nor, without modules, for m: the least of the others. */
        assert_int_equal(b->rate_bps[b->first[0]], 2500000000);
        assert_int_equal(b->rate_bps[b->first[0] + 1], of_m[i]);
        assert_int_equal(b->rate_bps[b->first[0] + 2], 2500000000);
        weir_graph_free(a);
        weir_graph_free(b);
        weir_graph_free(told);
    }
}

static void published_files(void **state)
{
    (void)state;
    static const char *const names[] = {"abilene", "polska"};
    const char *set = getenv("WEIR_DATA"), *folder = set ? set : WEIR_SOURCE_DIR "/../shared/data";
    if (access(folder, R_OK) != 0) {
        print_message("no shared data; set WEIR_DATA to where it is\n");
        skip();
    }
    for (size_t i = 0; i < 2; i++)
        for (int m = WEIR_MODULES_NONE; m <= WEIR_MODULES_MOST; m++) {
            char path[2][600];
            weir_graph *g[2] = {NULL, NULL};
            weir_diag *diag = weir_diag_new();
            weir_topology_options o;
            weir_topology_options_init(&o);
            o.modules = (weir_modules)m;
            snprintf(path[0], sizeof path[0], "%s/sndlib/%s.native.txt", folder, names[i]);
            snprintf(path[1], sizeof path[1], "%s/sndlib/%s.xml", folder, names[i]);
            for (int k = 0; k < 2; k++)
                expect_ok(diag, weir_topology_load(diag, path[k], &o, &g[k]));
            expect_same(g[0], g[1]);
            /* Poland's modules are 155 and 622 Mb/s, of every link (README of the data). */
            for (uint32_t e = 0; i == 1 && e < g[1]->n_edges; e++)
                assert_int_equal(g[1]->rate_bps[e], m == 0 ? 0 : m == 1 ? 155000000 : 622000000);
            weir_graph_free(g[0]);
            weir_graph_free(g[1]);
            weir_diag_free(diag);
        }
}

#define DOC(nodes, links)                                                        \
    "<network>\n<networkStructure>\n<nodes>\n" nodes "</nodes>\n<links>\n" links \
    "</links></networkStructure></network>"
#define AB "<node id='a'/><node id='b'/>\n"
#define LINK(within) "<link id='l'><source>a</source><target>b</target>\n" within "</link>\n"

static void errors_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *says;
        weir_modules modules;
    } all[] = {
        {"<graphml/>", 1, "the root element is <graphml>"},
        {"<network/>", 1, "no <nodes> or no <links>"},
        {"<network>\n<networkStructure><nodes/></networkStructure>\n</network>", 3,
         "no <nodes> or no <links>"},
        {"<network><meta>\n<unit>FURLONGS</unit></meta></network>", 2, "unknown unit 'FURLONGS'"},
        {DOC("<node/>", ""), 4, "without id"},
        {DOC(AB "<node id='a'/>", ""), 5, "node 'a' is there already"},
        {DOC("<node id='a'><coordinates>\n<x>1</x></coordinates></node>", ""), 5, "want <x> and <y>"},
        {DOC("<node id='a'><coordinates>\n<x>1e</x></coordinates></node>", ""), 5, "x is '1e'"},
        {DOC(AB, "<link id='l'><source>a</source></link>"), 7, "without <target>"},
        {DOC(AB, "<link id='l'>\n<target>b</target></link>"), 7, "without <source>"},
        {DOC(AB, "<link id='l'>\n<source>c</source></link>"), 8, "no node 'c' stands above"},
        {DOC(AB, LINK("<preInstalledModule><capacity>-1</capacity></preInstalledModule>")), 8,
         "capacity is '-1'"},
        {DOC(AB, LINK("<routingCost></routingCost>")), 8, "routingCost is ''"},
        {DOC(AB,
             LINK("<additionalModules><addModule><capacity>nan</capacity></addModule></additionalModules>")),
         8, "capacity is 'nan'"},
        {DOC(AB, "<link"), 7, ""},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_graph *g = NULL;
        weir_diag *diag = weir_diag_new();
        weir_topology_options o;
        weir_topology_options_init(&o);
        o.format = "sndlib-xml";
        assert_int_equal(weir_topology_read(diag, "x", all[i].text, strlen(all[i].text), &o, &g),
                         WEIR_E_FORMAT);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, all[i].says) || m->line != all[i].line)
            fail_msg("case %zu: line %d, '%s'; want line %d, '%s'", i, m ? m->line : 0, m ? m->text : "",
                     all[i].line, all[i].says);
        weir_diag_free(diag);
    }
}

/* Native modules are looked at where they are asked for. */
static void native_modules(void **state)
{
    (void)state;
    static const char *const bad[] = {"( 10 )", "( 10 3 20 )", "( -1 3 )", "( x 3 )", "10 3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[300];
        weir_graph *g = NULL;
        weir_diag *diag = weir_diag_new();
        weir_topology_options o;
        weir_topology_options_init(&o);
        o.modules = WEIR_MODULES_LEAST;
        snprintf(text, sizeof text,
                 "?SNDlib native format\nNODES (\na\nb\n)\nLINKS (\nl ( a b ) 0 0 0 0 %s\n)\n", bad[i]);
        assert_int_equal(weir_topology_read(diag, "x", text, strlen(text), &o, &g), WEIR_E_FORMAT);
        assert_int_equal(weir_diag_get(diag, 0)->line, 7);
        assert_non_null(strstr(weir_diag_get(diag, 0)->text, "module"));
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_formats_are_one_graph),
                                       cmocka_unit_test(published_files), cmocka_unit_test(errors_are_named),
                                       cmocka_unit_test(native_modules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
