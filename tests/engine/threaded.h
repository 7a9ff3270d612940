/*
 * What any engine on several threads must do besides its digests: tell the earliest fault, stop and go on, end with a
 * sink that fails, run on fewer threads than it cannot use. A test defines `threaded`, the engine and how long its runs
 * are, before it includes this; and adds THREADED_TESTS to its own.
 */
#ifndef TESTS_ENGINE_THREADED_H
#define TESTS_ENGINE_THREADED_H

#include "harness.h"
#include "outcome.h"

typedef struct threaded_engine {
    weir_engine engine;
    uint32_t threads[4];
    int n_threads;
    uint64_t fault_seeds;
    weir_time fault_until;  /* grid steps */
    uint64_t stop_records;  /* a run is stopped after so many */
    weir_time stop_until;   /* and would end there, grid steps */
    uint32_t least_threads; /* of the run that is stopped */
} threaded_engine;

static const threaded_engine threaded;

/* ---- breaking off ---- */

static inline void hasty_tick(weir_ctx *ctx, void *state, const weir_event *e)
{
    toy_tick(ctx, state, e);
    if (e->time_ps >= fault_from_ps && ctx->entity % 3 == 1)
        weir_schedule(ctx, (ctx->entity + 7) % TOY_NODES, TOY_TICK, TOY_GRID_PS - 1);
}

/* The earliest fault in the order of events is the one that is told, whoever meets it. */
static inline void tells_the_earliest_fault(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= threaded.fault_seeds; seed++)
        for (int which = 0; which < 2; which++) {
            toy t;
            toy_make(&t, 1);
            t.setup.seed = seed;
            if (which)
                t.types[TOY_TICK].handle = hasty_tick;
            else
                t.types[TOY_LETTER].handle = late_letter;
            t.types[TOY_TICK].max_events = 6;
            const outcome want =
                run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, threaded.fault_until * TOY_GRID_PS, 3, 0);
            assert_int_equal(want.status, WEIR_E_MODEL);
            for (int i = 0; i < threaded.n_threads; i++) {
                const outcome got = run(t.setup, threaded.engine, threaded.threads[i],
                                        threaded.fault_until * TOY_GRID_PS, 3, 0);
                expect_same(&got, &want, threaded.threads[i], which ? "delay" : "own check");
            }
        }
}

static volatile int stop_now;

static inline weir_status stop_at_records(void *user, const weir_record_head *records, uint32_t stride,
                                          size_t n)
{
    uint64_t *seen = user;
    (void)records, (void)stride;
    *seen += n;
    stop_now = *seen > threaded.stop_records;
    return WEIR_OK;
}

/* Stopped at a consistent point, and then as if nothing had been. */
static inline void stops_and_goes_on(void **state)
{
    (void)state;
    for (uint32_t threads = threaded.least_threads; threads <= 3; threads++) {
        toy t;
        toy_make(&t, 1);
        const weir_time until_ps = threaded.stop_until * TOY_GRID_PS;
        const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, 1, 0);
        weir_diag *diag = weir_diag_new();
        uint64_t seen = 0;
        t.setup.engine = threaded.engine;
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

static inline weir_status full_disk(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    (void)user, (void)records, (void)stride, (void)n;
    return WEIR_E_IO;
}

static inline void a_failing_sink_ends_the_run(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        toy t;
        toy_make(&t, 1);
        weir_diag *diag = weir_diag_new();
        t.setup.engine = threaded.engine;
        t.setup.threads = threads;
        t.setup.sink = full_disk;
        weir_sim *sim = new_sim(diag, &t.setup);
        assert_int_equal(weir_sim_run(diag, sim, threaded.stop_until * TOY_GRID_PS, NULL), WEIR_E_IO);
        expect_message(diag, "records could not be taken");
        assert_int_equal(weir_sim_run(diag, sim, (threaded.stop_until + 1000) * TOY_GRID_PS, NULL),
                         WEIR_E_IO);
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

static inline void expect_refused(const weir_setup *setup, const char *text)
{
    weir_diag *diag = weir_diag_new();
    weir_sim *sim;
    assert_int_equal(weir_sim_new(diag, setup, &sim), WEIR_E_ARG);
    assert_null(sim);
    expect_message(diag, text);
    weir_diag_free(diag);
}

static inline void runs_on_fewer_threads_than_asked(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    weir_diag *diag = weir_diag_new();
    t.setup.engine = threaded.engine;
    t.setup.threads = TOY_ENTITIES + 19;
    weir_sim *sim = new_sim(diag, &t.setup);
    expect_message(diag, "64 threads are asked for, and the model falls into 45 parts at most: 45 run");
    expect_ok(diag, weir_sim_run(diag, sim, 100 * TOY_GRID_PS, NULL));
    const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, 100 * TOY_GRID_PS, 1, 0);
    assert_true(weir_sim_state_digest(sim) == want.state_digest);
    weir_sim_free(sim);
    weir_diag_free(diag);
}

#define THREADED_TESTS                                                               \
    cmocka_unit_test(tells_the_earliest_fault), cmocka_unit_test(stops_and_goes_on), \
        cmocka_unit_test(a_failing_sink_ends_the_run), cmocka_unit_test(runs_on_fewer_threads_than_asked)

#endif
