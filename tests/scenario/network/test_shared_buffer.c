/*
 * Switches with shared memory and dynamic thresholds, against the formula of their authors: with n ports overloaded and a
 * memory of B bytes, each queue settles at alpha B / (1 + alpha n), and B / (1 + alpha n) stays free; a port that was idle
 * then gets what the threshold allows. A memory without end changes nothing of what is sent; a switch's ports give the
 * same digests on all engines; what does not go together with it is refused at its place.
 */
#include "scenario/network/refused.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

enum { PACKET = 1000 };

/* Constant streams into n ports of a star, each at twice its line's rate: from two hosts. */
static net_run *overloaded(int n, double alpha, int size_kb)
{
    char traffic[4096];
    int at = 0;
    for (int i = 0; i < n; i++)
        at += snprintf(
            traffic + at, sizeof traffic - (size_t)at,
            "- {name: c%d, from: [h%d, h%d], to: h%d, udp: {rate: 1Gbps, packet: %dB}, start: {uniform: "
            "[0s, 10us]}}\n",
            i, 3 * i, 3 * i + 1, 3 * i + 2, PACKET);
    return net_run_new(
        WEIR_1 "topology: {generate: {model: star, hosts: %d, access_rate: 1Gbps, access_delay: 1us}, "
               "shared_buffer: {size: %dkB, alpha: %g}}\ntraffic:\n%s",
        3 * n + 3, size_kb, alpha, traffic);
}

static double queue_bytes(const net_run *r, int host)
{
    char name[32];
    snprintf(name, sizeof name, "hub->h%d", host);
    const net_port *p = net_run_port(r, name);
    const weir_time left_ps = p->busy_until_ps - weir_sim_now(r->sim);
    return left_ps > 0 ? (double)left_ps / 8e3 : 0.0; /* 1 Gb/s: 8 ns a byte */
}

static void queues_settle_at_the_formula(void **state)
{
    (void)state;
    static const double alphas[] = {0.125, 0.5, 1.0, 2.0, 8.0};
    for (int n = 1; n <= 8; n *= 2)
        for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++)
            for (int size_kb = 100; size_kb <= 1000; size_kb += 900) {
                const double alpha = alphas[k], size = size_kb * 1e3, want = alpha * size / (1.0 + alpha * n);
                net_run *r = overloaded(n, alpha, size_kb);
                net_run_until(r, 30 * MS);
                double used = 0.0;
                for (int i = 0; i < n; i++) {
                    const double got = queue_bytes(r, 3 * i + 2);
                    used += got;
                    if (!(fabs(got - want) <= 2.0 * PACKET * (1.0 + alpha)))
                        fail_msg("n %d, alpha %g, %d kB: queue %g, want %g", n, alpha, size_kb, got, want);
                }
                assert_true(used <= size + 1.0);
                net_run_end(r);
            }
}

/* Eight ports' worth would not fit; one burst to an idle port finds alpha times what is free. */
static void an_idle_port_gets_its_share(void **state)
{
    (void)state;
    net_run *r = net_run_new(
        WEIR_1
        "topology: {generate: {model: star, hosts: 9, access_rate: 1Gbps, access_delay: 1us}, links: [{link: "
        "h6->hub, rate: 100Gbps}], shared_buffer: {size: 300kB, alpha: 1}}\ntraffic:\n"
        "- {name: a, from: [h0, h1], to: h2, udp: {rate: 1Gbps, packet: 1000B}}\n"
        "- {name: b, from: h6, to: h7, start: 20ms, udp: {rate: 100Gbps, packet: 1000B}}\n");
    net_run_until(r, 20 * MS);
    assert_true(fabs(queue_bytes(r, 2) - 150e3) <= 3000.0);
    net_run_until(r, 20 * MS + 20 * US); /* 250 packets came, 2 left; hub->h2 sent as many */
    const double burst = queue_bytes(r, 7), standing = queue_bytes(r, 2);
    if (!(fabs(burst - (300e3 - burst - standing)) <= 3000.0)) /* it stopped growing at what is free */
        fail_msg("burst %g, standing %g", burst, standing);
    assert_true(net_run_port(r, "hub->h7")->dropped[0] > 0);
    net_run_end(r);
}

static const char fabric[] =
    "weir: 1\nduration: 3ms\nseed: 5\ntopology: {generate: {model: leaf-spine, leaves: 3, spines: 2, hosts: "
    "4, "
    "access_rate: 10Gbps, rate: 10Gbps}, queue: {type: threshold, mark: 30kB}%s}\nrouting: {ecmp: true}\n"
    "output: {ports: all, interval: 100us}\ntraffic:\n"
    "- {name: bg, pairs: all, tcp: {congestion: dctcp, ecn: true, size: {pareto: {mean: 50kB, shape: 1.3}}, "
    "arrivals: "
    "{poisson: 200000/s}}}\n"
    "- {name: incast, from: 'h[1-9]', to: h0, start: 1ms, tcp: {size: 64kB}}\n"
    "- {name: voice, from: h11, to: h0, udp: {rate: 1Gbps}}\n";

static void engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    char text[2000];
    weir_run_result want, got;
    snprintf(text, sizeof text, fabric, ", shared_buffer: {size: 100kB, alpha: 0.5}");
    json_decref(summary_of(text, NULL, 0, &want));
    for (size_t e = 0; e < 3; e++) {
        json_decref(summary_of(text, &engines[e], 1, &got));
        assert_int_equal(got.event_digest, want.event_digest);
        assert_int_equal(got.state_digest, want.state_digest);
    }
}

/* Where memory is never short, flows do what they do at ports by themselves; but for ties, which entities order: in the mean of
 * some seeds. */
static void endless_memory_changes_nothing(void **state)
{
    (void)state;
    enum { SEEDS = 8, CLASSES = 3 };
    double bytes[2][CLASSES] = {{0}};
    for (int seed = 1; seed <= SEEDS; seed++)
        for (int shared = 0; shared < 2; shared++) {
            char text[2000], set[32];
            const char *const sets[] = {set};
            snprintf(text, sizeof text, fabric, shared ? ", shared_buffer: {size: 1TB, alpha: 1024}" : "");
            snprintf(set, sizeof set, "seed=%d", seed);
            json_t *summary = summary_of(text, sets, 1, NULL);
            for (size_t cls = 0; cls < CLASSES; cls++)
                bytes[shared][cls] += class_number(summary, cls, NULL, "received_bytes");
            json_decref(summary);
        }
    for (size_t cls = 0; cls < CLASSES; cls++)
        if (!(fabs(bytes[0][cls] / bytes[1][cls] - 1.0) < 0.01))
            fail_msg("class %zu: %g and %g bytes", cls, bytes[0][cls], bytes[1][cls]);
}

static void bad_input_is_named(void **state)
{
    (void)state;
#define SHARED "shared_buffer: {size: 1MB}"
    star_is_refused("shared_buffer: {alpha: 1}", "", "size");
    star_is_refused("shared_buffer: {size: 0B}", "", "size");
    star_is_refused("shared_buffer: {size: 1MB, alpha: 0}", "", "alpha");
    star_is_refused("shared_buffer: {size: 1Mbps}", "", "size");
    star_is_refused(SHARED ", queue: {type: codel}", "", "at departure");
    star_is_refused(SHARED ", queue: {limit_packets: 10}", "", "counts packets");
    star_is_refused(SHARED ", queue: {type: pie}", "", "large state");
    star_is_refused(SHARED, "events: [{at: 100us, fail: {link: h0--hub}}]\n", "events");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_settle_at_the_formula),
        cmocka_unit_test(an_idle_port_gets_its_share),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(endless_memory_changes_nothing),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
