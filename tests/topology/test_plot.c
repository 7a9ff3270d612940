/*
 * Drawings: well-formed, every node and link once, all of it inside the picture, the same bytes twice; and
 * that the force-directed layout does what it is for: in a top-down hierarchy the routers of one AS lie
 * closer to each other than to those of others, and a grid keeps neighbours close.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/parser.h>

#include "topology/generating.h"
#include "topology/write/layout.h"

static char folder[] = "/tmp/weir-plot-XXXXXX";

static char *plotted(const weir_graph *g, size_t *size)
{
    char path[100];
    snprintf(path, sizeof path, "%s/a.svg", folder);
    assert_int_equal(weir_topology_plot(NULL, g, path), WEIR_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 22);
    *size = fread(text, 1, (1 << 22) - 1, f);
    fclose(f);
    return text;
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        n++;
    return n;
}

static void drawings(void **state)
{
    static const char *const all[][2] = {
        {"waxman", "N=300"},
        {"top-down", "as_N=5 rt_N=20"},
        {"star", "hosts=7"},
        {"line", "routers=1 hosts=0"},
        {"erdos-renyi", "nodes=60 p=0.01 parts=keep"},
        {"grid", ""},
        {"campus", "campuses=1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_graph *g = generated(all[i][0], all[i][1], 1);
        size_t size, again;
        char *text = plotted(g, &size), *second = plotted(g, &again);
        assert_true(size == again && memcmp(text, second, size) == 0);
        xmlDocPtr doc = xmlReadMemory(text, (int)size, "a.svg", NULL, XML_PARSE_NONET);
        assert_non_null(doc);
        xmlFreeDoc(doc);
        size_t degrees = count(text, "<title>");
        assert_int_equal(count(text, "<circle") - degrees + count(text, "<rect x="), g->n_nodes);
        const char *path = strstr(text, "d=\"M"); /* the links come first, if there are any */
        if (g->n_edges > 0)
            assert_int_equal(count(text, "\nM") + 1, g->n_edges / 2);
        assert_true(g->n_edges == 0 || path);
        for (const char *at = text; (at = strstr(at, " cx=\"")); at++) {
            const double x = atof(at + 5), y = atof(strstr(at, " cy=\"") + 5);
            assert_true(x >= 0 && x <= 1380 && y >= 0 && y <= 720);
        }
        assert_null(strstr(text, "nan"));
        free(text);
        free(second);
        weir_graph_free(g);
    }
}

static void too_large(void **state)
{
    (void)state;
    size_t size;
    weir_graph *g = generated("barabasi-albert", "N=20001 m=1", 1);
    char *text = plotted(g, &size);
    assert_non_null(strstr(text, "not drawn"));
    assert_true(count(text, "<title>") > 20);
    free(text);
    weir_graph_free(g);
}

static double mean_distance(const weir_graph *g, const wi_point *p, bool same)
{
    double sum = 0;
    size_t n = 0;
    for (uint32_t u = 0; u < g->n_nodes; u++)
        for (uint32_t v = 0; v < u; v++)
            if (within_as(g, u, v) == same) {
                sum += hypot(p[u].x - p[v].x, p[u].y - p[v].y);
                n++;
            }
    return sum / (double)n;
}

/* A line of five, of which two in a row lack a place: they lie by the last that has one. */
static void some_without_places(void **state)
{
    (void)state;
    weir_graph_builder *b = weir_graph_builder_new();
    weir_graph *g = NULL;
    wi_point p[5];
    for (uint32_t v = 0; v < 5; v++) {
        weir_graph_add_node(b, NULL, WEIR_ROUTER);
        if (v < 3)
            weir_graph_set_xy(b, v, 10.0 * v, 0);
        if (v > 0)
            weir_graph_add_link(b, weir_link_init(v - 1, v));
    }
    assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
    weir_graph_builder_free(b);
    assert_int_equal(wi_layout_places(g, p), WI_LAYOUT_MAP);
    for (uint32_t v = 0; v < 3; v++)
        assert_true(p[v].x == 10.0 * v && p[v].y == 0);
    for (uint32_t v = 3; v < 5; v++)
        assert_true(hypot(p[v].x - 20, p[v].y) < 2);
    assert_true(hypot(p[3].x - p[4].x, p[3].y - p[4].y) > 0.1);
    weir_graph_free(g);
}

static void layouts(void **state)
{
    (void)state;
    weir_graph *g = generated("top-down", "as_N=8 rt_N=30", 1);
    wi_point *p = calloc(g->n_nodes, sizeof *p);
    assert_int_equal(wi_layout_places(g, p), WI_LAYOUT_FORCES);
    assert_true(mean_distance(g, p, true) * 2 < mean_distance(g, p, false));
    free(p);
    weir_graph_free(g);
    static const struct {
        const char *model, *parameters;
        wi_layout how;
    } others[] = {{"waxman", "N=50", WI_LAYOUT_MAP},
                  {"waxman", "N=50 level=as", WI_LAYOUT_MAP},
                  {"fat-tree", "k=4", WI_LAYOUT_TIERS},
                  {"leaf-spine", "leaves=4 spines=2 hosts=3", WI_LAYOUT_TIERS},
                  {"dragonfly", "p=2 a=4 h=2", WI_LAYOUT_GROUPS},
                  {"dumbbell", "left=3", WI_LAYOUT_FORCES},
                  {"star", "hosts=5", WI_LAYOUT_FORCES}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        g = generated(others[i].model, others[i].parameters, 1);
        p = calloc(g->n_nodes, sizeof *p);
        assert_int_equal(wi_layout_places(g, p), others[i].how);
        for (uint32_t u = 0; u < g->n_nodes; u++) /* nobody lies on somebody else */
            for (uint32_t v = 0; v < u; v++)
                assert_true(hypot(p[u].x - p[v].x, p[u].y - p[v].y) > 1e-3);
        free(p);
        weir_graph_free(g);
    }
    g = generated("grid", "width=12 height=12", 1);
    p = calloc(g->n_nodes, sizeof *p);
    assert_int_equal(wi_layout_places(g, p), WI_LAYOUT_FORCES);
    double linked = 0, all = 0;
    for (uint32_t u = 0; u < g->n_nodes; u++) {
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++)
            linked += hypot(p[u].x - p[g->target[e]].x, p[u].y - p[g->target[e]].y) / g->n_edges;
        for (uint32_t v = 0; v < g->n_nodes; v++)
            all += hypot(p[u].x - p[v].x, p[u].y - p[v].y) / g->n_nodes / g->n_nodes;
    }
    assert_true(linked * 3 < all);
    free(p);
    weir_graph_free(g);
}

static void failures(void **state)
{
    char path[100];
    (void)state;
    weir_graph *g = generated("star", "", 1);
    assert_int_equal(weir_topology_plot(NULL, g, folder), WEIR_E_IO);
    snprintf(path, sizeof path, "%s/none/a.svg", folder);
    assert_int_equal(weir_topology_plot(NULL, g, path), WEIR_E_IO);
    weir_graph_free(g);
    weir_graph_builder *b = weir_graph_builder_new(); /* no node at all */
    assert_int_equal(weir_graph_build(NULL, b, &g), WEIR_OK);
    snprintf(path, sizeof path, "%s/empty.svg", folder);
    assert_int_equal(weir_topology_plot(NULL, g, path), WEIR_OK);
    weir_graph_free(g);
    weir_graph_builder_free(b);
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    char line[100];
    (void)state;
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawings), cmocka_unit_test(too_large),
                                       cmocka_unit_test(layouts), cmocka_unit_test(some_without_places),
                                       cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
