/*
 * Forks: a run that goes on from a checkpoint with other values is the run of those values from the start, digests and
 * files byte for byte, whatever is changed (start, stop, rate, arrivals, sizes of what has not begun; duration; warm-up),
 * on any engine, over a grid of times. What could have made a difference before is refused, and says key and reason.
 *
 * label: slow
 */
#include "diag.h"

#include <dirent.h>

#include "output/results/remove_tree.h"
#include "output/scratch.h"
#include "weir/session.h"

static const char text[] =
    "weir: 1\nname: f\nduration: 400ms\n"
    "topology: {generate: {model: dumbbell, left: 3}, link: {rate: 20Mbps, delay: 4ms}}\n"
    "output: {warmup: 250ms, interval: 10ms, ports: all}\n"
    "traffic:\n"
    "  - {name: a, tcp: {sessions: 3}, pairs: [[l0, r0], [l1, r1]]}\n"
    "  - {name: b, tcp: {size: 90kB, sessions: 2}, from: l2, to: r2, start: {uniform: [200ms, 300ms]}}\n"
    "  - {name: c, udp: {rate: 1Mbps}, from: [l0, l2], to: r1, start: 220ms, stop: 390ms}\n"
    "  - {name: m, tcp: {size: {exponential: 9kB}, arrivals: {poisson: 300/s}}, from: [l1, l2], to: [r0, "
    "r2], start: "
    "210ms}\n"
    "  - {name: p, tcp: {size: 3kB, arrivals: {periodic: 7ms}}, from: l1, to: r0, start: 230ms}\n"
    "  - {name: w, tcp: {size: 8kB, request: {think: 5ms}}, from: l0, to: r2, start: 205ms}\n"
    "  - {name: f, tcp: {sessions: 2}, fidelity: packet, from: l1, to: r2, start: 0s, stop: 300ms}\n";

static weir_scenario *parse(weir_diag *diag, const char *const *sets, size_t n)
{
    weir_scenario *s = NULL;
    expect_ok(diag, weir_scenario_parse(diag, "f.yaml", text, sizeof text - 1, ".", sets, n, &s));
    return s;
}

static void checkpoint_at(weir_diag *diag, weir_time at_ps, const char *file)
{
    weir_session *session;
    weir_run_options o;
    char folder[200];
    weir_run_options_init(&o);
    snprintf(folder, sizeof folder, "%s/base", scratch_folder);
    o.output_dir = folder;
    o.checkpoint = file;
    weir_scenario *s = parse(diag, NULL, 0);
    expect_ok(diag, weir_session_open(diag, s, &o, &session));
    expect_ok(diag, weir_session_advance(session, at_ps));
    expect_ok(diag, weir_session_save(session, file));
    weir_session_close(session);
    weir_scenario_free(s);
}

static size_t read_all(const char *folder, const char *name, unsigned char **out)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    const size_t n = (size_t)ftell(f);
    rewind(f);
    *out = malloc(n + 1);
    assert_int_equal(fread(*out, 1, n, f), n);
    fclose(f);
    return n;
}

static void expect_same_file(const char *a, const char *b, const char *name, const char *set)
{
    unsigned char *x, *y;
    const size_t n = read_all(a, name, &x), m = read_all(b, name, &y);
    if (n != m || memcmp(x, y, n) != 0)
        fail_msg("%s: %s differs, %zu and %zu bytes", set, name, n, m);
    free(x);
    free(y);
}

/* The fork on one engine, and the run from the start on another. */
static void expect_as_from_the_start(weir_diag *diag, const char *file, const char *const *sets, size_t n,
                                     const char *engine)
{
    const char *with[16];
    char fork[200], start[200];
    weir_scenario *again;
    weir_run_result got, want;
    weir_run_options o;
    for (size_t i = 0; i < n; i++)
        with[i] = sets[i];
    with[n] = engine;
    with[n + 1] = engine && strstr(engine, "check") ? "engine.threads=1" : "engine.threads=2";
    snprintf(fork, sizeof fork, "%s/fork", scratch_folder);
    snprintf(start, sizeof start, "%s/start", scratch_folder);
    weir_run_options_init(&o);
    o.output_dir = fork;
    expect_ok(diag, weir_checkpoint_scenario(diag, file, with, engine ? n + 2 : n, &again));
    expect_ok(diag, weir_resume(diag, again, &o, file, &got));
    weir_scenario_free(again);
    o.output_dir = start;
    again = parse(diag, sets, n);
    expect_ok(diag, weir_run(diag, again, &o, &want));
    weir_scenario_free(again);
    if (got.event_digest != want.event_digest || got.state_digest != want.state_digest ||
        got.events != want.events)
        fail_msg("%s, ...: digests differ: %llu events, want %llu", n > 0 ? sets[0] : "-",
                 (unsigned long long)got.events, (unsigned long long)want.events);
    static const char *const files[] = {"flows.csv", "ports.csv", "series.h5"};
    for (int i = 0; i < 3; i++)
        expect_same_file(fork, start, files[i], n > 0 ? sets[0] : "-");
    weir_run_result_free(&got);
    weir_run_result_free(&want);
    wi_remove_tree(fork);
    wi_remove_tree(start);
}

static void forks_are_runs_from_the_start(void **state)
{
    static const char *const each[] = {"duration=500ms",
                                       "duration=260ms",
                                       "output.warmup=220ms",
                                       "name=other",
                                       "traffic.b.start=250ms",
                                       "traffic.b.start={uniform: [205ms, 390ms]}",
                                       "traffic.b.start=600ms",
                                       "traffic.b.tcp.size=4kB",
                                       "traffic.m.tcp.size={pareto: {mean: 20kB, shape: 1.4}}",
                                       "traffic.b.tcp.initial_window=2",
                                       "traffic.c.udp.rate=7Mbps",
                                       "traffic.c.udp={rate: 1Mbps, pattern: poisson}",
                                       "traffic.b.tcp.size=4kB",
                                       "traffic.w.tcp.size=20kB",
                                       "traffic.c.stop=300ms",
                                       "traffic.c.start=330ms",
                                       "traffic.c.dscp=46",
                                       "traffic.m.tcp.arrivals.poisson=900/s",
                                       "traffic.m.start=300ms",
                                       "traffic.p.tcp.arrivals.periodic=2ms",
                                       "traffic.p.start=300ms",
                                       "traffic.w.start=320ms",
                                       "traffic.w.tcp.size=20kB",
                                       "traffic.b.tcp.ecn=true"};
    static const char *const many[] = {"duration=450ms",           "traffic.b.start=321ms",
                                       "traffic.c.udp.rate=2Mbps", "traffic.m.tcp.arrivals.poisson=100/s",
                                       "traffic.m.start=205ms",    "traffic.p.tcp.arrivals.periodic=3ms",
                                       "traffic.w.start=360ms"};
    static const char *const engines[] = {NULL, "engine.type=conservative", "engine.type=optimistic",
                                          "engine.type=check"};
    (void)state;
    char file[160];
    weir_diag *diag = weir_diag_new();
    snprintf(file, sizeof file, "%s/f.checkpoint", scratch_folder);
    for (int at_ms = 0; at_ms <= 200; at_ms += 100) {
        checkpoint_at(diag, at_ms * WEIR_PS_PER_MS, file);
        for (size_t i = 0; i < sizeof each / sizeof *each; i++)
            expect_as_from_the_start(diag, file, &each[i], 1, engines[i % 4]);
        for (int e = 0; e < 4; e++)
            expect_as_from_the_start(diag, file, many, sizeof many / sizeof *many, engines[e]);
        expect_as_from_the_start(diag, file, NULL, 0, NULL);
    }
    weir_diag_free(diag);
}

static void the_rest_is_refused(void **state)
{
    static const struct {
        const char *set, *says;
    } cases[] = {
        {"seed=7", "seed: '1'"},
        {"run=3", "run: '0'"},
        {"duration=251ms", "duration: '0.4s'"},
        {"topology.link.rate=30Mbps", "topology.link.rate: '20Mbps'"},
        {"routing.ecmp=true", "routing.ecmp: 'false'"},
        {"output.warmup=100ms", "the warm-up is over"},
        {"output.interval=5ms", "results have been gathered that way"},
        {"output.ports=none", "output.ports"},
        {"traffic.a.tcp.ecn=true", "class 'a' begins at 0 s"},
        {"traffic.f.stop=310ms", "class 'f' begins at 0 s"},
        {"traffic.b.start=100ms", "class 'b' begins at 0.1 s"},
        {"traffic.b.tcp.sessions=3", "traffic.b.tcp.sessions: '2'"},
        {"traffic.b.to=r1", "how many there is room for"},
        {"traffic.m.tcp.arrivals={periodic: 3ms}", "traffic.m.tcp.arrivals"},
        {"traffic.m.tcp.max_flows=9", "traffic.m.tcp.max_flows"},
        {"traffic.m.name=n", "traffic.m.name: 'm'"},
        {"traffic.w.tcp.request={think: 9ms}", "traffic.w.tcp.request"},
        {"traffic.b.tcp.size={pareto: {mean: 20kB, shape: 1.4}}", "traffic.b.tcp.size"},
        {"traffic.b.tcp.size={pareto: {mean: 20kB, shape: 1.4}}", "other room for the states"},
        {"traffic.b.tcp={size: 90kB, sessions: 2, congestion: newreno, sack: false}",
         "other room for the states"},
    };
    (void)state;
    char file[160];
    weir_diag *diag = weir_diag_new();
    snprintf(file, sizeof file, "%s/f.checkpoint", scratch_folder);
    checkpoint_at(diag, 200 * WEIR_PS_PER_MS, file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_scenario *s;
        weir_session *session;
        const bool later = strncmp(cases[i].set, "duration", 8) == 0;
        if (later)
            checkpoint_at(diag, 300 * WEIR_PS_PER_MS, file);
        expect_ok(diag, weir_checkpoint_scenario(diag, file, &cases[i].set, 1, &s));
        const weir_status status = weir_session_restore(diag, s, NULL, file, &session);
        if (status != WEIR_E_ARG)
            fail_msg("%s: status %d", cases[i].set, (int)status);
        assert_null(session);
        expect_message(diag, cases[i].says);
        weir_scenario_free(s);
        if (later)
            checkpoint_at(diag, 200 * WEIR_PS_PER_MS, file);
    }
    weir_diag_free(diag);
}

/* The only failure falls behind the shorter duration: states have no room for it, and the message names the key. */
static void a_failure_that_comes_with_the_duration(void **state)
{
    (void)state;
    static const char late[] = "weir: 1\nduration: 100ms\n"
                               "topology: {generate: {model: line, routers: 2, hosts: 1, rate: 20Mbps}}\n"
                               "events: [{at: 150ms, fail: {link: r0--r1}}]\n"
                               "traffic: [{name: a, tcp: {}, from: h0, to: h1}]\n";
    static const char *const sets[] = {"duration=100ms", "duration=200ms"};
    weir_diag *diag = weir_diag_new();
    weir_scenario *s;
    weir_session *session;
    char file[160];
    snprintf(file, sizeof file, "%s/late.checkpoint", scratch_folder);
    expect_ok(diag, weir_scenario_parse(diag, "late.yaml", late, sizeof late - 1, ".", NULL, 0, &s));
    expect_ok(diag, weir_session_open(diag, s, NULL, &session));
    expect_ok(diag, weir_session_advance(session, 50 * WEIR_PS_PER_MS));
    expect_ok(diag, weir_session_save(session, file));
    weir_session_close(session);
    weir_scenario_free(s);
    for (int i = 0; i < 2; i++) {
        expect_ok(diag, weir_checkpoint_scenario(diag, file, &sets[i], 1, &s));
        const weir_status status = weir_session_restore(diag, s, NULL, file, &session);
        assert_int_equal(status, i ? WEIR_E_ARG : WEIR_OK);
        if (i)
            expect_message(diag, "duration ('0.1s' in the checkpoint, '0.2s' now)");
        weir_session_close(session);
        weir_scenario_free(s);
    }
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forks_are_runs_from_the_start),
                                       cmocka_unit_test(the_rest_is_refused),
                                       cmocka_unit_test(a_failure_that_comes_with_the_duration)};
    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
