/*
 * What controls and their keys do between a flow's ends, against what their papers say: Swift over unequal paths (SIGCOMM 2020,
 * section 3.5), Vegas' segments in the queue (Brakmo and Peterson 1995: alpha to beta), the timeout before a round trip is known
 * (RFC 6298), a cap on the rate, and RED that marks alone, as DCQCN's switches do above Kmax.
 */
#include "scenario/network/refused.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

/* ---- Swift ---- */

/* Flows over 2, 4 and 6 links meet at one host's line. */
static void swift_shares_over_unequal_paths(void **state)
{
    (void)state;
    static const struct {
        const char *rates, *from;
    } cells[] = {{"rate: 25Gbps, delay: 1us", "[h1, h4, h8]"},
                 {"rate: 10Gbps, delay: 1us", "[h1, h2, h12]"},
                 {"rate: 100Gbps, delay: 5us, access_rate: 10Gbps", "[h1, h2, h3, h4, h5, h8, h9]"},
                 {"rate: 40Gbps, delay: 500ns, access_rate: 40Gbps", "[h1, h15]"}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        net_run *r =
            net_run_new(WEIR_1 "topology: {generate: {model: fat-tree, k: 4, %s}, queue: {limit: 10MB}}\n"
                               "routing: {ecmp: true}\ntraffic:\n"
                               "  - {name: f, from: %s, to: h0, tcp: {congestion: swift, rto_min: 5ms}}\n",
                        cells[i].rates, cells[i].from);
        double sum = 0, squares = 0, least = INFINITY, before[8] = {0};
        const uint32_t n = r->net->n_flows;
        net_run_until(r, 40 * MS);
        for (uint32_t f = 0; f < n; f++)
            before[f] = (double)net_run_flow(r, f).acked_bytes;
        net_run_until(r, 140 * MS);
        for (uint32_t f = 0; f < n; f++) {
            const double share = (double)net_run_flow(r, f).acked_bytes - before[f];
            sum += share;
            squares += share * share;
            least = fmin(least, share);
        }
        const double jain = sum * sum / (n * squares), worst = least * n / sum;
        if (!(jain > 0.95 && worst > 0.6))
            fail_msg("%s, from %s: Jain %g, the worst share %g", cells[i].rates, cells[i].from, jain, worst);
        net_run_end(r);
    }
}

static void acks_for_each_segment(void **state)
{
    (void)state;
    static const char *const controls[] = {"swift",    "hpcc",           "ndp",  "timely",
                                           "powertcp", "theta_powertcp", "nscc", "rccc"};
    for (size_t i = 0; i < 8; i++) {
        char text[600];
        const char *const two[] = {"traffic.f.tcp.delayed_ack=2"};
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 2}, queue: {type: %s}}\n"
                 "traffic: [{name: f, from: h0, to: h1, tcp: {congestion: %s}}]\n",
                 i == 2 || i > 5 ? "trim, mark_max: 20kB" : "droptail", controls[i]);
        json_t *s = summary_of(text, NULL, 0, NULL);
        json_decref(s);
        assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, two, 1, &result), WEIR_OK);
        assert_non_null(strstr(weir_diag_get(diag, 0)->text, "want delayed_ack: 1"));
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/* 150 first windows overflow the queue. A window that this leaves below a segment grows with the ACKs of what is sent again, and
 * its pace is forgotten once there is a segment: all end within three times what the line takes, 1.2 ms. */
static void swift_mends_a_burst_of_losses(void **state)
{
    (void)state;
    static const char *const caps[] = {"", ", max_rate: 20Gbps"};
    for (size_t i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1s\ntopology: {generate: {model: fat-tree, k: 4, rate: 100Gbps, delay: "
                 "1us, access_rate: 100Gbps, access_delay: 1us}, queue: {limit: 4MB}}\n"
                 "routing: {ecmp: true}\ntraffic: [{name: f, from: 'h[1-15]', to: h0, start: {uniform: [0s, "
                 "1us]}, tcp: {congestion: swift, delay_target: 20us, hop_delay: 3us, sessions: 10, size: "
                 "100kB, mss: 3960B, initial_window: 15, rto_min: 100us%s}}]\n",
                 caps[i]);
        json_t *s = summary_of(text, NULL, 0, NULL);
        assert_true(class_number(s, 0, NULL, "packets_dropped") > 100);
        const double last_s = class_number(s, 0, "completion", "max_s");
        if (!(last_s < 3.6e-3))
            fail_msg("the last transfer took %g s", last_s);
        json_decref(s);
    }
}

/* TIMELY's thresholds the wrong way round, or equal, leave no gradient to follow. */
static void timely_wants_its_thresholds_in_order(void **state)
{
    (void)state;
    static const char *const wrong[] = {"t_low: 500us, t_high: 50us", "t_low: 1ms, t_high: 1ms",
                                        "t_low: 600us"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[400];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 2}}\n"
                 "traffic: [{name: f, from: h0, to: h1, tcp: {congestion: timely, %s}}]\n",
                 wrong[i]);
        assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
        assert_non_null(strstr(weir_diag_get(diag, 0)->text, "want a t_low below t_high"));
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/* Of the line from left to right. */
static double mean_backlog_bytes(net_run *r, weir_time from_ps, weir_time to_ps)
{
    net_run_until(r, from_ps);
    const double before = net_backlog_byte_s(net_run_port(r, "left->right"));
    net_run_until(r, to_ps);
    return (net_backlog_byte_s(net_run_port(r, "left->right")) - before) / ((double)(to_ps - from_ps) / SEC);
}

/* ---- Vegas ---- */

static void vegas_keeps_two_to_four_segments(void **state)
{
    (void)state;
    static const struct {
        int flows, mbps;
    } cells[] = {{1, 10}, {1, 50}, {1, 100}, {5, 50}, {5, 150}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        net_run *r = net_run_new(
            WEIR_1
            "topology: {generate: {model: dumbbell, left: 5, bottleneck_rate: %dMbps, bottleneck_delay: "
            "20ms, access_rate: 1Gbps}, queue: {limit: 1MB}}\ntraffic:\n"
            "  - {name: f, from: 'l[0-%d]', to: r0, tcp: {congestion: vegas, window: 4MB}}\n",
            cells[i].mbps, cells[i].flows - 1);
        const double segments = mean_backlog_bytes(r, 20 * SEC, 60 * SEC) / 1500.0 / cells[i].flows;
        if (!(segments > 2.0 && segments < 4.0))
            fail_msg("%d flows over %d Mb/s: %g segments each", cells[i].flows, cells[i].mbps, segments);
        net_run_end(r);
    }
}

/* ---- LEDBAT ---- */

/* Slow start ends with the window that the path holds, so that no queue above the target of 100 ms is left to fall by a segment a
 * round trip. */
static void ledbat_begins_below_its_target(void **state)
{
    (void)state;
    static const struct {
        int mbps, ms;
    } cells[] = {{10, 5}, {20, 25}, {100, 20}, {1000, 10}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        net_run *r = net_run_new(
            WEIR_1
            "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: %dMbps, bottleneck_delay: "
            "%dms, access_rate: 10Gbps}, queue: {limit: 40MB}}\ntraffic:\n"
            "  - {name: f, from: l0, to: r0, tcp: {congestion: ledbat, window: 64MB}}\n",
            cells[i].mbps, cells[i].ms);
        const double queue_s = mean_backlog_bytes(r, 10 * SEC, 20 * SEC) / (cells[i].mbps * 125e3);
        if (!(queue_s > 0.05 && queue_s < 0.105))
            fail_msg("%d Mb/s, %d ms: %g s of queue", cells[i].mbps, cells[i].ms, queue_s);
        net_run_end(r);
    }
}

/* ---- keys of all controls ---- */

/* The first window is lost whole, by a line that loses all but one in a million: the timer is the initial one. One packet goes then: a
 * segment or a SYN again, or with RACK, which knows no round trip yet, a probe in the timeout's place. */
static void the_first_timeout_is_a_key(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        int handshake;
        weir_time first_ps;
    } cells[] = {{"", 0, SEC},
                 {"rto_initial: 5ms, rto_min: 1ms, ", 0, 5 * MS},
                 {"rto_initial: 5ms, rto_min: 20ms, ", 0, 20 * MS},
                 {"rto_initial: 300us, rto_min: 100us, ", 0, 300 * US},
                 {"rto_initial: 30ms, ", 1, 200 * MS}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        for (int recovery = 0; recovery < 2; recovery++) {
            net_run *r =
                net_run_new(WEIR_1 "topology: {generate: {model: star, hosts: 2, access_rate: 10Gbps}, "
                                   "links: [{link: hub->h1, loss: 99.9999%%}]}\ntraffic:\n  - {name: f, "
                                   "from: h0, to: h1, tcp: {%shandshake: %s, recovery: %s}}\n",
                            cells[i].keys, cells[i].handshake ? "true" : "false", recovery ? "rack" : "sack");
            net_run_until(r, cells[i].first_ps - 2 * US);
            const uint64_t before = net_run_flow(r, 0).timeouts, sent = net_run_flow(r, 0).packets,
                           probes = recovery && !cells[i].handshake;
            net_run_until(r, cells[i].first_ps + 20 * US);
            const uint64_t after = net_run_flow(r, 0).timeouts + probes;
            if (before != 0 || after != 1 || net_run_flow(r, 0).packets != sent + 1)
                fail_msg("%s: %llu timeouts before, %llu after", cells[i].keys, (unsigned long long)before,
                         (unsigned long long)after);
            net_run_end(r);
        }
}

static void no_flow_is_faster_than_its_cap(void **state)
{
    (void)state;
    static const char *const controls[] = {
        "newreno", "cubic", "dctcp", "bbr", "dcqcn", "swift", "cubic, pacing: true"};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        for (int gbps = 1; gbps <= 7; gbps += 3) {
            char text[1000];
            snprintf(
                text, sizeof text,
                "weir: 1\nduration: 60ms\ntopology: {generate: {model: star, hosts: 3, access_rate: 10Gbps, "
                "access_delay: 2us}, queue: {type: threshold}}\ntraffic:\n"
                "- {name: f, from: h0, to: [h1, h2], tcp: {congestion: %s, max_rate: %dGbps}}\n"
                "output: {warmup: 10ms}\n",
                controls[i], gbps);
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double wire = class_number(s, 0, NULL, "goodput_bps") * 1500 / 1460 / 1e9,
                         want = gbps < 5 ? 2.0 * gbps : 10.0;
            if (!(wire < want * 1.001 && wire > want * (gbps < 5 ? 0.99 : 0.9)))
                fail_msg("%s, two flows of at most %d Gb/s: %g", controls[i], gbps, wire);
            json_decref(s);
        }
}

/* Two flows of UDP, one of which is not ECN-capable, and an incast of DCTCP: nothing is dropped early, all is marked above max. */
static void red_that_marks_alone(void **state)
{
    (void)state;
    static const char *const ecn[] = {"false", "true", "only"};
    double early[3], marked[3];
    for (int i = 0; i < 3; i++) {
        net_run *r = net_run_new(
            WEIR_1
            "topology: {generate: {model: star, hosts: 12, access_rate: 10Gbps, access_delay: 2us}, queue: "
            "{type: red, min: 5kB, max: 50kB, max_p: 1%%, w: 1, mode: bernoulli, gentle: false, ecn: %s, "
            "limit: 4MB}}\ntraffic:\n- {name: d, from: 'h[1-9]', to: h0, tcp: {congestion: dctcp}}\n"
            "- {name: u, from: h10, to: h0, udp: {rate: 1Gbps}}\n",
            ecn[i]);
        net_run_until(r, 10 * MS);
        const net_port *p = net_run_port(r, "hub->h0");
        early[i] = (double)p->dropped[1];
        marked[i] = (double)p->marked;
        assert_int_equal(p->dropped[0], 0);
        net_run_end(r);
    }
    assert_true(early[0] > 0 && marked[0] == 0);
    assert_true(early[1] > 0 && marked[1] > 0);
    assert_true(early[2] == 0 && marked[2] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swift_shares_over_unequal_paths),
        cmocka_unit_test(acks_for_each_segment),
        cmocka_unit_test(vegas_keeps_two_to_four_segments),
        cmocka_unit_test(the_first_timeout_is_a_key),
        cmocka_unit_test(no_flow_is_faster_than_its_cap),
        cmocka_unit_test(red_that_marks_alone),
        cmocka_unit_test(timely_wants_its_thresholds_in_order),
        cmocka_unit_test(swift_mends_a_burst_of_losses),
        cmocka_unit_test(ledbat_begins_below_its_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
