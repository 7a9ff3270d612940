/*
 * Seeded random packet networks on any number of threads: the sequential engine's digests, hops and events.
 * Records are part of the state digest. label: threads
 */
#include "scenario/engine_digests.h"
#include "scenario/session/session.h"
#include "splitmix.h"
#include "weir/engine.h"

/* A random network in YAML. */
static void draw(uint64_t seed, char *text, size_t size)
{
    static const char *const topologies[] = {
        "{model: fat-tree, k: 4, rate: 50Mbps, delay: 20us}", "{model: ring, routers: 9, rate: 20Mbps}",
        "{model: dumbbell, left: 5, bottleneck_rate: 20Mbps, bottleneck_delay: 2ms}",
        "{model: ring, routers: 14, rate: 30Mbps, delay: 100us}"};
    static const char *const queues[] = {"{limit: 20kB}", "{limit_packets: 9}",
                                         "{type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.02}"};
    static const char *const classes[] = {
        "tcp: {size: 40kB, sessions: 3}", "tcp: {}", "udp: {rate: 3Mbps, jitter: 50%}",
        "udp: {rate: 2Mbps, pattern: poisson, packet: {exponential: 300B}}",
        "tcp: {size: {exponential: 10kB}, request: {size: 100B, think: 5ms}}"};
    uint64_t random = seed;
    int n = snprintf(text, size,
                     "weir: 1\nduration: 150ms\nseed: %d\ntopology:\n  generate: %s\n  queue: %s\n%s"
                     "routing: {ecmp: %s}\ntraffic:\n",
                     (int)seed, topologies[rnd(&random) % 4], queues[rnd(&random) % 3],
                     rnd(&random) % 2 ? "  loss: 1%\n" : "", rnd(&random) % 2 ? "true" : "false");
    const int n_classes = 1 + (int)(rnd(&random) % 3);
    for (int i = 0; i < n_classes; i++)
        n += snprintf(text + n, size - (size_t)n,
                      "  - {name: c%d, pairs: permutation, start: {uniform: [0s, 50ms]}, %s}\n", i,
                      classes[rnd(&random) % 5]);
}

static void any_network_on_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 7};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        char text[2048];
        draw(seed, text, sizeof text);
        const outcome want = run_with_engine(text, "sequential", 1);
        assert_true(want.events > 100);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            const outcome got = run_with_engine(text, "conservative", threads[i]);
            if (memcmp(&got, &want, sizeof got) != 0)
                fail_msg("%u threads: %llu events, want %llu; digests %llx %llx, want %llx %llx, of\n%s",
                         threads[i], (unsigned long long)got.events, (unsigned long long)want.events,
                         (unsigned long long)got.event, (unsigned long long)got.state,
                         (unsigned long long)want.event, (unsigned long long)want.state, text);
        }
    }
}

static void expect_error_of(const char *text, const char *wanted)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
    expect_message(diag, wanted);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void expect_error(const char *engine, const char *wanted)
{
    char text[1024];
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1ms\ntopology: {generate: {model: dumbbell, left: 1, access_delay: 0s}}\n"
             "traffic:\n  - {name: a, from: l0, to: r0, tcp: {}}\nengine: %s\n",
             engine);
    expect_error_of(text, wanted);
}

static void says_what_does_not_go_together(void **state)
{
    (void)state;
    expect_error("{type: sequential, threads: 2}", "engine 'sequential' uses one");
    expect_error("{type: check, threads: 2}", "engine 'check' uses one");
    expect_error("{memory: 1MB}", "engine.memory, gvt-events, window and stress are for engine 'optimistic'");
    expect_error("{type: optimistic, threads: 2, memory: 100B}", "engine.memory: 100 bytes for 2 threads");
}

/* Without a delay what is left of a link's lookahead is the time that the shortest packet, 28 bytes, takes:
 * 224 ps at 1 Tb/s. The message has the link by its nodes; which one that is depends on METIS. */
static void names_what_leaves_no_window(void **state)
{
    (void)state;
    static const char *const wanted[] = {"model 'net': entity ", "->",
                                         ") is at the border of two partitions with a lookahead of 224 ps"};
    for (int i = 0; i < 3; i++)
        expect_error_of("weir: 1\nduration: 1ms\n"
                        "topology: {generate: {model: line, routers: 2, hosts: 1, rate: 1Tbps, delay: 0s,\n"
                        "                      access_rate: 1Tbps, access_delay: 0s}}\n"
                        "traffic: [{name: a, from: h0, to: h1, udp: {rate: 1Mbps}}]\n"
                        "engine: {type: conservative, threads: 2}\n",
                        wanted[i]);
    expect_error_of(
        "weir: 1\nduration: 1ms\nmodel: {phold: {entities: 10, lookahead: 1ps}}\n"
        "engine: {type: conservative, threads: 2}\n",
        "model 'phold': entity 0 is at the border of two partitions with a lookahead of 1 ps, and the "
        "conservative engine needs 1000 there: give it a longer delay to others, use fewer threads or ranks, "
        "or use engine 'optimistic' or 'sequential'");
}

/* A session of engine auto at a stop point. */
static weir_session *open_auto(weir_diag *diag, weir_scenario **scenario, uint32_t cores, const char *also)
{
    char text[300];
    weir_session *session;
    weir_run_options options;
    weir_run_options_init(&options);
    options.no_output = options.cpu_only = true;
    options.cores = cores;
    snprintf(text, sizeof text, "weir: 1\nduration: 5ms\nmodel: {phold: {entities: 50, lookahead: 20us}}\n%s",
             also);
    expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), ".", NULL, 0, scenario));
    expect_ok(diag, weir_session_open(diag, *scenario, &options, &session));
    expect_ok(diag, weir_session_advance(session, WEIR_PS_PER_MS));
    return session;
}

/* What engine auto does with what it measures: the clock's readings are made up. */
static void moves_to_where_it_is_faster(void **state)
{
    (void)state;
    for (int faster = 0; faster < 2; faster++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario;
        weir_session *session = open_auto(diag, &scenario, 2, "");
        wi_moves *const m = &session->moves;
        assert_true(m->may);
        assert_int_equal(m->n, 2);
        /* One core: 10 s for a fifth of the run. */
        m->since_ps = 0;
        m->since_events = 0;
        session->wall_s = m->since_s + 10.0;
        (void)wi_moves_look(session);
        assert_string_equal(weir_sim_engine(session->sim, NULL), "conservative");
        session->wall_s += 0.01;
        (void)wi_moves_look(session);                                                /* warm */
        expect_ok(diag, weir_sim_run(diag, session->sim, 2 * WEIR_PS_PER_MS, NULL)); /* where nobody looks */
        session->wall_s = m->since_s + (faster ? 1.0 : 30.0);
        (void)wi_moves_look(session);
        assert_string_equal(weir_sim_engine(session->sim, NULL), faster ? "conservative" : "sequential");
        assert_int_equal(m->n_kept, faster);
        assert_true(faster || m->lost_s > 10.0);
        m->may = false; /* the rest goes by the wall's clock */
        weir_run_result result, want;
        expect_ok(diag, weir_session_advance(session, WEIR_TIME_MAX));
        expect_ok(diag, weir_session_finish(session, &result));
        assert_true((strstr(result.summary_json, "engine_moves") != NULL) == faster);
        weir_session_close(session);
        expect_ok(diag, weir_run(diag, scenario, NULL, &want));
        assert_int_equal(result.event_digest, want.event_digest);
        assert_int_equal(result.state_digest, want.state_digest);
        assert_int_equal(result.events, want.events);
        weir_run_result_free(&result);
        weir_run_result_free(&want);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

/* One core allowed, one thread asked for, or an engine: nothing moves. Threads asked for are a bound, beyond which no core helps. */
static void stays_where_it_is_told(void **state)
{
    (void)state;
    static const char *const also[] = {"", "engine: {threads: 1}\n", "engine: {type: sequential}\n"};
    for (int i = 0; i < 3; i++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario;
        weir_session *session = open_auto(diag, &scenario, i == 0 ? 1 : 2, also[i]);
        session->wall_s += 10.0;
        for (int look = 0; look < 3; look++)
            (void)wi_moves_look(session);
        assert_string_equal(weir_sim_engine(session->sim, NULL), "sequential");
        assert_true(session->moves.n == 1 || i == 2);
        weir_session_close(session);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

/* Where engine auto moves to two threads: by lookahead, with the reason in the summary, and the same digests. */
static void chooses_by_lookahead(void **state)
{
    (void)state;
    static const char *const lookaheads[] = {"1ps", "999ps", "1ns", "20us"};
    static const char *const wanted[] = {"has 1 ps", "has 999 ps", "partitions is 0.001 us",
                                         "partitions is 20 us"};
    for (int i = 0; i < 4; i++) {
        char text[300];
        weir_run_result result[2];
        weir_scenario *scenario;
        weir_session *session;
        weir_run_options options;
        weir_diag *diag = weir_diag_new();
        weir_run_options_init(&options);
        options.no_output = true;
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 5ms\nmodel: {phold: {entities: 50, lookahead: %s, mean: 100us}}\n",
                 lookaheads[i]);
        expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result[0]));
        assert_null(strstr(result[0].summary_json, "engine_because"));
        expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), ".", NULL, 0, &scenario));
        expect_ok(diag, weir_session_open(diag, scenario, &options, &session));
        expect_ok(diag, weir_session_move(session, "conservative", 2));
        expect_ok(diag, weir_session_advance(session, WEIR_TIME_MAX));
        expect_ok(diag, weir_session_finish(session, &result[1]));
        weir_session_close(session);
        weir_scenario_free(scenario);
        const char *const json = result[1].summary_json;
        if (!strstr(json, i < 2 ? "\"engine\": \"optimistic\"" : "\"engine\": \"conservative\"") ||
            !strstr(json, wanted[i]))
            fail_msg("lookahead %s: %s", lookaheads[i], json);
        assert_int_equal(result[0].event_digest, result[1].event_digest);
        assert_int_equal(result[0].state_digest, result[1].state_digest);
        weir_run_result_free(&result[0]);
        weir_run_result_free(&result[1]);
        weir_diag_free(diag);
    }
}

/* Every model of a scenario has device code; that one without is refused is a test of the engine's. */
static void names_what_the_gpu_engine_lacks(void **state)
{
    (void)state;
    char text[100];
    if (weir_gpu_describe(0, text, sizeof text))
        skip(); /* a device is there: the programs of `make test-gpu` run on it */
    expect_error_of("weir: 1\nduration: 1s\nmodel: {kademlia: {peers: 100, k: 20}}\nengine: {type: gpu}\n",
                    strstr(text, "built without CUDA")
                        ? "type: gpu is not available in this build, which has no CUDA"
                        : "the GPU engine: no GPU ");
}

/* Results are the same, but a setting that does nothing is said to. */
static void warns_of_keys_of_the_gpu_alone(void **state)
{
    (void)state;
    static const char *const keys[] = {"lp-size: 4", "device: 1", "host-driven: true"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[200];
        snprintf(text, sizeof text, "weir: 1\nduration: 1ms\nmodel: {phold: {}}\nengine: {%s}\n", keys[i]);
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result));
        expect_message(diag, "are for engine 'gpu'; 'sequential' has no use for them");
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warns_of_keys_of_the_gpu_alone), cmocka_unit_test(any_network_on_any_threads),
        cmocka_unit_test(says_what_does_not_go_together), cmocka_unit_test(names_what_leaves_no_window),
        cmocka_unit_test(chooses_by_lookahead),           cmocka_unit_test(moves_to_where_it_is_faster),
        cmocka_unit_test(stays_where_it_is_told),         cmocka_unit_test(names_what_the_gpu_engine_lacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
