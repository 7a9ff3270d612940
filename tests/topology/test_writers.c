/*
 * Round trips: what a writer prints, its reader takes back as the same graph, to every field that the format
 * can hold; for graphs of all generators and for odd ones (names that need quoting, rates that differ by
 * direction). Then the readers of BRITE, Inet, Orbis and SNDlib files on broken and hostile input, cut and
 * flipped anywhere.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topology/generating.h"

static weir_graph *again(const weir_graph *g, const char *format, weir_third_column third, size_t *warnings)
{
    char *text;
    size_t size;
    weir_graph *back = NULL;
    weir_topology_options o;
    weir_diag *diag = weir_diag_new();
    weir_topology_options_init(&o);
    o.format = format;
    o.third_column = third;
    if (third != WEIR_THIRD_WEIGHT && strcmp(format, "graphml") != 0)
        o.duplicates = WEIR_DUPLICATES_KEEP; /* parallel links are single lines */
    if (weir_topology_print(diag, g, format, &text, &size) != WEIR_OK)
        fail_msg("%s: %s", format, weir_diag_get(diag, 0)->text);
    *warnings = weir_diag_count(diag);
    assert_int_equal(strlen(text), size);
    if (weir_topology_read(diag, "again", text, size, &o, &back) != WEIR_OK)
        fail_msg("%s: line %d: %s", format, weir_diag_get(diag, weir_diag_count(diag) - 1)->line,
                 weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    free(text);
    weir_diag_free(diag);
    return back;
}

static bool same_place(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Nodes, links in order, so ports too; `names` and the rest as far as the format goes. */
static void same(const weir_graph *a, const weir_graph *b, bool brite, const char *what)
{
    bool good = a->n_nodes == b->n_nodes && a->n_edges == b->n_edges;
    for (uint32_t v = 0; good && v < a->n_nodes; v++) {
        good &= a->first[v + 1] == b->first[v + 1] && a->as_number[v] == b->as_number[v];
        good &= brite || (strcmp(a->name[v], b->name[v]) == 0 && a->role[v] == b->role[v] &&
                          a->node_class[v] == b->node_class[v] && same_place(a->x[v], b->x[v]) &&
                          same_place(a->y[v], b->y[v]));
        good &= !brite || isnan(a->x[v]) || (a->x[v] == b->x[v] && a->y[v] == b->y[v]);
    }
    for (uint32_t e = 0; good && e < a->n_edges; e++)
        good &= a->target[e] == b->target[e] && a->reverse[e] == b->reverse[e] && a->link[e] == b->link[e] &&
                a->rate_bps[e] == b->rate_bps[e] && a->delay_ps[e] == b->delay_ps[e] &&
                (brite || a->weight[e] == b->weight[e]);
    if (!good || (!brite && a->geographic != b->geographic))
        fail_msg("%s differs after a round trip", what);
}

static void generators(void **state)
{
    size_t n, warnings;
    (void)state;
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++) {
        weir_graph *g = generated(all[i]->name, "", 3);
        weir_graph *b = again(g, "graphml", WEIR_THIRD_DEFAULT, &warnings);
        same(g, b, false, all[i]->name);
        assert_int_equal(warnings, 0);
        weir_graph_free(b);
        b = again(g, "brite", WEIR_THIRD_DEFAULT, &warnings);
        same(g, b, true, all[i]->name);
        weir_graph_free(b);
        b = again(g, "edges", WEIR_THIRD_DEFAULT, &warnings);
        assert_true(b->n_nodes == g->n_nodes && b->n_edges == g->n_edges);
        for (uint32_t v = 0; v < g->n_nodes; v++)
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
                const uint32_t u = weir_graph_find(b, g->name[v]);
                assert_string_equal(b->name[b->target[b->first[u] + e - g->first[v]]], g->name[g->target[e]]);
            }
        weir_graph_free(b);
        weir_graph_free(g);
    }
}

/* Three nodes of odd names, places on the globe, classes; a link of two rates and weights, one that says
 * nothing. */
static weir_graph *odd_graph(const char *name0, bool parallel)
{
    weir_graph *g = NULL;
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph_add_node(b, name0, WEIR_ROUTER);
    weir_graph_add_node(b, "New York, NY", WEIR_HOST);
    weir_graph_add_node(b, "\xc3\x85rhus", WEIR_ROUTER);
    weir_graph_set_geographic(b, true);
    weir_graph_set_xy(b, 1, -74.005899999999997, 40.1);
    weir_graph_set_as(b, 2, 4294967295u);
    weir_graph_set_class(b, 0, WEIR_CLASS_BACKBONE);
    weir_graph_set_class(b, 1, WEIR_CLASS_SERVER);
    weir_link l = weir_link_init(1, 0);
    l.rate_bps = 123456789;
    l.rate_back_bps = 1;
    l.delay_ps = 12345678901;
    l.weight = 3;
    l.weight_back = 7;
    weir_graph_add_link(b, l);
    weir_graph_add_link(b, weir_link_init(2, 1));
    if (parallel)
        weir_graph_add_link(b, weir_link_init(1, 2));
    assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
    weir_graph_builder_free(b);
    return g;
}

static void odd_names(void **state)
{
    size_t warnings;
    (void)state;
    weir_graph *g = odd_graph("<a> & \"b\" 'c' ]]>", false);
    weir_graph *b = again(g, "graphml", WEIR_THIRD_DEFAULT, &warnings);
    same(g, b, false, "odd graph");
    weir_graph_free(b);
    b = again(g, "edges", WEIR_THIRD_WEIGHT, &warnings);
    const uint32_t u = weir_graph_find(b, "New York, NY");
    assert_true(u != UINT32_MAX && b->weight[b->first[u]] == 3 && b->weight[b->reverse[b->first[u]]] == 7);
    weir_graph_free(b);
    b = again(g, "brite", WEIR_THIRD_DEFAULT, &warnings);
    assert_int_equal(warnings, 1);
    assert_true(b->rate_bps[b->first[1]] == 123456789 && b->rate_bps[b->first[0]] == 1);
    assert_int_equal(b->delay_ps[0], 12345678901);
    weir_graph_free(b);
    weir_graph_free(g);
    static const char *const bad[] = {"a\x01z", "\xff\xfe", "a\xed\xa0\x80", "x\xef\xbf\xbf",
                                      "\xf8\x88\x80\x80"};
    for (size_t i = 0; i < 5; i++) { /* what XML does not hold is replaced, and the rest is read */
        g = odd_graph(bad[i], false);
        b = again(g, "graphml", WEIR_THIRD_DEFAULT, &warnings);
        assert_true(warnings == 1 && b->n_nodes == 3 && b->n_edges == g->n_edges);
        weir_graph_free(b);
        weir_graph_free(g);
    }
    static const char *const parted[] = {"a|b", "#1", "%x", "a\tb", "\"q\"", " a"};
    for (size_t i = 0; i < 6; i++) {
        g = odd_graph(parted[i], false);
        b = again(g, "edges", WEIR_THIRD_DEFAULT, &warnings);
        assert_true(weir_graph_find(b, parted[i]) != UINT32_MAX);
        weir_graph_free(b);
        weir_graph_free(g);
    }
    char *text = (char *)state;
    size_t size;
    g = odd_graph("two\nlines", false);
    assert_int_equal(weir_topology_print(NULL, g, "edges", &text, &size), WEIR_E_ARG);
    assert_null(text);
    weir_graph_free(g);
}

static void dot(void **state)
{
    char *text;
    size_t size;
    (void)state;
    weir_graph *g = odd_graph("a \"b\" \\", false);
    assert_int_equal(weir_topology_print(NULL, g, "dot", &text, &size), WEIR_OK);
    assert_non_null(strstr(text, "n0 [label=\"a \\\"b\\\" \\\\\" class=backbone]"));
    assert_non_null(
        strstr(text, "n1 [label=\"New York, NY\" shape=box class=server pos=\"-74.0059,40.1!\"]"));
    assert_non_null(strstr(text, "n0 -> n1 [rate=\"1bps\" delay=\"12345678901ps\" weight=7]"));
    assert_non_null(strstr(text, "n1 -> n0 [rate=\"123456789bps\" delay=\"12345678901ps\" weight=3]"));
    free(text);
    weir_graph_free(g);
}

static void files(void **state)
{
    char folder[] = "/tmp/weir-write-XXXXXX", path[100], text[200];
    (void)state;
    assert_non_null(mkdtemp(folder));
    weir_graph *g = generated("waxman", "N=300", 1), *b = NULL;
    static const char *const names[] = {"a.brite", "a.graphml", "a.graphml.gz", "a.brite.gz",
                                        "a.txt",   "a.txt.gz",  "a.csv"};
    for (size_t i = 0; i < 7; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(weir_topology_write(NULL, g, NULL, path), WEIR_OK);
        assert_int_equal(weir_topology_write(NULL, g, NULL, path), WEIR_OK); /* replaces it */
        assert_int_equal(weir_topology_load(NULL, path, NULL, &b), WEIR_OK);
        assert_true(b->n_edges == g->n_edges);
        weir_graph_free(b);
    }
    assert_int_equal(weir_topology_write(NULL, g, NULL, folder), WEIR_E_ARG);
    assert_int_equal(weir_topology_write(NULL, g, "dot", folder), WEIR_E_IO);
    snprintf(path, sizeof path, "%s/none/a.dot", folder);
    assert_int_equal(weir_topology_write(NULL, g, NULL, path), WEIR_E_IO);
    assert_int_equal(weir_topology_write(NULL, g, "doot", path), WEIR_E_ARG);
    struct stat about; /* a link or a device is written, not replaced */
    snprintf(path, sizeof path, "%s/link.csv", folder);
    assert_int_equal(symlink("a.txt", path), 0);
    assert_int_equal(weir_topology_write(NULL, g, NULL, path), WEIR_OK);
    assert_true(lstat(path, &about) == 0 && S_ISLNK(about.st_mode));
    assert_int_equal(weir_topology_load(NULL, path, NULL, &b), WEIR_OK);
    assert_true(b->n_edges == g->n_edges);
    weir_graph_free(b);
    if (access("/dev/full", W_OK) == 0) { /* a full disk: no file is left under its name */
        snprintf(path, sizeof path, "%s/full.txt", folder);
        snprintf(text, sizeof text, "%s/full.txt.tmp-%ld", folder, (long)getpid());
        assert_int_equal(symlink("/dev/full", text), 0);
        assert_int_equal(weir_topology_write(NULL, g, NULL, path), WEIR_E_IO);
        assert_true(access(path, F_OK) != 0);
        unlink(text);
    }
    weir_graph_free(g);
    snprintf(text, sizeof text, "rm -r %s", folder);
    assert_int_equal(system(text), 0);
}

/* ---- broken input ---- */

static const char brite[] =
    "Topology: ( 3 Nodes, 3 Edges )\nModel ( 1 ): 3 1000\n\nNodes: (3)\n"
    "0 1.00 2.00 2 2 0 RT_BORDER \n1 5 1 2 2 0 RT_LEAF\n7 1 9 2 2 -1 AS_NODE\n\n\n"
    "Edges: (3):\n0 0 1 4 0.5 10.5 0 0 E_RT U\n1 1 7 4 -1 -1 0 -1 E_RT U\n2 7 0 4 0 1 -1 0 E_RT U\n";
static const char inet[] = "3 3\n0\t5\t6\n1\t7\t8\n2\t5\t9\n0\t1\t4\n1 2 3\n2 0 5\n";
static const char sndlib[] =
    "?SNDlib native format; type: network; version: 1.0\n# x\nMETA (\n unit = GBITPERSEC\n)\n"
    "NODES (\n A ( 1.5 2 )\n B ( -3 80 )\n)\nLINKS (\n L ( A B ) 2.00 0 3 0 ( 40 1 50 2 )\n"
    " M ( B A ) 0 0 0 0 ( )\n)\nDEMANDS (\n d ( A B ) 1 2 UNLIMITED\n)\n";
static const char orbis[] = "1 2\n2 3\n3 1\n";

static weir_graph *read_text(const char *format, const char *text)
{
    weir_topology_options o;
    weir_graph *g = NULL;
    weir_topology_options_init(&o);
    o.format = format;
    assert_int_equal(weir_topology_read(NULL, "x", text, strlen(text), &o, &g), WEIR_OK);
    return g;
}

static void small(void **state)
{
    (void)state;
    weir_graph *g = read_text(NULL, brite); /* told by its first line */
    assert_true(g->n_nodes == 3 && g->n_edges == 6 && !g->geographic);
    const uint32_t seven = weir_graph_find(g, "7");
    assert_true(seven == 2 && g->as_number[0] == 1 && g->as_number[2] == 0 &&
                g->node_class[0] == WEIR_CLASS_BORDER && g->node_class[1] == WEIR_CLASS_LEAF &&
                g->node_class[2] == WEIR_CLASS_NONE && g->x[2] == 1 && g->y[2] == 9);
    assert_true(g->rate_bps[0] == 10500000 && g->delay_ps[0] == WEIR_PS_PER_MS / 2);
    assert_true(g->rate_bps[g->first[1] + 1] == 0 && g->delay_ps[g->first[1] + 1] == -1);
    weir_graph_free(g);
    g = read_text("inet", inet);
    assert_true(g->n_nodes == 3 && g->n_edges == 6 && g->x[1] == 7 && g->y[2] == 9 && g->delay_ps[0] < 0);
    weir_graph_free(g);
    g = read_text(NULL, sndlib);
    assert_true(g->n_nodes == 2 && g->n_edges == 2 && g->geographic); /* one link in two directions */
    assert_true(g->rate_bps[0] == 2000000000 && g->weight[0] == 3 && g->rate_bps[1] == 2000000000 &&
                g->y[1] == 80);
    weir_graph_free(g);
    g = read_text("orbis", orbis);
    assert_true(g->n_nodes == 3 && g->n_edges == 6);
    weir_graph_free(g);
}

static void refused(void **state)
{
    static const struct {
        const char *format, *text;
        int line, column;
        const char *says;
    } all[] = {
        {"brite", "", 0, 0, "does not begin with 'Topology:'"},
        {"brite", "Topology: ( 1 Nodes, 0 Edges )\n", 1, 0, "no line 'Nodes:'"},
        {"brite", "Topology: x\nNodes: (1)\n0 1 1 0 0 -1 RT_NODE\n", 3, 0, "no line 'Edges:'"},
        {"brite", "Topology: x\nNodes: (1)\n0 1 1 0 0 -1\n", 3, 0, "a node of 6 fields"},
        {"brite", "Topology: x\nNodes: (1)\n0 1 nan 0 0 -1 RT_NODE\n", 3, 5, "y coordinate is 'nan'"},
        {"brite", "Topology: x\nNodes: (1)\n0 1e300 1 0 0 -1 RT_NODE\n", 3, 3, "x coordinate is '1e300'"},
        {"brite", "Topology: x\nNodes: (1)\n0 1 1 0 0 -2 RT_NODE\n", 3, 11, "AS id is '-2'"},
        {"brite", "Topology: x\nNodes: (2)\n0 1 1 0 0 0 X\n  0 1 1 0 0 0 X\n", 4, 3,
         "node '0' is there already"},
        {"brite", "Topology: x\nNodes: (1)\n0 1 1 0 0 0 X\nEdges: (1)\n0 0 1 1 1 1 0 0 E U\n", 5, 5,
         "no node '1'"},
        {"brite", "Topology: x\nNodes: (1)\n0 1 1 0 0 0 X\nEdges: (1)\n0 0 0 1 -5 1 0 0 E U\n", 5, 9,
         "delay in ms is '-5'"},
        {"brite", "Topology: x\nNodes: (1)\n0 1 1 0 0 0 X\nEdges: (1)\n0 0 0 1\n", 5, 0,
         "an edge of 4 fields"},
        {"inet", "", 0, 0, "breaks off"},
        {"inet", "3\n", 1, 0, "1 fields; want 2"},
        {"inet", "-1 3\n", 1, 1, "number of nodes is '-1'"},
        {"inet", "99999999999 1\n", 1, 1, "number of nodes"},
        {"inet", "16000000 60000000\n0 1 1\n", 2, 0, "breaks off"}, /* a stated count costs nothing */
        {"inet", "1 1\n0 1 1\n0 1 2\n", 3, 3, "no node '1'"},
        {"inet", "1 1\n0 1 1\n0 0 -2\n", 3, 5, "distance is '-2'"},
        {"inet", "1 0\n0 1 1\n1 1 1\n", 3, 0, "more lines than"},
        {"inet", "2 0\n0 1 1\n0 1 1\n", 3, 1, "there already"},
        {"inet", "1 0\n0 inf 1\n", 2, 3, "x coordinate is 'inf'"},
        {"sndlib", "NODES (\n)\n", 1, 0, "no SNDlib file"},
        {"sndlib", "?SNDlib native format\nNODES (\nA ( 1 2 )\n", 3, 0, "breaks off within NODES"},
        {"sndlib", "?SNDlib native format\nNODES (\nA ( 1 )\n)\n", 3, 0, "want a node"},
        {"sndlib", "?SNDlib native format\nNODES (\nA ( 1 x )\n)\n", 3, 7, "latitude is 'x'"},
        {"sndlib", "?SNDlib native format\nNODES (\n)\nNODES (\n)\n", 4, 1, "a second section NODES"},
        {"sndlib", "?SNDlib native format\nNODE (\n)\n", 2, 1, "begins no section"},
        {"sndlib", "?SNDlib native format\nNODES (\n)\n", 3, 0, "no NODES or no LINKS"},
        {"sndlib", "?SNDlib native format\nMETA (\nunit = FURLONGS\n)\n", 3, 8, "unknown unit 'FURLONGS'"},
        {"sndlib", "?SNDlib native format\nNODES (\nA\n)\nLINKS (\nl ( A B ) 1 0 0 0 ( )\n)\n", 6, 7,
         "no node 'B'"},
        {"sndlib", "?SNDlib native format\nNODES (\nA\n)\nLINKS (\nl ( A A ) -1 0 0 0 ( )\n)\n", 6, 11,
         "capacity is '-1'"},
        {"sndlib", "?SNDlib native format\nNODES (\nA\n)\nLINKS (\nl ( A A ) 1\n)\n", 6, 0, "want a link"},
        {"orbis", "1\n", 1, 0, "one column"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_topology_options o;
        weir_graph *g = NULL;
        weir_diag *diag = weir_diag_new();
        weir_topology_options_init(&o);
        o.format = all[i].format;
        const weir_status st = weir_topology_read(diag, "x", all[i].text, strlen(all[i].text), &o, &g);
        const weir_message *m = weir_diag_get(diag, weir_diag_count(diag) - 1);
        if (st != WEIR_E_FORMAT || g || m->line != all[i].line || m->column != all[i].column ||
            !strstr(m->text, all[i].says))
            fail_msg("%zu: status %d, %d:%d '%s'; want %d:%d '%s'", i, (int)st, m ? m->line : 0,
                     m ? m->column : 0, m ? m->text : "", all[i].line, all[i].column, all[i].says);
        weir_diag_free(diag);
    }
}

/* A NUL byte in the header is BRITE's own; below it, and in the other formats, it is damage. */
static void zero_bytes(void **state)
{
    char text[sizeof brite];
    weir_graph *g = NULL;
    (void)state;
    memcpy(text, brite, sizeof brite);
    *strchr(text, 'M') = '\0';
    assert_int_equal(weir_topology_read(NULL, "x.brite", text, sizeof brite - 1, NULL, &g), WEIR_OK);
    weir_graph_free(g);
    memcpy(text, brite, sizeof brite);
    *strstr(text, "E_RT") = '\0';
    assert_int_equal(weir_topology_read(NULL, "x.brite", text, sizeof brite - 1, NULL, &g), WEIR_E_FORMAT);
    assert_int_equal(weir_topology_read(NULL, "x.inet", "1 0\n0 \0 1\n", 10, NULL, &g), WEIR_E_FORMAT);
}

/* Odd links are told, not fatal: self-loops, doubles, counts that are wrong. */
static void odd_links(void **state)
{
    static const char text[] =
        "Topology: x\nNodes: (9)\n0 1 1 0 0 0 X\n1 1 2 0 0 0 X\nEdges: (9)\n0 0 0 1 1 1 0 0 E U\n"
        "1 0 1 1 1 1 0 0 E U\n2 1 0 1 1 1 0 0 E U\n3 0 1 1 1 5 0 0 E D\n4 1 0 1 1 6 0 0 E D\n";
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    (void)state;
    assert_int_equal(weir_topology_read(diag, "x.brite", text, sizeof text - 1, NULL, &g), WEIR_OK);
    assert_true(g->n_self_loops == 1 && g->n_edges == 6 && g->n_parallel == 2);
    assert_true(g->rate_bps[g->first[0] + 2] == 5000000 && g->rate_bps[g->first[1] + 2] == 6000000);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "9 nodes are stated; there are 2"));
    weir_graph_free(g);
    weir_diag_free(diag);
}

static void cut_and_flipped(void **state)
{
    static const struct {
        const char *format, *text;
    } all[] = {{"brite", brite}, {"inet", inet}, {"sndlib", sndlib}, {"orbis", orbis}};
    (void)state;
    for (size_t f = 0; f < 4; f++) {
        const size_t size = strlen(all[f].text);
        weir_topology_options o;
        weir_topology_options_init(&o);
        o.format = all[f].format;
        for (size_t n = 0; n < 9 * size; n++) {
            char *copy = malloc(size + 1); /* of the exact size, so that reading past its end shows */
            const size_t length = n < size ? n : size;
            memcpy(copy, all[f].text, size);
            if (n >= size)
                copy[n % size] ^= (char)(1 << (n / size - 1));
            char *exact = malloc(length ? length : 1);
            memcpy(exact, copy, length);
            weir_graph *g = NULL;
            const weir_status st = weir_topology_read(NULL, "x", exact, length, &o, &g);
            assert_int_equal(st == WEIR_OK, g != NULL);
            weir_graph_free(g);
            free(exact);
            free(copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators), cmocka_unit_test(odd_names), cmocka_unit_test(dot),
        cmocka_unit_test(files),      cmocka_unit_test(small),     cmocka_unit_test(refused),
        cmocka_unit_test(zero_bytes), cmocka_unit_test(odd_links), cmocka_unit_test(cut_and_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
