/*
 * PowerTCP (Addanki and others, NSDI 2022) and TIMELY (Mittal and others, SIGCOMM 2015) in packet networks. PowerTCP's queue that
 * settles is n B T / expected_flows (theorem 1), by telemetry and by round trips, the line is busy and flows share evenly; an
 * incast's queue is gone after a few round trips. TIMELY keeps the line busy and round trips below 500 us. What does not go together is
 * refused at its place.
 *
 * label: slow statistics
 */
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

static const char head[] =
    "weir: 1\nduration: %s\nseed: 3\ntopology:\n  generate: {model: star, hosts: %d, access_rate: "
    "%dGbps, access_delay: 10us}\n  queue: {%s, limit: 32MB}\n";

/* Full packets of 1500 bytes there, 40 bytes back, over two lines of 10 us each. */
static double base_s(double gbps)
{
    return 40e-6 + 2 * 12e-6 / gbps + 2 * 0.32e-6 / gbps;
}

/* Windows are of whole packets: up to one a flow more. Two flows by telemetry that is a wait old, or that shall keep less than a
 * tenth of B T, swing about it (powertcp.h). */
static void the_queue_is_as_solved(void **state)
{
    (void)state;
    static const char *const controls[] = {"powertcp", "theta_powertcp"}, *const queues[] = {
                                                                              "type: priority",
                                                                              "type: droptail"};
    static const int rates[] = {25, 100}, flows[] = {2, 8, 32}, expected[] = {10, 40};
    for (size_t c = 0; c < 2; c++)
        for (size_t q = 0; q < 2; q++)
            for (size_t g = 0; g < 2; g++)
                for (size_t n = 0; n < 3; n++)
                    for (size_t k = 0; k < 2; k++) {
                        const double bt = rates[g] * 1e9 / 8 * base_s(rates[g]);
                        net_run *r = net_run_new(
                            "weir: 1\nduration: 1s\ntopology:\n  generate: {model: star, hosts: %d, "
                            "access_rate: "
                            "%dGbps, access_delay: 10us}\n  queue: {%s, limit: 32MB}\ntraffic:\n"
                            "- {name: f, from: 'h[1-%d]', to: h0, tcp: {congestion: %s, window: 16MB, "
                            "expected_flows: %d}}\n",
                            flows[n] + 1, rates[g], queues[q], flows[n], controls[c], expected[k]);
                        net_run_until(r, 4 * MS);
                        const net_port before = *net_run_port(r, "hub->h0");
                        net_run_until(r, 10 * MS);
                        const net_port *p = net_run_port(r, "hub->h0");
                        const double queue = (net_backlog_byte_s(p) - net_backlog_byte_s(&before)) / 6e-3,
                                     sent = (double)(p->bytes - before.bytes) * 8 / 6e-3 / (rates[g] * 1e9),
                                     want = flows[n] * bt / expected[k];
                        double sum = 0, squares = 0;
                        for (uint32_t i = 0; i < (uint32_t)flows[n]; i++) {
                            const double x = (double)net_run_flow(r, i).acked_bytes;
                            sum += x;
                            squares += x * x;
                        }
                        const double jain = sum * sum / (flows[n] * squares);
                        if (!(queue > 0.95 * want - 1500 && queue < 1.05 * want + 1500.0 * (flows[n] + 1) &&
                              sent > 0.99 && jain > 0.98))
                            fail_msg("%s, %s, %d Gb/s, %d of %d: queue %g, want %g; sent %g, Jain %g",
                                     controls[c], queues[q], rates[g], flows[n], expected[k], queue, want,
                                     sent, jain);
                        assert_int_equal(net_run_drops(r, -1), 0);
                        net_run_end(r);
                    }
}

/* 32 flows begin at once with B T each: once that is sent, the queue is what is solved, and the line is never idle. */
static void an_incast_is_gone(void **state)
{
    (void)state;
    static const char *const controls[] = {"powertcp", "theta_powertcp"};
    for (size_t c = 0; c < 2; c++) {
        char text[1000];
        int at = snprintf(text, sizeof text, head, "20ms", 33, 25, "type: priority");
        snprintf(text + at, sizeof text - (size_t)at,
                 "traffic: [{name: a, from: 'h[1-32]', to: h0, tcp: {congestion: %s, size: 500kB, handshake: "
                 "false}}]\n",
                 controls[c]);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double line_s = 32 * (500e3 + 40.0 * 343) * 8 / 25e9,
                     got = class_number(s, 0, NULL, "makespan_s");
        assert_true(class_number(s, 0, NULL, "completed") == 32.0);
        if (!(got >= line_s && got <= 1.1 * line_s))
            fail_msg("%s: %g s, the line needs %g", controls[c], got, line_s);
        json_decref(s);
    }
}

/* Hosts of 10 Gb/s begin with ten times what the path of 1 Gb/s holds, and lose most of it. Windows move while that is mended, and after
 * timeouts too, of which RFC 6675 needs some: the queue comes to n B T / expected_flows, HPCC's to none, nothing more is lost, and
 * the line is busy. */
static void windows_move_in_recovery(void **state)
{
    (void)state;
    static const struct {
        const char *control, *more;
        double queue_flows; /* what a flow keeps, of B T; hpcc: none */
        double busy;
    } controls[] = {{"powertcp", ", expected_flows: 25", 1.0 / 25.0, 0.99},
                    {"theta_powertcp", ", expected_flows: 25", 1.0 / 25.0, 0.99},
                    {"hpcc", "", 0.0, 0.95}};
    static const char *const recoveries[] = {"rack", "sack"};
    const double bt = 10e9 / 8 * 2.015e-3;
    for (size_t k = 0; k < 3; k++)
        for (size_t m = 0; m < 2; m++)
            for (int n = 1; n <= 2; n++) {
                net_run *r = net_run_new(
                    "weir: 1\nduration: 10s\ntopology:\n  generate: {model: dumbbell, left: 2, access_rate: "
                    "10Gbps, access_delay: 50us, bottleneck_rate: 1Gbps, bottleneck_delay: 900us}\n  queue: "
                    "{limit: 600kB}\ntraffic: [{name: f, pairs: [[l0, r0]%s], tcp: {congestion: %s%s, "
                    "window: 16MB, recovery: %s}}]\n",
                    n == 2 ? ", [l1, r1]" : "", controls[k].control, controls[k].more, recoveries[m]);
                net_run_until(r, 2000 * MS);
                const uint64_t lost = net_run_drops(r, -1);
                const net_port before = *net_run_port(r, "left->right");
                net_run_until(r, 3000 * MS);
                const net_port *p = net_run_port(r, "left->right");
                const double queue = net_backlog_byte_s(p) - net_backlog_byte_s(&before),
                             want = n * bt * controls[k].queue_flows,
                             busy = (double)(p->bytes - before.bytes) * 8 / 1e9;
                if (!(lost > 100 && net_run_drops(r, -1) == lost && queue > 0.95 * want - 1500.0 &&
                      queue < 1.05 * want + 2500.0 * n && busy > controls[k].busy))
                    fail_msg("%s, %s, %d: lost %d and %d, queue %g, want %g; sent %g", controls[k].control,
                             recoveries[m], n, (int)lost, (int)(net_run_drops(r, -1) - lost), queue, want,
                             busy);
                net_run_end(r);
            }
}

/* Round trips stay between the base one and 500 us in the mean, and the line is nine tenths busy. */
static void timely_holds_round_trips(void **state)
{
    (void)state;
    for (int n = 2; n <= 8; n *= 2) {
        char text[1000];
        int at = snprintf(text, sizeof text, head, "600ms", n + 1, 10, "type: droptail");
        snprintf(text + at, sizeof text - (size_t)at,
                 "traffic: [{name: a, from: 'h[1-%d]', to: h0, tcp: {congestion: timely, window: 16MB, "
                 "t_low: 80us}}]\n"
                 "output: {warmup: 300ms}\n",
                 n);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double sent = class_number(s, 0, NULL, "goodput_bps") / 10e9 * 1500 / 1460,
                     rtt_s = class_number(s, 0, NULL, "rtt_mean_s");
        if (!(sent > 0.9 && rtt_s > base_s(10) && rtt_s < 500e-6))
            fail_msg("%d flows: %g of the line, round trips of %g s", n, sent, rtt_s);
        json_decref(s);
    }
}

static void told(const char *keys, const char *part, bool runs)
{
    char text[1000];
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    int at = snprintf(text, sizeof text, head, "1ms", 2, 10, "type: droptail");
    snprintf(text + at, sizeof text - (size_t)at, "traffic:\n- {name: f, from: h0, to: h1, %s}\n", keys);
    assert_int_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result) == WEIR_OK, runs);
    const weir_message *m = weir_diag_get(diag, 0);
    if (!m || !strstr(m->text, part) || m->line != 8)
        fail_msg("%s: '%s' in line %d, want '%s'", keys, m ? m->text : "", m ? m->line : 0, part);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void refused(const char *keys, const char *part)
{
    told(keys, part, false);
}

static void what_does_not_go_together(void **state)
{
    (void)state;
    refused("tcp: {congestion: timely, delayed_ack: 2}", "want delayed_ack: 1");
    refused("tcp: {congestion: timely, ecn: true}", "has no such thing");
    refused("tcp: {congestion: powertcp, sack: false}", "needs SACK");
    refused("tcp: {congestion: theta_powertcp, initial_window: 3}", "initial_window means nothing here");
    refused("tcp: {congestion: theta_powertcp, expected_flows: 0.5}", "want at least 1");
    refused("tcp: {congestion: timely}, fidelity: fluid", "no fluid law of congestion");
    told("tcp: {congestion: theta_powertcp, expected_flows: 200}", "less than a quarter of a packet", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_is_as_solved),    cmocka_unit_test(an_incast_is_gone),
        cmocka_unit_test(windows_move_in_recovery),  cmocka_unit_test(timely_holds_round_trips),
        cmocka_unit_test(what_does_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
