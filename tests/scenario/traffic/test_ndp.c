/*
 * NDP over trimming switches (Handley and others, SIGCOMM 2017) on fat-trees: incasts end within a few percent of what the
 * receiver's line allows, a permutation of flows of 9 kB packets, sprayed, fills nine tenths of all lines with queues of eight
 * packets, short flows alone take less than twice the ideal, and nothing is lost. With requests, collectives, other disciplines and
 * TCP it works as well; engines agree; what does not go together is refused at its place.
 *
 * label: slow
 */
#include "scenario/run_summary.h"
#include "nightly.h"

#define HEAD                                                                                               \
    "weir: 1\nduration: %s\nseed: 2\ntopology:\n  generate: {model: fat-tree, k: 4, rate: 10Gbps, delay: " \
    "500ns}\n"
#define TRIM                                                                                   \
    "  queue: {type: trim}\n  host_queue: {type: trim, limit_packets: 1000, headers: 100kB}\n" \
    "routing: {ecmp: true, spray: true}\n"

/* Completion of n transfers at one host, against all their packets on its line. */
static void incast_is_near_the_optimum(void **state)
{
    (void)state;
    static const int senders[] = {1, 2, 8, 15}, kb[] = {20, 100, 500};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            if (!is_run(3 * i + k, 2, 5))
                continue;
            char text[900];
            snprintf(text, sizeof text,
                     HEAD TRIM
                     "traffic:\n- {name: a, from: 'h[1-%d]', to: h0, tcp: {congestion: ndp, size: %dkB}}\n",
                     "50ms", senders[i], kb[k]);
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double segments = ceil(kb[k] * 1000.0 / 1460.0);
            const double line_s = senders[i] * (kb[k] * 1000.0 + 40.0 * segments) * 8e-10;
            const double got = class_number(s, 0, NULL, "makespan_s");
            /* The first packet's way, 5 more lines of 1500 bytes and 6 of 500 ns, and its answer's. */
            const double way_s = 5 * 1.2e-6 + 12 * 0.5e-6 + 6 * 32e-9;
            if (!(got >= line_s && got <= 1.04 * line_s + way_s + 5e-6))
                fail_msg("%d senders of %d kB: %g s, the line needs %g", senders[i], kb[k], got, line_s);
            assert_true(class_number(s, 0, NULL, "packets_dropped") == 0.0);
            assert_true(class_number(s, 0, NULL, "timeouts") == 0.0);
            json_decref(s);
        }
}

/* A packet from each of 15: of the line's time there are twelve packets that come over six links together, and the way is the rest. */
static void incast_of_a_packet_is_the_way(void **state)
{
    (void)state;
    static const int bytes[] = {500, 1000, 1460};
    for (size_t i = 0; i < 3; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 HEAD TRIM
                 "traffic:\n- {name: a, from: 'h[1-15]', to: h0, tcp: {congestion: ndp, size: %dB}}\n",
                 "50ms", bytes[i]);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double packet_s = (bytes[i] + 40.0) * 8e-10, way_s = 6 * 0.5e-6 + 5 * packet_s,
                     got = class_number(s, 0, NULL, "makespan_s");
        if (!(got >= way_s + 12 * packet_s - 1e-9 && got <= way_s + 15 * packet_s + 1e-9))
            fail_msg("%d bytes each: %g s, want %g to %g", bytes[i], got, way_s + 12 * packet_s,
                     way_s + 15 * packet_s);
        json_decref(s);
    }
}

static void permutation_fills_lines(void **state)
{
    (void)state;
    char text[900];
    snprintf(text, sizeof text,
             HEAD TRIM "traffic:\n- {name: a, pairs: [[h0, h9], [h1, h4], [h2, h12], [h3, h7], [h4, h15], "
                       "[h5, h0], [h6, h10], [h7, "
                       "h2], [h8, h3], [h9, h13], [h10, h1], [h11, h6], [h12, h8], [h13, h5], [h14, h11], "
                       "[h15, h14]], tcp: {congestion: ndp, "
                       "mss: 8960B, window: 4MB}}\noutput: {warmup: 1ms}\n",
             "6ms");
    const double share = run_for(text, NULL, 0, "goodput_bps") * 9000.0 / 8960.0 / (16 * 10e9);
    if (!(share > 0.9 && share <= 1.0))
        fail_msg("%g of the lines", share);
}

/* Poisson arrivals of short transfers at a load of 5 %: less than twice the time alone, 99 of 100. */
static void short_flows_are_fast(void **state)
{
    (void)state;
    char text[900];
    snprintf(text, sizeof text,
             HEAD TRIM "traffic:\n- {name: a, pairs: all, tcp: {congestion: ndp, size: 15kB, arrivals: "
                       "{poisson: 60000/s}}}\n",
             "50ms");
    json_t *s = summary_of(text, NULL, 0, NULL);
    const json_t *slowdown = json_object_get(json_array_get(json_object_get(s, "classes"), 0), "slowdown");
    const double p99 = json_number_value(json_object_get(slowdown, "p99"));
    assert_true(class_number(s, 0, NULL, "completed") > 2500.0);
    if (!(p99 >= 1.0 && p99 < 2.0))
        fail_msg("slowdown %g", p99);
    json_decref(s);
}

static const char *const controls[] = {"ndp", "nscc", "rccc", "nscc, credits: true, balance: reps"};

/* A class with another control for each "ndp"; what begins with a window of NDP's has the control's own. */
static void with_control(const char *text, const char *control, char *out, size_t size)
{
    size_t n = 0;
    for (const char *at = text; *at && n + 1 < size;) {
        const bool first = strncmp(at, ", initial_window: 1", 19) == 0 && strcmp(control, "ndp") != 0;
        if (strncmp(at, "ndp", 3) == 0)
            n += (size_t)snprintf(out + n, size - n, "%s", control);
        else if (!first)
            out[n++] = *at;
        at += first ? 19 : strncmp(at, "ndp", 3) == 0 ? 3 : 1;
    }
    out[n < size ? n : size - 1] = 0;
}

/* Whatever they go together with, all arrives: the run's own check of conservation besides. */
static void with_other_things(void **state)
{
    (void)state;
    static const char *const queues[] = {TRIM,
                                         "  queue: {type: trim, limit: 20kB, headers: 200B}\n",
                                         "  queue: {type: droptail, limit: 20kB}\n",
                                         "  queue: {type: fq_codel}\nrouting: {ecmp: true}\n",
                                         "  shared_buffer: {size: 100kB}\n",
                                         TRIM "events: [{at: 1ms, fail: {node: c0}}]\n"};
    static const char *const classes[] = {
        "{name: a, from: 'h[1-12]', to: h0, tcp: {congestion: ndp, size: 60kB}}",
        "{name: a, from: 'h[1-9]', to: h0, tcp: {congestion: ndp, size: 1B}}",
        "{name: a, from: 'h[1-9]', to: h0, tcp: {congestion: ndp, size: 3kB, request: {size: 100B}}}",
        "{name: a, from: 'h[1-9]', to: h0, tcp: {congestion: ndp, size: 100kB, initial_window: 1}}, {name: "
        "b, from: 'h[2-4]', to: h0, "
        "tcp: {size: 50kB}}, {name: c, from: h5, to: h0, udp: {rate: 1Gbps}}",
        "{name: a, collective: {kind: ring-all-reduce, hosts: 'h[0-7]', rounds: 2}, tcp: {congestion: ndp, "
        "size: 80kB}}",
        "{name: a, from: 'h[1-9]', to: h0, tcp: {congestion: ndp, window: 3kB, size: 50kB}}",
        "{name: a, from: 'h[1-15]', to: h0, tcp: {congestion: ndp, size: 64kB}}, {name: b, pairs: all, tcp: "
        "{congestion: ndp, size: "
        "20kB, arrivals: {poisson: 5000/s}}}"};
    enum { N_QUEUES = sizeof queues / sizeof *queues, N_CLASSES = sizeof classes / sizeof *classes };
    for (size_t i = 0; i < 4 * N_QUEUES; i++)
        for (size_t c = 0; c < N_CLASSES; c++) {
            const size_t q = i % N_QUEUES;
            if (!is_run(i * N_CLASSES + c, 0, 3))
                continue;
            char text[1500], own[900];
            with_control(classes[c], controls[i / N_QUEUES], own, sizeof own);
            snprintf(text, sizeof text, HEAD "%straffic: [%s]\n", "300ms", queues[q], own);
            json_t *s = summary_of(text, NULL, 0, NULL);
            if (c != 2) {
                const double flows = class_number(s, 0, NULL, "flows"),
                             done = class_number(s, 0, NULL, "completed");
                if (!(done == flows && done > 0.0))
                    fail_msg("%s: %g of %g flows done", text, done, flows);
            }
            assert_true(class_number(s, 0, NULL, "received_bytes") > 0.0);
            json_decref(s);
        }
}

static void engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    char text[1500];
    weir_run_result want, got;
    snprintf(text, sizeof text,
             HEAD TRIM "traffic:\n- {name: a, from: 'h[1-9]', to: h0, tcp: {congestion: ndp, size: 60kB}}\n- "
                       "{name: b, pairs: all, tcp: "
                       "{congestion: ndp, size: 15kB, arrivals: {poisson: 60000/s}}}\n",
             "1ms");
    for (size_t e = 0; e < 4; e++) {
        const char *sets[] = {e ? engines[e - 1] : NULL};
        json_decref(summary_of(text, sets, e ? 1 : 0, e ? &got : &want));
        if (e) {
            assert_int_equal(got.event_digest, want.event_digest);
            assert_int_equal(got.state_digest, want.state_digest);
        }
    }
}

static void bad_input_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *more, *part;
        int line;
    } all[] = {
        {"congestion: ndp, ecn: true", "", "want ecn: false", 5},
        {"congestion: ndp, pacing: true", "", "want pacing: false", 5},
        {"congestion: ndp, handshake: true", "", "want handshake: false", 5},
        {"congestion: ndp, delayed_ack: 2", "", "want delayed_ack: 1", 5},
        {"congestion: ndp, recovery: sack", "", "want recovery: rack", 5},
        {"congestion: ndp, sack: false", "", "needs SACK", 5},
        {"congestion: ndp", "output: {pcap: [h0->s]}", "this is neither", 6},
        {"congestion: ndp", "routing: {spray: true}", "want ecmp: true", 6},
        {"congestion: cubic", "routing: {ecmp: true, spray: true, forwarding: source}", "one path", 6}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char run[600];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(run, sizeof run,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 3}}\ntraffic:\n- {name: "
                 "c, from: h0, to: h1, tcp: "
                 "{%s}}\n%s\n",
                 all[i].keys, all[i].more);
        assert_int_not_equal(run_text(diag, run, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, all[i].part) || m->line != all[i].line)
            fail_msg("%s %s: %d '%s'", all[i].keys, all[i].more, m ? m->line : 0, m ? m->text : "");
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incast_is_near_the_optimum), cmocka_unit_test(incast_of_a_packet_is_the_way),
        cmocka_unit_test(permutation_fills_lines),    cmocka_unit_test(short_flows_are_fast),
        cmocka_unit_test(with_other_things),          cmocka_unit_test(engines_agree),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
