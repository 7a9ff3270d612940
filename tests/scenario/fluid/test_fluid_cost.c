/*
 * What `weir check` tells of fluid's cost: steps are those of the run, and 30 hosts over a line of 1 Mb/s are
 * cheaper as packets, over one of 10 Gb/s as fluid, by a large factor each.
 */
#include <math.h>

#include "diag.h"
#include "weir/run.h"

static weir_estimate estimate_text(const char *text)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_estimate e;
    expect_ok(diag, weir_scenario_parse(diag, "cost.yaml", text, strlen(text), ".", NULL, 0, &scenario));
    expect_ok(diag, weir_estimate_scenario(diag, scenario, &e));
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return e;
}

static void dumbbell(char *text, size_t size, const char *rate, const char *aggregate)
{
    char pairs[1024] = "";
    for (int i = 0; i < 30; i++)
        snprintf(pairs + strlen(pairs), sizeof pairs - strlen(pairs), "%s[l%d, r%d]", i ? ", " : "", i, i);
    snprintf(
        text, size,
        "weir: 1\nduration: 10s\ntopology:\n  generate: {model: dumbbell, left: 30, bottleneck_rate: %s, "
        "bottleneck_delay: 10ms, access_rate: 10Gbps, access_delay: 5ms}\n  queue: {limit: 100kB}\ntraffic:\n"
        "  - {name: c, tcp: {window: 16MiB}, pairs: [%s], fidelity: fluid}\nfluid: {device: cpu, aggregate: "
        "%s}\n",
        rate, pairs, aggregate);
}

static weir_estimate estimate(const char *rate, const char *aggregate)
{
    char text[4096];
    dumbbell(text, sizeof text, rate, aggregate);
    return estimate_text(text);
}

static void check_compares_fluid_and_packets(void **state)
{
    (void)state;
    const weir_estimate slow = estimate("1Mbps", "false"), fast = estimate("10Gbps", "false");
    const weir_estimate one = estimate("10Gbps", "true");
    /* A block of 16 steps is the smallest delay, 5 ms; or the way back, 20 ms, as a round trip of 40 ms waits 400 ms in the
     * queue, and then steps are the longest, 1 ms. */
    assert_true(fabs(fast.fluid_steps - 32000.0) < 1.0);
    assert_true(slow.fluid_steps == 10000.0);
    assert_true(slow.fluid_s > 5.0 * slow.fluid_as_packets_s);
    assert_true(fast.fluid_as_packets_s > 5.0 * fast.fluid_s);
    assert_true(one.fluid_s * 10.0 < fast.fluid_s);
    assert_true(one.fluid_as_packets_s == fast.fluid_as_packets_s);
    /* Three hops of 1500 bytes at 10 Gb/s for 10 s, and an ACK for every other. */
    const double hops = 1.5 * 3 * 10e9 * 10 / (8 * 1500.0);
    assert_true(fast.fluid_as_packet_hops > 0.9 * hops && fast.fluid_as_packet_hops < 1.1 * hops);
}

/* A session that a first link of 10 Mb/s gives 1 Mb/s leaves the rest of a second, of 100 Mb/s, to the one beside it: 99 Mb/s,
 * where equal shares of each link would be 50. */
static void shares_are_max_min(void **state)
{
    (void)state;
    const weir_estimate e = estimate_text(
        "weir: 1\nduration: 10s\n"
        "topology: {generate: {model: line, routers: 3, rate: 10Mbps, delay: 5ms}, queue: {limit: 100kB}, "
        "links: [{link: r1--r2, rate: 100Mbps}]}\ntraffic:\n"
        "  - {name: long, tcp: {window: 16MiB}, pairs: [[r0, r2]], fidelity: fluid}\n"
        "  - {name: short, tcp: {window: 16MiB, sessions: 9}, pairs: [[r0, r1]], fidelity: fluid}\n"
        "  - {name: beside, tcp: {window: 16MiB}, pairs: [[r1, r2]], fidelity: fluid}\n"
        "fluid: {device: cpu}\n");
    const double hops = 1.5 * (2 * 1e6 + 9e6 + 99e6) * 10 / (8 * 1500.0);
    assert_true(e.fluid_as_packet_hops > 0.98 * hops && e.fluid_as_packet_hops < 1.02 * hops);
}

/* What costs more as fluid is warned of, at the class: where it is seconds. */
static void runs_say_that_packets_are_cheaper(void **state)
{
    (void)state;
    char text[4096];
    dumbbell(text, sizeof text, "1Mbps", "false");
    const char *const longest = "duration=2000s";
    for (int longer = 0; longer < 2; longer++) {
        weir_scenario *scenario = NULL;
        weir_estimate e;
        weir_diag *diag = weir_diag_new();
        expect_ok(diag, weir_scenario_parse(diag, "cost.yaml", text, strlen(text), ".", &longest, longer != 0,
                                            &scenario));
        expect_ok(diag, weir_estimate_scenario(diag, scenario, &e));
        bool said = false;
        for (size_t i = 0; i < weir_diag_count(diag); i++)
            said |= strstr(weir_diag_get(diag, i)->text, "as packets about") != NULL;
        assert_true(said == (longer != 0));
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_compares_fluid_and_packets),
                                       cmocka_unit_test(shares_are_max_min),
                                       cmocka_unit_test(runs_say_that_packets_are_cheaper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
