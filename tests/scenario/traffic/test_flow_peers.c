/*
 * Lists of flows as htsim and ns-3's RDMA fork write them: our samples flow by flow, each error with its line and column, and
 * the published files, of which every one is read with as many flows as it states, or one of all its messages. A
 * permutation of htsim runs on a topology of htsim, and an incast of ns-3 on a topology of ns-3: every flow ends.
 */
#include <dirent.h>
#include <stdlib.h>

#include "base/file/slice.h"
#include "output/scratch.h"
#include "network/files/flow_file.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"
#include "skip.h"

/* ---- samples ---- */

static void a_matrix_of_htsim(void **state)
{
    (void)state;
    static const char text[] = "# a comment\nNodes 16\nConnections 4\nTriggers 1\n\n"
                               "7->15 id 1 start 0 size 2000000\n"
                               "0->3 start 1500000 size 1\r\n"
                               "15->0 id 9 start 2 size 64000 send_done_trigger 4\n"
                               "15->1 trigger 4 size 0\ntrigger id 4 oneshot\n";
    weir_diag *diag = weir_diag_new();
    wi_flow_file *f = NULL;
    expect_ok(diag, wi_flow_file_read(wi_source_memory(diag, "m.cm", text, sizeof text - 1), &f));
    assert_int_equal(f->n, 4);
    assert_string_equal(wi_names_text(&f->node, f->flow[0].from), "h7");
    assert_string_equal(wi_names_text(&f->node, f->flow[0].to), "h15");
    assert_true(f->flow[0].at_ps == 0 && f->flow[1].at_ps == 1500000 && f->flow[2].at_ps == 2);
    assert_true(f->flow[0].bytes == 2000000 && f->flow[1].bytes == 1 && f->flow[2].bytes == 64000);
    assert_true(f->n_triggers == 1 && f->trigger[0].id == 4 && f->flow[2].sent == 1 && f->flow[3].after == 1);
    assert_true(f->flow[0].after + f->flow[0].sent + f->flow[2].received == 0);
    assert_true(f->flow[0].line == 6 && f->flow[2].line == 8 && f->most_bytes == UINT64_C(1) << 50);
    wi_flow_file_free(f);
    weir_diag_free(diag);
}

static void a_list_of_ns3(void **state)
{
    (void)state;
    static const char text[] =
        "2\n2 1 3 100 200000000 2\n10 0 3 101 1 0.000001\n\n3 1 3 100 1 2\nwhatever\n3 1 3 100 1 3\n";
    weir_diag *diag = weir_diag_new();
    wi_flow_file *f = NULL;
    expect_ok(diag, wi_flow_file_read(wi_source_memory(diag, "flow.txt", text, sizeof text - 1), &f));
    assert_int_equal(f->n, 2);
    assert_string_equal(wi_names_text(&f->node, f->flow[0].from), "2");
    assert_string_equal(wi_names_text(&f->node, f->flow[1].from), "10");
    assert_true(f->flow[0].at_ps == 2 * SEC && f->flow[1].at_ps == US && f->flow[0].bytes == 200000000);
    assert_int_equal(weir_diag_count(diag), 1);
    expect_message(diag, "2 flows below the 2 that the first line states are passed over");
    assert_int_equal(weir_diag_get(diag, 0)->line, 5);
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
        {"Nodes 4\nConnections 1\n0->1 msg start 0 size 1\n", "without the id", 3, 1},
        {"Nodes 4\nConnections 1\n0->1 id 1 msg 0 start 0 size 1\n", "number of a message", 3, 15},
        {"Nodes 4\nConnections 1\n0->1 id 1 start 0 size 1 msg prio 3\n", "'prio' is refused", 3, 30},
        {"Nodes 4\nConnections 2\n0->1 id 1 msg start 0 size 1\n1->0 id 1 msg start 0 size 1\n",
         "goes from other nodes in line 3", 4, 1},
        {"Nodes 4\nConnections 2\n0->1 id 1 msg start 0 size 1\n0->1 id 1 msg start 1 size 1\n",
         "do not begin together", 4, 1},
        {"Nodes 4\nConnections 2\n0->1 id 1 msg start 0 size 1\n0->1 id 1 msg start 0 size 0\n",
         "more than 1 PiB", 4, 1},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 id 1 msg start 0 size 1 recv_done_trigger 2\ntrigger id 2 "
         "oneshot\n",
         "a single message sets off", 4, 1},
        {"Nodes 4\nConnections 1\n0->1 id 1 msg start 0 size 1\n0->1 id 1 msg start 0 size 1\n",
         "2 connections, and 1 are stated", 0, 0},
        {"Nodes 4\nConnections 1\n0->1 trigger 7 size 1\n", "no line has trigger id 7", 3, 0},
        {"Nodes 4\nConnections 1\n0->1 start 0 trigger 7 size 1\n", "with start and trigger", 3, 1},
        {"Nodes 4\nConnections 1\n0->1 trigger 0 size 1\n", "number", 3, 14},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 1\n", "0 triggers, and 1 are stated", 0, 0},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 1\ntrigger id 3\n", "id and one kind", 5, 1},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 1\ntrigger id 3 barrier\n", "with count", 5,
         1},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 1\ntrigger id 3 twice\n", "no such word", 5,
         14},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 1\ntrigger id\n", "without its value", 5, 9},
        {"Nodes 4\nConnections 1\nTriggers 1\n0->1 start 0 size 1\ntrigger id 3 oneshot\n",
         "0 connections set off trigger 3; want 1", 5, 0},
        {"Nodes 4\nConnections 2\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 3\n0->2 trigger 3 size "
         "1\ntrigger id 3 "
         "barrier count 2\n",
         "1 connections set off trigger 3; want 2", 6, 0},
        {"Nodes 4\nConnections 1\nTriggers 2\n0->1 start 0 size 1 send_done_trigger 3\ntrigger id 3 "
         "oneshot\ntrigger id 3 "
         "oneshot\n",
         "has another line", 6, 0},
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

/* Has it messages of one connection? */
static bool has_messages(const char *path)
{
    char line[500];
    bool has = false;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (!has && fgets(line, sizeof line, f))
        has = strstr(line, "->") && strstr(line, " msg ");
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
            if (strcmp(e->d_name, "a2a.cm") == 0) { /* it states 3,600 and has 240: htsim stops too */
                assert_int_equal(status, WEIR_E_FORMAT);
                assert_non_null(strstr(weir_diag_get(diag, 0)->text, "3600 are stated"));
                refused++;
            } else if (has_messages(path)) { /* ten of one size on one connection */
                assert_true(status == WEIR_OK && f->n == 1 && f->flow[0].part_bytes * 10 == f->flow[0].bytes);
                read++;
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
    print_message("  %d lists read, %d refused\n", read, refused);
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

/* ---- completion times of the RDMA fork ---- */

enum { MIX_FLOWS = 6374 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* mix_7's flows, in order of their starts as the scenario's list wants them, and their completion times; seconds. */
static void read_mix(const char *path, const char *list, double *completion_s)
{
    wi_slice line, field[9];
    weir_diag *diag = weir_diag_new();
    wi_source source = wi_source_file(diag, path);
    FILE *f = fopen(list, "w");
    int n = 0;
    assert_non_null(f);
    fprintf(f, "%d\n", MIX_FLOWS);
    while (wi_next_line(&source,
                        &line)) { /* id, addresses, ports, bytes, start, completion, the same alone; ns */
        assert_true(n < MIX_FLOWS && wi_split(line, field, 9) == 9);
        unsigned long long of[9];
        for (int i = 0; i < 9; i++) {
            char text[40];
            wi_slice_copy(field[i], text, sizeof text);
            of[i] = strtoull(text, NULL, i == 1 || i == 2 ? 16 : 10);
        }
        fprintf(f, "%llu %llu 3 %llu %llu %llu.%09llu\n", of[1] >> 8 & 0xffff, of[2] >> 8 & 0xffff, of[4],
                of[5], of[6] / 1000000000, of[6] % 1000000000);
        completion_s[n++] = 1e-9 * (double)of[7];
    }
    assert_int_equal(fclose(f), 0);
    expect_ok(diag, wi_source_close(&source));
    weir_diag_free(diag);
    assert_int_equal(n, MIX_FLOWS);
    qsort(completion_s, MIX_FLOWS, sizeof *completion_s, by_value);
}

/* DCTCP over one path of a fat-tree, as ns-3's RDMA fork has it (branch flow_simulation, mix_7): completion times of all flows. A window
 * of 18 packets, at most 10 Gb/s a flow, marks from 3 kB a Gb/s on; their limiter counts 48 bytes of header, ours 40. */
static void completion_times_of_the_fork(void **state)
{
    (void)state;
    char topology[4200], fct[4200], text[10000];
    static double theirs_s[MIX_FLOWS];
    snprintf(topology, sizeof topology, "%s", data_path("peers/ns3-rdma/mix_7/topo-pl-7.txt"));
    snprintf(fct, sizeof fct, "%s", data_path("peers/ns3-rdma/mix_7/fct_topo-pl-7_dctcp_k30.txt.gz"));
    read_mix(fct, scratch_path("flow.txt"), theirs_s);
    snprintf(text, sizeof text,
             "weir: 1\nduration: 3s\ntopology:\n  file: \"%s\"\n  overhead: 8B\n"
             "  queue: {type: threshold, mark: 120kB, limit: 3MB}\n"
             "  queues: [{link: [7->0, 11->6], type: threshold, mark: 30kB, limit: 3MB}]\n"
             "traffic: [{name: f, flows: \"%s\", tcp: {congestion: dctcp, recovery: go-back-n, mss: 1000B, "
             "window: 18kB, initial_window: 18, max_rate: 9923664122bps}}]\n",
             topology, scratch_path("flow.txt"));
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_true(class_number(s, 0, NULL, "completed") == MIX_FLOWS);
    static const struct {
        const char *key;
        double share, bound;
    } cells[] = {{"p50_s", 0.5, 0.01}, {"p95_s", 0.95, 0.02}, {"p99_s", 0.99, 0.05}};
    for (size_t i = 0; i < 3; i++) {
        const double ratio =
            class_number(s, 0, "completion", cells[i].key) / theirs_s[(int)(cells[i].share * MIX_FLOWS)];
        print_message("  mix_7, %s: %.4f of theirs\n", cells[i].key, ratio);
        if (!(fabs(ratio - 1.0) < cells[i].bound))
            fail_msg("%s: %g of theirs", cells[i].key, ratio);
    }
    json_decref(s);
}

/* ---- messages ---- */

/*
 * Messages of one connection, with numbers or without, are as one transfer of all that they have: alone, beside another
 * connection, and behind a trigger. Those that end within a segment are refused.
 */
static void messages_share_a_connection(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *more;
        int n;
        double bytes; /* of the connection */
    } all[] = {
        {"0->1 id 1 msg start 0 size 14600\n", "", 1, 14600},
        {"0->1 id 1 msg start 0 size 14600\n0->1 id 1 msg start 0 size 1460\n", "", 2, 16060},
        {"0->1 id 1 msg 1 start 0 size 2920\n0->1 id 1 msg 2 start 0 size 4380\n0->1 id 1 msg 3 start 0 "
         "size 7\n",
         "2->1 id 2 msg start 0 size 7300\n", 4, 7307}};
    for (size_t i = 0; i < 3; i++)
        for (int as_one = 0; as_one < 2; as_one++) {
            static double makespan_s;
            char text[2000];
            FILE *f = fopen(scratch_path("m.cm"), "w");
            assert_non_null(f);
            fprintf(f, "Nodes 6\nConnections %d\n", as_one ? 1 + (*all[i].more != 0) : all[i].n);
            if (as_one)
                fprintf(f, "0->1 id 1 start 0 size %.0f\n", all[i].bytes);
            else
                fputs(all[i].lines, f);
            fputs(all[i].more, f);
            assert_int_equal(fclose(f), 0);
            snprintf(text, sizeof text,
                     "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 6}}\n"
                     "traffic: [{name: f, flows: \"%s\", tcp: {}}]\n",
                     scratch_path("m.cm"));
            json_t *s = summary_of(text, NULL, 0, NULL);
            assert_true(class_number(s, 0, NULL, "completed") == 1.0 + (*all[i].more != 0));
            assert_true(class_number(s, 0, NULL, "received_bytes") ==
                        all[i].bytes + (*all[i].more ? 7300.0 : 0.0));
            if (as_one)
                assert_true(class_number(s, 0, NULL, "makespan_s") == makespan_s);
            makespan_s = class_number(s, 0, NULL, "makespan_s");
            json_decref(s);
        }
    FILE *f = fopen(scratch_path("m.cm"), "w");
    assert_non_null(f);
    fputs("Nodes 6\nConnections 2\n0->1 id 1 msg start 0 size 1461\n0->1 id 1 msg start 0 size 1460\n", f);
    assert_int_equal(fclose(f), 0);
    char text[2000];
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 6}}\n"
             "traffic: [{name: f, flows: \"%s\", tcp: {}}]\n",
             scratch_path("m.cm"));
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    assert_int_equal(run_text(diag, text, NULL, NULL, 0, &result), WEIR_E_SCENARIO);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "end within segments"));
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

/* ---- triggers ---- */

/* Runs connections on a star of 10 Gb/s and 1 us, and reads when each began; NAN: it never did. */
static void run_unit(const char *connections, const char *unit, uint32_t n, double *start_s)
{
    FILE *f = fopen(scratch_path("t.cm"), "w");
    assert_non_null(f);
    assert_true(fputs(connections, f) >= 0);
    assert_int_equal(fclose(f), 0);
    net_run *r = net_run_new(
        WEIR_1 "topology: {generate: {model: star, hosts: 6, access_rate: 10Gbps, access_delay: 1us}}\n"
               "traffic: [{name: f, flows: \"%s\", start_unit: %s, tcp: {congestion: dctcp, handshake: "
               "false, delayed_ack: 1, "
               "initial_window: 100}}]\n",
        scratch_path("t.cm"), unit);
    net_run_until(r, 100 * MS);
    assert_int_equal(r->net->n_flows, n);
    for (uint32_t i = 0; i < n; i++) {
        const net_tx *tx = wi_net_tx(r->net, r->sim, i);
        start_s[i] = tx->state == NET_TX_FREE ? (double)NAN : weir_seconds(tx->start_ps);
    }
    net_run_end(r);
}

static void run_connections(const char *connections, uint32_t n, double *start_s)
{
    run_unit(connections, "1ps", n, start_s);
}

static void begins(const double *start_s, int i, double want_s)
{
    if (!(fabs(start_s[i] - want_s) < 3e-9))
        fail_msg("flow %d begins at %.9f s, want %.9f", i, start_s[i], want_s);
}

/*
 * A transfer of 100 segments of 1,500 bytes is 101 of them and two links long. With send_done_trigger the next one begins with the last
 * ACK, 1 ps later at the same host and 1 ns at another; with recv_done_trigger when the last byte is there.
 */
static void flows_wait_for_others(void **state)
{
    (void)state;
    const double whole_s = 101 * 1500 * 8 / 10e9 + 2e-6, ack_s = 2 * 40 * 8 / 10e9 + 2e-6,
                 one_s = 2 * 1500 * 8 / 10e9 + 2e-6;
    double t[8];
    /* One after the other at host 0; then host 3, which the third transfer's arrival at host 2 sets off. */
    run_connections(
        "Nodes 6\nConnections 4\nTriggers 3\n0->1 id 1 start 0 size 146000 send_done_trigger 1\n"
        "0->2 id 2 trigger 1 size 146000 send_done_trigger 2\n0->2 id 3 trigger 2 size 146000 "
        "recv_done_trigger 7\n"
        "3->0 id 4 trigger 7 size 146000\ntrigger id 1 oneshot\ntrigger id 7 oneshot\ntrigger id 2 oneshot\n",
        4, t);
    begins(t, 1, whole_s + ack_s);
    begins(t, 2, 2 * (whole_s + ack_s));
    begins(t, 3, 3 * whole_s + 2 * ack_s);
    /* A barrier of three at different hosts starts two flows of one host and one of another, all at once. */
    run_connections(
        "Nodes 6\nConnections 6\nTriggers 1\n0->1 start 0 size 1460 recv_done_trigger 1\n"
        "2->3 start 5000000 size 1460 recv_done_trigger 1\n4->5 start 1000000 size 1460 send_done_trigger 1\n"
        "1->0 trigger 1 size 1460\n1->2 trigger 1 size 1460\n5->4 trigger 1 size 1460\n"
        "trigger id 1 barrier count 3\n",
        6, t);
    for (int i = 3; i < 6; i++)
        begins(t, i, 5e-6 + one_s);
    /* A multishot starts the next one each time, in the order of the list, and the third never, as two set it off. */
    run_connections("Nodes 6\nConnections 5\nTriggers 1\n0->1 start 9000000 size 1460 recv_done_trigger 1\n"
                    "2->3 start 5000000 size 1460 recv_done_trigger 1\n"
                    "1->0 trigger 1 size 1460\n1->2 trigger 1 size 1460\n5->4 trigger 1 size 1460\n"
                    "trigger id 1 multishot\n",
                    5, t);
    begins(t, 2, 5e-6 + one_s);
    begins(t, 3, 9e-6 + one_s);
    assert_true(isnan(t[4]));
}

/* All to all of 16 hosts in turn, which 224 triggers say: every transfer ends. */
static void published_triggers_run(void **state)
{
    (void)state;
    char flows[4200], text[6000];
    snprintf(flows, sizeof flows, "%s",
             data_path("peers/uet-htsim/htsim/sim/datacenter/connection_matrices/alltoall_serial_16n.cm"));
    snprintf(text, sizeof text,
             "weir: 1\nduration: until-done 1s\ntopology: {generate: {model: fat-tree, k: 4, rate: 100Gbps, "
             "delay: 1us, "
             "access_rate: 100Gbps, access_delay: 1us}, queue: {type: trim}}\nrouting: {ecmp: true, spray: "
             "true}\ntraffic:\n"
             "- {name: f, flows: \"%s\", tcp: {congestion: ndp, mss: 4096B}}\n",
             flows);
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_true(class_number(s, 0, NULL, "completed") == 240);
    const double ratio = class_number(s, 0, NULL, "makespan_s") / (15 * 2e6 * 8 / 100e9);
    print_message("  all to all in turn: %g of the line's time\n", ratio);
    assert_true(ratio > 1.0 && ratio < 2.0);
    json_decref(s);
}

static int setup(void **state)
{
    (void)state;
    return scratch_make() ? 0 : 1;
}

/* Ultra Ethernet's simulator counts microseconds; what has units of its own refuses another. */
static void starts_in_microseconds(void **state)
{
    (void)state;
    double start_s[2];
    run_unit("Nodes 6\nConnections 2\n0->1 start 40 size 1000\n2->3 start 0 size 1000\n", "1us", 2, start_s);
    begins(start_s, 0, 40e-6);
    begins(start_s, 1, 0.0);
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    assert_int_not_equal(run_text(diag,
                                  "weir: 1\nduration: 1ms\ntopology: {generate: {model: dumbbell}}\n"
                                  "traffic: [{name: f, flows: flow-list.csv, start_unit: 1us, tcp: {}}]\n",
                                  WEIR_TEST_DATA, NULL, 0, &result),
                         WEIR_OK);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "start_unit is for htsim's connections"));
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

/* A list of other nodes than the topology's, at which htsim ends, is told. */
static void nodes_are_compared(void **state)
{
    (void)state;
    for (int nodes = 4; nodes <= 5; nodes++) {
        char text[900];
        FILE *f = fopen(scratch_path("nodes.cm"), "w");
        assert_non_null(f);
        fprintf(f, "Nodes %d\nConnections 1\n0->1 start 0 size 1000\n", nodes);
        assert_int_equal(fclose(f), 0);
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 4}}\n"
                 "traffic: [{name: f, flows: \"%s\", tcp: {}}]\n",
                 scratch_path("nodes.cm"));
        assert_int_equal(run_says(text, "5 nodes are stated, and the topology has 4 hosts"), nodes == 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_matrix_of_htsim),
                                       cmocka_unit_test(nodes_are_compared),
                                       cmocka_unit_test(a_list_of_ns3),
                                       cmocka_unit_test(bad_lines),
                                       cmocka_unit_test(flows_wait_for_others),
                                       cmocka_unit_test(messages_share_a_connection),
                                       cmocka_unit_test(published_matrices),
                                       cmocka_unit_test(published_files_run),
                                       cmocka_unit_test(completion_times_of_the_fork),
                                       cmocka_unit_test(published_triggers_run),
                                       cmocka_unit_test(starts_in_microseconds)};
    return test_result(cmocka_run_group_tests(tests, setup, NULL));
}
