/*
 * The mean and the most of a queue in ports.csv where it does not stand still: one packet flow offers a line twice its rate, so that
 * the queue grows by a steady rate, and its mean over [w, T] is that rate times (w + T) / 2, within a packet and a half. Each
 * discipline with room enough, without a warm-up, with one, and with one after which nothing comes any more and the queue
 * empties: the mean is then that of a triangle, and its most what stood at the warm-up's end. A limit is the most that the mean can
 * be, however short the run.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"

static void expect(const weir_run_result *result, const char *what, const char *column, double want,
                   double by)
{
    const double got = csv_cell(result->output_dir, "ports.csv", "port", "left->right", column);
    if (!(fabs(got - want) <= by))
        fail_msg("%s: %s %.12g, want %.12g", what, column, got, want);
}

static const char *const disciplines[] = {
    "queue: {limit: 10MB}",
    "queue: {limit: 10MB}\n  overhead: ethernet",
    "queue: {limit_packets: 10000}",
    "queue: {type: threshold, mark: 1MB, limit: 10MB}",
    "queue: {type: pie, target: 1min, limit: 10MB}",
    "queue: {type: codel, target: 1min, interval: 1min, limit: 10MB}",
    "queue: {type: dualpi2, target: 1min, limit: 10MB}",
    "queue: {type: priority, limit: 10MB}",
    "queue: {type: drr, limit: 10MB}",
    "queue: {type: shaper, rate: 100Mbps, limit: 10MB}",
    "queue: {limit: 10MB}\n  shared_buffer: {size: 100MB, alpha: 8}",
    "shared_buffer: {size: 100MB, alpha: 8, pfc: {}}",
};

/* A line that follows a trace: 1 and 3 Mb/s in turn. */
static const char *const traced =
    "links: [{link: left->right, trace: {file: alternating.txt}}]\n  queue: {limit: 10MB}";

static const char text[] =
    "weir: 1\nduration: 5s\ntopology:\n"
    "  generate: {model: dumbbell, bottleneck_rate: %s, bottleneck_delay: 1ms, access_rate: 10Gbps, "
    "access_delay: 1us}\n"
    "  %s\ntraffic:\n  - {name: a, from: l0, to: r0, udp: {rate: %s, packet: 1000B}, stop: %s}\n";

static void the_mean_is_over_time(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    static const char *const warm[] = {"output.warmup=0s", "output.warmup=4s", "output.warmup=4999ms"};
    static const double warm_s[] = {0.0, 4.0, 4.999};
    for (size_t i = 0; i < sizeof disciplines / sizeof *disciplines; i++)
        for (size_t k = 0; k < 3; k++) {
            char full[800], what[200];
            const bool overhead = strstr(disciplines[i], "ethernet") != NULL;
            snprintf(what, sizeof what, "%s, %s", disciplines[i], warm[k]);
            snprintf(full, sizeof full, text, "1Mbps", disciplines[i], "2Mbps", "5s");
            weir_run_result result = run_into(diag, full, "grows", &warm[k], 1);
            const double growth = 250e3 - 125e3 / (overhead ? 1.038 : 1.0);
            expect(&result, what, "queue_mean_bytes", growth * (warm_s[k] + 5.0) / 2.0, 1500.0);
            expect(&result, what, "queue_max_bytes", growth * 5.0, overhead ? 25e3 : 1500.0);
            weir_run_result_free(&result);
            /* 250 kB at 1 s, when nothing comes any more; a quarter of it at 2.5 s; empty at 3 s */
            if (overhead)
                continue;
            snprintf(full, sizeof full, text, "1Mbps", disciplines[i], "3Mbps", "1s");
            result = run_into(diag, full, "shrinks", (const char *const[]){"output.warmup=2500ms"}, 1);
            expect(&result, what, "queue_mean_bytes", 62.5e3 / 2.0 * 0.5 / 2.5, 300.0);
            expect(&result, what, "queue_max_bytes", 62.5e3, 1500.0);
            weir_run_result_free(&result);
        }
    weir_diag_free(diag);
}

/* In seconds that are even the line sends 1 Mb/s, in the others 3; 2 Mb/s come. */
static void of_a_line_that_follows_a_trace(void **state)
{
    (void)state;
    char full[800];
    weir_diag *diag = weir_diag_new();
    FILE *f = fopen(scratch_path("alternating.txt"), "w");
    assert_non_null(f);
    fputs("0s 1Mbps\n1s 3Mbps\n2s 1Mbps\n", f);
    assert_int_equal(fclose(f), 0);
    snprintf(full, sizeof full, text, "1Mbps", traced, "2Mbps", "5s");
    char path[600];
    snprintf(path, sizeof path, "topology.links.0.trace.file=%s", scratch_path("alternating.txt"));
    static const struct {
        const char *duration;
        double mean;
    } until[] = {{"duration=500ms", 125e3 / 4.0},
                 {"duration=1s", 62.5e3}, /* 125 kB stand there then, none at 2 s */
                 {"duration=1500ms", (62.5e3 + 93.75e3 / 2.0) / 1.5}};
    for (size_t i = 0; i < 3; i++) {
        const char *const sets[] = {path, until[i].duration};
        weir_run_result result = run_into(diag, full, "traced", sets, 2);
        expect(&result, until[i].duration, "queue_mean_bytes", until[i].mean, 1500.0);
        weir_run_result_free(&result);
    }
    weir_diag_free(diag);
}

static void no_mean_is_above_the_limit(void **state)
{
    (void)state;
    char full[800];
    weir_diag *diag = weir_diag_new();
    snprintf(full, sizeof full, text, "1Mbps", "queue: {limit: 20kB}", "8Mbps", "5s");
    static const char *const durations[] = {"duration=40ms", "duration=200ms", "duration=5s"};
    for (size_t i = 0; i < 3; i++) {
        weir_run_result result = run_into(diag, full, "full", &durations[i], 1);
        const double mean =
            csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_mean_bytes");
        const double most =
            csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_max_bytes");
        if (!(mean <= most && most <= 20000.0 && mean > 14000.0))
            fail_msg("%s: mean %g, most %g", durations[i], mean, most);
        weir_run_result_free(&result);
    }
    weir_diag_free(diag);
}

/* Small packets on fast lines stand for a nanosecond or two: even ones for their own time alone, of which half counts, and Poisson's
 * for what M/D/1 has besides. */
static void of_short_stands(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    static const double rates[] = {10e9, 100e9, 400e9};
    static const char *const patterns[] = {"cbr", "poisson"};
    enum { PACKETS = 100000, BYTES = 64 };
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            char full[800], what[100];
            const double load = 0.6, send_s = BYTES * 8 / rates[i];
            const double wait_s = k ? load * send_s / 2.0 / (1.0 - load) : 0.0;
            snprintf(what, sizeof what, "%g bit/s, %s", rates[i], patterns[k]);
            snprintf(
                full, sizeof full,
                "weir: 1\nduration: %.0fps\ntopology: {generate: {model: dumbbell, bottleneck_rate: "
                "%.0fbps, bottleneck_delay: 1ns, access_rate: 100Tbps, access_delay: 1ns}}\n"
                "traffic: [{name: a, from: l0, to: r0, udp: {rate: %.0fbps, packet: %dB, pattern: %s}}]\n",
                PACKETS * send_s * 1e12, rates[i], load * rates[i], BYTES, patterns[k]);
            weir_run_result result = run_into(diag, full, "short", NULL, 0);
            const double queue = (wait_s + send_s / 2.0) / send_s * load * BYTES;
            expect(&result, what, "queue_mean_bytes", queue, (k ? 0.05 : 0.005) * queue);
            expect(&result, what, "wait_mean_s", wait_s, 0.07 * wait_s);
            weir_run_result_free(&result);
        }
    weir_diag_free(diag);
}

/* Packets of 65,535 bytes come to a line of 25 kb/s in 0.5 ms each, and wait 20.9712 s for each before them: n of them 20.9712 n (n - 1) / 2 s
 * in all. 500 wait 2.6e6 s, and stand for 1.7e11 byte seconds, which is counted; 10,000 stand for 6.9e13, above 1.9e13; 44,000 wait
 * 2.03e10 s, above 1.84e10. What is not counted is empty and said. */
static void what_is_too_much_is_empty(void **state)
{
    static const int packets[] = {500, 10000, 44000};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char full[800];
        weir_diag *diag = weir_diag_new();
        snprintf(
            full, sizeof full,
            "weir: 1\nduration: 23s\ntopology:\n  generate: {model: dumbbell, left: 1, bottleneck_rate: "
            "25kbps, "
            "access_rate: 10Gbps}\n  queue: {limit: 3GB}\ntraffic:\n  - {name: a, from: l0, to: r0, udp: "
            "{rate: 1048.56Mbps, packet: 65535B}, stop: %gms}\n",
            0.5 * packets[i] - 0.1);
        weir_run_result result = run_into(diag, full, "much", NULL, 0);
        const double wait = csv_cell(result.output_dir, "ports.csv", "port", "left->right", "wait_mean_s"),
                     mean =
                         csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_mean_bytes"),
                     want_s = 20.9712 * (packets[i] - 1) / 2.0;
        if (i < 2 ? !(fabs(wait - want_s) < 30.0) : !isnan(wait))
            fail_msg("%d packets: %.9g s, want %.9g", packets[i], wait, want_s);
        assert_true(isnan(mean) == (i > 0));
        assert_int_equal(weir_diag_count(diag), i > 0);
        if (i > 0)
            assert_non_null(strstr(weir_diag_get(diag, 0)->text, "left->right"));
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_over_time),      cmocka_unit_test(of_a_line_that_follows_a_trace),
        cmocka_unit_test(no_mean_is_above_the_limit), cmocka_unit_test(of_short_stands),
        cmocka_unit_test(what_is_too_much_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
