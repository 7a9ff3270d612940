/*
 * Steady states skipped: completion times are those of the full run within the error, for a fraction of its events; what is counted is
 * counted everywhere (every run checks conservation); samples see what has been sent by their time; a checkpoint in the middle of a skip
 * goes on as if it had not been; what cannot stand still is refused by name, or changes nothing. Engines: test_differential_steady.
 */
#include <math.h>

#include "diag.h"
#include "output/scratch.h"
#include "scenario/random_steady.h"
#include "scenario/run_text.h"
#include "weir/session.h"

enum { TEXT = 8192 };

#define LEAF                                                                                                \
    "weir: 1\nduration: 150ms\ntopology:\n  generate: {model: leaf-spine, leaves: 2, spines: 2, hosts: 4, " \
    "access_rate: 10Gbps, access_delay: 1us, rate: 40Gbps, delay: 1us}\n"                                   \
    "  queue: {type: threshold, mark: 100kB, limit: 2MB}\n"

typedef struct outcome {
    uint64_t events, event_digest, state_digest;
    double mean, most_s, goodput, skips, time_s, packets, iterations;
} outcome;

static double number(const char *json, const char *key)
{
    const char *at = json ? strstr(json, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}

static outcome run(const char *text, bool skip)
{
    char all[TEXT];
    weir_run_result r;
    weir_diag *diag = weir_diag_new();
    snprintf(all, sizeof all, "%s%s", text, skip ? "steady: {skip: true}\n" : "");
    expect_ok(diag, run_text(diag, all, WEIR_TEST_DATA, NULL, 0, &r));
    const char *slowdown = r.summary_json ? strstr(r.summary_json, "\"slowdown\"") : NULL;
    const char *steady = r.summary_json ? strstr(r.summary_json, "\"steady\"") : NULL;
    const outcome out = {r.events,
                         r.event_digest,
                         r.state_digest,
                         number(slowdown, "\"mean\": "),
                         number(slowdown, "\"makespan_s\": "),
                         number(r.summary_json, "\"goodput_bps\": "),
                         number(steady, "\"skips\": "),
                         number(steady, "\"time_s\": "),
                         number(steady, "\"packets\": "),
                         number(steady, "\"iterations\": ")};
    weir_run_result_free(&r);
    weir_diag_free(diag);
    return out;
}

static void expect_near(const char *what, double got, double want, double error)
{
    if (!(fabs(got - want) <= error * want))
        fail_msg("%s: %.9g, want %.9g within %.2g", what, got, want, error);
}

/* The mean slowdown within the error, the time until all are complete too, and fewer events by `times`. */
static void judged(const char *traffic, double times)
{
    char text[TEXT];
    snprintf(text, sizeof text, LEAF "traffic:\n%s", traffic);
    const outcome full = run(text, false), skip = run(text, true);
    expect_near(traffic, skip.mean, full.mean, 0.01);
    expect_near(traffic, skip.most_s, full.most_s, 0.01);
    if (!(times * (double)skip.events <= (double)full.events))
        fail_msg("%s: %llu events of %llu, want %g times less", traffic, (unsigned long long)skip.events,
                 (unsigned long long)full.events, times);
    assert_true(skip.skips > 0.0 && skip.packets > 0.0);
}

static void one_flow(void **state)
{
    (void)state;
    judged("  - {name: a, pairs: [[h0, h7]], tcp: {congestion: dctcp, size: 40MB, window: 256kB}}\n", 5.0);
    judged("  - {name: a, pairs: [[h0, h7]], tcp: {congestion: hpcc, size: 40MB, window: 256kB}}\n", 3.0);
    judged("  - {name: a, pairs: [[h0, h7]], tcp: {congestion: dcqcn, size: 40MB, window: 256kB}}\n", 5.0);
}

static void flows_that_share(void **state)
{
    (void)state;
    judged("  - {name: a, pairs: [[h0, h7], [h0, h6], [h1, h5]], tcp: {congestion: newreno, size: 20MB, "
           "sessions: 2, window: 128kB}}\n",
           2.0);
}

static void a_ring(void **state)
{
    (void)state;
    judged("  - {name: a, collective: {kind: ring-all-reduce, hosts: [h0, h1, h2, h3, h4, h5, h6, h7]}, "
           "tcp: {size: 90MB, congestion: dctcp, window: 256kB}}\n",
           2.0);
}

/* What a window alone holds back comes in bursts, one a round trip, and counts the same in halves of any rate. */
static void bursts_are_not_rates(void **state)
{
    static const char *const windows[] = {"15kB", "30kB", "64kB", "256kB"}, *const delays[] = {"500us",
                                                                                               "100us"};
    int skips = 0;
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 3s\ntopology: {generate: {model: star, hosts: 2, access_rate: 10Gbps, "
                 "access_delay: %s}}\ntraffic: [{name: a, pairs: [[h0, h1]], tcp: {congestion: newreno, "
                 "window: %s}}]\noutput: {warmup: 100ms}\n",
                 delays[i / 4], windows[i % 4]);
        const outcome full = run(text, false), skip = run(text, true);
        expect_near(windows[i % 4], skip.goodput, full.goodput, 0.006);
        skips += skip.skips > 0.0;
    }
    assert_true(skips >= 6);
}

/* A line that is full all the time carries its rate, though a span counts a packet more. */
static void lines_carry_no_more(void **state)
{
    static const char *const controls[] = {"dctcp", "vegas", "ledbat"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 2s\ntopology: {generate: {model: star, hosts: 2, access_rate: 100Mbps, "
                 "access_delay: 100us}}\ntraffic: [{name: a, pairs: [[h0, h1]], tcp: {congestion: %s, "
                 "window: 64kB, delayed_ack: 1}}]\n",
                 controls[i]);
        const outcome skip = run(text, true);
        assert_true(skip.skips > 0.0);
        assert_true(skip.goodput > 97.0e6 && skip.goodput <= 100e6 * 1460.0 / 1500.0);
    }
}

/* 11 Mb/s into 10 Mb/s: a queue of 1 MB fills in 8 s, and rates are constant until then. Nothing is skipped, and a rate that the
 * line carries is. */
static void queues_that_fill_are_not_still(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 12s\ntopology: {generate: {model: dumbbell, left: 1, bottleneck_rate: "
                 "10Mbps}, queue: {limit: 1MB}}\ntraffic: [{name: a, pairs: [[l0, r0]], udp: {rate: "
                 "%s}}]\n",
                 over ? "11Mbps" : "9Mbps");
        const outcome full = run(text, false), skip = run(text, true);
        assert_true(over ? skip.state_digest == full.state_digest : skip.skips > 0.0);
    }
}

/* 2 MB in 24 ms are 1,369 segments and 28,500 ACKs a second, 6.2e9 in 60 h: more than are counted, 2^32. Their mean is the round trip. */
static void round_trips_without_end(void **state)
{
    char text[TEXT];
    weir_run_result r;
    weir_diag *diag = weir_diag_new();
    (void)state;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 60h\nsteady: {skip: true}\ntopology: {generate: {model: dumbbell, left: 1, "
             "bottleneck_rate: 10Gbps, access_rate: 100Gbps, bottleneck_delay: 10ms}}\n"
             "traffic: [{name: a, pairs: [[l0, r0]], tcp: {window: 2MB}}]\n");
    expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &r));
    const double rtt_s = number(r.summary_json, "\"rtt_mean_s\": ");
    if (!(rtt_s > 0.024 && rtt_s < 0.0245))
        fail_msg("mean %.9g s", rtt_s);
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

/* Of 40 random networks, most have skips. (One differential test more judges them.) */
static void random_ones_skip(void **state)
{
    int n = 0, iterate = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        char text[TEXT];
        random_steady(seed, text, sizeof text);
        const outcome o = run(text, false);
        n += o.skips > 0.0;
        iterate += o.iterations > 0.0;
    }
    print_message("  %d of 40 random networks had skips, %d of iterations\n", n, iterate);
    assert_true(n >= 10 && iterate >= 3);
}

/* An incast whose windows never stand still is what it is without. */
static void what_moves_is_as_it_was(void **state)
{
    (void)state;
    const char *text = LEAF "traffic:\n  - {name: a, pairs: [[h0, h7], [h1, h7], [h2, h7], [h3, h7]], tcp: "
                            "{congestion: dctcp, size: 1MB}}\n";
    const outcome full = run(text, false), skip = run(text, true);
    assert_true(skip.skips == 0.0);
    assert_true(skip.event_digest == full.event_digest && skip.state_digest == full.state_digest);
}

/* Two constant rates from 1 ms on stand still for all of the run: what a reader sees at any time has been sent by then. */
static const char *const constant = LEAF "traffic:\n  - {name: a, pairs: [[h0, h7], [h1, h6]], start: 1ms, "
                                         "udp: {rate: 1Gbps}}\noutput: {interval: 3ms}\n"
                                         "steady: {skip: true}\n";

static weir_session *open_session(weir_diag *diag, const char *text, weir_scenario **scenario,
                                  const char *saved)
{
    weir_session *s = NULL;
    weir_run_options options;
    weir_run_options_init(&options);
    options.no_output = true;
    expect_ok(diag,
              weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, scenario));
    expect_ok(diag, saved ? weir_session_restore(diag, *scenario, &options, saved, &s)
                          : weir_session_open(diag, *scenario, &options, &s));
    return s;
}

static void samples_see_what_is_sent(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario;
    weir_session *s = open_session(diag, constant, &scenario, NULL);
    for (int ms = 12; ms < 90; ms += 9) {
        double bytes = 0.0;
        expect_ok(diag, weir_session_advance(s, ms * WEIR_PS_PER_MS));
        expect_ok(diag, weir_session_metric(s, "classes.a.goodput_bps", &bytes));
        /* Payload is 972 of 1000 bytes, and the class begins at 1 ms of what is averaged over; parts end at samples. */
        expect_near("goodput", bytes, 2e9 * 972.0 / 1000.0 * (double)(ms - 1) / (double)ms, 0.005);
    }
    weir_session_close(s);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

/* Three parts, of which one stands still all the time, one now and then, and one never. */
static const char *const apart =
    "weir: 1\nduration: 150ms\ntopology:\n  generate: {model: leaf-spine, leaves: 6, spines: 1, hosts: 1, "
    "access_rate: 1Gbps, access_delay: 1us, rate: 1Gbps, delay: 1us}\ntraffic:\n"
    "  - {name: a, pairs: [[h0, h1]], udp: {rate: 300Mbps}}\n"
    "  - {name: b, pairs: [[h2, h3]], tcp: {congestion: newreno, window: 64kB, size: 2MB, request: {think: "
    "1ms}}}\n"
    "  - {name: c, from: h4, to: h5, tcp: {size: 30kB, arrivals: {load: 30%}}}\n"
    "output: {interval: 3ms}\nsteady: {skip: true}\n";

static void saved_and_restored(const char *text)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario;
    char path[600];
    weir_run_result whole, rest;
    snprintf(path, sizeof path, "%s/saved", scratch_folder);
    weir_session *s = open_session(diag, text, &scenario, NULL);
    expect_ok(diag, weir_session_advance(s, 50 * WEIR_PS_PER_MS + 77));
    expect_ok(diag, weir_session_save(s, path));
    expect_ok(diag, weir_session_advance(s, 150 * WEIR_PS_PER_MS));
    expect_ok(diag, weir_session_finish(s, &whole));
    weir_session_close(s);
    weir_scenario_free(scenario);
    s = open_session(diag, text, &scenario, path);
    expect_ok(diag, weir_session_advance(s, 150 * WEIR_PS_PER_MS));
    expect_ok(diag, weir_session_finish(s, &rest));
    assert_true(whole.event_digest == rest.event_digest && whole.state_digest == rest.state_digest);
    assert_true(number(strstr(whole.summary_json, "\"steady\""), "\"skips\": ") > 0.0);
    static const char *const alike[] = {"\"time_s\": ", "\"iterations\": "};
    for (size_t i = 0; i < 2; i++)
        assert_true(number(strstr(whole.summary_json, "\"steady\""), alike[i]) ==
                    number(strstr(rest.summary_json, "\"steady\""), alike[i]));
    const double completed = number(whole.summary_json, "\"completed\": ");
    assert_true(isnan(completed) || completed == number(rest.summary_json, "\"completed\": "));
    weir_run_result_free(&whole);
    weir_run_result_free(&rest);
    weir_session_close(s);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

/* Iterations of a job: what the last one recorded is repeated after the checkpoint. */
static const char *const iterating = LEAF "traffic:\n  - {name: a, job: {program: [{do: allgather, message: "
                                          "1MB}, {do: compute, time: 1ms}], ranks: 3, "
                                          "iterations: 100, chunk: 60kB}, tcp: {congestion: dctcp}}\noutput: "
                                          "{interval: 3ms}\nsteady: {skip: true}\n";

/* Two parts that stand still at once, each of which has its events aside. */
static const char *const two =
    "weir: 1\nduration: 150ms\ntopology:\n  generate: {model: leaf-spine, leaves: 4, spines: 1, hosts: 1, "
    "access_rate: 1Gbps, access_delay: 1us, rate: 1Gbps, delay: 1us}\ntraffic:\n"
    "  - {name: a, pairs: [[h0, h1]], udp: {rate: 300Mbps}}\n  - {name: b, pairs: [[h2, h3]], udp: {rate: "
    "200Mbps}}\noutput: {interval: 3ms}\nsteady: {skip: true}\n";

static void saved_in_a_skip(void **state)
{
    (void)state;
    saved_and_restored(iterating);
    saved_and_restored(constant);
    saved_and_restored(apart);
    saved_and_restored(two);
}

static void what_cannot_is_refused(void **state)
{
    static const char *const texts[][2] = {
        {"topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 9Mbps, bottleneck_delay: 2ms}, "
         "loss: 1%}\n"
         "traffic: [{name: a, pairs: [[l0, r0]], tcp: {}}]\n",
         "lost at random"},
        {"topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 9Mbps, bottleneck_delay: 2ms}, "
         "links: [{link: \"*\", jitter: {mean: 1ms}}]}\n"
         "traffic: [{name: a, pairs: [[l0, r0]], tcp: {}}]\n",
         "varies at random"},
        {"topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 9Mbps, bottleneck_delay: 2ms}}\n"
         "traffic: [{name: a, pairs: [[l0, r0]], tcp: {congestion: bbr}}]\n",
         "a clock of its own"},
        {"topology: {generate: {model: fat-tree, k: 4}}\nrouting: {ecmp: true, spray: true}\n"
         "traffic: [{name: a, pairs: permutation, tcp: {}}]\n",
         "no one way"},
        {"topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 9Mbps, bottleneck_delay: 2ms}}\n"
         "traffic: [{name: a, pairs: [[l0, r0]], tcp: {congestion: newreno}, fidelity: fluid}]\n",
         "fluid moves all the time"},
        {"topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 9Mbps, bottleneck_delay: 2ms}}\n"
         "traffic: [{name: a, pairs: [[l0, r0]], tcp: {}}]\noutput: {packets: [a]}\n",
         "leave no trace"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[TEXT];
        weir_scenario *scenario = NULL;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text, "weir: 1\nduration: 1s\n%ssteady: {skip: true}\n", texts[i][0]);
        const weir_status status =
            weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &scenario);
        assert_int_not_equal(status, WEIR_OK);
        expect_message(diag, texts[i][1]);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_flow),
                                       cmocka_unit_test(flows_that_share),
                                       cmocka_unit_test(a_ring),
                                       cmocka_unit_test(bursts_are_not_rates),
                                       cmocka_unit_test(lines_carry_no_more),
                                       cmocka_unit_test(queues_that_fill_are_not_still),
                                       cmocka_unit_test(round_trips_without_end),
                                       cmocka_unit_test(random_ones_skip),
                                       cmocka_unit_test(what_moves_is_as_it_was),
                                       cmocka_unit_test(samples_see_what_is_sent),
                                       cmocka_unit_test(saved_in_a_skip),
                                       cmocka_unit_test(what_cannot_is_refused)};
    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
