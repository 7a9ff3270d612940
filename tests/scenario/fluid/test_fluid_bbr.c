/*
 * label: slow statistics
 *
 * BBR as fluid against BBR in packets over twelve bottlenecks; against S. Scherrer and others, Model-Based Insights on the
 * Performance, Fairness, and Stability of BBR, IMC 2022: in a deep queue what is in flight is two BDP, and in a shallow
 * one probes of 5/4 lose; after a failed link; beside CUBIC; and what is said where it does not hold.
 */
#include "beside_packets.h"

enum { TEXT = 1400 };

typedef struct cell {
    int rate_mbps, round_ms, sessions;
    double bdp; /* of the queue */
} cell;

static void text_of(char *text, const cell *c, const char *start)
{
    const int n = snprintf(
        text, TEXT,
        "weir: 1\nduration: 40s\ntopology: {generate: {model: line, routers: 2, rate: %dMbps, delay: %gms}, "
        "queue: {limit: %.0fB}}\noutput: {warmup: 10s}\nfluid: {device: cpu}\n"
        "traffic:\n  - {name: f, from: r0, to: r1, fidelity: %%s, start: %s,\n"
        "     tcp: {congestion: bbr, sessions: %d, window: 64MiB}}\n",
        c->rate_mbps, 0.5 * c->round_ms, 125.0 * c->rate_mbps * c->round_ms * c->bdp, start, c->sessions);
    assert_true(n > 0 && n < TEXT);
}

static measures mean_of_packets(const char *text, double base_s, int seeds)
{
    measures sum = {0.0, 0.0, 0.0};
    for (int seed = 1; seed <= seeds; seed++) {
        char set[16];
        snprintf(set, sizeof set, "seed=%d", seed);
        const measures m = measured(text, "packet", set, base_s);
        sum.goodput_bps += m.goodput_bps / seeds;
        sum.loss += m.loss / seeds;
        sum.wait_s += m.wait_s / seeds;
    }
    return sum;
}

static void one_bottleneck(void **state)
{
    (void)state;
    static const cell cells[] = {{10, 20, 4, 0.5}, {10, 20, 4, 3},  {10, 80, 4, 0.5},   {10, 80, 4, 3},
                                 {50, 20, 10, 1},  {50, 20, 10, 4}, {50, 80, 20, 0.25}, {50, 80, 20, 0.5},
                                 {50, 80, 20, 1},  {50, 80, 20, 4}, {100, 40, 40, 0.5}, {100, 40, 40, 3}};
    ratios goodput = {"goodput", 0.95, 1.06}, wait = {"wait in the queue", 0.75, 1.5},
           loss = {"loss", 0.5, 1.5}; /* 0.55: recoveries of packets hardly end, and conserve once */
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char text[TEXT], where[160];
        if (!is_run(i, i < 6 ? 1 : 2, 3))
            continue;
        const double base_s = 1e-3 * cells[i].round_ms;
        text_of(text, &cells[i], "{uniform: [0s, 1s]}");
        snprintf(where, sizeof where, "%d Mb/s, %d ms, %g BDP, %d sessions", cells[i].rate_mbps,
                 cells[i].round_ms, cells[i].bdp, cells[i].sessions);
        const measures packets = mean_of_packets(text, base_s, nightly() ? 3 : 1),
                       fluid = measured(text, "fluid", NULL, base_s);
        within(&goodput, fluid.goodput_bps, packets.goodput_bps, where);
        within(&wait, fluid.wait_s, packets.wait_s, where);
        if (cells[i].bdp <= 1.0)
            within(&loss, fluid.loss, packets.loss, where);
        else /* of what overshoots, before windows bind */
            assert_true(fabs(fluid.loss - packets.loss) < 0.05);
    }
    told(&goodput);
    told(&wait);
    told(&loss);
}

/* Deep: windows bind, 2 B M and three segments a session, so the round trip is twice the path's and theirs;
 * B is above its share by what is measured after a probe_rtt, a quarter at most. Shallow: each
 * probe is delivered 5/4 of its share, so sessions pace at 0.99 of 5/4 of the line, and the rest is lost, less what
 * recoveries conserve. All begin at once: M is seen by all in the same probe_rtt. */
static void the_published_fixed_points(void **state)
{
    (void)state;
    const cell deep = {100, 40, 20, 4}, shallow = {100, 40, 40, 0.25};
    char text[TEXT];
    text_of(text, &deep, "0s");
    const double base_s = 1e-3 * deep.round_ms, segment_s = 12000.0 / (1e6 * deep.rate_mbps);
    const measures of_deep = measured(text, "fluid", NULL, 0.0);
    const double expected_s = 2.0 * base_s + 3.0 * deep.sessions * segment_s;
    print_message("  round trip %.4g ms, by the fixed point %.4g\n", 1e3 * of_deep.wait_s, 1e3 * expected_s);
    assert_true(of_deep.wait_s > 0.95 * expected_s && of_deep.wait_s < 1.25 * expected_s);
    assert_true(of_deep.loss < 1e-3);
    text_of(text, &shallow, "0s");
    const double lost = measured(text, "fluid", NULL, 0.0).loss, most = 1.0 - 1.0 / (0.99 * 1.25);
    print_message("  loss %.3g, at most %.3g\n", lost, most);
    assert_true(lost < most && lost > 0.4 * most);
}

static void a_failure(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 20s\ntopology: {generate: {model: ring, routers: 5, hosts: 0, rate: 50Mbps, "
        "delay: 5ms}, "
        "queue: {limit: 125kB}}\noutput: {warmup: 5s}\nfluid: {device: cpu}\n"
        "events: [{at: 8s, fail: {link: r1--r2}}, {at: 15s, repair: {link: r1--r2}}]\n"
        "traffic:\n  - {name: f, from: r0, to: r2, fidelity: %s, start: {uniform: [0s, 1s]},\n"
        "     tcp: {congestion: bbr, sessions: 8}}\n";
    const measures packets = measured(text, "packet", NULL, 0.0), fluid = measured(text, "fluid", NULL, 0.0);
    ratios goodput = {"goodput", 0.95, 1.08}, rtt = {"round trip", 0.85, 1.15}, loss = {"loss", 0.6, 1.5};
    within(&goodput, fluid.goodput_bps, packets.goodput_bps, "a failure");
    within(&rtt, fluid.wait_s, packets.wait_s, "a failure");
    within(&loss, fluid.loss, packets.loss, "a failure");
}

/* As many CUBIC sessions over a BDP of queue: BBR takes nearly all of it, as packets and as fluid. */
static void beside_cubic(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 25s\ntopology: {generate: {model: line, routers: 2, rate: 50Mbps, delay: 20ms}, "
        "queue: "
        "{limit: 250kB}}\noutput: {warmup: 5s}\nfluid: {device: cpu}\ntraffic:\n"
        "  - {name: f, from: r0, to: r1, fidelity: %s, start: {uniform: [0s, 1s]}, tcp: {congestion: bbr, "
        "sessions: 10}}\n"
        "  - {name: c, from: r0, to: r1, fidelity: fluid, start: {uniform: [0s, 1s]}, tcp: {sessions: 10}}\n";
    const measures packets = measured(text, "packet", "traffic.c.fidelity=packet", 0.0),
                   fluid = measured(text, "fluid", NULL, 0.0);
    ratios goodput = {"goodput", 0.85, 1.15};
    within(&goodput, fluid.goodput_bps, packets.goodput_bps, "BBR beside CUBIC");
}

static void bounds_are_said(void **state)
{
    (void)state;
    char text[TEXT];
    const cell some = {50, 40, 8, 1}, few = {50, 40, 3, 1}, many = {50, 40, 80, 1};
    text_of(text, &some, "0s");
    assert_false(is_said(text, "fluid", "Bounds of laws"));
    assert_true(is_said(text, "{packet: 4, fluid: rest}", "BBR's sessions of packets"));
    text_of(text, &few, "0s");
    assert_true(is_said(text, "fluid", "probes alone"));
    text_of(text, &many, "0s");
    assert_true(is_said(text, "fluid", "four segments"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bottleneck), cmocka_unit_test(the_published_fixed_points),
        cmocka_unit_test(a_failure), cmocka_unit_test(beside_cubic), cmocka_unit_test(bounds_are_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
