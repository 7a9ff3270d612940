/*
 * HPCC (Li and others, SIGCOMM 2019) in packet networks: over rates, round trips, numbers of flows and steps, on lossless
 * switches, FIFO ports and ports that decide at departure, the load that settles is eta + n W_AI / (B T), utilisation and queue
 * together, flows share evenly, and nothing is lost. On a parking lot each line has its own of these. An incast's queue is gone
 * after a few round trips. Round trips and rates left open are the network's; what does not go together is refused at its place;
 * all engines give the same digests, whatever the ports are; times of more than 48 bits come round.
 *
 * label: slow statistics
 */
#include "scenario/run_summary.h"
#include "nightly.h"

static const char head[] = "weir: 1\nduration: %gus\nseed: 3\ntopology:\n  generate: {model: star, hosts: "
                           "%d, access_rate: %gGbps, access_delay: %gus}\n%s";

/* n flows into one port, their round trip T; the second half counts. */
typedef struct settled {
    double load, utilisation, jain, dropped;
} settled;

static settled settle(const char *ports, int n, double gbps, double delay_us, double step)
{
    const double packet_us = 12.0 / gbps, base_us = 4.0 * delay_us + 2.0 * packet_us + 0.64 / gbps;
    const double end_us = 800.0 * base_us;
    char text[12000];
    int at = snprintf(text, sizeof text, head, end_us, n + 1, gbps, delay_us, ports);
    at += snprintf(text + at, sizeof text - (size_t)at, "traffic:\n");
    for (int i = 1; i <= n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "- {name: f%d, from: h%d, to: h0, start: %gns, tcp: {congestion: hpcc, window: 16MB, "
                       "ai_rate: %gMbps}}\n",
                       i, i, i * 100.0 * base_us, step * gbps * 1e3);
    snprintf(text + at, sizeof text - (size_t)at, "output: {warmup: %gus}\n", 0.5 * end_us);
    json_t *s = summary_of(text, NULL, 0, NULL);
    double sum = 0.0, squares = 0.0, rtt_s = 0.0;
    settled r = {0};
    for (int i = 0; i < n; i++) {
        const double x = class_number(s, (size_t)i, NULL, "goodput_bps");
        sum += x;
        squares += x * x;
        rtt_s += x * class_number(s, (size_t)i, NULL, "rtt_mean_s");
        r.dropped += class_number(s, (size_t)i, NULL, "packets_dropped");
    }
    json_decref(s);
    r.utilisation = sum * 1500.0 / 1460.0 / (gbps * 1e9);
    r.load = r.utilisation + (rtt_s / sum * 1e6 - base_us) / base_us;
    r.jain = sum * sum / (n * squares);
    return r;
}

/* The window of each flow is two packets at least; with less, flows go by single packets, and leave up to a quarter. */
static void the_load_is_as_solved(void **state)
{
    (void)state;
    static const char *const ports[] = {"  shared_buffer: {size: 32MB, pfc: {}}\n",
                                        "  queue: {limit: 16MB}\n",
                                        "  queue: {type: priority, limit: 16MB}\n"};
    static const double lines[][2] = {{10.0, 20.0}, {40.0, 10.0}, {100.0, 2.0}};
    static const int flows[] = {1, 2, 8, 32};
    static const double steps[] = {0.0004, 0.0025};
    for (size_t p = 0; p < 3; p++)
        for (size_t l = 0; l < 3; l++)
            for (size_t n = 0; n < 4; n++)
                for (size_t k = 0; k < 2; k++) {
                    if (!is_run(((p * 3 + l) * 4 + n) * 2 + k, 0, 13))
                        continue;
                    const double want = 0.95 + flows[n] * steps[k];
                    const settled s = settle(ports[p], flows[n], lines[l][0], lines[l][1], steps[k]);
                    if (!(fabs(s.load / want - 1.0) <= 0.01 && s.jain > 0.985 && s.dropped == 0.0 &&
                          s.utilisation > 0.92 && s.utilisation <= 1.0))
                        fail_msg(
                            "%s%d flows, %g Gb/s, %g us, step %g: load %g, want %g; utilisation %g, Jain "
                            "%g, %g dropped",
                            ports[p], flows[n], lines[l][0], lines[l][1], steps[k], s.load, want,
                            s.utilisation, s.jain, s.dropped);
                }
}

/* Four routers in a row, a flow over the three lines between, one more over each, and two more over the first. */
static void a_parking_lot(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 60ms\ntopology:\n  generate: {model: grid, width: 4, height: 1, rate: 10Gbps, "
        "delay: "
        "5us}\n  access: {rate: 100Gbps, delay: 1us}\n  shared_buffer: {size: 9MB, pfc: {}}\ntraffic:\n"
        "- {name: long, from: r0_0, to: r3_0, tcp: {congestion: hpcc, window: 4MB, base_rtt: 60us, "
        "line_rate: "
        "10Gbps, ai_rate: 10Mbps}}\n"
        "- {name: first, from: r0_0, to: r1_0, tcp: {congestion: hpcc, window: 4MB, base_rtt: 60us, "
        "line_rate: "
        "10Gbps, ai_rate: 10Mbps, sessions: 3}}\n"
        "- {name: second, from: r1_0, to: r2_0, tcp: {congestion: hpcc, window: 4MB, base_rtt: 60us, "
        "line_rate: "
        "10Gbps, ai_rate: 10Mbps}}\n"
        "- {name: third, from: r2_0, to: r3_0, tcp: {congestion: hpcc, window: 4MB, base_rtt: 60us, "
        "line_rate: "
        "10Gbps, ai_rate: 10Mbps}}\noutput: {warmup: 40ms}\n";
    json_t *s = summary_of(text, NULL, 0, NULL);
    /* As in tests/net/test_hpcc.c, parking_lots. The long flow hears the most loaded of three lines, each of which varies. */
    const double first = 0.95 + 4 * 0.001, w = first / 4.0, sum = 0.95 + 0.001 + w;
    const double other = 0.5 * (sum + sqrt(sum * sum - 4.0 * 0.95 * w)) - w;
    const double want[] = {w, 3.0 * w, other, other};
    for (size_t i = 0; i < 4; i++) {
        const double got = class_number(s, i, NULL, "goodput_bps") * 1500.0 / 1460.0 / 10e9;
        if (!(fabs(got / want[i] - 1.0) <= (i ? 0.04 : 0.08)))
            fail_msg("class %zu has %g of a line, want %g", i, got, want[i]);
    }
    json_decref(s);
}

/* 16 flows begin at once at the line's rate: a queue of 15 B T, before the first answer comes. Ports that decide at departure tell
 * of what is behind a packet, and the flows end within a fifth of what the line needs; others tell of what it found as it came,
 * which is then old by its wait: within a half. Nothing is lost but where the queue is shorter, and there all arrives too. */
static void an_incast(void **state)
{
    (void)state;
    static const struct {
        const char *ports;
        double most;
        bool loses;
    } all[] = {{"  shared_buffer: {size: 32MB, pfc: {}}\n", 1.2, false},
               {"  queue: {type: priority, limit: 16MB}\n", 1.2, false},
               {"  queue: {limit: 16MB}\n", 1.5, false},
               {"  shared_buffer: {size: 16MB, alpha: 8}\n", 1.5, false},
               {"  queue: {type: priority, limit: 200kB}\n", 2.0, true},
               {"  queue: {limit: 200kB}\n", 3.0, true}};
    for (size_t p = 0; p < sizeof all / sizeof *all; p++) {
        char text[900];
        int at = snprintf(text, sizeof text, head, 50000.0, 17, 25.0, 2.0, all[p].ports);
        snprintf(
            text + at, sizeof text - (size_t)at,
            "traffic: [{name: a, from: 'h[1-16]', to: h0, tcp: {congestion: hpcc, size: 500kB, handshake: "
            "false, rto_min: 1ms}}]\n");
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double line_s = 16 * (500e3 + 40.0 * 343) * 8 / 25e9,
                     got = class_number(s, 0, NULL, "makespan_s");
        assert_true(class_number(s, 0, NULL, "completed") == 16.0);
        if (!(got >= line_s && got <= all[p].most * line_s))
            fail_msg("%s%g s, the line needs %g", all[p].ports, got, line_s);
        assert_true((class_number(s, 0, NULL, "packets_dropped") > 0.0) == all[p].loses);
        json_decref(s);
    }
}

/* Other traffic is load too: beside 6 Gb/s of UDP a flow has what is left of 9.5. */
static void beside_udp(void **state)
{
    (void)state;
    char text[900];
    int at = snprintf(text, sizeof text, head, 20000.0, 3, 10.0, 10.0, "  queue: {limit: 1MB}\n");
    snprintf(
        text + at, sizeof text - (size_t)at,
        "traffic: [{name: a, from: h1, to: h0, tcp: {congestion: hpcc}}, {name: b, from: h2, to: h0, udp: "
        "{rate: 6Gbps, packet: 1500B}}]\noutput: {warmup: 10ms}\n");
    const double got = run_for(text, NULL, 0, "goodput_bps") * 1500.0 / 1460.0;
    if (!(fabs(got - 3.5e9) <= 0.15e9))
        fail_msg("%g bit/s", got);
}

static void what_is_left_open(void **state)
{
    (void)state;
    char text[900];
    int at = snprintf(text, sizeof text, head, 3000.0, 3, 10.0, 10.0, "");
    snprintf(text + at, sizeof text - (size_t)at,
             "traffic: [{name: a, from: h1, to: h0, tcp: {congestion: hpcc}}]\n");
    static const char *const same[] = {"traffic.a.tcp.base_rtt=42464ns", "traffic.a.tcp.line_rate=10Gbps",
                                       "traffic.a.tcp.ai_rate=4Mbps",    "traffic.a.tcp.target_load=95%",
                                       "traffic.a.tcp.max_stage=5",      "traffic.a.tcp.delayed_ack=1"};
    static const char *const other[] = {"traffic.a.tcp.base_rtt=80us", "traffic.a.tcp.line_rate=5Gbps",
                                        "traffic.a.tcp.ai_rate=400Mbps", "traffic.a.tcp.target_load=50%",
                                        "traffic.a.tcp.max_stage=0"};
    weir_run_result want, got;
    json_decref(summary_of(text, NULL, 0, &want));
    json_decref(summary_of(text, same, 6, &got));
    assert_int_equal(got.event_digest, want.event_digest);
    for (size_t i = 0; i < 5; i++) {
        json_decref(summary_of(text, &other[i], 1, &got));
        if (got.event_digest == want.event_digest)
            fail_msg("%s changes nothing", other[i]);
    }
}

static void engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    static const char *const networks[] = {
        "  shared_buffer: {size: 400kB, pfc: {}}\nrouting: {ecmp: true}\n",
        "  shared_buffer: {size: 100kB}\nrouting: {ecmp: true, spray: true}\n",
        "  queue: {limit: 40kB}\n  loss: 1%\nrouting: {ecmp: true, spray: true}\n",
        "  queue: {limit_packets: 30}\n  links: [{link: 'e*--a*', jitter: {mean: 3us}, duplication: 2%}]\n"
        "routing: {ecmp: true}\n",
        "  queue: {type: fq_codel, target: 20us, interval: 1ms}\nrouting: {forwarding: source}\n",
        "  queue: {type: pie, target: 20us, update: 100us}\n  host_queue: {type: priority}\n",
        "  queue: {limit: 40kB}\nevents: [{at: 300us, fail: {node: c0}}]\n"};
    static const char traffic[] =
        "traffic:\n- {name: a, from: 'h[1-9]', to: h0, tcp: {congestion: hpcc, size: 60kB, rto_min: 1ms}}\n"
        "- {name: b, pairs: permutation, tcp: {congestion: hpcc, window: 30MB, mss: 1000B}}\n"
        "- {name: c, from: h3, to: h12, tcp: {congestion: hpcc, size: 3kB, request: {size: 100B}}}\n"
        "- {name: d, pairs: permutation, tcp: {congestion: hpcc, size: 9kB, arrivals: {poisson: 20000/s}}}\n"
        "- {name: e, from: h5, to: h6, tcp: {size: 200kB}}\n- {name: f, from: h7, to: h6, udp: {rate: "
        "1Gbps}}\n";
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        char text[3000];
        weir_run_result want, got;
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 1ms\nseed: 4\ntopology:\n  generate: {model: fat-tree, k: 4, rate: 10Gbps, "
            "delay: 1us}\n%s%s",
            networks[n], traffic);
        json_decref(summary_of(text, NULL, 0, &want));
        for (size_t e = is_run(n, 2, 5) ? 0 : 1; e < 3; e++) { /* the check engine takes ten times the rest */
            json_decref(summary_of(text, &engines[e], 1, &got));
            if (got.event_digest != want.event_digest || got.state_digest != want.state_digest)
                fail_msg("network %zu, %s", n, engines[e]);
        }
    }
}

/* 48 bits of picoseconds are 281.5 s: round trips and delays go on as before. */
static void times_come_round(void **state)
{
    (void)state;
    json_t *s =
        summary_of("weir: 1\nduration: 300s\ntopology: {generate: {model: star, hosts: 2, access_rate: "
                   "1Mbps, access_delay: 5ms}}\ntraffic: [{name: a, from: h1, to: h0, tcp: {congestion: "
                   "hpcc}}]\noutput: {warmup: 270s}\n",
                   NULL, 0, NULL);
    const double got = class_number(s, 0, NULL, "goodput_bps") * 1500.0 / 1460.0;
    if (!(fabs(got - 950400.0) <= 2000.0))
        fail_msg("%g bit/s", got);
    assert_true(class_number(s, 0, NULL, "retransmissions") == 0.0);
    assert_true(class_number(s, 0, NULL, "rtt_mean_s") < 0.05);
    json_decref(s);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *part;
    } all[] = {{"ecn: true", "ecn: congestion 'hpcc' has no such thing"},
               {"initial_window: 10", "begin with what line_rate carries in base_rtt"},
               {"sack: false", "needs SACK"},
               {"line_rate: 10kbps", "line_rate"},
               {"base_rtt: 10ns", "base_rtt"},
               {"base_rtt: 20s", "base_rtt"},
               {"target_load: 0", "target_load"},
               {"target_load: 110%", "target_load"},
               {"ai_rate: 0bps", "ai_rate"},
               {"max_stage: 1001", "max_stage"},
               {"hai_rate: 1Mbps", "hai_rate"},
               {"gain: 1%", "gain"}};
    for (size_t i = 0; i <= sizeof all / sizeof *all; i++) {
        const bool fluid = i == sizeof all / sizeof *all;
        char run[900];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(
            run, sizeof run,
            "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 3}}\ntraffic:\n- {name: c, "
            "from: h0, to: h1, tcp: {congestion: hpcc%s%s}}\n%s",
            fluid ? "" : ", ", fluid ? "" : all[i].keys,
            fluid ? "- {name: d, from: h2, to: h1, fidelity: fluid, tcp: {}}\n" : "");
        assert_int_not_equal(run_text(diag, run, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, fluid ? "fluid is no part" : all[i].part) || m->line != (fluid ? 6 : 5))
            fail_msg("%s: '%s', line %d", fluid ? "fluid" : all[i].keys, m ? m->text : "", m ? m->line : 0);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_load_is_as_solved),
        cmocka_unit_test(a_parking_lot),
        cmocka_unit_test(an_incast),
        cmocka_unit_test(beside_udp),
        cmocka_unit_test(what_is_left_open),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(times_come_round),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
