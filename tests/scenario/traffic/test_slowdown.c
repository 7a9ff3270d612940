/*
 * Slowdown by size, the time that flows together take, and how evenly paths are used.
 *
 * Quantiles of the histogram against sorted values, and all rows by slowdown_by_size.py against flows.csv, to its stated
 * 0.4 %, completed flows with unfinished and rejected ones beside them; a flow alone on its way, with
 * a window that holds all of it, takes the ideal time to the picosecond's rounding, in every bucket of sizes; makespans
 * against arithmetic; the imbalance of two paths where one flow can use only one: 2 exactly.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "output/scratch.h"
#include "scenario/run_summary.h"
#include "scenario/results/results.h"

static void quantiles_are_those_of_sorted_values(void **state)
{
    (void)state;
    enum { N = 20011 };
    static double all[N];
    wi_slowdowns *s = calloc(1, sizeof *s);
    wi_slowdown_bucket *b = malloc(sizeof *b);
    assert_non_null(s);
    assert_non_null(b);
    double sum = 0.0;
    for (int i = 0; i < N; i++) { /* sorted: from 1 to 2^20 */
        all[i] = pow(2.0, 20.0 * i / (N - 1));
        sum += all[i];
        wi_slowdown_add(s, (size_t)i % 7, all[i]);
    }
    wi_slowdown_add(s, 5, (double)NAN);
    wi_slowdown_add(s, 5, (double)INFINITY);
    wi_slowdown_merge(s, b);
    assert_int_equal(b->all.n, N);
    assert_true(fabs(wi_spread_mean(&b->all) / (sum / N) - 1.0) < 1e-12);
    static const double shares[] = {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const int rank = (int)ceil(shares[i] * N);
        const double want = all[rank ? rank - 1 : 0], got = wi_slowdown_quantile(b, shares[i]);
        if (!(fabs(got / want - 1.0) < 0.004))
            fail_msg("share %g: %g, want %g", shares[i], got, want);
    }
    free(b);
    free(s);
}

/* A completion time of ten days and a slowdown of 2^30, as a flow of one packet through losses has it, in their own bins; of one value
 * every quantile is that value; beyond the last bin the largest. */
static void large_values_have_their_bins(void **state)
{
    (void)state;
    wi_completions *c = calloc(1, sizeof *c);
    assert_non_null(c);
    wi_spread_add(&c->all, c->bins, WI_COMPLETION_BINS, 864e12);
    assert_true(wi_spread_quantile(&c->all, c->bins, WI_COMPLETION_BINS, 0.5) == 864e12);
    for (int i = 0; i < 2; i++)
        wi_spread_add(&c->all, c->bins, WI_COMPLETION_BINS, 100e12 * i + 20e12);
    const double p50 = wi_spread_quantile(&c->all, c->bins, WI_COMPLETION_BINS, 0.5); /* of 20, 120 and 864 */
    assert_true(fabs(p50 / 120e12 - 1.0) < 0.004);
    assert_true(wi_spread_quantile(&c->all, c->bins, WI_COMPLETION_BINS, 0.0) >= 20e12);
    free(c);
    wi_slowdown_bucket *b = calloc(1, sizeof *b);
    assert_non_null(b);
    static const double slow[] = {1.0, 0x1p30, 0x1p31, 0x1p60};
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        wi_spread_add(&b->all, b->bins, WI_SLOWDOWN_BINS, slow[i]);
    assert_true(fabs(wi_slowdown_quantile(b, 0.5) / 0x1p30 - 1.0) < 0.004);
    assert_true(wi_slowdown_quantile(b, 1.0) == 0x1p60);
    free(b);
}

static void an_empty_bucket_has_no_figures(void **state)
{
    (void)state;
    wi_slowdown_bucket *b = calloc(1, sizeof *b);
    assert_non_null(b);
    assert_true(isnan(wi_slowdown_quantile(b, 0.5)) && isnan(wi_spread_mean(&b->all)));
    free(b);
}

/* A class a size, each alone: 0.1 s apart. */
static void alone_the_slowdown_is_one(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 1000, 1001, 9999, 65432, 999999, 5000000, 40000000, 150000000};
    char text[4000];
    int at =
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 2s\ntopology: {generate: {model: leaf-spine}}\nrouting: {ecmp: true}\n"
                 "traffic:\n");
    const size_t n = sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < n; i++)
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "- {name: s%zu, from: h0, to: h31, start: %zums, tcp: {size: %lluB, initial_window: 10000, "
            "window: 300MB, handshake: %s}}\n",
            i, 100 * i, (unsigned long long)sizes[i], i % 2 ? "true" : "false");
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    weir_run_options options;
    weir_scenario *scenario = NULL;
    assert_non_null(scratch_make());
    expect_ok(diag,
              weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &scenario));
    weir_run_options_init(&options);
    options.output_dir = scratch_path("alone");
    expect_ok(diag, weir_run(diag, scenario, &options, &result));
    for (size_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%zu", i);
        const double mean = csv_cell(result.output_dir, "slowdown.csv", "class", name, "slowdown_mean");
        const double over = csv_cell(result.output_dir, "slowdown.csv", "class", name, "size_over_bytes");
        const double p99 = csv_cell(result.output_dir, "slowdown.csv", "class", name, "slowdown_p99");
        if (!(fabs(mean - 1.0) < 1e-6) || !(p99 <= mean) || !(p99 > 0.996) || !(over < (double)sizes[i]))
            fail_msg("%llu B: slowdown %.12g, p99 %g, bucket over %g", (unsigned long long)sizes[i], mean,
                     p99, over);
    }
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

/* Rates that rise and fall on the way: a short last segment waits for full ones, or catches up with them, or never
 * does. */
static void alone_over_any_rates_it_is_one(void **state)
{
    (void)state;
    static const unsigned rates[][4] = {{100, 10, 100, 1000}, {1000, 100, 10, 1}, {1, 10, 100, 1000},
                                        {10, 1000, 10, 1000}, {100, 50, 200, 20}, {7, 7, 7, 7}};
    static const unsigned sizes[] = {1, 1459, 1460, 1461, 2920, 3000, 14601, 43799};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            char text[800];
            const unsigned *r = rates[i];
            snprintf(
                text, sizeof text,
                "weir: 1\nduration: 2s\ntopology:\n  generate: {model: line, routers: 3}\n  overhead: %s\n  "
                "links:\n"
                "  - {link: h0--r0, rate: %uMbps}\n  - {link: r0--r1, rate: %uMbps}\n"
                "  - {link: r1--r2, rate: %uMbps}\n  - {link: r2--h2, rate: %uMbps}\n"
                "traffic:\n- {name: a, from: h0, to: h2, tcp: {size: %uB, initial_window: 100, handshake: "
                "%s}}\n",
                k % 3 ? "0B" : "ethernet", r[0], r[1], r[2], r[3], sizes[k], k % 2 ? "true" : "false");
            json_t *summary = summary_of(text, NULL, 0, NULL);
            const double slowdown = class_number(summary, 0, "slowdown", "mean");
            if (!(fabs(slowdown - 1.0) < 1e-9))
                fail_msg("rates %u %u %u %u, %u B: slowdown %.12g", r[0], r[1], r[2], r[3], sizes[k],
                         slowdown);
            json_decref(summary);
        }
}

/* A way back of its own delay and rate, which the handshake's answer takes: with tables, with a flow's own routes, and over paths of
 * equal cost, whose ways there and back are chosen apart. */
static void alone_with_another_way_back_it_is_one(void **state)
{
    (void)state;
    static const char *const routing[] = {"forwarding: table", "forwarding: source", "ecmp: true"};
    static const unsigned sizes[] = {1, 1460, 20000};
    for (size_t i = 0; i < sizeof routing / sizeof *routing; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            char text[800];
            snprintf(
                text, sizeof text,
                "weir: 1\nduration: 2s\ntopology:\n  generate: {model: leaf-spine, leaves: 2, hosts: 2}\n"
                "  links:\n  - {link: 'leaf0->spine*', delay: 7ms}\n"
                "  - {link: spine0->leaf0, rate: 1Mbps, delay: 2ms}\n"
                "  - {link: spine1->leaf0, rate: 9Mbps, delay: 3ms}\nrouting: {%s}\ntraffic:\n"
                "- {name: there, from: h0, to: h2, tcp: {size: %uB, initial_window: 100}}\n"
                "- {name: back, from: h3, to: h1, start: 1s, tcp: {size: %uB, initial_window: 100}}\n"
                "- {name: near, from: h2, to: h3, start: 1500ms, tcp: {size: %uB, initial_window: 100}}\n",
                routing[i], sizes[k], sizes[k], sizes[k]);
            json_t *summary = summary_of(text, NULL, 0, NULL);
            for (size_t c = 0; c < 3; c++) {
                const double slowdown = class_number(summary, c, "slowdown", "mean");
                if (!(fabs(slowdown - 1.0) < 1e-9))
                    fail_msg("%s, %u B, class %zu: slowdown %.12g", routing[i], sizes[k], c, slowdown);
            }
            json_decref(summary);
        }
}

/* A flow that was complete when a link failed had the short way, whatever the routes at the end: `just` too, three times
 * 12 ms from 960 ms on, whose last ACK comes 12 ms later. */
static void routes_are_those_of_then(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 3s\ntopology: {generate: {model: ring, routers: 5, delay: 10ms}}\n"
        "events: [{at: 1s, fail: {link: r0--r1}}]\ntraffic:\n"
        "- {name: early, from: h0, to: h1, tcp: {size: 5000B, initial_window: 100}}\n"
        "- {name: just, from: h0, to: h1, start: 960ms, tcp: {size: 5000B, initial_window: 100}}\n"
        "- {name: late, from: h0, to: h1, start: 2s, tcp: {size: 5000B, initial_window: 100}}\n";
    weir_diag *diag = weir_diag_new();
    assert_non_null(scratch_make());
    weir_run_result result = run_into(diag, text, "failed", NULL, 0);
    static const char *const names[] = {"early", "just", "late"};
    const double end_s = csv_cell(result.output_dir, "flows.csv", "class", "just", "end_s");
    assert_true(end_s > 0.99 && end_s < 1.0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const double slowdown = csv_cell(result.output_dir, "flows.csv", "class", names[i], "slowdown");
        const double mean = csv_cell(result.output_dir, "slowdown.csv", "class", names[i], "slowdown_mean");
        if (!(fabs(slowdown - 1.0) < 1e-9) || !(fabs(mean - 1.0) < 1e-9))
            fail_msg("%s: slowdown %.12g, mean %.12g", names[i], slowdown, mean);
    }
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

/* One packet of 1,000 bytes of payload a flow, starts 1 ms and 3 ms: 2 ms between the starts, and one way of
 * 1 us + 1 us and two transmissions of 1,040 bytes at 1 Gb/s. */
static void makespan_is_from_first_start_to_last_end(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 10ms\n"
        "topology: {generate: {model: star, hosts: 3, access_rate: 1Gbps, access_delay: 1us}}\ntraffic:\n"
        "- {name: a, from: h0, to: h1, start: 1ms, tcp: {size: 1000B, handshake: false}}\n"
        "- {name: b, from: [h0, h1], to: h2, tcp: {size: 1000B, handshake: false}, start: {uniform: [1ms, "
        "1ms]}}\n"
        "- {name: c, from: h0, to: h2, start: 9999us, tcp: {size: 1000B, handshake: false}}\n";
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const double way = 2e-6 + 2 * 8 * 1040e-9;
    assert_true(fabs(class_number(summary, 0, NULL, "makespan_s") - way) < 1e-11);
    /* of b, h0's packet waits for a's at its interface, and the two meet at h2: one waits for the other */
    assert_true(fabs(class_number(summary, 1, NULL, "makespan_s") - (way + 8 * 1040e-9)) < 1e-11);
    const json_t *c = json_array_get(json_object_get(summary, "classes"), 2);
    assert_true(json_is_null(json_object_get(c, "makespan_s"))); /* under way at the end */
    json_decref(summary);
}

/* One flow, so one spine: the most loaded of two equal links has all, twice the mean. Both ways, data and ACKs. */
static void one_flow_uses_one_of_two_paths(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 10ms\n"
        "topology: {generate: {model: leaf-spine, leaves: 2, hosts: 1}}\n"
        "routing: {ecmp: %s}\ntraffic:\n- {name: a, from: h0, to: h1, tcp: {size: 1MB}}\n";
    char full[600];
    snprintf(full, sizeof full, text, "true");
    json_t *summary = summary_of(full, NULL, 0, NULL);
    const json_t *i = json_object_get(summary, "imbalance");
    assert_int_equal(json_integer_value(json_object_get(i, "sets")), 2);
    assert_true(fabs(json_number_value(json_object_get(i, "max")) - 2.0) < 1e-12);
    assert_true(fabs(json_number_value(json_object_get(i, "mean")) - 2.0) < 1e-12);
    json_decref(summary);
    snprintf(full, sizeof full, text, "false");
    summary = summary_of(full, NULL, 0, NULL);
    assert_null(json_object_get(summary, "imbalance"));
    json_decref(summary);
}

/* Arrivals that are turned away, an incast most of which is under way at the end, and a class of which nothing ends. */
static void rows_are_what_the_flows_say(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 40ms\n"
        "topology: {generate: {model: leaf-spine, leaves: 2, spines: 2, hosts: 4, access_rate: 10Gbps}}\n"
        "routing: {ecmp: true}\ntraffic:\n"
        "- {name: mice, from: '*', to: '*', tcp: {arrivals: {load: 90%%}, max_flows: 4, size: {pareto: "
        "{mean: "
        "60kB, shape: 1.2}}}}\n"
        "- {name: incast, from: [h0, h1, h2, h3], to: h7, start: {uniform: [0ms, 60ms]}, tcp: {sessions: 40, "
        "size: {uniform: [100B, 3MB]}}}\n"
        "- {name: never, from: h0, to: h5, start: 20ms, tcp: {size: 1GB}}\n"
        "output: {warmup: 5ms%s}\n";
    static const char *const sizes[] = {"", ", slowdown_sizes: [700B, 30kB, 31kB, 2.5MB]",
                                        ", slowdown_sizes: 1GB"};
    char line[1000], full[1500];
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char folder[20];
        snprintf(full, sizeof full, text, sizes[i]);
        snprintf(folder, sizeof folder, "by-size-%zu", i);
        weir_run_result result = run_into(diag, full, folder, NULL, 0);
        snprintf(line, sizeof line,
                 "/usr/bin/env PATH=/usr/bin:$PATH python3 '%s/tests/scenario/slowdown_by_size.py' '%s' "
                 "0.005 0.04",
                 WEIR_SOURCE_DIR, result.output_dir);
        assert_int_equal(system(line), 0);
        weir_run_result_free(&result);
    }
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_sorted_values),
        cmocka_unit_test(large_values_have_their_bins),
        cmocka_unit_test(an_empty_bucket_has_no_figures),
        cmocka_unit_test(alone_the_slowdown_is_one),
        cmocka_unit_test(alone_over_any_rates_it_is_one),
        cmocka_unit_test(alone_with_another_way_back_it_is_one),
        cmocka_unit_test(routes_are_those_of_then),
        cmocka_unit_test(rows_are_what_the_flows_say),
        cmocka_unit_test(makespan_is_from_first_start_to_last_end),
        cmocka_unit_test(one_flow_uses_one_of_two_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
