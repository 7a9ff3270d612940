/*
 * Priority flow control. Nothing of a lossless priority is lost over a grid of rates, delays, packet sizes and thresholds, with
 * the headroom that is reckoned, and most of that is used, so that it is not generous; a byte less is refused. A sender of
 * rate R into a line of rate C is paused for 1 - C / R of the time. Every XOFF has its XON or stands (checked at each end).
 * A priority is marked by what waits of it. Circles of three to six switches are deadlocked and named, a line of them is
 * not. All engines give the same digests.
 */
#include "scenario/net_run.h"
#include "scenario/network/refused.h"
#include "scenario/run_summary.h"

/* Hosts that send at line rate to h0 and against it, all through one switch. */
static net_run *incast(int n, const char *rate, const char *delay, const char *packet, const char *pfc)
{
    return net_run_new(
        WEIR_1 "topology: {generate: {model: leaf-spine, leaves: 2, spines: 1, hosts: %d, access_rate: %s, "
               "rate: %s, access_delay: %s, delay: %s}, shared_buffer: {size: 400MB, pfc: {%s}}}\n"
               "traffic:\n- {name: in, from: 'h[1-9]', to: h0, udp: {rate: %s, packet: %s}}\n"
               "- {name: out, from: h0, to: 'h[1-3]', udp: {rate: %s, packet: 700B}}\n",
        n, rate, rate, delay, delay, pfc, rate, packet, "300Mbps");
}

static double headroom_used(const net_run *r)
{
    double most = 0.0;
    for (uint32_t e = r->net->n_hosts; e < r->net->n_hosts + r->net->n_ports; e++) {
        const wi_net_pauses p = wi_net_pauses_of(r->net, r->sim, e);
        const net_port *port = wi_net_port(r->net, r->sim, e);
        assert_int_equal(port->dropped[0] + port->dropped[1], 0);
        most = fmax(most, (double)p.headroom_most / (double)p.headroom_bytes);
    }
    return most;
}

static void nothing_is_lost(void **state)
{
    (void)state;
    static const char *const rates[] = {"1Gbps", "100Gbps"}, *const delays[] = {"100ns", "1us", "20us"},
                             *const packets[] = {"1500B", "64B", "{uniform: [64B, 1500B]}", "9000B"},
                             *const pfcs[] = {"xoff: 5kB", "", "xoff: 1MB, xon_offset: 0B"};
    double most = 0.0;
    for (size_t i = 0; i < 2; i++)
        for (size_t d = 0; d < 3; d++)
            for (size_t p = 0; p < 4; p++)
                for (size_t k = 0; k < 3; k++) {
                    net_run *r = incast(4 + (int)k, rates[i], delays[d], packets[p], pfcs[k]);
                    net_run_until(r, i ? 30 * US + (weir_time)d * 60 * US : 600 * US);
                    const double used = headroom_used(r);
                    assert_true(used <= 1.0);
                    most = fmax(most, used);
                    net_run_end(r);
                }
    if (!(most > 0.9))
        fail_msg("at most %g of the headroom was used", most);
}

/* A window of 64 kB and more senders than a small memory holds windows of. */
static void tcp_sends_nothing_twice(void **state)
{
    (void)state;
    net_run *r = net_run_new(
        WEIR_1 "topology: {generate: {model: star, hosts: 41, access_rate: 10Gbps, access_delay: 1us}, "
               "shared_buffer: {size: 1MB, alpha: 0.1, pfc: {}}}\n"
               "traffic: [{name: c, from: 'h[1-9]*', to: h0, tcp: {size: 200kB}}]\n");
    net_run_until(r, 20 * MS);
    assert_int_equal(r->n_tx_done, r->net->n_flows);
    assert_int_equal(net_run_drops(r, -1), 0);
    for (uint32_t i = 0; i < r->net->n_flows; i++)
        assert_int_equal(net_run_flow(r, i).retransmissions, 0);
    wi_net_pauses all = {0};
    for (uint32_t e = 0; e < r->net->n_hosts; e++) {
        const wi_net_pauses p = wi_net_pauses_of(r->net, r->sim, e);
        all.xoff_got += p.xoff_got;
        all.xon_got += p.xon_got;
        assert_int_equal(p.paused, 0);
    }
    assert_true(all.xoff_got > 0 && all.xoff_got == all.xon_got); /* it is over, and nobody stands */
    net_run_end(r);
}

/* In equilibrium what comes is what leaves. */
static void pauses_last_as_rates_say(void **state)
{
    (void)state;
    for (int slow = 1; slow <= 8; slow *= 2)
        for (int xoff = 10; xoff <= 100; xoff *= 10) {
            net_run *r = net_run_new(
                WEIR_1 "topology: {generate: {model: star, hosts: 2, access_rate: 10Gbps, access_delay: "
                       "1us}, links: [{link: hub->h1, rate: %dGbps}], shared_buffer: {size: 1MB, pfc: "
                       "{xoff: %dkB}}}\ntraffic: [{name: c, from: h0, to: h1, udp: {rate: 10Gbps, packet: "
                       "1000B}}]\n",
                slow, xoff);
            net_run_until(r, 20 * MS);
            const wi_net_pauses p = wi_net_pauses_of(r->net, r->sim, net_run_entity(r, "h0->hub"));
            const double share = weir_seconds(p.paused_ps) / 0.02, want = 1.0 - slow / 10.0;
            /* The queue begins empty, and two packets of those that a pause lets through are rounding. */
            if (!(fabs(share - want) <= 0.02))
                fail_msg("%d Gb/s, %d kB: paused %g of the time, want %g", slow, xoff, share, want);
            assert_int_equal(p.headroom_bytes, 0);
            net_run_end(r);
        }
}

/* 10 Gb/s there and back, 1 us each way, packets of 1028 bytes: while a packet (822.4 ns) and a frame (51.2 ns) go, and for
 * two delays, 2.8736 us, the line brings 3592 bytes; with two packets more, and 2 for rounding, 5650. */
static void headroom_is_reckoned(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 1ms\ntopology:\n  generate: {model: star, hosts: 3, access_rate: 10Gbps, "
        "access_delay: 1us}\n  shared_buffer:\n    size: %s\n    pfc: {headroom: %s, lossless: [0, "
        "3]}\ntraffic: "
        "[{name: "
        "c, from: h0, to: h1, udp: {rate: 1Gbps, packet: 1028B}}]\n";
    static const struct {
        const char *size, *headroom, *part;
    } all[] = {
        {"1MB", "5650B", NULL},
        {"1MB", "auto", NULL},
        {"1MB", "5649B", "cannot hold what is in flight to 'hub' from 'h0' when it pauses it: want 5650"},
        {"19006B", "auto", NULL}, /* three ports, and two packets */
        {"19005B", "auto", "less than the headroom of all ports of 'hub'"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char run[1000];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(run, sizeof run, text, all[i].size, all[i].headroom);
        const weir_status status = run_text(diag, run, WEIR_TEST_DATA, NULL, 0, &result);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!all[i].part)
            expect_ok(diag, status);
        else if (status == WEIR_OK || !m || !strstr(m->text, all[i].part) || m->line != 7)
            fail_msg("size %s, headroom %s: '%s'", all[i].size, all[i].headroom, m ? m->text : "");
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/* n switches in a circle, each with a host that sends two switches on; the other way round is longer. */
static net_run *circle(int n, int cut)
{
    char links[600] = "", pairs[600] = "";
    int at = 0, to = 0;
    for (int i = 0; i < n; i++) {
        at += snprintf(links + at, sizeof links - (size_t)at, "%s{link: r%d->r%d, delay: 9us}", i ? ", " : "",
                       (i + 1) % n, i);
        if (i >= cut)
            to += snprintf(pairs + to, sizeof pairs - (size_t)to, "%s[h%d, h%d]", to ? ", " : "", i,
                           (i + 2) % n);
    }
    return net_run_new(
        WEIR_1
        "topology: {generate: {model: ring, routers: %d, hosts: 1, rate: 10Gbps, delay: 1us, access_rate: "
        "10Gbps, access_delay: 1us}, links: [%s], shared_buffer: {size: 2MB, pfc: {xoff: 50kB}}}\n"
        "routing: {metric: delay}\ntraffic: [{name: c, pairs: [%s], udp: {rate: 10Gbps, packet: 1000B}}]\n",
        n, links, pairs);
}

static void circles_are_named(void **state)
{
    (void)state;
    for (int n = 3; n <= 6; n++) {
        uint32_t ports[100], priority = 99;
        net_run *r = circle(n, 0);
        net_run_until(r, 2 * MS);
        assert_int_equal(wi_net_pfc_deadlock(r->net, r->sim, ports, &priority), n);
        assert_int_equal(priority, 0);
        uint64_t sent = 0;
        for (int i = 0; i < n; i++) {
            char name[20];
            snprintf(name, sizeof name, "r%d->r%d", i, (i + 1) % n);
            assert_int_equal(ports[i], net_run_entity(r, name));
            sent += net_run_port(r, name)->packets;
        }
        net_run_until(r, 20 * MS); /* for good: nothing moves */
        for (int i = 0; i < n; i++)
            sent -= wi_net_port(r->net, r->sim, ports[i])->packets;
        assert_int_equal(sent, 0);
        net_run_end(r);
        r = circle(n, 2); /* two hosts are silent: ports are paused, and none for good */
        net_run_until(r, 2 * MS);
        assert_int_equal(wi_net_pfc_deadlock(r->net, r->sim, ports, &priority), 0);
        net_run_end(r);
    }
}

static void a_deadlock_is_a_warning_and_a_result(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 2ms\ntopology:\n  generate: {model: ring, routers: 5, hosts: 1, rate: 10Gbps, "
        "delay: 1us, "
        "access_rate: 10Gbps, access_delay: 1us}\n  shared_buffer: {size: 400kB, pfc: {xoff: 50kB}}\n"
        "traffic: [{name: a, pairs: [[h0, h2], [h1, h3], [h2, h4], [h3, h0], [h4, h1]], dscp: 26, udp: "
        "{rate: 10Gbps, "
        "packet: 1000B}}]\n";
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result));
    const weir_message *m = weir_diag_get(diag, 0);
    assert_non_null(m);
    assert_int_equal(m->line, 5);
    assert_non_null(strstr(m->text, "deadlock of priority 3"));
    assert_non_null(strstr(m->text, "r0->r1, r1->r2, r2->r3, r3->r4, r4->r0"));
    assert_non_null(strstr(result.summary_json, "\"r4->r0\""));
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static const char fabric[] =
    "weir: 1\nduration: 500us\nseed: 5\ntopology: {generate: {model: leaf-spine, leaves: 3, spines: 2, "
    "hosts: 4, access_rate: "
    "10Gbps, rate: 10Gbps, access_delay: 1us, delay: 1us}, queue: {type: red, min: 20kB, max: 60kB, max_p: "
    "0.2, w: 1, mode: "
    "bernoulli, gentle: false, ecn: true}, shared_buffer: {size: 300kB, alpha: 0.5, pfc: {lossless: [0, 3], "
    "xoff: 10kB, "
    "xon_offset: 2kB}}}\n"
    "routing: {ecmp: true}\noutput: {ports: all, interval: 100us}\ntraffic:\n"
    "- {name: incast, from: 'h[1-9]', to: h0, tcp: {size: 64kB, rto_min: 10ms}}\n"
    "- {name: marked, from: 'h[1-9]', to: h10, dscp: 24, tcp: {congestion: dctcp, ecn: true}}\n"
    "- {name: cbr, from: [h4, h5, h6, h7], to: h1, udp: {rate: 4Gbps, packet: 1000B}}\n"
    "- {name: lossy, from: [h4, h5, h6, h7], to: h1, dscp: 8, udp: {rate: 3Gbps, packet: 200B}}\n";

/* All that is lossless arrives or waits; what is not is lost where memory is short. */
static void only_others_are_lost(void **state)
{
    (void)state;
    json_t *s = summary_of(fabric, NULL, 0, NULL);
    for (size_t c = 0; c < 3; c++)
        assert_true(class_number(s, c, NULL, "packets_dropped") == 0.0);
    assert_true(class_number(s, 3, NULL, "packets_dropped") > 0.0);
    assert_true(class_number(s, 1, NULL, "packets_marked") > 0.0);
    json_decref(s);
}

/* h1's line is as fast as h0's, so of priority 3 at most three packets meet at the switch: one that waits for a packet of priority 0,
 * the next, and the one being sent. These are 4.5 kB, less than `min`: there are no marks, and DCQCN has the whole line for its
 * 1460 of 1500 bytes, however much of CUBIC's waits below. */
static void marks_are_of_the_own_priority(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 20ms\ntopology:\n  generate: {model: star, hosts: 4, access_rate: 10Gbps, "
        "access_delay: 1us}\n"
        "  queue: {type: red, min: 5kB, max: 200kB, max_p: 10%%, w: %s, mode: bernoulli, gentle: false, ecn: "
        "true}\n"
        "  shared_buffer: {size: 2MB, pfc: {lossless: [3]}}\n"
        "traffic:\n"
        "- {name: high, from: h1, to: h0, dscp: 24, tcp: {congestion: dcqcn, window: 4MB}}\n"
        "- {name: low, from: [h2, h3], to: h0, tcp: {congestion: cubic, window: 4MB}}\n"
        "output: {warmup: 5ms}\n";
    static const char *const weights[] = {"1", "0.01"};
    for (size_t i = 0; i < 2; i++) {
        char all[1000];
        snprintf(all, sizeof all, text, weights[i]);
        json_t *s = summary_of(all, NULL, 0, NULL);
        const double goodput = class_number(s, 0, NULL, "goodput_bps");
        assert_true(class_number(s, 0, NULL, "packets_marked") == 0.0);
        if (!(fabs(goodput / (10e9 * 1460 / 1500) - 1.0) < 0.001))
            fail_msg("w %s: %g bit/s", weights[i], goodput);
        json_decref(s);
    }
}

static void engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    weir_run_result want, got;
    json_decref(summary_of(fabric, NULL, 0, &want));
    for (size_t e = 0; e < 3; e++) {
        json_decref(summary_of(fabric, &engines[e], 1, &got));
        assert_int_equal(got.event_digest, want.event_digest);
        assert_int_equal(got.state_digest, want.state_digest);
    }
}

static void bad_input_is_named(void **state)
{
    (void)state;
#define PFC(keys) "shared_buffer: {size: 100MB, pfc: {" keys "}}"
    star_is_refused("shared_buffer: {size: 1499B}", "", "packets have up to 1500");
    star_is_refused("shared_buffer: {pfc: {}}", "", "size");
    star_is_refused("pfc: {}", "", "pfc");
    star_is_refused(PFC("xoff: 2kB, xon_offset: 3kB"), "", "thresholds cross");
    star_is_refused(PFC("xoff: 0B"), "", "xoff");
    star_is_refused(PFC("xoff: 5ms"), "", "xoff");
    star_is_refused(PFC("lossless: 8"), "", "at most 7");
    star_is_refused(PFC("lossless: []"), "", "empty list");
    star_is_refused(PFC("lossless: [1, x]"), "", "lossless");
    star_is_refused(PFC("headroom: 10B"), "", "in flight");
    star_is_refused(PFC("") ", queue: {limit: 1MB}", "", "limit of its own");
    star_is_refused(PFC("") ", queue: {type: codel}", "", "at departure");
    star_is_refused(PFC("") ", host_queue: {type: fq_codel}", "", "host_queue");
    star_is_refused(PFC(""), "events: [{at: 100us, fail: {link: h0--hub}}]\n",
                    "does not go together with events");
}

/* Twenty switches whose memories have room for 100 million packets of 40 bytes, 4.8 GB of slots: what none has been in takes no
 * memory, is neither reckoned nor hashed, and the check engine compares what is left. */
static void idle_memory_takes_none(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine.type=sequential", "engine.type=check",
                                          "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    static const char text[] =
        "weir: 1\nduration: 60us\ntopology: {generate: {model: fat-tree, k: 4, rate: 10Gbps, delay: 1us}, "
        "shared_buffer: {size: 200MB, pfc: {xoff: 5kB}}}\n"
        "traffic: [{name: c, from: 'h[1-9]*', to: h0, tcp: {window: 64kB}}]\n";
    uint64_t digest = 0;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        expect_ok(diag, run_text(diag, text, NULL, &engines[i], 1, &result));
        const char *const bytes = strstr(result.summary_json, "\"state_bytes\": ");
        assert_true(strtod(bytes + strlen("\"state_bytes\": "), NULL) < 20e6);
        assert_true(i == 0 || result.state_digest == digest);
        digest = result.state_digest;
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(tcp_sends_nothing_twice),
        cmocka_unit_test(pauses_last_as_rates_say),
        cmocka_unit_test(headroom_is_reckoned),
        cmocka_unit_test(circles_are_named),
        cmocka_unit_test(a_deadlock_is_a_warning_and_a_result),
        cmocka_unit_test(only_others_are_lost),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(marks_are_of_the_own_priority),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(idle_memory_takes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
