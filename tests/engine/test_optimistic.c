/*
 * The optimistic engine against the sequential one: digests, state, records in order, counters, pending events,
 * stop points, hook, stopping and faults, for any number of threads, tiny and huge bounds, and delays drawn at
 * random that force rollbacks. label: slow threads
 */
#include "nightly.h"
#include "threaded.h"

static const threaded_engine threaded = {.engine = WEIR_ENGINE_OPTIMISTIC,
                                         .threads = {1, 2, 7},
                                         .n_threads = 3,
                                         .fault_seeds = 2,
                                         .fault_until = 400,
                                         .stop_records = 300,
                                         .stop_until = 1600,
                                         .least_threads = 2};

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
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 3); seed++) {
        toy t;
        toy_make(&t, seed % 2 == 0);
        t.setup.seed = seed;
        const weir_time until_ps = 100 * TOY_GRID_PS, hook_ps = seed % 3 == 0 ? 27 * TOY_GRID_PS : 0;
        const int steps = seed % 2 ? 1 : 5;
        const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, steps, hook_ps);
        assert_true(want.events > 3000 && want.records > 100);
        for (int i = 0; i < threaded.n_threads; i++)
            for (int k = 0; k < OPTIONS; k++) {
                char what[32];
                t.setup.optimistic = all_options[k];
                snprintf(what, sizeof what, "toy, options %d", k);
                const outcome got =
                    run(t.setup, WEIR_ENGINE_OPTIMISTIC, threaded.threads[i], until_ps, steps, hook_ps);
                expect_same(&got, &want, threaded.threads[i], what);
            }
    }
}

/* ---- set-ups that cannot run ---- */

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

typedef struct told {
    weir_time gvt_ps;
    uint32_t times, wrong;
} told;

static void hear(void *user, weir_time gvt_ps)
{
    told *t = user;
    t->wrong += gvt_ps <= t->gvt_ps; /* it only rises */
    t->gvt_ps = gvt_ps;
    t->times++;
}

static void tells_the_gvt(void **state)
{
    (void)state;
    for (uint32_t threads = 2; threads <= 3; threads++) {
        toy t;
        told heard = {.gvt_ps = 0};
        toy_make(&t, 1);
        weir_diag *diag = weir_diag_new();
        t.setup.engine = WEIR_ENGINE_OPTIMISTIC;
        t.setup.threads = threads;
        t.setup.optimistic.gvt_events = 50;
        t.setup.optimistic.at_gvt = hear;
        t.setup.optimistic.at_gvt_user = &heard;
        weir_sim *sim = new_sim(diag, &t.setup);
        expect_ok(diag, weir_sim_run(diag, sim, 400 * TOY_GRID_PS, NULL));
        assert_int_equal(heard.wrong, 0);
        assert_true(heard.times > 3 && heard.gvt_ps >= 400 * TOY_GRID_PS);
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
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

/* ---- stopping where one partition has all events: nothing ever reaches it, so all that it handles is for good ---- */

static void lonely_init(weir_ctx *ctx, void *state)
{
    (void)state;
    if (ctx->entity == 0)
        weir_schedule(ctx, 0, 0, TOY_GRID_PS);
}

static void lonely_tick(weir_ctx *ctx, void *state, const weir_event *e)
{
    (void)e;
    weir_touch(ctx, state, sizeof(uint64_t));
    ++*(uint64_t *)state;
    weir_schedule(ctx, 0, 0, TOY_GRID_PS);
}

typedef struct stopping {
    volatile int stop;
    int rounds;
} stopping;

static void stop_at_the_tenth(void *user, weir_time gvt_ps)
{
    stopping *s = user;
    (void)gvt_ps;
    s->stop = ++s->rounds >= 10;
}

static void stops_a_partition_alone(void **state)
{
    static const weir_kind kind = {
        .name = "lonely", .state_bytes = sizeof(uint64_t), .init = lonely_init, .max_events = 1};
    static const weir_event_type type = {.name = "tick", .handle = lonely_tick, .max_events = 1};
    static const weir_model model = {
        .name = "lonely", .kinds = &kind, .types = &type, .n_kinds = 1, .n_types = 1};
    static const uint64_t stress[] = {0, 1, 2};
    weir_time lookahead_ps[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        lookahead_ps[i] = TOY_GRID_PS;
    for (int k = 0; k < 3; k++) {
        stopping s = {0};
        weir_diag *diag = weir_diag_new();
        const weir_setup setup = {
            .model = &model,
            .kind_count = {4},
            .lookahead_ps = lookahead_ps,
            .engine = WEIR_ENGINE_OPTIMISTIC,
            .threads = 2,
            .optimistic = {.stress = stress[k], .at_gvt = stop_at_the_tenth, .at_gvt_user = &s}};
        weir_sim *sim = new_sim(diag, &setup);
        const weir_time end_ps = WEIR_TIME_MAX / 2;
        assert_int_equal(weir_sim_run(diag, sim, end_ps, &s.stop), WEIR_E_INTERRUPTED);
        /* Everything before now, nothing from then on. */
        const weir_time now_ps = weir_sim_now(sim);
        assert_true(now_ps > 0 && now_ps < end_ps);
        expect_ok(diag, weir_sim_fetch(diag, sim));
        assert_int_equal(*(const uint64_t *)weir_sim_state(sim, 0), (now_ps - 1) / TOY_GRID_PS);
        expect_ok(diag, weir_sim_run(diag, sim, now_ps + 1000 * TOY_GRID_PS, NULL));
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

/* ---- a model that the check engine would not pass ---- */

static void late_touch(weir_ctx *ctx, void *state, const weir_event *e)
{
    ((toy_node *)state)->packets += 1 << 20;
    toy_tick(ctx, state, e);
}

static void touch_of_others(weir_ctx *ctx, void *state, const weir_event *e)
{
    static uint64_t nobodys;
    weir_touch(ctx, &nobodys, sizeof nobodys);
    toy_tick(ctx, state, e);
}

/* Whoever cannot be taken back is named before it spoils results. */
static void names_a_handler_that_does_not_touch(void **state)
{
    (void)state;
    static void (*const handlers[])(weir_ctx *, void *, const weir_event *) = {late_touch, touch_of_others};
    static const char *const wanted[] = {"changes bytes that it does not touch first",
                                         "touches what is not its own"};
    for (int i = 0; i < 2; i++) {
        toy t;
        toy_make(&t, 1);
        t.types[TOY_TICK].handle = handlers[i];
        t.setup.optimistic.stress = 1;
        const outcome got = run(t.setup, WEIR_ENGINE_OPTIMISTIC, 2, 100 * TOY_GRID_PS, 1, 0);
        assert_int_equal(got.status, WEIR_E_MODEL);
        if (!strstr(got.message, wanted[i]) || !strstr(got.message, "event 'tick' at"))
            fail_msg("'%s'", got.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_sequential_digests),
                                       THREADED_TESTS,
                                       cmocka_unit_test(refuses_what_cannot_run),
                                       cmocka_unit_test(tells_the_gvt),
                                       cmocka_unit_test(needs_no_lookahead),
                                       cmocka_unit_test(stops_a_partition_alone),
                                       cmocka_unit_test(names_a_handler_that_does_not_touch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
