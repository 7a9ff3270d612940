/*
 * Suspension and posts on every engine of the host: events of some entities are suspended at a stop point, wake
 * later, shifted, while others go on; the digests are the sequential engine's. label: threads
 */
#include "nightly.h"
#include "outcome.h"

static int of_chosen(void *user, const weir_event *event)
{
    return event->target % *(const uint32_t *)user == 0;
}

static void count_it(void *user, const weir_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
}

typedef struct result {
    uint64_t event_digest, state_digest, events, frozen, pending;
} result;

/* Suspend at 60, 100 and 130 grids, wake at 95, 130 and 180. */
static result play(weir_engine engine, uint32_t threads, uint64_t seed, uint32_t every)
{
    static const weir_time at[][2] = {{60, 95}, {100, 130}, {130, 180}};
    toy t;
    toy_make(&t, seed % 2 == 0);
    t.setup.engine = engine;
    t.setup.threads = threads;
    t.setup.seed = seed;
    t.setup.optimistic.stress = seed;
    weir_diag *diag = weir_diag_new();
    weir_sim *sim = new_sim(diag, &t.setup);
    result r = {0};
    for (size_t i = 0; i < 3; i++) {
        expect_ok(diag, weir_sim_run(diag, sim, at[i][0] * TOY_GRID_PS + 333, NULL));
        uint64_t before = 0, after = 0, kept = 0;
        weir_sim_memory memory;
        assert_int_equal(weir_sim_pending(diag, sim, count_it, &before), WEIR_OK);
        expect_ok(diag, weir_sim_suspend(diag, sim, 0, of_chosen, &every));
        assert_int_equal(weir_sim_pending(diag, sim, count_it, &after), WEIR_OK);
        weir_sim_suspended(sim, count_it, &kept);
        assert_int_equal(before, after + kept);
        weir_sim_memory_use(sim, &memory);
        assert_int_equal(memory.pending_events, after);
        r.frozen += kept;
        expect_ok(diag, weir_sim_post(diag, sim, 7, 7, TOY_TICK, weir_sim_now(sim) + 5, NULL));
        expect_ok(diag, weir_sim_run(diag, sim, at[i][1] * TOY_GRID_PS + 111, NULL));
        expect_ok(diag, weir_sim_resume(diag, sim, 0, NULL, NULL));
        assert_int_equal(weir_sim_pending(diag, sim, count_it, &r.pending), WEIR_OK);
    }
    expect_ok(diag, weir_sim_run(diag, sim, 220 * TOY_GRID_PS, NULL));
    r.event_digest = weir_sim_event_digest(sim);
    r.state_digest = weir_sim_state_digest(sim);
    r.events = weir_sim_events(sim);
    weir_sim_free(sim);
    weir_diag_free(diag);
    return r;
}

static void same_on_every_engine(void **state)
{
    (void)state;
    static const weir_engine engines[] = {WEIR_ENGINE_CHECK, WEIR_ENGINE_CONSERVATIVE,
                                          WEIR_ENGINE_OPTIMISTIC};
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 4); seed++) {
        const uint32_t every = 1 + (uint32_t)seed % 3;
        const result want = play(WEIR_ENGINE_SEQUENTIAL, 0, seed, every);
        assert_true(want.frozen > 20 && want.events > 500);
        for (int e = 0; e < 3; e++)
            for (uint32_t threads = 1; threads <= 3; threads++) {
                const result got = play(engines[e], threads, seed, every);
                assert_memory_equal(&got, &want, sizeof got);
            }
    }
}

/* Two suspensions overlap, of other entities each: by number, and by themselves. */
static void several_at_once(void **state)
{
    static const weir_engine engines[] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CONSERVATIVE,
                                          WEIR_ENGINE_OPTIMISTIC};
    uint64_t digest[3][2];
    (void)state;
    for (int e = 0; e < 3; e++) {
        toy t;
        uint32_t of_two = 2, of_three = 3;
        uint64_t kept = 0, both = 0;
        weir_diag *diag = weir_diag_new();
        toy_make(&t, 1);
        t.setup.engine = engines[e];
        t.setup.threads = 2;
        weir_sim *sim = new_sim(diag, &t.setup);
        expect_ok(diag, weir_sim_run(diag, sim, 60 * TOY_GRID_PS, NULL));
        expect_ok(diag, weir_sim_suspend(diag, sim, 7, of_chosen, &of_two));
        weir_sim_suspended(sim, count_it, &kept);
        assert_int_equal(weir_sim_suspend(diag, sim, 7, of_chosen, &of_three), WEIR_E_ARG);
        expect_ok(diag, weir_sim_run(diag, sim, 80 * TOY_GRID_PS, NULL));
        expect_ok(diag, weir_sim_suspend(diag, sim, 3, of_chosen, &of_three));
        weir_sim_suspended(sim, count_it, &both);
        assert_true(kept > 0 && both > kept);
        expect_ok(diag, weir_sim_run(diag, sim, 95 * TOY_GRID_PS, NULL));
        expect_ok(diag, weir_sim_resume(diag, sim, 7, NULL, NULL));
        assert_int_equal(weir_sim_resume(diag, sim, 7, NULL, NULL), WEIR_E_ARG);
        both -= kept;
        kept = 0;
        weir_sim_suspended(sim, count_it, &kept);
        expect_ok(diag, weir_sim_run(diag, sim, 110 * TOY_GRID_PS, NULL));
        expect_ok(diag, weir_sim_resume(diag, sim, 3, NULL, NULL));
        expect_ok(diag, weir_sim_run(diag, sim, 220 * TOY_GRID_PS, NULL));
        assert_int_equal(kept, both);
        digest[e][0] = weir_sim_event_digest(sim);
        digest[e][1] = weir_sim_state_digest(sim);
        assert_memory_equal(digest[e], digest[0], sizeof digest[0]);
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_on_every_engine),
                                       cmocka_unit_test(several_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
