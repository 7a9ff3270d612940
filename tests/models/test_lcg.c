/*
 * The LCG benchmark: it handles the events it is asked for, with the numbers that its generators give, whatever the
 * engine; parameters out of range are named.
 */
#include "diag.h"
#include "models/lcg/lcg.h"
#include "models/usual/lcg.h"

static weir_sim *run(weir_diag *diag, const lcg_params *params, weir_engine engine, wi_uniform **made)
{
    weir_setup setup;
    weir_sim *sim;
    expect_ok(diag, wi_lcg_new(diag, params, made));
    wi_uniform_setup(*made, &setup);
    setup.seed = 17;
    setup.engine = engine;
    setup.threads = 2;
    expect_ok(diag, weir_sim_new(diag, &setup, &sim));
    expect_ok(diag, weir_sim_run(diag, sim, wi_lcg_end(params), NULL));
    return sim;
}

/* One generator, one module: number after 300 events of 20 steps is that after 6,000 steps. */
static void numbers_are_the_generators(void **state)
{
    lcg_params p;
    wi_uniform *made;
    usual_lcg(&p);
    p.iterations = 20;
    weir_stream stream = weir_stream_make(17, 0, 0);
    uint64_t x = weir_draw(&stream);
    for (int i = 0; i < 300 * 20; i++)
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    weir_sim *sim = run(*state, &p, WEIR_ENGINE_SEQUENTIAL, &made);
    const lcg_module *m = weir_sim_state(sim, 0);
    assert_int_equal(m->number, x);
    assert_int_equal(m->handled[0], 300);
    weir_sim_free(sim);
    wi_uniform_free(made);
}

/* All four types come about equally often; every engine agrees; the total is what was asked for. */
static void work_is_as_asked(void **state)
{
    static const uint32_t modules[] = {1, 2, 5, 10, 7};
    for (int v = 0; v < 5; v++) {
        lcg_params p;
        wi_uniform *made, *other;
        usual_lcg(&p);
        p.n_modules = modules[v];
        p.ways = 4;
        p.events = 3000;
        p.iterations = 3;
        p.state_bytes = 40 + 8u * (uint32_t)v * 100;
        weir_sim *sim = run(*state, &p, WEIR_ENGINE_SEQUENTIAL, &made);
        assert_int_equal(weir_sim_events(sim), 3000);
        uint64_t n[3] = {0};
        for (uint32_t e = 0; e < p.n_modules; e++)
            for (int t = 0; t < 3; t++)
                n[t] += ((const lcg_module *)weir_sim_state(sim, e))->handled[t];
        for (int t = 0; t < 3; t++)
            assert_in_range(n[t], 650, 850);
        static const weir_engine engines[] = {WEIR_ENGINE_CONSERVATIVE, WEIR_ENGINE_CHECK};
        for (int i = 0; i < 2; i++) {
            weir_sim *again = run(*state, &p, engines[i], &other);
            assert_int_equal(weir_sim_event_digest(again), weir_sim_event_digest(sim));
            assert_int_equal(weir_sim_state_digest(again), weir_sim_state_digest(sim));
            weir_sim_free(again);
            wi_uniform_free(other);
        }
        weir_sim_free(sim);
        wi_uniform_free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_generators),
        cmocka_unit_test(work_is_as_asked),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
