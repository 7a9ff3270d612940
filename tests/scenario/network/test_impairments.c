/*
 * Links that lose in bursts, delay unevenly, reorder and duplicate, in whole networks: packets counted by hand, delays
 * by the law of the jitter, TCP under reordering (nothing is retransmitted while order is kept, or less than three segments
 * overtake; RACK bears much more than duplicate ACKs do), engines that agree to the digest, mistakes at their place. Conservation
 * is checked at the end of every run.
 * label: slow statistics
 */
#include "scenario/engine_digests.h"
#include "scenario/load.h"
#include "scenario/net_run.h"
#include "scenario/run_text.h"

/* Hosts l0, l1, .. and r0, r1, .. on routers left and right. */
#define DUMBBELL                                                                                          \
    "weir: 1\nduration: 1d\nseed: 3\ntopology:\n  generate: {model: dumbbell, left: 2, bottleneck_rate: " \
    "10Mbps, "                                                                                            \
    "bottleneck_delay: 5ms}\n"

/* 500 packets through two links that double each: four of each arrive, those of the first link's copies included. */
static void copies_by_hand(void **state)
{
    (void)state;
    net_run *r =
        net_run_new(DUMBBELL "  links: [{link: \"left->right\", duplication: 1}, {link: right->r0, "
                             "duplication: 100%%}]\n"
                             "traffic: [{name: u, udp: {rate: 800kbps, packet: 1000B}, from: l0, to: r0, "
                             "stop: 4999ms}]\n");
    net_run_until(r, 10 * SEC);
    const wi_net_flow_total f = net_run_flow(r, 0);
    assert_int_equal(f.packets, 500);
    assert_int_equal(f.received_packets, 2000);
    assert_int_equal(f.dropped, 0);
    assert_int_equal(wi_net_copies_at(r->net, r->sim, net_run_entity(r, "left->right")), 500);
    assert_int_equal(wi_net_copies_at(r->net, r->sim, net_run_entity(r, "right->r0")), 1000);
    assert_int_equal(wi_net_copies_at(r->net, r->sim, net_run_entity(r, "l0->left")), 0);
    net_run_end(r);
}

/* A jitter's mean and its largest are added to the delays of packets that are far apart; a later item takes the place of
 * what an earlier one says, and keeps the rest: 20 % of losses stay. */
static void delays_and_items(void **state)
{
    (void)state;
    net_run *r = net_run_new(
        DUMBBELL
        "  links:\n    - {link: \"*\", jitter: {mean: 90ms}}\n"
        "    - {link: \"*\", burst_loss: {mean: 20%%, length: 2}}\n"
        "    - {link: [\"l*->left\", \"right->r*\", \"*->left\", \"right->*\"], burst_loss: {enter: 1e-12%%, "
        "length: 1}, jitter: {mean: 1ps}}\n"
        "    - {link: left->right, jitter: {mean: 2ms}}\n"
        "traffic: [{name: u, udp: {rate: 800kbps, packet: 1000B}, from: l0, to: r0, stop: 400s}]\n");
    net_run_until(r, 401 * SEC);
    const wi_net_flow_total f = net_run_flow(r, 0);
    const double lost = 1.0 - (double)f.received_packets / (double)f.packets;
    assert_int_equal(f.packets, 40000);
    if (!(fabs(lost - 0.2) <
          5.0 * sqrt(0.16 * 2.2 / 40000))) /* lambda = 1 - 0.125 - 0.5: (1 + l) / (1 - l) = 2.2 */
        fail_msg("%g lost", lost);
    /* Two access links of 1 ms at 100 Mbps (80 us), 5 ms and 800 us in between. */
    const double base_s = 7e-3 + 2 * 80e-6 + 800e-6,
                 mean_s = (double)f.delay_sum_ns * 1e-9 / (double)f.received_packets - base_s;
    if (!(fabs(mean_s - 2e-3) < 5.0 * 2e-3 / sqrt(3.0 * 32000)))
        fail_msg("%g s of jitter", mean_s);
    assert_true(f.delay_min_s > base_s && f.delay_min_s < base_s + 1e-5);
    assert_true(f.delay_max_s > base_s + 3.99e-3 && f.delay_max_s < base_s + 4.001e-3);
    net_run_end(r);
}

static wi_net_flow_total transfer_over(const char *line, const char *tcp, const char *links,
                                       double *goodput_bps)
{
    net_run *r =
        net_run_new("weir: 1\nduration: 1d\nseed: 3\ntopology:\n  generate: {model: dumbbell, left: 2, %s}\n"
                    "  queue: {limit: 200kB}\n  links: [{link: \"left--right\", %s}]\n"
                    "traffic: [{name: f, tcp: {%s}, from: l0, to: r0, stop: 30s}]\n",
                    line, links, tcp);
    net_run_until(r, 40 * SEC);
    const wi_net_flow_total f = net_run_flow(r, 0);
    *goodput_bps = 8.0 * (double)f.received_bytes / 30.0;
    net_run_end(r);
    return f;
}

static wi_net_flow_total transfer(const char *tcp, const char *links, double *goodput_bps)
{
    return transfer_over("bottleneck_rate: 10Mbps, bottleneck_delay: 5ms", tcp, links, goodput_bps);
}

/* Jitter that keeps the order is no loss to anybody: 60 kB in a round trip of 14 ms and 20 ms of jitter. */
static void tcp_in_order(void **state)
{
    static const char *const tcps[] = {"window: 60kB, recovery: rack", "window: 60kB, recovery: sack",
                                       "window: 60kB, sack: false"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double goodput_bps;
        const wi_net_flow_total f =
            transfer(tcps[i], "jitter: {mean: 10ms, distribution: exponential}", &goodput_bps);
        assert_int_equal(f.retransmissions, 0);
        assert_int_equal(f.reductions, 0);
        assert_true(goodput_bps > 5e6 && goodput_bps < 10e6);
    }
}

/* At 10 Mbps a segment takes 1.2 ms: a jitter of up to 1 ms lets none overtake, and one of up to 2 ms the next alone,
 * which is less than three duplicate ACKs. */
static void tcp_little_reordered(void **state)
{
    static const char *const means[] = {"500us", "1ms"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char links[100];
        double goodput_bps;
        snprintf(links, sizeof links, "jitter: {mean: %s, reorder: true}", means[i]);
        const wi_net_flow_total f = transfer("window: 60kB, recovery: sack", links, &goodput_bps);
        assert_int_equal(f.retransmissions, 0);
        assert_true(goodput_bps > 9.5e6);
    }
}

/* At 100 Mbps up to sixteen overtake within 2 ms: three duplicate ACKs mean nothing, and SACK halves its window for them.
 * Either delivers everything. Copies alone are told from losses. */
static void tcp_reordered(void **state)
{
    static const char line[] = "bottleneck_rate: 100Mbps, bottleneck_delay: 20ms",
                      links[] = "jitter: {mean: 1ms, reorder: "
                                "true}";
    double sack_bps, copied_bps, plain_bps;
    (void)state;
    const wi_net_flow_total sack = transfer_over(line, "window: 300kB, recovery: sack", links, &sack_bps),
                            copied = transfer("window: 60kB", "duplication: 20%", &copied_bps),
                            plain = transfer("window: 60kB", "duplication: 0", &plain_bps);
    assert_true(sack.acked_bytes > 0 && sack.dropped == 0);
    assert_true(sack.retransmissions > 20 && sack.duplicates > 20);
    assert_true(copied.retransmissions == 0 && plain.retransmissions == 0);
    assert_true(copied.duplicates > 1000 && copied_bps > 0.95 * plain_bps);
}

/* With RACK a path that reorders carries nine tenths at least of one that keeps the order, over rates, round trips and
 * jitters of up to half a round trip: the reordering window is at work, grows with D-SACKs, and what was for nothing
 * is undone. (RFC 8985, section 6.2; with windows that runs of send times cut short, 5 to 66 % were left.) */
static void rack_bears_reordering(void **state)
{
    static const struct {
        const char *line, *jitter, *tcp;
    } grid[] = {
        {"bottleneck_rate: 10Mbps, bottleneck_delay: 2ms", "1ms", "congestion: cubic"},
        {"bottleneck_rate: 10Mbps, bottleneck_delay: 10ms", "1ms", "congestion: newreno"},
        {"bottleneck_rate: 10Mbps, bottleneck_delay: 10ms", "5ms", "congestion: cubic"},
        {"bottleneck_rate: 100Mbps, bottleneck_delay: 2ms", "200us", "congestion: newreno"},
        {"bottleneck_rate: 100Mbps, bottleneck_delay: 2ms", "1ms", "congestion: cubic"},
        {"bottleneck_rate: 100Mbps, bottleneck_delay: 10ms", "1ms", "congestion: cubic"},
        {"bottleneck_rate: 100Mbps, bottleneck_delay: 10ms", "5ms", "congestion: newreno"},
        {"bottleneck_rate: 100Mbps, bottleneck_delay: 20ms", "1ms", "window: 300kB"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++) {
        char links[100];
        double kept_bps, reordered_bps;
        snprintf(links, sizeof links, "jitter: {mean: %s}", grid[i].jitter);
        transfer_over(grid[i].line, grid[i].tcp, links, &kept_bps);
        snprintf(links, sizeof links, "jitter: {mean: %s, reorder: true}", grid[i].jitter);
        transfer_over(grid[i].line, grid[i].tcp, links, &reordered_bps);
        if (!(reordered_bps > 0.9 * kept_bps))
            fail_msg("%s, jitter of %s, %s: %g of %g Mb/s", grid[i].line, grid[i].jitter, grid[i].tcp,
                     1e-6 * reordered_bps, 1e-6 * kept_bps);
    }
}

/* Losses in bursts are less for a flow than as many spread out: a window is halved once a burst. */
static void tcp_bursts(void **state)
{
    double spread_bps, bursts_bps;
    (void)state;
    transfer("recovery: rack, window: 60kB", "loss: 2%", &spread_bps);
    transfer("recovery: rack, window: 60kB", "burst_loss: {mean: 2%, length: 6}", &bursts_bps);
    assert_true(bursts_bps > 1.2 * spread_bps);
}

static void engines_agree(void **state)
{
    static const char *const links[] = {
        "burst_loss: {mean: 3%, length: 3}, bit_errors: 1e-6, duplication: 5%, jitter: {mean: 200us, "
        "reorder: true}",
        "jitter: {mean: 300us, distribution: pareto}, duplication: 100%",
        "jitter: {mean: 1ms, distribution: exponential, reorder: true}, duplication: 30%"};
    static const char *const queues[] = {"{limit: 30kB}", "{type: fq_codel}",
                                         "{type: red, min: 5kB, max: 20kB}"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[3000];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 20ms\nseed: 9\n"
                 "topology: {generate: {model: fat-tree, k: 4, rate: 50Mbps, delay: 20us}, queue: %s, links: "
                 "[{link: "
                 "\"*\", %s}]}\n"
                 "traffic:\n  - {name: a, tcp: {congestion: cubic, ecn: true}, pairs: {random: 6}}\n"
                 "  - {name: b, tcp: {size: 20kB, arrivals: {poisson: 2000/s}}, pairs: {random: 20}}\n"
                 "  - {name: c, udp: {rate: 2Mbps, pattern: poisson}, pairs: permutation}\n"
                 "  - {name: d, tcp: {size: 3kB, request: {size: 200B, think: 1ms}}, pairs: {random: 4}}\n"
                 "events:\n  - {at: 8ms, fail: {node: c0}}\n  - {at: 12ms, repair: {node: c0}}\n",
                 queues[i], links[i]);
        const outcome want = run_with_engine(text, "sequential", 1),
                      checked = run_with_engine(text, "check", 1),
                      two = run_with_engine(text, "conservative", 2),
                      five = run_with_engine(text, "conservative", 5),
                      ahead = run_with_engine(text, "optimistic", 3);
        assert_memory_equal(&checked, &want, sizeof want);
        assert_memory_equal(&two, &want, sizeof want);
        assert_memory_equal(&five, &want, sizeof want);
        assert_memory_equal(&ahead, &want, sizeof want);
    }
}

#define LINKS(keys)                                                                                  \
    "weir: 1\nduration: 1s\ntopology:\n  generate: {model: line, nodes: 3}\n  links:\n    - {link: " \
    "\"*\", " keys "}\n" TRAFFIC

static void mistakes(void **state)
{
    (void)state;
    EXPECT(WEIR_E_SCENARIO, LINKS("burst_loss: {length: 3}"),
           "6:31: error: burst_loss wants one of mean and enter");
    EXPECT(WEIR_E_SCENARIO, LINKS("burst_loss: {mean: 1%, enter: 1%, length: 3}"),
           "6:42: error: burst_loss wants one of mean and enter");
    EXPECT(WEIR_E_SCENARIO, LINKS("burst_loss: {mean: 1%}"),
           "6:31: error: burst_loss wants one of length and exit");
    EXPECT(WEIR_E_SCENARIO, LINKS("burst_loss: {mean: 1%, length: 3, good: 40%, bad: 30%}"),
           "6:31: error: burst_loss: bad, 0.3, is not above good, 0.4");
    EXPECT(WEIR_E_SCENARIO, LINKS("burst_loss: {mean: 50%, length: 3, bad: 30%}"),
           "6:38: error: mean: 0.5 is not between good, 0, and bad, 0.3");
    EXPECT(WEIR_E_SCENARIO, LINKS("burst_loss: {mean: 60%, length: 1}"),
           "6:38: error: mean: bursts as short as that");
    EXPECT(WEIR_E_SCENARIO, LINKS("burst_loss: {mean: 1%, length: 0.5}"),
           "6:50: error: length is 0.5; want at least 1");
    EXPECT(WEIR_E_SCENARIO, LINKS("jitter: {mean: 0s}"), "6:34: error: mean is 0s; want more than 0s");
    EXPECT(WEIR_E_SCENARIO, LINKS("jitter: {mean: 5}"), "6:34: error: mean: \"5\" has no unit");
    EXPECT(WEIR_E_SCENARIO, LINKS("jitter: {mean: 5ms, shape: 2}"), "6:39: error: shape means nothing here");
    EXPECT(WEIR_E_SCENARIO, LINKS("jitter: 5ms"), "6:27: error: jitter must be a section");
    EXPECT(WEIR_E_SCENARIO, LINKS("bit_errors: 1"), "6:31: error: bit_errors is 1; want at most 0.1");
    EXPECT(WEIR_E_SCENARIO, LINKS("duplication: 101%"), "6:32: error: duplication: \"101%\"");
    EXPECT(WEIR_E_SCENARIO, LINKS("ber: 1e-6"),
           "6:19: error: unknown key 'ber' in item of links (did you mean 'bit_errors'?)");
}

/* Fluid takes bursts as their mean. */
static void fluid_takes_means(void **state)
{
    static const char text[] =
        "weir: 1\nduration: 2s\ntopology: {generate: {model: dumbbell, bottleneck_rate: 20Mbps}, "
        "links: [{link: left->right, %s}]}\n"
        "traffic: [{name: f, tcp: {sessions: 5}, from: l0, to: r0, fidelity: fluid}]\n"
        "fluid: {device: cpu}\n";
    static const char *const losses[] = {"loss: 2%", "burst_loss: {mean: 2%, length: 7}"};
    double goodput[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        char all[2000];
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        snprintf(all, sizeof all, text, losses[i]);
        expect_ok(diag, run_text(diag, all, NULL, NULL, 0, &result));
        const char *at = strstr(result.summary_json, "\"goodput_bps\":");
        assert_non_null(at);
        goodput[i] = strtod(at + strlen("\"goodput_bps\":"), NULL);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
    assert_true(goodput[0] > 1e5 && fabs(goodput[1] / goodput[0] - 1.0) < 1e-6);
}

/* topology.loss is of links between routers: where there are none, that is said. */
static void losses_of_no_link(void **state)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    (void)state;
    assert_int_equal(run_text(diag,
                              "weir: 1\nduration: 1ms\ntopology: {generate: {model: star}, loss: 10%}\n"
                              "traffic: [{name: c, from: h0, to: h1, tcp: {}}]\n",
                              NULL, NULL, 0, &result),
                     WEIR_OK);
    const weir_message *m = weir_diag_get(diag, 0);
    assert_true(m && strstr(m->text, "topology.loss: no link is between routers"));
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_of_no_link),     cmocka_unit_test(copies_by_hand),
        cmocka_unit_test(delays_and_items),      cmocka_unit_test(tcp_in_order),
        cmocka_unit_test(tcp_little_reordered),  cmocka_unit_test(tcp_reordered),
        cmocka_unit_test(rack_bears_reordering), cmocka_unit_test(tcp_bursts),
        cmocka_unit_test(engines_agree),         cmocka_unit_test(mistakes),
        cmocka_unit_test(fluid_takes_means)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
