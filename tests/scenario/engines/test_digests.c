/*
 * The same scenario gives the same digests: run again, watched more or less often, rolled back and handled
 * again, on any number of threads. And conservation bites: a packet too many in any count stops a run.
 */
#include "nightly.h"
#include "scenario/net_run.h"
#include "scenario/run_text.h"

/* How long a network runs: shorter by day. */
static const char *span(const char *night, const char *day)
{
    return nightly() ? night : day;
}

/* Small networks that together use every feature of the packet network. */
#define DUMBBELL \
    "topology:\n  generate: {model: dumbbell, left: 2, bottleneck_rate: 5Mbps, bottleneck_delay: 5ms}\n"
#define RED "  queue: {type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.02, "
#define BULK "traffic:\n  - {name: a, pairs: [[l0, r0], [r1, l1]], tcp: {mss: 1000B"

static const struct scenario {
    const char *name, *text;
    bool random; /* draws anything at all */
} scenarios[] = {
    {"drop-tail, SACK", DUMBBELL "  queue: {limit: 20kB}\n" BULK "}}\n", false},
    {"packets, no SACK", DUMBBELL "  queue: {limit_packets: 12}\n" BULK ", sack: false}}\n", false},
    {"RED uniform", DUMBBELL RED "mode: uniform}\n" BULK "}}\n", true},
    {"RED bernoulli", DUMBBELL RED "mode: bernoulli, gentle: false}\n" BULK "}}\n", true},
    {"RED wait, packets", DUMBBELL RED "mode: wait, average: packets}\n" BULK ", handshake: false}}\n", true},
    {"RED, ECN", DUMBBELL RED "ecn: true}\n" BULK ", ecn: true}}\n", true},
    {"RED, ECN, no SACK", DUMBBELL RED "ecn: true}\n" BULK ", ecn: true, sack: false, delayed_ack: 1}}\n",
     true},
    {"CUBIC", DUMBBELL "  queue: {limit: 20kB}\n" BULK ", congestion: cubic}}\n", false},
    {"CUBIC, HyStart of Linux, no probes",
     DUMBBELL "  queue: {limit: 20kB}\n" BULK ", hystart: linux, tail_probes: false}}\n", false},
    {"CUBIC, paced", DUMBBELL "  loss: 1%\n" BULK ", congestion: cubic, pacing: true, sessions: 3}}\n", true},
    {"DCTCP", DUMBBELL RED "ecn: true}\n" BULK ", congestion: dctcp, sessions: 3}}\n", true},
    {"DCQCN", DUMBBELL RED "ecn: true}\n" BULK ", congestion: dcqcn, ai_rate: 1Mbps, sessions: 3}}\n", true},
    {"Prague", DUMBBELL RED "ecn: true}\n" BULK ", congestion: prague, sessions: 3}}\n", true},
    {"Vegas", DUMBBELL "  queue: {limit: 20kB}\n" BULK ", congestion: vegas, sessions: 2}}\n", false},
    {"LEDBAT", DUMBBELL "  queue: {limit: 20kB}\n" BULK ", congestion: ledbat, target: 20ms}}\n", false},
    {"Swift",
     DUMBBELL "  loss: 1%\n" BULK
              ", congestion: swift, delay_target: 14ms, flow_scaling: 20ms, sessions: 9}}\n",
     true},
    {"BBR", DUMBBELL "  queue: {limit: 20kB}\n" BULK ", congestion: bbr, sessions: 2}}\n", false},
    {"BBR, losses", DUMBBELL "  loss: 2%\n" BULK ", congestion: bbr, sessions: 2}}\n", true},
    {"BBRv3", DUMBBELL "  queue: {limit: 20kB}\n" BULK ", congestion: bbr3, sessions: 2}}\n", false},
    {"BBRv3, losses", DUMBBELL "  loss: 2%\n" BULK ", congestion: bbr3, sessions: 2}}\n", true},
    {"requests",
     DUMBBELL "  loss: 2%\ntraffic:\n  - {name: a, pairs: [[l0, r0], [r1, l1]],\n"
              "     tcp: {size: {exponential: 10kB}, request: {size: 100B, think: 5ms}}}\n",
     true},
    {"arrivals",
     DUMBBELL "  loss: 2%\ntraffic:\n  - {name: a, from: [l0, l1], to: [r0, r1],\n"
              "     tcp: {size: {cdf: flows.txt}, arrivals: {poisson: 80/s}, max_flows: 6}}\n"
              "  - {name: b, from: r0, to: l0, tcp: {size: 3kB, arrivals: {periodic: 20ms}}}\n",
     true},
    {"UDP",
     DUMBBELL
     "  queue: {limit_packets: 5}\n  host_queue: {type: droptail, limit_packets: 3}\ntraffic:\n"
     "  - {name: a, from: l0, to: r0, udp: {rate: 3Mbps, jitter: 50%}}\n"
     "  - {name: b, from: l1, to: r1, udp: {rate: 3Mbps, pattern: poisson, packet: {exponential: 300B}}}\n"
     "  - {name: c, from: r0, to: l1, udp: {rate: 3Mbps, pattern: onoff, on_time: 5ms, off_time: 5ms,\n"
     "     durations: pareto, packet: {uniform: [28B, 1500B]}}}\n",
     true},
    {"ECMP",
     "topology: {generate: {model: fat-tree, k: 4, rate: 20Mbps}, loss: 1%}\nrouting: {ecmp: true}\n"
     "traffic:\n  - {name: a, pairs: permutation, tcp: {size: 100kB, sessions: 2}, start: {uniform: "
     "[0s, 0.1s]}}\n",
     true},
    {"NDP, sprayed",
     "topology: {generate: {model: fat-tree, k: 4, rate: 20Mbps}, queue: {type: trim}}\n"
     "routing: {ecmp: true, spray: true}\ntraffic:\n  - {name: a, from: 'h[1-9]', to: h0, tcp: {congestion: "
     "ndp, size: 100kB}}\n  - {name: b, pairs: permutation, tcp: {congestion: ndp, mss: 1000B}, start: "
     "{uniform: [0s, 0.1s]}}\n",
     true},
    {"Ultra Ethernet's, by entropy values",
     "topology: {generate: {model: fat-tree, k: 4, rate: 20Mbps}, queue: {type: trim, limit: 30kB, mark_min: "
     "5kB, "
     "mark_max: 20kB}}\nrouting: {ecmp: true}\ntraffic:\n  - {name: a, from: 'h[1-9]', to: h0, tcp: "
     "{congestion: nscc, "
     "size: 100kB, balance: reps}}\n  - {name: b, pairs: permutation, tcp: {congestion: rccc, size: 200kB}, "
     "start: "
     "{uniform: [0s, 0.1s]}}\n  - {name: c, from: 'h[4-7]', to: h9, tcp: {congestion: nscc, credits: true, "
     "size: 90kB, "
     "oversubscription: 2, balance: bitmap}}\n",
     true},
    {"flowlets, of TCP, UDP and NDP",
     "topology: {generate: {model: fat-tree, k: 4, rate: 20Mbps}, queue: {type: trim}}\n"
     "routing: {ecmp: true, flowlets: 2ms}\ntraffic:\n  - {name: a, pairs: permutation, tcp: {mss: 1000B}, "
     "start: "
     "{uniform: [0s, 0.1s]}}\n  - {name: b, pairs: permutation, udp: {rate: 2Mbps, pattern: onoff}}\n  - "
     "{name: c, from: "
     "'h[1-4]', to: h0, tcp: {congestion: ndp, size: 100kB}}\n",
     true},
    {"HPCC over PFC, sprayed",
     "topology: {generate: {model: fat-tree, k: 4, rate: 20Mbps}, shared_buffer: {size: 80kB, pfc: {}}}\n"
     "routing: {ecmp: true, spray: true}\ntraffic:\n  - {name: a, from: 'h[1-9]', to: h0, tcp: {congestion: "
     "hpcc, size: 100kB}}\n  - {name: b, pairs: permutation, tcp: {congestion: hpcc, mss: 1000B, size: "
     "50kB}, start: "
     "{uniform: [0s, 0.1s]}}\n",
     true},
    {"TIMELY",
     DUMBBELL "  queue: {limit: 90kB}\n" BULK
              ", congestion: timely, t_low: 13ms, t_high: 40ms, sessions: 3}}\n",
     false},
    {"PowerTCP, FIFO", DUMBBELL "  loss: 1%\n" BULK ", congestion: powertcp, sessions: 2}}\n", true},
    {"PowerTCP by round trips",
     DUMBBELL BULK ", congestion: theta_powertcp, expected_flows: 4, sessions: 3}}\n", false},
    {"HPCC, FIFO", DUMBBELL "  loss: 1%\n  queue: {limit: 20kB}\n" BULK ", congestion: hpcc, sessions: 2}}\n",
     true},
    {"go-back-N over loss, sprayed",
     "topology: {generate: {model: fat-tree, k: 4, rate: 20Mbps}, loss: 1%}\nrouting: {ecmp: true, spray: "
     "true}\n"
     "traffic:\n  - {name: a, pairs: permutation, tcp: {congestion: hpcc, recovery: go-back-n, "
     "nack_interval: 5ms, "
     "size: 100kB}, start: {uniform: [0s, 0.1s]}}\n",
     true},
    {"IRN over full queues",
     DUMBBELL "  queue: {limit: 20kB}\n" BULK
              ", congestion: dcqcn, recovery: irn, bdp_cap: 60kB, rto_min: 30ms, "
              "rto_low: 20ms, sessions: 2}}\n",
     false},
    {"connections with triggers",
     "topology: {generate: {model: fat-tree, k: 4, rate: 20Mbps}}\n"
     "traffic:\n  - {name: a, flows: triggers.cm, tcp: {}}\n",
     false},
    {"implicit hosts",
     "topology: {generate: {model: ring, routers: 5, rate: 10Mbps}}\n"
     "traffic:\n  - {name: a, from: [r0, r1, r3], to: [r2, r4], tcp: {size: 200kB}}\n",
     false},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

typedef struct digests {
    uint64_t event, state, hops;
} digests;

static digests run(const char *text, const char *end, const char *extra)
{
    char all[4096];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(all, sizeof all, "weir: 1\nduration: %s\n%s%s", end, text, extra);
    expect_ok(diag, run_text(diag, all, WEIR_TEST_DATA, NULL, 0, &result));
    const digests d = {result.event_digest, result.state_digest, result.packet_hops};
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return d;
}

static void expect_same(const char *name, const char *what, digests a, digests b)
{
    if (a.event != b.event || a.state != b.state || a.hops != b.hops)
        fail_msg("%s, %s: digests %016llx %016llx, %llu hops, and %016llx %016llx, %llu hops", name, what,
                 (unsigned long long)a.event, (unsigned long long)a.state, (unsigned long long)a.hops,
                 (unsigned long long)b.event, (unsigned long long)b.state, (unsigned long long)b.hops);
}

enum { STEP = SANITIZED ? 13 : 3 };

static void again(void **state)
{
    (void)state;
    for (int i = 0; i < SCENARIOS; i += STEP) {
        const digests d = run(scenarios[i].text, span("1s", "0.4s"), "");
        assert_true(d.hops > 150);
        expect_same(scenarios[i].name, "run twice", d, run(scenarios[i].text, span("1s", "0.4s"), ""));
        if (!scenarios[i].random)
            continue;
        if (run(scenarios[i].text, span("1s", "0.4s"), "run: 1\n").event == d.event)
            fail_msg("%s: another replication has the same digest", scenarios[i].name);
        if (run(scenarios[i].text, span("1s", "0.4s"), "seed: 2\n").event == d.event)
            fail_msg("%s: another seed has the same digest", scenarios[i].name);
    }
}

/* How often a run is looked at, and what is written of it, is no part of the simulation. */
static void watched(void **state)
{
    (void)state;
    static const char *const watching[] = {"output: {interval: 1ms}\n",
                                           "output: {interval: 0.2s, ports: none}\n",
                                           "output: {interval: 33ms, cwnd: a, ports: all}\n"};
    for (int i = 0; i < SCENARIOS; i += STEP) {
        const digests d = run(scenarios[i].text, span("0.5s", "0.3s"), "");
        for (int k = 0; k < 3; k++)
            if (k < 2 || strcmp(scenarios[i].name, "UDP") != 0)
                expect_same(scenarios[i].name, watching[k], d,
                            run(scenarios[i].text, span("0.5s", "0.3s"), watching[k]));
    }
}

/* Histograms are counters, which are state; the events stay the same. */
static void histograms(void **state)
{
    (void)state;
    for (int i = 0; i < SCENARIOS; i += STEP)
        assert_true(run(scenarios[i].text, span("0.5s", "0.3s"), "output: {histograms: false}\n").event ==
                    run(scenarios[i].text, span("0.5s", "0.3s"), "output: {histograms: true}\n").event);
}

/* One piece or many: stop points change nothing. */
static void in_pieces(void **state)
{
    (void)state;
    for (int i = 0; i < SCENARIOS; i += STEP) {
        uint64_t event[2], sim_state[2];
        for (int pieces = 0; pieces < 2; pieces++) {
            net_run *r = net_run_new(WEIR_1 "%s", scenarios[i].text);
            const weir_time end = nightly() ? SEC : 2 * SEC / 5;
            for (weir_time at = 0; pieces && at < end; at += 777 * US)
                net_run_until(r, at);
            net_run_until(r, end);
            event[pieces] = weir_sim_event_digest(r->sim);
            sim_state[pieces] = weir_sim_state_digest(r->sim);
            net_run_end(r);
        }
        assert_true(event[0] == event[1] && sim_state[0] == sim_state[1]);
    }
}

static void conservative_engine(void **state)
{
    (void)state;
    static const char *const threads[] = {"engine: {type: conservative, threads: 1}\n",
                                          "engine: {type: conservative, threads: 3}\n"};
    for (size_t i = 0; i < SCENARIOS; i += STEP)
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
            expect_same(scenarios[i].name, threads[k], run(scenarios[i].text, "0.3s", ""),
                        run(scenarios[i].text, "0.3s", threads[k]));
}

/* Each event handled, rolled back, handled again: no write without its touch, no memory outside the state. */
static void check_engine(void **state)
{
    (void)state;
    for (int i = 0; i < SCENARIOS; i++)
        if (is_run((size_t)i, 0, SANITIZED ? 9 : 4))
            expect_same(scenarios[i].name, "check engine", run(scenarios[i].text, "0.2s", ""),
                        run(scenarios[i].text, "0.2s", "engine: {type: check}\n"));
}

static void expect_caught(net_run *r, const char *what)
{
    weir_diag *diag = weir_diag_new();
    assert_int_equal(wi_net_check(diag, r->net, r->sim), WEIR_E_CHECK);
    assert_true(weir_diag_count(diag) > 0);
    if (!strstr(weir_diag_get(diag, 0)->text, what))
        fail_msg("'%s' is not about %s", weir_diag_get(diag, 0)->text, what);
    weir_diag_free(diag);
}

/* One count off by one, each in turn: the check must see it, and be content again when it is put right. */
static void conservation_bites(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 "%s", scenarios[0].text);
    net_run_until(r, 2 * SEC);
    expect_ok(r->diag, wi_net_check(r->diag, r->net, r->sim));
    const uint32_t e = net_run_entity(r, "left->right");
    net_port *port = weir_sim_state(r->sim, e);
    net_tx *tx = weir_sim_slot(r->sim, NET_POOL_TX, r->net->flow_tx[0]);
    net_rx *rx = weir_sim_slot(r->sim, NET_POOL_RX, r->net->flow_rx[0]);
    int64_t *counter =
        (int64_t *)weir_sim_counters(r->sim) + (uint64_t)r->net->flow_tx[0] * NET_FLOW_COUNTERS;
    uint64_t *const counts[] = {&port->packets, &port->dropped[0], &tx->packets,
                                &tx->acks,      &rx->packets,      &rx->acks};
    static const char *const what[] = {"packets", "packets", "data", "ACKs", "data", "ACKs"};
    for (int i = 0; i < 6; i++) {
        (*counts[i])++;
        expect_caught(r, what[i]);
        (*counts[i])--;
    }
    counter[NET_COUNT_DROPPED]--;
    expect_caught(r, "data");
    counter[NET_COUNT_DROPPED]++;
    counter[NET_COUNT_ACK_DROPPED]++;
    expect_caught(r, "ACKs");
    counter[NET_COUNT_ACK_DROPPED]--;
    net_run_end(r);

    /* Flows that come and go are counted by their class. */
    r = net_run_new(WEIR_1 "%s", scenarios[8].text);
    net_run_until(r, 2 * SEC);
    int64_t *classes = (int64_t *)weir_sim_counters(r->sim) + wi_net_world(r->net)->c_class;
    static const int of_class[] = {NET_COUNT_OLD_SENT, NET_COUNT_OLD_ACKS, NET_COUNT_OLD_DELIVERED,
                                   NET_COUNT_OLD_ACK_SENT, NET_COUNT_STRAY};
    for (int i = 0; i < 5; i++) {
        classes[of_class[i]]++;
        expect_caught(r, "class 0");
        classes[of_class[i]]--;
    }
    net_run_end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(again),
                                       cmocka_unit_test(watched),
                                       cmocka_unit_test(histograms),
                                       cmocka_unit_test(in_pieces),
                                       cmocka_unit_test(check_engine),
                                       cmocka_unit_test(conservative_engine),
                                       cmocka_unit_test(conservation_bites)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
