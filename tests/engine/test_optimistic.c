/*
 * The optimistic engine against the sequential one: digests, state, records in order, counters, pending events,
 * stop points, hook, stopping and faults, for any number of threads, tiny and huge bounds, and delays drawn at
 * random that force rollbacks. label: slow threads
 */
#include "harness.h"
#include "outcome.h"

static const uint32_t thread_counts[] = {1, 2, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

static const weir_optimistic_options all_options[] = {
    {0},
    {.stress = 1},
    {.stress = 2, .gvt_events = 1},
    {.stress = 3, .gvt_events = 1000000},
    {.memory_bytes = 16384, .stress = 4},
    {.memory_bytes = 100000},
    {.window_ps = 1},
    {.window_ps = 20 * TOY_GRID_PS, .stress = 5},
    {.memory_bytes = UINT64_C(1) << 34, .gvt_events = 64, .stress = 6},
};
enum { OPTIONS = sizeof all_options / sizeof all_options[0] };

static void gives_the_sequential_digests(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        toy t;
        toy_make(&t, seed % 2 == 0);
        t.setup.seed = seed;
        const weir_time until_ps = 100 * TOY_GRID_PS, hook_ps = seed % 3 == 0 ? 27 * TOY_GRID_PS : 0;
        const int steps = seed % 2 ? 1 : 5;
        const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, steps, hook_ps);
        assert_true(want.events > 3000 && want.records > 100);
        for (int i = 0; i < THREAD_COUNTS; i++)
            for (int k = 0; k < OPTIONS; k++) {
                char what[32];
                t.setup.optimistic = all_options[k];
                snprintf(what, sizeof what, "toy, options %d", k);
                const outcome got =
                    run(t.setup, WEIR_ENGINE_OPTIMISTIC, thread_counts[i], until_ps, steps, hook_ps);
                expect_same(&got, &want, thread_counts[i], what);
            }
    }
}

/* ---- breaking off ---- */

static void hasty_tick(weir_ctx *ctx, void *state, const weir_event *e)
{
    toy_tick(ctx, state, e);
    if (e->time_ps >= fault_from_ps && ctx->entity % 3 == 1)
        weir_schedule(ctx, (ctx->entity + 7) % TOY_NODES, TOY_TICK, TOY_GRID_PS - 1);
}

/* The earliest fault in the order of events is the one that is told, whoever meets it. */
static void tells_the_earliest_fault(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int which = 0; which < 2; which++) {
            toy t;
            toy_make(&t, 1);
            t.setup.seed = seed;
            if (which)
                t.types[TOY_TICK].handle = hasty_tick;
            else
                t.types[TOY_LETTER].handle = late_letter;
            t.types[TOY_TICK].max_events = 6;
            const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, 400 * TOY_GRID_PS, 3, 0);
            assert_int_equal(want.status, WEIR_E_MODEL);
            for (int i = 0; i < THREAD_COUNTS; i++) {
                const outcome got =
                    run(t.setup, WEIR_ENGINE_OPTIMISTIC, thread_counts[i], 400 * TOY_GRID_PS, 3, 0);
                expect_same(&got, &want, thread_counts[i], which ? "delay" : "own check");
            }
        }
}

static volatile int stop_now;

static weir_status stop_at_records(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    uint64_t *seen = user;
    (void)records, (void)stride;
    *seen += n;
    stop_now = *seen > 300;
    return WEIR_OK;
}

/* Stopped at a consistent point, and then as if nothing had been. */
static void stops_and_goes_on(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= 3; threads++) {
        toy t;
        toy_make(&t, 1);
        const weir_time until_ps = 1600 * TOY_GRID_PS;
        const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, 1, 0);
        weir_diag *diag = weir_diag_new();
        uint64_t seen = 0;
        t.setup.engine = WEIR_ENGINE_OPTIMISTIC;
        t.setup.threads = threads;
        t.setup.sink = stop_at_records;
        t.setup.user = &seen;
        weir_sim *sim = new_sim(diag, &t.setup);
        stop_now = 1;
        assert_int_equal(weir_sim_run(diag, sim, until_ps, &stop_now), WEIR_E_INTERRUPTED);
        assert_int_equal(weir_sim_now(sim), 0);
        stop_now = 0;
        assert_int_equal(weir_sim_run(diag, sim, until_ps, &stop_now), WEIR_E_INTERRUPTED);
        const weir_time at_ps = weir_sim_now(sim);
        assert_true(at_ps > 0 && at_ps < until_ps);
        const uint64_t digest = weir_sim_event_digest(sim);
        weir_sim *once = new_sim(diag, &(weir_setup){t.setup.model,
                                                     t.setup.world,
                                                     t.setup.world_bytes,
                                                     {TOY_NODES, TOY_DEPOTS},
                                                     {t.world.first_slot},
                                                     3,
                                                     t.lookahead_ps,
                                                     1});
        expect_ok(diag, weir_sim_run(diag, once, at_ps, NULL));
        assert_int_equal(weir_sim_event_digest(once), digest);
        expect_ok(diag, weir_sim_run(diag, sim, until_ps, NULL));
        assert_int_equal(weir_sim_event_digest(sim), want.event_digest);
        assert_int_equal(weir_sim_state_digest(sim), want.state_digest);
        assert_int_equal(seen, want.records);
        weir_sim_free(once);
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

static weir_status full_disk(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    (void)user, (void)records, (void)stride, (void)n;
    return WEIR_E_IO;
}

static void a_failing_sink_ends_the_run(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        toy t;
        toy_make(&t, 1);
        weir_diag *diag = weir_diag_new();
        t.setup.engine = WEIR_ENGINE_OPTIMISTIC;
        t.setup.threads = threads;
        t.setup.sink = full_disk;
        weir_sim *sim = new_sim(diag, &t.setup);
        assert_int_equal(weir_sim_run(diag, sim, 600 * TOY_GRID_PS, NULL), WEIR_E_IO);
        expect_message(diag, "records could not be taken");
        assert_int_equal(weir_sim_run(diag, sim, 700 * TOY_GRID_PS, NULL), WEIR_E_IO);
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

/* ---- set-ups that cannot run ---- */

static void expect_refused(const weir_setup *setup, const char *text)
{
    weir_diag *diag = weir_diag_new();
    weir_sim *sim;
    assert_int_equal(weir_sim_new(diag, setup, &sim), WEIR_E_ARG);
    assert_null(sim);
    expect_message(diag, text);
    weir_diag_free(diag);
}

/* More threads than entities: as many as there are, and a word about it. */
static void runs_on_fewer_threads_than_asked(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    weir_diag *diag = weir_diag_new();
    t.setup.engine = WEIR_ENGINE_OPTIMISTIC;
    t.setup.threads = TOY_ENTITIES + 19;
    weir_sim *sim = new_sim(diag, &t.setup);
    expect_message(diag, "64 threads are asked for, and the model falls into 45 parts at most: 45 run");
    expect_ok(diag, weir_sim_run(diag, sim, 100 * TOY_GRID_PS, NULL));
    const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, 100 * TOY_GRID_PS, 1, 0);
    assert_true(weir_sim_state_digest(sim) == want.state_digest);
    weir_sim_free(sim);
    weir_diag_free(diag);
}

static void refuses_what_cannot_run(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    t.setup.engine = WEIR_ENGINE_OPTIMISTIC;
    t.setup.threads = UINT16_MAX + 1;
    expect_refused(&t.setup, "1 ranks of 65536 threads; the most is 65535 threads in all");
    t.setup.threads = 2;
    t.setup.optimistic.memory_bytes = 500;
    expect_refused(&t.setup, "engine.memory: 500 bytes for 2 threads; model 'toy' needs");
}

/* A lookahead of 1 ps is nothing that the engine needs. */
static void needs_no_lookahead(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    for (uint32_t e = 0; e < TOY_ENTITIES; e++)
        t.lookahead_ps[e] = 1;
    const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, 150 * TOY_GRID_PS, 1, 0);
    for (uint64_t stress = 0; stress < 4; stress++) {
        t.setup.optimistic.stress = stress;
        const outcome got = run(t.setup, WEIR_ENGINE_OPTIMISTIC, 3, 150 * TOY_GRID_PS, 1, 0);
        expect_same(&got, &want, 3, "lookahead 1 ps");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_sequential_digests),
                                       cmocka_unit_test(tells_the_earliest_fault),
                                       cmocka_unit_test(stops_and_goes_on),
                                       cmocka_unit_test(a_failing_sink_ends_the_run),
                                       cmocka_unit_test(runs_on_fewer_threads_than_asked),
                                       cmocka_unit_test(refuses_what_cannot_run),
                                       cmocka_unit_test(needs_no_lookahead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
