/*
 * Running: total order, digests, stop points, the time hook, interruption, memory. The toy model checks the
 * order of events itself and faults when it does not rise, so every run here is a test of order.
 */
#include "harness.h"
#include "pending/ladder.h"
#include "toy.h"

enum { GRID = TOY_GRID_PS };

typedef struct outcome {
    uint64_t events, event_digest, state_digest;
} outcome;

static outcome outcome_of(const weir_sim *sim)
{
    return (outcome){weir_sim_events(sim), weir_sim_event_digest(sim), weir_sim_state_digest(sim)};
}

static void expect_same(outcome a, outcome b)
{
    assert_int_equal(a.events, b.events);
    assert_int_equal(a.event_digest, b.event_digest);
    assert_int_equal(a.state_digest, b.state_digest);
}

static outcome run_toy(weir_diag *diag, toy *t, weir_time until_ps)
{
    weir_sim *sim = new_sim(diag, &t->setup);
    expect_ok(diag, weir_sim_run(diag, sim, until_ps, NULL));
    assert_int_equal(weir_sim_now(sim), until_ps);
    const outcome o = outcome_of(sim);
    weir_sim_free(sim);
    return o;
}

static void digests_repeat(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    const outcome first = run_toy(diag, &t, 500 * GRID);
    assert_true(first.events > 10000);
    expect_same(first, run_toy(diag, &t, 500 * GRID));
    t.setup.seed = 2;
    const outcome seed = run_toy(diag, &t, 500 * GRID);
    t.setup.seed = 1;
    t.setup.run = 1;
    const outcome run = run_toy(diag, &t, 500 * GRID);
    assert_int_not_equal(first.event_digest, seed.event_digest);
    assert_int_not_equal(first.state_digest, seed.state_digest);
    assert_int_not_equal(first.event_digest, run.event_digest);
    assert_int_not_equal(first.state_digest, run.state_digest);
    assert_int_not_equal(seed.event_digest, run.event_digest);
}

static void ordered_is_a_hint_only(void **state)
{
    weir_diag *diag = *state;
    toy on, off;
    toy_make(&on, 1);
    toy_make(&off, 0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        on.setup.seed = off.setup.seed = seed;
        expect_same(run_toy(diag, &on, 200 * GRID), run_toy(diag, &off, 200 * GRID));
    }
}

static void stop_points_change_nothing(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    const outcome whole = run_toy(diag, &t, 300 * GRID);
    uint64_t seed = 5;
    for (int round = 0; round < 10; round++) {
        weir_sim *sim = new_sim(diag, &t.setup);
        weir_time at_ps = 0;
        while (at_ps < 300 * GRID) {
            at_ps += 1 + rnd_below(&seed, 20 * GRID); /* on the grid, and between */
            if (at_ps > 300 * GRID)
                at_ps = 300 * GRID;
            expect_ok(diag, weir_sim_run(diag, sim, at_ps, NULL));
            expect_ok(diag, weir_sim_run(diag, sim, at_ps, NULL)); /* again: nothing to do */
            assert_int_equal(weir_sim_now(sim), at_ps);
        }
        expect_ok(diag, weir_sim_run(diag, sim, 7, NULL)); /* the past: nothing to do */
        expect_same(whole, outcome_of(sim));
        weir_sim_free(sim);
    }
}

/* "Everything before the given time is done and nothing at or after it", seen in what is pending. */
typedef struct earliest {
    weir_time time_ps;
    uint64_t n;
} earliest;

static void see(void *user, const weir_event *e)
{
    earliest *least = user;
    least->n++;
    if (e->time_ps < least->time_ps)
        least->time_ps = e->time_ps;
}

static void stop_points_are_half_open(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    weir_sim *sim = new_sim(diag, &t.setup);
    int on_the_dot = 0;
    for (int i = 0; i < 50; i++) {
        expect_ok(diag, weir_sim_run(diag, sim, i * GRID, NULL));
        earliest least = {WEIR_TIME_MAX, 0};
        assert_int_equal(weir_sim_pending(NULL, sim, see, &least), WEIR_OK);
        weir_sim_memory memory;
        weir_sim_memory_use(sim, &memory);
        assert_int_equal(least.n, memory.pending_events);
        assert_true(least.time_ps >= i * GRID);
        on_the_dot += least.time_ps == i * GRID;
        if (i == 0)
            assert_int_equal(weir_sim_events(sim), 0); /* events at 0 are not before 0 */
    }
    assert_true(on_the_dot > 25);
    weir_sim_free(sim);
}

/* The hook is called at its horizons, in turn, when all before is done and nothing after. */
typedef struct hook_log {
    weir_sim *sim;
    weir_time at_ps[100], step_ps;
    int n, bad;
} hook_log;

static weir_time hook(void *user, weir_time horizon_ps)
{
    hook_log *log = user;
    earliest least = {WEIR_TIME_MAX, 0};
    assert_int_equal(weir_sim_pending(NULL, log->sim, see, &least), WEIR_OK);
    log->bad |= least.time_ps < horizon_ps;
    if (log->n < 100)
        log->at_ps[log->n++] = horizon_ps;
    return horizon_ps + log->step_ps;
}

static void hook_at_its_horizons(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    const outcome without = run_toy(diag, &t, 100 * GRID);
    hook_log log = {.step_ps = 7 * GRID + 1};
    t.setup.hook = hook;
    t.setup.user = &log;
    log.sim = new_sim(diag, &t.setup);
    expect_ok(diag, weir_sim_run(diag, log.sim, 20 * GRID, NULL));
    assert_int_equal(log.n, 3); /* 0, 7 and 14 */
    expect_ok(diag, weir_sim_run(diag, log.sim, 21 * GRID + 3, NULL));
    assert_int_equal(log.n, 3); /* one at 21 GRID + 3 comes before the first event from there on, not yet */
    expect_ok(diag, weir_sim_run(diag, log.sim, 100 * GRID, NULL));
    assert_int_equal(log.n, 15);
    for (int i = 0; i < log.n; i++)
        assert_int_equal(log.at_ps[i], i * (7 * GRID + 1));
    assert_false(log.bad);
    expect_same(without, outcome_of(log.sim));

    log.step_ps = 0;
    assert_int_equal(weir_sim_run(diag, log.sim, 200 * GRID, NULL), WEIR_E_ARG);
    expect_message(diag, "horizon that is not later");
    weir_sim_free(log.sim);
}

static weir_time failing_hook(void *user, weir_time horizon_ps)
{
    (void)weir_fail(user, WEIR_E_SCENARIO, "the hook is out of ink");
    return horizon_ps;
}

/* A hook that says why it ends the run is not spoken over. */
static void hook_has_the_word(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    t.setup.hook = failing_hook;
    t.setup.user = diag;
    weir_sim *sim = new_sim(diag, &t.setup);
    const size_t before = weir_diag_errors(diag);
    assert_int_equal(weir_sim_run(diag, sim, 20 * GRID, NULL), WEIR_E_ARG);
    assert_int_equal(weir_diag_errors(diag), before + 1);
    expect_message(diag, "out of ink");
    weir_sim_free(sim);
}

/* A flag that a handler of the run raises: the toy's tick handler, wrapped. */
static volatile int stop_flag;
static int ticks_until_stop;

static void tick_and_stop(weir_ctx *ctx, void *state, const weir_event *e)
{
    if (--ticks_until_stop == 0)
        stop_flag = 1;
    toy_tick(ctx, state, e);
}

static void interruption_is_consistent(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    const outcome whole = run_toy(diag, &t, 2000 * GRID);
    t.types[TOY_TICK].handle = tick_and_stop;
    weir_sim *sim = new_sim(diag, &t.setup);
    int interruptions = 0;
    for (;;) {
        stop_flag = 0;
        ticks_until_stop = 1 + 777 * (interruptions + 1);
        const weir_time before_ps = weir_sim_now(sim);
        const weir_status status = weir_sim_run(diag, sim, 2000 * GRID, &stop_flag);
        if (status == WEIR_OK)
            break;
        assert_int_equal(status, WEIR_E_INTERRUPTED);
        interruptions++;
        const weir_time now_ps = weir_sim_now(sim);
        assert_true(now_ps > before_ps && now_ps < 2000 * GRID);
        earliest least = {WEIR_TIME_MAX, 0};
        assert_int_equal(weir_sim_pending(NULL, sim, see, &least), WEIR_OK);
        assert_true(least.time_ps >= now_ps);
        toy fresh; /* the state is that of a run that ends here */
        toy_make(&fresh, 1);
        expect_same(run_toy(diag, &fresh, now_ps), outcome_of(sim));
    }
    assert_true(interruptions >= 2);
    expect_same(whole, outcome_of(sim));

    stop_flag = 1; /* raised before: nothing is handled */
    assert_int_equal(weir_sim_run(diag, sim, 3000 * GRID, &stop_flag), WEIR_E_INTERRUPTED);
    expect_same(whole, outcome_of(sim));
    weir_sim_free(sim);
}

/* The flag is seen however short the hook's horizons are. */
static weir_time hook_that_stops(void *user, weir_time horizon_ps)
{
    int *calls = user;
    if (++*calls == 10)
        stop_flag = 1;
    return horizon_ps + 1;
}

static void interruption_between_hooks(void **state)
{
    weir_diag *diag = *state;
    toy t;
    int calls = 0;
    toy_make(&t, 1);
    t.setup.hook = hook_that_stops;
    t.setup.user = &calls;
    weir_sim *sim = new_sim(diag, &t.setup);
    stop_flag = 0;
    assert_int_equal(weir_sim_run(diag, sim, 1000 * GRID, &stop_flag), WEIR_E_INTERRUPTED);
    assert_int_equal(calls, 10);
    weir_sim_free(sim);
}

static void state_is_readable(void **state)
{
    weir_diag *diag = *state;
    toy t;
    toy_make(&t, 1);
    weir_sim *sim = new_sim(diag, &t.setup);
    expect_ok(diag, weir_sim_run(diag, sim, 100 * GRID, NULL));
    uint64_t ticks = 0, letters = 0;
    for (uint32_t e = 0; e < TOY_NODES; e++) {
        ticks += ((const toy_node *)weir_sim_state(sim, e))->ticks;
        for (uint32_t s = 0; s < TOY_SLOTS; s++)
            letters += ((const toy_slot *)weir_sim_slot(sim, 0, t.world.first_slot[e] + s))->letters;
    }
    assert_true(((const toy_depot *)weir_sim_state(sim, TOY_NODES))->parcels > 0);
    assert_null(weir_sim_state(sim, TOY_ENTITIES));
    const int64_t *counters = weir_sim_counters(sim);
    assert_int_equal(counters[0], ticks);
    assert_int_equal(counters[1] + counters[2], -3 * (int64_t)letters);
    assert_true(letters > 100);
    assert_int_equal(weir_sim_entities(sim), TOY_ENTITIES);
    weir_sim_free(sim);
}

static void memory_is_reported(void **state)
{
    weir_diag *diag = *state;
    toy t;
    for (int ordered = 0; ordered < 2; ordered++) {
        toy_make(&t, ordered);
        weir_sim *sim = new_sim(diag, &t.setup);
        weir_sim_memory m;
        weir_sim_memory_use(sim, &m);
        assert_int_equal(m.pending_events, TOY_NODES); /* one tick each */
        assert_int_equal(m.pending_peak, TOY_NODES);
        expect_ok(diag, weir_sim_run(diag, sim, 100 * GRID, NULL));
        weir_sim_memory_use(sim, &m);
        assert_int_equal(m.state_bytes, TOY_NODES * sizeof(toy_node) + TOY_DEPOTS * sizeof(toy_depot) +
                                            TOY_NODES * TOY_SLOTS * sizeof(toy_slot) + 3 * sizeof(int64_t) +
                                            TOY_ENTITIES * sizeof(weir_entity));
        assert_true(m.pending_peak >= m.pending_events && m.pending_events > TOY_NODES);
        const uint64_t each = 32 + sizeof(toy_letter);
        const uint64_t run = 2 * WI_BUCKET_MOST * sizeof(wi_heap_key); /* of keys, and room to sort it */
        assert_in_range(m.pending_peak_bytes, m.pending_peak * each, m.pending_peak * (each + 16) + run);
        assert_true(ordered ? m.stream_bytes > 0 : m.stream_bytes == 0);
        weir_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_repeat),
        cmocka_unit_test(ordered_is_a_hint_only),
        cmocka_unit_test(stop_points_change_nothing),
        cmocka_unit_test(stop_points_are_half_open),
        cmocka_unit_test(hook_at_its_horizons),
        cmocka_unit_test(hook_has_the_word),
        cmocka_unit_test(interruption_is_consistent),
        cmocka_unit_test(interruption_between_hooks),
        cmocka_unit_test(state_is_readable),
        cmocka_unit_test(memory_is_reported),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
