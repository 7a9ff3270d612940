/*
 * label: slow statistics
 *
 * Transfers of a size as fluid, a density of arrivals, against packets: three loads of a line of 50 Mb/s, three
 * distributions of sizes. What the line carries is within 4 % of packets', as the bytes that come are given. Transfers in
 * progress and the mean time of one are those of a path without queues, which fluid below a load of one has none of:
 * within 10 % of packets' at a load of 0.3, and 35 % too few at 0.8. Above a load of one they grow without bound,
 * as packets' do.
 */
#include "scenario/run_summary.h"

typedef struct measures {
    double received_bps, in_progress, completion_s;
} measures;

static measures run(const char *size, double per_s, const char *fidelity)
{
    char text[1200];
    snprintf(
        text, sizeof text,
        "weir: 1\nduration: 60s\n"
        "topology:\n"
        "  generate: {model: dumbbell, left: 4, right: 4, bottleneck_rate: 50Mbps, bottleneck_delay: 10ms, "
        "access_rate: 1Gbps, access_delay: 5ms}\n"
        "  queue: {limit: 250kB}\n"
        "traffic:\n"
        "  - {name: f, tcp: {size: %s, arrivals: {poisson: %g/s}}, pairs: [[l0, r0], [l1, r1], [l2, r2], "
        "[l3, "
        "r3]], fidelity: %s}\n"
        "fluid: {device: cpu}\noutput: {warmup: 10s}\n",
        size, per_s, fidelity);
    json_t *summary = summary_of(text, NULL, 0, NULL);
    measures m = {.received_bps = class_number(summary, 0, NULL, "goodput_bps")};
    const json_t *c = json_array_get(json_object_get(summary, "classes"), 0);
    m.in_progress = json_number_value(json_object_get(c, "in_progress_mean"));
    m.completion_s = json_number_value(json_object_get(c, "completion_mean_s"));
    json_decref(summary);
    return m;
}

static void links_carry_what_packets_carry(void **state)
{
    static const struct {
        const char *size;
        double mean;
    } row[] = {{"{exponential: 100kB}", 1e5}, {"20kB", 2e4}, {"{uniform: [10kB, 190kB]}", 1e5}};
    static const double loads[] = {0.3, 0.6, 0.8};
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        const double load = loads[i % 3], per_s = load * 50e6 / 8.0 / (1.03 * row[i / 3].mean);
        const measures fluid = run(row[i / 3].size, per_s, "fluid"),
                       packets = run(row[i / 3].size, per_s, "packet");
        print_message("  %s, load %.1f: %.2f and %.2f Mb/s; in progress %.2f, %.3f s\n", row[i / 3].size,
                      load, 1e-6 * fluid.received_bps, 1e-6 * packets.received_bps, fluid.in_progress,
                      fluid.completion_s);
        assert_true(fabs(fluid.received_bps / packets.received_bps - 1.0) <= 0.04);
        assert_true(fluid.in_progress > 0.0);
        assert_true(fabs(fluid.completion_s * per_s / fluid.in_progress - 1.0) < 1e-4);
    }
}

/* Transfers of a segment or two are not full ones: payload is what comes, without headers, and none lasts less than the
 * round trip of 40 ms that its segments take. */
static void short_ones_are_short(void **state)
{
    static const struct {
        const char *size;
        double mean;
    } row[] = {{"1B", 1.0}, {"500B", 500.0}, {"1460B", 1460.0}, {"1461B", 1461.0}, {"3kB", 3000.0}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const measures m = run(row[i].size, 50.0, "fluid");
        print_message("  %s: %.1f bit/s, %.4f s\n", row[i].size, m.received_bps, m.completion_s);
        assert_true(fabs(m.received_bps / (8.0 * 50.0 * row[i].mean) - 1.0) < 0.01);
        assert_true(m.completion_s > 0.039 && m.completion_s < 0.06);
    }
}

/* However seldom they come, what comes is sent and no more, and a transfer lasts as long as often ones do: 10 kB, 0.01 and 0.0001 a
 * second, are 800 and 8 bit/s. */
static void seldom_ones_are_few(void **state)
{
    const measures often = run("10kB", 50.0, "fluid");
    (void)state;
    for (double per_s = 0.01; per_s > 5e-5; per_s *= 0.01) {
        const measures m = run("10kB", per_s, "fluid");
        if (!(fabs(m.received_bps / (8e4 * per_s) - 1.0) < 0.01 &&
              fabs(m.completion_s / often.completion_s - 1.0) < 0.01))
            fail_msg("%g/s: %g bit/s, %g s of %g", per_s, m.received_bps, m.completion_s, often.completion_s);
    }
}

/* A run says where transfers last as on an idle path, and packets' do not. */
static void busy_lines_are_said(void **state)
{
    static const char *const per_s[] = {"20/s", "40/s"}; /* 0.33 and 0.66 of a line of 50 Mb/s */
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 5s\ntopology: {generate: {model: dumbbell, left: 1, bottleneck_rate: "
                 "50Mbps}}\n"
                 "traffic: [{name: f, tcp: {size: 100kB, arrivals: {poisson: %s}}, from: l0, to: r0, "
                 "fidelity: fluid}]\n"
                 "fluid: {device: cpu}\noutput: {warmup: 2s}\n",
                 per_s[i]);
        json_t *summary = summary_of(text, NULL, 0, NULL);
        const json_t *said = json_object_get(json_object_get(summary, "fluid"), "warnings");
        assert_int_equal(json_array_size(said), i);
        if (i) {
            assert_string_equal(json_string_value(json_object_get(json_array_get(said, 0), "bound")), "busy");
            assert_string_equal(json_string_value(json_object_get(json_array_get(said, 0), "port")),
                                "left->right");
        }
        json_decref(summary);
    }
}

/* A packet of UDP of 28 bytes is all header. */
static void headers_are_no_payload(void **state)
{
    (void)state;
    json_t *summary = summary_of(
        "weir: 1\nduration: 2s\ntopology: {generate: {model: dumbbell, left: 1}}\n"
        "traffic: [{name: u, udp: {rate: 1Mbps, packet: 28B}, from: l0, to: r0, fidelity: fluid}]\n"
        "fluid: {device: cpu}\n",
        NULL, 0, NULL);
    assert_true(class_number(summary, 0, NULL, "goodput_bps") == 0.0);
    assert_true(class_number(summary, 0, NULL, "loss") == 0.0);
    json_decref(summary);
}

/* Bytes come with 1.2 times the rate of the line: after 60 s 0.2 of all are left. */
static void too_many_stay(void **state)
{
    (void)state;
    const double per_s = 1.2 * 50e6 / 8.0 / 1.03e5;
    const measures m = run("{exponential: 100kB}", per_s, "fluid");
    /* The mean over 10 to 60 s of what grows evenly, in transfers, and what is in progress in any case. */
    assert_true(fabs(m.in_progress / (0.2 / 1.2 * per_s * 35.0) - 1.0) < 0.15);
}

/* Two pairs of one class, one far and one near, have windows of their own: in progress is what it is of two classes, however seldom
 * transfers come. */
static void pairs_are_as_classes_of_their_own(void **state)
{
    static const char *const classes[] = {
        "  - {name: f, tcp: {size: 1MB, arrivals: {poisson: %g/s}}, pairs: [[h0, h1], [h1, h4]], fidelity: "
        "fluid}\n",
        "  - {name: f, tcp: {size: 1MB, arrivals: {poisson: %g/s}}, pairs: [[h0, h1]], fidelity: fluid}\n"
        "  - {name: g, tcp: {size: 1MB, arrivals: {poisson: %g/s}}, pairs: [[h1, h4]], fidelity: fluid}\n"};
    (void)state;
    for (double per_s = 0.1; per_s < 5.0; per_s *= 6.0) { /* of a pair */
        double in_progress[2] = {0.0, 0.0};
        for (int split = 0; split < 2; split++) {
            char text[1200], traffic[600];
            snprintf(traffic, sizeof traffic, classes[split], split ? per_s : 2.0 * per_s, per_s);
            snprintf(
                text, sizeof text,
                "weir: 1\nduration: 40s\ntopology: {generate: {model: line, routers: 5, rate: 1Gbps, delay: "
                "20ms}}\ntraffic:\n%sfluid: {device: cpu}\n",
                traffic);
            json_t *summary = summary_of(text, NULL, 0, NULL);
            for (int i = 0; i <= split; i++)
                in_progress[split] += json_number_value(json_object_get(
                    json_array_get(json_object_get(summary, "classes"), (size_t)i), "in_progress_mean"));
            json_decref(summary);
        }
        if (!(in_progress[0] > 0.0 && fabs(in_progress[0] / in_progress[1] - 1.0) < 1e-6))
            fail_msg("%g/s a pair: %g in progress of one class, %g of two", per_s, in_progress[0],
                     in_progress[1]);
    }
}

static void other_transfers_are_refused(void **state)
{
    static const char *const tcp[] = {"{size: 1MB}", "{size: 1MB, request: {size: 100B}}"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[600];
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1s\ntopology: {generate: {model: line}}\n"
                 "traffic:\n  - {name: f, tcp: %s, from: h0, to: h1, fidelity: fluid}\n",
                 tcp[i]);
        assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
        assert_non_null(strstr(weir_diag_get(diag, 0)->text, "transfers of a size"));
        assert_int_equal(weir_diag_get(diag, 0)->line, 5);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_carry_what_packets_carry),
        cmocka_unit_test(short_ones_are_short),
        cmocka_unit_test(seldom_ones_are_few),
        cmocka_unit_test(busy_lines_are_said),
        cmocka_unit_test(headers_are_no_payload),
        cmocka_unit_test(too_many_stay),
        cmocka_unit_test(pairs_are_as_classes_of_their_own),
        cmocka_unit_test(other_transfers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
