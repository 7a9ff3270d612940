/*
 * Gaps that are longer than time is (106 days), or than what is left of it: runs of a hundred days go on, and what comes by chance comes
 * as often as its rate says: over 100 days with a mean gap of 50 days, two times.
 */
#include "diag.h"

#include "scenario/run_summary.h"

#define NETWORK                                                                                              \
    "weir: 1\nduration: 100d\ntopology: {generate: {model: dumbbell, bottleneck_rate: 20Mbps}}\ntraffic:\n " \
    " - {name: b, from: l0, to: r0, "

static const char *const texts[] = {
    NETWORK "tcp: {size: 5kB, arrivals: {poisson: 1e-7/s}}}\n",
    NETWORK "tcp: {size: 5kB, arrivals: {poisson: 1e-12/s}}}\n",
    NETWORK "tcp: {size: 5kB, arrivals: {periodic: 99d}}}\n",
    NETWORK "tcp: {size: 5kB, arrivals: {load: 1e-12}}}\n",
    NETWORK "udp: {rate: 1bps, packet: 9000B, pattern: poisson}}\n",
    NETWORK "udp: {rate: 1bps, packet: 9000B, pattern: onoff, on_time: 10d, off_time: 90d}}\n",
    "weir: 1\nduration: 100d\nmodel: {jackson: {stations: 4, service: 1d}}\n",
    "weir: 1\nduration: 100d\nmodel: {jackson: {stations: 4, load: 1e-9, service: 1s}}\n",
    "weir: 1\nduration: 100d\nmodel: {wireless: {nodes: 3, packets_per_s: 1e-6}}\n",
    "weir: 1\nduration: 100d\nmodel: {phold: {entities: 16, events: 1, lookahead: 10ns, mean: 10d}}\n",
    "weir: 1\nduration: 100d\nmodel: {kademlia: {peers: 20, think: 10d}}\n",
    "weir: 1\nduration: 100d\nmodel: {interconnect: {dragonfly: {p: 1, a: 3, h: 1, groups: 4}, jobs: [{name: "
    "x, ranks: 4, load: 1e-17}]}}\n",
    "weir: 1\nduration: 100d\nmodel: {interconnect: {dragonfly: {p: 1, a: 3, h: 1, groups: 4}, jobs: [{name: "
    "x, ranks: 4, load: 1e-14, "
    "arrivals: periodic}]}}\n",
};

static void runs_go_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int seed = 1; seed <= 3; seed++) {
            char set[20];
            const char *const sets[] = {set};
            snprintf(set, sizeof set, "seed=%d", seed);
            json_decref(summary_of(texts[i], sets, 1, NULL));
        }
}

/* 100 runs: 200, with a standard deviation of 14. */
static void as_often_as_said(void **state)
{
    double flows = 0.0;
    (void)state;
    for (int seed = 1; seed <= 100; seed++) {
        char set[20];
        const char *const sets[] = {set};
        snprintf(set, sizeof set, "seed=%d", seed);
        flows += run_for(NETWORK "tcp: {size: 5kB, arrivals: {poisson: 2.314814814814815e-7/s}}}\n", sets, 1,
                         "arrivals");
    }
    print_message("  %.0f flows of 200\n", flows);
    assert_in_range(flows, 200 - 56, 200 + 56);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_go_on), cmocka_unit_test(as_often_as_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
