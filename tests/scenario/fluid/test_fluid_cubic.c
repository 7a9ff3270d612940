/*
 * label: slow statistics
 *
 * CUBIC as fluid against CUBIC in packets: windows under random losses in both regimes of RFC 9438, and losses, queues
 * and goodput of one bottleneck, drop-tail and RED, from 2 to 90 segments a window.
 */
#include "nightly.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

typedef struct measures {
    double goodput_bps, loss, rtt_s;
} measures;

static measures run_seed(const char *fidelity, const char *rate, int delay_ms, double loss, const char *queue,
                         int sessions, int seconds, int seed)
{
    char text[1024];
    const int n =
        snprintf(text, sizeof text,
                 "weir: 1\nduration: %ds\nseed: %d\ntopology: {generate: {model: line, routers: 2, rate: %s, "
                 "delay: %dms}, loss: %g%%, "
                 "queue: {%s}}\noutput: {warmup: %ds}\nfluid: {device: cpu}\n"
                 "traffic: [{name: f, from: r0, to: r1, fidelity: %s, start: {uniform: [0s, 1s]},\n"
                 "           tcp: {congestion: cubic, sessions: %d, window: 64MiB}}]\n",
                 seconds, seed, rate, delay_ms, 100.0 * loss, queue, seconds / 3, fidelity, sessions);
    assert_true(n > 0 && (size_t)n < sizeof text);
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const measures m = {class_number(summary, 0, NULL, "goodput_bps"), class_number(summary, 0, NULL, "loss"),
                        class_number(summary, 0, NULL, "rtt_mean_s")};
    json_decref(summary);
    return m;
}

static measures run_as(const char *fidelity, const char *rate, int delay_ms, double loss, const char *queue,
                       int sessions, int seconds)
{
    return run_seed(fidelity, rate, delay_ms, loss, queue, sessions, seconds, 1);
}

static void near(double fluid, double packets, double low, double high, const char *what, const char *where)
{
    print_message("  %s, %s: fluid %.4g, packets %.4g\n", what, where, fluid, packets);
    if (!(packets > 0.0 && fluid >= low * packets && fluid <= high * packets))
        fail_msg("%s, %s: %g as fluid, %g as packets", what, where, fluid, packets);
}

/* The line is never full, so goodput tells windows: some 200 losses a run at the least chance, so two seeds. */
static void random_losses(void **state)
{
    (void)state;
    static const double losses[] = {1e-4, 1e-3, 1e-2};
    static const int delays_ms[] = {5, 25, 100};
    for (int p = 0; p < 3; p++)
        for (int d = 0; d < 3; d++) {
            char where[64];
            if (!is_run(3 * p + d, 1, 4))
                continue;
            snprintf(where, sizeof where, "loss %g, %d ms", losses[p], 2 * delays_ms[d]);
            double packets_bps = 0.0;
            for (int seed = 1; seed <= 2; seed++)
                packets_bps +=
                    run_seed("packet", "10Gbps", delays_ms[d], losses[p], "limit: 100MB", 20, 90, seed)
                        .goodput_bps /
                    2.0;
            const measures fluid = run_as("fluid", "10Gbps", delays_ms[d], losses[p], "limit: 100MB", 20, 90);
            near(fluid.goodput_bps, packets_bps, 0.88, 1.15, "window", where);
        }
}

static void one_bottleneck(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        int delay_ms, sessions;
        const char *droptail, *red;
    } cases[] = {
        {"10Mbps", 10, 4, "limit: 30kB", "type: red, limit: 60kB, min: 6kB, max: 24kB, max_p: 5%"},
        {"10Mbps", 40, 4, "limit: 100kB", "type: red, limit: 200kB, min: 20kB, max: 80kB, max_p: 5%"},
        {"10Mbps", 40, 20, "limit: 100kB", "type: red, limit: 200kB, min: 20kB, max: 80kB, max_p: 5%"},
        {"50Mbps", 10, 20, "limit: 125kB", "type: red, limit: 250kB, min: 25kB, max: 100kB, max_p: 5%"},
        {"50Mbps", 40, 20, "limit: 500kB", "type: red, limit: 1MB, min: 100kB, max: 400kB, max_p: 5%"},
        {"50Mbps", 40, 80, "limit: 500kB", "type: red, limit: 1MB, min: 100kB, max: 400kB, max_p: 5%"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int red = 0; red < 2; red++) {
            char where[64];
            if (!is_run(i, red, 4))
                continue;
            const char *queue = red ? cases[i].red : cases[i].droptail;
            snprintf(where, sizeof where, "%s, %d ms, %d sessions, %s", cases[i].rate, 2 * cases[i].delay_ms,
                     cases[i].sessions, red ? "RED" : "drop-tail");
            const measures packets = run_as("packet", cases[i].rate, cases[i].delay_ms, 0.0, queue,
                                            cases[i].sessions, 45),
                           fluid = run_as("fluid", cases[i].rate, cases[i].delay_ms, 0.0, queue,
                                          cases[i].sessions, 45);
            const double base_s = 2e-3 * cases[i].delay_ms;
            near(fluid.goodput_bps, packets.goodput_bps, 0.97, 1.03, "goodput", where);
            near(fluid.loss, packets.loss, 0.6, 1.5, "loss", where);
            near(fluid.rtt_s - base_s, packets.rtt_s - base_s, 0.6, 1.1, "wait in queues", where);
        }
}

/* Half of the sessions as packets, half as fluid, over one queue: goodput of the former over that of the latter. */
static double share_of_mix(const char *rate, int delay_ms, const char *queue, int each, uint32_t seed)
{
    char text[1024];
    const int n = snprintf(
        text, sizeof text,
        "weir: 1\nduration: 40s\nseed: %u\n"
        "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: %s, bottleneck_delay: %dms, "
        "access_rate: 1Gbps, access_delay: 1ms}, queue: {%s}}\n"
        "output: {warmup: 10s}\nfluid: {device: cpu}\n"
        "traffic: [{name: f, from: l0, to: r0, fidelity: {packet: %d, fluid: rest}, start: {uniform: [0s, "
        "2s]},\n"
        "           tcp: {congestion: cubic, sessions: %d}}]\n",
        seed, rate, delay_ms, queue, each, 2 * each);
    assert_true(n > 0 && (size_t)n < sizeof text);
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const double packets = class_number(summary, 0, "packet", "goodput_bps");
    const double fluid = class_number(summary, 0, "fluid", "goodput_bps");
    json_decref(summary);
    return packets / fluid;
}

static void mixes(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        int delay_ms;
        const char *queue;
        int each;
        double low, high;
    } cases[] = {
        {"10Mbps", 18, "limit: 50kB", 8, 0.75, 1.15},
        {"40Mbps", 23, "limit: 250kB", 8, 0.75, 1.15},
        {"40Mbps", 23, "limit: 250kB", 24, 0.75, 1.15},
        {"20Mbps", 73, "limit: 375kB", 8, 0.75, 1.25},
        {"40Mbps", 23, "type: red, mode: bernoulli, limit: 500kB, min: 40kB, max: 125kB", 8, 0.8, 1.15},
        {"100Mbps", 8, "type: red, mode: bernoulli, limit: 500kB, min: 40kB, max: 125kB", 24, 0.8, 1.15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double sum = 0.0;
        if (!is_run(i, 0, 4))
            continue;
        for (uint32_t seed = 1; seed <= 2; seed++)
            sum += share_of_mix(cases[i].rate, cases[i].delay_ms, cases[i].queue, cases[i].each, seed);
        print_message("  %s, %d ms, %s, %d each: packets %.3g of fluid\n", cases[i].rate, cases[i].delay_ms,
                      cases[i].queue, cases[i].each, 0.5 * sum);
        if (!(0.5 * sum > cases[i].low && 0.5 * sum < cases[i].high))
            fail_msg("not within %g and %g", cases[i].low, cases[i].high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_losses), cmocka_unit_test(one_bottleneck),
                                       cmocka_unit_test(mixes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
