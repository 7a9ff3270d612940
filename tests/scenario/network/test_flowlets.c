/*
 * Flowlets over leaf-spine networks: a burst of packets keeps one path, the next after a pause picks one anew, evenly; without a
 * pause a flow keeps the path that it has by itself. TCP whose pauses are longer than paths differ is not reordered. What does not
 * go together is refused at its place, and all engines give the same digests.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/run_summary.h"

#define HEAD                                                                                            \
    "weir: 1\nduration: %s\nseed: 5\ntopology:\n  generate: {model: leaf-spine, leaves: 2, spines: 4, " \
    "hosts: 4, access_rate: 10Gbps, rate: 10Gbps, delay: 1us}\n"

/* Packets up from the first leaf, spine by spine. */
static void ups(const char *text, const char *set, double *packets)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result r = run_into(diag, text, "run", &set, set ? 1 : 0);
    for (int s = 0; s < 4; s++) {
        char port[32];
        snprintf(port, sizeof port, "leaf0->spine%d", s);
        packets[s] = csv_cell(r.output_dir, "ports.csv", "port", port, "packets");
        assert_true(packets[s] >= 0.0);
    }
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

/* 400 bursts of ten packets, 20 us apart within one and 1 ms between: each spine has whole bursts, and a fair share of them. */
static void bursts_pick_anew(void **state)
{
    (void)state;
    char text[1200];
    double packets[4];
    FILE *f = fopen(scratch_path("bursts.txt"), "w");
    assert_non_null(f);
    for (int burst = 0; burst < 400; burst++)
        for (int i = 0; i < 10; i++)
            fprintf(f, "%dus 1000B\n", 1200 * burst + 20 * i);
    fclose(f);
    snprintf(text, sizeof text,
             HEAD
             "routing: {ecmp: true, flowlets: 100us}\ntraffic: [{name: a, from: h0, to: h7, udp: {trace: "
             "'%s'}}]\n",
             "500ms", scratch_path("bursts.txt"));
    ups(text, NULL, packets);
    double square = 0.0;
    for (int s = 0; s < 4; s++) {
        assert_true(fmod(packets[s], 10.0) == 0.0);
        square += (packets[s] / 10.0 - 100.0) * (packets[s] / 10.0 - 100.0) / 100.0;
    }
    if (!(packets[0] + packets[1] + packets[2] + packets[3] == 4000.0 &&
          square < 16.3)) /* 99.9 % of chi-square, 3 */
        fail_msg("%g %g %g %g packets, chi-square %g", packets[0], packets[1], packets[2], packets[3],
                 square);
    /* Pauses that are no longer than the threshold end no flowlet. */
    ups(text, "routing.flowlets=2ms", packets);
    int used = 0;
    for (int s = 0; s < 4; s++)
        used += packets[s] > 0.0;
    assert_int_equal(used, 1);
}

/* A transfer whose first windows leave pauses longer than paths differ: it goes by several, and nothing is sent again. */
static void tcp_is_not_reordered(void **state)
{
    (void)state;
    char text[1200];
    double packets[4];
    int used = 0;
    snprintf(
        text, sizeof text,
        HEAD
        "routing: {ecmp: true, flowlets: 4us}\ntraffic: [{name: a, from: h0, to: h7, tcp: {size: 2MB}}]\n",
        "100ms");
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_true(class_number(s, 0, NULL, "completed") == 1.0);
    assert_true(class_number(s, 0, NULL, "retransmissions") == 0.0);
    json_decref(s);
    ups(text, NULL, packets);
    for (int i = 0; i < 4; i++)
        used += packets[i] > 0.0;
    assert_true(used > 1);
}

static void engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    char text[1600];
    weir_run_result want, plain, got;
    snprintf(
        text, sizeof text,
        HEAD
        "  shared_buffer: {size: 200kB}\nrouting: {ecmp: true, flowlets: 20us}\ntraffic:\n- {name: a, pairs: "
        "permutation, tcp: {size: 60kB, arrivals: "
        "{poisson: 20000/s}}}\n- {name: b, pairs: permutation, udp: {rate: 1Gbps, pattern: onoff}}\n- {name: "
        "c, "
        "from: 'h[0-2]', to: h6, tcp: {congestion: ndp, size: 90kB}}\n- {name: d, from: h1, to: h5, tcp: "
        "{size: 3kB, request: {size: 100B}}}\n",
        "2ms");
    json_decref(summary_of(text, NULL, 0, &want));
    static const char *const without = "routing.flowlets=1s";
    json_decref(summary_of(text, &without, 1, &plain));
    assert_int_not_equal(plain.event_digest, want.event_digest);
    for (size_t e = 0; e < 3; e++) {
        json_decref(summary_of(text, &engines[e], 1, &got));
        if (got.event_digest != want.event_digest || got.state_digest != want.state_digest)
            fail_msg("%s", engines[e]);
    }
}

static void bad_input_is_named(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        {"{flowlets: 1ms}", "want ecmp: true"},
        {"{ecmp: true, spray: true, flowlets: 1ms}", "keep one"},
        {"{ecmp: true, flowlets: 1ns}", "flowlets is 1ns; want at least 100ns"},
        {"{ecmp: true, flowlets: 1ms, forwarding: source}", "one path"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[1200];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text, HEAD "routing: %s\ntraffic: [{name: a, from: h0, to: h7, tcp: {}}]\n",
                 "1ms", all[i][0]);
        assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, all[i][1]) || m->line != 6)
            fail_msg("%s: line %d, '%s'", all[i][0], m ? m->line : 0, m ? m->text : "");
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_pick_anew),
        cmocka_unit_test(tcp_is_not_reordered),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(bad_input_is_named),
    };
    assert_non_null(scratch_make());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return system(command) != 0 ? 1 : failed;
}
