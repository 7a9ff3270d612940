/* PHOLD of seeded random shapes on any number of threads: the sequential engine's digests. label: threads */
#include "diag.h"
#include "models/phold/phold.h"
#include "splitmix.h"

typedef struct outcome {
    uint64_t events, event_digest, state_digest;
} outcome;

static outcome run(const phold_params *params, uint64_t seed, uint32_t threads, weir_time until_ps)
{
    weir_diag *diag = weir_diag_new();
    wi_phold *phold;
    weir_setup setup;
    weir_sim *sim;
    assert_int_equal(wi_phold_new(diag, params, &phold), WEIR_OK);
    wi_phold_setup(phold, &setup);
    setup.seed = seed;
    setup.engine = threads ? WEIR_ENGINE_CONSERVATIVE : WEIR_ENGINE_SEQUENTIAL;
    setup.threads = threads;
    assert_int_equal(weir_sim_new(diag, &setup, &sim), WEIR_OK);
    assert_int_equal(weir_sim_run(diag, sim, until_ps / 3, NULL), WEIR_OK);
    assert_int_equal(weir_sim_run(diag, sim, until_ps, NULL), WEIR_OK);
    const outcome out = {weir_sim_events(sim), weir_sim_event_digest(sim), weir_sim_state_digest(sim)};
    weir_sim_free(sim);
    wi_phold_free(phold);
    weir_diag_free(diag);
    return out;
}

static void any_shape_on_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 7};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t random = seed;
        phold_params params;
        wi_phold_params_init(&params);
        params.n_entities = 8 + (uint32_t)(rnd(&random) % 3000);
        params.events_per_entity = (uint32_t)(rnd(&random) % 8);
        params.remote_share = (double)(rnd(&random) % 5) / 4.0;
        params.lookahead_ps = 1000 + (weir_time)(rnd(&random) % WEIR_PS_PER_US);
        params.mean_ps = (weir_time)(rnd(&random) % (20 * WEIR_PS_PER_US));
        const double pending = (double)params.n_entities * params.events_per_entity + 1.0;
        const weir_time until_ps =
            (weir_time)((double)(params.lookahead_ps + params.mean_ps) * (1.0 + 20000.0 / pending));
        const outcome want = run(&params, seed, 0, until_ps);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            const outcome got = run(&params, seed, threads[i], until_ps);
            if (got.events != want.events || got.event_digest != want.event_digest ||
                got.state_digest != want.state_digest)
                fail_msg("seed %d, %u threads: %llu events, want %llu; digest %llx, want %llx", (int)seed,
                         threads[i], (unsigned long long)got.events, (unsigned long long)want.events,
                         (unsigned long long)got.event_digest, (unsigned long long)want.event_digest);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_shape_on_any_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
