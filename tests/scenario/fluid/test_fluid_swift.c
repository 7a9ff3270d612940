/*
 * label: slow statistics
 *
 * Swift as fluid against Swift in packets, over twelve bottlenecks with windows of two segments and more; against what its
 * authors say, that the round trip is held at the target; after a failed link; and what is said where it does not hold.
 */
#include "beside_packets.h"

enum { TEXT = 1400 };

typedef struct cell {
    double rate_bps, round_us, target_us, scaling_us;
    int sessions;
} cell;

/* `base`: propagation, and 10 us of each of four access links. */
static double text_of(char *text, const cell *c, const char *limit)
{
    const double seconds = 4000e-6 * c->round_us > 0.2 ? 4000e-6 * c->round_us : 0.2;
    const int n =
        snprintf(text, TEXT,
                 "weir: 1\nduration: %gs\ntopology: {generate: {model: line, routers: 2, rate: %gbps, delay: "
                 "%gus}, queue: {limit: %s}}\noutput: {warmup: %gs}\nfluid: {device: cpu}\n"
                 "traffic:\n  - {name: f, from: r0, to: r1, fidelity: %%s, start: {uniform: [0s, %gs]},\n"
                 "     tcp: {congestion: swift, delay_target: %gus, flow_scaling: %gus, sessions: %d, "
                 "window: 16MiB, hop_delay: 1ns, delayed_ack: 1}}\n",
                 seconds, c->rate_bps, c->round_us / 2, limit, seconds / 4, seconds / 20, c->target_us,
                 c->scaling_us, c->sessions);
    assert_true(n > 0 && n < TEXT);
    return (c->round_us + 40.0) * 1e-6;
}

static void one_bottleneck(void **state)
{
    (void)state;
    static const cell cells[] = {
        {1e9, 100, 200, 0, 2},    {1e9, 100, 200, 60, 5},     {10e9, 100, 160, 0, 10},
        {10e9, 100, 200, 60, 40}, {10e9, 20, 100, 0, 20},     {10e9, 400, 600, 160, 10},
        {1e9, 500, 800, 0, 10},   {100e6, 1e4, 15e3, 4e3, 4}, {100e6, 1e4, 20e3, 0, 20},
        {25e9, 50, 150, 60, 40},  {1e9, 100, 500, 360, 20},   {1e9, 100, 500, 0, 20}};
    ratios goodput = {"goodput", 0.99, 1.01}, wait = {"wait in the queue", 0.9, 1.1};
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char text[TEXT], where[160];
        if (!is_run(i, i < 6 ? 1 : 2, 3))
            continue;
        const double base_s = text_of(text, &cells[i], "4MB");
        snprintf(where, sizeof where, "%g Mb/s, %g us, target %g + %g us, %d sessions",
                 1e-6 * cells[i].rate_bps, cells[i].round_us, cells[i].target_us, cells[i].scaling_us,
                 cells[i].sessions);
        const measures packets = measured(text, "packet", NULL, base_s),
                       fluid = measured(text, "fluid", NULL, base_s);
        within(&goodput, fluid.goodput_bps, packets.goodput_bps, where);
        within(&wait, fluid.wait_s, packets.wait_s, where);
        assert_true(fluid.loss < 1e-9 && packets.loss < 1e-9);
    }
    told(&goodput);
    told(&wait);
}

/* Large windows add little to a queue in a round trip: there the delay is the target (section 3.2 of the paper). */
static void the_target_is_held(void **state)
{
    (void)state;
    for (double target_us = 300; target_us < 1000; target_us *= 1.5) {
        char text[TEXT];
        const cell c = {10e9, 200, target_us, 0, 4};
        (void)text_of(text, &c, "4MB");
        const double rtt_s = measured(text, "fluid", NULL, 0.0).wait_s;
        print_message("  target %.0f us: %.1f us\n", target_us, 1e6 * rtt_s);
        assert_true(fabs(1e6 * rtt_s - target_us) < 0.02 * target_us);
    }
}

/* A link of a ring fails and comes back: a way of twice the round trip, and first losses. */
static void a_failure(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 12s\ntopology: {generate: {model: ring, routers: 5, hosts: 0, rate: 50Mbps, "
        "delay: 5ms}, "
        "queue: {limit: 400kB}}\noutput: {warmup: 3s}\nfluid: {device: cpu}\n"
        "events: [{at: 4s, fail: {link: r1--r2}}, {at: 8s, repair: {link: r1--r2}}]\n"
        "traffic:\n  - {name: f, from: r0, to: r2, fidelity: %s, start: {uniform: [0s, 1s]},\n"
        "     tcp: {congestion: swift, delay_target: 40ms, sessions: 20, hop_delay: 1ns, delayed_ack: 1}}\n";
    const measures packets = measured(text, "packet", NULL, 0.0), fluid = measured(text, "fluid", NULL, 0.0);
    ratios goodput = {"goodput", 0.95, 1.05}, rtt = {"round trip", 0.95, 1.05}, loss = {"loss", 0.7, 1.4};
    within(&goodput, fluid.goodput_bps, packets.goodput_bps, "a failure");
    within(&rtt, fluid.wait_s, packets.wait_s, "a failure");
    within(&loss, fluid.loss, packets.loss, "a failure");
}

static void bounds_are_said(void **state)
{
    (void)state;
    char text[TEXT];
    const cell good = {1e9, 100, 200, 0, 8}, small = {1e9, 100, 200, 0, 40}, low = {1e9, 100, 105, 0, 8};
    (void)text_of(text, &good, "4MB");
    assert_false(is_said(text, "fluid", "Bounds of laws"));
    assert_true(is_said(text, "{packet: 4, fluid: rest}", "Swift's sessions of packets"));
    (void)text_of(text, &good, "5kB");
    assert_true(is_said(text, "fluid", "before Swift's delay_target"));
    (void)text_of(text, &small, "4MB");
    assert_true(is_said(text, "fluid", "windows below one segment"));
    (void)text_of(text, &low, "4MB");
    assert_true(is_said(text, "fluid", "is below the round trip"));
}

/* A host whose line is narrowest: packets wait at their flows there, fluid in a queue. */
static void hosts_lines_are_said(void **state)
{
    (void)state;
    static const char *const queues[] = {"", ", host_queue: {type: droptail}"};
    for (int i = 0; i < 2; i++)
        for (int fast = 0; fast < 2; fast++) {
            char text[TEXT];
            snprintf(
                text, sizeof text,
                "weir: 1\nduration: 12s\ntopology: {generate: {model: dumbbell, left: 1, bottleneck_rate: "
                "50Mbps, "
                "access_rate: %s}%s}\noutput: {warmup: 3s}\nfluid: {device: cpu}\ntraffic:\n"
                "  - {name: f, from: l0, to: r0, fidelity: %%s, tcp: {congestion: newreno, sessions: 20}}\n",
                fast ? "1Gbps" : "50Mbps", queues[i]);
            assert_true(is_said(text, "fluid", "wait for their turns") == (!fast && i == 0));
            assert_false(is_said(text, "packet", "wait for their turns"));
        }
}

/* And a stream from there that has more than a turn: 2.4 Mb/s of 50 beside 20 sessions. */
static void streams_of_hosts_are_said(void **state)
{
    (void)state;
    static const char *const queues[] = {"", ", host_queue: {type: droptail}"}, *const rates[] = {"2Mbps",
                                                                                                  "3Mbps"};
    for (int queue = 0; queue < 2; queue++)
        for (int more = 0; more < 2; more++)
            for (int own = 0; own < 2; own++) { /* a host of its own */
                char text[TEXT];
                snprintf(text, sizeof text,
                         "weir: 1\nduration: 12s\ntopology: {generate: {model: dumbbell, left: 2, "
                         "bottleneck_rate: "
                         "200Mbps, access_rate: 50Mbps}%s}\nfluid: {device: cpu}\ntraffic:\n"
                         "  - {name: u, from: l%d, to: r1, fidelity: %%s, udp: {rate: %s}}\n"
                         "  - {name: f, from: l0, to: r0, tcp: {congestion: newreno, sessions: 20}}\n",
                         queues[queue], own, rates[more]);
                assert_true(is_said(text, "fluid", "windows there have the rest") ==
                            (more && !own && queue == 0));
                assert_false(is_said(text, "packet", "windows there have the rest"));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_bottleneck),
                                       cmocka_unit_test(the_target_is_held),
                                       cmocka_unit_test(a_failure),
                                       cmocka_unit_test(bounds_are_said),
                                       cmocka_unit_test(hosts_lines_are_said),
                                       cmocka_unit_test(streams_of_hosts_are_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
