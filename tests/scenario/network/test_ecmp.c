/*
 * Equal-cost paths share flows out: successive flows of a pair, which use the same slots again, and the
 * replies to successive requests, take each path equally often (chi-square), each flow one path for all of
 * its packets, and its ACKs one too. Counted at the core switches of fat trees.
 */
#include "scenario/net_run.h"

enum { SEGMENTS = 3, DATA = SEGMENTS + 1, ACKS = SEGMENTS + 1 }; /* SYN and SYN-ACK included */

/* The 0.9999 quantile of chi-square with n degrees of freedom, by Wilson and Hilferty. */
static double chi2_most(double n)
{
    const double z = 3.719, a = 2.0 / (9.0 * n);
    return n * pow(1.0 - a + z * sqrt(a), 3.0);
}

/* Flows that each of n paths has taken. */
static void expect_even(const char *what, const uint64_t *count, uint32_t n)
{
    uint64_t all = 0;
    double chi2 = 0.0;
    for (uint32_t i = 0; i < n; i++)
        all += count[i];
    const double mean = (double)all / n;
    for (uint32_t i = 0; i < n; i++)
        chi2 += ((double)count[i] - mean) * ((double)count[i] - mean) / mean;
    if (mean < 10.0 || chi2 > chi2_most(n - 1.0))
        fail_msg("%s: %llu flows over %u paths: chi-square %.1f, want at most %.1f", what,
                 (unsigned long long)all, n, chi2, chi2_most(n - 1.0));
}

/* Packets that core switches have sent to a pod, in flows of `packets` each. */
static uint64_t count_cores(const net_run *r, const char *what, int k, int pod, uint32_t packets,
                            uint64_t *count)
{
    const int half = k / 2;
    uint64_t all = 0;
    for (int core = 0; core < half * half; core++) {
        char port[64];
        snprintf(port, sizeof port, "c%d->a%d_%d", core, pod, core / half);
        const uint64_t n = net_run_port(r, port)->packets;
        if (n % packets != 0)
            fail_msg("%s: %s has sent %llu packets, and each flow has %u", what, port, (unsigned long long)n,
                     packets);
        count[core] = n / packets;
        all += count[core];
    }
    return all;
}

static void expect_shared(const char *what, const char *traffic, int k, uint64_t seed)
{
    enum { CORES = 16 };
    uint64_t there[CORES], back[CORES];
    const uint32_t paths = (uint32_t)(k / 2 * (k / 2));
    net_run *r =
        net_run_new(WEIR_1 "seed: %d\ntopology: {generate: {model: fat-tree, k: %d, rate: 1Gbps, delay: "
                           "1us}}\nrouting: {ecmp: true}\ntraffic:\n  - {name: a, %s}\n",
                    (int)seed, k, traffic);
    net_run_until(r, 2 * SEC);
    const uint64_t n = count_cores(r, what, k, k - 1, DATA, there);
    assert_int_equal(count_cores(r, what, k, 0, ACKS, back), n);
    expect_even(what, there, paths);
    expect_even(what, back, paths);
    net_run_end(r);
}

/* One pair in different pods; flows come and go. Class `a` stops so early that all are done. */
static void successive_flows_take_all_paths(void **state)
{
    (void)state;
    for (int k = 4; k <= 8; k += 4)
        for (int slots = 1; slots <= 64; slots *= 8)
            for (uint64_t seed = 1; seed <= 2; seed++) {
                char traffic[300], what[100];
                snprintf(
                    traffic, sizeof traffic,
                    "from: h0, to: h%d, stop: 1s, tcp: {size: %dB, delayed_ack: 1, max_flows: %d, arrivals: "
                    "{poisson: %d/s}}",
                    k * k * k / 4 - 1, SEGMENTS * 1460, slots, k == 4 ? 300 : 900);
                snprintf(what, sizeof what, "k %d, %d slots, seed %d", k, slots, (int)seed);
                expect_shared(what, traffic, k, seed);
            }
}

/* At the packet that a flow of each size begins with: after steps of some size, at switches of some degree. */
static void steps_of_any_size_are_shared_out(void **state)
{
    (void)state;
    static const uint32_t steps[] = {1, 1460, 2 * 65536, 4380 + 1460, (1 << 24) + 1460, 1000003};
    enum { FLOWS = 2000, MOST = 16 };
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
        for (uint32_t n = 2; n <= MOST; n++)
            for (int acks = 0; acks < 2; acks++) {
                uint64_t one[MOST] = {0}, two[MOST * MOST] = {0};
                char what[100];
                snprintf(what, sizeof what, "step %u, %u ports, %s", steps[s], n, acks ? "ACKs" : "data");
                uint32_t before = 0;
                for (uint32_t i = 0; i < FLOWS * (n / 4 + 1); i++) {
                    net_packet p = {.flow = 77, .flags = acks ? NET_ACK : 0};
                    *(acks ? &p.dst : &p.u.data.first) = i * steps[s];
                    const uint32_t pick = weir_ecmp_pick(net_flow_hash(&p), 5, n);
                    one[pick]++;
                    two[before * n + pick] += i % 2; /* of neighbours, each once */
                    before = pick;
                }
                expect_even(what, one, n);
                expect_even(what, two, n * n);
            }
}

/* A client asks one server again and again: one slot serves all replies. */
static void successive_replies_take_all_paths(void **state)
{
    (void)state;
    const uint32_t paths = 4;
    uint64_t there[4], back[4];
    net_run *r = net_run_new(
        WEIR_1
        "topology: {generate: {model: fat-tree, k: 4, rate: 1Gbps, delay: 1us}}\nrouting: {ecmp: true}\n"
        "traffic:\n  - {name: a, from: h0, to: h15, stop: 1s, tcp: {size: %dB, delayed_ack: 1, handshake: "
        "false, request: {think: 3ms}}}\n",
        SEGMENTS * 1460);
    net_run_until(r, 2 * SEC);
    const uint64_t n = net_run_class(r, 0, NET_COUNT_REPLIES);
    uint64_t acks = 0;
    assert_int_equal(count_cores(r, "replies", 4, 0, SEGMENTS, there), n);
    expect_even("replies", there, paths);
    /* A request and its reply's ACKs are two flows, of 1 and SEGMENTS packets. */
    for (int core = 0; core < 4; core++) {
        char port[64];
        snprintf(port, sizeof port, "c%d->a3_%d", core, core / 2);
        acks += back[core] = net_run_port(r, port)->packets;
        assert_true(back[core] > n / 2);
    }
    assert_int_equal(acks, n * (1 + SEGMENTS));
    net_run_end(r);
}

/* The one flow of a network takes each path alike over replications, and over seeds: 400 of either. */
static void replications_draw_paths(void **state)
{
    (void)state;
    enum { RUNS = 400, PACKETS = 2 };
    for (int by_seed = 0; by_seed < 2; by_seed++) {
        uint64_t taken[4] = {0}, count[4];
        for (int run = 0; run < RUNS; run++) {
            net_run *r = net_run_new(
                WEIR_1 "%s: %d\ntopology: {generate: {model: fat-tree, k: 4, rate: 1Gbps, delay: 1us}}\n"
                       "routing: {ecmp: true}\ntraffic: [{name: a, from: h0, to: h15, tcp: {size: 1kB}}]\n",
                by_seed ? "seed" : "run", run);
            net_run_until(r, SEC);
            assert_int_equal(count_cores(r, "one flow", 4, 3, PACKETS, count), 1);
            for (int core = 0; core < 4; core++)
                taken[core] += count[core];
            net_run_end(r);
        }
        expect_even(by_seed ? "seeds" : "replications", taken, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(successive_flows_take_all_paths), cmocka_unit_test(steps_of_any_size_are_shared_out),
        cmocka_unit_test(successive_replies_take_all_paths), cmocka_unit_test(replications_draw_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
