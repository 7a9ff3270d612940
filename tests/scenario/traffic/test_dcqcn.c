/*
 * DCQCN over lossless switches: flows share a line of 40 Gb/s evenly and fill it, nothing is lost, and the chance of a mark that
 * settles is that of the fluid model within what bursts of marks make of it (see net.dcqcn). What does not go together with it
 * is refused at its place, and all engines give the same digests.
 *
 * label: slow
 */
#include "scenario/run_summary.h"

/* Flows into one port; marks as in the paper, but Pmax. */
static const char text[] = "weir: 1\nduration: 100ms\nseed: 3\ntopology:\n  generate: {model: star, hosts: "
                           "%d, access_rate: 40Gbps, access_delay: 1us}\n"
                           "  queue: {type: red, min: 5kB, max: 200kB, max_p: 10%%, w: 1, mode: bernoulli, "
                           "gentle: false, ecn: true}\n"
                           "  shared_buffer: {size: %s, pfc: {}}\n"
                           "traffic: [%s]\noutput: {warmup: 50ms}\n";

static const char one[] =
    "{name: f%d, from: h%d, to: h0, start: %dus, tcp: {congestion: dcqcn, window: 4MB}}";

/* The fluid model's fixed point for n flows, as in tests/net/test_dcqcn.c, for packets of 1500 bytes. */
static double excess(double p, double r)
{
    const double l = log1p(-p), tau = 50e-6, timer = 55e-6, bytes = 10e6 / 1500.0, ai = 40e6 / 12000.0,
                 f = 4.0;
    const double a = -expm1(tau * r * l), alpha = -expm1(timer * r * l);
    const double b = p / expm1(-bytes * l), c = exp(f * bytes * l) * b;
    const double d = p / expm1(-timer * r * l), e = exp(f * timer * r * l) * d;
    return a * a * alpha - (b + d) * (c + e) * tau * tau * ai * r;
}

static double marked_share(int n)
{
    double low = 1e-6, high = 0.1;
    for (int i = 0; i < 100; i++) {
        const double p = sqrt(low * high);
        if (excess(p, 40e9 / 12000.0 / n) > 0.0)
            high = p;
        else
            low = p;
    }
    return low;
}

static void flows_share_a_line(void **state)
{
    (void)state;
    for (int n = 2; n <= 16; n *= 2) {
        char flows[4096], all[5000];
        int at = 0;
        for (int i = 1; i <= n; i++) {
            at += snprintf(flows + at, sizeof flows - (size_t)at, "%s", i > 1 ? ", " : "");
            at += snprintf(flows + at, sizeof flows - (size_t)at, one, i, i, 37 * i);
        }
        snprintf(all, sizeof all, text, n + 1, "12MB", flows);
        json_t *s = summary_of(all, NULL, 0, NULL);
        double sum = 0.0, squares = 0.0, sent = 0.0, marked = 0.0;
        for (int i = 0; i < n; i++) {
            const double x = class_number(s, (size_t)i, NULL, "goodput_bps");
            sum += x;
            squares += x * x;
            sent += class_number(s, (size_t)i, NULL, "packets_received");
            marked += class_number(s, (size_t)i, NULL, "packets_marked");
            assert_true(class_number(s, (size_t)i, NULL, "packets_dropped") == 0.0);
        }
        json_decref(s);
        const double jain = sum * sum / (n * squares), share = marked / sent / marked_share(n);
        if (!(jain > 0.98 && sum > 0.95 * 40e9 * 1460 / 1500 && share > 1.0 && share < 3.0))
            fail_msg("%d flows: Jain %g, %g bit/s, marks %g of the model's", n, jain, sum, share);
    }
}

static void engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    char flows[1000], all[2000];
    weir_run_result want, got;
    int at = 0;
    for (int i = 1; i <= 3; i++) {
        at += snprintf(flows + at, sizeof flows - (size_t)at, "%s", i > 1 ? ", " : "");
        at += snprintf(flows + at, sizeof flows - (size_t)at, one, i, i, 20 * i);
    }
    snprintf(all, sizeof all, text, 4, "400kB", flows);
    for (size_t e = 0; e < 4; e++) {
        const char *sets[] = {"duration=1ms", "output.warmup=0s", e ? engines[e - 1] : NULL};
        json_decref(summary_of(all, sets, e ? 3 : 2, e ? &got : &want));
        if (e) {
            assert_int_equal(got.event_digest, want.event_digest);
            assert_int_equal(got.state_digest, want.state_digest);
        }
    }
}

/* The line's rate is that of the fastest host where none is given. */
static void the_line_is_the_hosts(void **state)
{
    (void)state;
    static const char *const sets[] = {"duration=100us", "output.warmup=0s",
                                       "traffic.f1.tcp.line_rate=40Gbps"};
    static const char *const slower[] = {"duration=100us", "output.warmup=0s",
                                         "traffic.f1.tcp.line_rate=1Gbps"};
    char flow[200], all[1000];
    snprintf(flow, sizeof flow, one, 1, 1, 0);
    snprintf(all, sizeof all, text, 2, "12MB", flow);
    const double as_is = run_for(all, sets, 2, "received_bytes");
    assert_true(run_for(all, sets, 3, "received_bytes") == as_is && as_is > 0.0);
    assert_true(run_for(all, slower, 3, "received_bytes") < 0.05 * as_is);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *part;
    } all[] = {{"ecn: false", "lives by marks"},      {"sack: false", "needs SACK"},
               {"line_rate: 10kbps", "line_rate"},    {"ai_rate: 0bps", "ai_rate"},
               {"byte_counter: 1kB", "byte_counter"}, {"cnp_interval: 0s", "cnp_interval"},
               {"rate_timer: 1ns", "rate_timer"},     {"gain: 2", "gain"},
               {"fast_recovery: 0", "fast_recovery"}, {"delay_target: 1ms", "delay_target"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char run[600];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(run, sizeof run,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star}}\ntraffic:\n- {name: c, from: "
                 "h0, to: h1, tcp: "
                 "{congestion: dcqcn, %s}}\n",
                 all[i].keys);
        assert_int_not_equal(run_text(diag, run, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, all[i].part) || m->line != 5)
            fail_msg("%s: '%s'", all[i].keys, m ? m->text : "");
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_share_a_line),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(the_line_is_the_hosts),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
