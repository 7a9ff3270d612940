/* PHOLD of seeded random shapes on any number of threads, conservative and optimistic: the sequential engine's digests. label: threads */
#include "diag.h"
#include "models/phold/phold.h"
#include "splitmix.h"
#include "models/usual/phold.h"

typedef struct outcome {
    uint64_t events, event_digest, state_digest;
} outcome;

static outcome run(const phold_params *params, uint64_t seed, weir_engine engine, uint32_t threads,
                   weir_time until_ps)
{
    weir_diag *diag = weir_diag_new();
    wi_uniform *phold;
    weir_setup setup;
    weir_sim *sim;
    assert_int_equal(wi_phold_new(diag, params, &phold), WEIR_OK);
    wi_uniform_setup(phold, &setup);
    setup.seed = seed;
    setup.engine = engine;
    setup.threads = threads;
    assert_int_equal(weir_sim_new(diag, &setup, &sim), WEIR_OK);
    assert_int_equal(weir_sim_run(diag, sim, until_ps / 3, NULL), WEIR_OK);
    assert_int_equal(weir_sim_run(diag, sim, until_ps, NULL), WEIR_OK);
    const outcome out = {weir_sim_events(sim), weir_sim_event_digest(sim), weir_sim_state_digest(sim)};
    weir_sim_free(sim);
    wi_uniform_free(phold);
    weir_diag_free(diag);
    return out;
}

static void any_shape_on_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 7};
    static const weir_engine engines[] = {WEIR_ENGINE_CONSERVATIVE, WEIR_ENGINE_OPTIMISTIC};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t random = seed;
        phold_params params;
        usual_phold(&params);
        params.n_entities = 8 + (uint32_t)(rnd(&random) % 3000);
        params.events_per_entity = (uint32_t)(rnd(&random) % 8);
        params.remote_share = (double)(rnd(&random) % 5) / 4.0;
        params.lookahead_ps = 1000 + (weir_time)(rnd(&random) % WEIR_PS_PER_US);
        params.mean_ps = (weir_time)(rnd(&random) % (20 * WEIR_PS_PER_US));
        const double pending = (double)params.n_entities * params.events_per_entity + 1.0;
        const weir_time until_ps =
            (weir_time)((double)(params.lookahead_ps + params.mean_ps) * (1.0 + 20000.0 / pending));
        const outcome want = run(&params, seed, WEIR_ENGINE_SEQUENTIAL, 0, until_ps);
        for (size_t i = 0; i < 2 * sizeof threads / sizeof threads[0]; i++) {
            const outcome got = run(&params, seed, engines[i % 2], threads[i / 2], until_ps);
            if (got.events != want.events || got.event_digest != want.event_digest ||
                got.state_digest != want.state_digest)
                fail_msg("seed %d, %s, %u threads: %llu events, want %llu; digest %llx, want %llx", (int)seed,
                         i % 2 ? "optimistic" : "conservative", threads[i / 2],
                         (unsigned long long)got.events, (unsigned long long)want.events,
                         (unsigned long long)got.event_digest, (unsigned long long)want.event_digest);
        }
    }
}

/*
 * Lookaheads from a thousand events down to none, so that rounds of the GVT follow each other or hardly come, and
 * partitions that are behind handle for good what others handle ahead.
 */
static void any_lookahead_when_optimistic(void **state)
{
    (void)state;
    static const weir_time lookaheads_ps[] = {1, 100, 3000, 40000, 500000};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        phold_params params;
        usual_phold(&params);
        params.n_entities = 1000;
        params.events_per_entity = 2;
        params.remote_share = seed % 2 ? 0.5 : 0.02;
        params.lookahead_ps = lookaheads_ps[seed % 5];
        params.mean_ps = WEIR_PS_PER_US;
        const weir_time until_ps = 20 * WEIR_PS_PER_US;
        const outcome want = run(&params, seed, WEIR_ENGINE_SEQUENTIAL, 0, until_ps),
                      got = run(&params, seed, WEIR_ENGINE_OPTIMISTIC, 2 + seed % 3, until_ps);
        if (memcmp(&got, &want, sizeof got) != 0)
            fail_msg("seed %d, lookahead %lld ps: %llu events, want %llu", (int)seed,
                     (long long)params.lookahead_ps, (unsigned long long)got.events,
                     (unsigned long long)want.events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_shape_on_any_threads),
                                       cmocka_unit_test(any_lookahead_when_optimistic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
