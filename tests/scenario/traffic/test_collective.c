/*
 * Collective operations against closed forms. Parts of one segment through one switch, all links alike: what a
 * transmission takes is known to the picosecond, and so is the operation, with n hosts, t of a packet, a of an ACK, d of a
 * link:
 *   ring            2 (n - 1) (2 t + 2 d) + (2 (n - 1) - 1) a: a step's packet waits for the ACK of the last
 *   tree, n = 3     (3 t + 2 d) + a + (3 t + 2 d): two share the way up, and the way down
 *   all-to-all      at least n t + 2 d, as fast as the lines are; at most (2 n - 2) t + 2 d, where all but the last
 *                   packet of each host meet at one port
 *   partition-      2 q + c + (n - 1 + 1) t + 4 d, with q of a request and c of the computing
 *   aggregate
 * Longer parts: within ACKs' share of the line. All engines give one digest; what is stopped begins no more; bad input.
 */
#include "scenario/run_summary.h"

static const char head[] = "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 16, "
                           "access_rate: 10Gbps, access_delay: 1us}}\n";

/* 800 ps a byte. */
static double tx(double bytes)
{
    return bytes * 0.8e-9;
}

static json_t *run_of(const char *what, const char *tcp, const char *more)
{
    char text[2000];
    snprintf(text, sizeof text, "%straffic: [{name: c, collective: {%s}, tcp: {handshake: false, %s}%s}]\n",
             head, what, tcp, more);
    return summary_of(text, NULL, 0, NULL);
}

static double duration_of(const char *what, const char *tcp, const char *key)
{
    json_t *summary = run_of(what, tcp, "");
    const double value = class_number(summary, 0, "rounds", key);
    json_decref(summary);
    return value;
}

static void expect_time(const char *what, double got, double want)
{
    if (!(fabs(got - want) < 2e-11)) /* seconds are written with all their digits; sums of them are not */
        fail_msg("%s: %.12f s, want %.12f s", what, got, want);
}

static void rings_take_their_steps(void **state)
{
    (void)state;
    for (int n = 2; n <= 16; n += n < 4 ? 1 : 4)
        for (int part = 100; part <= 1460; part += 680) {
            char what[100], tcp[100];
            snprintf(what, sizeof what, "kind: ring-all-reduce, hosts: 'h[0-%d]'", n - 1);
            snprintf(tcp, sizeof tcp, "size: %dB", n * part);
            const double steps = 2.0 * (n - 1);
            expect_time(what, duration_of(what, tcp, "mean_s"),
                        steps * (2.0 * tx(part + 40) + 2e-6) + (steps - 1.0) * tx(40));
        }
}

static void a_tree_of_three(void **state)
{
    (void)state;
    expect_time("tree", duration_of("kind: tree-all-reduce, hosts: 'h[0-2]'", "size: 1000B", "mean_s"),
                2.0 * (3.0 * tx(1040) + 2e-6) + tx(40));
    expect_time("tree of two", duration_of("kind: tree-all-reduce, hosts: 'h[0-1]'", "size: 1000B", "mean_s"),
                2.0 * (2.0 * tx(1040) + 2e-6) + tx(40));
}

static void all_to_all_fills_the_lines(void **state)
{
    (void)state;
    for (int n = 5; n <= 16; n++) {
        char what[100];
        snprintf(what, sizeof what, "kind: all-to-all, hosts: 'h[0-%d]'", n - 1);
        const double got = duration_of(what, "size: 1460B", "mean_s");
        if (!(got > n * tx(1500) + 2e-6 - 1e-11) || !(got < (2.0 * n - 2.0) * tx(1500) + 2e-6 + 1e-11))
            fail_msg("%s: %.12f s", what, got);
    }
}

static void answers_share_the_aggregator_s_line(void **state)
{
    (void)state;
    for (int n = 2; n <= 16; n += 7) {
        char what[200];
        snprintf(what, sizeof what,
                 "kind: partition-aggregate, hosts: 'h[0-%d]', rounds: 3, compute: 100us, request: 60B",
                 n - 1);
        const double want = 2.0 * tx(100) + 100e-6 + n * tx(1500) + 4e-6;
        expect_time(what, duration_of(what, "size: 1460B", "mean_s"), want);
        expect_time(what, duration_of(what, "size: 1460B", "max_s"), want);
    }
}

/* 100 kB parts: ACKs of 40 bytes for two segments of 1,500 take 1.3 % of the lines besides. */
static void long_parts_take_the_line_and_acks(void **state)
{
    (void)state;
    static const char tcp[] = "size: 800kB, initial_window: 1000";
    const double step = tx(100000 * 1500.0 / 1460.0);
    const double ring = duration_of("kind: ring-all-reduce, hosts: 'h[0-7]'", tcp, "mean_s") / (14.0 * step);
    const double all = duration_of("kind: all-to-all, hosts: 'h[0-7]'", tcp, "mean_s") / (7.0 * 8.0 * step);
    const double tree =
        duration_of("kind: tree-all-reduce, hosts: 'h[0-6]'", tcp, "mean_s") / (8.0 * 8.0 * step);
    if (!(ring > 1.0 && ring < 1.06) || !(all > 1.0 && all < 1.06) || !(tree > 1.0 && tree < 1.03))
        fail_msg("over the lines' own time: ring %g, all-to-all %g, tree %g", ring, all, tree);
}

static const char *const kinds[] = {"partition-aggregate", "all-to-all", "ring-all-reduce",
                                    "tree-all-reduce"};

static void all_rounds_end_and_engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    for (size_t k = 0; k < 4; k++)
        for (int n = 2; n <= 9; n += 7) {
            char text[2000];
            snprintf(text, sizeof text,
                     "%straffic: [{name: c, collective: {kind: %s, hosts: 'h[0-%d]', rounds: 4, compute: "
                     "3us}, tcp: "
                     "{size: 40kB}, start: {uniform: [0s, 50us]}}]\n",
                     head, kinds[k], n - 1);
            weir_run_result want, got;
            json_t *summary = summary_of(text, NULL, 0, &want);
            if (class_number(summary, 0, "rounds", "completed") != 4.0)
                fail_msg("%s among %d: %g rounds", kinds[k], n,
                         class_number(summary, 0, "rounds", "completed"));
            assert_true(class_number(summary, 0, NULL, "completed") ==
                        class_number(summary, 0, NULL, "flows"));
            json_decref(summary);
            for (size_t e = 0; e < 3; e++) {
                json_decref(summary_of(text, &engines[e], 1, &got));
                assert_int_equal(got.event_digest, want.event_digest);
                assert_int_equal(got.state_digest, want.state_digest);
            }
        }
}

/* What waits for nothing starts in the range of `start`, each for itself: of eight times in 10 ms the first and the last are
 * less than 4 ms apart once in 118 times (8 r^7 - 7 r^8, r = 0.4). The rest follows within microseconds. */
static void first_messages_start_in_the_range(void **state)
{
    (void)state;
    for (size_t k = 1; k < 3; k++) {
        char what[100];
        snprintf(what, sizeof what, "kind: %s, hosts: 'h[0-7]'", kinds[k]);
        json_t *at_once = run_of(what, "size: 8kB", ", start: 1ms"),
               *spread = run_of(what, "size: 8kB", ", start: {uniform: [1ms, 11ms]}");
        const double once_s = class_number(at_once, 0, "rounds", "max_s"),
                     spread_s = class_number(spread, 0, "rounds", "max_s");
        if (!(once_s < 1e-4) || !(spread_s > 4e-3) || !(spread_s < 10e-3 + once_s))
            fail_msg("%s: %g s at once, %g s spread over 10 ms", kinds[k], once_s, spread_s);
        json_decref(at_once);
        json_decref(spread);
    }
}

/* A round takes over 10 us; none begins after 100 us, and what has begun ends. */
static void nothing_begins_after_stop(void **state)
{
    (void)state;
    json_t *summary =
        run_of("kind: all-to-all, hosts: 'h*[0-9]', rounds: 1000", "size: 1kB", ", stop: 100us");
    const double completed = class_number(summary, 0, NULL, "completed");
    assert_true(completed > 16.0 * 15.0 && completed < 10.0 * 16.0 * 15.0);
    assert_true(class_number(summary, 0, "rounds", "completed") < 10.0);
    json_decref(summary);
}

static void expect_refused(const char *cls, const char *part)
{
    char text[2000];
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    snprintf(text, sizeof text, "%straffic: [{name: c, %s}]\n", head, cls);
    assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
    const weir_message *m = weir_diag_get(diag, 0);
    if (!m || !strstr(m->text, part) || m->line != 4)
        fail_msg("%s: '%s' in line %d, want '%s'", cls, m ? m->text : "", m ? m->line : 0, part);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void bad_input_is_named(void **state)
{
    (void)state;
#define RING "collective: {kind: ring-all-reduce, hosts: 'h[0-7]'}"
    expect_refused(RING ", tcp: {}", "needs 'size'");
    expect_refused(RING ", udp: {rate: 1Mbps}", "needs 'tcp'");
    expect_refused(RING ", tcp: {size: {exponential: 1kB}}", "one for all");
    expect_refused(RING ", tcp: {size: 1kB, sessions: 2}", "sessions: 2 does not go together");
    expect_refused(RING ", tcp: {size: 1kB, arrivals: {all: 3}}", "arrivals does not go together");
    expect_refused(RING ", tcp: {size: 1kB, request: {}}", "request does not go together");
    expect_refused(RING ", tcp: {size: 1kB}, fidelity: fluid", "want fidelity: packet");
    expect_refused(RING ", tcp: {size: 1kB}, pairs: all", "does not go together");
    expect_refused(RING ", tcp: {size: 1kB}, from: h0, to: h1", "does not go together");
    expect_refused("collective: {kind: ring-all-reduce, hosts: h0}, tcp: {size: 1kB}", "of one host");
    expect_refused("collective: {kind: ring-all-reduce, hosts: [h0, 'h[0-2]']}, tcp: {size: 1kB}",
                   "named twice");
    expect_refused("collective: {kind: ring-all-reduce, hosts: [h0, h99]}, tcp: {size: 1kB}",
                   "no node 'h99'");
    expect_refused("collective: {kind: ring, hosts: 'h[0-9]*'}, tcp: {size: 1kB}", "kind");
    expect_refused("collective: {hosts: 'h[0-9]*'}, tcp: {size: 1kB}", "kind");
    expect_refused("collective: {kind: all-to-all, hosts: 'h[0-7]', request: 9B}, tcp: {size: 1kB}",
                   "request means nothing here");
    expect_refused("collective: {kind: all-to-all, hosts: 'h[0-7]', rounds: 0}, tcp: {size: 1kB}", "rounds");
    expect_refused("collective: {kind: all-to-all, hosts: 'h[0-9]*', rounds: 1000000}, tcp: {size: 1kB}",
                   "want at most");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_take_their_steps),
        cmocka_unit_test(a_tree_of_three),
        cmocka_unit_test(all_to_all_fills_the_lines),
        cmocka_unit_test(answers_share_the_aggregator_s_line),
        cmocka_unit_test(long_parts_take_the_line_and_acks),
        cmocka_unit_test(all_rounds_end_and_engines_agree),
        cmocka_unit_test(first_messages_start_in_the_range),
        cmocka_unit_test(nothing_begins_after_stop),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
