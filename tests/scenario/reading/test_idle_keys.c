/*
 * Keys that are given and change nothing are warned of, in their line, and a control that does not fit its paths; the same key where it
 * counts is not, nor is a resolved scenario for giving every key.
 */
#include "scenario/load.h"

#include "scenario/run_text.h"

#define HEAD "weir: 1\nduration: 50ms\n"
#define DUMBBELL                                        \
    "topology: {generate: {model: dumbbell, left: 2}, " \
    "queue: {type: red, ecn: true, limit: 100kB, min: 10kB, max: 50kB}}\n"
#define FAST                                                                                              \
    "topology: {generate: {model: dumbbell, bottleneck_rate: 10Tbps, access_rate: 10Tbps, access_delay: " \
    "1ns, "                                                                                               \
    "bottleneck_delay: 1ns}}\n"
#define CLASS(transport) "traffic: [{name: f, from: l0, to: r0, tcp: {" transport "}}]\n"
#define SLOW(packets)                                                                                    \
    "weir: 1\nduration: 300s\ntopology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 1kbps}, " \
    "queue: {limit_packets: " #packets "}}\n"
#define SIZED "size: 10kB, arrivals: {poisson: 9/s}"

typedef struct idle_case {
    const char *text;
    const char *said; /* of the only warning; null: none */
    int line;         /* 0: it has none */
} idle_case;

#define IC(keys, job)          \
    "weir: 1\nduration: 5us\n" \
    "model:\n  interconnect:\n" keys "    jobs: [{" job "}]\n"
#define MESH(keys) HEAD "model: {wireless: {" keys "}}\n"

static const idle_case cases[] = {
    {IC("    bias: 4\n", ""), NULL, 0}, /* a study may vary the routing */
    {IC("", "grid: 8x9"), "grid has no effect", 5},
    {IC("", "grid: 8x9, pattern: stencil"), NULL, 0},
    {IC("", "grid: 2x2, ranks: 4, program: [{do: exchange}]"), NULL, 0},
    {IC("", "grid: 2x2, ranks: 4, program: [{do: barrier}]"), "grid has no effect", 5},
    {IC("    surrogate: {batch: 1us, periods: [{from: 3us, until: 4us, track: 1us}]}\n", "load: 20%"),
     "batch has no effect", 5},
    {IC("    surrogate: {tolerance: 9%, periods: [{from: 3us, until: 4us, track: 1us}], when: always}\n",
        "load: 50%"),
     NULL, 0},
    {IC("", "shift: 2"), "shift has no effect", 5},
    {IC("", "range: 4, pattern: tornado"), "range has no effect", 5},
    {IC("", "range: 4, shift: 2, pattern: group-shift"), NULL, 0},
    {IC("", "load: 20%, pattern: ping-pong"), "load has no effect", 5},
    {IC("", "arrivals: periodic, pattern: ping-pong"), "arrivals has no effect", 5},
    {MESH("slot: 1ms"), "slot has no effect", 3},
    {MESH("slot: 1ms, access: slotted"), NULL, 0},
    {MESH("window: 4, access: aloha"), "window has no effect", 3},
    {MESH("window: 4, slot: 20us, access: csma"), NULL, 0},
    {MESH("reply_mbps: 12, replies: none"), "reply_mbps has no effect", 3},
    {MESH("reply_mbps: 12"), NULL, 0},
    {MESH("nodes: 3, range_m: 0.001"), "wireless: 3 of 3 nodes have no other node within range_m", 3},
    {HEAD "model: {mgk: {queues: 2, load: 99%}}\n",
     "all begin empty and take about 10 s to fill, so that means are some 100 % below theory", 3},
    {HEAD "model: {mgk: {queues: 2, load: 10%}}\n", "all begin empty and take about 0.00423 s to fill", 3},
    {HEAD "model: {mgk: {queues: 2, load: 10%}}\noutput: {warmup: 10ms}\n", NULL, 0},
    {HEAD "model: {jackson: {leave: 50%}}\n", "all begin empty and take about 0.009 s to fill", 3},
    {HEAD "model: {jackson: {leave: 50%}}\noutput: {warmup: 25ms}\n", NULL, 0},
    {HEAD "model: {kademlia: {peers: 9, bootstrap: 10ms}}\n", "kademlia: peers join until 0.01 s, and those",
     3},
    {HEAD "model: {kademlia: {peers: 9, bootstrap: 10ms}}\noutput: {warmup: 10ms}\n", NULL, 0},
    {HEAD DUMBBELL CLASS(""), NULL, 0},
    /* 64 bytes at 3 Tb/s are 170.67 ps: 171 ps, 0.2 % slower; at 4 Tb/s 128 ps */
    {"weir: 1\nduration: 10ns\n" FAST
     "traffic: [{name: u, from: l0, to: r0, udp: {rate: 3Tbps, packet: 64B}}]\n",
     "class 'u': packets of 64 bytes at 3e+12 bit/s are 170.7 ps apart, in whole ps 171: it sends 2.994e+12 "
     "bit/s",
     4},
    {"weir: 1\nduration: 10ns\n" FAST
     "traffic: [{name: u, from: l0, to: r0, udp: {rate: 4Tbps, packet: 64B}}]\n",
     NULL, 0},
    {"weir: 1\nduration: 10ns\n" FAST
     "traffic: [{name: u, from: l0, to: r0, udp: {rate: 3Tbps, packet: 64B, pattern: poisson}}]\n",
     NULL, 0},
    {IC("    terminal: {rate: 7Tbps, buffer: 256KiB}\n", ""),
     "interconnect: a chunk of 64 bytes at the terminal rate takes 73.14 ps, in whole ps 7", 5},
    {HEAD DUMBBELL CLASS("") "output: {interval: 60ms}\n",
     "interval is more than duration, so that no sample", 5},
    {HEAD DUMBBELL CLASS("") "output: {interval: 50ms}\n", NULL, 0},
    {HEAD "topology: {generate: {model: dumbbell, bottleneck_rate: 1kbps}, queue: {limit: 1GB}}\n" CLASS(""),
     "a queue's limit of 1GB is more than a line of 1kbps sends in a million seconds; it holds 125MB", 0},
    {HEAD DUMBBELL CLASS("") "fluid: {step: 1ms}\n", "fluid has no effect", 5},
    {HEAD DUMBBELL
     "traffic: [{name: f, from: l0, to: r0, tcp: {}, fidelity: fluid}]\nfluid: {step: 50us, device: cpu}\n",
     NULL, 0},
    {HEAD DUMBBELL CLASS("") "routing: {convergence: 1s}\n", "convergence has no effect", 5},
    {HEAD DUMBBELL CLASS(
         "handshake: true") "routing: {convergence: 1s}\nevents: [{at: 10ms, fail: {link: l1--left}}]\n",
     NULL, 0},
    {HEAD DUMBBELL CLASS("") "steady: {error: 3%}\n", "error has no effect", 5},
    {HEAD DUMBBELL CLASS("") "steady: {error: 3%, skip: true}\n", NULL, 0},
    {HEAD DUMBBELL CLASS("max_flows: 7"), "max_flows has no effect", 4},
    {HEAD DUMBBELL CLASS("max_flows: 7, " SIZED), NULL, 0},
    {HEAD DUMBBELL CLASS("sessions: 2, " SIZED), "sessions has no effect", 4},
    {HEAD DUMBBELL CLASS("sessions: 2, size: 10kB, arrivals: {all: 3}"), "sessions has no effect", 4},
    {HEAD DUMBBELL CLASS("sessions: 2, size: 10kB"), NULL, 0},
    {HEAD DUMBBELL CLASS("delayed_ack: 1, delayed_ack_timeout: 100ms"), "delayed_ack_timeout has no effect",
     4},
    {HEAD DUMBBELL CLASS("delayed_ack: 1, delayed_ack_timeout: 40ms"), NULL, 0},
    {HEAD DUMBBELL CLASS("delayed_ack_timeout: 100ms"), NULL, 0},
    {HEAD DUMBBELL CLASS("recovery: sack, tail_probes: false"), "tail_probes has no effect", 4},
    {HEAD DUMBBELL CLASS("recovery: rack, tail_probes: false"), NULL, 0},
    {HEAD DUMBBELL CLASS(SIZED) "output: {cwnd: f}\n", "cwnd: flows of class 'f' come by arrivals", 5},
    {HEAD DUMBBELL CLASS("size: 10kB, arrivals: {all: 3}") "output: {cwnd: f}\n", NULL, 0},
    {HEAD DUMBBELL CLASS("congestion: timely, min_rate: 1Mbps, t_high: 1ms"),
     "class 'f': an idle path takes 45478.4 us", 4},
    {HEAD DUMBBELL CLASS("congestion: timely, min_rate: 9Mbps, t_high: 46ms"), NULL, 0},
    {HEAD DUMBBELL CLASS("congestion: timely, min_rate: 1Mbps, t_low: 60ms, t_high: 90ms"),
     "class 'f': an idle path and a full queue here take 5", 4},
    {HEAD DUMBBELL CLASS("congestion: timely, min_rate: 1Mbps, t_low: 46ms, t_high: 90ms"), NULL, 0},
    {HEAD DUMBBELL CLASS("congestion: timely, t_high: 46ms"),
     "class 'f': min_rate, 100Mbps, is no less than the rate of the slowest link, 10Mbps", 4},
    {HEAD DUMBBELL CLASS("congestion: dcqcn, min_rate: 10Mbps"), "class 'f': min_rate, 10Mbps, is no less",
     4},
    {HEAD DUMBBELL CLASS("congestion: dcqcn, min_rate: 9Mbps"), NULL, 0},
    {HEAD DUMBBELL CLASS("congestion: powertcp, expected_flows: 5"),
     "class 'f': each flow of congestion 'powertcp' keeps", 4},
    {HEAD DUMBBELL CLASS("congestion: theta_powertcp, expected_flows: 9"), NULL, 0},
    {HEAD DUMBBELL "traffic: [{name: f, from: l0, to: [r0, r1, r0], tcp: {}}]\n",
     "class 'f': 'r0' is named twice, and has twice the flows", 4},
    {HEAD DUMBBELL "traffic: [{name: f, from: l0, to: [r0, 'r[0-1]'], tcp: {}}]\n", NULL, 0},
    {HEAD DUMBBELL CLASS("ecn: true"), NULL, 0},
    {HEAD "topology: {generate: {model: dumbbell}}\n" CLASS("ecn: true"), "class 'f': ecn has no effect", 4},
    {HEAD "topology: {generate: {model: dumbbell}, queue: {type: codel, ecn: true}}\n" CLASS("ecn: true"),
     NULL, 0},
    {HEAD "topology: {generate: {model: dumbbell}, access: {rate: 1Mbps}}\n" CLASS(""),
     "topology.access has no effect", 3},
    {HEAD "topology: {generate: {model: dumbbell}, access: {rate: 1Mbps}}\n"
          "traffic: [{name: f, from: left, to: right, tcp: {}}]\n",
     NULL, 0},
    {HEAD "topology: {generate: {model: dumbbell}, signal_speed: 100000}\n" CLASS(""),
     "no link's delay comes from coordinates", 0},
    {HEAD "topology: {generate: {model: dumbbell}, access: {rate: 100000Mbps, delay: 0.01ms}}\n" CLASS(""),
     NULL, 0},
    {HEAD "topology: {generate: {model: dumbbell}, access: {delay: 1ms}}\n"
          "traffic: [{name: f, from: left, to: right, fidelity: fluid, tcp: {}}]\nfluid: {device: cpu}\n",
     NULL, 0},
    {HEAD "topology: {generate: {model: dumbbell}, access: {rate: 1Mbps}}\n"
          "traffic: [{name: f, from: left, to: right, tcp: {" SIZED "}}]\n",
     NULL, 0},
    {HEAD "topology: {file: degree.graphml, signal_speed: 100000}\n"
          "traffic: [{name: f, tcp: {}, from: A, to: B}]\n",
     NULL, 0},
    /* 65 links and 64 */
    {HEAD "topology: {generate: {model: line, routers: 64}}\n"
          "traffic: [{name: f, from: h0, to: h63, tcp: {}}]\n",
     "class 'f': from 'h0' to 'h63' there are more links than routing.ttl, which is 64", 4},
    {HEAD "topology: {generate: {model: line, routers: 64}}\n"
          "traffic: [{name: f, from: h0, to: h62, tcp: {}}]\n",
     NULL, 0},
    /* 12 s a packet: 12 there, as much back, and one there are 300 s; 11 are 276 s. UDP is not answered. */
    {SLOW(12) "traffic: [{name: f, from: l0, to: r0, tcp: {}}, {name: u, from: l0, to: r0, udp: {rate: "
              "1kbps}}]\n",
     "class 'f': from 'l0' to 'r0' and back takes 300", 4},
    {SLOW(11) "traffic: [{name: f, from: l0, to: r0, tcp: {}}, {name: u, from: l0, to: r0, udp: {rate: "
              "1kbps}}]\n",
     NULL, 0},
    {SLOW(12) "traffic: [{name: u, from: l0, to: r0, udp: {rate: 1kbps}}]\n", NULL, 0},
    {SLOW(12) "traffic: [{name: f, from: l0, to: r0, tcp: {window: 15kB}}]\n", NULL, 0},
    {HEAD DUMBBELL CLASS("") "routing: {metric: weight}\n", "the topology gives no weights", 0},
    {HEAD DUMBBELL CLASS("") "routing: {metric: delay}\n", NULL, 0},
};

static void expect(const idle_case *c, const char *text, const char *which)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result));
    const weir_message *m = weir_diag_get(diag, 0);
    const size_t want = c->said ? 1 : 0;
    if (weir_diag_count(diag) != want ||
        (m && (strncmp(m->text, c->said, strlen(c->said)) != 0 || (which[0] == 'g' && m->line != c->line))))
        fail_msg("%s: %zu messages, the first in line %d: '%s'; want '%s' in line %d; of:\n%s", which,
                 weir_diag_count(diag), m ? m->line : 0, m ? m->text : "", c->said ? c->said : "none",
                 c->line, text);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void given_in_vain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&cases[i], cases[i].text, "given");
}

static void resolved(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario = NULL;
        char *text = NULL;
        size_t size = 0;
        expect_ok(diag, weir_scenario_parse(diag, "s.yaml", cases[i].text, strlen(cases[i].text),
                                            WEIR_TEST_DATA, NULL, 0, &scenario));
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        expect_ok(diag, weir_scenario_write(diag, scenario, out));
        fclose(out);
        expect(&cases[i], text, "resolved");
        free(text);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(given_in_vain), cmocka_unit_test(resolved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
