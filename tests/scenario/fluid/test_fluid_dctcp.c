/*
 * label: slow statistics
 *
 * DCTCP as fluid against DCTCP in packets, and against what its authors reckon: M. Alizadeh et al., Data Center TCP,
 * SIGCOMM 2010, section 3.3: N sessions that are all in step make the queue swing between K + N - A and K + N packets,
 * A = sqrt(2 N (C RTT + K)) / 2.
 */
#include <math.h>

#include "scenario/net_run.h"
#include "scenario/run_summary.h"
#include "nightly.h"

typedef struct measures {
    double goodput_bps, loss, wait_packets; /* in the queue, of 1500 bytes */
} measures;

static const double segment_bits = 12000.0;

static measures run_as(const char *fidelity, double rate_bps, double delay_s, double mark_kb, int sessions,
                       int acks)
{
    char text[1024];
    const double seconds = 4000.0 * delay_s > 0.4 ? 4000.0 * delay_s : 0.4;
    const int n = snprintf(
        text, sizeof text,
        "weir: 1\nduration: %gs\ntopology: {generate: {model: line, routers: 2, rate: %gbps, delay: %gs}, "
        "queue: "
        "{type: threshold, mark: %gkB, limit: 4MB}}\noutput: {warmup: %gs}\nfluid: {device: cpu}\n"
        "traffic: [{name: f, from: r0, to: r1, fidelity: %s, start: {uniform: [0s, %gs]},\n"
        "           tcp: {congestion: dctcp, ecn: true, sessions: %d, window: 16MiB, delayed_ack: %d}}]\n",
        seconds, rate_bps, delay_s, mark_kb, seconds / 4, fidelity, seconds / 20, sessions, acks);
    assert_true(n > 0 && (size_t)n < sizeof text);
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const double base_s = 2.0 * delay_s + 40e-6;
    const measures m = {class_number(summary, 0, NULL, "goodput_bps"), class_number(summary, 0, NULL, "loss"),
                        (class_number(summary, 0, NULL, "rtt_mean_s") - base_s) * rate_bps / segment_bits};
    json_decref(summary);
    return m;
}

static void near(double fluid, double packets, double low, double high, const char *what, const char *where)
{
    print_message("  %s, %s: fluid %.4g, packets %.4g\n", what, where, fluid, packets);
    if (!(packets > 0.0 && fluid >= low * packets && fluid <= high * packets))
        fail_msg("%s, %s: %g as fluid, %g as packets", what, where, fluid, packets);
}

static void one_bottleneck(void **state)
{
    (void)state;
    static const struct {
        double rate_bps, delay_s, mark_kb, least; /* the last has K below C RTT / 7, and idles */
    } cases[] = {{1e9, 50e-6, 30, 0.7},
                 {1e9, 250e-6, 60, 0.7},
                 {10e9, 50e-6, 97.5, 0.7},
                 {100e6, 10e-3, 100, 0.7},
                 {100e6, 10e-3, 30, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 3; k++) {
            static const int numbers[] = {2, 10, 40};
            if (!is_run(3 * i + k, 0, 4))
                continue;
            const int sessions = numbers[k];
            char where[80];
            snprintf(where, sizeof where, "%g Mb/s, %g us, K %g kB, %d sessions", 1e-6 * cases[i].rate_bps,
                     2e6 * cases[i].delay_s, cases[i].mark_kb, sessions);
            const measures packets = run_as("packet", cases[i].rate_bps, cases[i].delay_s, cases[i].mark_kb,
                                            sessions, 2),
                           fluid = run_as("fluid", cases[i].rate_bps, cases[i].delay_s, cases[i].mark_kb,
                                          sessions, 2);
            near(fluid.goodput_bps, packets.goodput_bps, 0.98, 1.01, "goodput", where);
            near(fluid.wait_packets, packets.wait_packets, cases[i].least, 1.05, "queue", where);
            assert_true(fluid.loss < 1e-9 && packets.loss < 1e-9);
        }
}

static void the_published_swing(void **state)
{
    (void)state;
    static const struct {
        double rate_bps, delay_s, mark_kb;
    } cases[] = {{10e9, 50e-6, 97.5}, {10e9, 250e-6, 97.5}, {1e9, 250e-6, 60}, {1e9, 1e-3, 60}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int sessions = 1; sessions <= 5; sessions *= 2) {
            if (!is_run(i + (size_t)sessions, 1, 2))
                continue;
            const double k = 1000.0 * cases[i].mark_kb / 1500.0,
                         pipe = cases[i].rate_bps * (2.0 * cases[i].delay_s + 40e-6) / segment_bits,
                         swing = 0.5 * sqrt(2.0 * sessions * (pipe + k)), middle = k + sessions - swing / 2.0;
            const measures fluid =
                run_as("fluid", cases[i].rate_bps, cases[i].delay_s, cases[i].mark_kb, sessions, 1);
            print_message("  %g Mb/s, %g us, %d sessions: queue %.1f, by the formula %.1f +- %.1f\n",
                          1e-6 * cases[i].rate_bps, 2e6 * cases[i].delay_s, sessions, fluid.wait_packets,
                          middle, swing / 2.0);
            assert_true(fabs(fluid.wait_packets - middle) < 0.12 * middle);
            assert_true(fluid.goodput_bps > 0.97 * cases[i].rate_bps);
        }
}

/* Five sessions as packets and five as fluid: marks meet both, and either has nearly its half. */
static void a_mix(void **state)
{
    (void)state;
    json_t *summary = summary_of(
        "weir: 1\nduration: 400ms\ntopology: {generate: {model: line, routers: 2, rate: 10Gbps, delay: "
        "50us}, queue: "
        "{type: threshold, mark: 97.5kB, limit: 4MB}}\noutput: {warmup: 100ms}\nfluid: {device: cpu}\n"
        "traffic: [{name: f, from: r0, to: r1, fidelity: {packet: 5, fluid: rest}, start: {uniform: [0s, "
        "10ms]},\n"
        "           tcp: {congestion: dctcp, ecn: true, sessions: 10, window: 16MiB}}]\n",
        NULL, 0, NULL);
    const double packets = class_number(summary, 0, "packet", "goodput_bps"),
                 fluid = class_number(summary, 0, "fluid", "goodput_bps"),
                 rtt_s = class_number(summary, 0, NULL, "rtt_mean_s");
    print_message("  packets %.3f, fluid %.3f Gb/s, %.0f us\n", 1e-9 * packets, 1e-9 * fluid, 1e6 * rtt_s);
    assert_true(packets + fluid > 9.6e9 && packets + fluid < 9.8e9);
    assert_true(packets / fluid > 0.75 && packets / fluid < 1.2);
    assert_true(rtt_s > 180e-6 && rtt_s < 260e-6);
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_bottleneck),
                                       cmocka_unit_test(the_published_swing), cmocka_unit_test(a_mix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
