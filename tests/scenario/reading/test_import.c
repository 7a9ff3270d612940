/*
 * Scenarios made of peers' files. Each key of config.txt has an effect on what is written, or is refused by name; each error has file,
 * line and column; what is written loads; a small one runs as its numbers say; the published ones load.
 */
#include <math.h>
#include <stdlib.h>

#include "network/import/import.h"
#include "output/scratch.h"
#include "scenario/load.h"
#include "scenario/run_summary.h"
#include "skip.h"

static const char topology[] = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 25Gbps 1us 0\n";
static const char flows[] = "2\n0 1 3 100 1000000 2\n2 1 3 101 50000 2.00001\n";

/* A configuration, each key with its published value. */
static const struct {
    const char *key, *value, *other; /* and another one */
} keys[] = {{"ENABLE_QCN", "1", "0"},
            {"USE_DYNAMIC_PFC_THRESHOLD", "1", "0"},
            {"PACKET_PAYLOAD_SIZE", "1000", "1400"},
            {"TOPOLOGY_FILE", "mix/topology.txt", "mix/none.txt"},
            {"FLOW_FILE", "mix/flow.txt", "mix/none.txt"},
            {"TRACE_FILE", "mix/trace.txt", "mix/none.txt"},
            {"TRACE_OUTPUT_FILE", "mix/mix.tr", "a"},
            {"FCT_OUTPUT_FILE", "mix/fct.txt", "b"},
            {"PFC_OUTPUT_FILE", "mix/pfc.txt", "c"},
            {"SIMULATOR_STOP_TIME", "2.01", "3"},
            {"CC_MODE", "1", "3"},
            {"ALPHA_RESUME_INTERVAL", "1", "55"},
            {"RATE_DECREASE_INTERVAL", "4", "50"},
            {"CLAMP_TARGET_RATE", "0", "1"},
            {"RP_TIMER", "900", "55"},
            {"EWMA_GAIN", "0.00390625", "0.0625"},
            {"FAST_RECOVERY_TIMES", "1", "5"},
            {"RATE_AI", "50Mb/s", "40Mb/s"},
            {"RATE_HAI", "100Mb/s", "400Mb/s"},
            {"MIN_RATE", "100Mb/s", "200Mb/s"},
            {"DCTCP_RATE_AI", "1000Mb/s", NULL},
            {"ERROR_RATE_PER_LINK", "0.0000", "0.001"},
            {"L2_CHUNK_SIZE", "4000", "5000"},
            {"L2_ACK_INTERVAL", "1", "2"},
            {"L2_BACK_TO_ZERO", "0", "1"},
            {"HAS_WIN", "1", "0"},
            {"GLOBAL_T", "1", NULL},
            {"VAR_WIN", "1", "0"},
            {"FAST_REACT", "1", NULL},
            {"U_TARGET", "0.95", NULL},
            {"MI_THRESH", "0", NULL},
            {"INT_MULTI", "1", NULL},
            {"MULTI_RATE", "0", "1"},
            {"SAMPLE_FEEDBACK", "0", "1"},
            {"PINT_LOG_BASE", "1.05", NULL},
            {"PINT_PROB", "1.0", "0.5"},
            {"RATE_BOUND", "1", "0"},
            {"ACK_HIGH_PRIO", "0", "1"},
            {"LINK_DOWN", "0 0 0", "10 2 3"},
            {"ENABLE_TRACE", "1", "0"},
            {"KMAX_MAP", "2 25000000000 400 100000000000 1600", "2 25000000000 401 100000000000 1600"},
            {"KMIN_MAP", "2 25000000000 100 100000000000 400", "2 25000000000 100 100000000000 401"},
            {"PMAX_MAP", "2 25000000000 0.2 100000000000 0.2", "2 25000000000 0.2 100000000000 0.3"},
            {"BUFFER_SIZE", "32", "16"},
            {"QLEN_MON_FILE", "mix/qlen.txt", "d"},
            {"QLEN_MON_START", "2000000000", "5"},
            {"QLEN_MON_END", "2010000000", "6"},
            {"MAX_RATE", "10000Mb/s", "5000Mb/s"},
            {"FIXED_WIN", "18000", "9000"},
            {"BASE_RTT", "14400", "20000"},
            {"FLOW_ON_PATH_FILE", "on.txt", "e"},
            {"FLOW_PATH_MAP_FILE", "map.txt", "f"}};
enum { KEYS = sizeof keys / sizeof *keys };
_Static_assert((int)KEYS == (int)WI_NS3_N_KEYS, "each key is here");

static void put(const char *name, const char *text)
{
    FILE *f = fopen(scratch_path(name), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A configuration with one key changed, or none, of a mode. Files beside it. */
static void put_config(const char *mode, const char *key, const char *other)
{
    FILE *f = fopen(scratch_path("config.txt"), "w");
    assert_non_null(f);
    fprintf(f, "# a comment\n\n");
    for (size_t i = 0; i < KEYS; i++) {
        const bool here = key && strcmp(keys[i].key, key) == 0;
        fprintf(f, "%s %s {what it means}\n", keys[i].key,
                here                                  ? other
                : strcmp(keys[i].key, "CC_MODE") == 0 ? mode
                                                      : keys[i].value);
    }
    assert_int_equal(fclose(f), 0);
    put("topology.txt", topology);
    put("flow.txt", flows);
    put("trace.txt", "3\n0 1 3\nand what is below\n");
}

static weir_status import(weir_diag *diag, char **text)
{
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("config.txt"));
    const char *const files[] = {path};
    return weir_scenario_import(diag, files, 1, false, text);
}

static void loads(const char *text)
{
    weir_scenario *s = NULL;
    weir_diag *diag = weir_diag_new();
    expect_ok(diag, weir_scenario_parse(diag, "imported.yaml", text, strlen(text), NULL, NULL, 0, &s));
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void each_key_does_something(void **state)
{
    (void)state;
    static const char *const modes[] = {"1", "3", "7", "8", "10"};
    bool seen[KEYS] = {false};
    for (size_t m = 0; m < 5; m++) {
        char *usual = NULL;
        weir_diag *diag = weir_diag_new();
        put_config(modes[m], NULL, NULL);
        expect_ok(diag, import(diag, &usual));
        loads(usual);
        weir_diag_free(diag);
        for (size_t i = 0; i < KEYS; i++) {
            char *text = NULL;
            diag = weir_diag_new();
            put_config(modes[m], keys[i].key, keys[i].other ? keys[i].other : "7");
            const weir_status status = import(diag, &text);
            if (status == WEIR_OK) {
                seen[i] = seen[i] || strcmp(text, usual) != 0;
                loads(text);
            } else {
                const weir_message *said = weir_diag_get(diag, 0);
                if (!strstr(said->text, keys[i].key) || said->line != (int)i + 3 || said->column != 1)
                    fail_msg("%s: '%s' at %d:%d", keys[i].key, said->text, said->line, said->column);
                seen[i] = true;
            }
            /* Where it has none with this control the scenario says so, or it is the control that is not chosen. */
            if (status == WEIR_OK && strcmp(text, usual) == 0 && strcmp(keys[i].key, "CC_MODE") != 0 &&
                !strstr(text, keys[i].key))
                fail_msg("%s means nothing with CC_MODE %s, and the scenario does not say so:\n%s",
                         keys[i].key, modes[m], text);
            free(text);
            weir_diag_free(diag);
        }
        free(usual);
    }
    for (size_t i = 0; i < KEYS; i++)
        if (!seen[i] && keys[i].other)
            fail_msg("%s has no effect with any control", keys[i].key);
}

static void errors_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        int line, column;
    } bad[] = {
        {"ENABLE_QCN 1\n  SPEED 3\n", "no key 'SPEED'", 2, 3},
        {"ENABLE_QCN 1\nENABLE_QCN 1\n", "given twice", 2, 1},
        {"ENABLE_QCN\n", "0 fields; want 1", 1, 1},
        {"LINK_DOWN 0 0\n", "2 fields; want 3", 1, 1},
        {"KMAX_MAP 2 25000000000 400\n", "3 fields; want 5", 1, 1},
        {"KMAX_MAP many\n", "number of its pairs", 1, 1},
        {"TOPOLOGY_FILE nowhere.txt\n", "no file nowhere.txt", 1, 1},
        {"TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nCC_MODE 4\n", "want 1 (DCQCN)", 3, 1},
        {"TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nENABLE_QCN 0\nRATE_AI fast\n", "want a rate", 4, 1},
        {"TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nSIMULATOR_STOP_TIME -1\n", "want a number from", 3,
         1},
        {"TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nKMAX_MAP 1 1 2\n", "have no pair", 3, 1},
        {"hello world\n", "neither a file of htsim", 1, 1}};
    put_config("1", NULL, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = NULL;
        weir_diag *diag = weir_diag_new();
        put("config.txt", bad[i].text);
        assert_int_not_equal(import(diag, &text), WEIR_OK);
        assert_null(text);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, bad[i].says) || m->line != bad[i].line || m->column != bad[i].column ||
            !strstr(m->file, "config.txt"))
            fail_msg("%s: '%s' at %d:%d", bad[i].text, m ? m->text : "", m ? m->line : 0, m ? m->column : 0);
        weir_diag_free(diag);
    }
}

/* Both flows of the small one end, by each control, over lines that lose. */
static void what_is_written_runs(void **state)
{
    (void)state;
    static const char *const modes[] = {"1", "3", "7", "8"};
    for (int i = 0; i < 4; i++) {
        char *text = NULL;
        weir_diag *diag = weir_diag_new();
        put_config(modes[i], "ERROR_RATE_PER_LINK", "0.002");
        expect_ok(diag, import(diag, &text));
        json_t *s = summary_of(text, NULL, 0, NULL);
        assert_true(class_number(s, 0, NULL, "completed") == 2);
        assert_true(class_number(s, 0, NULL, "packets_dropped") > 0);
        json_decref(s);
        free(text);
        weir_diag_free(diag);
    }
}

/* A lone flow of n packets over two lines, which its window holds: the first packet takes both, and the others come behind it, at the line's
 * rate or at MAX_RATE. Packets are as long as the fork's: 48 bytes of header, and telemetry. */
static void packets_are_as_long_as_there(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        double headers;
    } of[] = {{"1", 48}, {"3", 90}, {"7", 56}, {"8", 48}, {"10", 50}};
    const double packet_s = 8e-11, n = 18; /* 100 Gb/s: seconds a byte; 1,000 bytes a packet */
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int slow = 0; slow < 2; slow++) {
            char *text = NULL;
            weir_diag *diag = weir_diag_new();
            put_config(of[i].mode, "MAX_RATE", slow ? "10000Mb/s" : "100000Mb/s");
            put("flow.txt", "1\n0 1 3 100 18000 2\n");
            expect_ok(diag, import(diag, &text));
            assert_non_null(strstr(text, "size: 32MiB"));
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double bytes = 1000 + of[i].headers,
                         want = 2 * (1e-6 + bytes * packet_s) + (n - 1) * bytes * packet_s * (slow ? 10 : 1),
                         got = class_number(s, 0, NULL, "makespan_s");
            if (!(fabs(got / want - 1) < 1e-3))
                fail_msg("CC_MODE %s: %.9g s, want %.9g", of[i].mode, got, want);
            json_decref(s);
            free(text);
            weir_diag_free(diag);
        }
}

/* A port as fast as all that leads to it needs no pair, and is told; one that is not is refused. Headroom above a switch's memory is
 * as none there, and where that is so of one switch alone it is refused. */
static void ports_that_never_queue(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *refused;
    } cases[] = {{"4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100000Gbps 1us 0\n2 3 25Gbps 1us 0\n", NULL},
                 {"4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 40Gbps 1us 0\n", "KMAX_MAP"},
                 {"4 2 3\n2 3\n0 2 100Gbps 1us 0\n1 3 100000Gbps 1us 0\n2 3 25Gbps 1us 0\n", "BUFFER_SIZE"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        weir_diag *diag = weir_diag_new();
        put_config("8", NULL, NULL);
        put("topology.txt", cases[i].topology);
        put("flow.txt", "1\n0 1 3 100 50000 2\n");
        const weir_status status = import(diag, &text);
        if (cases[i].refused) {
            assert_int_equal(status, WEIR_E_FORMAT + (i == 2) * (WEIR_E_UNSUPPORTED - WEIR_E_FORMAT));
            assert_non_null(strstr(weir_diag_get(diag, 0)->text, cases[i].refused));
        } else {
            expect_ok(diag, status);
            assert_non_null(strstr(text, "\"3->1\"],\n       type: droptail, limit: 1GB"));
            assert_non_null(strstr(text, "ports of 100Tbps have no pair"));
            assert_non_null(strstr(text, "BUFFER_SIZE 32: "));
            assert_null(strstr(text, "shared_buffer"));
            json_t *s = summary_of(text, NULL, 0, NULL);
            assert_true(class_number(s, 0, NULL, "completed") == 1);
            json_decref(s);
        }
        free(text);
        weir_diag_free(diag);
    }
}

/* htsim: a fat-tree where no topology is given, and nothing else. */
static void connections_of_htsim(void **state)
{
    (void)state;
    char *text = NULL, path[600];
    weir_diag *diag = weir_diag_new();
    put("a.cm", "Nodes 16\nConnections 2\nTriggers 1\n0->9 id 1 start 0 size 90000 send_done_trigger 5\n"
                "3->9 id 2 trigger 5 size 90000\ntrigger id 5 oneshot\n");
    snprintf(path, sizeof path, "%s", scratch_path("a.cm"));
    const char *const files[] = {path};
    expect_ok(diag, weir_scenario_import(diag, files, 1, false, &text));
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_true(class_number(s, 0, NULL, "completed") == 2);
    json_decref(s);
    free(text);
    put("a.cm", "Nodes 17\nConnections 1\n0->9 id 1 start 0 size 90000\n");
    assert_int_equal(weir_scenario_import(diag, files, 1, false, &text), WEIR_E_ARG);
    assert_non_null(strstr(weir_diag_get(diag, weir_diag_count(diag) - 1)->text, "17 nodes are no fat-tree"));
    weir_diag_free(diag);
}

static void published_files(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"peers/ns3-rdma/mix_7/config_topo-pl-7_flows_dctcp_k30.txt", NULL, "flow.txt", "trace.txt"},
        {"peers/hpcc-ns3/simulation/mix/config.txt"},
        {"peers/hpcc-ns3/simulation/mix/config_doc.txt"},
        {"peers/uet-htsim/htsim/sim/datacenter/connection_matrices/perm_128n_128c_2MB.cm",
         "peers/uet-htsim/htsim/sim/datacenter/topologies/fat_tree_128_1os.topo"},
        {"peers/uet-htsim/htsim/sim/datacenter/connection_matrices/a2a.cm"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char path[4][4200], *text = NULL;
        const char *files[4];
        size_t n = 0;
        weir_diag *diag = weir_diag_new();
        put("flow.txt", flows); /* of what is not published with its configuration */
        put("trace.txt", "0\n");
        for (size_t k = 0; k < 4; k++)
            if (sets[i][k]) {
                snprintf(path[n], sizeof path[n], "%s",
                         k < 2 ? data_path(sets[i][k]) : scratch_path(sets[i][k]));
                files[n] = path[n];
                n++;
            }
        expect_ok(diag, weir_scenario_import(diag, files, n, false, &text));
        loads(text);
        free(text);
        weir_diag_free(diag);
    }
}

static int setup(void **state)
{
    (void)state;
    return scratch_make() ? 0 : 1;
}

/* Segments are such that the messages of a connection end with them, and 4,096 bytes where there are none, or none is. */
static void messages_choose_the_segment(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"msg start 0 size 40860", "mss: 4086B"},
                                           {"msg start 0 size 40960", "mss: 4096B"},
                                           {"msg start 0 size 40961", "mss: 4096B"}, /* a prime */
                                           {"start 0 size 40860", "mss: 4096B"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char list[400], path[600], *text = NULL;
        weir_diag *diag = weir_diag_new();
        snprintf(list, sizeof list, "Nodes 16\nConnections 2\n0->9 id 1 %s\n0->9 id %d %s\n", cases[i][0],
                 i < 3 ? 1 : 2, cases[i][0]);
        put("reuse.cm", list);
        snprintf(path, sizeof path, "%s", scratch_path("reuse.cm"));
        const char *const files[] = {path};
        expect_ok(diag, weir_scenario_import(diag, files, 1, false, &text));
        assert_non_null(strstr(text, cases[i][1]));
        loads(text);
        free(text);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_choose_the_segment),  cmocka_unit_test(each_key_does_something),
        cmocka_unit_test(errors_have_a_place),          cmocka_unit_test(what_is_written_runs),
        cmocka_unit_test(packets_are_as_long_as_there), cmocka_unit_test(ports_that_never_queue),
        cmocka_unit_test(connections_of_htsim),         cmocka_unit_test(published_files)};
    return test_result(cmocka_run_group_tests(tests, setup, NULL));
}
