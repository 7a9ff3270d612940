/*
 * label: slow statistics
 *
 * Reno sessions that RED marks, as fluid against packets: windows of 2.7 to 30 segments, with a mean that follows within
 * a round trip (w 0.02). A session answers one mark a round trip and loses nothing by it; while each mark counted as a
 * loss does, fluid swung and idled the line for 6 % of the time, where packets filled it.
 */
#include "scenario/run_summary.h"
#include "nightly.h"

typedef struct measures {
    double goodput_bps, wait_s;
} measures;

static measures run_as(const char *fidelity, const char *path, int sessions)
{
    char text[1000];
    const int n =
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 4s\n"
                 "topology: {generate: {model: dumbbell, left: 1, access_delay: 100us, %s,\n"
                 "  ecn: true, min: 50kB, max: 150kB, max_p: 0.1, w: 0.02}}\n"
                 "output: {warmup: 1s}\nfluid: {device: cpu}\n"
                 "traffic: [{name: f, from: l0, to: r0, fidelity: %s, start: {uniform: [0s, 200ms]},\n"
                 "           tcp: {congestion: newreno, ecn: true, window: 4MiB, sessions: %d}}]\n",
                 path, fidelity, sessions);
    assert_true(n > 0 && (size_t)n < sizeof text);
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const measures m = {class_number(summary, 0, NULL, "goodput_bps"),
                        class_number(summary, 0, NULL, "rtt_mean_s")};
    json_decref(summary);
    return m;
}

static void marks_leave_the_line_full(void **state)
{
    (void)state;
    static const char fast[] = "access_rate: 10Gbps, bottleneck_rate: 1Gbps, bottleneck_delay: 800us}, "
                               "queue: {type: red, limit: 1MB",
                      slow[] = "access_rate: 1Gbps, bottleneck_rate: 100Mbps, bottleneck_delay: 8ms}, "
                               "queue: {type: red, limit: 1MB";
    static const struct {
        const char *path;
        int sessions;
    } rows[] = {{fast, 20}, {fast, 40}, {fast, 80}, {slow, 10}, {slow, 40}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_run(i, 0, 4))
            continue;
        const measures packets = run_as("packet", rows[i].path, rows[i].sessions),
                       fluid = run_as("fluid", rows[i].path, rows[i].sessions);
        print_message("  %.20s, %d sessions: goodput %.4g, packets %.4g; round trip %.3g, %.3g ms\n",
                      rows[i].path, rows[i].sessions, fluid.goodput_bps, packets.goodput_bps,
                      1e3 * fluid.wait_s, 1e3 * packets.wait_s);
        if (!(fabs(fluid.goodput_bps / packets.goodput_bps - 1.0) <
              0.03)) /* ten sessions have a sawtooth of their own each */
            fail_msg("goodput %g as fluid, %g as packets", fluid.goodput_bps, packets.goodput_bps);
        if (!(fabs(fluid.wait_s / packets.wait_s - 1.0) < 0.2))
            fail_msg("round trip %g as fluid, %g as packets", fluid.wait_s, packets.wait_s);
    }
}

/* `ecn: only`: nothing is dropped early, of fluid that cannot be marked and of packets beside it: the queue fills, and packets of
 * UDP wait in it and are lost to its limit alone. */
static void marks_alone_drop_nothing(void **state)
{
    static const char *const fidelities[] = {"packet", "fluid"};
    measures is[2];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 10s\n"
            "topology: {generate: {model: dumbbell, left: 2, access_rate: 1Gbps, bottleneck_rate: 20Mbps},\n"
            "  queue: {type: red, ecn: only, min: 20kB, max: 60kB, limit: 250kB}}\n"
            "output: {warmup: 4s}\nfluid: {device: cpu}\n"
            "traffic:\n  - {name: u, from: l1, to: r1, udp: {rate: 1Mbps, packet: 1500B}}\n"
            "  - {name: f, from: l0, to: r0, tcp: {sessions: 10}, fidelity: %s}\n",
            fidelities[i]);
        json_t *summary = summary_of(text, NULL, 0, NULL);
        const double lost = class_number(summary, 0, NULL, "loss");
        is[i] = (measures){class_number(summary, 1, NULL, "goodput_bps"),
                           class_number(summary, 1, NULL, "rtt_mean_s")};
        json_decref(summary);
        print_message("  %s: goodput %.4g, round trip %.3g s; UDP loses %.4f\n", fidelities[i],
                      is[i].goodput_bps, is[i].wait_s, lost);
        assert_true(lost < 0.015);
    }
    assert_true(fabs(is[1].goodput_bps / is[0].goodput_bps - 1.0) < 0.03);
    assert_true(fabs(is[1].wait_s / is[0].wait_s - 1.0) < 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks_leave_the_line_full),
                                       cmocka_unit_test(marks_alone_drop_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
