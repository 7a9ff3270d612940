/*
 * label: slow statistics
 *
 * Links that fail and come back under fluid, as under packets: sessions on a ring, which go the other way round
 * when their link fails, and on a line, which has no other way, at times of convergence below and above a round
 * trip and a timer; what fluid and packets receive until 3 s after the failure and to the end. And mixes of
 * both have one digest on all engines that are here, however the fluid is coupled.
 */
#include "scenario/run_summary.h"
#include "nightly.h"

enum { TEXT = 1200 };

static const char *const ring = "model: ring, routers: 5", *const a_line = "model: line, routers: 3";

typedef struct cell {
    const char *control, *model, *rate, *convergence, *repair, *duration;
    int sessions;
} cell;

static void write_text(char *text, const cell *c, const char *fidelity)
{
    snprintf(text, TEXT,
             "weir: 1\nduration: %s\n"
             "topology:\n"
             "  generate: {%s, hosts: 0, rate: %s, delay: 10ms}\n"
             "  queue: {type: red, limit: 400kB, min: 10kB, max: 80kB}\n"
             "traffic:\n"
             "  - {name: f, tcp: {congestion: %s, sessions: %d}, from: r0, to: r2, fidelity: %s}\n"
             "routing: {convergence: %s}\n"
             "events: [{at: 5s, fail: {link: r1--r2}}, {at: %s, repair: {link: r1--r2}}]\n"
             "fluid: {device: cpu}\n",
             c->duration, c->model, c->rate, c->control, c->sessions, fidelity, c->convergence, c->repair);
}

static double received(const cell *c, const char *fidelity, const char *set)
{
    char text[TEXT];
    write_text(text, c, fidelity);
    return run_for(text, &set, set ? 1 : 0, "received_bytes");
}

/* Of two seeds of packets. Off by 17 % at most where four sessions have windows of 80 segments, of which RED ends slow
 * starts sooner for packets, and growth takes seconds; by 8 where they are smaller. With convergence of 2 s a link is repaired in the instant in
 * which routers learn that it failed: sessions wait from the failure on until routers learn of the repair. */
static void follows(const char *control, int every)
{
    int cells = 0;
    for (int i = 0; i < 48; i += every) {
        const cell c = {.control = control,
                        .model = i % 2 ? a_line : ring,
                        .rate = i / 2 % 2 ? "50Mbps" : "10Mbps",
                        .sessions = i / 4 % 2 ? 20 : 4,
                        .duration = i / 8 % 2 ? "15s" : "8s",
                        .repair = i / 8 % 2 ? "7s" : "5.3s",
                        .convergence = i / 16 == 0   ? "10ms"
                                       : i / 16 == 1 ? "300ms"
                                                     : "2s"};
        const double fluid = received(&c, "fluid", NULL);
        const double most = i / 2 % 2 && c.sessions == 4 ? 0.18 : 0.09;
        const double packets = 0.5 * (received(&c, "packet", "seed=1") + received(&c, "packet", "seed=2"));
        print_message("  %s, %s, %s, %d sessions, routes follow after %s, %s: %.3f\n", control, c.model,
                      c.rate, c.sessions, c.convergence, c.duration, fluid / packets);
        assert_true(fabs(fluid / packets - 1.0) <= most);
        cells++;
    }
    assert_int_equal(cells, (48 + every - 1) / every);
}

static void fluid_follows_as_packets_do(void **state)
{
    (void)state;
    follows("newreno", nightly() ? 1 : 5);
    follows("cubic", nightly() ? 1 : 11);
}

/* A hundred sessions lose their way for good, and ten others have a busy link of it to themselves. */
static void who_is_cut_off_is_silent(void **state)
{
    (void)state;
    double received[2];
    for (int i = 0; i < 2; i++) {
        char text[TEXT];
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 12s\noutput: {warmup: 3s}\n"
            "topology:\n"
            "  generate: {model: line, routers: 3, hosts: 0, rate: 10Mbps, delay: 5ms}\n"
            "  queue: {type: red, limit: 200kB, min: 30kB, max: 90kB}\n"
            "traffic:\n"
            "  - {name: cut, tcp: {congestion: newreno, sessions: 100}, from: r0, to: r2, fidelity: %s}\n"
            "  - {name: f, tcp: {congestion: newreno, sessions: 10}, from: r0, to: r1, fidelity: %s}\n"
            "events: [{at: 2s, fail: {link: r1--r2}}]\n"
            "fluid: {device: cpu}\n",
            i ? "fluid" : "packet", i ? "fluid" : "packet");
        json_t *summary = summary_of(text, NULL, 0, NULL);
        received[i] = class_number(summary, 1, NULL, "received_bytes");
        json_decref(summary);
    }
    assert_true(fabs(received[1] / received[0] - 1.0) < 0.02);
}

/* Streams lose half from a failure at the start until half of the run, which has no way before it. */
static void cut_off_from_the_start(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 10s\n"
                               "topology:\n"
                               "  generate: {model: line, routers: 3, hosts: 0, rate: 10Mbps, delay: 5ms}\n"
                               "traffic: [{name: u, udp: {rate: 1Mbps}, from: r0, to: r2, fidelity: fluid}]\n"
                               "events: [{at: 0s, fail: {link: r1--r2}}, {at: 5s, repair: {link: r1--r2}}]\n"
                               "fluid: {device: cpu}\n";
    assert_true(fabs(run_for(text, NULL, 0, "loss") - 0.5) < 0.005);
}

/* A stream of 8 Mb/s that is cut off behind the line that it shares, from 2 to 6 of 10 s, and routes that follow 1 s later: from
 * 3 to 7 s the line is the others', as it is under packets, and 5 s of the stream are lost. */
static void who_has_no_way_takes_no_link(void **state)
{
    (void)state;
    double received[2], loss[2];
    for (int i = 0; i < 2; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 10s\n"
                 "topology:\n"
                 "  generate: {model: line, routers: 3, hosts: 0, rate: 10Mbps, delay: 5ms}\n"
                 "  queue: {limit: 50kB}\n"
                 "traffic:\n"
                 "  - {name: cut, udp: {rate: 8Mbps}, from: r0, to: r2, fidelity: %s}\n"
                 "  - {name: p, tcp: {congestion: newreno}, from: r0, to: r1}\n"
                 "routing: {convergence: 1s}\n"
                 "events: [{at: 2s, fail: {link: r1--r2}}, {at: 6s, repair: {link: r1--r2}}]\n"
                 "fluid: {device: cpu}\n",
                 i ? "fluid" : "packet");
        json_t *summary = summary_of(text, NULL, 0, NULL);
        loss[i] = class_number(summary, 0, NULL, "loss");
        received[i] = class_number(summary, 1, NULL, "received_bytes");
        json_decref(summary);
    }
    assert_true(fabs(received[1] / received[0] - 1.0) < 0.05);
    assert_true(fabs(loss[0] - 0.5) < 0.02 && fabs(loss[1] - 0.5) < 0.02);
}

/* One pair goes on over another way, and the next never has one: two flows of two pairs, both of the first. */
static void who_never_has_a_way_gets_nothing(void **state)
{
    (void)state;
    static const char *const kinds[] = {"udp: {rate: 2Mbps}", "tcp: {congestion: newreno}",
                                        "udp: {rate: 2Mbps, pattern: onoff, on_time: 10ms, off_time: 10ms}"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 4s\n"
                 "topology:\n"
                 "  generate: {model: grid, width: 2, height: 3, rate: 10Mbps, delay: 5ms}\n"
                 "  queue: {limit: 50kB}\n"
                 "traffic:\n"
                 "  - {name: goes on, %s, from: r0_0, to: r0_1, fidelity: fluid}\n"
                 "  - {name: cut, %s, from: r0_0, to: r1_2, fidelity: fluid}\n"
                 "events: [{at: 0s, fail: {node: r1_2}}, {at: 2s, fail: {link: r0_0--r0_1}}]\n"
                 "fluid: {device: cpu}\n",
                 kinds[i], kinds[i]);
        json_t *summary = summary_of(text, NULL, 0, NULL);
        assert_true(class_number(summary, 1, NULL, "received_bytes") == 0.0);
        assert_true(class_number(summary, 0, NULL, "received_bytes") > 0.0);
        assert_true(i == 1 || class_number(summary, 1, NULL, "loss") == 1.0);
        json_decref(summary);
    }
}

/* Loss of a stream from r0 to r2 with an outage from 1 to 2 and one from 2 to 3 of 5 s; and of one that begins in an outage
 * without end, where nobody ever has a way while it sends. */
static void a_link_fails_as_it_comes_back(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 5s\n"
                               "topology:\n"
                               "  generate: {model: line, routers: 3, hosts: 0, rate: 10Mbps, delay: 5ms}\n"
                               "traffic: [{name: u, udp: {rate: 1Mbps}, from: r0, to: r2, fidelity: fluid}]\n"
                               "routing: {convergence: 100us}\n"
                               "events:\n"
                               "  - {at: 1s, fail: {link: r1--r2}}\n"
                               "  - {at: 2s, repair: {link: r1--r2}}\n"
                               "  - {at: 2s, fail: {link: r1--r2}}\n"
                               "  - {at: 3s, repair: {link: r1--r2}}\n"
                               "fluid: {device: cpu}\n";
    static const char *const soon = "traffic.u.udp.rate=2Mbps", *const late = "traffic.u.start=3500ms";
    static const char *const both[] = {"traffic.u.start=1100ms", "traffic.u.stop=2900ms"};
    assert_true(fabs(run_for(text, &soon, 1, "loss") - 0.4) < 0.005);
    assert_true(run_for(text, &late, 1, "loss") == 0.0);
    assert_true(run_for(text, both, 2, "loss") == 1.0);
    static const char *const tcp[] = {
        "traffic.u={name: u, tcp: {}, from: r0, to: r2, fidelity: fluid, start: 1100ms, stop: 2900ms}"};
    assert_true(run_for(text, tcp, 1, "received_bytes") == 0.0);
}

/* Whatever beside it: nodes that fail, ECMP, UDP, no way at all, failures of a moment. */
static void one_digest_on_all_engines(void **state)
{
    static const char *const sets[][5] = {
        {"duration=3s", "engine.type=sequential"},
        {"duration=3s", "engine={type: conservative, threads: 2}"},
        {"duration=3s", "engine={type: conservative, threads: 3}"},
        {"duration=3s", "engine.type=check"},
        {"duration=3s", "fluid.prefetch=false"},
    };
    static const char *const fidelity[] = {"fluid", "{packet: 2, fluid: rest}"};
    (void)state;
    for (int k = 0; k < 8; k++) {
        if (!is_run(k, 0, 3))
            continue;
        char text[2 * TEXT];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 3s\n"
                 "topology:\n"
                 "  generate: {model: grid, width: 3, height: 3, rate: 10Mbps, delay: 4ms}\n"
                 "  queue: {limit: 30kB}\n"
                 "traffic:\n"
                 "  - {name: f, tcp: {congestion: newreno, sessions: 6}, pairs: [[r0_0, r2_2], [r0_2, r2_0], "
                 "[r1_0, r1_2]], "
                 "fidelity: %s}\n"
                 "  - {name: u, udp: {rate: 2Mbps}, pairs: [[r0_0, r1_2], [r2_1, r0_1]], fidelity: fluid}\n"
                 "  - {name: p, tcp: {congestion: newreno, sessions: 2}, from: r0_1, to: r2_1}\n"
                 "routing: {convergence: %s, ecmp: %s}\n"
                 "events:\n"
                 "  - {at: 501ms, fail: {link: r0_0--r1_0}}\n"
                 "  - {at: 800ms, fail: {node: r1_1}}\n"
                 "  - {at: 803ms, repair: {node: r1_1}}\n"
                 "  - {at: 1200ms, fail: {node: r2_2}}\n"
                 "  - {at: 1700ms, repair: {link: r0_0--r1_0, node: r2_2}}\n"
                 "  - {at: 2s, fail: {link: \"r1_1--*\"}}\n"
                 "fluid: {device: cpu, precision: %s%s}\n",
                 fidelity[k % 2], k / 4 ? "150ms" : "0s", k / 2 % 2 ? "true" : "false",
                 k / 4 ? "double" : "single", k % 2 ? ", coupling: async, batch: 3" : "");
        weir_run_result want, got;
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
            json_decref(summary_of(text, sets[i], 2, i == 0 ? &want : &got));
            if (i == 0)
                continue;
            assert_int_equal(got.event_digest, want.event_digest);
            assert_int_equal(got.state_digest, want.state_digest);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_follows_as_packets_do),      cmocka_unit_test(who_is_cut_off_is_silent),
        cmocka_unit_test(cut_off_from_the_start),           cmocka_unit_test(who_has_no_way_takes_no_link),
        cmocka_unit_test(who_never_has_a_way_gets_nothing), cmocka_unit_test(a_link_fails_as_it_comes_back),
        cmocka_unit_test(one_digest_on_all_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
