/*
 * Lists of flows as htsim and ns-3's RDMA fork write them: our samples flow by flow, each error with its line and column, and
 * the published files, of which every one is read with as many flows as it states, or refused for its triggers by name. A
 * permutation of htsim runs on a topology of htsim, and an incast of ns-3 on a topology of ns-3: every flow ends.
 */
#include <dirent.h>
#include <stdlib.h>

#include "output/scratch.h"
#include "network/files/flow_file.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"
#include "skip.h"

/* ---- samples ---- */

static void a_matrix_of_htsim(void **state)
{
    (void)state;
    static const char text[] = "# a comment\nNodes 16\nConnections 4\nTriggers 0\n\n"
                               "7->15 id 1 start 0 size 2000000\n"
                               "0->3 start 1500000 size 1\r\n"
                               "15->0 id 9 start 2 size 64000 send_done_trigger 4\n"
                               "15->1 start 0 size 0\n";
    weir_diag *diag = weir_diag_new();
    wi_flow_file *f = NULL;
    expect_ok(diag, wi_flow_file_read(wi_source_memory(diag, "m.cm", text, sizeof text - 1), &f));
    assert_int_equal(f->n, 4);
    assert_string_equal(wi_names_text(&f->node, f->flow[0].from), "h7");
    assert_string_equal(wi_names_text(&f->node, f->flow[0].to), "h15");
    assert_true(f->flow[0].at_ps == 0 && f->flow[1].at_ps == 1500000 && f->flow[2].at_ps == 2);
    assert_true(f->flow[0].bytes == 2000000 && f->flow[1].bytes == 1 && f->flow[2].bytes == 64000);
    assert_true(f->flow[0].line == 6 && f->flow[2].line == 8 && f->most_bytes == UINT64_C(1) << 50);
    wi_flow_file_free(f);
    weir_diag_free(diag);
}

static void a_list_of_ns3(void **state)
{
    (void)state;
    static const char text[] = "2\n2 1 3 100 200000000 2\n10 0 3 101 1 0.000001\n";
    weir_diag *diag = weir_diag_new();
    wi_flow_file *f = NULL;
    expect_ok(diag, wi_flow_file_read(wi_source_memory(diag, "flow.txt", text, sizeof text - 1), &f));
    assert_int_equal(f->n, 2);
    assert_string_equal(wi_names_text(&f->node, f->flow[0].from), "2");
    assert_string_equal(wi_names_text(&f->node, f->flow[1].from), "10");
    assert_true(f->flow[0].at_ps == 2 * SEC && f->flow[1].at_ps == US && f->flow[0].bytes == 200000000);
    wi_flow_file_free(f);
    weir_diag_free(diag);
}

static void bad_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        int line, column;
    } bad[] = {
        {"Nodes 4\nConnections 1\n0->4 start 0 size 1\n", "number of a node", 3, 4},
        {"Nodes 4\nConnections 1\n0->0 start 0 size 1\n", "to itself", 3, 1},
        {"Nodes 4\nConnections 1\n0->1 start 0\n", "without size", 3, 1},
        {"Nodes 4\nConnections 1\n0->1 size 4\n", "without start", 3, 1},
        {"Nodes 4\nConnections 1\n0->1 start 0 size\n", "without its value", 3, 14},
        {"Nodes 4\nConnections 1\n0->1 start 0 size -1\n", "size", 3, 19},
        {"Nodes 4\nConnections 1\n0->1 start 1.5 size 1\n", "whole number", 3, 12},
        {"Nodes 4\nConnections 1\n0->1 start 0 size 1 prio 3\n", "'prio' is refused", 3, 21},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 trigger 1 size 1\n", "'trigger' is refused", 4, 6},
        {"Nodes 4\nConnections 2\n0->1 start 0 size 1\n", "2 are stated", 0, 0},
        {"Nodes 4\nConnections 1\nFailures 2\n0->1 start 0 size 1\n", "Failures are refused", 3, 1},
        {"Nodes 4\nConnections 0\n", "no flow", 0, 0},
        {"Nodes 4\nConnections 1\nhello 3\n", "no 'hello' in a connection", 3, 1},
        {"2\n0 1 3 100 5 1\n", "breaks off after 1 of 2", 0, 0},
        {"1\n0 1 3 100 5\n", "5 fields", 2, 0},
        {"1\n0 1 9 100 5 1\n", "priority group", 2, 5},
        {"2\n0 1 3 100 5 1\n1 0 2 100 5 1\n", "one priority group", 3, 5},
        {"1\n0 1 3 100 5 -1\n", "start in seconds", 2, 13},
        {"1\n0 1 3 100 5 soon\n", "start in seconds", 2, 13},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_diag *diag = weir_diag_new();
        wi_flow_file *f = NULL;
        assert_int_equal(wi_flow_file_read(wi_source_memory(diag, "x", bad[i].text, strlen(bad[i].text)), &f),
                         WEIR_E_FORMAT);
        assert_null(f);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, bad[i].says) || (bad[i].line && m->line != bad[i].line) ||
            (bad[i].column && m->column != bad[i].column))
            fail_msg("%s: '%s' at %d:%d", bad[i].says, m ? m->text : "", m ? m->line : 0, m ? m->column : 0);
        weir_diag_free(diag);
    }
}

/* ---- the published files ---- */

static size_t stated(const char *path)
{
    char line[200];
    size_t n = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (n == 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "Connections %zu", &n) != 1)
            n = 0;
    fclose(f);
    return n;
}

/* Or messages of one connection. */
static bool has_trigger(const char *path)
{
    char line[500];
    bool has = false;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (!has && fgets(line, sizeof line, f))
        has = strstr(line, "->") && (strstr(line, " trigger ") || strstr(line, " msg "));
    fclose(f);
    return has;
}

static void published_matrices(void **state)
{
    (void)state;
    static const char *const folders[] = {"uet-htsim/htsim/sim/datacenter/connection_matrices",
                                          "uet-htsim/htsim/sim/datacenter/connection_matrices/incast",
                                          "csg-htsim/sim/EXAMPLES/collateral",
                                          "csg-htsim/sim/EXAMPLES/permutation"};
    int read = 0, refused = 0;
    for (size_t i = 0; i < 4; i++) {
        char folder[4200], path[4600];
        snprintf(path, sizeof path, "peers/%s", folders[i]);
        snprintf(folder, sizeof folder, "%s", data_path(path));
        DIR *d = opendir(folder);
        assert_non_null(d);
        for (const struct dirent *e; (e = readdir(d));) {
            const char *dot = strrchr(e->d_name, '.');
            if (!dot || (strcmp(dot, ".cm") != 0 && strcmp(dot, ".tm") != 0))
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            weir_diag *diag = weir_diag_new();
            wi_flow_file *f = NULL;
            const weir_status status = wi_flow_file_read(wi_source_file(diag, path), &f);
            if (has_trigger(path)) {
                assert_int_equal(status, WEIR_E_FORMAT);
                assert_non_null(strstr(weir_diag_get(diag, 0)->text, "' is refused"));
                refused++;
            } else {
                if (status != WEIR_OK || f->n != stated(path))
                    fail_msg("%s: %s", e->d_name,
                             weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "other flows");
                read++;
            }
            wi_flow_file_free(f);
            weir_diag_free(diag);
        }
        closedir(d);
    }
    print_message("  %d lists read, %d refused for triggers\n", read, refused);
    assert_true(read > 90);
}

/* htsim's permutation of 128 hosts on its fat-tree, and ns-3's example on its own topology, by their files alone. */
static void published_files_run(void **state)
{
    (void)state;
    char topology[4200], flows[4200], text[10000];
    static const struct {
        const char *topology, *flows, *more;
        int n;
        double end_s;
    } runs[] = {
        {"peers/uet-htsim/htsim/sim/datacenter/topologies/fat_tree_128_1os.topo",
         "peers/uet-htsim/htsim/sim/datacenter/connection_matrices/perm_128n_128c_2MB.cm",
         "queue: {type: trim}, ", 128, 0.002},
        {"peers/hpcc-ns3/simulation/mix/topology.txt", "peers/hpcc-ns3/simulation/mix/flow.txt", "", 2, 3.0}};
    for (size_t i = 0; i < 2; i++) {
        snprintf(topology, sizeof topology, "%s", data_path(runs[i].topology));
        snprintf(flows, sizeof flows, "%s", data_path(runs[i].flows));
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: %gs\ntopology: {%sfile: \"%s\"}\nrouting: {ecmp: true, spray: %s}\ntraffic:\n"
            "- {name: f, flows: \"%s\", tcp: {congestion: %s}}\n",
            runs[i].end_s, runs[i].more, topology, i ? "false" : "true", flows, i ? "cubic" : "ndp");
        json_t *s = summary_of(text, NULL, 0, NULL);
        assert_true(class_number(s, 0, NULL, "completed") == (double)runs[i].n);
        print_message("  %s: slowdown p99 %g\n", runs[i].flows, class_number(s, 0, "slowdown", "p99"));
        json_decref(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_matrix_of_htsim), cmocka_unit_test(a_list_of_ns3),
                                       cmocka_unit_test(bad_lines), cmocka_unit_test(published_matrices),
                                       cmocka_unit_test(published_files_run)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
