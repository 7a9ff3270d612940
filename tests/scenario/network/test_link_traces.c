/*
 * Links that follow traces in whole networks: long-run throughput is the trace's mean under every kind of queue, delays
 * change without overtaking, small packets share an opportunity, engines agree to the digest; and what is wrong in a file
 * stops with its line.
 * label: slow
 */
#include "scenario/engine_digests.h"
#include "scenario/load.h"
#include "scenario/net_run.h"
#include "scenario/run_text.h"

#define LINE \
    "topology:\n  generate: {model: dumbbell, left: 2, bottleneck_rate: 50Mbps, bottleneck_delay: 5ms}\n"
#define RATES "{file: link-rates.txt}"
#define CELL "{file: link-mahimahi.txt}"

static const char *const queues[] = {"{limit: 60kB}",
                                     "{limit_packets: 30}",
                                     "{type: red, limit: 200kB, min: 60kB, max: 150kB}",
                                     "{type: threshold, mark: 30kB, limit: 60kB}",
                                     "{type: codel}",
                                     "{type: fq_codel}",
                                     "{type: priority, limit: 60kB}",
                                     "{type: pie, limit: 60kB}",
                                     "{type: dualpi2}"};
enum { QUEUES = sizeof queues / sizeof *queues };

/* UDP at 12 Mbps, beyond both means: 237,500 bytes in 300 ms are 6.33 Mbps, five opportunities in 10 ms 6.016. */
static void means(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * (QUEUES - 1);
         i++) { /* dualpi2 drops so much of what does not listen that the line idles */
        const double mean_bps = i % 2 ? 5 * 1504 * 8 / 10e-3 : 237500 * 8 / 0.3;
        net_run *r = net_run_new(
            WEIR_1 LINE "  queue: %s\n  links: [{link: left->right, trace: %s}]\n"
                        "traffic: [{name: u, udp: {rate: 12Mbps, packet: 1000B}, from: l0, to: r0}]\n",
            queues[i / 2], i % 2 ? CELL : RATES);
        const uint32_t e = net_run_entity(r, "left->right");
        assert_true(fabs((double)wi_net_link(r->net, e)->rate_bps - mean_bps) <= 1.0);
        net_run_until(r, 6 * SEC);
        const double before =
            (double)wi_net_port(r->net, r->sim, e)->bytes - wi_net_line_bytes(r->net, r->sim, e, 6 * SEC);
        net_run_until(r, 36 * SEC);
        const double after =
            (double)wi_net_port(r->net, r->sim, e)->bytes - wi_net_line_bytes(r->net, r->sim, e, 36 * SEC);
        const double got_bps = 8.0 * (after - before) / 30.0;
        if (!(fabs(got_bps - mean_bps) < 8.0 * 3008 / 30.0))
            fail_msg("%s, %s: %.9g bps, want %.9g", queues[i / 2], i % 2 ? "opportunities" : "rates", got_bps,
                     mean_bps);
        net_run_end(r);
    }
}

/* Packets that PIE lets go over a line of 50 Mb/s, and drops, in 10 s of four flows; `trace` says so, or the line itself. */
static void pie_counts(const char *trace, uint64_t *sent, uint64_t *dropped)
{
    net_run *r = net_run_new(WEIR_1 LINE "  queue: {type: pie, limit: 500kB}\n%s"
                                         "traffic: [{name: t, tcp: {sessions: 4}, from: l0, to: r0}]\n",
                             trace);
    const uint32_t e = net_run_entity(r, "left->right");
    net_run_until(r, 10 * SEC);
    *sent = wi_net_port(r->net, r->sim, e)->packets;
    *dropped = wi_net_port(r->net, r->sim, e)->dropped[1]; /* early */
    net_run_end(r);
}

/* PIE's delay is what a packet waits that comes then, by the trace: one of a single rate is a line of that rate. */
static void pie_waits_by_the_trace(void **state)
{
    (void)state;
    uint64_t sent[2], dropped[2];
    pie_counts("", &sent[0], &dropped[0]);
    pie_counts("  links: [{link: left->right, trace: {file: link-constant.txt}}]\n", &sent[1], &dropped[1]);
    assert_int_equal(sent[0], sent[1]);
    assert_int_equal(dropped[0], dropped[1]);
    assert_true(dropped[0] > 20);
}

/* Of 100 packets, 10 ms apart, those that begin in the first 100 ms of each 300 have 20 ms of delay, then 30, and 10: but
 * none comes before the one ahead of it. All share 1 ms + 80 us of access at either end. */
static void delays_change(void **state)
{
    (void)state;
    net_run *r = net_run_new(
        WEIR_1 LINE "  links: [{link: left->right, trace: " RATES "}]\n"
                    "traffic: [{name: f, tcp: {size: 600kB, recovery: sack}, from: l0, to: r0},\n"
                    "  {name: u, udp: {rate: 80kbps, packet: 100B}, from: l1, to: r1, stop: 10s}]\n");
    net_run_until(r, 20 * SEC);
    const wi_net_flow_total tcp = net_run_flow(r, 0), udp = net_run_flow(r, 1);
    assert_int_equal(r->n_tx_done, 1);
    assert_true(tcp.retransmissions == 0 || tcp.dropped > 0); /* nothing is taken for lost */
    assert_int_equal(udp.packets, 1000);
    assert_int_equal(udp.received_packets, 1000);
    assert_true(udp.delay_min_s > 12.0e-3 && udp.delay_min_s < 12.3e-3);
    assert_true(wi_net_link(r->net, net_run_entity(r, "left->right"))->delay_ps == 10 * MS);
    net_run_end(r);
}

/* ACKs of 40 bytes share opportunities, with a queue that decides at departure too: 6 Mbps of data need 250 ACKs a second,
 * which an opportunity each 50 ms brings. */
static void small_packets_share(void **state)
{
    (void)state;
    for (int i = 0; i < QUEUES; i++) {
        net_run *r = net_run_new(
            WEIR_1 LINE "  queue: %s\n  links:\n    - {link: left->right, trace: " CELL "}\n"
                        "    - {link: right->left, trace: {file: link-slow.txt, format: mahimahi}}\n"
                        "traffic: [{name: f, tcp: {congestion: newreno, window: 200kB}, from: l0, to: r0, "
                        "start: 10ms}]\n",
            queues[i]);
        net_run_until(r, 60 * SEC);
        const double goodput_bps = 8.0 * (double)net_run_flow(r, 0).acked_bytes / 60.0;
        if (!(goodput_bps > 0.6 * 6.016e6 && goodput_bps < 6.016e6))
            fail_msg("%s: %g bps", queues[i], goodput_bps);
        net_run_end(r);
    }
}

/* A packet of 200 bytes that comes at 1.5 ms waits for an opportunity at 3 ms, where there are two: what stands is the packet. */
static void what_stands_is_packets(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 LINE "  links: [{link: left->right, trace: " CELL "}]\n"
                                         "traffic: [{name: u, udp: {rate: 80kbps, packet: 200B}, from: l0, "
                                         "to: r0, start: 500us}]\n");
    const uint32_t e = net_run_entity(r, "left->right");
    net_run_until(r, 2 * MS);
    assert_true(wi_net_line_bytes(r->net, r->sim, e, 2 * MS) == 200.0);
    net_run_until(r, 3 * MS);
    assert_true(wi_net_line_bytes(r->net, r->sim, e, 3 * MS) == 0.0);
    net_run_end(r);
}

static void engines_agree(void **state)
{
    static const char *const traces[] = {RATES, CELL, "{file: link-rates.txt, end: hold}"};
    (void)state;
    for (int i = 0; i < QUEUES; i++) {
        char text[3000];
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 80ms\nseed: 9\n"
            "topology: {generate: {model: ring, routers: 6, rate: 20Mbps, delay: 500us}, queue: %s, links: "
            "[{link: "
            "\"*\", trace: %s}, {link: \"r0--r1\", duplication: 5%%, loss: 1%%, jitter: {mean: 1ms, reorder: "
            "true}}]}\n"
            "traffic:\n  - {name: a, tcp: {}, pairs: {random: 6}}\n"
            "  - {name: b, tcp: {size: 20kB, arrivals: {poisson: 500/s}}, pairs: {random: 10}}\n"
            "  - {name: c, udp: {rate: 2Mbps, pattern: poisson}, pairs: permutation}\n"
            "events:\n  - {at: 30ms, fail: {link: \"r2--r3\"}}\n  - {at: 50ms, repair: {link: \"r2--r3\"}}\n"
            "output: {warmup: 10ms}\n",
            queues[i], traces[i % 3]);
        const outcome want = run_with_engine(text, "sequential", 1),
                      checked = run_with_engine(text, "check", 1),
                      two = run_with_engine(text, "conservative", 2),
                      ahead = run_with_engine(text, "optimistic", 3);
        assert_memory_equal(&checked, &want, sizeof want);
        assert_memory_equal(&two, &want, sizeof want);
        assert_memory_equal(&ahead, &want, sizeof want);
    }
}

static void expect_wrong(const char *text, bool repeats, const char *message)
{
    wi_link_trace *t;
    weir_diag *diag = weir_diag_new();
    char got[1000];
    assert_int_equal(wi_link_trace_read(wi_source_memory(diag, "cell", text, strlen(text)),
                                        WEIR_SC_TRACE_AUTO, repeats, &t),
                     WEIR_E_FORMAT);
    assert_null(t);
    assert_int_equal(weir_diag_count(diag), 1);
    weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
    if (strncmp(got, message, strlen(message)) != 0)
        fail_msg("got  %s\nwant %s", got, message);
    weir_diag_free(diag);
}

static void wrong_files(void **state)
{
    (void)state;
    expect_wrong("", true, "cell: error: the trace is empty");
    expect_wrong("# nothing\n\n", true, "cell:2: error: the trace is empty");
    expect_wrong("1s 5Mbps\n", true, "cell:1:1: error: the trace begins at 1s; want 0s");
    expect_wrong("0s 5Mbps\n\n2s 5Mbps\n1s 4Mbps\n", true, "cell:4:1: error: time 1s does not come after 2s");
    expect_wrong("0s 5Mbps\n0s 4Mbps\n", true, "cell:2:1: error: time 0s does not come after 0s");
    expect_wrong("0s 5Mbps\n1s 4Mbps 3ms\n", true, "cell:2: error: either all lines have a delay or none");
    expect_wrong("0s 5Mbps 0s\n1s 4Mbps 3ms\n", true,
                 "cell:1:10: error: want a delay above 0s, of at most 1000s, not 0s");
    expect_wrong("0s 5Mbps 3ms 4\n", true, "cell:1: error: want TIME RATE, or TIME RATE DELAY, and no more");
    expect_wrong("0s\n", true, "cell:1: error: want TIME RATE, or TIME RATE DELAY");
    expect_wrong("0s 5\n", true, "cell:1:4: error: \"5\" has no unit");
    expect_wrong("0s 5Mbps\n", true, "cell:1: error: a trace that repeats wants two lines");
    expect_wrong("0s 0bps\n5s 5Mbps\n", true, "cell:2: error: the trace has a mean rate below 8 kbps");
    expect_wrong("0s 5Mbps\n5s 0bps\n", false,
                 "cell:2: error: a trace that holds ends with a rate below 8 kbps");
    expect_wrong("0s 5Mbps\n12d 5Mbps\n", true, "cell:2:1: error: a trace ends after a million seconds");
    expect_wrong("1\n5\n4\n", true, "cell:3: error: time goes back: the line before is later than 4");
    expect_wrong("1\n5.5\n", true, "cell:2: error: want a whole number of milliseconds");
    expect_wrong("1\n-5\n", true, "cell:2: error: want a whole number of milliseconds");
    expect_wrong("1\n5 6\n", true, "cell:2: error: want a whole number of milliseconds");
    expect_wrong("0\n0\n", true, "cell:2: error: the trace lasts for no time");
    expect_wrong("1\n9999999999999\n", true, "cell:2: error: want a whole number of milliseconds");
    expect_wrong("1\n999999999999\n", true, "cell:2: error: a trace ends after a million seconds");
    expect_wrong("1\n5\n", false, "cell:2: error: end: hold is for traces of rates");
}

static void expect_refused(const char *text, const char *message)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    char got[1000] = "";
    assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
    for (size_t i = 0; i < weir_diag_count(diag) && !strstr(got, message); i++)
        weir_message_format(weir_diag_get(diag, i), got, sizeof got);
    if (!strstr(got, message))
        fail_msg("got  %s\nwant %s", got, message);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

#define U "traffic: [{name: u, udp: {rate: 1Mbps}, from: l0, to: r0}]\n"
static void refused(void **state)
{
    (void)state;
    expect_refused("weir: 1\nduration: 1s\n" LINE "  links: [{link: left->right, rate: 1Mbps, trace: " RATES
                   "}]\n" U,
                   "s.yaml:5:31: error: rate and trace don't go together");
    expect_refused("weir: 1\nduration: 1s\n" LINE
                   "  links: [{link: left->right, trace: {file: none.txt}}]\n" U,
                   "none.txt");
    expect_refused("weir: 1\nduration: 1s\n" LINE
                   "  links: [{link: left->right, trace: {file: link-mahimahi.txt, format: "
                   "rates}}]\n" U,
                   "link-mahimahi.txt:1: error: want TIME RATE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(means),
                                       cmocka_unit_test(pie_waits_by_the_trace),
                                       cmocka_unit_test(delays_change),
                                       cmocka_unit_test(small_packets_share),
                                       cmocka_unit_test(what_stands_is_packets),
                                       cmocka_unit_test(engines_agree),
                                       cmocka_unit_test(wrong_files),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
