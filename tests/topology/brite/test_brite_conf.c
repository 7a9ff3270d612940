/*
 * label: slow
 * BRITE's configurations, judged by BRITE: for each configuration that its engines were run on, the graph
 * generated here has the same number of nodes and links, and their statistics lie where those of 60 graphs of
 * other seeds lie. Then that all configurations shipped with BRITE and ns-3 are read; and broken ones, which
 * need no data. The data is found by WEIR_DATA, by default ../shared/data beside the source.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topology/generating.h"
#include "skip.h"

static weir_graph *load(const char *path, uint64_t seed, weir_brite_engine engine)
{
    const char *const full = data_path(path);
    weir_topology_options o;
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    weir_topology_options_init(&o);
    o.seed = seed;
    o.brite_engine = engine;
    if (weir_topology_load(diag, full, &o, &g) != WEIR_OK)
        fail_msg("%s: %s", full, weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    weir_diag_free(diag);
    return g;
}

/* ---- statistics of a graph ---- */

enum { LENGTH, DEGREE_2, DEGREE_MAX, CLUSTERING, PATH, LINKS, BETWEEN, STATISTICS };
static const char *const names[STATISTICS] = {"mean length",       "mean squared degree", "largest degree",
                                              "clustering",        "mean path",           "links",
                                              "links between ASes"};

static void measure(const weir_graph *g, double *s)
{
    weir_topology_stats stats;
    assert_int_equal(weir_topology_info(NULL, g, &stats), WEIR_OK);
    s[LENGTH] = s[DEGREE_2] = s[BETWEEN] = 0;
    for (uint32_t u = 0; u < g->n_nodes; u++) {
        s[DEGREE_2] += (double)degree_of(g, u) * degree_of(g, u) / g->n_nodes;
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++) {
            s[LENGTH] += hypot(g->x[u] - g->x[g->target[e]], g->y[u] - g->y[g->target[e]]) / g->n_edges;
            s[BETWEEN] += 0.5 * !within_as(g, u, g->target[e]);
        }
    }
    s[DEGREE_MAX] = stats.degree_max;
    s[CLUSTERING] = stats.clustering;
    s[PATH] = stats.mean_path;
    s[LINKS] = stats.links;
    weir_topology_stats_free(&stats);
}

typedef struct judged {
    const char *conf, *output;
    bool exact;       /* the number of links is determined by the parameters */
    unsigned compare; /* statistics that are compared, as bits */
} judged;

#define BIT(i) (1u << (i))
#define PLAIN (BIT(LENGTH) | BIT(DEGREE_2) | BIT(DEGREE_MAX) | BIT(CLUSTERING) | BIT(PATH))

static const judged all[] = {
    {"rtwaxman_100.conf", "rtwaxman_100.cpp.brite", true, PLAIN},
    {"rtwaxman_100.conf", "rtwaxman_100.java.brite", true, PLAIN},
    {"rtbarabasi_100.conf", "rtbarabasi_100.cpp.brite", true, PLAIN},
    {"rtbarabasi_100.conf", "rtbarabasi_100.java.brite", true, PLAIN},
    {"asbarabasi_60.conf", "asbarabasi_60.cpp.brite", true, PLAIN},
    {"asbarabasi_60.conf", "asbarabasi_60.java.brite", true, PLAIN},
    {"rtba2_200.conf", "rtba2_200.cpp.brite", false, PLAIN | BIT(LINKS)},
    {"rtba2_200.conf", "rtba2_200.java.brite", false, PLAIN | BIT(LINKS)},
    {"rtglp_200.conf", "rtglp_200.cpp.brite", false, PLAIN | BIT(LINKS)},
    {"rtglp_200.conf", "rtglp_200.java.brite", false, PLAIN | BIT(LINKS)},
    {"rtglp_200.cppkey.conf", "rtglp_200.cpp.brite", false, PLAIN | BIT(LINKS)},
    {"td_10x100.conf", "td_10x100.cpp.brite.gz", true, PLAIN | BIT(BETWEEN)},
    {"td_10x100.conf", "td_10x100.java.brite.gz", true, PLAIN | BIT(BETWEEN)},
    {"td_4x15.conf", "td_4x15.cpp.brite", false, PLAIN | BIT(BETWEEN) | BIT(LINKS)},
    {"td_4x15.conf", "td_4x15.java.brite", false, PLAIN | BIT(BETWEEN) | BIT(LINKS)},
    {"bu_100.conf", "bu_100.cpp.brite", true, PLAIN | BIT(BETWEEN)},
    {"bu_100.conf", "bu_100.java.brite", true, PLAIN | BIT(BETWEEN)},
};

static void judge(const judged *j)
{
    enum { SEEDS = 60 };
    char conf[200], output[200];
    double theirs[STATISTICS], sum[STATISTICS] = {0}, squares[STATISTICS] = {0};
    snprintf(conf, sizeof conf, "brite/made/%s", j->conf);
    snprintf(output, sizeof output, "brite/made/%s", j->output);
    const weir_brite_engine engine =
        strstr(j->output, ".java.") ? WEIR_BRITE_ENGINE_JAVA : WEIR_BRITE_ENGINE_CPP;
    weir_graph *brite = load(output, 0, engine);
    measure(brite, theirs);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double ours[STATISTICS];
        weir_graph *g = load(conf, seed, engine);
        measure(g, ours);
        assert_int_equal(g->n_nodes, brite->n_nodes);
        if (j->exact && g->n_edges != brite->n_edges)
            fail_msg("%s: %u links; BRITE has %u", j->conf, g->n_edges / 2, brite->n_edges / 2);
        for (int i = 0; i < STATISTICS; i++) {
            sum[i] += ours[i];
            squares[i] += ours[i] * ours[i];
        }
        weir_graph_free(g);
    }
    weir_graph_free(brite);
    for (int i = 0; i < STATISTICS; i++) {
        const double mean = sum[i] / SEEDS, variance = squares[i] / SEEDS - mean * mean;
        const double deviation = sqrt(variance > 0 ? variance : 0);
        if (j->compare & BIT(i) && !(fabs(theirs[i] - mean) <= 4 * deviation + 1e-9))
            fail_msg("%s: %s is %g in %s; here %g +- %g", j->conf, names[i], theirs[i], j->output, mean,
                     deviation);
    }
}

static void as_brite_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        judge(&all[i]);
}

/* Rates of a configuration: constants in all of these. */
static void rates(void **state)
{
    (void)state;
    weir_graph *g = load("brite/made/td_4x15.conf", 1, WEIR_BRITE_ENGINE_CPP);
    for (uint32_t e = 0; e < g->n_edges; e++)
        assert_int_equal(g->rate_bps[e], 10000000);
    weir_graph_free(g);
}

/* Every configuration of a folder is a graph, or imports a file that is not there. */
static void shipped(void **state)
{
    static const char *const folders[] = {"brite/conf", "brite/conf-ns3"};
    size_t made = 0, imports = 0;
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        char path[4096];
        DIR *dir = opendir(data_path(folders[f]));
        assert_non_null(dir);
        for (const struct dirent *d; (d = readdir(dir));) {
            weir_graph *g = NULL;
            weir_diag *diag = weir_diag_new();
            const size_t n = strlen(d->d_name);
            if (n > 5 && strcmp(d->d_name + n - 5, ".conf") == 0) {
                snprintf(path, sizeof path, "%s/%s/%s", data_root(), folders[f], d->d_name);
                const weir_status st = weir_topology_load(diag, path, NULL, &g);
                const weir_message *last = weir_diag_get(diag, weir_diag_count(diag) - 1);
                const bool import =
                    st == WEIR_E_UNSUPPORTED || (st == WEIR_E_FORMAT && strstr(last->text, "is not there"));
                if (st != WEIR_OK && !import)
                    fail_msg("%s:%d: %s", path, last->line, last->text);
                made += st == WEIR_OK;
                imports += import;
                weir_graph_free(g);
            }
            weir_diag_free(diag);
        }
        closedir(dir);
    }
    print_message("%zu graphs, %zu imports of files that are not shipped\n", made, imports);
    assert_true(made >= 15 && imports >= 10);
}

/* ---- without data ---- */

#define FLAT "HS = 1000\nLS = 100\nNodePlacement = 1\nm = 2\nBWDist = 1\nBWMin = 10\nBWMax = 20\n"
#define BA(n) "BeginModel\nName = 2\nN = " n "\n" FLAT "EndModel\n"

static void broken(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *says;
    } wrong[] = {
        {"", 0, "first word is not BriteConfig"},
        {"BriteConf\n", 1, "first word is not BriteConfig"},
        {"BriteConfig\n", 1, "no BeginModel"},
        {"BriteConfig\nBeginModel\nName = 2\n", 2, "no EndModel"},
        {"BriteConfig\nBeginModel\nName 2\nEndModel\n", 3, "want key = value"},
        {"BriteConfig\nBeginModel\nName =\nEndModel\n", 3, "the value is empty"},
        {"BriteConfig\nBeginModel\nName = 2\nName = 2\nEndModel\n", 4, "given twice"},
        {"BriteConfig\nBeginModel\nName = 13\nEndModel\n", 3, "from 1 to 12"},
        {"BriteConfig\nBeginModel\nName = 2.5\nEndModel\n", 3, "whole number"},
        {"BriteConfig\nBeginModel\nName = nan\nEndModel\n", 3, "the Name is 'nan'"},
        {"BriteConfig\nBeginModel\nName = 2\nn = 10\n" FLAT "EndModel\n", 2, "has no N"},
        {"BriteConfig\n" BA("0"), 4, "the N is '0'"},
        {"BriteConfig\n" BA("-5"), 4, "the N is '-5'"},
        {"BriteConfig\n" BA("2"), 2, "m is 2, but 2 nodes have only 1 others"},
        {"BriteConfig\n" BA("9999999"), 2, "raise HS"},
        {"BriteConfig\n" BA("10") BA("10"), 2, "2 models; Name = 2 wants 1"},
        {"BriteConfig\n" BA("10") BA("10") BA("10") BA("10"), 0, "more than 3 models"},
        {"BriteConfig\nBeginModel\nName = 7\nFormat = 1\nFile = x.brite\nHS = 10\nLS = 10\nEndModel\n", 5,
         "no file itself cannot import"},
        {"BriteConfig\nBeginModel\nName = 7\nFormat = 3\nFile = x\nHS = 10\nLS = 10\nEndModel\n", 4,
         "imports NLANR files, which weir does not offer; it imports BRITE's (1) and Inet's (6)"},
        {"BriteConfig\nwhatever\n", 2, "want BeginModel or BeginOutput"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weir_graph *g = NULL;
        weir_diag *diag = weir_diag_new();
        const weir_status st =
            weir_topology_read(diag, "x.conf", wrong[i].text, strlen(wrong[i].text), NULL, &g);
        const weir_message *m = weir_diag_get(diag, weir_diag_count(diag) - 1);
        if (st == WEIR_OK || g || !strstr(m->text, wrong[i].says) ||
            (wrong[i].line && m->line != wrong[i].line))
            fail_msg("%zu: status %d, line %d, '%s'; want line %d, '%s'", i, (int)st, m ? m->line : 0,
                     m ? m->text : "", wrong[i].line, wrong[i].says);
        weir_diag_free(diag);
    }
}

static void codes(void **state)
{
    static const char text[] =
        "BriteConfig\nBeginModel\nName = 2\nN = 2000\nHS = 1000\nLS = 100\nNodePlacement = 1\nm = 2\n"
        "BWDist = 3\nBWMin = 10\nBWMax = 20\nKolour = 4\nEndModel\n";
    (void)state;
    for (int java = 0; java < 2; java++) {
        weir_topology_options o;
        weir_graph *g = NULL;
        weir_diag *diag = weir_diag_new();
        uint64_t most = 0;
        weir_topology_options_init(&o);
        o.brite_codes = java ? WEIR_BRITE_JAVA : WEIR_BRITE_MANUAL;
        assert_int_equal(weir_topology_read(diag, "x.conf", text, sizeof text - 1, &o, &g), WEIR_OK);
        for (uint32_t e = 0; e < g->n_edges; e++)
            most = most > g->rate_bps[e] ? most : g->rate_bps[e];
        assert_true(java ? most <= 20000000 : most > 40000000); /* only the tail is cut */
        assert_non_null(
            strstr(weir_diag_get(diag, 0)->text, java ? "heavy-tailed, as BRITE's Java" : "exponential, as"));
        assert_non_null(strstr(weir_diag_get(diag, 1)->text, "Kolour means nothing"));
        weir_graph_free(g);
        weir_diag_free(diag);
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Imports: a graph beside the configuration; never one outside its folder, by name or by link. */
static void imports(void **state)
{
    static const char brite[] =
        "Topology: ( 3 Nodes, 3 Edges )\n\nNodes: ( 3 )\n0 1 1 2 2 -1 RT_NODE\n1 5 1 2 2 -1 RT_NODE\n"
        "2 1 9 2 2 -1 RT_NODE\nEdges: ( 3 )\n0 0 1 4 0.1 10 -1 -1 E_RT U\n1 1 2 4 0.1 20 -1 -1 E_RT U\n"
        "2 2 0 4 0.1 30 -1 -1 E_RT U\n";
    static const char conf[] =
        "BriteConfig\nBeginModel\nName = 7\nFormat = 1\nFile = %s\nHS = 10\nLS = 10\nBWDist = 1\n"
        "BWMin = -1\nBWMax = -1\nEndModel\n";
    static const struct {
        const char *file;
        bool good;
    } tries[] = {{"in.brite", true},          {"sub/../in.brite", true},
                 {"../outside.brite", false}, {"sub/../../outside.brite", false},
                 {"link.brite", false},       {"/etc/passwd", false},
                 {"none.brite", false}};
    char folder[] = "/tmp/weir-brite-XXXXXX", path[200], target[200], text[600];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/in", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/in/sub", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/in/in.brite", folder);
    write_text(path, brite);
    snprintf(target, sizeof target, "%s/outside.brite", folder);
    write_text(target, brite);
    snprintf(path, sizeof path, "%s/in/link.brite", folder);
    assert_int_equal(symlink(target, path), 0);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        weir_graph *g = NULL;
        snprintf(path, sizeof path, "%s/in/a.conf", folder);
        snprintf(text, sizeof text, conf, tries[i].file);
        write_text(path, text);
        const weir_status st = weir_topology_load(NULL, path, NULL, &g);
        if ((st == WEIR_OK) != tries[i].good)
            fail_msg("%s: status %d", tries[i].file, (int)st);
        if (g)
            assert_true(g->n_nodes == 3 && g->n_edges == 6 && g->rate_bps[g->first[1]] == 10000000);
        weir_graph_free(g);
    }
    snprintf(text, sizeof text, "rm -r %s", folder);
    assert_int_equal(system(text), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_brite_does), cmocka_unit_test(rates), cmocka_unit_test(shipped),
        cmocka_unit_test(broken),        cmocka_unit_test(codes), cmocka_unit_test(imports),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
