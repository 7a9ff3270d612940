/*
 * Mistakes that only the topology brings to light: names that it does not have, pairs without a way, links
 * that are none. Each gives a message at its place and WEIR_E_SCENARIO, and nothing is run.
 */
#include <time.h>

#include "scenario/load.h"

#include "scenario/run_text.h"

#define TWO_LINES "weir: 1\nduration: 1s\n"
#define LINE3 "topology: {generate: {model: line, routers: 3}}\n"

/* Two islands, in data/islands.txt: a - b - c and d - e. */
#define ISLANDS "topology: {file: islands.txt, format: edges, link: {rate: 1Gbps, delay: 2ms}}\n"

/* All messages in order: "LINE:COLUMN: SEVERITY: START OF TEXT". */
static void expect_refused(weir_status status, const char *text, const char *const *messages, size_t n)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    const weir_status st = run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result);
    bool same = st == status && weir_diag_count(diag) == n && result.events == 0 && !result.summary_json;
    for (size_t i = 0; same && i < n; i++) {
        char got[2100];
        weir_message_format(weir_diag_get(diag, i), got, sizeof got);
        const char *start = strncmp(got, "s.yaml:", 7) == 0 ? got + 7 : got;
        same = strncmp(start, messages[i], strlen(messages[i])) == 0;
    }
    if (!same) {
        print_messages(diag);
        fail_msg("%s and %zu messages, want %s and %zu, the first '%s', for:\n%s", weir_status_name(st),
                 weir_diag_count(diag), weir_status_name(status), n, n ? messages[0] : "", text);
    }
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

#define REFUSED(text, ...)                                                                        \
    do {                                                                                          \
        const char *const expected_[] = {__VA_ARGS__};                                            \
        expect_refused(WEIR_E_SCENARIO, text, expected_, sizeof expected_ / sizeof expected_[0]); \
    } while (0)

static void unknown_nodes(void **state)
{
    (void)state;
    REFUSED(TWO_LINES LINE3 "traffic: [{name: a, tcp: {}, from: h0, to: h11}]\n",
            "4:44: error: no node 'h11' in the topology (did you mean 'h1'?)");
    REFUSED(TWO_LINES LINE3 "traffic: [{name: a, tcp: {}, from: [h0, x], to: [h1, y]}]\n",
            "4:41: error: no node 'x' in the topology", "4:54: error: no node 'y' in the topology");
    REFUSED(TWO_LINES LINE3 "traffic:\n  - {name: a, tcp: {}, pairs: [[h0, h1], [h0, R1]]}\n"
                            "  - {name: b, udp: {rate: 1Mbps}, from: h9, to: h1}\n",
            "5:47: error: no node 'R1' in the topology (did you mean 'r1'?)",
            "6:41: error: no node 'h9' in the topology");
}

/* Said from the generator's parameters: making the first of these graphs takes a minute and gigabytes. */
static void pairs_of_too_many(void **state)
{
    (void)state;
    REFUSED(TWO_LINES "topology: {generate: {model: barabasi-albert, N: 16000000}}\n"
                      "traffic: [{name: a, pairs: all, udp: {rate: 1Mbps}}]\n",
            "4:28: error: class 'a' has 255999984000000 pairs of nodes; want at most 100000000");
    REFUSED(TWO_LINES
            "topology: {generate: {model: star, hosts: 20000}}\n"
            "traffic:\n  - {name: a, pairs: permutation, tcp: {}}\n  - {name: b, pairs: all, tcp: {}}\n",
            "6:22: error: class 'b' has 399980000 pairs of nodes; want at most 100000000");
}

/* Ten thousand hosts have fewer pairs than that, whose flows no machine holds: said before the pairs are made. */
static void flows_of_too_many(void **state)
{
    (void)state;
    static const char *const message[] = {"4:28: error: so many flows take about "};
    static const char *const all[] = {"tcp: {window: 1GiB}", "tcp: {window: 1MiB, sessions: 20000}"};
    const clock_t start = clock();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 TWO_LINES "topology: {generate: {model: star, hosts: 10000}}\n"
                           "traffic: [{name: a, pairs: all, %s}]\n",
                 all[i]);
        expect_refused(WEIR_E_NOMEM, text, message, 1);
    }
    assert_true(clock() - start < CLOCKS_PER_SEC); /* some 20 ms; 35 s and 9 GB before */
}

/* A matrix by weights has all pairs too, and they are not counted in a graph of a million nodes. */
static void gravity_of_too_many(void **state)
{
    (void)state;
    REFUSED(TWO_LINES "topology: {generate: {model: barabasi-albert, N: 16000000}}\n"
                      "traffic: [{name: a, gravity: {total: 1Gbps}, udp: {}}]\n",
            "4:30: error: class 'a' has 255999984000000 pairs of nodes; want at most 100000000");
}

static void packet_sizes(void **state)
{
    (void)state;
    REFUSED(TWO_LINES LINE3
            "traffic: [{name: a, from: h0, to: h1, udp: {rate: 1Mbps, packet: {cdf: flows.txt}}}]\n",
            "4:66: error: packet: " WEIR_TEST_DATA "/flows.txt has sizes from 100 to 200000 B; want 28 B");
    REFUSED(
        TWO_LINES LINE3 "traffic: [{name: a, from: h0, to: h1, udp: {rate: 1Mbps, pattern: onoff, "
                        "on_time: 1us, off_time: 1us}}]\n",
        "4:11: error: class 'a': so short bursts and pauses are as good as none between its packets; want "
        "on_time and off_time of 16us or more together");
}

static void self_pairs(void **state)
{
    (void)state;
    REFUSED(TWO_LINES LINE3 "traffic: [{name: a, tcp: {}, pairs: [[h0, h1], [h2, h2]]}]\n",
            "4:48: error: pairs: a pair from 'h2' to itself");
}

static void no_pairs(void **state)
{
    (void)state;
    REFUSED(TWO_LINES LINE3 "traffic: [{name: a, tcp: {}, from: h0, to: h0}]\n",
            "4:44: error: class 'a' sends from 'h0' to itself");
    REFUSED(TWO_LINES
            "topology: {generate: {model: line, routers: 1}}\ntraffic: [{name: a, tcp: {}, pairs: all}]\n",
            "4:37: error: the topology has 1 node");
}

static void no_route(void **state)
{
    (void)state;
    REFUSED(TWO_LINES ISLANDS "traffic:\n  - {name: a, tcp: {}, from: a, to: [b, d]}\n",
            "5:30: error: class 'a': 'a' has no route to 'd'");
    REFUSED(TWO_LINES ISLANDS
            "traffic:\n  - {name: m, tcp: {size: 1kB, arrivals: {poisson: 1/s}},\n     pairs: [[c, e], "
            "[c, a], [e, b]]}\n",
            "6:13: error: class 'm': 'c' has no route to 'e'",
            "6:13: error: class 'm': 'e' has no route to 'b'");
    /* Hosts do not forward, those with several links neither. */
    REFUSED(TWO_LINES "topology: {file: hosts-in-a-row.graphml}\n"
                      "traffic: [{name: a, udp: {rate: 1Mbps}, pairs: all}]\n",
            "4:48: error: class 'a': 'a' has no route to 'c'",
            "4:48: error: class 'a': 'c' has no route to 'a'");
    /* Of many such pairs ten are named. 2 x 3 x 2 = 12 of all 20 pairs lie apart. */
    REFUSED(TWO_LINES ISLANDS "traffic: [{name: a, udp: {rate: 1Mbps}, pairs: all}]\n",
            "4:48: error: class 'a': 'a' has no route to 'd'",
            "4:48: error:", "4:48: error:", "4:48: error:", "4:48: error:", "4:48: error:", "4:48: error:",
            "4:48: error:", "4:48: error:", "4:48: error:", "error: and 2 more pairs without a route");
}

static void unknown_links(void **state)
{
    (void)state;
    static const char traffic[] = "traffic: [{name: a, tcp: {}, from: h0, to: h1}]\n";
    char text[1000];
    snprintf(text, sizeof text,
             TWO_LINES "topology:\n  generate: {model: line, routers: 3}\n  links:\n"
                       "    - {link: r0->r2, rate: 1Mbps}\n%s",
             traffic);
    REFUSED(text, "6:14: error: no link between 'r0' and 'r2'");
    snprintf(text, sizeof text,
             TWO_LINES "topology:\n  generate: {model: line, routers: 3}\n  queues:\n"
                       "    - {link: [r0->r1, r1--r5], limit: 1MB}\n%s",
             traffic);
    REFUSED(text, "6:23: error: no node 'r5' in the topology");
    snprintf(text, sizeof text, TWO_LINES LINE3 "%soutput: {ports: [r0->r1, h0->r1]}\n", traffic);
    REFUSED(text, "5:26: error: no link between 'h0' and 'r1'");
    snprintf(text, sizeof text, TWO_LINES LINE3 "%soutput: {ports: [r0->rr]}\n", traffic);
    REFUSED(text, "5:18: error: no node 'rr' in the topology");
}

static void unusable_sizes(void **state)
{
    (void)state;
    REFUSED(TWO_LINES LINE3
            "traffic:\n  - {name: a, from: h0, to: h1, tcp: {size: 1kB, request: {size: 70kB}}}\n",
            "5:66: error: size is 70kB; want at most 65495B");
}

/* Times in ACKs come round after 2^44 * 16 ps = 281.5 s, or with AccECN and many segments 2^29 * 2^16 ps = 35.2 s. */
static void ways_of_minutes(void **state)
{
    (void)state;
#define FAR "topology: {generate: {model: dumbbell, left: 1, bottleneck_delay: 150s}}\n"
#define NEAR "topology: {generate: {model: dumbbell, left: 1, bottleneck_delay: 20s}}\n"
    REFUSED(
        "weir: 1\nduration: 300s\n" FAR "traffic: [{name: a, tcp: {}, from: l0, to: r0}]\n",
        "4:36: error: class 'a': an idle path from 'l0' to 'r0' and back takes 300 s, and times in ACKs come "
        "round after 281.5 s; want smaller delays, or faster links");
    REFUSED("weir: 1\nduration: 60s\n" NEAR
            "traffic: [{name: a, tcp: {ecn: accurate, window: 1GiB}, from: l0, to: r0}]\n",
            "4:63: error: class 'a': an idle path from 'l0' to 'r0' and back takes 40.01 s, and times in "
            "ACKs come "
            "round after 35.18 s; want smaller delays, or faster links, or a window of no more than 16,384");
#undef FAR
#undef NEAR
}

/* Time ends after 2^63 ps, 106.75 days. */
static void delays_past_the_end(void **state)
{
    (void)state;
    REFUSED("weir: 1\nduration: 100d\ntopology: {generate: {model: dumbbell, bottleneck_delay: 7d}}\n"
            "traffic: [{name: u, udp: {rate: 1bps}, from: l0, to: r0}]\n",
            "error: a link of 'left' has a delay of 7d, and the duration is 100d: both together are past the "
            "last time");
    REFUSED("weir: 1\nduration: 100d\ntopology: {generate: {model: dumbbell}, access: {delay: 7d}}\n"
            "traffic: [{name: u, udp: {rate: 1bps}, from: left, to: right}]\n",
            "error: a link of 'left' has a delay of 7d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_nodes),     cmocka_unit_test(pairs_of_too_many),
        cmocka_unit_test(flows_of_too_many), cmocka_unit_test(gravity_of_too_many),
        cmocka_unit_test(packet_sizes),      cmocka_unit_test(self_pairs),
        cmocka_unit_test(no_pairs),          cmocka_unit_test(no_route),
        cmocka_unit_test(unknown_links),     cmocka_unit_test(unusable_sizes),
        cmocka_unit_test(ways_of_minutes),   cmocka_unit_test(delays_past_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
