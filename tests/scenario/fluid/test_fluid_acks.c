/*
 * label: slow statistics
 *
 * ACKs of fluid wait in the queues of what comes the other way, and fill them: sessions over a line of 10 Mb/s
 * and 40 ms whose way back carries as many sessions over RED, or a stream of UDP that all but fills or
 * overfills its queue. Round trips are within 20 % of packets', where propagation and the way out alone would be
 * up to half of them. Over drop-tail queues ACKs of packets come in bursts, which fluid has not: of as many sessions
 * either way goodput is within 12 % of packets' from ten sessions on, and the run warns of round trips and losses (docs/fluid.md).
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/run_summary.h"

static const char *const red = "{type: red, limit: 250kB, min: 20kB, max: 100kB, max_p: 0.1, w: 0.002}";
static const char *const tail = "{type: droptail, limit: 250kB}";

static double round_trip(const char *queue, const char *back, int sessions, const char *fidelity)
{
    char text[1200];
    snprintf(text, sizeof text,
             "weir: 1\nduration: 40s\n"
             "topology: {generate: {model: line, hosts: 0, rate: 10Mbps, delay: 20ms}, queue: %s}\n"
             "traffic:\n"
             "  - {name: out, tcp: {sessions: %d, congestion: newreno}, from: r0, to: r1, fidelity: %s}\n"
             "  - {name: back, %s, from: r1, to: r0, fidelity: %s}\n"
             "fluid: {device: cpu}\noutput: {warmup: 10s}\n",
             queue, sessions, fidelity, back, fidelity);
    return run_for(text, NULL, 0, "rtt_mean_s");
}

static void acks_wait(void **state)
{
    static const struct {
        const char *back;
        bool red;
    } row[] = {{"tcp: {sessions: 10, congestion: newreno}", true},
               {"tcp: {sessions: 40, congestion: newreno}", true},
               {"udp: {rate: 11Mbps, pattern: poisson}", true},
               {"udp: {rate: 11Mbps, pattern: poisson}", false}};
    int cells = 0;
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int n = 3; n <= 40; n = n == 3 ? 10 : n + 30) {
            const char *const queue = row[i].red ? red : tail;
            const double fluid = round_trip(queue, row[i].back, n, "fluid"),
                         packets = round_trip(queue, row[i].back, n, "packet");
            print_message("  %s against %d sessions, %s: %.0f and %.0f ms\n", row[i].back, n,
                          row[i].red ? "RED" : "drop-tail", 1e3 * fluid, 1e3 * packets);
            assert_true(fabs(fluid / packets - 1.0) <= 0.2);
            cells++;
        }
    assert_int_equal(cells, 12);
}

/* 40-byte ACKs of 10 Mb/s, one for two segments of 1,500 bytes, are 133 kb/s: a way back of 100 kb/s holds
 * sessions to 7.5 Mb/s, one of 1 Mb/s does not. */
static void acks_fill_a_slow_way_back(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1000];
        double rtt[2];
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text,
                     "weir: 1\nduration: 40s\n"
                     "topology:\n"
                     "  generate: {model: line, hosts: 0, rate: 10Mbps, delay: 20ms}\n"
                     "  links: [{link: r1->r0, rate: %s}]\n"
                     "  queue: {type: droptail, limit: 100kB}\n"
                     "  queues: [{link: r1->r0, limit: 5kB}]\n"
                     "traffic:\n"
                     "  - {name: out, tcp: {sessions: 10}, from: r0, to: r1, fidelity: %s}\n"
                     "fluid: {device: cpu}\noutput: {warmup: 10s}\n",
                     i ? "1Mbps" : "100kbps", k ? "packet" : "fluid");
            rtt[k] = run_for(text, NULL, 0, "rtt_mean_s");
        }
        print_message("  a way back of %s: %.0f and %.0f ms\n", i ? "1 Mb/s" : "100 kb/s", 1e3 * rtt[0],
                      1e3 * rtt[1]);
        assert_true(i ? rtt[0] < 0.15 : rtt[0] > 0.4);
        assert_true(fabs(rtt[0] / rtt[1] - 1.0) <= 0.25);
    }
}

/* ACKs take the line as data does: both ways full, and so is a way back that has nothing else. */
static void acks_count_in_the_utilisation(void **state)
{
    static const struct {
        const char *back, *more;
    } row[] = {{"100kbps", ""},
               {"10Mbps", "  - {name: back, tcp: {sessions: 20}, from: r1, to: r0, fidelity: fluid}\n"}};
    (void)state;
    assert_non_null(scratch_make());
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 30s\n"
                 "topology:\n"
                 "  generate: {model: line, hosts: 0, rate: 10Mbps, delay: 20ms}\n"
                 "  links: [{link: r1->r0, rate: %s}]\n"
                 "  queue: {type: droptail, limit: 100kB}\n"
                 "traffic:\n"
                 "  - {name: out, tcp: {sessions: 20}, from: r0, to: r1, fidelity: fluid}\n%s"
                 "fluid: {device: cpu}\noutput: {warmup: 20s}\n",
                 row[i].back, row[i].more);
        weir_diag *diag = weir_diag_new();
        weir_run_result result = run_into(diag, text, "back", NULL, 0);
        const double used = csv_cell(result.output_dir, "ports.csv", "port", "r1->r0", "utilisation");
        if (!(fabs(used - 1.0) < 1e-3))
            fail_msg("a way back of %s is used to %g", row[i].back, used);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/*
 * Fluid of 0.5 Mb/s, and packets of 15 Mb/s from the middle of the second on, which stand in the queue at its end: the line
 * of 10 Mb/s sends 0.05 for half of the time, and all for the other half but for 1 ms of a host's link.
 */
static void what_waits_beside_fluid_is_not_sent(void **state)
{
    (void)state;
    assert_non_null(scratch_make());
    weir_diag *diag = weir_diag_new();
    weir_run_result result = run_into(
        diag,
        "weir: 1\nduration: 1s\n"
        "topology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps}, queue: {limit: 2MB}}\n"
        "traffic:\n"
        "  - {name: f, udp: {rate: 500kbps}, from: l0, to: r0, fidelity: fluid}\n"
        "  - {name: p, udp: {rate: 15Mbps}, from: l1, to: r1, start: 500ms}\n"
        "fluid: {device: cpu}\n",
        "waits", NULL, 0);
    const double used = csv_cell(result.output_dir, "ports.csv", "port", "left->right", "utilisation");
    if (!(fabs(used - 0.525) < 3e-3))
        fail_msg("the line is used to %g", used);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void both_ways_over_droptail(void **state)
{
    static const char *const controls[] = {"newreno", "cubic"};
    static const int sessions[] = {10, 40},
                     limit_kb[] = {28, 110}; /* half of what the path holds, and twice */
    (void)state;
    for (int cell = 0; cell < 8; cell++) {
        const int n = sessions[cell / 2 % 2];
        double goodput[2];
        for (int k = 0; k < 2; k++) {
            char text[1200], tcp[128];
            snprintf(tcp, sizeof tcp, "tcp: {sessions: %d, congestion: %s, recovery: sack}, fidelity: %s", n,
                     controls[cell / 4], k ? "packet" : "fluid");
            snprintf(text, sizeof text,
                     "weir: 1\nduration: 30s\n"
                     "topology: {generate: {model: line, hosts: 0, rate: 10Mbps, delay: 22ms}, queue: "
                     "{limit: %dkB}}\n"
                     "traffic:\n"
                     "  - {name: out, %s, from: r0, to: r1, start: {uniform: [0s, 1s]}}\n"
                     "  - {name: back, %s, from: r1, to: r0, start: {uniform: [0s, 1s]}}\n"
                     "fluid: {device: cpu}\noutput: {warmup: 10s}\n",
                     limit_kb[cell % 2], tcp, tcp);
            goodput[k] = run_for(text, NULL, 0, "goodput_bps");
        }
        print_message("  %d %s sessions either way, %d kB: %.2f and %.2f Mb/s\n", n, controls[cell / 4],
                      limit_kb[cell % 2], 1e-6 * goodput[0], 1e-6 * goodput[1]);
        assert_true(goodput[0] / goodput[1] > 0.88 && goodput[0] / goodput[1] < 1.12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acks_wait),
        cmocka_unit_test(acks_count_in_the_utilisation),
        cmocka_unit_test(what_waits_beside_fluid_is_not_sent),
        cmocka_unit_test(both_ways_over_droptail),
        cmocka_unit_test(acks_fill_a_slow_way_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
