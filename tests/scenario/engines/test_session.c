/*
 * label: threads
 *
 * Sessions: stopping on the way changes no result, two of different scenarios advance in turn in one process,
 * many do on threads, figures and series can be read at any time, and whoever closes early leaves nothing.
 */
#include <math.h>
#include <pthread.h>

#include "output/scratch.h"
#include "scenario/load.h"
#include "weir/session.h"

#define NETWORK                                                                     \
    "weir: 1\nduration: 1s\noutput: {interval: 100ms, warmup: 200ms, ports: all}\n" \
    "topology:\n  generate: {model: dumbbell, left: 2, bottleneck_rate: 5Mbps, "    \
    "bottleneck_delay: 5ms}\ntraffic:\n"                                            \
    "  - {name: bulk, pairs: [[l0, r0], [r1, l1]], tcp: {mss: 1000B}}\n"            \
    "  - {name: web, from: l0, to: r1, tcp: {size: {exponential: 20kB}, arrivals: {poisson: 30/s}}}\n"
#define PHOLD                                            \
    "weir: 1\nduration: 20us\noutput: {interval: 2us}\n" \
    "model: {phold: {entities: 64, events: 2, remote: 50%, lookahead: 10ns, mean: 90ns}}\n"
#define FLUID                                                                   \
    "weir: 1\nduration: 1s\ntopology:\n  generate: {model: dumbbell, left: 2, " \
    "bottleneck_rate: 5Mbps, bottleneck_delay: 5ms}\ntraffic:\n"                \
    "  - {name: f, from: l0, to: r0, fidelity: fluid, tcp: {sessions: 3}}\n"    \
    "  - {name: p, from: l1, to: r1, tcp: {}}\n"

static const char *const texts[] = {NETWORK, PHOLD, FLUID};
enum { TEXTS = sizeof texts / sizeof *texts };

/* OpenMP's own synchronisation is unknown to the thread sanitizer, which then reports races that are none. */
#ifdef __SANITIZE_THREAD__
enum { THREADED_TEXTS = TEXTS - 1 };
#else
enum { THREADED_TEXTS = TEXTS };
#endif

typedef struct digests {
    uint64_t event, state, events;
} digests;

static weir_session *opened(weir_diag *diag, const weir_scenario *scenario, const char *folder)
{
    weir_session *session = NULL;
    weir_run_options options;
    weir_run_options_init(&options);
    options.no_output = folder == NULL;
    options.output_dir = folder;
    options.keep_series = true;
    expect_ok(diag, weir_session_open(diag, scenario, &options, &session));
    assert_non_null(session);
    return session;
}

static digests finished(weir_diag *diag, weir_session *session)
{
    weir_run_result result;
    expect_ok(diag, weir_session_finish(session, &result));
    assert_false(result.partial);
    const digests d = {result.event_digest, result.state_digest, result.events};
    weir_run_result_free(&result);
    weir_session_close(session);
    return d;
}

/* In so many steps; 1: straight through. */
static digests run_in(const char *text, int steps, const char *folder)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(text, NULL, 0);
    weir_session *session = opened(diag, scenario, folder);
    for (int i = 1; i <= steps; i++) {
        const weir_time to_ps = i < steps ? weir_session_end(session) / steps * i : WEIR_TIME_MAX;
        expect_ok(diag, weir_session_advance(session, to_ps));
        assert_int_equal(weir_session_now(session), i < steps ? to_ps : weir_session_end(session));
    }
    const digests d = finished(diag, session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return d;
}

static void expect_same(digests a, digests b, const char *what)
{
    if (a.event != b.event || a.state != b.state || a.events != b.events)
        fail_msg("%s: %llu events, %016llx %016llx; want %llu, %016llx %016llx", what,
                 (unsigned long long)a.events, (unsigned long long)a.event, (unsigned long long)a.state,
                 (unsigned long long)b.events, (unsigned long long)b.event, (unsigned long long)b.state);
}

static void expect_same_file(const char *a, const char *b, const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", a, file);
    char *const x = read_text(path);
    snprintf(path, sizeof path, "%s/%s", b, file);
    char *const y = read_text(path);
    assert_non_null(x);
    assert_non_null(y);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void steps_change_nothing(void **state)
{
    (void)state;
    for (int t = 0; t < TEXTS; t++)
        expect_same(run_in(texts[t], 7, NULL), run_in(texts[t], 1, NULL), texts[t]);
    assert_non_null(scratch_make());
    const char *const one = scratch_path("one"), *const seven = scratch_path("seven");
    (void)run_in(NETWORK, 1, one);
    (void)run_in(NETWORK, 8, seven);
    expect_same_file(one, seven, "flows.csv");
    expect_same_file(one, seven, "ports.csv");
    expect_same_file(one, seven, "scenario.yaml");
}

static void two_in_turn(void **state)
{
    (void)state;
    enum { STEPS = 10 };
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario[TEXTS];
    weir_session *session[TEXTS];
    for (int t = 0; t < TEXTS; t++) {
        scenario[t] = good(texts[t], NULL, 0);
        session[t] = opened(diag, scenario[t], NULL);
    }
    for (int i = 1; i <= STEPS; i++)
        for (int t = 0; t < TEXTS; t++)
            expect_ok(diag, weir_session_advance(session[t], weir_session_end(session[t]) / STEPS * i));
    for (int t = 0; t < TEXTS; t++) {
        expect_same(finished(diag, session[t]), run_in(texts[t], 1, NULL), texts[t]);
        weir_scenario_free(scenario[t]);
    }
    weir_diag_free(diag);
}

enum { THREADS = 16 };
typedef struct one_thread {
    pthread_t id;
    int number;
    digests got;
} one_thread;

static void *on_a_thread(void *user)
{
    one_thread *const t = user;
    char name[20];
    snprintf(name, sizeof name, "run%d", t->number);
    char path[300];
    snprintf(path, sizeof path, "%s/%s", scratch_folder, name);
    t->got = run_in(texts[t->number % THREADED_TEXTS], 3, path);
    return NULL;
}

static void many_on_threads(void **state)
{
    (void)state;
    one_thread t[THREADS];
    digests want[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        want[i] = run_in(texts[i], 1, NULL);
    assert_non_null(scratch_make());
    for (int i = 0; i < THREADS; i++) {
        t[i].number = i;
        assert_int_equal(pthread_create(&t[i].id, NULL, on_a_thread, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(t[i].id, NULL), 0);
        expect_same(t[i].got, want[i % THREADED_TEXTS], texts[i % THREADED_TEXTS]);
    }
    assert_int_equal(count_names(scratch_folder), THREADS);
}

static double metric(weir_diag *diag, weir_session *session, const char *path)
{
    double value = 0.0;
    expect_ok(diag, weir_session_metric(session, path, &value));
    return value;
}

/* However often it is looked at, fluid beside packets sends no more than the line's 10 Mb/s, which it fills. */
static void samples_of_a_mixed_line_add_up(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(
        "weir: 1\nduration: 1s\noutput: {ports: left->right, interval: 1ms}\n"
        "topology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps}, queue: {limit: 20kB}}\n"
        "traffic:\n  - {name: f, udp: {rate: 1Mbps}, from: l0, to: r1, fidelity: fluid}\n"
        "  - {name: p, udp: {rate: 50Mbps}, from: l1, to: r1}\n",
        NULL, 0);
    weir_session *session = opened(diag, scenario, NULL);
    weir_session_samples sent;
    double bits = 0.0;
    expect_ok(diag, weir_session_advance(session, weir_session_end(session)));
    expect_ok(diag, weir_session_series(session, "ports", "throughput_bps", "left->right", &sent));
    for (size_t i = 0; i < sent.n; i++)
        bits += 1e-3 * sent.value[i];
    if (!(bits > 0.98 * 10e6 && bits < 1.01 * 10e6))
        fail_msg("%g of 10e6 bits", bits);
    weir_session_close(session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

static void figures_can_be_read(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = good(NETWORK, NULL, 0);
    weir_session *session = opened(diag, scenario, NULL);
    weir_session_samples queue;
    double value = 1.0;
    expect_ok(diag, weir_session_advance(session, weir_session_end(session) / 2));
    assert_true(metric(diag, session, "events") == (double)weir_session_events(session));
    const double half = metric(diag, session, "classes.bulk.received_bytes");
    assert_true(half > 0.0);
    assert_true(metric(diag, session, "classes.0.received_bytes") == half);
    assert_true(metric(diag, session, "partial") == 1.0);
    expect_ok(diag, weir_session_series(session, "ports", "queue_bytes", "left->right", &queue));
    assert_int_equal(queue.n, 5);
    assert_true(fabs(queue.time_s[4] - 0.5) < 1e-12);
    assert_string_equal(queue.units, "bytes");
    expect_ok(diag, weir_session_advance(session, weir_session_end(session)));
    assert_true(metric(diag, session, "classes.bulk.received_bytes") > half);
    assert_int_equal(weir_session_metric(session, "classes.bulk.goodput_bp", &value), WEIR_E_ARG);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "did you mean 'goodput_bps'?"));
    assert_true(isnan(value));
    assert_int_equal(weir_session_metric(session, "classes.bulky.loss", &value), WEIR_E_ARG);
    assert_int_equal(weir_session_metric(session, "name", &value), WEIR_E_ARG);
    assert_int_equal(weir_session_metric(session, "classes..loss", &value), WEIR_E_ARG);
    assert_int_equal(weir_session_series(session, "ports", "queue", "left->right", &queue), WEIR_E_ARG);
    assert_int_equal(weir_session_series(session, "port", "queue_bytes", NULL, &queue), WEIR_E_ARG);
    assert_int_equal(weir_diag_count(diag), 6);
    weir_session_close(session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

/* A name comes before a number, as in settings. */
static void names_may_be_numbers(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario =
        good("weir: 1\nduration: 1s\ntopology: {generate: {model: dumbbell}}\ntraffic:\n"
             "  - {name: '1', udp: {rate: 1Mbps}, from: l0, to: r0}\n"
             "  - {name: '7', udp: {rate: 2Mbps}, from: l0, to: r0}\n"
             "  - {name: a, udp: {rate: 4Mbps}, from: l0, to: r0}\n",
             NULL, 0);
    weir_session *session = opened(diag, scenario, NULL);
    double value = 1.0;
    expect_ok(diag, weir_session_advance(session, WEIR_TIME_MAX));
    const double first = metric(diag, session, "classes.0.packets_sent");
    assert_true(first > 0.0 && metric(diag, session, "classes.1.packets_sent") == first);
    const double second = metric(diag, session, "classes.7.packets_sent");
    assert_true(second > first && metric(diag, session, "classes.2.packets_sent") > second);
    assert_int_equal(weir_session_metric(session, "classes.+1.packets_sent", &value), WEIR_E_ARG);
    weir_session_close(session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

static void closing_early_leaves_nothing(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    weir_scenario *scenario = good(NETWORK, NULL, 0);
    assert_non_null(scratch_make());
    weir_session *session = opened(diag, scenario, scratch_path("early"));
    expect_ok(diag, weir_session_advance(session, weir_session_end(session) / 3));
    weir_session_close(session);
    assert_int_equal(count_names(scratch_folder), 0);
    session = opened(diag, scenario, scratch_path("partial"));
    expect_ok(diag, weir_session_advance(session, weir_session_end(session) / 3));
    expect_ok(diag, weir_session_finish(session, &result));
    assert_true(result.partial);
    weir_run_result_free(&result);
    assert_int_equal(weir_session_finish(session, &result), WEIR_E_ARG);
    assert_int_equal(weir_session_advance(session, weir_session_end(session)), WEIR_E_ARG);
    weir_session_close(session);
    weir_session_close(NULL);
    assert_int_equal(count_names(scratch_folder), 1);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

/* A hundred days with a sample each sixty: the second would lie behind all time (106 days). */
static void the_longest_run_ends(void **state)
{
    (void)state;
    assert_non_null(scratch_make());
    const digests got = run_in("weir: 1\nduration: 100d\ntopology: {generate: {model: dumbbell}}\n"
                               "traffic: [{name: a, from: l0, to: r0, tcp: {size: 3kB, arrivals: {periodic: "
                               "6d}}}]\noutput: {interval: 60d}\n",
                               1, scratch_path("long"));
    assert_true(got.events > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_change_nothing), cmocka_unit_test(two_in_turn),
        cmocka_unit_test(many_on_threads),      cmocka_unit_test(figures_can_be_read),
        cmocka_unit_test(names_may_be_numbers), cmocka_unit_test(samples_of_a_mixed_line_add_up),
        cmocka_unit_test(the_longest_run_ends), cmocka_unit_test(closing_early_leaves_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
