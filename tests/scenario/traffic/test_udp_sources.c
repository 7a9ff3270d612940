/*
 * UDP that replays a trace, and matrices that follow each other. A trace drawn by chance: what each flow has sent by any
 * instant is what the file says, pass after pass. Matrices drawn by chance: what a pair has sent is the integral of its rate,
 * to the packet where the rate is even; counts of Poisson streams lie within five deviations in each step. All engines
 * give one digest. Each documented error with its place.
 * label: threads
 */
#include <stdlib.h>

#include "scenario/engine_digests.h"
#include "scenario/net_run.h"
#include "output/scratch.h"
#include "scenario/load.h"
#include "network/files/udp_trace.h"
#include "network/pairs.h"
#include "splitmix.h"

#define STAR_WITH(more) \
    "topology: {generate: {model: star, hosts: 6, access_rate: 10Gbps, access_delay: 5us}" more "}\n"
#define STAR STAR_WITH("")

static void write_text(const char *name, const char *text)
{
    FILE *f = fopen(scratch_path(name), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* ---- traces ---- */

static void lines_of_all_forms(void **state)
{
    (void)state;
    static const char text[] =
        "time,size\r\n# a comment\n\n0 28\n1e-3,65535 # the largest\n 1ms , 1.5kB\r\n.25 100B";
    static const net_udp_point want[] = {{0, 28, 0}, {MS, 65535, 0}, {MS, 1500, 0}, {250 * MS, 100, 0}};
    weir_diag *diag = weir_diag_new();
    wi_udp_trace *t = NULL;
    expect_ok(diag, wi_udp_trace_read(wi_source_memory(diag, "t", text, sizeof text - 1), &t));
    assert_int_equal(t->n, 4);
    for (uint32_t i = 0; i < t->n; i++) {
        assert_int_equal(t->points[i].at_ps, want[i].at_ps);
        assert_int_equal(t->points[i].bytes, want[i].bytes);
    }
    assert_int_equal(t->least, 28);
    assert_int_equal(t->most, 65535);
    wi_udp_trace_free(t);
    weir_diag_free(diag);
}

static void bad_lines(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "the trace has no packet"},
        {"time,size\n", "the trace has no packet"},
        {"1\n", "t:1: error: want TIME SIZE"},
        {"1 2 3\n", "t:1: error: want TIME SIZE"},
        {"0 100\nx 100\n", "t:2:1: error: time: "},
        {"-1 100\n", "t:1:1: error: time: "},
        {"nan 100\n", "t:1:1: error: time: "},
        {"1 x\n", "t:1:3: error: size: "},
        {"1 100bps\n", "t:1:3: error: size: "},
        {"1 27\n", "want a packet of 28B"},
        {"1 65536\n", "want a packet of 28B"},
        {"0 100\n2 100\n1 100\n", "t:3:1: error: time goes back to 1s: the packet before is sent at 2s"},
        {"2000000 100\n", "a trace ends after a million seconds"},
        {"time 100\ntime 100\n", "t:2:1: error: time: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char got[2100];
        weir_diag *diag = weir_diag_new();
        wi_udp_trace *t = (wi_udp_trace *)1;
        assert_int_equal(wi_udp_trace_read(wi_source_memory(diag, "t", bad[i][0], strlen(bad[i][0])), &t),
                         WEIR_E_FORMAT);
        assert_null(t);
        weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
        if (!strstr(got, bad[i][1]))
            fail_msg("trace %zu: want %s, got %s", i, bad[i][1], got);
        weir_diag_free(diag);
    }
}

enum { POINTS = 200 };

/* Times of at least a microsecond between, now and then several packets at one. */
static void draw_trace(uint64_t seed, net_udp_point *points)
{
    char text[POINTS * 40];
    size_t at = 0;
    weir_time time_ps = 0;
    for (int i = 0; i < POINTS; i++) {
        time_ps += rnd(&seed) % 4 ? (weir_time)(1 + rnd(&seed) % 2000) * US : 0;
        points[i] = (net_udp_point){time_ps, 28 + (uint32_t)(rnd(&seed) % 1400), 0};
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%lldps %u\n", (long long)time_ps, points[i].bytes);
    }
    write_text("t.txt", text);
}

static uint64_t sent_by(const net_udp_point *points, weir_time since_ps, weir_time period_ps)
{
    uint64_t n = 0;
    if (since_ps < 0)
        return 0;
    if (period_ps > 0) {
        n = (uint64_t)(since_ps / period_ps) * POINTS;
        since_ps %= period_ps;
    }
    for (int i = 0; i < POINTS && points[i].at_ps <= since_ps; i++)
        n++;
    return n;
}

static void packets_are_the_traces(void **state)
{
    (void)state;
    net_udp_point points[POINTS];
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const bool repeats = seed % 2;
        uint64_t random = seed * 77;
        draw_trace(seed, points);
        const weir_time period_ps = repeats ? points[POINTS - 1].at_ps + 3 * MS : 0;
        char repeat[60] = "";
        if (repeats)
            snprintf(repeat, sizeof repeat, ", repeat: %lldps", (long long)period_ps);
        net_run *r =
            net_run_new(WEIR_1 STAR_WITH(", host_queue: {type: droptail}") "traffic: [{name: u, udp: {trace: "
                                                                           "%s%s}, from: h0, to: [h1, h2], "
                                                                           "start: 10ms}]\n",
                        scratch_path("t.txt"), repeat);
        for (weir_time at_ps = 0; at_ps < SEC; at_ps += (weir_time)(rnd(&random) % 5000) * US + US / 2) {
            net_run_until(r, at_ps);
            const uint64_t want = sent_by(points, at_ps - 10 * MS - US / 4, period_ps);
            for (uint32_t i = 0; i < 2; i++)
                assert_int_equal(net_run_flow(r, i).packets, want);
        }
        net_run_end(r);
    }
}

/* ---- matrices ---- */

enum { STEPS = 12 };

/* Pairs h0 to h1 (8 to 80 Mb/s, now and then silent), h1 to h0 (silent at first), and one demand in two parts. */
static void draw_matrices(uint64_t seed, uint64_t rate[2][STEPS])
{
    for (int k = 0; k < STEPS; k++) {
        char text[500], name[40];
        for (int p = 0; p < 2; p++)
            rate[p][k] = rnd(&seed) % 4 == 0 || (p == 1 && k == 0) ? 0 : 8000 + rnd(&seed) % 72000;
        snprintf(
            text, sizeof text,
            "?SNDlib native format; type: network; version: 1.0\nMETA (\nunit = KBITPERSEC\n)\n"
            "NODES (\nh0\nh1\nh2\n)\nDEMANDS (\na ( h0 h1 ) 1 %llu UNLIMITED\nb ( h1 h0 ) 1 %llu UNLIMITED\n"
            "c ( h1 h0 ) 1 %llu UNLIMITED\nd ( h2 h0 ) 1 5 UNLIMITED\n)\n",
            (unsigned long long)rate[0][k], (unsigned long long)(rate[1][k] / 2),
            (unsigned long long)(rate[1][k] - rate[1][k] / 2));
        snprintf(name, sizeof name, "matrix-%02d.txt", k);
        write_text(name, text);
    }
}

/* Bits by a time since the start; the last matrix holds. */
static double bits_by(const uint64_t *rate, weir_time since_ps, weir_time step_ps)
{
    double bits = 0.0;
    for (int k = 0; k < STEPS && since_ps > 0; k++) {
        const weir_time span_ps = k == STEPS - 1 || since_ps < step_ps ? since_ps : step_ps;
        bits += 1e3 * (double)rate[k] * weir_seconds(span_ps);
        since_ps -= span_ps;
    }
    return bits;
}

static void even_rates_are_their_integral(void **state)
{
    (void)state;
    uint64_t rate[2][STEPS];
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const bool beside = seed > 3; /* a flow of TCP, with which packets take turns */
        const weir_time step_ps = 7 * MS;
        draw_matrices(seed, rate);
        net_run *r = net_run_new(
            WEIR_1 STAR "traffic: [{name: u, udp: {packet: 1000B}, demands: \"%s\", step: 7ms, "
                        "start: 3ms, max_pairs: 2}%s]\n",
            scratch_path("matrix-*.txt"), beside ? ", {name: t, from: [h0, h1], to: h4, tcp: {}}" : "");
        assert_int_equal(r->net->n_flows, beside ? 4 : 2);
        for (weir_time at_ps = 4 * MS; at_ps < 150 * MS; at_ps += 777 * US) {
            net_run_until(r, at_ps);
            for (uint32_t i = 0; i < 2; i++) { /* the first goes at once, where the rate allows any */
                const int p = r->network->graph->name[r->network->plan.flows[i].src][1] == '0' ? 0 : 1;
                const double packets = bits_by(rate[p], at_ps - 3 * MS, step_ps) / 8000.0;
                const double got = (double)net_run_flow(r, i).packets;
                if (!(got >= packets - (beside ? 1.01 : 0.01) && got <= packets + 1.01))
                    fail_msg("seed %llu, pair %d, %g ms: %g packets, want %g", (unsigned long long)seed, p,
                             weir_seconds(at_ps) * 1e3, got, packets);
            }
        }
        net_run_end(r);
    }
}

static void poisson_follows_its_rate(void **state)
{
    (void)state;
    uint64_t rate[2][STEPS];
    draw_matrices(9, rate);
    net_run *r = net_run_new(
        WEIR_1 STAR "traffic: [{name: u, udp: {packet: 1000B, pattern: poisson}, demands: \"%s\", step: 1s, "
                    "max_pairs: 2}]\n",
        scratch_path("matrix-*.txt"));
    double before[2] = {0, 0};
    for (int k = 0; k < STEPS; k++) {
        net_run_until(r, (k + 1) * SEC);
        for (uint32_t i = 0; i < 2; i++) {
            const int p = r->network->graph->name[r->network->plan.flows[i].src][1] == '0' ? 0 : 1;
            const double got = (double)net_run_flow(r, i).packets - before[i],
                         mean = (double)rate[p][k] / 8.0;
            if (!(fabs(got - mean) <= 5.0 * sqrt(mean)))
                fail_msg("step %d, pair %d: %g packets, want about %g", k, p, got, mean);
            before[i] += got;
        }
    }
    net_run_end(r);
}

static void engines_agree(void **state)
{
    (void)state;
    uint64_t rate[2][STEPS];
    net_udp_point points[POINTS];
    char text[3000];
    draw_matrices(5, rate);
    draw_trace(6, points);
    snprintf(
        text, sizeof text,
        "weir: 1\nduration: 100ms\n" STAR "traffic:\n"
        "  - {name: m, udp: {packet: {uniform: [100B, 1400B]}, pattern: poisson}, demands: \"%s\", step: "
        "5ms, stop: 88ms}\n"
        "  - {name: c, udp: {jitter: 10%%}, demands: \"%s\", step: 9ms, scale: 2}\n"
        "  - {name: t, udp: {trace: %s, repeat: 1s}, from: h3, to: [h4, h5], start: {uniform: [0s, 20ms]}}\n",
        scratch_path("matrix-*.txt"), scratch_path("matrix-*.txt"), scratch_path("t.txt"));
    const outcome want = run_with_engine(text, "sequential", 1);
    assert_true(want.hops > 1000);
    static const char *const engines[] = {"check", "conservative", "optimistic"};
    for (size_t i = 0; i < 3; i++) {
        const outcome got = run_with_engine(text, engines[i], i ? 2 : 1);
        assert_int_equal(got.event, want.event);
        assert_int_equal(got.state, want.state);
    }
}

/* ---- what is refused ---- */

static void expect_message_of(const char *class, weir_status want, const char *message)
{
    char text[1000], got[2100] = "";
    weir_diag *diag = weir_diag_new();
    wi_network *n = NULL;
    weir_scenario *s = NULL;
    snprintf(text, sizeof text, "weir: 1\nduration: 1s\n" STAR "traffic: [{name: a, %s}]\n", class);
    weir_status st = weir_scenario_parse(diag, "s.yaml", text, strlen(text), scratch_path(""), NULL, 0, &s);
    if (st == WEIR_OK)
        st = wi_network_build(diag, s, &n);
    assert_true((st == WEIR_OK) == (want == WEIR_OK) && weir_diag_count(diag) > 0);
    weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
    if (!strstr(got, message) || !strstr(got, "s.yaml:4:"))
        fail_msg("%s: want %s, got %s", class, message, got);
    wi_network_free(n);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void expect_refusal(const char *class, const char *message)
{
    expect_message_of(class, WEIR_E_SCENARIO, message);
}

static void what_is_refused(void **state)
{
    (void)state;
    uint64_t rate[2][STEPS];
    draw_matrices(1, rate);
    write_text("p.txt", "0 100\n1s 100\n");
#define PAIR "from: h0, to: h1"
#define MATRIX "demands: matrix-*.txt, step: 1s"
    expect_refusal("udp: {trace: p.txt, rate: 1Mbps}, " PAIR, "rate does not go together with trace");
    expect_refusal("udp: {trace: p.txt, packet: 100B}, " PAIR, "packet does not go together with trace");
    expect_refusal("udp: {trace: p.txt, pattern: poisson}, " PAIR, "pattern does not go together with trace");
    expect_refusal("udp: {trace: p.txt, jitter: 10%}, " PAIR, "jitter does not go together with trace");
    expect_refusal("udp: {trace: p.txt, repeat: 1s}, " PAIR,
                   "repeat: 1s is not after the trace's last packet");
    expect_refusal("udp: {trace: p.txt, repeat: 0s}, " PAIR, "repeat");
    expect_refusal("udp: {rate: 1Mbps, repeat: 1s}, " PAIR, "repeat means nothing here; it is for trace");
    expect_message_of("udp: {trace: p.txt}, " PAIR, WEIR_OK, "1 of 2 packets of ");
    expect_message_of("udp: {trace: p.txt}, start: 0.5s, " PAIR, WEIR_OK,
                      "are due when the run is over, and are left out");
    expect_refusal("udp: {trace: q.txt}, " PAIR, "q.txt");
    expect_refusal("udp: {trace: p.txt}, fidelity: fluid, " PAIR, "want fidelity: packet");
    expect_refusal("udp: {trace: p.txt}, gravity: {total: 1Mbps}", "trace does not go together with");
    expect_refusal("udp: {trace: p.txt}, demands: matrix-00.txt", "trace does not go together with");
    expect_refusal("udp: {}, demands: matrix-*.txt", "add 'step'");
    expect_refusal("udp: {}, demands: matrix-00.txt, step: 1s", "demands names one file");
    expect_refusal("udp: {}, demands: matrix-*.txt, step: 0s", "step");
    expect_refusal("udp: {}, demands: matrix-*.txt, step: 5", "step");
    expect_refusal("udp: {rate: 1Mbps}, step: 1s, " PAIR, "step means nothing here; it is for demands");
    expect_refusal("tcp: {}, " MATRIX, "step means nothing here; it is for demands with udp");
    expect_refusal("udp: {pattern: onoff}, " MATRIX, "pattern: onoff does not go together with step");
    expect_refusal("udp: {}, fidelity: fluid, " MATRIX, "which fluid does not follow; want fidelity: packet");
    expect_refusal("udp: {}, start: {uniform: [0s, 1s]}, " MATRIX, "step: start is one time");
    expect_refusal("udp: {}, demands: nothing-*.txt, step: 1s", "no file is called like");
    expect_refusal("udp: {}, scale: 1e-12, demands: matrix-*.txt, step: 10ms",
                   "no demand of a bit per second");
}

int main(void)
{
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_forms),       cmocka_unit_test(bad_lines),
        cmocka_unit_test(packets_are_the_traces),   cmocka_unit_test(even_rates_are_their_integral),
        cmocka_unit_test(poisson_follows_its_rate), cmocka_unit_test(engines_agree),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
