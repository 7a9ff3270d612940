/*
 * Bytes that lines add to packets take time of the line and nothing else. A line that is asked for too much carries b / (b + o) of
 * its rate in packets of b bytes, is busy all the time, and has as many of them in its queue as a line without.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"
#include "scenario/run_text.h"
#include "weir/session.h"

#define LINE                                                                                        \
    "topology:\n  generate: {model: dumbbell, left: 1, bottleneck_rate: 10Mbps, bottleneck_delay: " \
    "1ms, access_rate: 100Mbps}\n"

/* What is delivered of UDP that asks for the double, by its packets' size and the line's overhead. */
static void a_full_line_carries_its_share(void **state)
{
    (void)state;
    static const struct line {
        const char *key;
        int bytes, overhead;
    } lines[] = {{"overhead: ethernet", 1500, 38},
                 {"overhead: 24B", 576, 24},
                 {"overhead: ethernet", 64, 38},
                 {"links: [{link: left--right, overhead: 255B}]", 300, 255},
                 {"overhead: 100B\n  links: [{link: left--right, overhead: 0B}]", 700, 0}};
    static const char *const queues[] = {"{limit: 15kB}", "{limit_packets: 10}",
                                         "{type: priority, limit: 15kB}",
                                         "{type: threshold, mark: 9kB, limit: 15kB}"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t q = 0; q < sizeof queues / sizeof *queues; q++) {
            char text[1000];
            snprintf(
                text, sizeof text,
                "weir: 1\nduration: 5s\n" LINE "  %s\n  queue: %s\ntraffic:\n"
                "- {name: u, pairs: [[l0, r0]], udp: {rate: 20Mbps, packet: %dB}}\noutput: {warmup: 1s}\n",
                lines[i].key, queues[q], lines[i].bytes);
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double whole = lines[i].bytes, on_line = whole + lines[i].overhead,
                         want = 10e6 * (whole - 28) / on_line, got = class_number(s, 0, NULL, "goodput_bps");
            if (!(fabs(got / want - 1.0) < 1e-3))
                fail_msg("%s, %s: %g bit/s, want %g", lines[i].key, queues[q], got, want);
            json_decref(s);
        }
}

/* Of packets that come all at once, as many fit as without. */
static void a_queue_holds_what_it_did(void **state)
{
    (void)state;
    static const char *const queues[] = {"{limit: 15kB}", "{limit_packets: 10}",
                                         "{type: priority, limit: 15kB}",
                                         "{type: red, min: 14kB, max: 15kB, limit: 15kB}"};
    for (size_t q = 0; q < sizeof queues / sizeof *queues; q++) {
        uint64_t drops[2];
        for (int o = 0; o < 2; o++) {
            net_run *r = net_run_new(
                WEIR_1
                "topology:\n  generate: {model: dumbbell, left: 1, bottleneck_rate: 10kbps, "
                "bottleneck_delay: 1ms, access_rate: 10Gbps}\n  overhead: %s\n  queue: %s\n"
                "traffic:\n- {name: u, pairs: [[l0, r0]], stop: 10ms, udp: {rate: 100Mbps, packet: 1500B}}\n",
                o ? "ethernet" : "0B", queues[q]);
            net_run_until(r, 20 * MS);
            drops[o] = net_run_drops(r, -1);
            net_run_end(r);
        }
        assert_int_equal(drops[0], drops[1]);
        assert_true(drops[0] > 50);
    }
}

/* A packet there and its ACK back over three empty links: what each adds to either is sent in its time. */
static void a_packet_takes_so_much_longer(void **state)
{
    (void)state;
    double fct_s[2];
    for (int o = 0; o < 2; o++) {
        net_run *r =
            net_run_new(WEIR_1 LINE "  overhead: %s\ntraffic:\n- {name: t, pairs: [[l0, r0]], tcp: {size: "
                                    "1kB, handshake: false}}\n",
                        o ? "ethernet" : "0B");
        net_run_until(r, SEC);
        assert_int_equal(r->n_tx_done, 1);
        fct_s[o] = r->fct_sum_s;
        net_run_end(r);
    }
    const double want_s = 2 * 38 * 8 * (1 / 10e6 + 2 / 100e6);
    assert_true(fabs(fct_s[1] - fct_s[0] - want_s) < 1e-9);
}

/* The line is busy all the time, and says so. */
static void a_busy_line_says_so(void **state)
{
    (void)state;
    for (int o = 0; o < 2; o++) {
        net_run *r =
            net_run_new(WEIR_1 LINE "  overhead: %s\n  queue: {limit: 15kB}\ntraffic:\n"
                                    "- {name: u, pairs: [[l0, r0]], udp: {rate: 20Mbps, packet: 200B}}\n",
                        o ? "ethernet" : "0B");
        net_run_until(r, 2 * SEC);
        const uint32_t e = net_run_entity(r, "left->right");
        const net_port *p = wi_net_port(r->net, r->sim, e);
        const double on_line = 200 + 38 * o, sent = (double)p->packets - 15000.0 / 200;
        assert_true(fabs(sent * on_line * 8 / 2 / 10e6 - 1.0) < 0.005);
        assert_int_equal(wi_net_link(r->net, e)->overhead, 38 * o);
        net_run_end(r);
    }
}

#define SMALL                                                                                 \
    "weir: 1\nduration: 2s\noutput: {warmup: 1s, interval: 100ms, ports: left->right}\n" LINE \
    "  overhead: ethernet\n  queue: {limit: 15kB}\n"                                          \
    "traffic:\n- {name: u, pairs: [[l0, r0]], udp: {rate: 20Mbps, packet: 64B}}\n"

/* The least and the most of a port's samples after 0.2 s. */
static void expect_samples(weir_diag *diag, weir_session *session, const char *column, double least,
                           double most)
{
    weir_session_samples samples;
    expect_ok(diag, weir_session_series(session, "ports", column, "left->right", &samples));
    assert_true(samples.n >= 20);
    for (size_t i = 0; i < samples.n; i++)
        if (samples.time_s[i] > 0.2 && !(samples.value[i] >= least && samples.value[i] <= most))
            fail_msg("%s %.9g at %g s, want %g to %g", column, samples.value[i], samples.time_s[i], least,
                     most);
}

/* Series are of packets, the line's load of what it adds too: in 10 us as well, in which 12.5 bytes leave. */
static void expect_series(weir_diag *diag, const char *interval)
{
    weir_scenario *scenario = good(SMALL, &interval, 1);
    weir_run_options options;
    weir_session *session = NULL;
    weir_run_options_init(&options);
    options.no_output = options.keep_series = true;
    expect_ok(diag, weir_session_open(diag, scenario, &options, &session));
    expect_ok(diag, weir_session_advance(session, weir_session_end(session)));
    expect_samples(diag, session, "queue_bytes", 14.8e3, 15e3);
    expect_samples(diag, session, "throughput_bps", 10e6 * 64 / 102 - 1, 10e6 * 64 / 102 + 1);
    expect_samples(diag, session, "utilisation", 1.0 - 1e-9, 1.0);
    weir_session_close(session);
    weir_scenario_free(scenario);
}

/* So is the most of a queue that stood when the warm-up ended. */
static void samples_are_of_packets(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    expect_series(diag, "output.interval=100ms");
    expect_series(diag, "output.interval=10us");
    weir_run_result result = run_into(diag, SMALL, "small", NULL, 0);
    const double most = csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_max_bytes");
    assert_true(most > 14.8e3 && most <= 15e3);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void refused(const char *text, const char *part)
{
    char whole[1000];
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    snprintf(whole, sizeof whole, "weir: 1\nduration: 1ms\n%s", text);
    assert_int_not_equal(run_text(diag, whole, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
    const weir_message *m = weir_diag_get(diag, 0);
    if (!m || !strstr(m->text, part) || m->line < 3)
        fail_msg("'%s' in line %d, want '%s'", m ? m->text : "", m ? m->line : 0, part);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    refused(LINE "  overhead: 300B\ntraffic:\n- {name: u, pairs: [[l0, r0]], udp: {rate: 1Mbps}}\n",
            "overhead is 300B; want at most 255B");
    refused(LINE "  overhead: ether\ntraffic:\n- {name: u, pairs: [[l0, r0]], udp: {rate: 1Mbps}}\n",
            "(or 'ethernet')");
    refused(LINE "  overhead: 24B\ntraffic:\n- {name: u, pairs: [[l0, r0]], fidelity: fluid, tcp: {}}\n",
            "fluid knows no bytes that lines add");
    refused(LINE "  links: [{link: '*', overhead: ethernet}]\ntraffic:\n"
                 "- {name: u, pairs: [[l0, r0]], fidelity: fluid, tcp: {}}\n",
            "fluid knows no bytes that lines add");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_line_carries_its_share),
        cmocka_unit_test(a_queue_holds_what_it_did),
        cmocka_unit_test(a_packet_takes_so_much_longer),
        cmocka_unit_test(a_busy_line_says_so),
        cmocka_unit_test(samples_are_of_packets),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
